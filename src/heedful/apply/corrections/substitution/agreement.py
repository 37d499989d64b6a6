"""Whether a place agrees with what is known of a correction: the words around, the field, the question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from heedful.apply.corrections.substitution.alignment import Plan, Stretch, content
from heedful.apply.corrections.substitution.boundary import is_whole
from heedful.apply.corrections.substitution.label import agree, label, meant
from heedful.apply.corrections.substitution.place import Place
from heedful.apply.corrections.substitution.surroundings import TextPage
from heedful.apply.corrections.substitution.tokens import Kind, Token, tokens
from heedful.apply.corrections.substitution.vocabulary import COMMON_STEMS, PERSONS
from heedful.text.stems import stem
from heedful.text.words import DETERMINERS

_SHARED = 2  # words of the question that a sentence must share, to be about the same
_AROUND = 400  # characters
_PASSED_OVER = DETERMINERS | {"now", "also", "just", "only", "still", "always", "then"}
_TELLING = frozenset({"is", "was", "are", "were", "be", "will", "to", "at", "by", "from", "until"})  # in sentences only
_CLOSE, _LOOSE = 3, 7  # words that may stand between two words of the correction


def spots(page: TextPage, place: Place, plan: Plan) -> list[tuple[Stretch, tuple[int, int]]] | None:
    """Where each stretch stands, if the words between them and around them agree; None if they do not."""
    found = [(plan.stretch, (place.start, place.end))]
    for elements, words, step in (
        (plan.elements[plan.lead - 1 :: -1] if plan.lead else (), place.before[::-1], -1),
        (plan.elements[plan.lead + 1 :], place.after, 1),
    ):
        more = _walked(page, elements, words, step, anchored=not plan.shared)
        if more is None:
            return None
        found += more
    return found


def _walked(
    page: TextPage, elements: Sequence[Token | Stretch], words: Sequence[Token], step: int, *, anchored: bool
) -> list[tuple[Stretch, tuple[int, int]]] | None:
    """Goes from the find to one side, and meets every word of the correction that counts."""
    found: list[tuple[Stretch, tuple[int, int]]] = []
    at, loose = 0, False
    for element in elements:
        if isinstance(element, Token) and element.is_small:
            if anchored and element.kind is not Kind.MARK and element.normal not in DETERMINERS:
                if not _next_is(words, at, element):
                    return None
                at += 1
            loose = True
            continue
        met = _met(page, element, words, at, step, loose=loose)
        if met is None:
            return None
        at, spot = met
        if isinstance(element, Stretch):
            found.append((element, spot))
        loose = False
    return found


def _next_is(words: Sequence[Token], at: int, wanted: Token) -> bool:
    beside = [one for one in words[at : at + 2] if one.normal not in DETERMINERS][:1]
    return bool(beside) and beside[0].normal == wanted.normal


def _met(
    page: TextPage, element: Token | Stretch, words: Sequence[Token], at: int, step: int, *, loose: bool
) -> tuple[int, tuple[int, int]] | None:
    for now in range(at, min(len(words), at + (_LOOSE if loose else _CLOSE))):
        word = words[now]
        if isinstance(element, Token):
            if _same(element, word):
                return now + 1, (word.start, word.end)
        else:
            spot = _stretch_at(page, element, word, step)
            if spot is not None:
                behind = [one for one in words[now:] if spot[0] <= one.start < spot[1]]
                return now + len(behind), spot
        if not loose and word.kind is not Kind.MARK and word.normal not in _PASSED_OVER:
            return None
    return None


def _stretch_at(page: TextPage, stretch: Stretch, word: Token, step: int) -> tuple[int, int] | None:
    if step > 0:
        match = stretch.pattern.match(page.text, word.start)
    else:
        low = max(0, word.end - len(stretch.typed) - 16)
        match = next((one for one in stretch.pattern.finditer(page.text, low, word.end) if one.end() == word.end), None)
    if match is None or not is_whole(page, *match.span(), stretch.gone[0].kind):
        return None
    return match.span()


def _same(wanted: Token, word: Token) -> bool:
    if wanted.normal == word.normal:
        return True
    return wanted.kind in (Kind.WORD, Kind.NAME) and stem(wanted.normal) == stem(word.normal)


def is_meant(page: TextPage, place: Place, plan: Plan) -> bool:
    """Whether what is known besides the words speaks for this place."""
    if not _is_same_person(place, plan):
        return False
    if plan.kind is Kind.VALUE:
        return _is_same_field(place, plan)
    if plan.weak:
        return _shares(place, plan)
    return plan.kind is not Kind.WORD or bool(plan.shared) or _is_related(page, place, plan)


def _is_same_person(place: Place, plan: Plan) -> bool:
    """What is true of her need not be true of him."""
    staying = (one.normal for one in plan.elements if isinstance(one, Token))
    meant_here = {PERSONS[word] for word in staying if word in PERSONS}
    named = {PERSONS[one.normal] for one in (*place.before, *place.after) if one.normal in PERSONS}
    return not meant_here or not named or not meant_here.isdisjoint(named)


def _is_related(page: TextPage, place: Place, plan: Plan) -> bool:
    """A plain word may mean something else in a text about something else."""
    own = {stem(one.normal) for one in plan.stretch.gone} | content(plan.stretch.come)
    known = {word for word in content(plan.context) - own if word not in COMMON_STEMS}
    if not known:
        return True
    around = page.text[max(0, place.start - _AROUND) : place.end + _AROUND].lower()
    return any(word in around for word in known)


def _shares(place: Place, plan: Plan) -> bool:
    own = {stem(one.normal) for one in plan.stretch.gone} | content(plan.stretch.come)
    known = content(plan.context) - own
    return bool(known) and len(known & content(place.sentence)) >= min(len(known), _SHARED)


def _is_same_field(place: Place, plan: Plan) -> bool:
    here = label(place.line_before)
    if plan.shared:
        return _is_named_field(place, here, plan)
    return not plan.context.strip() or _is_known_field(place, here, plan)


def _is_named_field(place: Place, here: list[str] | None, plan: Plan) -> bool:
    """For `Total: 1,250.00`: the label must be the whole label."""
    wanted = [one for one in plan.elements[: plan.lead] if isinstance(one, Token)]
    if not wanted:
        return not plan.context or _shares(place, plan)
    if wanted[-1].text not in (":", "=", "|") and not _is_field_line(place, here):
        return _is_about_the_same(place, plan)
    named = label(" ".join(one.text for one in wanted))
    return here is not None and named is not None and agree(named, here)


def _is_about_the_same(place: Place, plan: Plan) -> bool:
    """For a sentence: one more word of the place where it was corrected stands here, if there was more."""
    own = {stem(one.normal) for one in (*plan.stretch.gone, *plan.shared)} | content(plan.stretch.come)
    more = content(plan.context) - own
    return not more or not more.isdisjoint(content(place.sentence))


def _is_known_field(place: Place, here: list[str] | None, plan: Plan) -> bool:
    """For a value alone: the label it had where it was corrected, or the words of the question."""
    at = _standing(plan)
    if at is None:
        return _shares(place, plan) if here is None else bool(here) and content(plan.context).issuperset(here)
    before = plan.context[:at].rpartition("\n")[2]
    there = label(before)
    if there and here is not None:
        return agree(there, here)
    known = set(there or meant(tokens(before[-200:])))
    if here is not None:
        return bool(here) and known.issuperset(here)
    near = meant(place.before[-8:])
    return bool(known) and (known.issubset(near) if there else len(known.intersection(near)) > 1)


def _is_field_line(place: Place, here: list[str] | None) -> bool:
    """A label and a value, and nothing else on the line but a unit."""
    if not here or len(place.line_after.split()) > 1:
        return False
    return not any(one.normal in _TELLING for one in place.before)


def _standing(plan: Plan) -> int | None:
    """Where the wrong value stands in what is known of the place it was corrected at."""
    found = re.search(rf"(?<![\w.,]){re.escape(plan.stretch.typed)}(?![\w]|[.,]\d)", plan.context)
    return found.start() if found else None
