"""Statistics of mining: outcomes of conversations, new learnings and duplicates, per day."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from heedful.learnings.events import EXTRACTED, MERGED
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.reputation import Reputation, reputation
from heedful.learnings.table import LearningTable
from heedful.measure.variants import compared
from heedful.records.event import Event, EventFilter
from heedful.records.mining import MINED, PROJECTION, SAID, TEMPLATES, MiningOutcome, MiningReport, template
from heedful.records.variant import Tally, VariantComparison
from heedful.store import Store
from heedful.store.counting import TIMELESS, CountingProjection, Counts
from heedful.store.projection import Count

_LAST_DAY = 2**31 - 1
_MICRO = 1_000_000


def _fold(events: Sequence[Event], counts: Counts) -> None:
    for event in events:
        meta, day = event.meta, event.at.date()
        if event.kind == SAID:
            if (mark := template(event)) is not None:
                counts.count(TEMPLATES, mark)
        elif event.kind == MINED:
            counts.count("outcome", MiningOutcome.of(meta.get("outcome")).value, day)
            counts.count("time", "microseconds", day, by=int(float(meta.get("seconds", 0)) * _MICRO))
        elif event.kind == EXTRACTED:
            counts.count("category", str(meta.get("category", ""))[:60], day)
            counts.count("confidence", "millionths", day, by=int(float(meta.get("confidence", 0)) * _MICRO))
        else:
            counts.count("duplicate", str(meta.get("layer", ""))[:60], day)


MINING = CountingProjection(PROJECTION, version=1, count=_fold, kinds=(SAID, MINED, EXTRACTED, MERGED))


def report(store: Store) -> MiningReport:
    counts = {name: _sums(store, name) for name in ("outcome", "time", "category", "confidence", "duplicate")}
    mined, found = sum(counts["outcome"].values()), sum(counts["category"].values())
    fruitful = counts["outcome"].get(MiningOutcome.LEARNED.value, 0)
    return MiningReport(
        conversations=mined,
        outcomes={outcome.value: counts["outcome"].get(outcome.value, 0) for outcome in MiningOutcome},
        extraction_rate=fruitful / mined if mined else 0.0,
        learnings=found - sum(counts["duplicate"].values()),
        categories=counts["category"],
        duplicates=counts["duplicate"],
        mean_confidence=counts["confidence"].get("millionths", 0) / _MICRO / found if found else None,
        mean_seconds=counts["time"].get("microseconds", 0) / _MICRO / mined if mined else None,
    )


def _sums(store: Store, name: str) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    counts: list[Count] = store.projections.counts(MINING.name, name, TIMELESS + 1, _LAST_DAY)
    for one in counts:
        found[one.key] += one.value
    return dict(found)


def reputations(store: Store) -> list[Reputation]:
    """Best first."""
    found = [reputation(*row) for row in LearningTable(store).reputations(INSIGHT.name)]
    return sorted(found, key=lambda one: (-one.score, -one.learnings, one.contributor or ""))


def variants(store: Store) -> list[VariantComparison]:
    """Of every prompt that was used in more than one wording."""
    asked: dict[tuple[str, str], set[str]] = defaultdict(set)
    for event in store.log.each(EventFilter(kind=MINED)):
        for prompt, wording in event.meta.get("prompts", []):
            asked[prompt, wording].add(event.entity.id if event.entity is not None else "")
    found: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for event in store.log.each(EventFilter(kind=EXTRACTED)):
        meta = event.meta
        if (wording := meta.get("prompt")) is not None:
            found["rules" if meta.get("rule") else str(meta.get("category")), wording].append(event)
    prompts: dict[str, list[Tally]] = defaultdict(list)
    names = Counter((prompt, _variant(wording)) for prompt, wording in asked)
    for (prompt, wording), conversations in asked.items():
        variant = _variant(wording)
        name = variant if names[prompt, variant] == 1 else wording  # a rewritten variant is a different one
        prompts[prompt].append(_tally(store, name, conversations, found.get((prompt, wording), [])))
    return [compared(prompt, tallies) for prompt, tallies in sorted(prompts.items()) if len(tallies) > 1]


def _variant(wording: str) -> str:
    return wording.partition("@")[0]


def _tally(store: Store, variant: str, conversations: set[str], found: Sequence[Event]) -> Tally:
    states = [kept.state for event in found if (kept := LearningTable(store).get(event.id)) is not None]
    return Tally(
        variant=variant,
        conversations=len(conversations),
        fruitful=len({event.entity.id for event in found if event.entity is not None}),
        learnings=len(states),
        up=sum(state.rated_up for state in states),
        down=sum(state.rated_down for state in states),
        confidence=sum(state.confidence for state in states) / len(states) if states else None,
    )
