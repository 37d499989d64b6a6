"""A known correction carried over to a new text, word for word, where the text says the same wrong thing.

Only the words that differ are replaced, only where the words around them agree, and nothing is touched that denies,
quotes or already corrects them. In doubt a place is left as it is.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from heedful.apply.corrections.substitution.agreement import is_meant, spots
from heedful.apply.corrections.substitution.alignment import Plan, Stretch, Written, planned
from heedful.apply.corrections.substitution.boundary import is_whole
from heedful.apply.corrections.substitution.casing import carried
from heedful.apply.corrections.substitution.inflection import article, is_only_verb, takes_no_article
from heedful.apply.corrections.substitution.mention import is_denied, is_named, is_revised
from heedful.apply.corrections.substitution.place import Place, is_gerund, is_own_name, is_plain_word, is_verb, place_at
from heedful.apply.corrections.substitution.surroundings import Inside, TextPage
from heedful.apply.corrections.substitution.tokens import Kind, is_spoken, key, tokens
from heedful.apply.corrections.substitution.vocabulary import ENGLISH, FOREIGN
from heedful.text.stems import stem

_PLACES = 3_000  # looked at; a text with more of them is no text
_ARTICLE = re.compile(r"(?i)(?<![\w'’.\-])(an?)([^\S\n]{1,4}[`*_\"“'‘(]{0,3})$")


class Change(NamedTuple):
    start: int
    """Where in the text that was handed in."""
    before: str
    after: str

    @property
    def end(self) -> int:
        return self.start + len(self.before)


class Pair(NamedTuple):
    wrong: str
    right: str
    context: str = ""


def changes(text: str, wrong: str, right: str, *, context: str = "") -> list[Change]:
    """What to replace in the text, in order; nothing on any doubt.

    `context` is what is known of where the correction was made: the question, the sentence the wrong words stood in.
    """
    plan = planned(wrong, right, context)
    if plan is None:
        return []
    found = _found(text, plan)
    if found and _found(changed(text, found), plan):
        return []  # what would go on changing was not understood
    return found


def changed(text: str, found: Sequence[Change]) -> str:
    pieces: list[str] = []
    end = 0
    for change in found:
        pieces += (text[end : change.start], change.after)
        end = change.end
    return "".join(pieces) + text[end:]


def together(text: str, corrections: Sequence[Pair]) -> list[tuple[int, Change]]:
    """The changes of several corrections, each with the place of its correction; the first given win.

    A correction is left out that would rewrite what an earlier one writes, or write what an earlier one rewrites.
    """
    taken: list[tuple[Change, int]] = []
    heeded: list[Plan] = []
    for at, pair in enumerate(corrections):
        plan = planned(*pair)
        if plan is None or any(_rewrites(plan, other) or _rewrites(other, plan) for other in heeded):
            continue
        heeded.append(plan)
        for change in changes(text, pair.wrong, pair.right, context=pair.context):
            place = bisect(taken, (change, at))
            free_before = place == 0 or taken[place - 1][0].end <= change.start
            if free_before and (place == len(taken) or change.end <= taken[place][0].start):
                taken.insert(place, (change, at))
    return [(at, change) for change, at in taken]


def _rewrites(plan: Plan, other: Plan) -> bool:
    """Whether one correction replaces what the other one writes."""
    written = [one for stretch in other.stretches for one in tokens(stretch.come)]
    around = {stem(one.normal) for one in (*written, *other.shared)}
    if not around.issuperset(stem(one.normal) for one in plan.shared):
        return False
    words = f" {' '.join(one.normal for one in written)} "
    gone = (" ".join(one.normal for one in stretch.gone) for stretch in plan.stretches)
    return any(f" {one} " in words for one in gone)


def _found(text: str, plan: Plan) -> list[Change]:
    matches = list(islice(plan.stretch.pattern.finditer(text), _PLACES + 1))
    if not matches or len(matches) > _PLACES:
        return []
    page = TextPage(text)
    found: list[Change] = []
    end = 0
    for match in matches:
        here = _at(page, match, plan)
        if here and here[0].start >= end:
            found += here
            end = here[-1].end
    return found


def _at(page: TextPage, match: re.Match[str], plan: Plan) -> list[Change]:
    """The changes at one find: one for each stretch of the correction, or none at all."""
    start, end = match.span()
    if not is_whole(page, start, end, plan.kind) or not _may_stand(page, start, end, plan):
        return []
    place = place_at(page, start, end, plan.kind)
    if is_revised(place.after) or _is_mentioned(page, place) or _says_it_already(page, place, plan):
        return []
    found = spots(page, place, plan)
    if found is None or not is_meant(page, place, plan):
        return []
    written = [_written(page, place, plan, stretch, spot) for stretch, spot in found]
    return [] if None in written else sorted(change for change in written if change is not None)


def _may_stand(page: TextPage, start: int, end: int, plan: Plan) -> bool:
    """Words are replaced in prose, identifiers everywhere, and nothing that was struck out or quoted at length."""
    span = page.span(start)
    if span.inside is Inside.STRUCK or page.is_removed_line(start, end):
        return False
    if plan.only_in_code:
        return span.inside is Inside.CODE or page.is_code_line(start, end)
    if plan.kind in (Kind.CODE, Kind.VALUE) and not plan.casing:
        spoken = span.inside is Inside.QUOTE and is_spoken(plan.stretch.typed)
        return not spoken or span.end - span.start <= end - start + 2
    return _may_stand_in_prose(page, start, end, plan)


def _may_stand_in_prose(page: TextPage, start: int, end: int, plan: Plan) -> bool:
    span = page.span(start)
    if span.inside is Inside.CODE or page.is_code_line(start, end):
        return False
    if "`" in (page.text[start - 1 : start], page.text[end : end + 1]):
        return False  # in a code span that was cut off, or opened twice
    alone = span.end - span.start <= end - start + 2 and page.text[start:end] == plan.stretch.typed
    return span.inside is not Inside.QUOTE or alone


def _is_mentioned(page: TextPage, place: Place) -> bool:
    quoted = page.span(place.start).inside is Inside.QUOTE
    return is_denied(place.before) or (quoted and is_named(place.before))


def _says_it_already(page: TextPage, place: Place, plan: Plan) -> bool:
    """What should stand there stands in the same sentence: the text tells the two apart, or has been corrected."""
    beside = map(tokens, page.list_neighbours(place.start, place.end))
    sides = [f" {' '.join(one.normal for one in side)} " for side in (place.before, place.after, *beside)]
    for stretch in plan.stretches:
        for come in stretch.becomes:
            if _covers(page.text, place, come, plan):
                return True
            if not plan.casing and not come.is_small and any(come.padded in side for side in sides):
                return True
    return False


def _covers(text: str, place: Place, come: Written, plan: Plan) -> bool:
    """What should stand there already reaches around the find."""
    if len(come.text) < place.end - place.start:
        return False
    low = max(0, place.start - len(come.text) - 8)
    words = r"\s+".join(map(re.escape, come.text.split()))
    matches = re.finditer(words, text[low : place.end + len(come.text) + 8], 0 if plan.casing else re.IGNORECASE)
    return any(match.start() + low <= place.start and place.end <= match.end() + low for match in matches)


def _written(page: TextPage, place: Place, plan: Plan, stretch: Stretch, spot: tuple[int, int]) -> Change | None:
    start, end = spot
    found, first = page.text[start:end], start == place.start
    come = stretch.forms.get(" ".join(found.split()) if stretch.exact else key(found))
    if come is None and stretch.exact:  # quotes, dashes or accents of another kind
        come = stretch.come if key(found) == key(stretch.typed) else None
    if come is None:
        return None
    if key(found) != key(stretch.typed) and not _is_english(page, start, end):
        return None
    if not stretch.exact:
        typed = stretch.typed if come == stretch.come else key(found)
        written = carried(typed, come, found, shouted=place.is_shouted)
        if written is None or not is_plain_word(place, plan, stretch, found):
            return None
        come = written
        if first and not plan.shared and _is_other_part_of_speech(place, come):
            return None
    elif first and not is_own_name(place, plan):
        return None
    return _with_article(page, Change(start, found, come))


def _is_other_part_of_speech(place: Place, come: str) -> bool:
    if is_only_verb(come):
        return not is_verb(place)
    return is_gerund(place) and not come.endswith("ing")


def _is_english(page: TextPage, start: int, end: int) -> bool:
    words = page.text[max(0, start - 200) : end + 200].lower().split()
    return sum(word in FOREIGN for word in words) <= sum(word in ENGLISH for word in words)


def _with_article(page: TextPage, change: Change) -> Change | None:
    """`an error` becomes `a warning`; there is no article for `nil`."""
    low = max(0, change.start - 16)
    before = _ARTICLE.search(page.text[low : change.start])
    if before is None:
        return change
    if takes_no_article(change.after) and not takes_no_article(change.before):
        return None
    now = article(change.after)
    if now is None or now == before[1].lower() or not _is_english(page, change.start, change.end):
        return change
    now = now.capitalize() if before[1][0].isupper() else now
    if before[1].isupper() and len(before[1]) > 1:
        now = now.upper()
    start = low + before.start()
    return Change(start, page.text[start : change.end], now + before[2] + change.after)
