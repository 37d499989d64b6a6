"""How an edit of a learning is recorded, whoever makes it."""

from __future__ import annotations

from datetime import datetime

from heedful.learnings.events import APPROVED, EDITED, ENTITY
from heedful.learnings.kind import LearningEdit
from heedful.learnings.row import LearningRow, State
from heedful.learnings.table import LearningTable
from heedful.operations import caller, policy
from heedful.records.event import Entity, noted
from heedful.store import Store
from heedful.store.recording import Recording


def write_edit(store: Store, record: Recording, row: LearningRow, edit: LearningEdit, at: datetime, who: str) -> None:
    """Who may approve approves the words that they put in the place of approved ones."""
    state, entity = row.state, Entity(ENTITY, row.state.id)
    draft = noted(EDITED, at, actor=who, entity=entity, before=edit.before, after=edit.after, meta=edit.meta)
    record.append([draft])
    if state.approved and caller.allows(policy.LearningPolicy.approve):
        table = LearningTable(store)
        now = table.get(state.id) or table.folded(state.id)
        assert now is not None  # it was edited just now
        write_approval(store, record, now.state)


def write_approval(store: Store, record: Recording, state: State) -> None:
    """Of its current words."""
    meta = {"words": state.words, "version": state.version}
    record.append([noted(APPROVED, store.clock(), actor=caller.actor(), entity=Entity(ENTITY, state.id), meta=meta)])
