"""The activity projection: events per day, by kind and by layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from heedful.records.event import Event
from heedful.store.projection import Derived, Projection


def _fold(events: Sequence[Event], derived: Derived) -> None:
    for (kind, layout, day), count in Counter((e.kind, e.layout, e.at.date()) for e in events).items():
        derived.count("kind", kind, day, by=count)
        if layout is not None:
            derived.count("layout", layout, day, by=count)


ACTIVITY = Projection("activity", version=1, fold=_fold)
