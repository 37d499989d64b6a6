"""Contradictions between what people stated, in corrections or mappings: a person's newer word replaces their own older
one, and no other person's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heedful.learnings.events import CONFIRMED, CONTRADICTED, ENTITY, SUPERSEDED
from heedful.learnings.kind import LearningKind, Relation, Wording
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.records import proposal
from heedful.records.event import Draft, Entity, Event, EventFilter, noted
from heedful.records.json import decode
from heedful.records.proposal import Act
from heedful.store import Store

_REASON = "People disagree."


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
            return [*drafts, _superseded(new.id, standing.state.id, new)]
        return [*drafts, *(_superseded(old.state.id, new.id, new) for old in contrary if old not in others)]

    def withdrawn(self, said: Draft, same: str, contrary: Sequence[LearningRow]) -> list[Draft]:
        """The events that follow a confirmation by somebody who had said the contrary before."""
        drafts = []
        for old in contrary:
            if self.is_own(old, said):
                drafts.append(_superseded(old.state.id, same, said))
                if self._is_pending(id := proposal.replacing(same, old.state.id)):
                    drafts.append(proposal.decided(id, said.at, said.actor, approved=False, why="They came to agree."))
        return drafts

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

    def is_own(self, old: LearningRow, new: Draft) -> bool:
        """Whether it is one person's word about their own, which nobody approved. People without a name are one person,
        until several chats have said the same."""
        voices = [_voice(event) for event in self._said(old)]
        voice, is_heard = _voice(new), "detected" in decode(new.meta_json)
        if old.state.approved or set(voices) != {voice}:
            return False
        return voice is not None or not is_heard or len(voices) == 1

    def is_firm(self, old: LearningRow) -> bool:
        """Whether it is approved, or several people said it. Those without a name count as different people."""
        return old.state.approved or len({_voice(event) or event.id for event in self._said(old)}) > 1

    def _said(self, row: LearningRow) -> list[Event]:
        """The events in which a person said it; to answer that it is still true is not one of them."""
        said = [event for event in self._table.history(row.state.id) if event.kind in (self._kind.begun_by, CONFIRMED)]
        return [event for event in said if self._kind.wording(event) is not None]

    def _says(self, row: LearningRow, words: Wording) -> bool:
        return self._kind.compare(words, self._kind.words_of(row), ("", ""), None).relation is Relation.SAME

    def _is_pending(self, id: str) -> bool:
        decided = EventFilter(kind=proposal.DECIDED, entity=Entity(proposal.ENTITY, id))
        return bool(self._store.log.known([id])) and not self._store.log.page(decided, None, 1)


def _voice(said: Event | Draft) -> str | None:
    """Who is counted as its author."""
    voice = decode(said.meta_json).get("voice")
    return voice if isinstance(voice, str) else said.actor


def _superseded(old: str, new: str, by: Draft) -> Draft:
    return _about(old, SUPERSEDED, new, by)


def _about(id: str, kind: str, other: str, by: Draft) -> Draft:
    return noted(kind, by.at, actor=by.actor, entity=Entity(ENTITY, id), meta={"by": other})
