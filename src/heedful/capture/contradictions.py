"""Contradictions between what people stated, in corrections or mappings: a person's newer word replaces their own older
one, and no other person's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heedful.learnings.events import CONFIRMED, CONTRADICTED, ENTITY, RESTORED, SUPERSEDED
from heedful.learnings.kind import LearningKind, Relation, Wording
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.records import proposal
from heedful.records.event import Draft, Entity, Event, EventFilter, noted
from heedful.records.json import decode
from heedful.records.learning import Status
from heedful.records.proposal import Act
from heedful.store import Store

_REASON = "People disagree."
_AGREED = "They came to agree."


class Contradictions:
    def __init__(self, store: Store, kind: LearningKind[Any]) -> None:
        self._store = store
        self._kind = kind
        self._table = LearningTable(store)

    def settled(self, new: Draft, contrary: Sequence[LearningRow]) -> list[Draft]:
        """The events that follow a new statement. What other people said is left to a decision. Until then both are
        active; but what several people said, or somebody approved, stays in force, and the new one waits."""
        others = [old for old in contrary if not self.is_own(old, new)]
        drafts = [draft for old in others for draft in self._disputed(old.state.id, new)]
        standing = next((old for old in others if self.is_firm(old)), None)
        if standing is not None:
            return [*drafts, superseded(new.id, standing.state.id, new)]
        return [*drafts, *(superseded(old.state.id, new.id, new) for old in contrary if old not in others)]

    def withdrawn(self, said: Draft, same: LearningRow, contrary: Sequence[LearningRow]) -> list[Draft]:
        """The events that follow a confirmation by somebody who had said the contrary before: what nobody says any more
        is given up. What waited for that is in use again, unless others stand in its way."""
        left = [old for old in (*contrary, *self._waiting_for(same)) if self.is_own(old, said, instead=same)]
        if same.state.status == Status.ACTIVE:
            return [draft for old in left for draft in self._given_up(old, same, said)]
        gone = {old.state.id for old in left}
        stays = any(self.is_firm(old) for old in contrary if old.state.id not in gone)
        if same.state.superseded_by in gone and not stays:
            restored = noted(RESTORED, said.at, actor=said.actor, entity=Entity(ENTITY, same.state.id))
            return [restored, *(draft for old in left for draft in self._given_up(old, same, said))]
        others = (old for old in left if old.state.id != same.state.superseded_by)
        return [draft for old in others for draft in self._given_up(old, same, said)]

    def _given_up(self, old: LearningRow, same: LearningRow, said: Draft) -> list[Draft]:
        """It may be in use, or have waited for a decision that nobody needs now."""
        id, other = same.state.id, old.state.id
        drafts = [] if old.state.superseded_by == id else [superseded(other, id, said)]
        for asked, is_new in ((proposal.replacing(id, other), False), (proposal.replacing(other, id), True)):
            if self._is_pending(asked):
                drafts.append(proposal.decided(asked, said.at, said.actor, approved=is_new, why=_AGREED))
        return drafts

    def _waiting_for(self, same: LearningRow) -> list[LearningRow]:
        """What waits for a decision whether it takes the place of this one."""
        ids = self._table.superseded_by(same.state.id)
        asked = [id for id in ids if self._is_pending(proposal.replacing(same.state.id, id))]
        return [row for row in self._table.named(asked).values() if row.state.owner == same.state.owner]

    def waiting(self, words: Wording, contrary: Sequence[LearningRow]) -> LearningRow | None:
        """A learning that says the same, and waits for a decision about one of these."""
        for old in contrary:
            for id in self._table.superseded_by(old.state.id):
                row = self._table.get(id)
                if (
                    row is not None
                    and self._is_pending(proposal.replacing(old.state.id, id))
                    and self._says(row, words)
                ):
                    return row
        return None

    def _disputed(self, old: str, new: Draft) -> list[Draft]:
        return [
            _about(old, CONTRADICTED, new.id, new),
            _about(new.id, CONTRADICTED, old, new),
            proposal.made(self._store.clock(), Act.REPLACE, (old, new.id), _REASON),
        ]

    def is_own(self, old: LearningRow, new: Draft, instead: LearningRow | None = None) -> bool:
        """Whether it is one person's word about their own, which nobody approved. People without a name are one person,
        until several chats have said the same. Who has said `instead` what contradicts it since, counts no more."""
        voices = [_voice(event) for event in self._said(old, instead)]
        voice, is_heard = _voice(new), "detected" in decode(new.meta_json)
        if old.state.approved or not set(voices) <= {voice}:
            return False
        return voice is not None or not is_heard or len(voices) <= 1

    def is_firm(self, old: LearningRow) -> bool:
        """Whether it is approved, or several people said it. Those without a name count as different people."""
        return old.state.approved or len({_voice(event) or event.id for event in self._said(old)}) > 1

    def _said(self, row: LearningRow, instead: LearningRow | None = None) -> list[Event]:
        """The events in which a person said it; to answer that it is still true is not one of them. Without those of
        people who said something else `instead` later."""
        history = self._table.history(row.state.id)
        said = [event for event in history if event.kind in (self._kind.begun_by, CONFIRMED)]
        later = {} if instead is None else {_voice(event): event.seq for event in self._said(instead)}
        later.pop(None, None)  # who gives no name may be anybody
        return [
            event
            for event in said
            if self._kind.wording(event) is not None and event.seq > later.get(_voice(event), -1)
        ]

    def _says(self, row: LearningRow, words: Wording) -> bool:
        return self._kind.compare(words, self._kind.words_of(row), ("", ""), None).relation is Relation.SAME

    def _is_pending(self, id: str) -> bool:
        decided = EventFilter(kind=proposal.DECIDED, entity=Entity(proposal.ENTITY, id))
        return bool(self._store.log.known([id])) and not self._store.log.page(decided, None, 1)


def _voice(said: Event | Draft) -> str | None:
    """Who is counted as its author."""
    voice = decode(said.meta_json).get("voice")
    return voice if isinstance(voice, str) else said.actor


def superseded(old: str, new: str, by: Draft) -> Draft:
    return _about(old, SUPERSEDED, new, by)


def _about(id: str, kind: str, other: str, by: Draft) -> Draft:
    return noted(kind, by.at, actor=by.actor, entity=Entity(ENTITY, id), meta={"by": other})
