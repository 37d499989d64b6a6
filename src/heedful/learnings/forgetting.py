"""Deletes learnings with all their events. A duplicate takes the place of a deleted learning, if there is one.

All ways of forgetting come here: one learning, a conversation, a person (`govern/forgetting.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from heedful.errors import StoreError
from heedful.learnings import events as learning
from heedful.learnings.erased import Erased
from heedful.learnings.evidence import ReviewEvidence, events_of_proposal
from heedful.learnings.fold import restoration
from heedful.learnings.kinds import kind_of
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.kinds.remark import REMARK
from heedful.learnings.row import LearningRow, State
from heedful.learnings.table import LearningTable
from heedful.operations import caller
from heedful.records import mining, proposal
from heedful.records.event import Entity, Event, EventFilter, noted
from heedful.records.json import decode, encode
from heedful.records.learning import Status
from heedful.records.proposal import Act
from heedful.records.suggestion import SCRUB
from heedful.store import Store
from heedful.store.recording import Recording

_LINKS = frozenset(
    {learning.CONFIRMED, learning.UNCONFIRMED, learning.EDITED, learning.CONTRADICTED, learning.SUPERSEDED}
)
_RIGHT_AFTER = 100  # events


def forget(store: Store, record: Recording, gone: Sequence[LearningRow], erased: Erased | None = None) -> None:
    """With `erased`, it is counted what goes."""
    if gone:
        _Forgetting(store, record, gone, Erased(store) if erased is None else erased).run()


def forget_conversation(store: Store, record: Recording, id: str, erased: Erased) -> None:
    """Its messages, and what was learned from it alone. What it took back holds again."""
    events, table = store.log.about(mining.ENTITY, [id]), LearningTable(store)
    forget(store, record, table.begun_about(record.transaction, mining.ENTITY, id), erased)
    taken_back = [
        event
        for kind in (INSIGHT.name, CORRECTION.name)
        for row in table.each({"kind": kind, "status": Status.SUPERSEDED.value})
        for event in table.history(row.state.id)
        if event.kind == learning.SUPERSEDED and event.meta.get("conversation") == id
    ]
    erased.erase(record, [*taken_back, *(event for event in events if event.kind in mining.OWN_KINDS)])
    settle(store, record, {event.entity.id for event in taken_back if event.entity is not None}, erased)


def settle(store: Store, record: Recording, ids: Collection[str], erased: Erased) -> None:
    """Learnings that got older words back: another one may say the same by now."""
    forgetting = _Forgetting(store, record, (), erased)
    for id in sorted(ids):
        forgetting.settle(id)


def unlink(store: Store, record: Recording, row: LearningRow) -> None:
    """Undoes a merge: the target is as if the learning had never been merged into it."""
    if row.state.superseded_by is not None:
        links = _links(store, row.state.superseded_by, {row.state.id})
        if links:
            record.erase(links)


def scrubbed(store: Store, *, thoroughly: bool = False) -> bool:
    """Erased text must not remain in the database file. If others are reading, a job tries it again: then False."""
    if not store.database.in_transaction() and scrub(store, thoroughly=thoroughly):
        return True
    store.jobs.put(SCRUB)
    return False


def scrub(store: Store, *, thoroughly: bool) -> bool:
    try:
        return store.database.scrub(thoroughly=thoroughly)
    except StoreError:  # no room for a copy, say, or another program at work: the records are gone all the same
        return False


class _Forgetting:
    def __init__(self, store: Store, record: Recording, gone: Sequence[LearningRow], erased: Erased) -> None:
        self._store = store
        self._table = LearningTable(store)
        self._record = record
        self._erased = erased
        self._rows = gone
        self._gone = {row.state.id: row.state for row in gone}
        self._retired_by = {id: self._last_to(learning.RETIRED, id) for id in self._gone}
        self._approved_by = {
            id: self._last_to(learning.APPROVED, id) for id, state in self._gone.items() if state.approved
        }
        self._heirs: dict[str, str] = {}
        """Maps deleted learnings to their replacements."""

    def run(self) -> None:
        left = [(state, self._left_by(state)) for state in self._gone.values()]
        self._erase()
        for state, others in left:
            merged = [other for other in others if other.status == Status.MERGED]
            heir = self._inherit(self._root(state), merged)
            for other in others:
                if other.status == Status.SUPERSEDED:
                    self._take_up(other, heir)

    def _left_by(self, state: State) -> list[State]:
        superseded = [event.entity.id for event in self._superseding(state) if event.entity is not None]
        ids = dict.fromkeys([*self._table.superseded_by(state.id), *superseded])
        found = [self._table.get(id) or self._table.folded(id) for id in ids]
        states = [one.state for one in found if one is not None and one.state.id not in self._gone]
        return sorted(states, key=lambda one: one.no)

    def _superseding(self, state: State) -> list[Event]:
        """The events by which it superseded others, right after its first event: the table may be behind."""
        after = self._store.log.after(state.no, _RIGHT_AFTER)
        return [event for event in after if event.kind == learning.SUPERSEDED and event.meta.get("by") == state.id]

    def _erase(self) -> None:
        names = self._gone.keys()
        others = {state.superseded_by for state in self._gone.values() if state.superseded_by}
        others |= {id for name in names for id in self._table.superseded_by(name)}
        others |= {id for state in self._gone.values() for id in decode(state.contradicted or "[]")}
        events = [event for id in names for event in self._table.history(id)]
        events += [event for other in sorted(others - names) for event in _links(self._store, other, names)]
        events += [event for state in self._gone.values() for event in self._superseding(state)]
        self._erase_proposals()
        if reviews := [row.first for row in self._rows if row.state.kind == REMARK.name]:
            ReviewEvidence(self._store, self._record, self._erased, self._forget_others).erase(reviews)
        self._erased.count_learnings(self._record, self._rows)
        self._erased.erase(self._record, events)

    def _erase_proposals(self) -> None:
        """Those about a deleted learning. A proposed rule that should take its place needs it no more."""
        for event in list(self._store.log.each(EventFilter(kind=proposal.MADE))):
            if not self._gone.keys() & set(event.meta.get("learnings", ())):
                continue
            events = events_of_proposal(self._store, event.id)
            self._erased.proposals.add(event.id)
            if event.meta.get("act") == Act.ADOPT:
                self._erased.rewrite(self._record, events, self._without_gone)
            else:
                self._erased.erase(self._record, events)

    def _without_gone(self, event: Event) -> Event:
        meta = dict(event.meta)
        if not self._gone.keys() & set(meta.get("learnings", ())):
            return event
        left = [id for id in meta["learnings"] if id not in self._gone]
        return event._replace(meta_json=encode({**meta, "learnings": left}))

    def _forget_others(self, rows: Sequence[LearningRow]) -> None:
        others = [row for row in rows if row.state.id not in self._gone]
        forget(self._store, self._record, others, self._erased)

    def _root(self, state: State) -> State:
        """The learnings it was merged into that are deleted as well."""
        while state.status == Status.MERGED and state.superseded_by in self._gone:
            state = self._gone[state.superseded_by]
        return state

    def _inherit(self, root: State, merged: list[State]) -> str | None:
        if root.status == Status.MERGED:  # merged into one that stays
            heir = root.superseded_by
        else:
            heir = self._heirs.get(root.id)
            if heir is None and merged:
                first, *merged = merged
                self._heirs[root.id] = heir = first.id
                self._succeed(first, root)
        if heir is None:
            return root.superseded_by if root.superseded_by not in self._gone else None
        for other in merged:
            self._merge(other, heir)
        return heir

    def _succeed(self, heir: State, root: State) -> None:
        row = self._table.get(heir.id)
        self._append(learning.RESTORED, heir.id, {} if row is None else restoration(row))
        if root.approved and heir.words == root.words:
            approved = {"words": heir.words, "version": heir.version}
            self._append(learning.APPROVED, heir.id, approved, actor=self._approved_by[root.id])
        if root.status == Status.RETIRED:
            self._append(learning.RETIRED, heir.id, {}, actor=self._retired_by[root.id])
        elif root.status == Status.SUPERSEDED and root.superseded_by not in self._gone:
            self._append(learning.SUPERSEDED, heir.id, {"by": root.superseded_by})
        else:
            self.settle(heir.id)

    def _take_up(self, beaten: State, heir: str | None) -> None:
        if heir is not None and heir != beaten.id:
            self._append(learning.SUPERSEDED, beaten.id, {"by": heir})
        else:
            self.settle(beaten.id)

    def settle(self, id: str) -> None:
        """A learning that becomes active again may have been learned again meanwhile, word for word."""
        row = self._table.get(id)
        if row is None or row.state.status != Status.ACTIVE:
            return
        kind, state = kind_of(row.state), row.state
        said = (state.category or "", kind.words_of(row))
        twin = self._table.twin(self._record.transaction, kind, *said, scope=state.scope, besides=state.id)
        if twin is not None:
            self._merge(row.state, twin)

    def _merge(self, state: State, into: str) -> None:
        target = self._table.get(into)
        proof: dict[str, Any] = {"by": state.id, "confidence": state.confidence}
        if target is not None and target.state.scope not in (None, state.scope):
            proof["widens"] = True
        self._append(learning.MERGED, state.id, {"into": into, "reason": "They say the same."})
        first = self._table.history(state.id)[0]
        if first.meta.get("rule") is not True:
            self._append(learning.CONFIRMED, into, proof)
            return
        # A person stated it, at that time: it is counted as said again (`learnings/said.py`).
        proof |= {name: first.meta[name] for name in ("rule", "project") if name in first.meta}
        entity = Entity(learning.ENTITY, into)
        self._record.append([noted(learning.CONFIRMED, first.at, actor=first.actor, entity=entity, meta=proof)])

    def _last_to(self, kind: str, id: str) -> str | None:
        found = [event for event in self._table.history(id) if event.kind == kind]
        return found[-1].actor if found else None

    def _append(self, kind: str, id: str, meta: dict[str, Any], actor: str | None = None) -> None:
        who = actor if kind in (learning.RETIRED, learning.APPROVED) else caller.actor()
        self._record.append(
            [noted(kind, self._store.clock(), actor=who, entity=Entity(learning.ENTITY, id), meta=meta)]
        )


def _links(store: Store, id: str, names: Collection[str]) -> list[Event]:
    """The events by which these learnings changed another one."""
    history = LearningTable(store).history(id)
    return [event for event in history if event.kind in _LINKS and event.meta.get("by") in names]
