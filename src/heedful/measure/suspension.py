"""Suspends what does harm: a learning is taken out of use at once, and people are asked whether to use it again."""

from __future__ import annotations

from typing import Any

from heedful.learnings.events import ENTITY, RETIRED
from heedful.learnings.kinds import KINDS
from heedful.records import proposal
from heedful.records.event import Entity, noted
from heedful.records.proposal import Act
from heedful.store import Store


def suspend(store: Store, learning: str, kind: str, why: str, facts: dict[str, Any] | None = None) -> None:
    """`facts` are added to the event. As many people must agree to resume it as must approve one of its kind."""
    now = store.clock()
    meta = {"why": why, "suspended": True, **(facts or {})}
    gone = noted(RETIRED, now, entity=Entity(ENTITY, learning), meta=meta)
    needed = {"needed": KINDS[kind].approvals}
    asked = f"It was suspended. {why} Resume it?"
    store.record([gone, proposal.made(now, Act.RESUME, (learning,), asked, since=now, meta=needed)])
