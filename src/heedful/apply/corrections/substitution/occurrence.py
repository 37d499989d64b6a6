"""A match in its sentence: a plain word, a name of its own, or part of another name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from heedful.apply.corrections.substitution.plan import Plan, Substitution
from heedful.apply.corrections.substitution.source_text import SourceText, SpanKind
from heedful.apply.corrections.substitution.tokens import Token, TokenKind, comparison_key, is_spoken, tokens
from heedful.apply.corrections.substitution.vocabulary import (
    DENYING,
    DENYING_PAIRS,
    NAMES_BY_CAPITAL,
    NAMING,
    NOT_DENYING_PAIRS,
    REVISED,
    SMALL_WORDS,
    TITLES,
)
from heedful.text.inflection import is_capitalised
from heedful.text.stems import stem
from heedful.text.words import words_of

_SPELLING = 2  # letters; names that differ by more are different names
_LABEL_WORDS = 6
_CELL = re.compile(r"[|\t;{},]|[^\S\n]{3,}")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_UNITS = words_of("eur usd gbp chf jpy euro euros dollar dollars approx ca circa")
_BACK = 6  # words
_AHEAD = 4
_CLAUSE = frozenset({",", ";", ":", "—", "–", "(", ")", "|", "but", "aber", "mais", "pero"})
_ARROWS = frozenset({"→", "=>", "⇒"})
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*]{1,80}\*\*:?\s*$)")


class Occurrence(NamedTuple):
    """A match, with the words of its sentence on either side."""

    found: str
    start: int
    end: int
    before: list[Token]
    after: list[Token]
    sentence: str
    opens: bool
    """It begins its sentence."""
    line_before: str
    line_after: str

    @property
    def line(self) -> str:
        return f"{self.line_before}{self.found}{self.line_after}"

    @property
    def is_shouted(self) -> bool:
        """The words around are in capitals."""
        beside = (one.text for one in (*self.before[-3:], *self.after[:3]))
        around = [word for word in beside if word.isalpha() and len(word) > 1]
        return bool(around) and all(word.isupper() for word in around)

    @property
    def is_in_title(self) -> bool:
        """In a heading, where capitals mean nothing."""
        if _HEADING.match(self.line):
            return True
        words = [
            one
            for one in tokens(self.line[:200])
            if one.kind in (TokenKind.WORD, TokenKind.NAME) and not one.is_function_word
        ]
        titled = len(words) > 1 and all(one.kind is TokenKind.NAME for one in words)
        return titled and self.line.rstrip()[-1:] not in (".", "!", "?")


def occurrence_at(source: SourceText, start: int, end: int, kind: TokenKind) -> Occurrence:
    text = source.text
    low, high = source.line(start, end)
    by_line = source.span(start).inside is SpanKind.CODE or (kind is TokenKind.VALUE and label(text[low:start]))
    first, last = (low, high) if by_line else source.sentence(start, end)
    before, after = tokens(text, first, start), tokens(text, end, last)
    opens = all(one.kind is TokenKind.MARK for one in before)
    return Occurrence(
        text[start:end], start, end, before, after, text[first:last], opens, text[low:start], text[end:high]
    )


def is_plain_word(occurrence: Occurrence, plan: Plan, substitution: Substitution, found: str) -> bool:
    """A capital within a sentence may make it a name, or part of one; in a heading it does not."""
    if (
        not is_capitalised(found)
        or is_capitalised(substitution.typed)
        or found.isupper()
        or found == substitution.old[0].text
    ):
        return True
    if occurrence.is_in_title:
        return True
    if substitution is plan.substitution and occurrence.opens:
        return not any(one.kind is TokenKind.NAME for one in _beside(occurrence, plan))
    near = (*occurrence.before[-2:], *occurrence.after[:2])
    if comparison_key(found) in NAMES_BY_CAPITAL or any(one.kind is TokenKind.CODE for one in near):
        return False
    return not any(one.kind is TokenKind.NAME for one in _beside(occurrence, plan))


def is_own_name(occurrence: Occurrence, plan: Plan) -> bool:
    """`York` is not all of `New York`; but a misspelt name is misspelt beside a first name, too."""
    substitution = plan.substitution
    if substitution.old[0].kind not in (TokenKind.NAME, TokenKind.CODE) or _is_misspelt(substitution):
        return True
    if occurrence.after and occurrence.after[0].text[0].isdigit() and occurrence.after[0].spaced:
        number = f"{substitution.typed} {occurrence.after[0].text}"  # `Kestrel 14`: the number belongs to the name
        return bool(plan.shared) or number in plan.context
    if substitution.old[0].kind is TokenKind.CODE and not is_spoken(substitution.typed):
        return True
    beside = (one for one in _beside(occurrence, plan) if one.key not in TITLES)
    return not any(one.kind is TokenKind.NAME and one.key not in SMALL_WORDS for one in beside)


def _beside(occurrence: Occurrence, plan: Plan) -> list[Token]:
    """The adjacent words that are not part of the correction, without a capital at the start of a sentence."""
    opening = next((one for one in occurrence.before if one.kind is not TokenKind.MARK), None)
    beside = [
        *(one for one in occurrence.before[-1:] if one != opening),
        *(one for one in occurrence.after[:1] if one.spaced),
    ]
    known = {stem(one.key) for one in plan.shared}
    return [one for one in beside if stem(one.key) not in known]


def _is_misspelt(substitution: Substitution) -> bool:
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(comparison_key(substitution.typed), comparison_key(substitution.new)) <= _SPELLING


def label(before: str) -> list[str] | None:
    """The words of the label before a value on its line; None in a sentence."""
    cells = [cell for cell in _CELL.split(before) if any(map(str.isalnum, cell))]
    if not cells:
        return []
    words = label_stems(tokens(_CAMEL.sub(" ", cells[-1]).replace("_", " ")))
    return words if len(cells[-1].split()) <= _LABEL_WORDS else None


def label_stems(found: Sequence[Token]) -> list[str]:
    """The stems that count in a label."""
    return [stem(one.key.strip(".'")) for one in found if not one.is_function_word and one.key not in _UNITS]


def is_denied(before: Sequence[Token]) -> bool:
    """`never returns an error`, `instead of tabs`: a negation precedes it in the same clause."""
    words = _clause(before)
    pairs = list(pairwise(words))
    if any(pair in DENYING_PAIRS for pair in pairs):
        return True
    allowed = {pair[0] for pair in pairs if pair in NOT_DENYING_PAIRS}
    allowed |= {pair[1] for pair in pairs if pair in NOT_DENYING_PAIRS}
    return any((word in DENYING and word not in allowed) or word.endswith("n't") for word in words)


def is_denied_itself(before: Sequence[Token]) -> bool:
    """`without tabs`, but not `no visits after nine`: nothing but small words is between the negation and the words."""
    beside = [*takewhile(lambda one: one.is_function_word or one.key in DENYING, reversed(before))][::-1]
    return is_denied(before[-len(beside) - 1 :])


def is_revised(after: Sequence[Token]) -> bool:
    """`foo was renamed`, `foo → bar`: the text says what became of it."""
    ahead = after[:_AHEAD]
    if any(one.text in _ARROWS for one in ahead[:2]) or [one.text for one in ahead[:2]] == ["-", ">"]:
        return True
    words = [one.key for one in ahead]
    return any(word in REVISED for word in words) or words[:2] in (["is", "now"], ["(", "now"], ["no", "longer"])


def is_named(before: Sequence[Token]) -> bool:
    """`you said "error"`, `the word "error"`: the quotes are about the words."""
    return any(one.key in NAMING for one in before[-5:])


def _clause(before: Sequence[Token]) -> list[str]:
    words: list[str] = []
    for one in reversed(before):
        if one.key in _CLAUSE or len(words) == _BACK:
            break
        if one.key in ("and", "or", "und", "et", "y") and words and one.key != "or":
            break
        words.append(one.key)
    return words[::-1]
