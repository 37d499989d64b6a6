"""Learnings of one kind, with their own types: what a test about corrections or insights asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from heedful import Correction, Insight
from heedful.loop import Stages
from heedful.records.event import Event
from heedful.records.learning import Learning
from heedful.records.learnings import Match
from heedful.records.page import Page
from heedful.records.why import Why

L = TypeVar("L", bound=Learning)


class OfKind(Generic[L]):
    def __init__(self, loop: Stages, kind: Any, type: type[L]) -> None:
        self._govern = loop.govern
        self._learnings = loop.govern.learnings
        self._kind = kind
        self._type = type

    def page(self, **wanted: Any) -> Page[L]:
        found = self._learnings.page(kind=self._kind, **wanted)
        return Page([self._checked(one) for one in found.items], found.next)

    def all(self, **wanted: Any) -> Iterator[L]:
        return self._learnings.all(kind=self._kind, **wanted)

    def get(self, id: str) -> L:
        return self._checked(self._learnings.get(id))

    def why(self, id: str) -> Why:
        return self._govern.why(id)

    def evidence(self, id: str) -> tuple[Event, ...]:
        return self._govern.why(id).history

    def rate(self, id: str, *, up: bool) -> L:
        return self._checked(self._learnings.rate(id, up=up))

    def adjust(self, id: str, *, by: float) -> L:
        return self._checked(self._learnings.adjust(id, by=by))

    def approve(self, id: str, **options: Any) -> L:
        return self._checked(self._learnings.approve(id, **options))

    def retire(self, id: str, **options: Any) -> L:
        return self._checked(self._learnings.retire(id, **options))

    def restore(self, id: str) -> L:
        return self._checked(self._learnings.restore(id))

    def edit(self, id: str, **changes: Any) -> L:
        return self._checked(self._learnings.edit(id, **changes))

    def delete(self, id: str) -> L:
        return self._checked(self._learnings.delete(id))

    def _checked(self, found: object) -> L:
        assert isinstance(found, self._type), found
        return found


class Corrections(OfKind[Correction]):
    """Whatever became of them."""

    def page(self, **wanted: Any) -> Page[Correction]:
        return super().page(**{"status": None, **wanted})

    def all(self, **wanted: Any) -> Iterator[Correction]:
        return super().all(**{"status": None, **wanted})


def corrections(loop: Stages) -> Corrections:
    return Corrections(loop, "correction", Correction)


def insights(loop: Stages) -> OfKind[Insight]:
    return OfKind(loop, "insight", Insight)


def correction_of(match: Match) -> Correction:
    assert isinstance(match.learning, Correction), match
    return match.learning
