"""What was learned in earlier sessions, and a person takes back in a later one.

If it is certain what is meant, and one person had said it, it is out of use, until somebody restores it or it is said
again. Otherwise a proposal asks. The later word counts, in whatever order the conversations are mined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from heedful.learn.conversations.merging import MergeResult, Origin
from heedful.learn.conversations.sessions import HeardRetraction
from heedful.learnings.events import ENTITY, SUPERSEDED
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.retracted import Meant, Retracted
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.records import mining, proposal
from heedful.records.clock import to_micros
from heedful.records.event import Draft, Entity, Event, EventFilter, noted
from heedful.records.proposal import Act
from heedful.store import Store
from heedful.store.recording import Recording
from heedful.text.retractions import Form, Retraction, denials, retractions

_KINDS = (INSIGHT.name, CORRECTION.name)
_MOST_ASKED = 3


class _Said(NamedTuple):
    """A retraction, and when and where it was said."""

    id: str
    sentence: str
    retractions: tuple[Retraction, ...]
    at: datetime
    project: str | None
    actor: str | None
    reason: dict[str, Any]
    """The conversation, the message and where in it the sentence stands: for events that follow from it."""


class TakingBack:
    """Of one conversation, in the transaction that records what it taught."""

    def __init__(self, store: Store, record: Recording, origin: Origin, disputed: Collection[str]) -> None:
        """About the `disputed` ones people are asked already."""
        self._disputed = disputed
        self._store = store
        self._retracted = Retracted(store)
        self._table = LearningTable(store)
        self._record = record
        self._origin = origin

    def take_back(self, heard: HeardRetraction, text: str, at: datetime) -> list[MergeResult]:
        """Once: what somebody restored since stays in use."""
        source, (start, end) = self._origin.source, heard.sentence
        key = "\x1f".join((source.conversation, heard.message, str(start)))
        id = f"taken-back/{blake2b(key.encode('utf-8', 'replace'), digest_size=12).hexdigest()}"
        if self._store.log.known([id]):
            return []
        meta: dict[str, Any] = {"message": heard.message, "sentence": [start, end], "project": source.project}
        meta["denies"] = True if heard.retractions[0].form is Form.DENIED else None
        draft = noted(
            mining.TAKEN_BACK,
            at,
            actor=self._origin.actor,
            entity=Entity(mining.ENTITY, source.conversation),
            meta={name: value for name, value in meta.items() if value is not None},
        )
        self._record.append([draft._replace(id=id, own_id=True)])
        reason = {"message": heard.message, "sentence": [start, end], "conversation": source.conversation}
        said = _Said(id, text[start:end], heard.retractions, at, source.project, self._origin.actor, reason)
        return [result for one in said.retractions for result in self._doubted(said, one, self._meant(said, one))]

    def taken_back_later(self, ids: Iterable[str]) -> list[MergeResult]:
        """Of these new learnings, those that were taken back in a conversation that was mined before."""
        rows = [row for row in map(self._table.get, ids) if row is not None]
        if not rows:
            return []
        since = min(row.first.at for row in rows)
        new = {row.state.id for row in rows}
        results: list[MergeResult] = []
        for event in self._store.log.each(EventFilter(kind=mining.TAKEN_BACK, since=since)):
            if (said := self._read(event)) is None:
                continue
            for one in said.retractions:
                meant = [found for found in self._meant(said, one) if found.row.state.id in new]
                results += self._doubted(said, one, meant)
        return results

    def _read(self, event: Event) -> _Said | None:
        """As it was said; None if the message was erased, or it is from here."""
        message = self._store.log.get(str(event.meta.get("message", "")))
        if message is None or event.entity is None or event.entity.id == self._origin.source.conversation:
            return None
        sentence = mining.sentence_of(message, event.meta)
        found = (denials if event.meta.get("denies") is True else retractions)(sentence)
        reason = {name: event.meta[name] for name in ("message", "sentence")} | {"conversation": event.entity.id}
        return _Said(event.id, sentence, found, event.at, event.meta.get("project"), event.actor, reason)

    def _meant(self, said: _Said, retraction: Retraction) -> list[Meant]:
        """Learnings that were said before and are taken back, the likeliest first."""

        def counts(row: LearningRow) -> bool:
            return row.state.id not in self._disputed and _was_said_before(row, said)

        return self._retracted.meant(said.sentence, retraction, said.project, _KINDS, counts)

    def _doubted(self, said: _Said, retraction: Retraction, meant: list[Meant]) -> list[MergeResult]:
        if self._retracted.is_certain(retraction, meant):
            return [self._out_of_use(said, meant[0].row)]
        return [self._asked(said, one.row.state.id) for one in meant[:_MOST_ASKED]]

    def _out_of_use(self, said: _Said, row: LearningRow) -> MergeResult:
        entity = Entity(ENTITY, row.state.id)
        self._append(noted(SUPERSEDED, said.at, actor=said.actor, entity=entity, meta=said.reason))
        return MergeResult(row.state.id, "taken back")

    def _asked(self, said: _Said, id: str) -> MergeResult:
        why = f"It may have been taken back in conversation {said.reason['conversation']}."
        made = proposal.made(self._store.clock(), Act.RETIRE, (id,), why, meta=said.reason, key=said.id)
        if not self._store.log.known([made.id]):
            self._append(made)
        return MergeResult(id, "doubted", proposal=made.id)

    def _append(self, draft: Draft) -> None:
        self._record.append_new([draft])


def _was_said_before(row: LearningRow, said: _Said) -> bool:
    """What has no time of its own has that of its conversation, and is no reason to doubt what was said in it."""
    begun, at = row.first.entity, to_micros(said.at)
    here = begun is not None and begun.id == said.reason["conversation"]
    return row.state.renewed_at < at or (row.state.renewed_at == at and not here)
