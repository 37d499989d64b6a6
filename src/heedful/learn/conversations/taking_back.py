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
from heedful.learn.conversations.retractions import with_neighbours
from heedful.learn.conversations.sessions import HeardRetraction
from heedful.learnings.events import ENTITY, SUPERSEDED
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.retracted import Ending, Meant, Retracted
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.records import mining, proposal
from heedful.records.clock import to_micros
from heedful.records.embedding import meanings
from heedful.records.event import Draft, Entity, Event, EventFilter, noted
from heedful.records.learning import Status
from heedful.records.outside import Outside
from heedful.records.proposal import Act
from heedful.store import Store
from heedful.store.recording import Recording

_KINDS = (INSIGHT.name, CORRECTION.name)
_MOST_ASKED = 3


class _Said(NamedTuple):
    """What may end something, and when and where it was said."""

    id: str
    ending: Ending
    at: datetime
    actor: str | None
    by: str | None
    """The learning that holds instead."""
    reason: dict[str, Any]
    """The conversation, the message and where in it the sentence stands: for events that follow from it."""


class TakingBack:
    """Of one conversation, in the transaction that records what it taught."""

    def __init__(
        self, store: Store, record: Recording, origin: Origin, outside: Outside, disputed: Collection[str]
    ) -> None:
        """About the `disputed` ones people are asked already."""
        self._disputed = disputed
        self._store = store
        self._embedder = outside.embedder
        self._retracted = Retracted(store, outside.reader)
        self._table = LearningTable(store)
        self._record = record
        self._origin = origin

    def take_back(self, heard: HeardRetraction, text: str, at: datetime, by: str | None) -> list[MergeResult]:
        """Once: what somebody restored since stays in use. `by` is the learning that the same sentence gave."""
        source, (start, end) = self._origin.source, heard.sentence
        key = "\x1f".join((source.conversation, heard.message, str(start)))
        id = f"taken-back/{blake2b(key.encode('utf-8', 'replace'), digest_size=12).hexdigest()}"
        if self._store.log.known([id]):
            return []
        meta: dict[str, Any] = {"message": heard.message, "sentence": [start, end]}
        if source.project is not None:
            meta["project"] = source.project
        entity = Entity(mining.ENTITY, source.conversation)
        draft = noted(mining.TAKEN_BACK, at, actor=self._origin.actor, entity=entity, meta=meta)
        self._record.append([draft._replace(id=id, own_id=True)])
        reason = {"message": heard.message, "sentence": [start, end], "conversation": source.conversation}
        said = _Said(id, self._ending(text, heard.sentence, source.project), at, self._origin.actor, by, reason)
        return self._doubted(said, self._meant(said))

    def taken_back_later(self, ids: Iterable[str]) -> list[MergeResult]:
        """Of these new learnings, those that were taken back in a conversation that was mined before."""
        rows = [row for row in map(self._table.get, ids) if row is not None]
        if not rows:
            return []
        since = min(row.first.at for row in rows)
        new = {row.state.id for row in rows}
        results: list[MergeResult] = []
        for event in self._store.log.each(EventFilter(kind=mining.TAKEN_BACK, since=since)):
            if (said := self._read(event)) is not None:
                results += self._doubted(said, self._meant(said, new))
        return results

    def _read(self, event: Event) -> _Said | None:
        """As it was said; None if the message was erased, or it is from here."""
        message = self._store.log.get(str(event.meta.get("message", "")))
        if message is None or event.entity is None or event.entity.id == self._origin.source.conversation:
            return None
        start, end = event.meta["sentence"]
        ending = self._ending(mining.message_of(message).text, (start, end), event.meta.get("project"))
        reason = {name: event.meta[name] for name in ("message", "sentence")} | {"conversation": event.entity.id}
        return _Said(event.id, ending, event.at, event.actor, None, reason)

    def _ending(self, text: str, sentence: tuple[int, int], project: str | None) -> Ending:
        words = with_neighbours(text, sentence)
        found = meanings(self._embedder, [words])
        return Ending(words, project, found[0] if found else None)

    def _meant(self, said: _Said, only: Collection[str] | None = None) -> list[Meant]:
        """Learnings that were said before and may end with it, the likeliest first."""

        def counts(row: LearningRow) -> bool:
            id = row.state.id
            is_other = id not in self._disputed and id != said.by
            return (only is None or id in only) and is_other and _was_said_before(row, said)

        return self._retracted.meant(said.ending, _KINDS, counts)

    def _doubted(self, said: _Said, meant: list[Meant]) -> list[MergeResult]:
        certain = [one for one in meant if self._retracted.is_certain(one)]
        if certain:
            return [self._out_of_use(said, one.row) for one in certain]
        used = [one.row.state.id for one in meant if one.row.state.status == Status.ACTIVE]
        return [self._asked(said, id) for id in used[:_MOST_ASKED]]

    def _out_of_use(self, said: _Said, row: LearningRow) -> MergeResult:
        entity = Entity(ENTITY, row.state.id)
        reason = said.reason if said.by is None else {**said.reason, "by": said.by}
        self._append(noted(SUPERSEDED, said.at, actor=said.actor, entity=entity, meta=reason))
        return MergeResult(row.state.id, "taken back" if said.by is None else "replaced", said.by)

    def _asked(self, said: _Said, id: str) -> MergeResult:
        """Once for each conversation."""
        conversation = said.reason["conversation"]
        why = f"It may have been taken back in conversation {conversation}."
        made = proposal.made(self._store.clock(), Act.RETIRE, (id,), why, meta=said.reason, key=conversation)
        if not self._store.log.known([made.id]):
            self._append(made)
        return MergeResult(id, "doubted", proposal=made.id)

    def _append(self, draft: Draft) -> None:
        self._record.append_new([draft])


def _was_said_before(row: LearningRow, said: _Said) -> bool:
    """In another conversation: in its own, `retractions.py` has looked already."""
    begun = row.first.entity
    is_elsewhere = begun is None or begun.id != said.reason["conversation"]
    return is_elsewhere and row.state.renewed_at <= to_micros(said.at)
