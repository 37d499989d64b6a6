"""Recounts the suggestions of a period from the log."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from heedful.learnings.patterns import tallies
from heedful.learnings.patterns.counts import Contributors, given
from heedful.learnings.patterns.tallies import ConfidenceCounts, DecisionCounts, Times
from heedful.records.event import EventFilter
from heedful.records.period import Period
from heedful.records.suggestion import LEARNING_KINDS, PROJECTION, joined
from heedful.store import Store
from heedful.store.counting import TIMELESS, CountingProjection, Counts, TallyKind, TallyRow
from heedful.text.reasons import RejectionReason

_PAGE = 500

N = TypeVar("N", bound=NamedTuple)


def recount(store: Store, period: Period) -> Recount:
    projection = store.projections.known[PROJECTION]
    assert isinstance(projection, CountingProjection)
    counts = Counts()
    for kind in LEARNING_KINDS:
        wanted = EventFilter(kind=kind, since=period.first_moment, until=period.end_moment)
        position = None
        while events := store.log.page(wanted, position, _PAGE):
            projection.counted(events, counts)
            position = events[-1].seq
    return Recount(counts)


class Recount:
    """Tallies of some events, with the same methods as the tallies of all events."""

    def __init__(self, counts: Counts) -> None:
        self._parts: dict[tuple[str, str], list[tuple[str, list[int]]]] = {}
        for (name, part, day, key), values in counts.tallies.items():
            if day == TIMELESS:
                self._parts.setdefault((name, part), []).append((key, values))

    def rules(self, after: str, limit: int) -> list[tuple[str, DecisionCounts]]:
        names = sorted(part for name, part in self._parts if name == tallies.RULE.name and part > after)
        return [(rule, self._rows(tallies.RULE, rule)[0].counts) for rule in names[:limit]]

    def repeated(self, rule: str, limit: int) -> list[TallyRow[DecisionCounts]]:
        rows = self._rows(tallies.PATTERN, rule)
        return sorted(rows, key=lambda row: (-row.counts.decided, row.key))[:limit]

    def count_people(self, rule: str, id: str = "") -> Contributors:
        rows = self._rows(tallies.PERSON, joined(rule, id) if id else rule)
        return Contributors(len(rows), sum(row.counts.times for row in rows))

    def texts(self, rule: str, id: str, limit: int) -> list[TallyRow[Times]]:
        return self._top(tallies.TEXT, joined(rule, id), limit)

    def reasons(self, rule: str, pattern: str, limit: int) -> list[RejectionReason]:
        return given(self._top(tallies.REASON, joined(rule, pattern), limit))

    def edits(self, rule: str, limit: int) -> list[TallyRow[Times]]:
        return self._top(tallies.EDIT, rule, limit)

    def stated(self, rule: str) -> list[TallyRow[ConfidenceCounts]]:
        return sorted(self._rows(tallies.CONFIDENCE, rule))

    def _rows(self, kind: TallyKind[N], part: str) -> list[TallyRow[N]]:
        return [TallyRow(key, kind.read(values)) for key, values in self._parts.get((kind.name, part), ())]

    def _top(self, kind: TallyKind[Times], part: str, limit: int) -> list[TallyRow[Times]]:
        return sorted(self._rows(kind, part), key=lambda row: (-row.counts.times, row.key))[:limit]
