"""heedful: the learning layer for AI applications. Correct it once.

import heedful

loop = heedful.open()
acme = loop.org("acme")
acme.capture.event("MAPPING_CONFIRMED", actor="dana", entity=("sku_mapping", "ABC-123"))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heedful import aio
    from heedful.client import Client
    from heedful.conversation import Conversation
    from heedful.errors import HeedfulError
    from heedful.loop import Loop, open, organisations, restore, salvage
    from heedful.records.correction import Category, Correction
    from heedful.records.event import Entity, Event
    from heedful.records.insight import Insight, InsightCategory
    from heedful.records.job import Job, JobRequest, JobState
    from heedful.records.mining import Mined
    from heedful.records.pattern import Pattern
    from heedful.records.role import Role
    from heedful.records.suggestion import Decision
    from heedful.settings import Settings
    from heedful.store.counting import CountingProjection, Counts
    from heedful.store.extension import Extension, Reaction
    from heedful.store.projection import Count, Projection

__version__ = "0.6.0"

__all__ = [
    "Category",
    "Client",
    "Conversation",
    "Correction",
    "Count",
    "CountingProjection",
    "Counts",
    "Decision",
    "Entity",
    "Event",
    "Extension",
    "HeedfulError",
    "Insight",
    "InsightCategory",
    "Job",
    "JobRequest",
    "JobState",
    "Loop",
    "Mined",
    "Pattern",
    "Projection",
    "Reaction",
    "Role",
    "Settings",
    "aio",
    "open",
    "organisations",
    "restore",
    "salvage",
]

_HOMES = {
    "Category": "records.correction",
    "Client": "client",
    "Conversation": "conversation",
    "Correction": "records.correction",
    "Count": "store.projection",
    "CountingProjection": "store.counting",
    "Counts": "store.counting",
    "Decision": "records.suggestion",
    "Entity": "records.event",
    "Event": "records.event",
    "Extension": "store.extension",
    "HeedfulError": "errors",
    "Insight": "records.insight",
    "InsightCategory": "records.insight",
    "Job": "records.job",
    "JobRequest": "records.job",
    "JobState": "records.job",
    "Loop": "loop",
    "Mined": "records.mining",
    "Pattern": "records.pattern",
    "Projection": "store.projection",
    "Reaction": "store.extension",
    "Role": "records.role",
    "Settings": "settings",
    "open": "loop",
    "organisations": "loop",
    "restore": "loop",
    "salvage": "loop",
}


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used, so that `import heedful` costs nothing."""
    if name == "aio":
        return import_module("heedful.aio")
    if name not in _HOMES:
        raise AttributeError(f"module 'heedful' has no attribute {name!r}")
    value = getattr(import_module(f"heedful.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__", "errors"]
