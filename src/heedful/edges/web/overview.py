"""The overview: is it learning? What was learned this week, what waits, what helps and what harms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from starlette.routing import Route

from heedful.edges.web import charts
from heedful.edges.web.charts import Point, Slot
from heedful.edges.web.figures import Figure, share
from heedful.edges.web.learnings import KIND_LABELS, STATUS_LABELS, LearningLine, line, title
from heedful.edges.web.site import Site, View, Visit
from heedful.errors import NotFound
from heedful.loop import Loop
from heedful.operations import policy
from heedful.records.lift import Lift, LiftVerdict
from heedful.records.proposal import Act
from heedful.records.repeats import Repeats, RepeatWeek
from heedful.wire import wires

_WEEKS = 12
_RECENT = 4  # weeks that are compared with those before
_ENOUGH = 10  # things that people said, on either side of the comparison
_POINTS = 5  # below that, it is as often as before
_LOWEST_TOP = 10  # per cent: a rate of nearly nothing is not drawn as a mountain
_WEEK = timedelta(days=7)
_LEARNED = 6  # that are listed
_READ = 200  # of which those of this week are counted
_LISTED = 8  # lifts, and topics
_UNDECIDED = 3  # lifts of which little is known yet: those of which most is
_MOST = 1_000
_EVIDENCE = "remark"

_WAITING: Mapping[Act, tuple[str, str]] = {
    Act.ADOPT: ("rule to approve", "rules to approve"),
    Act.REPLACE: ("contradiction to decide", "contradictions to decide"),
    Act.RESUME: ("suspended learning", "suspended learnings"),
    Act.RENEW: ("learning that may be out of date", "learnings that may be out of date"),
    Act.MERGE: ("pair that says nearly the same", "pairs that say nearly the same"),
    Act.REWRITE: ("learning to reword", "learnings to reword"),
    Act.RETIRE: ("learning to retire", "learnings to retire"),
}
"""What waits for a person, in words; one, and several."""


def routes(site: Site) -> list[Route]:
    return [Route("/", site.page(_overview))]


def _overview(loop: Loop, visit: Visit) -> View:
    request = visit.request
    operations = sorted(wires(), key=lambda wire: (wire.operation.path, wire.operation.verb))
    values = {
        "learned": list(_learned(loop)),
        "listed": _LEARNED,
        "most": _READ,
        "kinds": KIND_LABELS,
        "statuses": STATUS_LABELS,
        "waits": _waits(loop),
        "may_record": visit.may(policy.ReviewPolicy.record),
        "operations": [wire for wire in operations if visit.may(wire.operation.permission)],
        "base": f"{request.url.scheme}://{request.url.netloc}",
        **(_measured(loop) if visit.sees_analytics else {"repeats": None}),
    }
    return View("overview", values)


# What is measured


def _measured(loop: Loop) -> dict[str, Any]:
    found = loop.measure.repeats(weeks=_WEEKS, by="about")
    lifts = loop.measure.lift()
    decided = [one for one in lifts if one.verdict in ("helps", "harms")]
    others = sorted((one for one in lifts if one.verdict == "no effect yet"), key=lambda one: one.needed or 0)
    return {
        "repeats": found,
        "answer": answer(found.weeks),
        "figure": _figure(found),
        "groups": [(one, share(one.rate)) for one in found.groups if one.name][:_LISTED],
        "lifts": [(one, _title(loop, one)) for one in (*decided, *others[:_UNDECIDED])[:_LISTED]],
        "verdicts": Counter[LiftVerdict](one.verdict for one in lifts),
    }


def answer(weeks: Sequence[RepeatWeek]) -> tuple[str, str]:
    """Whether people repeat themselves less than before, in a word and in a sentence."""
    recent, before = weeks[-_RECENT:], weeks[:-_RECENT]
    said, again = sum(one.said for one in recent), sum(one.again for one in recent)
    said_before, again_before = sum(one.said for one in before), sum(one.again for one in before)
    if not said:
        return ("Nobody said anything", f"In the last {_RECENT} weeks nobody corrected anything.")
    now = f"In the last {_RECENT} weeks people had to say again {again:,} of {said:,} things: {share(again / said)}."
    if said < _ENOUGH or said_before < _ENOUGH:
        return ("Too early to tell", now)
    points = round(100 * again / said) - round(100 * again_before / said_before)
    told = f"{now} In the {len(before)} weeks before it was {share(again_before / said_before)}."
    if abs(points) < _POINTS:
        return ("About as before", told)
    return ("Yes, people repeat themselves less", told) if points < 0 else ("No, people repeat themselves more", told)


def _figure(found: Repeats) -> Figure:
    slots = [_slot(week) for week in found.weeks]
    points = [_point(slot, week) for slot, week in zip(slots, found.weeks, strict=True)]
    known = [(slot, week) for slot, week in zip(slots, found.weeks, strict=True) if week.rate is not None]
    top = max((100 * (week.rate or 0.0) for _, week in known), default=0.0)
    summary = f"From {share(known[0][1].rate)} to {share(known[-1][1].rate)}." if known else ""
    return Figure(
        id="repeats",
        title="Repeat-correction rate",
        note="Of what people corrected, stated or refused: the share that they had said before. Less is better.",
        y_label="Said again",
        x_label="Week from Monday (UTC)",
        summary=summary,
        columns=("Week", "Said", "Said again", "Rate"),
        rows=tuple((slot.label, f"{week.said:,}", f"{week.again:,}", share(week.rate)) for slot, week in known),
        csv="",
        time=charts.line_chart(slots, points, charts.axis(0, max(top, _LOWEST_TOP))) if known else None,
    )


def _slot(week: RepeatWeek) -> Slot:
    last = week.monday + timedelta(days=6)
    return Slot(week.monday, last, charts.period_label(week.monday, last))


def _point(slot: Slot, week: RepeatWeek) -> Point:
    if week.rate is None:
        return Point(None, f"{slot.label}: nobody said anything")
    value = 100 * week.rate
    return Point(value, f"{slot.label}: {share(week.rate)}, {week.again:,} of {week.said:,} said again", value)


def _title(loop: Loop, one: Lift) -> str:
    try:
        return title(loop.govern.learnings.get(one.learning))
    except NotFound:  # deleted meanwhile
        return one.text


# What was learned, and what waits


def _learned(loop: Loop) -> Iterator[LearningLine]:
    """Of the last seven days."""
    since = loop.store.clock() - _WEEK
    for one in loop.govern.learnings.page(limit=_READ).items:
        if one.at >= since and one.kind != _EVIDENCE:
            yield line(one)


def _waits(loop: Loop) -> list[str]:
    """Such as `3 rules to approve`."""
    counts = Counter(one.act for one in loop.govern.proposals.page(limit=_MOST).items)
    return [
        f"{counts[act]:,} {words[0] if counts[act] == 1 else words[1]}"
        for act, words in _WAITING.items()
        if counts[act]
    ]
