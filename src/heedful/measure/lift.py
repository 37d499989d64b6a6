"""Lift of learnings, and what follows from it: what does harm is suspended. What helps ranks higher by itself
(`learnings/lifts.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heedful.errors import NotFound
from heedful.learnings.events import RETIRED
from heedful.learnings.exposures import WHOLE, Comparisons, Exposure, ExposureCounts, comparison, comparisons, exposures
from heedful.learnings.lifts import ERROR_OF_ACTS, arm, effect, lift_of
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.measure.suspension import suspend
from heedful.records.learning import Status
from heedful.records.lift import Lift, LiftVerdict
from heedful.store import Store

_BASELINE = "outcomes"  # in the event of a suspension: what had been counted until then
_ORDER: tuple[LiftVerdict, ...] = ("harms", "helps", "no effect yet", "not measured")
_LISTED = (Status.ACTIVE, Status.RETIRED)


def lifts(store: Store) -> list[Lift]:
    """Of all learnings with outcomes that are in use, or retired: what was decided first, then the largest effect."""
    counted = exposures(store)
    rows = LearningTable(store).named(list(counted))
    found = [lift_of(row, counted[id]) for id, row in rows.items() if row.state.status in _LISTED]
    return sorted(found, key=lambda one: (_ORDER.index(one.verdict), -abs(one.lift or 0.0), one.learning))


def lift(store: Store, id: str) -> Lift:
    row = LearningTable(store).get(id)
    if row is None:
        raise NotFound(f"There is no learning {id!r} here.", hint="List them with `heedful learnings list`.")
    return lift_of(row, exposures(store, [id]).get(id, Exposure()))


def suspend_harmful(store: Store) -> int:
    """Suspends the active learnings with which outcomes are worse; returns how many.

    It takes more than for the verdict "harms". After people resumed one, only later outcomes count against it.
    """
    harmful = {id: one for id, one in comparisons(store).items() if _harms(comparison(one))}
    rows = LearningTable(store).named(list(harmful))
    active = [row for row in rows.values() if row.state.status == Status.ACTIVE]
    return sum(_suspended(store, row, harmful[row.state.id]) for row in active)


def _harms(exposure: Exposure) -> bool:
    return effect(exposure, ERROR_OF_ACTS).verdict == "harms"


def _suspended(store: Store, row: LearningRow, shares: Comparisons) -> bool:
    id = row.state.id
    since = comparison(_since(shares, _baseline(store, id)))
    if not _harms(since):
        return False
    with store.recording():  # another worker may be doing the same
        current = LearningTable(store).get(id)
        if current is None or current.state.status != Status.ACTIVE:
            return False
        facts = {_BASELINE: {share: [list(counts) for counts in sides] for share, sides in shares.items()}}
        suspend(store, id, row.state.kind, _in_words(since), facts)
    return True


def _baseline(store: Store, id: str) -> Comparisons:
    """What had been counted when it was last suspended for this reason; nothing if it never was."""
    noted: list[Any] = [
        event.meta[_BASELINE]
        for event in LearningTable(store).history(id)
        if event.kind == RETIRED and _BASELINE in event.meta
    ]
    counted = noted[-1].items() if noted else ()
    return {share: Exposure(*(ExposureCounts(*counts) for counts in sides)) for share, sides in counted}


def _since(now: Comparisons, before: Comparisons) -> Comparisons:
    """What was counted later. Left out if that cannot be told: what was counted before was forgotten or changed."""
    later = {share: Exposure(*map(_difference, one, before.get(share, Exposure()))) for share, one in now.items()}
    return {share: one for share, one in later.items() if all(map(_is_possible, one))}


def _is_possible(counts: ExposureCounts) -> bool:
    """Whether there are units with these outcomes."""
    return min(counts.units, counts.squares) >= 0 and 0 <= counts.total <= counts.units * WHOLE


def _difference(now: Sequence[int], before: Sequence[int]) -> ExposureCounts:
    return ExposureCounts(*(count - earlier for count, earlier in zip(now, before, strict=True)))


def _in_words(exposure: Exposure) -> str:
    found, shown, withheld = effect(exposure), arm(exposure.shown), arm(exposure.withheld)
    assert found.low is not None  # it was measured
    assert found.high is not None
    return (
        f"Outcomes are worse with it: {shown.mean:.0%} on average in {shown.units:,} sessions, tasks or documents with"
        f" it, {withheld.mean:.0%} in {withheld.units:,} without it. It costs {-found.high * 100:.0f} to"
        f" {-found.low * 100:.0f} points."
    )
