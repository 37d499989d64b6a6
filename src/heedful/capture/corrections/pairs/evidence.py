"""What speaks for and against a pair of wrong and right words, as numbers that `judge.py` weighs."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from heedful.capture.corrections.pairs.fitting import Fit, number_of
from heedful.capture.corrections.pairs.spans import EDGES, TextSpan
from heedful.records.reading import Exchange, Pointing, Reading
from heedful.text.sentences import Span, spans
from heedful.text.stems import stem
from heedful.text.words import FUNCTION_WORDS, NEGATIONS

_LEAST = 1e-4  # probability that counts as none
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_INNER_MARK = re.compile(r"[,;:.!?()](?=\s)|[\n\"“”`]")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_CODE = re.compile(r"\w*[_./\\@=+#-]\w+|\w+\(\)?|[a-z]+[A-Z]\w*")
_QUOTED = re.compile(r"`([^`\n]{1,80})`|[\"“„«]([^\"”“»\n]{1,80})[\"”“»]")
_DENYING = NEGATIONS | frozenset(
    "than instead of statt anstatt lieu lugar vez wrong old former isn't aren't wasn't don't doesn't".split()
)
_ADDING = frozenset("also too well forgot missing mention auch aussi también também besides add".split())
_BEFORE = 3  # words
_REACH = 8  # words around a value that tell what it is of
_MOST_WORDS = 400
_JOINING = frozenset("and or but und oder aber et ou mais y o pero e mas".split())
_NEXT_CLAUSE = 3  # words that a clause counts for


class _OutputWord(NamedTuple):
    at: int
    kind: str
    stem: str
    clause: int
    sentence: int


class ExchangeWords:
    """The words of an exchange, taken apart once for all pairs."""

    def __init__(self, exchange: Exchange, reading: Reading) -> None:
        self.message, self.output, self.named = exchange.message, exchange.output, reading.named
        self.sentences = list(spans(self.output))
        self.said, self.written = frozenset(stems(self.message)), frozenset(stems(self.output))
        self.sentence_stems = {one: frozenset(stems(self.output[slice(*one)])) for one in self.sentences}
        self.lowered_message, self.lowered_output = self.message.casefold(), self.output.casefold()
        self.output_quotes, self.message_quotes = _quotes(self.output), _quotes(self.message)
        words = [match for match, _ in zip(re.finditer(r"\S+", self.output), range(_MOST_WORDS), strict=False)]
        starts = [start for start, _ in self.sentences]
        self.words, clause = list[_OutputWord](), 0
        for one in words:
            clause += one[0].casefold() in _JOINING
            sentence = sum(start <= one.start() for start in starts)
            self.words.append(_OutputWord(one.start(), kind(one[0]), (stems(one[0]) or ("",))[0], clause, sentence))
            clause += one[0][-1] in ",;:"
        distinct = {match[0] for match in words}
        self.output_kinds = Counter(map(kind, distinct))
        self.message_kinds = Counter(map(kind, set(self.message.split()[:_MOST_WORDS])))

    @cached_property
    def belonging(self) -> list[float]:
        """For each word of the output, how close what the message speaks of stands to it."""
        counts = Counter(one.stem for one in self.words)
        said = [number for number, one in enumerate(self.words) if one.stem and one.stem in self.said]
        found = []
        for number, one in enumerate(self.words):
            near = 0.0
            for other in said:
                distance = abs(other - number) + _NEXT_CLAUSE * abs(self.words[other].clause - one.clause)
                if 0 < distance <= _REACH and self.words[other].sentence == one.sentence:
                    behind = 1.5 if other > number else 1.0
                    near += 1 / (counts[self.words[other].stem] * (1 + behind * distance))
            found.append(near)
        return found

    def number_at(self, start: int) -> int:
        """The number of the word at a place of the output."""
        return next((number for number, one in enumerate(self.words) if one.at > start), len(self.words)) - 1


class WrongWords(NamedTuple):
    """What is known of wrong words, whatever takes their place."""

    span: TextSpan
    kind: str
    before: str
    after: str
    content_before: str
    """The last content word before them."""
    quote: float
    """1 for all of a quotation, -1 for a part of one."""
    next: tuple[str, str]
    belongs: float
    closest: bool
    """No other of its kind belongs closer to what the message speaks of."""
    is_all: bool
    goes_on: bool
    """A content word follows, with nothing between."""
    went_on: bool
    log_starts: float
    log_ends: float


class RightWords(NamedTuple):
    span: TextSpan
    kind: str
    denied: bool
    named: float
    before: str
    after: str
    content_before: str
    quote: float
    next: tuple[str, str]
    is_all: bool
    goes_on: bool
    """A content word follows, with nothing between."""
    went_on: bool
    log_starts: float
    log_ends: float


NAMES: tuple[str, ...] = (
    "wrong_start", "wrong_end", "right_start", "right_end",
    "same_kind", "number", "name", "word", "code", "number_mixed", "name_mixed", "same_form",
    "more_words", "fewer_words", "long",
    "wrong_named", "wrong_named_denied", "wrong_named_pointed", "right_denied", "right_named", "right_stands",
    "wrong_small", "right_small", "small_edge", "wrong_has_said", "right_has_written", "right_has_wrong",
    "wrong_goes_on", "wrong_went_on", "right_goes_on", "right_went_on", "named_goes_on",
    "same_before", "same_after", "same_content_before", "inner_mark",
    "belongs", "closest", "closest_value", "sentence_said", "alike", "same_letters",
    "rivals", "right_rivals", "only_one", "all_of_message", "whole_sentence",
    "wrong_cut", "right_cut", "wrong_quote", "right_quote", "like", "like_words", "likest",
)  # fmt: skip


@lru_cache(4_096)
def kind(text: str) -> str:
    """Number, code, name or word."""
    text = text.strip(EDGES)
    words = text.split()
    if not words:
        return "word"
    if (_NUMBER.search(text) and not _CODE.fullmatch(text)) or number_of(words[0]) is not None:
        return "number"
    if _CODE.fullmatch(text):
        return "code"
    return "name" if all(word[:1].isupper() or word.casefold() in FUNCTION_WORDS for word in words) else "word"


@lru_cache(4_096)
def stems(text: str) -> tuple[str, ...]:
    lowered = (word.casefold() for word in _WORD.findall(text))
    return tuple(stem(word) for word in lowered if word not in FUNCTION_WORDS and word not in NEGATIONS)


def wrong_words(span: TextSpan, words: ExchangeWords) -> WrongWords:
    start, end = span.sentence
    before, after = words.output[start : span.start].split(), words.output[span.end : end].split()
    found = kind(span.text)
    number = words.number_at(span.start)
    belongs = words.belonging[number]
    rivals = (near for one, near in zip(words.words, words.belonging, strict=True) if one.kind == found)
    return WrongWords(
        span, found, _plain(before[-1:]), _plain(after[:1]), _content(before),
        _quote(span, words.output_quotes), ("".join(before[-1:]), "".join(after[:1])),
        belongs, 0 < belongs >= max(rivals, default=0.0),
        len(span.text) >= 0.9 * len(words.output[start:end].strip(EDGES)),
        _is_content(span.text, after[:1]), _is_content("".join(before[-1:]), span.text.split()[:1], before[-1:]),
        _log(span.starts), _log(span.ends),
    )  # fmt: skip


def right_words(span: TextSpan, words: ExchangeWords) -> RightWords:
    start, end = span.sentence
    before, after = words.message[start : span.start].split(), words.message[span.end : end].split()
    return RightWords(
        span, kind(span.text), _is_denied(words.message[: span.start]), _pointed(words.named, span.start, span.end),
        _plain(before[-1:]), _plain(after[:1]), _content(before), _quote(span, words.message_quotes),
        ("".join(before[-1:]), "".join(after[:1])), len(span.text) >= 0.9 * len(words.message.strip(EDGES)),
        _is_content(span.text, after[:1]), _is_content("".join(before[-1:]), span.text.split()[:1], before[-1:]),
        _log(span.starts), _log(span.ends),
    )  # fmt: skip


def evidence(
    wrong: WrongWords, right: RightWords, fit: Fit, words: ExchangeWords, like: float, likest: float
) -> list[float]:
    """In the order of NAMES."""
    old, new = fit.wrong.split(), fit.right.split()
    kinds = wrong.kind, right.kind
    same, both = kinds[0] == kinds[1], kinds[0]
    named = _places(fit.wrong, words.lowered_message)
    denied = any(_is_denied(words.message[:at]) for at in named)
    pointed = max((_pointed(words.named, at, at + len(fit.wrong)) for at in named), default=0.0)
    new_stems = stems(fit.right)
    said = words.said.difference(new_stems)
    known = max((len(one & said) for one in words.sentence_stems.values()), default=0)
    here = len(words.sentence_stems[wrong.span.sentence] & said)
    rivals, others = words.output_kinds[wrong.kind], words.message_kinds[right.kind]
    same_before, same_after = wrong.before == right.before != "", wrong.after == right.after != ""
    apart = not (same_before or same_after)
    return [
        wrong.log_starts, wrong.log_ends, right.log_starts, right.log_ends,
        same, same and both == "number", same and both == "name", same and both == "word", same and both == "code",
        not same and "number" in kinds, not same and "name" in kinds, _form(fit.wrong) == _form(fit.right),
        max(0, len(new) - len(old)), max(0, len(old) - len(new)), max(len(old), len(new)) > 4,
        bool(named), denied, pointed, right.denied, right.named, bool(_places(fit.right, words.lowered_output)),
        _is_small(old), _is_small(new), sum(map(_is_small_word, (old[0], old[-1], new[0], new[-1]))),
        0 if named else sum(one in words.said for one in stems(fit.wrong)), sum(one in words.written for one in new_stems),
        bool(_places(fit.wrong, fit.right.casefold())),
        not same_after and wrong.goes_on, not same_before and wrong.went_on,
        not same_after and right.goes_on, not same_before and right.went_on,
        any(_goes_on_alike(wrong, words.message, at, at + len(fit.wrong)) for at in named),
        same_before, same_after, wrong.content_before == right.content_before != "",
        len(_INNER_MARK.findall(fit.wrong)) + len(_INNER_MARK.findall(fit.right)),
        wrong.belongs, wrong.closest, wrong.closest and same and both != "word", here == known > 0, _alike(fit),
        _letters(fit.wrong) == _letters(fit.right),
        math.log(max(1, rivals)), math.log(max(1, others)), same and both != "word" and rivals == 1,
        right.is_all, wrong.is_all, apart and _is_cut(wrong.kind, wrong.next), apart and _is_cut(right.kind, right.next),
        wrong.quote, right.quote, like, like * (same and both == "word"), like >= likest,
    ]  # fmt: skip


NONE_NAMES: tuple[str, ...] = (
    "always", "wrong_nowhere", "right_nowhere", "doubt", "sentences", "long_message", "asks", "adds", "values",
)  # fmt: skip


def evidence_for_none(words: ExchangeWords, reading: Reading) -> list[float]:
    """What speaks for no pair at all, in the order of NONE_NAMES."""
    said = words.lowered_message.split()
    return [
        1.0,
        _log(reading.wrong.nowhere),
        _log(reading.right.nowhere),
        _log(1 - reading.correction),
        math.log(max(1, len(words.sentences))),
        math.log(max(1, len(said))),
        "?" in words.message,
        not _ADDING.isdisjoint(word.strip(EDGES) for word in said),
        math.log(1 + words.output_kinds["number"]),
    ]


def _log(chance: float) -> float:
    return math.log(max(_LEAST, chance))


def _pointed(pointing: Pointing, start: int, end: int) -> float:
    return math.sqrt(pointing.starts.get(start, 0.0) * pointing.ends.get(end, 0.0))


def _is_content(before: str, following: Sequence[str], sought: Sequence[str] | None = None) -> bool:
    """Whether a content word stands beside others, with no mark between."""
    word = "".join(following if sought is None else sought)
    joined = bool(word) and word[0].isalnum() and before[-1:].isalnum()
    return joined and not _is_small_word(word) and word.strip(EDGES).casefold() not in NEGATIONS


def _goes_on_alike(wrong: WrongWords, message: str, start: int, end: int) -> bool:
    """The message names more of the output than these words: `spare` of `a spare jumper`."""
    after, before = message[end : end + 30].split(), message[max(0, start - 30) : start].split()
    return (wrong.goes_on and _plain(after[:1]) == wrong.after) or (wrong.went_on and _plain(before[-1:]) == wrong.before)


def _plain(words: Sequence[str]) -> str:
    return words[0].strip(EDGES).casefold() if words else ""


def _content(before: Sequence[str]) -> str:
    found = stems(" ".join(before[-4:]))
    return found[-1] if found else ""


def _quotes(text: str) -> list[Span]:
    return [match.span(1 if match[1] else 2) for match in _QUOTED.finditer(text)]


def _quote(span: TextSpan, quotes: Sequence[Span]) -> float:
    for start, end in quotes:
        if start <= span.start and span.end <= end:
            return 1.0 if span.end - span.start >= end - start - 1 else -1.0
    return 0.0


def _is_cut(kind: str, beside: tuple[str, str]) -> bool:
    """A name that goes on beside the words."""
    return kind == "name" and any(word[:1].isupper() for word in beside)


@lru_cache(4_096)
def _is_small_word(word: str) -> bool:
    return word.strip(EDGES).casefold() in FUNCTION_WORDS


def _is_small(words: Sequence[str]) -> bool:
    return all(map(_is_small_word, words))


def _is_denied(before: str) -> bool:
    last = [word.strip(EDGES).casefold().replace("’", "'") for word in before[-60:].split()[-_BEFORE:]]
    return not before.rstrip().endswith((".", "!", "?", ";")) and not _DENYING.isdisjoint(last)


def _places(phrase: str, lowered: str) -> list[int]:
    """Where a phrase stands by itself."""
    sought, found, at = phrase.casefold(), list[int](), 0
    while (at := lowered.find(sought, at)) >= 0 and len(found) < 4:
        end = at + len(sought)
        inside = (at > 0 and lowered[at - 1].isalnum() and sought[0].isalnum()) or (
            lowered[end : end + 1].isalnum() and sought[-1].isalnum()
        )
        if not inside:
            found.append(at)
        at = end
    return found


@lru_cache(4_096)
def _form(text: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text))


def _alike(fit: Fit) -> float:
    from rapidfuzz import fuzz

    return fuzz.ratio(fit.wrong.casefold(), fit.right.casefold()) / 100


@lru_cache(4_096)
def _letters(text: str) -> str:
    """In lower case, and without what joins them."""
    return re.sub(r"\W", "", text).casefold()
