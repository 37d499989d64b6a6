"""The versions of a learning, as texts to compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from heedful.learnings import events
from heedful.learnings.content import label
from heedful.learnings.kind import LearningKind
from heedful.learnings.kinds import KINDS
from heedful.records.event import Event
from heedful.records.learnings import AnyLearning


@dataclass(frozen=True, slots=True)
class Version:
    number: int
    at: datetime
    actor: str | None
    text: str
    before: str
    """The text of the version before; empty for the first one."""


def versions(one: AnyLearning, history: Sequence[Event]) -> list[Version]:
    """Newest first."""
    found: list[Version] = []
    kind, about = KINDS[one.kind], None
    for event in history:
        words = kind.wording(event) if event.kind in (*events.BEGINNINGS, events.EDITED) else None
        if words is not None:
            about = event.meta.get("about", about) if found else kind.scope(event)  # only an edit that moves it says so
            text = "\n".join([*_lines(words._asdict()), *_facts(kind, event.meta, about)])
            before = found[-1].text if found else ""
            found.append(Version(len(found) + 1, event.at, event.actor, text, before))
    return found[::-1]


def _lines(words: Mapping[str, Any]) -> Iterator[str]:
    for name, value in words.items():
        if isinstance(value, Mapping):
            yield from (f"{label(part)}: {text}" for part, text in value.items() if text)
        elif value:
            yield f"{label(name)}: {', '.join(map(str, value)) if isinstance(value, tuple) else value}"


def _facts(kind: LearningKind[Any], meta: Mapping[str, Any], about: object) -> Iterator[str]:
    """What an edit can change besides the words."""
    if kind.fields and isinstance(category := meta.get("category"), str):
        yield f"Category: {category.replace('_', ' ')}"
    if "severity" in kind.fields and isinstance(severity := meta.get("severity"), int | float):
        yield f"Severity: {severity:g}"
    if meta.get("always") is True:
        yield "It always holds"
    if "about" in kind.moves:
        yield f"About: {about or 'everything'}"
    if "audience" in kind.moves and "owner" in meta:
        yield "For one person only"
