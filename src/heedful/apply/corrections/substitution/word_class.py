"""Whether a word stands as the noun that a correction is about: not in `be patient`, `order the list`."""

from __future__ import annotations

from heedful.apply.corrections.substitution.occurrence import Occurrence
from heedful.apply.corrections.substitution.plan import Substitution
from heedful.apply.corrections.substitution.tokens import Token, TokenKind
from heedful.apply.corrections.substitution.vocabulary import ADJECTIVES, ADVERBS, QUANTITIES
from heedful.text.inflection import is_adjective, is_past, is_plural, plain_verb
from heedful.text.words import DETERMINERS, FUNCTION_WORDS, NEGATIONS, words_of

_FORMS_OF_A_NOUN = 2  # a verb has more
_VERBS = words_of("is are was were has have had does did can could may might must shall should will would")
_ONE_OF_MANY = words_of("she he it who")  # a verb with an s follows these
_FIXED = words_of("in on at out by to")  # `in order`, `on record`: without an article no noun that can be counted
_WITH_A_NOUN = words_of("of for from with into about as than between per via no which whose what without after before")
_DEGREES = words_of("very too so quite more most less rather really always never")


def is_other_word(occurrence: Occurrence, substitution: Substitution, found: str) -> bool:
    """Whether a form of a noun is another part of speech there. Only a plural tells that a correction is about a noun:
    who says `drop` may mean the verb."""
    if len(substitution.old) > 1 or len(substitution.forms) != _FORMS_OF_A_NOUN:
        return False
    before, after = occurrence.before, occurrence.after
    previous = before[-1].key if before else ""
    if previous == "in" and after and after[0].key == "to":
        return True
    if is_plural(found.lower()) is not False:
        return previous in _ONE_OF_MANY and bool(after)
    if is_plural(substitution.typed) is not True:
        return False
    return not _is_noun(before, after)


def _is_noun(before: list[Token], after: list[Token]) -> bool:
    following = after[0] if after and after[0].spaced else None
    if not before or before[-1].kind is TokenKind.MARK:
        return following is None or following.kind is not TokenKind.WORD or following.key in _VERBS
    word, earlier = before[-1], before[-2] if len(before) > 1 else None
    if following is not None and following.kind is TokenKind.WORD and not _may_follow(following):
        return False  # `a patient man`, `the order form`
    if word.key in _DEGREES or word.key in _FIXED:
        return False
    if _opens_a_noun(word) or word.key in ADJECTIVES or word.key in _WITH_A_NOUN or is_adjective(word.key):
        return True
    is_compound = word.kind in (TokenKind.WORD, TokenKind.NAME) and word.key not in FUNCTION_WORDS
    return is_compound and is_plural(word.key) is False and earlier is not None and _opens_a_noun(earlier)


def _opens_a_noun(word: Token) -> bool:
    return word.key == "one" or word.key in DETERMINERS or word.key in QUANTITIES or word.key.endswith("'s")


def _may_follow(word: Token) -> bool:
    if word.key.endswith("n't"):
        return True
    is_small = word.key in FUNCTION_WORDS or word.key in ADVERBS or word.key in QUANTITIES or word.key in NEGATIONS
    return is_small or is_past(word.key) or word.key.endswith("ly") or plain_verb(word.key) is not None
