"""A correction as it is reported, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from heedful.capture.corrections.categories import category as category_of
from heedful.capture.items import check_item
from heedful.errors import InvalidInput
from heedful.learnings.kinds.correction import CORRECTION, CorrectionWording, opening_of, refuse_same_words
from heedful.operations import caller
from heedful.records.clock import Time, moment
from heedful.records.correction import LONG_LIMIT, OCCASION_LIMIT, OCCASIONS, QUERY_LIMIT, TEXT_LIMIT, Category, share
from heedful.records.learning import Audience
from heedful.records.names import identifier
from heedful.text.checks import checked_text, clipped

_SEVERITY = 0.5


class CorrectionInput(NamedTuple):
    """A checked correction."""

    wrong: str
    right: str
    why: str
    query: str
    sentence: str
    context: str | None
    """The id of the context that the AI had."""
    output: str
    """What the AI had said, if it is known: only its beginning is stored."""
    about: str | None
    session: str | None
    actor: str | None
    category: Category
    names_category: bool
    """Whether whoever reported it named the category; otherwise it was derived from the words."""
    severity: float
    confidence: float
    detected: Mapping[str, float] | None
    """The scores of the detectors, unless it was reported on purpose."""
    said: str
    """The message that contained it."""
    fixed: str
    """The sentence put right, if that is more than the right words in the place of the wrong ones."""
    understood: str
    """What to know from now on, in one sentence."""
    occasions: tuple[str, ...]
    """Other questions and tasks for which it matters."""
    unanswered: str | None
    """Why the language model did not read the message, although there is one: an error code."""
    always: bool
    audience: Audience
    at: datetime | None
    id: str | None

    @property
    def words(self) -> CorrectionWording:
        texts = (self.wrong, self.right, self.why, self.query, self.said, self.sentence, self.fixed, self.understood)
        opening = opening_of(self.output, self.sentence)
        return CorrectionWording(*texts, opening=opening, occasions=self.occasions)


def checked(
    wrong: str = "",
    right: str = "",
    *,
    why: str | None = None,
    query: str | None = None,
    sentence: str | None = None,
    context: str | None = None,
    about: str | None = None,
    session: str | None = None,
    actor: str | None = None,
    category: Category | str | None = None,
    severity: float | None = None,
    confidence: float | None = None,
    at: Time | None = None,
    id: str | None = None,
    detected: Mapping[str, float] | None = None,
    output: str = "",
    said: str = "",
    fixed: str = "",
    understood: str = "",
    occasions: Sequence[str] = (),
    unanswered: str | None = None,
    always: bool = False,
    audience: Audience | str = Audience.TEAM,
) -> CorrectionInput:
    for name, text in (("wrong", wrong), ("right", right), ("why", "" if why is None else why)):
        checked_text(text, name, TEXT_LIMIT)
    for name, long in (("query", query), ("sentence", sentence)):
        checked_text("" if long is None else long, name, LONG_LIMIT)
    if not (_has_text(wrong) or _has_text(right) or _has_text(said)):
        raise InvalidInput("A correction says nothing.", hint="Pass what was wrong, what is right, or both.")
    if not said:
        hint = "To state what is right, pass right alone. If the output was right, report it with measure.outcome."
        refuse_same_words(wrong, right, hint)
    chosen = Audience.of(audience)
    if chosen is Audience.ME and actor is None and caller.current() is None:
        raise InvalidInput(
            "A correction for the audience 'me' has no actor.", hint="Pass the actor, so that it is known whose it is."
        )
    found = _category(wrong, right, why or "", is_wish=always and not (query or sentence or said))
    found = found if category is None else Category.of(category)
    return CorrectionInput(
        wrong=wrong.strip(),
        right=right.strip(),
        why=(why or "").strip(),
        query=clipped(query or "", QUERY_LIMIT),
        sentence=clipped(sentence or "", QUERY_LIMIT),
        context=_optional(context, "context"),
        output=output,
        about=_optional(about, "about"),
        session=_optional(session, "session"),
        actor=_optional(actor, "actor"),
        category=found,
        names_category=category is not None,
        severity=_SEVERITY if severity is None else share(severity, "severity"),
        confidence=CORRECTION.initial_confidence if confidence is None else share(confidence, "confidence"),
        detected=detected,
        said=clipped(said, QUERY_LIMIT),
        fixed=" ".join(fixed.split()),
        understood=" ".join(understood.split()),
        occasions=_checked_occasions(occasions),
        unanswered=unanswered,
        always=always,
        audience=chosen,
        at=None if at is None else moment(at),
        id=_optional(id, "id"),
    )


checked_item = partial(
    check_item,
    checked,
    "Each item is a dict with what was wrong, what is right, and any other arguments of `correction`.",
)
"""Checks one item of a batch."""


def _has_text(text: str) -> bool:
    return any(character.isprintable() and not character.isspace() for character in text)


def _category(wrong: str, right: str, why: str, *, is_wish: bool) -> Category:
    """What somebody reports as right for ever, and for no situation, is a wish."""
    if is_wish and not wrong:
        return Category.PREFERENCE
    return category_of(f"{right} {why}", "", wrong, right)


def _optional(value: str | None, name: str) -> str | None:
    return None if value is None else identifier(value, name)


def _checked_occasions(occasions: object) -> tuple[str, ...]:
    if not isinstance(occasions, list | tuple) or len(occasions) > OCCASIONS:
        raise InvalidInput(f"occasions is not a list of at most {OCCASIONS} texts.", hint="Pass fewer, or none.")
    told = (" ".join(checked_text(one, "occasions", OCCASION_LIMIT).split()) for one in occasions)
    return tuple(one for one in told if one and one.isprintable())
