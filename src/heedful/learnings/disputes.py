"""Who contradicts a learning while nobody has decided which one holds.

It is looked up when a learning is read, not stored: either side may go, and the proposal that asks may be decided.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from heedful.learnings.row import LearningRow, State
from heedful.records import proposal
from heedful.records.json import decode
from heedful.records.learning import Status


def contrary(state: State) -> list[str]:
    """The ids of those that ever contradicted it, newest last."""
    return list(decode(state.contradicted or "[]"))


def asked_about(state: State, others: Mapping[str, State]) -> dict[str, str]:
    """The other side of each proposal that may ask whether what waits takes the place of what stands, by the id of the
    proposal. What several people said, or somebody approved, stands meanwhile."""
    known = [others[id] for id in contrary(state) if id in others and others[id].owner == state.owner]
    waiting = (one for one in known if _waits_for(one, state))
    standing = (one for one in known if _waits_for(state, one))
    return {
        **{proposal.replacing(state.id, one.id): one.id for one in waiting},
        **{proposal.replacing(one.id, state.id): one.id for one in standing},
    }


def with_disputes(row: LearningRow, others: Mapping[str, State], pending: Collection[str]) -> LearningRow:
    """With who contradicts it, of `others`; `pending` are those of its proposals that wait."""
    state = row.state
    asked = tuple(other for id, other in asked_about(state, others).items() if id in pending)
    if state.status != Status.ACTIVE:
        return row._replace(contradicted_by=asked)
    opposing = tuple(id for id in contrary(state) if id in others and state.is_opposed_by(others[id]))
    return row._replace(contradicted_by=opposing, questioned_by=asked)


def _waits_for(one: State, other: State) -> bool:
    return one.status == Status.SUPERSEDED and one.superseded_by == other.id and other.status == Status.ACTIVE
