"""The kinds of learnings. A new one is a module here, listed below."""

from __future__ import annotations

from typing import Any

from heedful.errors import InvalidInput
from heedful.learnings.kind import LearningKind
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.kinds.mapping import MAPPING
from heedful.learnings.kinds.pattern import PATTERN
from heedful.learnings.kinds.remark import REMARK
from heedful.learnings.kinds.rule import RULE
from heedful.learnings.row import LearningRow, State
from heedful.records.learnings import AnyLearning

KINDS: dict[str, LearningKind[Any]] = {
    kind.name: kind for kind in (CORRECTION, INSIGHT, MAPPING, PATTERN, REMARK, RULE)
}
BY_BEGINNING: dict[str, LearningKind[Any]] = {kind.begun_by: kind for kind in KINDS.values()}


def kind_of(state: State) -> LearningKind[Any]:
    return KINDS[state.kind]


def record_of(row: LearningRow) -> AnyLearning:
    return kind_of(row.state).record(row)  # type: ignore[return-value]


def checked_kind(name: object) -> str:
    if name not in KINDS:
        raise InvalidInput(f"{name!r} is not a kind of learning.", hint=f"There are: {', '.join(KINDS)}.")
    return str(name)


def checked_category(kind: str | None, category: object) -> str:
    """A category of that kind, or of any."""
    known = [one.value for name, other in KINDS.items() if kind in (None, name) for one in other.categories]
    if str(category) not in known:
        raise InvalidInput(f"{category!r} is not a category.", hint=f"There are: {', '.join(known)}.")
    return str(category)
