"""A correction taken apart: the words that differ, what becomes of them, and the words around that say where.

`the deadline is March 3rd` → `the deadline is March 5th` replaces `3rd`, where `deadline` and `March` stand with it.
What is no replacement (an instruction, a rewrite, a word that stands everywhere) has no plan.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from heedful.apply.corrections.substitution.inflection import forms
from heedful.apply.corrections.substitution.tokens import Kind, Token, is_spoken, key, tokens
from heedful.apply.corrections.substitution.vocabulary import COMMON, COMMON_STEMS, DEMANDING, FORBIDDING, SMALL_WORDS
from heedful.text.stems import stem
from heedful.text.tokens import SPACELESS
from heedful.text.words import DETERMINERS

_CHARACTERS = 400
_CONTEXT_CHARACTERS = 4_000
_WORDS = 60
_STRETCHES = 3
_SHOUTED = 4  # letters; a shorter name in capitals may be another one
_GAP = r"(?:[^\S\n]{1,12}\n?|\n)[^\S\n]{0,12}"
_MARKS_LIKE = {"'": "['‘’‚‛ʼ′]", '"': '["“”„‟«»″]', "-": "[-‐‑‒–—―−]"}
_WRAPPED = re.compile(r"""(?s)(`{1,2})([^`]+)\1|(["“„'‘«])(.+)["”“'’»]""")
_INDEFINITE = ("a", "an")
_YEAR = re.compile(r"(?:19|20)\d\d")
_WITHOUT_SPACES = re.compile(f"[{SPACELESS}]")
_CODE_CONTEXT = re.compile(r"`[^`\n]{1,200}`")


class Written(NamedTuple):
    """What a stretch becomes, in one of its forms."""

    text: str
    padded: str
    """Its words as they are compared, with a space on either side."""
    is_small: bool


class Stretch(NamedTuple):
    """Words that went, and what came in their place."""

    gone: tuple[Token, ...]
    come: str
    typed: str
    forms: dict[str, str]
    """What becomes of each form: as it is compared, or as it is written if capitals must be as typed."""
    pattern: re.Pattern[str]
    exact: bool
    """Capitals must be as typed."""
    becomes: tuple[Written, ...]


class Plan(NamedTuple):
    elements: tuple[Token | Stretch, ...]
    """The wrong words in order: those that stay, and the stretches that do not."""
    lead: int
    """The stretch to look for first."""
    kind: Kind
    only_in_code: bool
    casing: bool
    """Nothing but capitals changes."""
    weak: bool
    """The words that go stand in many places: something else must agree."""
    context: str
    wrong: str

    @property
    def stretch(self) -> Stretch:
        found = self.elements[self.lead]
        assert isinstance(found, Stretch)
        return found

    @property
    def stretches(self) -> list[Stretch]:
        return [one for one in self.elements if isinstance(one, Stretch)]

    @property
    def shared(self) -> list[Token]:
        """The words that stay and carry meaning."""
        return [one for one in self.elements if isinstance(one, Token) and not one.is_small]


def planned(wrong: str, right: str, context: str = "") -> Plan | None:
    if max(len(wrong), len(right)) > _CHARACTERS:
        return None
    return _planned(wrong, right, context[:_CONTEXT_CHARACTERS])


@lru_cache(maxsize=256)
def _planned(wrong: str, right: str, context: str) -> Plan | None:
    in_backticks = wrong.strip().startswith("`")
    wrong, right = _bare(wrong), _bare(right)
    old, new = tokens(normalize("NFC", wrong)), tokens(normalize("NFC", right))
    if not old or not new or [one.text for one in old] == [one.text for one in new]:
        return None
    if max(len(old), len(new)) > _WORDS or _is_instruction(old, new):
        return None
    casing = [one.normal for one in old] == [one.normal for one in new]
    elements = _elements(old, new, normalize("NFC", right), casing=casing)
    stretches = [at for at, one in enumerate(elements) if isinstance(one, Stretch)]
    if not 0 < len(stretches) <= _STRETCHES:
        return None
    lead = max(stretches, key=lambda at: _distinctive(elements[at]))
    return _plan(elements, lead, in_backticks=in_backticks, casing=casing, context=context, wrong=wrong)


def _plan(
    elements: list[Token | Stretch], lead: int, *, in_backticks: bool, casing: bool, context: str, wrong: str
) -> Plan | None:
    stretch = elements[lead]
    assert isinstance(stretch, Stretch)
    kind = _kind(stretch)
    if kind is Kind.MARK or not any(map(str.isalnum, stretch.come)):
        return None
    comes_as_code = any(one.kind is Kind.CODE and not is_spoken(one.text) for one in tokens(stretch.come))
    in_code = in_backticks or _stood_in_code(context, wrong) or (comes_as_code and len(elements) == 1)
    only_in_code = kind in (Kind.WORD, Kind.NAME) and in_code and not casing
    plan = Plan(tuple(elements), lead, kind, only_in_code, casing, weak=False, context=context, wrong=wrong)
    if plan.shared:
        return plan
    if _says_nothing(stretch):
        return None
    weak = _is_weak(stretch, kind) and not only_in_code and not casing
    if weak and not context.strip():
        return None
    if kind is Kind.VALUE and not any(map(str.isdigit, stretch.come)):
        return None
    return plan._replace(weak=weak)


def _bare(text: str) -> str:
    """Without what wraps or ends it: quotes, backticks, the full stop."""
    text = " ".join(text.split())
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped is not None:
        inner = wrapped[2] or wrapped[4]
        if not set(inner) & set('"“”„«»`') and (wrapped[2] or "' " not in inner):
            text = inner.strip()
    if text[-1:] in (".", "!", "?", ";", ",", ":") and "." not in text.split()[-1][:-1]:
        text = text.rstrip(".!?;,:")
    return text.rstrip()


def _is_instruction(old: list[Token], new: list[Token]) -> bool:
    words = [one.normal for one in new if one.kind is not Kind.MARK]
    known = {one.normal for one in old}
    if not words or len(words) > 2 * len(old) + 4:
        return True
    if len(words) == 1:
        return False
    if words[0] in known:
        return False
    if words[0] in FORBIDDING and len(old) < len(new) + 3:
        return not (words[0] == "no" and len(words) == 2) and not (words[0] == "without" and len(words) <= 3)
    return words[0] in DEMANDING and not any(word in known for word in words)


def _elements(old: list[Token], new: list[Token], right: str, *, casing: bool) -> list[Token | Stretch]:
    before = [one.text if casing else one.normal for one in old]
    after = [one.text if casing else one.normal for one in new]
    elements: list[Token | Stretch] = []
    place = 0
    for start, end, new_start, new_end in _differences(old, before, after):
        articles = end - start > 1 and new_end - new_start > 1 and old[start].normal in _INDEFINITE
        # `an error` → `a warning` is about the noun: the article follows by itself
        skipped = 1 if articles and new[new_start].normal in _INDEFINITE else 0
        gone = tuple(old[start + skipped : end])
        come = right[new[new_start + skipped].start : new[new_end - 1].end] if new_end > new_start else ""
        elements += old[place : start + skipped]
        elements.append(_stretch(gone, come, opens=start == 0 and len(old) > end, casing=casing))
        place = end
    return elements + old[place:]


def _differences(old: list[Token], before: list[str], after: list[str]) -> list[tuple[int, int, int, int]]:
    """Stretches that differ, as places in both; those with nothing but small words between them are one."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    found: list[tuple[int, int, int, int]] = []
    for tag, *places in matcher.get_opcodes():
        if tag == "equal":
            continue
        start, end, new_start, new_end = _two_sided(tuple(places), len(before), len(after))
        if found and (start <= found[-1][1] or all(one.is_small for one in old[found[-1][1] : start])):
            first = found.pop()
            start, new_start = first[0], first[2]
        found.append((start, end, new_start, new_end))
    return found


def _two_sided(places: tuple[int, ...], before: int, after: int) -> tuple[int, int, int, int]:
    """What is only added or left out takes its neighbours along: nothing can be looked up, or replaced, by nothing."""
    start, end, new_start, new_end = places
    if start < end and new_start < new_end:
        return start, end, new_start, new_end
    left = 1 if start > 0 and new_start > 0 else 0
    right = 1 if end < before and new_end < after else 0
    return start - left, end + right, new_start - left, new_end + right


def _stretch(gone: tuple[Token, ...], come: str, *, opens: bool, casing: bool) -> Stretch:
    typed = "".join((" " if one.spaced and at else "") + one.text for at, one in enumerate(gone))
    plain = all(one.kind is Kind.WORD for one in gone)
    if opens and not casing and gone[0].text[1:] == gone[0].text[1:].lower() and come[1:] == come[1:].lower():
        plain = plain or (all(one.kind is Kind.WORD for one in gone[1:]) and gone[0].kind is Kind.NAME)
    lowered = plain and come[:1].isupper() == typed[:1].isupper()
    if lowered and not casing:
        typed, come = typed.lower(), come[:1].lower() + come[1:]
    exact = casing or not (plain or come == come.lower())
    exact = exact or any(one.kind is Kind.CODE for one in gone)
    found = forms(typed, come) if plain and not casing else {typed: come}
    if exact and not casing and len(typed) >= _SHOUTED and all(one.kind is Kind.NAME for one in gone):
        found[typed.upper()] = come.upper()
    if casing:
        found[typed[:1].upper() + typed[1:]] = come
    pattern = re.compile("|".join(_regex(form) for form in sorted(found, key=len, reverse=True)), 0 if exact else re.I)
    becomes = tuple(map(_as_written, dict.fromkeys(found.values())))
    found = {(old if exact else key(old)): new for old, new in found.items()}
    return Stretch(gone, come, typed, found, pattern, exact, becomes)


def _as_written(come: str) -> Written:
    words = tokens(come)
    return Written(come, f" {' '.join(one.normal for one in words)} ", all(one.is_small for one in words))


def _regex(form: str) -> str:
    """Finds the words however they are spaced, with any quotes and dashes, and however accents are encoded."""
    ways = dict.fromkeys((form, normalize("NFD", form)))
    return "|".join(_GAP.join(_word_regex(word) for word in way.split(" ")) for way in ways)


def _word_regex(word: str) -> str:
    return "".join(_MARKS_LIKE.get(key(letter) if not letter.isalnum() else "", re.escape(letter)) for letter in word)


def _distinctive(element: Token | Stretch) -> int:
    assert isinstance(element, Stretch)
    return sum(len(one.text) for one in element.gone if not one.is_small and one.normal not in COMMON)


def _kind(stretch: Stretch) -> Kind:
    kinds = [one.kind for one in stretch.gone]
    for kind in (Kind.CODE, Kind.VALUE, Kind.NAME, Kind.WORD):
        if kind in kinds:
            return kind
    return Kind.MARK


def _stood_in_code(context: str, wrong: str) -> bool:
    return any(wrong in span for span in _CODE_CONTEXT.findall(context)) if "`" in context else False


def _says_nothing(stretch: Stretch) -> bool:
    """Nothing but small words, a letter or a digit."""
    words = [one for one in stretch.gone if one.kind is not Kind.MARK]
    if all(one.normal in SMALL_WORDS for one in words):
        # An expression such as `in order to` is made of small words and one that is not; `as well as` is not enough.
        return True
    letters = sum(len(one.text) for one in words)
    if _WITHOUT_SPACES.search(stretch.typed):
        return letters < 2
    return letters < 2 or (letters < 2 + len(words) and all(one.kind is Kind.WORD for one in words))


def _is_weak(stretch: Stretch, kind: Kind) -> bool:
    words = [one for one in stretch.gone if not one.is_small]
    if len(words) > 1:
        return all(one.normal in COMMON for one in words) and len(stretch.gone) < 3
    word = words[0]
    if kind is Kind.VALUE:
        digits = sum(map(str.isdigit, word.text))
        return digits < 3 or _YEAR.fullmatch(word.text) is not None
    if kind is Kind.CODE:
        return False
    if _WITHOUT_SPACES.search(word.text):
        return False
    if kind is Kind.NAME:
        return word.normal in COMMON
    return word.normal in COMMON or stem(word.normal) in COMMON_STEMS or len(word.text) <= 3


def content(text: str) -> set[str]:
    """The stems of the words that carry meaning."""
    found = tokens(text)
    return {stem(one.normal) for one in found if not one.is_small and one.normal not in DETERMINERS}
