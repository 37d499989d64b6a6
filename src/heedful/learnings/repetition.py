"""How often a learning was said, since when, by whom and in which projects: from the events that are its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from heedful.learnings.events import CONFIRMED, ENTITY
from heedful.learnings.kinds import KINDS
from heedful.records.event import Event
from heedful.records.insight import Insight
from heedful.records.learning import Learning
from heedful.records.learnings import AnyLearning, Repetition
from heedful.records.people import one_person
from heedful.store import Store
from heedful.store.database import in_parts
from heedful.store.event_rows import EVENT_COLUMNS, event_of

SELECT_CONFIRMATIONS = f"""
select {", ".join(EVENT_COLUMNS)} from feedback_event
where org_id = :org and entity_kind = '{ENTITY}' and entity_id in ({{ids}}) and kind = '{CONFIRMED}'
order by seq
"""
"""The events that say these learnings again. Those of what was merged into them are about what was merged."""

_PER_QUERY = 400


def repetitions(store: Store, learnings: Iterable[AnyLearning]) -> dict[str, Repetition]:
    """By id. What was said once has one time, one person and one project at most."""
    known = {one.id: one for one in learnings}
    again = _confirmations(store, [id for id, one in known.items() if one.confirmed])
    merged = {by for events in again.values() for event in events if (by := _merged(event)) is not None}
    began = store.log.known(list(again.keys() | merged))
    return {id: _repetition(one, list(_said(id, again, began))) for id, one in known.items()}


def as_one(several: Sequence[Repetition]) -> Repetition:
    """Of learnings that found the same root cause, told as the one that was found most often."""
    first = max(several, key=lambda one: one.times)
    return Repetition(
        first.learning,
        sum(one.times for one in several),
        min(one.since for one in several),
        _sorted(*{one_person(name): name for one in several for name in one.people}.values()),
        _sorted(*{name for one in several for name in one.projects}),
        tuple(one.learning.id for one in several if one is not first),
    )


def in_words(one: Learning, times: int, since: datetime, people: int = 0, projects: int = 0) -> str:
    """Such as "said 4 times, since March 2026, by 3 people, in 2 projects"; empty if it was said once."""
    if times < 2:
        return ""
    verb = "found" if isinstance(one, Insight) and not one.rule else "said"
    by = f", by {people:,} people" if people > 1 else ""
    where = f", in {projects:,} projects" if projects > 1 else ""
    return f"{verb} {times:,} times, since {since:%B %Y}{by}{where}"


def _confirmations(store: Store, ids: Sequence[str]) -> dict[str, list[Event]]:
    """By the learning they are about: these, and whatever was merged into them."""
    found: dict[str, list[Event]] = {id: [] for id in ids}
    waiting = list(ids)
    with store.database.read(store.org) as transaction:
        while waiting:
            new: list[Event] = []
            for listed, params in in_parts(waiting, _PER_QUERY):
                rows = transaction.query(SELECT_CONFIRMATIONS.format(ids=listed), {"org": store.org, **params})
                new += map(event_of, rows)
            for event in new:
                if event.entity is not None:
                    found[event.entity.id].append(event)
            waiting = [by for by in dict.fromkeys(map(_merged, new)) if by is not None and by not in found]
            found |= {id: [] for id in waiting}
    return found


def _merged(event: Event) -> str | None:
    """The learning whose merge this confirmation is."""
    by = event.meta.get("by")
    return by if isinstance(by, str) else None


def _said(id: str, again: Mapping[str, Sequence[Event]], began: Mapping[str, Event]) -> Iterator[Event]:
    """The events in which it was said; not those in which somebody only agreed that it is still true."""
    waiting, seen = [id], set[str]()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one in began:
            yield began[one]
        for event in again.get(one, ()):
            if (by := _merged(event)) is not None:
                waiting.append(by)
            elif event.meta:
                yield event


def _repetition(one: AnyLearning, said: Sequence[Event]) -> Repetition:
    if not said:
        return Repetition(one, 1, one.at, _sorted(one.actor), _sorted(one.about))
    people = {_voice(event, event.actor): event.actor for event in reversed(said) if event.actor is not None}
    projects = {KINDS[one.kind].scope(event) for event in said}
    since = min(event.at for event in said)
    return Repetition(one, len(said), since, _sorted(*people.values()), _sorted(*projects))


def _voice(event: Event, actor: str) -> str:
    """Whoever gives several names with one key is one person."""
    voice = event.meta.get("voice")
    return voice if isinstance(voice, str) else one_person(actor)


def _sorted(*names: str | None) -> tuple[str, ...]:
    return tuple(sorted(name for name in names if name is not None))
