"""Exposures: for each learning, the outcomes of the units (sessions, tasks, documents) that got it, and of those from
which it was withheld.

kind      part         key                             counts
EXPOSURE  learning id  "shown@0.1", "withheld@0.1"     ExposureCounts, of contexts of which a tenth was withheld
EXPOSURE  learning id  "shown"                         ExposureCounts, of contexts where it was not up to chance

Contexts of which different shares were withheld are not pooled: each share is a comparison of its own. Events carry the
differences themselves (`learnings/outcomes.py`), so counting is a sum, in any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from heedful.records.event import Event
from heedful.records.outcome import OUTCOME_REPORTED, SHOWN, CountedChange, side_and_share
from heedful.store import Store
from heedful.store.counting import TIMELESS, CountingProjection, Counts, TallyKind
from heedful.store.database import in_parts
from heedful.store.projections import GENERATION

PROJECTION = "exposures"
OUTCOMES = "outcomes"
REPORTED = "reported"
DERIVED = "derived"
WHOLE = 10_000
"""Outcomes are counted in whole numbers: a success is 10,000."""

_PER_QUERY = 200


class ExposureCounts(NamedTuple):
    units: int = 0
    """Units with an outcome."""
    total: int = 0
    """The sum of their mean outcomes, in 1/10,000."""
    squares: int = 0
    """The sum of the squares of their mean outcomes, in 1/100,000,000."""
    followed: int = 0
    """Contexts whose output follows the learning, as far as that was checked."""
    broken: int = 0


class Exposure(NamedTuple):
    """Both sides of the comparison for one learning."""

    shown: ExposureCounts = ExposureCounts()
    withheld: ExposureCounts = ExposureCounts()


Comparisons = Mapping[str, Exposure]
"""Of one learning, by the share that was withheld; "" for what could not have been withheld."""


EXPOSURE = TallyKind("exposure", ExposureCounts)

_OF_KIND = f"org_id = :org and generation = {GENERATION} and name = :name and day = :day"
SELECT_EXPOSURES = f"select part, key, {EXPOSURE.columns} from tally where {_OF_KIND} {{only}} order by part, key"


def _fold(events: Sequence[Event], counts: Counts) -> None:
    for event in events:
        meta = event.meta
        if "value" in meta:
            counts.count(OUTCOMES, DERIVED if "derived_from" in meta else REPORTED)
        for learning, change in meta.get("counts", {}).items():
            arm, first, new, old, followed, broken = CountedChange(*change)
            made = ExposureCounts(first, new - old, new * new - old * old, followed, broken)
            counts.tally(EXPOSURE, arm, made, part=learning)


EXPOSURES = CountingProjection(PROJECTION, version=1, count=_fold, kinds=(OUTCOME_REPORTED,))


def outcomes_reported(store: Store) -> int:
    """How many outcomes with a value were reported, not derived. As long as nobody does, nothing is withheld."""
    return store.projections.count_of(PROJECTION, OUTCOMES, REPORTED)


def exposures(store: Store, ids: Sequence[str] | None = None) -> dict[str, Exposure]:
    """By learning: of these, or of all that have an outcome. Those without one are left out."""
    return {id: comparison(found) for id, found in comparisons(store, ids).items()}


def comparisons(store: Store, ids: Sequence[str] | None = None) -> dict[str, Comparisons]:
    """The same, apart for each share that was withheld."""
    found: dict[str, dict[str, Exposure]] = {}
    of = {"org": store.org, "projection": PROJECTION, "name": EXPOSURE.name, "day": TIMELESS}
    for listed, params in [("", {})] if ids is None else in_parts(ids, _PER_QUERY):
        sql = SELECT_EXPOSURES.format(only=f"and part in ({listed})" if listed else "")
        for learning, arm, *values in store.database.query(store.org, sql, **of, **params):
            shares, (side, share) = found.setdefault(learning, {}), side_and_share(arm)
            before, counts = shares.get(share, Exposure()), EXPOSURE.read(values)
            shares[share] = before._replace(**{"shown" if side == SHOWN else "withheld": counts})
    return dict(found)


def comparison(shares: Comparisons) -> Exposure:
    """The share with the most units on the smaller side, which is the withheld one; of what was never up to chance, all
    units that got it. What is followed counts of all."""
    compared = [one for share, one in shares.items() if share] or [*shares.values()]
    best = max(compared, key=lambda one: (one.withheld.units, one.shown.units), default=Exposure())
    followed = sum(one.shown.followed for one in shares.values())
    broken = sum(one.shown.broken for one in shares.values())
    return best._replace(shown=best.shown._replace(followed=followed, broken=broken))
