"""The plan of a correction: the words that differ, their replacement, and the words around them.

`the deadline is March 3rd` → `the deadline is March 5th` replaces `3rd` next to `deadline` and `March`. Instructions,
rewrites and very common words have no plan.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from heedful.apply.corrections.substitution.tokens import Token, TokenKind, comparison_key, is_spoken, tokens
from heedful.apply.corrections.substitution.vocabulary import COMMON, COMMON_STEMS, DEMANDING, FORBIDDING, SMALL_WORDS
from heedful.text.inflection import forms, is_verb, other_forms, takes_no_article
from heedful.text.stems import stem
from heedful.text.words import DETERMINERS, SPACELESS

_CHARACTERS = 400
_CONTEXT_CHARACTERS = 4_000
_WORDS = 60
_STRETCHES = 3
_SHOUTED = 4  # letters; a shorter name in capitals may be another one
_GAP = r"(?:[^\S\n]{1,12}\n?|\n)[^\S\n]{0,12}"
_MARKS_LIKE = {"'": "['‘’‚‛ʼ′]", '"': '["“”„‟«»″]', "-": "[-‐‑‒–—―−]"}
_WRAPPED = re.compile(r"""(?s)(`{1,2})([^`]+)\1|(["“„'‘«])(.+)["”“'’»]""")
_INDEFINITE = ("a", "an")
_ARTICLES = (*_INDEFINITE, "the")
_YEAR = re.compile(r"(?:19|20)\d\d")
_WITHOUT_SPACES = re.compile(f"[{SPACELESS}]")
_CODE_CONTEXT = re.compile(r"`[^`\n]{1,200}`")


class ReplacementForm(NamedTuple):
    """The replacement in one of its forms."""

    text: str
    padded: str
    """Its comparison keys, with a space on either side."""
    is_function_word: bool


class Substitution(NamedTuple):
    """Words that are replaced, and their replacement."""

    old: tuple[Token, ...]
    new: str
    typed: str
    forms: dict[str, str]
    """The replacement of each form, by comparison key, or by exact text if capitals count."""
    pattern: re.Pattern[str]
    exact: bool
    """Capitals count."""
    becomes: tuple[ReplacementForm, ...]
    unwritten: frozenset[str]
    """Other forms of the words that the replacement does not have."""


class Plan(NamedTuple):
    elements: tuple[Token | Substitution, ...]
    """The wrong words in order: tokens that stay, and substitutions."""
    lead: int
    """Index of the substitution to search for first."""
    kind: TokenKind
    only_in_code: bool
    casing: bool
    """Only capitals change."""
    weak: bool
    """The words are very common: the context must agree."""
    context: str
    wrong: str

    @property
    def substitution(self) -> Substitution:
        found = self.elements[self.lead]
        assert isinstance(found, Substitution)
        return found

    @property
    def substitutions(self) -> list[Substitution]:
        return [one for one in self.elements if isinstance(one, Substitution)]

    @property
    def shared(self) -> list[Token]:
        """Content words that stay."""
        return [one for one in self.elements if isinstance(one, Token) and not one.is_function_word]


def make_plan(wrong: str, right: str, context: str = "") -> Plan | None:
    if max(len(wrong), len(right)) > _CHARACTERS:
        return None
    return _make_plan(wrong, right, context[:_CONTEXT_CHARACTERS])


@lru_cache(maxsize=256)
def _make_plan(wrong: str, right: str, context: str) -> Plan | None:
    in_backticks = wrong.strip().startswith("`")
    wrong, right = _without_lone_article(_bare(wrong), _bare(right))
    old, new = tokens(normalize("NFC", wrong)), tokens(normalize("NFC", right))
    if not old or not new or [one.text for one in old] == [one.text for one in new]:
        return None
    if max(len(old), len(new)) > _WORDS or _is_instruction(old, new):
        return None
    casing = [one.key for one in old] == [one.key for one in new]
    elements = _elements(old, new, normalize("NFC", right), f"{wrong}\n{context}", casing=casing)
    substitutions = [at for at, one in enumerate(elements) if isinstance(one, Substitution)]
    if not 0 < len(substitutions) <= _STRETCHES:
        return None
    lead = max(substitutions, key=lambda at: _distinctive(elements[at]))
    return _plan(elements, lead, in_backticks=in_backticks, casing=casing, context=context, wrong=wrong)


def _plan(
    elements: list[Token | Substitution], lead: int, *, in_backticks: bool, casing: bool, context: str, wrong: str
) -> Plan | None:
    substitution = elements[lead]
    assert isinstance(substitution, Substitution)
    kind = _kind(substitution)
    if kind is TokenKind.MARK or not any(map(str.isalnum, substitution.new)):
        return None
    comes_as_code = any(one.kind is TokenKind.CODE and not is_spoken(one.text) for one in tokens(substitution.new))
    in_code = in_backticks or _stood_in_code(context, wrong) or (comes_as_code and len(elements) == 1)
    only_in_code = kind in (TokenKind.WORD, TokenKind.NAME) and in_code and not casing
    plan = Plan(tuple(elements), lead, kind, only_in_code, casing, weak=False, context=context, wrong=wrong)
    if plan.shared:
        return plan
    if _says_nothing(substitution):
        return None
    weak = _is_weak(substitution, kind, alone=not context.strip()) and not only_in_code and not casing
    if weak and not context.strip():
        return None
    if kind is TokenKind.VALUE and not any(map(str.isdigit, substitution.new)):
        return None
    return plan._replace(weak=weak)


def _bare(text: str) -> str:
    """Without surrounding quotes or backticks and final punctuation."""
    text = " ".join(text.split())
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped is not None:
        inner = wrapped[2] or wrapped[4]
        if not set(inner) & set('"“”„«»`') and (wrapped[2] or "' " not in inner):
            text = inner.strip()
    if text[-1:] in (".", "!", "?", ";", ",", ":") and "." not in text.split()[-1][:-1]:
        text = text.rstrip(".!?;,:")
    return text.rstrip()


def _without_lone_article(wrong: str, right: str) -> tuple[str, str]:
    """`a cart` → `basket` is about the noun; `an error` → `nil` is not."""
    article, _, noun = wrong.partition(" ")
    by_article = DETERMINERS.intersection(right.lower().split()[:1])
    if article.lower() not in _ARTICLES or not noun or by_article or takes_no_article(right):
        return wrong, right
    return noun, right


def _is_instruction(old: list[Token], new: list[Token]) -> bool:
    words = [one.key for one in new if one.kind is not TokenKind.MARK]
    known = {one.key for one in old}
    if not words or len(words) > 2 * len(old) + 4:
        return True
    if len(words) == 1:
        return False
    if words[0] in known:
        return False
    if words[0] in FORBIDDING and len(old) < len(new) + 3:
        return not (words[0] == "no" and len(words) == 2) and not (words[0] == "without" and len(words) <= 3)
    return words[0] in DEMANDING and not any(word in known for word in words)


def _elements(
    old: list[Token], new: list[Token], right: str, situation: str, *, casing: bool
) -> list[Token | Substitution]:
    before = [one.text if casing else one.key for one in old]
    after = [one.text if casing else one.key for one in new]
    elements: list[Token | Substitution] = []
    reached = 0
    for start, end, new_start, new_end in _differences(old, before, after):
        articles = end - start > 1 and new_end - new_start > 1 and old[start].key in _INDEFINITE
        # `an error` → `a warning` is about the noun: the article follows by itself
        skipped = 1 if articles and new[new_start].key in _INDEFINITE else 0
        replaced = tuple(old[start + skipped : end])
        by = right[new[new_start + skipped].start : new[new_end - 1].end] if new_end > new_start else ""
        elements += old[reached : start + skipped]
        opens = start == 0 and len(old) > end
        elements.append(_substitution(replaced, by, situation, opens=opens, casing=casing))
        reached = end
    return elements + old[reached:]


def _differences(old: list[Token], before: list[str], after: list[str]) -> list[tuple[int, int, int, int]]:
    """Differing stretches, as positions in both; joined if only function words are between them."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    found: list[tuple[int, int, int, int]] = []
    for tag, *places in matcher.get_opcodes():
        if tag == "equal":
            continue
        start, end, new_start, new_end = _two_sided(tuple(places), len(before), len(after))
        if found and (start <= found[-1][1] or all(one.is_function_word for one in old[found[-1][1] : start])):
            first = found.pop()
            start, new_start = first[0], first[2]
        found.append((start, end, new_start, new_end))
    return found


def _two_sided(places: tuple[int, ...], before: int, after: int) -> tuple[int, int, int, int]:
    """Includes the neighbours of insertions and deletions: nothing can be searched for, or replaced, by nothing."""
    start, end, new_start, new_end = places
    if start < end and new_start < new_end:
        return start, end, new_start, new_end
    left = 1 if start > 0 and new_start > 0 else 0
    right = 1 if end < before and new_end < after else 0
    return start - left, end + right, new_start - left, new_end + right


def _substitution(old: tuple[Token, ...], new: str, situation: str, *, opens: bool, casing: bool) -> Substitution:
    typed = "".join((" " if one.spaced and at else "") + one.text for at, one in enumerate(old))
    plain = all(one.kind is TokenKind.WORD for one in old)
    if opens and not casing and old[0].text[1:] == old[0].text[1:].lower() and new[1:] == new[1:].lower():
        plain = plain or (all(one.kind is TokenKind.WORD for one in old[1:]) and old[0].kind is TokenKind.NAME)
    lowered = plain and new[:1].isupper() == typed[:1].isupper()
    if lowered and not casing:
        typed, new = typed.lower(), new[:1].lower() + new[1:]
    exact = casing or not (plain or new == new.lower())
    exact = exact or any(one.kind is TokenKind.CODE for one in old)
    verbs = plain and (is_verb(typed, situation) or is_verb(new, ""))
    found = forms(typed, new, verbs=verbs) if plain and not casing else {typed: new}
    if exact and not casing and len(typed) >= _SHOUTED and all(one.kind is TokenKind.NAME for one in old):
        found[typed.upper()] = new.upper()
    if casing:
        found[typed[:1].upper() + typed[1:]] = new
    pattern = re.compile("|".join(_regex(form) for form in sorted(found, key=len, reverse=True)), 0 if exact else re.I)
    becomes = tuple(map(_as_written, dict.fromkeys(found.values())))
    found = {(old if exact else comparison_key(old)): new for old, new in found.items()}
    unwritten = frozenset(other_forms(typed, verbs=verbs) - found.keys() if plain and not exact else ())
    return Substitution(old, new, typed, found, pattern, exact, becomes, unwritten)


def _as_written(new: str) -> ReplacementForm:
    words = tokens(new)
    return ReplacementForm(new, f" {' '.join(one.key for one in words)} ", all(one.is_function_word for one in words))


def _regex(form: str) -> str:
    """Matches any spacing, quotes, dashes and Unicode form."""
    ways = dict.fromkeys((form, normalize("NFD", form)))
    return "|".join(_GAP.join(_word_regex(word) for word in way.split(" ")) for way in ways)


def _word_regex(word: str) -> str:
    return "".join(
        _MARKS_LIKE.get(comparison_key(letter) if not letter.isalnum() else "", re.escape(letter)) for letter in word
    )


def _distinctive(element: Token | Substitution) -> int:
    assert isinstance(element, Substitution)
    return sum(len(one.text) for one in element.old if not one.is_function_word and one.key not in COMMON)


def _kind(substitution: Substitution) -> TokenKind:
    kinds = [one.kind for one in substitution.old]
    for kind in (TokenKind.CODE, TokenKind.VALUE, TokenKind.NAME, TokenKind.WORD):
        if kind in kinds:
            return kind
    return TokenKind.MARK


def _stood_in_code(context: str, wrong: str) -> bool:
    return any(wrong in span for span in _CODE_CONTEXT.findall(context)) if "`" in context else False


def _says_nothing(substitution: Substitution) -> bool:
    """Only function words, a letter or a digit."""
    words = [one for one in substitution.old if one.kind is not TokenKind.MARK]
    if all(one.key in SMALL_WORDS for one in words):
        # An expression such as `in order to` is made of small words and one that is not; `as well as` is not enough.
        return True
    letters = sum(len(one.text) for one in words)
    if _WITHOUT_SPACES.search(substitution.typed):
        return letters < 2
    return letters < 2 or (letters < 2 + len(words) and all(one.kind is TokenKind.WORD for one in words))


def _is_weak(substitution: Substitution, kind: TokenKind, *, alone: bool) -> bool:
    """Somebody who gives a short word without a situation, such as `cfg`, means it everywhere."""
    words = [one for one in substitution.old if not one.is_function_word]
    if len(words) > 1:
        return all(one.key in COMMON for one in words) and len(substitution.old) < 3
    word = words[0]
    if kind is TokenKind.VALUE:
        digits = sum(map(str.isdigit, word.text))
        return digits < 3 or _YEAR.fullmatch(word.text) is not None
    if kind is TokenKind.CODE:
        return False
    if _WITHOUT_SPACES.search(word.text):
        return False
    if kind is TokenKind.NAME:
        return word.key in COMMON
    return word.key in COMMON or stem(word.key) in COMMON_STEMS or (len(word.text) <= 3 and not alone)


def content(text: str) -> set[str]:
    """The stems of the content words."""
    found = tokens(text)
    return {stem(one.key) for one in found if not one.is_function_word and one.key not in DETERMINERS}
