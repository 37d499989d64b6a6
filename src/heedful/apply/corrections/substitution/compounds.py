"""Whether a noun stands by itself, or in a compound: `agents`, but `estate agents` and `the agent list`.

English has no mark for compounds, so what stands around tells: a noun that a verb may follow, or that an article or an
adjective comes before, stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from heedful.apply.corrections.substitution.tokens import Token, TokenKind, tokens
from heedful.apply.corrections.substitution.vocabulary import ADJECTIVES, ADVERBS, QUANTITIES
from heedful.text.inflection import is_adjective, is_past, is_plural, is_verb
from heedful.text.languages import is_english
from heedful.text.replacements import Replacement
from heedful.text.sentences import sentence_at
from heedful.text.stems import stem
from heedful.text.words import DETERMINERS, words_of

_REACH = 400  # characters of a sentence to either side
_ARTICLES = ("a", "an")
_OF_ONE = words_of("a an each every this that one another either neither")
_VERBS = words_of("""
    is are was were be am has have had do does did can could may might must shall should will would isn't aren't wasn't
    weren't hasn't haven't don't doesn't didn't can't cannot won't
""")
_BEFORE_A_VERB = words_of("""
    i we you they please let's don't doesn't didn't can could may might must shall should will would do does did not
    never
""")
_BEFORE_A_NOUN = DETERMINERS | words_of("of in on at by for from with into about as than per via no which whose what")
_PREPOSITIONS = words_of("""
    before after above below inside outside without against toward towards among amongst behind beside besides around
    along beyond despite except near throughout till unlike underneath
""")
_SMALL = QUANTITIES | ADVERBS | _PREPOSITIONS
_OFTEN_ADJECTIVES = ("al", "ive", "ic", "y")


class Standing(IntEnum):
    COMPOUND = 0
    UNSURE = 1
    ALONE = 2


class _Around(NamedTuple):
    """The words of a sentence before and behind a place."""

    before: Sequence[Token]
    after: Sequence[Token]
    is_plural: bool | None
    """Whether what stands between them is; None if the spelling does not tell."""


class _Beside(NamedTuple):
    """The words that the situation of a correction has beside the wrong ones, on the left and on the right."""

    left: frozenset[str]
    right: frozenset[str]
    is_noun: bool
    """An article or the like comes before them."""


def standing(text: str, place: Replacement, wrong: str, situation: str) -> Standing:
    """How the words of a place stand there. A compound that the situation of the correction has does not count."""
    if not is_english(text, place.start, place.end):
        return Standing.UNSURE
    known, around = _beside(wrong.lower(), situation), _around(text, place, wrong)
    found = min(_on_the_left(around.before, known.left), _on_the_right(around, known))
    return found if known.is_noun else max(found, Standing.UNSURE)


def is_of_an_acronym(text: str, place: Replacement, wrong: str) -> bool:
    """`the HTTP client` is the name of something else than `the client`."""
    before = _around(text, place, wrong).before
    return len(before) > 1 and _is_acronym(before[-1]) and before[-2].kind is not TokenKind.MARK


def _around(text: str, place: Replacement, wrong: str) -> _Around:
    """The article and the verb that a place may have are no part of the words."""
    first, last = sentence_at(text, place.start, place.end, _REACH, wrapped=True)
    inside, own = tokens(text, place.start, place.end), {stem(one.key) for one in tokens(wrong.lower())}
    begins = 1 if inside[0].key in _ARTICLES and inside[0].key not in own else 0
    ends = len(inside) - (len(inside) > 1 and inside[-1].key in _VERBS)
    before = [*tokens(text, first, place.start), *inside[:begins]]
    after = [*inside[ends:], *tokens(text, place.end, last)]
    ended = inside[ends - 1]
    while before and stem(before[-1].key) in own:
        before.pop()
    while after and stem(after[0].key) in own:
        ended = after.pop(0)
    return _Around(before, after, is_plural(ended.key))


@lru_cache(maxsize=256)
def _beside(wrong: str, situation: str) -> _Beside:
    words, sought = tokens(situation), [stem(one.key) for one in tokens(wrong)]
    left, right, has_determiner = set[str](), set[str](), is_plural(wrong) is True
    for at in range(len(words) - len(sought) + 1):
        end = at + len(sought)
        if [stem(one.key) for one in words[at:end]] == sought:
            left |= {stem(one.key) for one in words[max(0, at - 1) : at]}
            right |= {stem(one.key) for one in words[end : end + 1]}
            has_determiner = has_determiner or any(map(_is_determiner, words[max(0, at - 2) : at]))
    is_noun = has_determiner and not is_verb(wrong, situation) and not is_adjective(wrong)
    return _Beside(frozenset(left), frozenset(right), is_noun)


def _is_determiner(word: Token) -> bool:
    return word.key in _BEFORE_A_NOUN or word.key in QUANTITIES or word.key.endswith("'s")


def _is_acronym(word: Token) -> bool:
    return len(word.text) > 1 and word.text.isalpha() and word.text.isupper()


def _is_small(word: Token) -> bool:
    return word.is_function_word or word.kind is TokenKind.VALUE or word.key in _SMALL


def _describes(word: Token) -> bool:
    return word.key in ADJECTIVES or is_adjective(word.key)


def _on_the_left(before: Sequence[Token], known: frozenset[str]) -> Standing:
    word, earlier = before[-1] if before else None, before[-2] if len(before) > 1 else None
    if word is None or _is_small(word) or word.key.endswith("'s") or stem(word.key) in known or _describes(word):
        return Standing.ALONE
    if earlier is None or earlier.kind is TokenKind.MARK:
        return Standing.UNSURE  # `Travel agents` and `Ask agents`
    if _is_acronym(word):
        return Standing.COMPOUND
    if earlier.key in _BEFORE_A_VERB:
        return Standing.ALONE  # `we welcome clients`
    if word.kind is not TokenKind.WORD or "-" in word.key or word.key.endswith(_OFTEN_ADJECTIVES):
        return Standing.UNSURE
    is_noun = _is_determiner(earlier) or _describes(earlier) or (_is_small(earlier) and earlier.key != "to")
    return Standing.COMPOUND if is_noun else Standing.UNSURE


def _on_the_right(around: _Around, known: _Beside) -> Standing:
    after, plural = around.after, around.is_plural
    if not after or not after[0].spaced or stem(after[0].key) in known.right:
        return Standing.ALONE
    word = after[0]
    if _is_small(word) or word.key.endswith("ly") or is_past(word.key):
        return Standing.ALONE
    if word.kind is not TokenKind.WORD or plural is None:
        return Standing.UNSURE
    if plural:  # `clients arrive` and `clients waiting`, but `agents strings`
        return Standing.UNSURE if _has_an_s(word) else Standing.ALONE
    if _describes(word):
        return Standing.ALONE if len(after) == 1 or _is_small(after[1]) else Standing.UNSURE
    return _with_an_s(around.before, known.left) if _has_an_s(word) else Standing.COMPOUND


def _has_an_s(word: Token) -> bool:
    return word.key.endswith("s") and not word.key.endswith("ss")


def _with_an_s(before: Sequence[Token], known: frozenset[str]) -> Standing:
    """`each unit tests it`, but `run the unit tests`; `the unit tests` may be both."""
    while before and not _is_determiner(before[-1]) and (_describes(before[-1]) or stem(before[-1].key) in known):
        before = before[:-1]
    if not before or not _is_determiner(before[-1]):
        return Standing.COMPOUND
    if before[-1].key in _OF_ONE:
        return Standing.ALONE
    is_object = len(before) > 1 and before[-2].kind is not TokenKind.MARK and not _is_small(before[-2])
    return Standing.COMPOUND if is_object else Standing.UNSURE
