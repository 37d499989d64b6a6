"""What suggestions taught in a period: counted anew from the log."""

from __future__ import annotations

from heedful.learnings.patterns.counts import Contributors, TallyRow, given
from heedful.records.event import EventFilter
from heedful.records.period import Period
from heedful.records.suggestion import LEARNING_KINDS, PROJECTION, joined
from heedful.store import Store
from heedful.store.counting import TIMELESS, CountingProjection, Counts
from heedful.text.reasons import Given

_PAGE = 500


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
    """Tallies of some events, with the methods that those of all events have."""

    def __init__(self, counts: Counts) -> None:
        self._parts: dict[tuple[str, str], list[TallyRow]] = {}
        for (name, part, day, key), values in counts.tallies.items():
            if day == TIMELESS:
                self._parts.setdefault((name, part), []).append(TallyRow(key, tuple(values)))

    def rules(self, after: str, limit: int) -> list[tuple[str, tuple[int, ...]]]:
        names = sorted(part for name, part in self._parts if name == "rule" and part > after)
        return [(rule, self._parts["rule", rule][0].values) for rule in names[:limit]]

    def repeated(self, rule: str, limit: int) -> list[TallyRow]:
        rows = self._parts.get(("pattern", rule), [])
        return sorted(rows, key=lambda row: (-sum(row.values[:3]), row.key))[:limit]

    def count_people(self, rule: str, id: str = "") -> Contributors:
        rows = self._parts.get(("person", joined(rule, id) if id else rule), [])
        return Contributors(len(rows), sum(row.values[0] for row in rows))

    def texts(self, rule: str, id: str, limit: int) -> list[TallyRow]:
        return self._top("text", joined(rule, id), limit)

    def reasons(self, rule: str, pattern: str, limit: int) -> list[Given]:
        return given(self._top("reason", joined(rule, pattern), limit))

    def edits(self, rule: str, limit: int) -> list[TallyRow]:
        return self._top("edit", rule, limit)

    def stated(self, rule: str) -> list[TallyRow]:
        return sorted(self._parts.get(("confidence", rule), []))

    def _top(self, name: str, part: str, limit: int) -> list[TallyRow]:
        rows = self._parts.get((name, part), [])
        return sorted(rows, key=lambda row: (-row.values[0], row.key))[:limit]
