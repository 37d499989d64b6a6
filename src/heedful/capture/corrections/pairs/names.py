"""Names that small words hold together, such as `Rio de Janeiro`: who corrects a part of one may mean all of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from heedful.capture.corrections.pairs.spans import EDGES
from heedful.capture.corrections.pairs.words import ARTICLES, kind, places, plain
from heedful.text.words import DETERMINERS, words_of

_JOINING = words_of("of de da do dos del della di du van von ter upon ob")
_PLACING = r" (?:am|an der|sur|en) "  # `Frankfurt am Main`; but also `ein Techniker am Vormittag`
_AFTER_JOINING = words_of("the la le les los las der den dem")
_MERGED = words_of("im am zum zur vom beim ins ans au aux du del al no na nos nas do da dos das ao")
"""Prepositions and articles in one."""
_SPELLING = 70  # of 100: how alike two spellings of one word are


class WholeName(NamedTuple):
    text: str
    start: int
    is_certain: bool
    """Whether all of it must be meant. `The head of Leeds` and `the Bank of Leeds` look the same in German, and after
    `the University of Leeds`, `York` is another one or a part of its name."""


def whole_name(wrong: str, right: str, start: int, output: str, message: str) -> WholeName | None:
    """The name of which the wrong words are a part; None if they are none, or if only the part is to change."""
    if not wrong[:1].isupper() or kind(right) == "number" or _respells(wrong, right):
        return None
    before = _before(output[:start])
    after = (
        _after(output[start + len(wrong) :])
        if _is_capital(wrong.rsplit(maxsplit=1)[-1]) and wrong[-1].isalnum()
        else ""
    )
    if not before and not after:
        return None
    lowered = message.casefold()
    rest = [word for word in f"{before}{after}".split() if word[:1].isupper() and plain(word) not in ARTICLES]
    if any(places(word.strip(EDGES), lowered) for word in rest) or _is_joined_alike(before, right, message):
        return None
    first = start - len(before)
    ahead = output[:first].split()
    is_after_determiner = bool(ahead) and plain(ahead[-1]) in DETERMINERS | _MERGED
    if is_after_determiner and places(wrong, lowered):
        return None
    doubtful = is_after_determiner or (bool(before) and _opens(output[:first])) or bool(re.search(_PLACING, after))
    return WholeName(before + wrong + after, first, is_certain=not doubtful)


def dotted_name(right: str, message: str) -> str:
    """All of a name in code of which the right words are a part: `info` of `logger.info`."""
    if not right.isidentifier():
        return right
    within = (found[0] for found in _DOTTED.finditer(message) if right in found[0].split("."))
    stands_alone = re.search(rf"(?<![\w.]){re.escape(right)}(?!\.?\w)", message) is not None
    return right if stands_alone else next(within, right)


def dotted_name_at(start: int, part: str, output: str) -> tuple[int, str]:
    """Where it starts, and the name; the part itself if it is not within one."""
    end = start + len(part)
    within = (one for one in _DOTTED.finditer(output) if one.start() <= start and end <= one.end())
    return next(((one.start(), one[0]) for one in within), (start, part))


def _respells(wrong: str, right: str) -> bool:
    from rapidfuzz import fuzz

    return fuzz.ratio(wrong.casefold(), right.casefold()) >= _SPELLING


def _is_joined_alike(before: str, right: str, message: str) -> bool:
    """`No, of Ireland`, after `the Bank of Scotland`."""
    joint = before.split()[-1:]
    said = (message[:at].split()[-1:] for at in places(right, message.casefold()))
    return bool(joint) and any([plain(word) for word in one] == [plain(joint[0])] for one in said)


def _before(text: str) -> str:
    """What stands before in the name, if a small word joins it: `Ludwig van `, and the `The ` of `The Hague`."""
    words = re.split(r"(?<= )", text[-_REACH:])
    kept, found = len(words) - 1, len(words) - 1
    is_joined = False
    if words[-1]:
        return ""
    while kept > 0:
        joints = _joints([word.rstrip(" ") for word in words[max(0, kept - 2) : kept]])
        at = kept - joints - 1
        word = words[at].rstrip(" ") if at >= 0 else ""
        if not _is_capital(word.lstrip(EDGES)) or word[-1:] in EDGES:
            break
        is_article = not joints and plain(word) in ARTICLES
        if is_article and (_opens("".join(words[:at])) or len(word) < len("La")):
            break
        is_joined, kept, found = is_joined or bool(joints) or is_article, at, at
        if word[:1] in EDGES:
            break
    return "".join(words[found:]).lstrip(EDGES) if is_joined else ""


def _joints(words: list[str]) -> int:
    """How many small words at the end of these join names."""
    if words[-1:] and words[-1] in _JOINING:
        return 1
    return 2 if len(words) > 1 and words[-1] in _AFTER_JOINING and words[-2] in _JOINING else 0


def _after(text: str) -> str:
    """What stands behind in the name, if a small word joins it: ` of Modern Art`."""
    found = _BEHIND.match(text[:_REACH])
    return found[0] if found and _JOINED.search(found[0]) else ""


def _is_capital(word: str) -> bool:
    return len(word) > 1 and word[0].isupper()


def _opens(text: str) -> bool:
    """Whether what follows begins a sentence."""
    ahead = text.rstrip(" \t\"'`“„«(*#-")
    return not ahead or ahead[-1] in ".!?:\n"


_REACH = 60  # characters
_DOTTED = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_SMALL = rf"(?: (?:{'|'.join(sorted(_JOINING))})(?: (?:{'|'.join(sorted(_AFTER_JOINING))}))?|{_PLACING[:-1]})"
_CAPITAL = r"(?!\d)[A-ZÀ-ÖØ-Þ][\w'’-]+"
_BEHIND = re.compile(rf"(?: {_CAPITAL})*(?:{_SMALL}(?: {_CAPITAL})+)*")
_JOINED = re.compile(rf"{_SMALL} [^\W\d_]")
