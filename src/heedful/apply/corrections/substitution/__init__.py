"""Applies a correction to a new text, word for word, where the text makes the same mistake.

Only words that differ are replaced, only where the words around them agree, and not where the text negates, quotes or
already corrects them. In doubt nothing changes.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from enum import Enum
from itertools import islice, takewhile
from typing import NamedTuple

from heedful.apply.corrections.substitution.agreement import is_meant, locate_substitutions
from heedful.apply.corrections.substitution.boundary import is_whole
from heedful.apply.corrections.substitution.occurrence import (
    Occurrence,
    is_denied,
    is_denied_itself,
    is_named,
    is_own_name,
    is_plain_word,
    is_revised,
    occurrence_at,
)
from heedful.apply.corrections.substitution.plan import Plan, ReplacementForm, Substitution, make_plan
from heedful.apply.corrections.substitution.source_text import SourceText, SpanKind
from heedful.apply.corrections.substitution.tokens import TokenKind, comparison_key, is_spoken, tokens
from heedful.apply.corrections.substitution.word_class import is_other_word
from heedful.text.grammar import change_in, fitting
from heedful.text.inflection import match_case
from heedful.text.languages import is_english
from heedful.text.replacements import Replacement, changed
from heedful.text.stems import stem

_DENIED = 100  # characters before words that may deny them
_PLACES = 3_000  # looked at; a text with more of them is no text


class Pair(NamedTuple):
    wrong: str
    right: str
    context: str = ""


class Where(Enum):
    """Where words are replaced."""

    MEANT = "where the words around tell that the same is meant"
    PROSE = "in all plain sentences: the correction is about the words"
    ANYWHERE = "in code and quotations, too: the caller decides"


def changes(text: str, wrong: str, right: str, *, context: str = "", where: Where = Where.MEANT) -> list[Replacement]:
    """Replacements in order; none in doubt.

    `context` is where the correction was made: the question, or the sentence with the wrong words.
    """
    plan = make_plan(wrong, right, context)
    if plan is None:
        return []
    found = _found(text, plan, where)
    if found and _found(changed(text, found), plan, where):
        return []  # what would go on changing was not understood
    return found


def occurs(text: str, wrong: str, right: str, context: str) -> bool:
    """Whether a text has the words at all: most have not, and that is quickly seen."""
    plan = make_plan(wrong, right, context)
    return plan is not None and plan.substitution.pattern.search(text) is not None


def is_by_half(text: str, wrong: str, right: str, context: str = "") -> bool:
    """Whether a text has the words in a form, too, that the right ones do not have: `a client` where all clients are to
    be staff."""
    plan = make_plan(wrong, right, context)
    if plan is None or not plan.substitution.unwritten:
        return False
    forms, source = "|".join(map(re.escape, sorted(plan.substitution.unwritten))), SourceText(text)
    places = re.finditer(rf"(?<![\w\-])(?:{forms})(?![\w\-])", text, re.IGNORECASE)
    return any(source.span(place.start()).inside is SpanKind.PROSE for place in places)


def same_sentence(text: str, sentence: str, wrong: str, right: str, fixed: str = "") -> list[Replacement]:
    """Replacements where the corrected sentence stands again as it was, and is not quoted. No doubt is left there.
    Where more changes than the wrong words, it becomes what is fixed."""
    change = change_in(sentence, wrong, right) if sentence else None
    if sentence and fixed and (change is None or changed(sentence, [change]) != fixed):
        change = _difference(sentence, fixed)
    if change is None:
        return []
    whole = rf"(?m)(?<![\"“„«‘])(?<!^> )(?<!^>){re.escape(sentence)}"
    places = islice(re.finditer(whole, text), _PLACES)
    return [change._replace(start=match.start() + change.start) for match in places]


def _difference(sentence: str, fixed: str) -> Replacement:
    """Where two sentences begin to differ, and what each has there, in whole words."""
    old, new = re.findall(r"\s*\S+", sentence), re.findall(r"\s*\S+", fixed)
    start, end = _shared(old, new), _shared(old[::-1], new[::-1])
    end = min(end, len(old) - start, len(new) - start)
    if start in (len(old) - end, len(new) - end):  # words are only added or left out: show one beside them
        start, end = max(0, start - 1), end if start else max(0, end - 1)
    before, after = ("".join(words[start : len(words) - end]) for words in (old, new))
    spaces = len(before) - len(before.lstrip())
    return Replacement(len("".join(old[:start])) + spaces, before.lstrip(), after.lstrip())


def _shared(words: Sequence[str], others: Sequence[str]) -> int:
    """How many they begin with."""
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(words, others, strict=False)))


def combined_changes(corrections: Sequence[tuple[Pair, Sequence[Replacement]]]) -> list[tuple[int, Replacement]]:
    """The replacements of several corrections, each with the index of its correction; earlier corrections win.

    A correction is skipped if it would rewrite the result of an earlier one, or the other way round.
    """
    taken: list[tuple[Replacement, int]] = []
    heeded: list[Plan] = []
    for at, (pair, found) in enumerate(corrections):
        plan = make_plan(*pair)
        if plan is not None and any(_rewrites(plan, other) or _rewrites(other, plan) for other in heeded):
            continue
        if plan is not None:
            heeded.append(plan)
        for change in found:
            occurrence = bisect(taken, (change, at))
            free_before = occurrence == 0 or taken[occurrence - 1][0].end <= change.start
            if free_before and (occurrence == len(taken) or change.end <= taken[occurrence][0].start):
                taken.insert(occurrence, (change, at))
    return [(at, change) for change, at in taken]


def _rewrites(plan: Plan, other: Plan) -> bool:
    """Whether one correction replaces the words that the other one writes."""
    written = [one for substitution in other.substitutions for one in tokens(substitution.new)]
    around = {stem(one.key) for one in (*written, *other.shared)}
    if not around.issuperset(stem(one.key) for one in plan.shared):
        return False
    words = f" {' '.join(one.key for one in written)} "
    old = (" ".join(one.key for one in substitution.old) for substitution in plan.substitutions)
    return any(f" {one} " in words for one in old)


def _found(text: str, plan: Plan, where: Where) -> list[Replacement]:
    matches = list(islice(plan.substitution.pattern.finditer(text), _PLACES + 1))
    if not matches or len(matches) > _PLACES:
        return []
    source = SourceText(text)
    found: list[Replacement] = []
    end = 0
    for match in matches:
        here = _at(source, match, plan, where)
        if here and here[0].start >= end:
            found += here
            end = here[-1].end
    return found


def _at(source: SourceText, match: re.Match[str], plan: Plan, where: Where) -> list[Replacement]:
    """The replacements at one match: one per substitution, or none at all."""
    start, end = match.span()
    if not is_whole(source, start, end, plan.kind) or _is_deleted(source, start, end):
        return []
    if where is not Where.ANYWHERE and not _may_stand(source, start, end, plan):
        return []
    occurrence = occurrence_at(source, start, end, plan.kind)
    if _is_mentioned(source, occurrence, plan, where) or _says_it_already(source, occurrence, plan):
        return []
    found = locate_substitutions(source, occurrence, plan)
    if found is None or (where is Where.MEANT and not is_meant(source, occurrence, plan)):
        return []
    written = [_written(source, occurrence, plan, substitution, spot) for substitution, spot in found]
    return [] if None in written else sorted(change for change in written if change is not None)


def _is_deleted(source: SourceText, start: int, end: int) -> bool:
    return source.span(start).inside is SpanKind.STRUCK or source.is_removed_line(start, end)


def _may_stand(source: SourceText, start: int, end: int, plan: Plan) -> bool:
    """Words are replaced in prose, identifiers everywhere, and nothing in quoted text."""
    span = source.span(start)
    if plan.only_in_code:
        return span.inside is SpanKind.CODE or source.is_code_line(start, end)
    if plan.kind in (TokenKind.CODE, TokenKind.VALUE) and not plan.casing:
        spoken = span.inside is SpanKind.QUOTE and is_spoken(plan.substitution.typed)
        return not spoken or span.end - span.start <= end - start + 2
    return _may_stand_in_prose(source, start, end, plan)


def _may_stand_in_prose(source: SourceText, start: int, end: int, plan: Plan) -> bool:
    span = source.span(start)
    if span.inside is SpanKind.CODE or source.is_code_line(start, end):
        return " " in plan.wrong and not plan.context.strip()  # a command; a single word may be a variable
    if "`" in (source.text[start - 1 : start], source.text[end : end + 1]):
        return False  # in a code span that was cut off, or opened twice
    alone = span.end - span.start <= end - start + 2 and source.text[start:end] == plan.substitution.typed
    return span.inside is not SpanKind.QUOTE or alone or source.is_whole_line(span)


def _is_mentioned(source: SourceText, occurrence: Occurrence, plan: Plan, where: Where) -> bool:
    """The sentence is about the words, or denies them. Words to use are used in that, too: `no guests`."""
    if is_revised(occurrence.after):
        return True
    quoted = source.span(occurrence.start).inside is SpanKind.QUOTE
    named, denied = is_named(occurrence.before), is_denied(occurrence.before)
    if not denied or (named and quoted):
        return named and quoted
    if where is Where.ANYWHERE:
        return is_denied_itself(occurrence.before) and not _was_denied(plan)
    return where is Where.MEANT or named


def _was_denied(plan: Plan) -> bool:
    """The corrected sentence denied the wrong words itself: `no peanuts`."""
    at = plan.context.find(plan.wrong)
    return at >= 0 and is_denied(tokens(plan.context[max(0, at - _DENIED) : at]))


def _says_it_already(source: SourceText, occurrence: Occurrence, plan: Plan) -> bool:
    """The sentence already has the right words: it contrasts the two, or was corrected."""
    beside = map(tokens, source.list_neighbours(occurrence.start, occurrence.end))
    sides = [f" {' '.join(one.key for one in side)} " for side in (occurrence.before, occurrence.after, *beside)]
    for substitution in plan.substitutions:
        for new in substitution.becomes:
            if _covers(source.text, occurrence, new, plan):
                return True
            if not plan.casing and not new.is_function_word and any(new.padded in side for side in sides):
                return True
    return False


def _covers(text: str, occurrence: Occurrence, new: ReplacementForm, plan: Plan) -> bool:
    """The right words already surround the match."""
    if len(new.text) < occurrence.end - occurrence.start:
        return False
    low = max(0, occurrence.start - len(new.text) - 8)
    words = r"\s+".join(map(re.escape, new.text.split()))
    matches = re.finditer(words, text[low : occurrence.end + len(new.text) + 8], 0 if plan.casing else re.IGNORECASE)
    return any(match.start() + low <= occurrence.start and occurrence.end <= match.end() + low for match in matches)


def _written(
    source: SourceText, occurrence: Occurrence, plan: Plan, substitution: Substitution, spot: tuple[int, int]
) -> Replacement | None:
    start, end = spot
    found, first = source.text[start:end], start == occurrence.start
    new = substitution.forms.get(" ".join(found.split()) if substitution.exact else comparison_key(found))
    if new is None and substitution.exact:  # quotes, dashes or accents of another kind
        new = substitution.new if comparison_key(found) == comparison_key(substitution.typed) else None
    if new is None:
        return None
    if comparison_key(found) != comparison_key(substitution.typed) and not is_english(source.text, start, end):
        return None
    is_prose = source.span(start).inside is SpanKind.PROSE and is_english(source.text, start, end)
    if first and not substitution.exact and is_prose and is_other_word(occurrence, substitution, found):
        return None
    if not substitution.exact:
        typed = substitution.typed if new == substitution.new else comparison_key(found)
        written = match_case(typed, new, found, shouted=occurrence.is_shouted)
        if written is None or not is_plain_word(occurrence, plan, substitution, found):
            return None
        new = written
    elif first and not is_own_name(occurrence, plan):
        return None
    return fitting(source.text, Replacement(start, found, new))
