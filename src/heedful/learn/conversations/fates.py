"""What became of everything that was heard in a conversation, counted in the words of the steps that decided it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from heedful.learn.conversations.merging import MergeResult
from heedful.learn.conversations.pipeline import Case
from heedful.learn.conversations.quality import guarded, judged_candidate
from heedful.records.mining import KNOWN_ALREADY

_PLACED = {
    "new": "learned",
    "possible": "for a person to decide",
    "surer": "used from now on",
    "settled": "used from now on",
    "merged": KNOWN_ALREADY,
    "known": KNOWN_ALREADY,
    "waiting": "for a person to decide",
    "outdated": "older than what holds now",
    "disputed": "contrary to what people stand behind",
    "unwanted": "taken out of use before",
}


def fates(case: Case, placed: Sequence[MergeResult]) -> list[str]:
    """Such as `1 too unsure`, the most frequent first. `placed` is what became of what was kept, or said again."""
    counts = Counter(_PLACED[one.how] for one in placed)
    counts.update(_dropped(case, {one.id for one in placed}))
    if case.session.taken_back:
        counts["taken back by the person"] += case.session.taken_back
    if case.session.unclear:
        counts["clear only in its place"] += case.session.unclear
    if case.session.refused:
        counts["refused by the person"] += case.session.refused
    return [f"{count} {what}" for what, count in counts.most_common()]


def _dropped(case: Case, placed: set[str]) -> Iterator[str]:
    kept = [one.candidate for one in case.insights]
    unsure = 0
    for candidate in case.candidates:
        if candidate in kept:
            continue
        if why := guarded(candidate):
            yield f"dropped, because {why}" if why.startswith("it ") else f"dropped: {why}"
        elif judged_candidate(candidate, case.transcript).kept:
            yield "told already by another one"
        else:
            unsure += 1
    said_again = max(0, len(placed) - len(kept))  # these were too unsure by themselves
    yield from ["too unsure"] * max(0, unsure - said_again)
