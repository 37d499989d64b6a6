"""Reads corrections again that the local reader alone has read, because the language model was away or came later.

What the model understands is recorded as an edit that names the model, so people see it in the history and can edit it
back. Words that a person edited or approved are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from heedful.capture.corrections.model_reading import ModelReading, read_by_model
from heedful.errors import BadAnswer
from heedful.learnings.events import EDITED, ENTITY, READ_BY
from heedful.learnings.kinds.correction import CORRECTION, are_same_words
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.records.correction import Detection
from heedful.records.embedding import meaning
from heedful.records.event import Entity, noted
from heedful.records.language import LanguageModel
from heedful.records.learning import Status
from heedful.records.outside import Outside
from heedful.records.reading import Exchange
from heedful.records.rereading import request_of
from heedful.store import Store
from heedful.store.vectors import packed

_PAGE = 500


class RereadingOutcome(StrEnum):
    UNDERSTOOD = "understood"
    NOT_UNDERSTOOD = "not_understood"
    NOT_NEEDED = "not_needed"
    """It has its words by now, was edited, retired or deleted, or there is no language model."""


@dataclass(frozen=True, slots=True)
class CorrectionRereading:
    store: Store
    outside: Outside

    def queue(self) -> int:
        """Queues all that are worth it; returns how many."""
        found = [row.state.id for row in self._rows() if _is_unread(row)] if self.outside.language else []
        for id in found:
            self.store.jobs.put(request_of(id))
        return len(found)

    def read(self, id: str) -> RereadingOutcome:
        """Asks the language model about one. Raises a ProviderError if it does not answer, so that a job is retried."""
        row, language = LearningTable(self.store).get(id), self.outside.language
        if language is None or row is None or not _is_unread(row):
            return RereadingOutcome.NOT_NEEDED
        words = CORRECTION.words_of(row)
        known = Detection(True, row.state.confidence, None, 0.0, "", "", "", (), sentence=words.context)
        try:
            found = read_by_model(language, Exchange(words.query, words.context, words.said), known)
        except BadAnswer:  # it would be the same again
            return RereadingOutcome.NOT_UNDERSTOOD
        said = found.detection
        is_pair = bool(said.wrong and said.right)
        if not said.is_correction or not (said.understood or said.fixed or is_pair):
            return RereadingOutcome.NOT_UNDERSTOOD
        if is_pair and are_same_words(said.wrong, said.right):  # such as `nine`, which the output has in digits
            return RereadingOutcome.NOT_UNDERSTOOD
        return self._edit(row, found, language)

    def _edit(self, row: LearningRow, found: ModelReading, language: LanguageModel) -> RereadingOutcome:
        said, table = found.detection, LearningTable(self.store)
        changes = {name: getattr(said, name) for name in ("wrong", "right", "fixed", "understood", "occasions")}
        edit = CORRECTION.edited(row, changes, row.state.category)
        if (made := meaning(self.outside.embedder, edit.words.gist())) is not None:
            table.prepare(made.embedder, edit.words.gist(), packed(made.vector))
        detected = {**row.first.meta["detected"], "llm": round(found.confidence, 4)}
        draft = noted(
            EDITED,
            self.store.clock(),
            actor=language.name,
            entity=Entity(ENTITY, row.state.id),
            before=edit.before,
            after=edit.after,
            meta={**edit.meta, "detected": detected, READ_BY: language.name},
        )
        with self.store.recording() as record:
            now = table.get(row.state.id)
            if now is None or not _is_unread(now):  # somebody was faster than the model
                return RereadingOutcome.NOT_NEEDED
            record.append([draft])
        return RereadingOutcome.UNDERSTOOD

    def _rows(self) -> Iterator[LearningRow]:
        wanted = {"kind": CORRECTION.name, "status": Status.ACTIVE.value}
        table, previous = LearningTable(self.store), None
        while page := table.page(wanted, previous, _PAGE):
            yield from page
            previous = page[-1].state.no


def _is_unread(row: LearningRow) -> bool:
    """Heard by the local reader alone, with a sentence but without certain words, and not touched since."""
    words = CORRECTION.wording(row.last) if row.state.kind == CORRECTION.name else None
    detected = row.first.meta.get("detected")
    if words is None or not isinstance(detected, dict) or "llm" in detected:
        return False
    untouched = row.state.version == 1 and not row.state.approved and row.state.status == Status.ACTIVE
    return untouched and bool(words.said and words.context) and not words.fixed and not (words.wrong and words.right)
