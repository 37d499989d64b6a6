"""The activity projection: events per day, by kind and by layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from heedful.records.event import Event
from heedful.store.counting import CountingProjection, Counts


def _fold(events: Sequence[Event], counts: Counts) -> None:
    for (kind, layout, day), count in Counter((e.kind, e.layout, e.at.date()) for e in events).items():
        counts.count("kind", kind, day, by=count)
        if layout is not None:
            counts.count("layout", layout, day, by=count)


ACTIVITY = CountingProjection("activity", version=1, count=_fold)
