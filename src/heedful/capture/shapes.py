"""The shapes of heedful's own events: what `before`, `after` and `meta` hold, by kind.

Events of these kinds are checked before they are stored, so that code that reads them can rely on their fields. Fields
that a shape does not name are not checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from heedful.errors import HeedfulError, InvalidPayload
from heedful.learnings.events import ABOUT_LEARNINGS, ADJUSTED, BEGINNINGS
from heedful.records.clock import moment
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.correction import COMPLAINT, DISPUTED
from heedful.records.document import (
    CUSTOMER_SELECTED,
    DOCUMENT_DELETED,
    DRAFT_CONFIRMED,
    EXTRACTED,
    FIELD_CORRECTED,
    LINE_CORRECTED,
    RECEIVED,
)
from heedful.records.event import Draft
from heedful.records.json import decode
from heedful.records.mapping import CONFIRMED, REJECTED
from heedful.records.mining import COMPLETED, EXAMINED, MINED, SAID, STARTED, TAKEN_BACK, MiningOutcome
from heedful.records.names import identifier
from heedful.records.outcome import OUTCOME_REPORTED, is_arm
from heedful.records.proposal import APPROVED, DECIDED, EDITED, MADE, REMINDED, Act
from heedful.records.review import REVIEWED, Action, ReviewDecision
from heedful.records.rule import RuleType
from heedful.records.suggestion import DECISIONS, IMPORTED
from heedful.records.transcript import Speaker

_MOST = 2**31 - 1  # no count, sum or time of ours comes near it


class Field(NamedTuple):
    """What a value must be like."""

    says: str
    fits: Callable[[Any], bool]
    required: bool = False


def _named(value: object) -> bool:
    try:
        identifier(value, "name")
    except HeedfulError:
        return False
    return True


def _is_time(value: object) -> bool:
    try:
        moment(value)
    except HeedfulError:
        return False
    return True


def _number(least: float, most: float) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and least <= value <= most
    )


TEXT = Field("a text", lambda value: isinstance(value, str))
NAME = Field("a short text", _named)
SWITCH = Field("true or false", lambda value: isinstance(value, bool))
SHARE = Field("a number from 0 to 1", _number(0, 1))
STEP = Field("a number from -1 to 1", _number(-1, 1))
AMOUNT = Field(f"a number from 0 to {_MOST:,}", _number(0, _MOST))
COUNT = Field(f"a whole number from 0 to {_MOST:,}", lambda value: type(value) is int and 0 <= value <= _MOST)
CHANGE = Field("-1, 0 or 1", lambda value: type(value) is int and -1 <= value <= 1)
TIME = Field("a time with its zone", _is_time)
ARM = Field("shown or withheld, with the share", lambda value: isinstance(value, str) and is_arm(value))


def one_of(values: Collection[str]) -> Field:
    return Field(f"one of {', '.join(values)}", lambda value: isinstance(value, str) and value in values)


def many(of: Field) -> Field:
    return Field(f"a list, each {of.says}", lambda value: isinstance(value, list) and all(map(of.fits, value)))


def tuple_of(*parts: Field) -> Field:
    return Field(
        f"a list of {len(parts)}: {', '.join(part.says for part in parts)}",
        lambda value: (
            isinstance(value, list)
            and len(value) == len(parts)
            and all(part.fits(one) for part, one in zip(parts, value, strict=True))
        ),
    )


def named(of: Field) -> Field:
    return Field(
        f"an object, each value {of.says}", lambda value: isinstance(value, dict) and all(map(of.fits, value.values()))
    )


def by_name(of: Field) -> Field:
    return Field(
        f"an object of short texts, each value {of.says}",
        lambda value: isinstance(value, dict) and all(map(_named, value)) and all(map(of.fits, value.values())),
    )


def record(**fields: Field) -> Field:
    parts = ", ".join(f"{name} ({field.says})" for name, field in fields.items())
    return Field(f"an object with {parts}", lambda value: isinstance(value, dict) and _misfit(fields, value) is None)


def either(*fields: Field) -> Field:
    return Field(" or ".join(field.says for field in fields), lambda value: any(field.fits(value) for field in fields))


def required(field: Field) -> Field:
    return field._replace(required=True)


Fields = Mapping[str, Field]


def each(field: Field, names: str) -> Fields:
    return dict.fromkeys(names.split(), field)


_ANYTHING: Fields = MappingProxyType({})


class Shape(NamedTuple):
    before: Fields = _ANYTHING
    after: Fields = _ANYTHING
    meta: Fields = _ANYTHING


# A field has the same type in all events about learnings.
_ABOUT_LEARNING: Fields = {
    **each(
        TEXT,
        "why query context said project summary extraction by prompt reason comment diff_path unanswered fingerprint",
    ),
    **each(NAME, "category session into layer pattern owner gate epic task output_sha approved_sha voice proposal"),
    **each(NAME, "local review"),
    **each(SHARE, "severity confidence quality reputation"),
    **each(SWITCH, "rule widens up always suspended rejected possible"),
    **each(many(NAME), "similar evidence approved_by"),
    "benefit": SHARE,
    "seconds": COUNT,
    "edits": many(tuple_of(TEXT, TEXT, TEXT)),
    "action": record(type=one_of([*Action]), agent=NAME),
    "detected": named(SHARE),
    "quotes": many(tuple_of(TEXT, TEXT, TEXT)),
    "factors": many(SHARE),
    "relevance": AMOUNT,
    "counts": named(COUNT),
}
_WORDS: Fields = {
    **each(TEXT, "wrong right text title output approved insertion_point example"),
    **each(NAME, "type customer key value"),
    "content": named(TEXT),
    "tags": many(TEXT),
    "agents": many(NAME),
}
_RULE: Fields = {**each(TEXT, "text insertion_point before after"), "type": one_of([*RuleType]), "agents": many(NAME)}
_PROPOSED: Fields = {
    "learnings": many(NAME),
    "evidence": many(NAME),
    "summary": TEXT,
    "confidence": SHARE,
    "benefit": SHARE,
    "by": TEXT,
}
_LEARNING = Shape(before=_WORDS, after=_WORDS, meta=_ABOUT_LEARNING)
_HEARD = Shape(after={"text": TEXT}, meta={"detected": named(SHARE), "session": NAME})

_PATTERN: Fields = {"id": required(NAME), "of": many(NAME), "text": required(many(either(TEXT, COUNT)))}
_FIX = Shape(
    before={"original": TEXT, "suggested": TEXT},
    after={"final": TEXT, "modification": TEXT},
    meta={
        **each(NAME, "rule_name suggestion deviation"),
        **each(TEXT, "fingerprint comment"),
        "category": required(NAME),
        "confidence": SHARE,
        "bulk": SWITCH,
        "learned": required(
            record(
                mark=required(TEXT),
                texts=SWITCH,
                by=NAME,
                patterns=many(record(**_PATTERN)),
                edit=record(**_PATTERN, kind=required(NAME)),
                reason=record(**_PATTERN, gist=required(many(NAME))),
            )
        ),
    },
)
_FREE = (LINE_CORRECTED, FIELD_CORRECTED, CUSTOMER_SELECTED, CONFIRMED, REJECTED, DRAFT_CONFIRMED, DOCUMENT_DELETED)
"""Nothing is wanted of these: what people do, which programs that extract by themselves record in their own words, and
what has no payload."""
_DECISIONS = required(tuple_of(COUNT, COUNT, COUNT))

SHAPES: Mapping[str, Shape] = {
    **dict.fromkeys((*BEGINNINGS, *ABOUT_LEARNINGS), _LEARNING),
    ADJUSTED: Shape(meta={"by": required(STEP)}),
    COMPLAINT: _HEARD,
    DISPUTED: _HEARD,
    OUTCOME_REPORTED: Shape(
        meta={
            **each(many(NAME), "followed broken"),
            "context": required(NAME),
            "derived_from": NAME,
            "value": SHARE,
            "note": TEXT,
            "counts": by_name(tuple_of(ARM, COUNT, COUNT, COUNT, CHANGE, CHANGE)),
        }
    ),
    CONTEXT_GIVEN: Shape(
        meta={
            **each(many(NAME), "learnings withheld measured decisions"),
            **each(NAME, "agent user about rule document"),
            "tokens": COUNT,
            "share": SHARE,
        }
    ),
    STARTED: Shape(meta={"tool": TEXT, "project": TEXT, "title": TEXT}),
    SAID: Shape(
        after={"text": TEXT}, meta={"role": one_of([*Speaker]), "tools": many(tuple_of(TEXT, TEXT)), "failed": SWITCH}
    ),
    COMPLETED: Shape(),
    TAKEN_BACK: Shape(meta={**each(TEXT, "message project"), "sentence": required(tuple_of(COUNT, COUNT))}),
    MINED: Shape(
        meta={
            **each(TEXT, "tool project title version by"),
            **each(COUNT, "messages duplicates"),
            **each(AMOUNT, "value seconds"),
            **each(many(TEXT), "categories learned confirmed possible taken_back proposals"),
            "until": TIME,
            "outcome": one_of([*MiningOutcome]),
            "prompts": many(tuple_of(TEXT, TEXT)),
            "findings": many(record(step=TEXT, says=TEXT)),
        }
    ),
    EXAMINED: Shape(meta=each(required(COUNT), "lasting found others mistaken")),
    MADE: Shape(
        after={"title": TEXT, "content": named(TEXT), **_RULE},
        meta={**_PROPOSED, "act": required(one_of([*Act])), "learnings": required(many(NAME)), "reason": TEXT},
    ),
    EDITED: Shape(after=_RULE, meta=_PROPOSED),
    APPROVED: Shape(meta={"digest": required(TEXT), "why": TEXT}),
    REMINDED: Shape(meta={"weeks": COUNT}),
    DECIDED: Shape(meta={"accepted": required(SWITCH), "why": TEXT, "expired": SWITCH}),
    REVIEWED: Shape(
        before={"output": TEXT},
        after={"approved": TEXT},
        meta={**_ABOUT_LEARNING, "decision": required(one_of([*ReviewDecision])), "tags": many(NAME)},
    ),
    RECEIVED: Shape(
        after={
            **each(TEXT, "name sha256"),
            **each(NAME, "customer family"),
            **each(COUNT, "page_count table_count"),
            **each(SHARE, "similarity"),
            "text_coverage_ratio": AMOUNT,
            "page_dimensions": many(tuple_of(COUNT, COUNT)),
            "is_pdf": SWITCH,
        },
        meta={"features": many(NAME)},
    ),
    EXTRACTED: Shape(
        after={"confidence": SHARE, "method": TEXT},
        meta={**each(NAME, "layout family customer"), "mappings": many(NAME)},
    ),
    **dict.fromkeys(_FREE, Shape()),
    **dict.fromkeys(DECISIONS, _FIX),
    IMPORTED: Shape(
        after={
            "decisions": _DECISIONS,
            "patterns": required(many(record(**_PATTERN, decisions=_DECISIONS))),
            "rule_name": NAME,
        },
        meta={"checksum": TEXT, "learned": required(record(mark=required(TEXT)))},
    ),
}


def require_shape(draft: Draft) -> None:
    """Raises InvalidPayload if an event of one of heedful's own kinds does not have its shape."""
    shape = SHAPES.get(draft.kind)
    if shape is None:
        return
    values = (draft.before_json, draft.after_json, draft.meta_json)
    for part, fields, text in zip(Shape._fields, shape, values, strict=True):
        if (name := _misfit(fields, decode(text))) is not None:
            raise InvalidPayload(
                f"{name} in {part} of {draft.kind} must be {fields[name].says}.",
                hint="heedful reads events of this kind itself. Give it that shape, or choose a kind of your own.",
            )


def _misfit(fields: Fields, values: Mapping[str, Any]) -> str | None:
    """The name of the first field whose value does not fit."""
    for name, field in fields.items():
        if (name not in values and field.required) or (name in values and not field.fits(values[name])):
            return name
    return None
