"""What people said is right, counted: each act by which a person corrects, states, reviews or refuses something.

Each row of the tally is one thing that was said, on one day, through one teacher, about one topic, by one person, to
one agent. What
was said on a day before is said again. Every event adds the same wherever it stands in the log, so erasing one only
subtracts it, and what had been said again becomes the first time by itself.

teacher        counted                                                        the same thing (`part`)
corrections    CORRECTION_REPORTED, and LEARNING_CONFIRMED with the words     the learning
conversations  INSIGHT_EXTRACTED of what a person asked for, and              the learning that it was merged into
               LEARNING_CONFIRMED by such a one
reviews        OUTPUT_REVIEWED that asks for a change; RULE_RECURRED says     the review
               that a rule had said it before
documents      corrected fields and lines, each once per draft                the family of layouts, and the field
suggestions    FIX_REJECTED and FIX_MODIFIED; those in bulk once per day      the rule, and the words that would change

What programs do is not counted: edits by a language model, findings that no person stated, imports from other teams,
merges, and answers that something is still true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from heedful.learnings.documents.projection import corrected_fields
from heedful.learnings.events import CONFIRMED, ENTITY, EXTRACTED, RECURRED, REPORTED
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.remark import REMARK
from heedful.records.clock import to_day
from heedful.records.document import ADDED, DRAFT, FIELD_CORRECTED, LINE_CORRECTED, REMOVED
from heedful.records.event import Event
from heedful.records.json import decode, encode
from heedful.records.mining import ENTITY as CONVERSATION
from heedful.records.names import ID_LIMIT
from heedful.records.review import REVIEWED, ReviewDecision
from heedful.records.suggestion import Decision, is_feedback
from heedful.store import Store
from heedful.store.counting import TIMELESS, CountingProjection, Counts, TallyKind
from heedful.store.projections import GENERATION

PROJECTION = "said"
CORRECTIONS = "corrections"
CONVERSATIONS = "conversations"
REVIEWS = "reviews"
DOCUMENTS = "documents"
SUGGESTIONS = "suggestions"

_REFUSALS = (Decision.REJECTED.kind, Decision.MODIFIED.kind)
_KINDS = (REPORTED, CONFIRMED, EXTRACTED, REVIEWED, RECURRED, FIELD_CORRECTED, LINE_CORRECTED, *_REFUSALS)
_WEEK, _TO_MONDAY = 7, 3  # 1970-01-01 was a Thursday
_ANYTHING = '["",null,null,null]'  # the key of all together


class SaidCounts(NamedTuple):
    said: int = 0
    """Each of them counts."""
    times: int = 0
    """All of a row count as one: the same field on three lines of one document was said once."""


class SaidRow(NamedTuple):
    """What was said in one week."""

    week: int
    teacher: str
    about: str | None
    actor: str | None
    agent: str | None
    said: int
    first: int
    """How many of them were said for the first time."""


SAID_TALLY = TallyKind("said", SaidCounts)

_SAYS = "({row}.said > 0 or {row}.times > 0)"
SELECT_WEEKS = f"""
select (now.day + {_TO_MONDAY}) / {_WEEK} as week, {{key}},
    cast(sum(now.said + case when now.times > 0 then 1 else 0 end) as bigint),
    cast(sum(case when exists (
        select 1 from tally as earlier
        where earlier.org_id = now.org_id and earlier.generation = now.generation and earlier.name = now.name
            and earlier.part = now.part and (earlier.day, earlier.key) < (now.day, now.key)
            and {_SAYS.format(row="earlier")}
    ) then 0 else 1 end) as bigint)
from tally as now
where now.org_id = :org and now.generation = {GENERATION} and now.name = '{SAID_TALLY.name}'
    and now.day between :first and :last and {_SAYS.format(row="now")}
group by 1, 2
"""
"""What was said in each week, and how many of them for the first time ever: whether there is an earlier row is one step
in the index, and only for rows of these weeks."""


def week_of(day: int) -> int:
    """The number of the week of a day, both counted from 1970; weeks begin on Monday."""
    return (day + _TO_MONDAY) // _WEEK


def monday_of(week: int) -> int:
    return week * _WEEK - _TO_MONDAY


def weeks(store: Store, first: int, last: int, *, by_key: bool) -> Iterator[SaidRow]:
    """What was said in these weeks, both included: all together, or by teacher, topic, person and agent."""
    params = {"org": store.org, "projection": PROJECTION, "first": monday_of(first), "last": monday_of(last + 1) - 1}
    sql = SELECT_WEEKS.format(key="now.key" if by_key else f"'{_ANYTHING}'")
    for week, key, said, new in store.database.query(store.org, sql, **params):
        teacher, about, actor, agent, *_ = decode(key)
        yield SaidRow(week, teacher, about, actor, agent, said, new)


def _fold(events: Sequence[Event], counts: Counts) -> None:
    for event in events:
        _COUNTED[event.kind](event, counts)


def _reported(event: Event, counts: Counts) -> None:
    if CORRECTION.wording(event) is not None:
        about = event.entity.id if event.entity is not None and event.entity.kind == "topic" else None
        _count(counts, event, event.id, CORRECTIONS, about, agent=_name(event.meta, "agent"))


def _extracted(event: Event, counts: Counts) -> None:
    if _is_statement(event) and event.entity is not None and event.entity.kind == CONVERSATION:
        _count(counts, event, event.id, CONVERSATIONS, _name(event.meta, "project"))


def _confirmed(event: Event, counts: Counts) -> None:
    if event.entity is None or event.entity.kind != ENTITY:
        return
    if CORRECTION.wording(event) is not None:
        about, agent = _name(event.meta, "about"), _name(event.meta, "agent")
        _count(counts, event, event.entity.id, CORRECTIONS, about, agent=agent)
    elif _is_statement(event) and (by := _name(event.meta, "by")) is not None:
        # The same act was counted for the insight that is merged: now it is another time of this one.
        about = _name(event.meta, "project")
        _count(counts, event, by, CONVERSATIONS, about, SaidCounts(said=-1))
        _count(counts, event, event.entity.id, CONVERSATIONS, about)


def _is_statement(event: Event) -> bool:
    """Whether a person asked for it, so that it is not a finding about the work."""
    return event.meta.get("rule") is True


def _reviewed(event: Event, counts: Counts) -> None:
    if event.meta.get("decision") != ReviewDecision.APPROVED and REMARK.wording(event) is not None:
        agent = REMARK.scope(event)
        _count(counts, event, event.id, REVIEWS, agent, agent=agent)


def _recurred(event: Event, counts: Counts) -> None:
    """The rule said it before any day on which the review did."""
    if (review := _name(event.meta, "review")) is not None:
        counts.tally(SAID_TALLY, encode([REVIEWS, None, None, None]), SaidCounts(said=1), part=review, day=TIMELESS)


def _corrected(event: Event, counts: Counts) -> None:
    layout = _name(event.meta, "family") or event.layout
    draft = event.entity.id if event.entity is not None and event.entity.kind == DRAFT else event.id
    for field in _fields(event):
        part = _part(DOCUMENTS, layout or event.id, event.kind, field)
        _count(counts, event, part, DOCUMENTS, layout, SaidCounts(times=1), _part(draft))


def _fields(event: Event) -> list[str]:
    act = event.meta.get("act")
    if act in (ADDED, REMOVED):
        return [f"line {act}"]
    return [field for field in corrected_fields(event) if event.before.get(field) != event.after.get(field)]


def _refused(event: Event, counts: Counts) -> None:
    if not is_feedback(event) or event.entity is None:
        return
    rule, meta = event.entity.id, event.meta
    patterns = meta["learned"].get("patterns", ())
    # The words that differ, or the whole texts; without either, the suggestion cannot be recognised.
    words = sorted(one["id"] for one in patterns if "of" not in one) or sorted(one["id"] for one in patterns)
    once = meta.get("bulk") is True
    made = SaidCounts(times=1) if once else SaidCounts(said=1)
    _count(counts, event, _part(SUGGESTIONS, rule, *(words or [event.id])), SUGGESTIONS, rule, made)


def _count(
    counts: Counts,
    event: Event,
    part: str,
    teacher: str,
    about: str | None,
    made: SaidCounts = SaidCounts(said=1),  # noqa: B008 - a tuple
    *within: str,
    agent: str | None = None,
) -> None:
    key = encode([teacher, about, event.actor, agent, *within])
    counts.tally(SAID_TALLY, key, made, part=part, day=to_day(event.at.date()))


def _part(*names: str) -> str:
    return blake2b("\x1f".join(names).encode("utf-8", "replace"), digest_size=10).hexdigest()


def _name(values: Mapping[str, Any], name: str) -> str | None:
    """A short text that fits every database; programs may record anything."""
    value = values.get(name)
    return value if isinstance(value, str) and value and len(value) <= ID_LIMIT and value.isprintable() else None


_COUNTED: Mapping[str, Callable[[Event, Counts], None]] = {
    REPORTED: _reported,
    CONFIRMED: _confirmed,
    EXTRACTED: _extracted,
    REVIEWED: _reviewed,
    RECURRED: _recurred,
    FIELD_CORRECTED: _corrected,
    LINE_CORRECTED: _corrected,
    **dict.fromkeys(_REFUSALS, _refused),
}

SAID = CountingProjection(PROJECTION, version=2, count=_fold, kinds=_KINDS)
