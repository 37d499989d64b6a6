"""What changes around words that are replaced, so that the sentence stays one: the article before them, the verb behind
them, and their capitals. Only in English, and only where it follows from the spelling."""

from __future__ import annotations

import re
from functools import lru_cache

from heedful.text.articles import with_gender
from heedful.text.inflection import agreeing, article, is_plural, match_case, plain_verb, takes_no_article
from heedful.text.languages import is_english
from heedful.text.replacements import Replacement, changed
from heedful.text.words import SPACELESS

_LONGEST_ARTICLE = 16  # characters, with what stands behind it
_ARTICLE = re.compile(r"(?i)(?<![\w'’.\-])(an?)([^\S\n]{1,4}[`*_\"“'‘(]{0,3})$")
_VERB = re.compile(r"([^\S\n]{1,4})(is|are|was|were|has|have|does|do|isn't|aren't|wasn't|weren't)\b")
_SAYS = re.compile(
    r"([^\S\n]{1,4})([a-z]{3,20}s)\b(?![^.,;!?\n]{0,200}\b(?:is|are|was|were|has|have|does|do|can|must|will)\b)"
)
_SUBJECT = re.compile(r"(?:\A|[.!?:;] |\n|[-*] )(?:(?:[Tt]he|[Oo]ur|[Yy]our|[Tt]heir|[Mm]y|[Hh]is|[Hh]er|[Ii]ts)\s)?\Z")
_LONGEST_SUBJECT = 12  # characters before the noun
_PART = re.compile(r"\w")
_NUMBER_GOES_ON = re.compile(r"\d[.,:]\d")
_IS_SPACELESS = re.compile(f"[{SPACELESS}]")
_KEPT = 1_024  # sentences: those of a store are put right with every list of corrections


@lru_cache(_KEPT)
def put_right(sentence: str, wrong: str, right: str) -> str:
    """The sentence with the right words in the place of the wrong ones; empty if it does not have these exactly once,
    or nothing would be right there."""
    change = change_in(sentence, wrong, right)
    return "" if change is None else changed(sentence, [change])


def change_in(sentence: str, wrong: str, right: str) -> Replacement | None:
    """What puts a sentence right."""
    places = _places(sentence, wrong) or _places(_lowered(sentence), _lowered(wrong))
    if not right or len(places) != 1:
        return None
    found = sentence[places[0] : places[0] + len(wrong)]
    new = right if found == wrong else match_case(wrong, right, found, shouted=False)
    if new is None:
        return None
    change = Replacement(places[0], found, new)
    return fitting(sentence, change) or _without_article(sentence, change)


def _without_article(text: str, change: Replacement) -> Replacement | None:
    """`It gives an error` becomes `It gives nil`."""
    low = max(0, change.start - _LONGEST_ARTICLE)
    before = _ARTICLE.search(text[low : change.start])
    if before is None or before[2].strip():
        return None
    start = low + before.start()
    new = change.after[:1].upper() + change.after[1:] if before[1][0].isupper() else change.after
    return Replacement(start, text[start : change.end], new)


def _places(sentence: str, words: str) -> list[int]:
    """Where they stand whole."""
    found: list[int] = []
    at = sentence.find(words) if words else -1
    while at >= 0:
        end = at + len(words)
        if not (_is_within(sentence, at) or _is_within(sentence, end)):
            found.append(at)
        at = sentence.find(words, end)
    return found


def _is_within(text: str, at: int) -> bool:
    """Whether a word or a number goes on there: `5` is not in `15`, `0.5` or `5:30`."""
    before, after = text[max(0, at - 2) : at], text[at : at + 2]
    if _IS_SPACELESS.match(before[-1:]) or _IS_SPACELESS.match(after[:1]):
        return False
    if _PART.fullmatch(before[-1:]) and _PART.fullmatch(after[:1]):
        return True
    around = (f"{before}{after[:1]}", f"{before[-1:]}{after}")
    return any(_NUMBER_GOES_ON.fullmatch(one) for one in around)


def _lowered(text: str) -> str:
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text  # offsets must not move


def fitting(text: str, change: Replacement) -> Replacement | None:
    """The replacement with the article and the verb that fit it; None if there is no article for it."""
    if not is_english(text, change.start, change.end):
        return with_gender(text, change)
    found = _with_article(text, change)
    return None if found is None else _with_verb(text, found)


def _with_verb(text: str, change: Replacement) -> Replacement:
    """`the page is` becomes `the preferences are`."""
    after = _VERB.match(text, change.end)
    if after is None:
        return _with_any_verb(text, change)
    verb = agreeing(after[2], change.before, change.after)
    if verb == after[2]:
        return change
    return Replacement(change.start, change.before + after[0], f"{change.after}{after[1]}{verb}")


def _with_any_verb(text: str, change: Replacement) -> Replacement:
    """`our staff works hard` becomes `our employees work hard`, where the words are what the sentence begins with; in
    `staff meetings are long` no verb follows."""
    after = _SAYS.match(text, change.end)
    if after is None or not _SUBJECT.search(text[max(0, change.start - _LONGEST_SUBJECT) : change.start]):
        return change
    verb = plain_verb(after[2]) if is_plural(change.before) is False and is_plural(change.after) else None
    if verb is None:
        return change
    return Replacement(change.start, change.before + after[0], f"{change.after}{after[1]}{verb}")


def _with_article(text: str, change: Replacement) -> Replacement | None:
    """`an error` becomes `a warning`; there is no article for `nil`."""
    low = max(0, change.start - _LONGEST_ARTICLE)
    before = _ARTICLE.search(text[low : change.start])
    if before is None:
        return change
    if takes_no_article(change.after) and not takes_no_article(change.before):
        return None
    now = article(change.after)
    if now is None or now == before[1].lower():
        return change
    now = now.capitalize() if before[1][0].isupper() else now
    if before[1].isupper() and len(before[1]) > 1:
        now = now.upper()
    start = low + before.start()
    return Replacement(start, text[start : change.end], now + before[2] + change.after)
