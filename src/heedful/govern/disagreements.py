"""An approval decides a disagreement: what was approved last holds, and what contradicts it is out of use."""

from __future__ import annotations

from heedful.learnings.disputes import contrary
from heedful.learnings.events import ENTITY, SUPERSEDED
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.operations import caller
from heedful.records import proposal
from heedful.records.event import Entity, Event, EventFilter, noted
from heedful.records.learning import Status
from heedful.store import Store
from heedful.store.recording import Recording

_WHY = "One of the two was approved."
_APPROVAL = "approval"
"""In the meta of what an approval decided; taking the approval back takes it back too."""


def decide(store: Store, record: Recording, approved: LearningRow) -> None:
    """Takes what contradicts an approved learning out of use, and ends the proposals that asked which one holds."""
    id, table = approved.state.id, LearningTable(store)
    now, who = store.clock(), caller.actor()
    for other in contrary(approved.state):
        row = table.get(other)
        if row is not None and row.state.owner != approved.state.owner:  # one was made for one person only since
            continue
        if row is not None and row.state.status == Status.ACTIVE:
            meta = {"by": id, _APPROVAL: True}
            record.append([noted(SUPERSEDED, now, actor=who, entity=Entity(ENTITY, other), meta=meta)])
        for asked, is_second in ((proposal.replacing(id, other), False), (proposal.replacing(other, id), True)):
            if store.log.known([asked]) and not _decisions(store, asked):
                ended = proposal.decided(asked, now, who, approved=is_second, why=_WHY, approval=True)
                record.append([ended])


def reopen(store: Store, record: Recording, disapproved: LearningRow) -> None:
    """Takes back what its approval decided."""
    id, table = disapproved.state.id, LearningTable(store)
    for other in contrary(disapproved.state):
        asked = [proposal.replacing(id, other), proposal.replacing(other, id)]
        ended = [event for one in asked for event in _decisions(store, one)]
        replaced = [event for event in table.history(other) if event.kind == SUPERSEDED and event.meta.get("by") == id]
        record.erase([event for event in (*ended, *replaced) if event.meta.get(_APPROVAL) is True])


def _decisions(store: Store, asked: str) -> list[Event]:
    return list(store.log.each(EventFilter(kind=proposal.DECIDED, entity=Entity(proposal.ENTITY, asked))))
