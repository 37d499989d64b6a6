"""Whether an occurrence agrees with the context of a correction: its words, field and question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from heedful.apply.corrections.substitution.boundary import is_whole
from heedful.apply.corrections.substitution.occurrence import Occurrence, label, label_stems
from heedful.apply.corrections.substitution.plan import Plan, Substitution, content
from heedful.apply.corrections.substitution.source_text import SourceText
from heedful.apply.corrections.substitution.tokens import Token, TokenKind, tokens
from heedful.apply.corrections.substitution.vocabulary import COMMON_STEMS, PERSONS
from heedful.text.stems import stem
from heedful.text.words import DETERMINERS

_SHARED = 2  # words of the question that a sentence must share, to be about the same
_AROUND = 400  # characters
_PASSED_OVER = DETERMINERS | {"now", "also", "just", "only", "still", "always", "then"}
_TELLING = frozenset({"is", "was", "are", "were", "be", "will", "to", "at", "by", "from", "until"})  # in sentences only
_CLOSE, _LOOSE = 3, 7  # words that may stand between two words of the correction


def locate_substitutions(
    source: SourceText, occurrence: Occurrence, plan: Plan
) -> list[tuple[Substitution, tuple[int, int]]] | None:
    """The span of each substitution, if the words around and between them agree; else None."""
    found = [(plan.substitution, (occurrence.start, occurrence.end))]
    for elements, words, step in (
        (plan.elements[plan.lead - 1 :: -1] if plan.lead else (), occurrence.before[::-1], -1),
        (plan.elements[plan.lead + 1 :], occurrence.after, 1),
    ):
        more = _walked(source, elements, words, step, anchored=not plan.shared)
        if more is None:
            return None
        found += more
    return found


def _walked(
    source: SourceText, elements: Sequence[Token | Substitution], words: Sequence[Token], step: int, *, anchored: bool
) -> list[tuple[Substitution, tuple[int, int]]] | None:
    """Walks from the match to one side, and finds every content word of the correction."""
    found: list[tuple[Substitution, tuple[int, int]]] = []
    at, loose = 0, False
    for element in elements:
        if isinstance(element, Token) and element.is_function_word:
            if anchored and element.kind is not TokenKind.MARK and element.key not in DETERMINERS:
                if not _next_is(words, at, element):
                    return None
                at += 1
            loose = True
            continue
        met = _met(source, element, words, at, step, loose=loose)
        if met is None:
            return None
        at, spot = met
        if isinstance(element, Substitution):
            found.append((element, spot))
        loose = False
    return found


def _next_is(words: Sequence[Token], at: int, wanted: Token) -> bool:
    beside = [one for one in words[at : at + 2] if one.key not in DETERMINERS][:1]
    return bool(beside) and beside[0].key == wanted.key


def _met(
    source: SourceText, element: Token | Substitution, words: Sequence[Token], at: int, step: int, *, loose: bool
) -> tuple[int, tuple[int, int]] | None:
    for now in range(at, min(len(words), at + (_LOOSE if loose else _CLOSE))):
        word = words[now]
        if isinstance(element, Token):
            if _same(element, word):
                return now + 1, (word.start, word.end)
        else:
            spot = _stretch_at(source, element, word, step)
            if spot is not None:
                behind = [one for one in words[now:] if spot[0] <= one.start < spot[1]]
                return now + len(behind), spot
        if not loose and word.kind is not TokenKind.MARK and word.key not in _PASSED_OVER:
            return None
    return None


def _stretch_at(source: SourceText, substitution: Substitution, word: Token, step: int) -> tuple[int, int] | None:
    if step > 0:
        match = substitution.pattern.match(source.text, word.start)
    else:
        low = max(0, word.end - len(substitution.typed) - 16)
        match = next(
            (one for one in substitution.pattern.finditer(source.text, low, word.end) if one.end() == word.end), None
        )
    if match is None or not is_whole(source, *match.span(), substitution.old[0].kind):
        return None
    return match.span()


def _same(wanted: Token, word: Token) -> bool:
    if wanted.key == word.key:
        return True
    return wanted.kind in (TokenKind.WORD, TokenKind.NAME) and stem(wanted.key) == stem(word.key)


def is_meant(source: SourceText, occurrence: Occurrence, plan: Plan) -> bool:
    """Whether the context supports this occurrence."""
    if not _is_same_person(occurrence, plan):
        return False
    if plan.kind is TokenKind.VALUE:
        return _is_same_field(occurrence, plan)
    if plan.weak:
        return _shares(occurrence, plan)
    return plan.kind is not TokenKind.WORD or bool(plan.shared) or _is_related(source, occurrence, plan)


def _is_same_person(occurrence: Occurrence, plan: Plan) -> bool:
    """What is true of her need not be true of him."""
    meant_here = {PERSONS[one.key] for one in plan.elements if isinstance(one, Token) and one.key in PERSONS}
    named = {PERSONS[one.key] for one in (*occurrence.before, *occurrence.after) if one.key in PERSONS}
    return not meant_here or not named or not meant_here.isdisjoint(named)


def _is_related(source: SourceText, occurrence: Occurrence, plan: Plan) -> bool:
    """A plain word may mean something else in a text about something else."""
    known = _context_words(plan) - COMMON_STEMS
    if not known:
        return True
    around = source.text[max(0, occurrence.start - _AROUND) : occurrence.end + _AROUND].lower()
    return any(word in around for word in known)


def _context_words(plan: Plan) -> set[str]:
    """Words of the context besides those that are replaced."""
    replaced = {stem(one.key) for one in plan.substitution.old}
    return content(plan.context) - replaced - content(plan.substitution.new)


def _shares(occurrence: Occurrence, plan: Plan) -> bool:
    known = _context_words(plan)
    return bool(known) and len(known & content(occurrence.sentence)) >= min(len(known), _SHARED)


def _is_same_field(occurrence: Occurrence, plan: Plan) -> bool:
    here = label(occurrence.line_before)
    if plan.shared:
        return _is_named_field(occurrence, here, plan)
    return not plan.context.strip() or _is_known_field(occurrence, here, plan)


def _is_named_field(occurrence: Occurrence, here: list[str] | None, plan: Plan) -> bool:
    """For `Total: 1,250.00`: the label must be the whole label."""
    wanted = [one for one in plan.elements[: plan.lead] if isinstance(one, Token)]
    if not wanted:
        return not plan.context or _shares(occurrence, plan)
    if wanted[-1].text not in (":", "=", "|") and not _is_field_line(occurrence, here):
        return _is_about_the_same(occurrence, plan)
    named = label(" ".join(one.text for one in wanted))
    return here is not None and named is not None and bool(named) and sorted(named) == sorted(here)


def _is_about_the_same(occurrence: Occurrence, plan: Plan) -> bool:
    """In a sentence: it shares one more word with the context, if the context has more."""
    more = _context_words(plan) - {stem(one.key) for one in plan.shared}
    return not more or not more.isdisjoint(content(occurrence.sentence))


def _is_known_field(occurrence: Occurrence, here: list[str] | None, plan: Plan) -> bool:
    """For a value alone: it has the label it was corrected under, or words of the question."""
    at = _standing(plan)
    if at is None:
        return _shares(occurrence, plan) if here is None else bool(here) and content(plan.context).issuperset(here)
    before = plan.context[:at].rpartition("\n")[2]
    there = label(before)
    if there and here is not None:
        return sorted(there) == sorted(here)
    known = set(there or label_stems(tokens(before[-200:])))
    if here is not None:
        return bool(here) and known.issuperset(here)
    near = label_stems(occurrence.before[-8:])
    return bool(known) and (known.issubset(near) if there else len(known.intersection(near)) > 1)


def _is_field_line(occurrence: Occurrence, here: list[str] | None) -> bool:
    """A label and a value, and nothing else on the line but a unit."""
    if not here or len(occurrence.line_after.split()) > 1 or occurrence.line_after.rstrip().endswith((".", "!", "?")):
        return False
    return not any(one.key in _TELLING for one in occurrence.before)


def _standing(plan: Plan) -> int | None:
    """The offset of the wrong value in the context."""
    found = re.search(rf"(?<![\w.,]){re.escape(plan.substitution.typed)}(?![\w]|[.,]\d)", plan.context)
    return found.start() if found else None
