"""How rules are printed: lists, their effects, and their history in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from heedful.edges.cli.ids import short
from heedful.edges.cli.terminal import Part, Terminal, counted
from heedful.edges.cli.times import age, local_time
from heedful.errors import NotFound
from heedful.learnings import events as learning
from heedful.learnings.content import shortened
from heedful.records import proposal
from heedful.records.event import Entity, Event, EventFilter
from heedful.records.learning import Status
from heedful.records.proposal import Act
from heedful.records.rule import Rule

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.interval import Interval
    from heedful.records.rule import RuleEffect, RuleWords

_TITLE = 160
_REASON = 300
_VERDICTS = {"helps": "green", "does not help": "red", "too early": "dim"}


def title(one: Rule | RuleWords) -> str:
    return shortened(one.text, _TITLE)


def show_list(terminal: Terminal, rules: Sequence[Rule], now: datetime) -> None:
    terminal.table(
        "",
        ("id", "type", "for", "from", "adopted", "rule"),
        (
            (
                (short(one.id), "cyan"),
                one.category.value.replace("_", " ").lower(),
                ", ".join(one.agents) or "all agents",
                counted(len(one.evidence), "review") if one.evidence else "a person",
                (age(one.at, now), "dim"),
                title(one),
            )
            for one in rules
        ),
    )


def show_effects(terminal: Terminal, found: Sequence[RuleEffect]) -> None:
    """How often what a rule is about was corrected: in which share of how many reviews."""
    terminal.table(
        "",
        ("id", "before", "→ with it", "verdict", "rule"),
        (
            (
                (short(one.rule), "cyan"),
                _rate(one.before, one.reviews_before),
                f"→ {_rate(one.after, one.reviews_after)}" + (f", {len(one.recurrences)}×" if one.recurrences else ""),
                (one.verdict, _VERDICTS[one.verdict]),
                shortened(one.text, _TITLE),
            )
            for one in found
        ),
    )


def _rate(interval: Interval, reviews: int) -> str:
    return f"{interval.low:.0%} to {interval.high:.0%} of {reviews:,}" if reviews else "no reviews"


# The history of a rule


class RuleVersion(NamedTuple):
    rule: Rule
    events: tuple[Event, ...]
    """Of the rule, and of the proposals about it, in the order of the log."""


def versions(loop: Loop, rule: Rule) -> list[RuleVersion]:
    """The rules it replaced, itself, and those that replaced it, the oldest first."""
    found = {one.id: one for one in (*_before(loop, rule), rule, *_after(loop, rule))}
    return [RuleVersion(one, _events(loop, one)) for one in found.values()]


def _before(loop: Loop, rule: Rule) -> Iterator[Rule]:
    known = {rule.id}

    def replaced(one: Rule) -> Iterator[Rule]:
        for old in () if one.proposal is None else _learnings(loop, one.proposal):
            if old not in known and (found := _rule(loop, old)) is not None:
                known.add(old)
                yield from replaced(found)
                yield found

    return replaced(rule)


def _after(loop: Loop, rule: Rule) -> Iterator[Rule]:
    known, one = {rule.id}, rule
    while one.superseded_by is not None and one.superseded_by not in known:
        following = _rule(loop, one.superseded_by)
        if following is None:
            return
        known.add(following.id)
        yield (one := following)


def _rule(loop: Loop, id: str) -> Rule | None:
    try:
        found = loop.govern.learnings.get(id)
    except NotFound:
        return None
    return found if isinstance(found, Rule) else None


def _learnings(loop: Loop, id: str) -> tuple[str, ...]:
    try:
        return loop.govern.proposals.get(id).learnings
    except NotFound:
        return ()


def _events(loop: Loop, rule: Rule) -> tuple[Event, ...]:
    log = loop.store.log
    about = [one.id for one in loop.govern.proposals.all(status=None) if rule.id in one.learnings and one.rule is None]
    proposals = [id for id in (rule.proposal, *about) if id is not None]
    found = list(loop.govern.why(rule.id).history)
    for id in proposals:
        found += log.each(EventFilter(entity=Entity(proposal.ENTITY, id)))
    return tuple(sorted(found, key=lambda event: event.seq))


def show_versions(terminal: Terminal, found: Sequence[RuleVersion]) -> None:
    for number, (rule, events) in enumerate(found, 1):
        if number > 1:
            terminal.say()
        numbered = f"version {number} of {len(found)}  " if len(found) > 1 else ""
        terminal.say((numbered, "dim"), (rule.text, "bold"), (f"  {rule.id}, {_state(rule, events)}", "dim"))
        told = ((event, _DEEDS[event.kind](event)) for event in events if event.kind in _DEEDS)
        terminal.rows(((f"  {local_time(event.at)}", "dim"), [parts]) for event, parts in told if parts)


def _state(rule: Rule, events: Sequence[Event]) -> str:
    if rule.status is Status.ACTIVE and rule.approved:
        return "in force"
    gone = [event for event in events if event.kind == learning.RETIRED]
    suspended = rule.status is Status.RETIRED and gone and gone[-1].meta.get("suspended") is True
    return "suspended" if suspended else rule.status.value


def _proposed(event: Event) -> list[Part]:
    meta, act = event.meta, Act(str(event.meta["act"]))
    if act is Act.ADOPT:
        reviews = counted(len(meta.get("evidence", ())), "review")
        made: list[Part] = [f"proposed by {event.actor}" if event.actor else f"proposed by heedful, from {reviews}"]
        return [*made, _reason(meta.get("reason"))]
    asked = {Act.RETIRE: "to retire it", Act.RESUME: "to put it into force again"}.get(act, f"to {act.value} it")
    return [f"proposed {asked}", _reason(meta.get("reason"))]


def _edited(event: Event) -> list[Part]:
    if not event.after:
        return [f"more evidence: {counted(len(event.meta.get('evidence', ())), 'review')}"]
    return [f"edited by {event.actor or 'heedful'}", _reason(event.after.get("text"))]


def _agreed(event: Event) -> list[Part]:
    return [("approved", "green"), f" by {event.actor or 'somebody'}", _reason(event.meta.get("why"))]


def _ended(event: Event) -> list[Part]:
    """What was approved shows by what was done."""
    if event.meta.get("accepted") is True:
        return []
    if event.meta.get("expired") is True:
        return [("the proposal expired", "yellow"), _reason(event.meta.get("why"))]
    return [("the proposal was rejected", "yellow"), f" by {event.actor or 'somebody'}", _reason(event.meta.get("why"))]


def _adopted(event: Event) -> list[Part]:
    people = ", ".join(map(str, event.meta.get("approved_by", ())))
    return [("adopted", "green"), f", agreed by {people}" if people else ""]


def _retired(event: Event) -> list[Part]:
    did = "suspended" if event.meta.get("suspended") is True else "retired"
    who = f" by {event.actor}" if event.actor else " by heedful"
    return [(did, "yellow"), who, _reason(event.meta.get("why"))]


def _rated(event: Event) -> list[Part]:
    return [("rated up", "green") if event.meta.get("up") is True else ("rated down", "red"), f" by {event.actor}"]


def _in_review(says: str) -> Callable[[Event], list[Part]]:
    return lambda event: [(says, "yellow"), _reason(f"review {event.meta.get('review', '')}")]


def _reason(why: object) -> Part:
    return (f": {shortened(why, _REASON)}", "dim") if isinstance(why, str) and why else ""


_DEEDS: dict[str, Callable[[Event], list[Part]]] = {
    proposal.MADE: _proposed,
    proposal.EDITED: _edited,
    proposal.APPROVED: _agreed,
    proposal.REMINDED: lambda _: [("reminded that it waits", "dim")],
    proposal.DECIDED: _ended,
    learning.ADOPTED: _adopted,
    learning.RECURRED: _in_review("said again"),
    learning.OPPOSED: _in_review("a reviewer said the contrary"),
    learning.RATED: _rated,
    learning.CONTRADICTED: lambda event: [(f"contradicted by {event.meta.get('by', 'another one')}", "yellow")],
    learning.SUPERSEDED: lambda event: [(f"replaced by {event.meta.get('by', 'another one')}", "yellow")],
    learning.MERGED: lambda event: [(f"merged into {event.meta.get('into', 'another one')}", "yellow")],
    learning.RETIRED: _retired,
    learning.RESTORED: lambda _: [("in force again", "green")],
}
"""What is told; approvals of the same words and uses would only be noise."""
