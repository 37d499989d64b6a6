"""heedful: the learning layer for AI applications. Correct it once.

import heedful

loop = heedful.open()
acme = loop.org("acme")
acme.capture.event("MAPPING_CONFIRMED", actor="dana", entity=("sku_mapping", "ABC-123"))
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` is not imported: a hook of a coding agent starts in the time that it takes
if TYPE_CHECKING:
    from typing import Any

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
    from heedful.records.proposal import Proposal
    from heedful.records.review import Evaluation, Remark, Review
    from heedful.records.role import Role
    from heedful.records.rule import Rule
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
    "Evaluation",
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
    "Proposal",
    "Reaction",
    "Remark",
    "Review",
    "Role",
    "Rule",
    "Settings",
    "aio",
    "open",
    "organisations",
    "restore",
    "salvage",
]

_NAMES_BY_MODULE = {
    "client": ["Client"],
    "conversation": ["Conversation"],
    "errors": ["HeedfulError"],
    "loop": ["Loop", "open", "organisations", "restore", "salvage"],
    "records.correction": ["Category", "Correction"],
    "records.event": ["Entity", "Event"],
    "records.insight": ["Insight", "InsightCategory"],
    "records.job": ["Job", "JobRequest", "JobState"],
    "records.mining": ["Mined"],
    "records.pattern": ["Pattern"],
    "records.proposal": ["Proposal"],
    "records.review": ["Evaluation", "Remark", "Review"],
    "records.role": ["Role"],
    "records.rule": ["Rule"],
    "records.suggestion": ["Decision"],
    "settings": ["Settings"],
    "store.counting": ["CountingProjection", "Counts"],
    "store.extension": ["Extension", "Reaction"],
    "store.projection": ["Count", "Projection"],
}
_HOMES = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used, so that `import heedful` costs nothing."""
    from importlib import import_module  # noqa: PLC0415

    if name == "aio":
        return import_module("heedful.aio")
    if name not in _HOMES:
        raise AttributeError(f"module 'heedful' has no attribute {name!r}")
    value = getattr(import_module(f"heedful.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__", "errors"]
