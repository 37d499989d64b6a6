"""What speaks for and against a pair of wrong and right words, as named numbers that `judge.py` weighs."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from heedful.capture.corrections.pairs.fitting import Fit
from heedful.capture.corrections.pairs.spans import EDGES, TextSpan
from heedful.capture.corrections.pairs.words import (
    ARTICLES,
    adds,
    form,
    is_content,
    is_contrast,
    is_denied,
    is_small,
    kind,
    places,
    plain,
    quotations,
    share_of_quotation,
    stems,
    stems_of_phrase,
    tells_of_before,
)
from heedful.records.reading import Exchange, Pointing, Reading
from heedful.text.sentences import spans
from heedful.text.words import words_of

Evidence = Mapping[str, float]

_LEAST = 1e-4  # probability that counts as none
_INNER_MARK = re.compile(r"[,;:.!?()](?=\s)|[\n\"“”`]")
_JOINING = words_of("and or but und oder aber et ou mais y o pero e mas")
_WITHIN_NAMES = words_of("de da do dos del di du la le van von of")
_TIME_OF_DAY = r"(?:noon|midnight|dawn|dusk|mittag|mitternacht|midi|minuit|mediodía|medianoche|meio-dia|meia-noite)"
_LIMIT = rf"(?:\d[\w:.,]{{0,12}}(?:\s?(?:[ap]m|uhr|h|%|€|euros?))?|{_TIME_OF_DAY}|[A-Z][a-zé]+(?:day|tag)s?)\b"
_RANGE = re.compile(
    rf"\b{_LIMIT}\s?(?:to|and|till|until|bis|und|à|et|a|y|al|até|e|-|–)\s?{_LIMIT}"
    r"|\b(?:half|quarter|ten|five|twenty) (?:past|to) \w+|\b(?:halb|viertel (?:vor|nach|ab)) \w+"
    r"|\b\w+ (?:et (?:demie|quart)|y (?:media|cuarto)|e (?:meia|quarto))\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:]\s|\b(?:but|now|aber|jetzt|mais|pero|mas)\b", re.IGNORECASE)
_REACH, _NEXT_CLAUSE = 8, 3  # words around a value that tell what it is of; words that the end of a clause counts for
_BEHIND = 1.5  # what stands behind a value tells less of it
_MOST_WORDS = 400
_LONG = 4  # words
_ALL = 0.9  # of the letters


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
        self.lowered_message = self.message.casefold()
        self.sentences, self.message_sentences = list(spans(self.output)), list(spans(self.message))
        self.said, self.written = frozenset(stems(self.message)), frozenset(stems(self.output))
        self.asked = frozenset(stems(exchange.question))
        self.sentence = reading.sentence
        self.quoted = quotations(self.message)
        found = list(islice(re.finditer(r"\S+", self.output), _MOST_WORDS))
        self.kinds = Counter(map(kind, {match[0] for match in found}))
        self.words = list[_OutputWord]()
        clause = 0
        for one in found:
            clause += one[0].casefold() in _JOINING
            sentence = sum(start <= one.start() for start, _ in self.sentences)
            self.words.append(_OutputWord(one.start(), kind(one[0]), (stems(one[0]) or ("",))[0], clause, sentence))
            clause += one[0][-1] in ",;:"

    @cached_property
    def belonging(self) -> list[float]:
        """For each word of the output, how close what the message speaks of stands to it."""
        counts = Counter(one.stem for one in self.words)
        said = [number for number, one in enumerate(self.words) if one.stem and one.stem in self.said]
        return [
            sum(self._closeness(number, other) / counts[self.words[other].stem] for other in said)
            for number in range(len(self.words))
        ]

    @cached_property
    def news(self) -> dict[str, list[str]]:
        """The values of each kind that the question has not named, in their order."""
        found: dict[str, list[str]] = {}
        for one in self.words:
            known = found.setdefault(one.kind, [])
            if one.stem and one.stem not in self.asked and one.stem not in known:
                known.append(one.stem)
        return found

    @cached_property
    def closest(self) -> dict[str, float]:
        """The closest of each kind."""
        found: dict[str, float] = {}
        for one, near in zip(self.words, self.belonging, strict=True):
            found[one.kind] = max(near, found.get(one.kind, 0.0))
        return found

    def number_at(self, start: int) -> int:
        """The number of the word at a place of the output."""
        return next((number for number, one in enumerate(self.words) if one.at > start), len(self.words)) - 1

    def _closeness(self, number: int, other: int) -> float:
        here, there = self.words[number], self.words[other]
        distance = abs(other - number) + _NEXT_CLAUSE * abs(there.clause - here.clause)
        if not 0 < distance <= _REACH or here.sentence != there.sentence:
            return 0.0
        return 1 / (1 + distance * (_BEHIND if other > number else 1))


class Beside(NamedTuple):
    """Words with those beside them in their sentence."""

    span: TextSpan
    kind: str
    before: str
    after: str
    verb: str
    """The stem of the word before them and their article."""
    began: bool
    """A content word stands before them, with no mark between."""
    goes_on: bool
    """The same behind them."""
    is_cut: bool
    """A part of a name."""
    is_limit: bool
    """A part of a range, or of a time such as `half past six`."""
    is_former: bool
    """Said of how things were."""

    @property
    def is_pointed_at(self) -> float:
        return _log(self.span.starts) + _log(self.span.ends)


def beside(span: TextSpan, text: str) -> Beside:
    start, end = span.sentence
    ahead = text[start : span.start].split()
    last = "".join(ahead[-1:])
    verb = "".join(ahead[-2:-1]) if plain(last) in ARTICLES else last
    behind = text[span.end : end].split()
    following = "".join(behind[:1])
    found = kind(span.text)
    return Beside(
        span,
        found,
        plain(last),
        plain(following),
        "".join(stems_of_phrase(verb)[:1]),
        began=last[-1:].isalnum() and is_content(last),
        goes_on=following[:1].isalnum() and span.text[-1].isalnum() and is_content(following),
        is_cut=found == "name" and _goes_on_as_name(ahead, behind),
        is_limit=_is_limit(span, text),
        is_former=tells_of_before(_clause(span, text)),
    )


def _clause(span: TextSpan, text: str) -> str:
    start, end = span.sentence
    before, after = _CLAUSE_END.split(text[start : span.start])[-1], _CLAUSE_END.split(text[span.end : end])[0]
    return f"{before}{span.text}{after}"


def _goes_on_as_name(ahead: list[str], behind: list[str]) -> bool:
    behind = behind[1:] if behind[:1] and behind[0] in _WITHIN_NAMES else behind
    return any(word[:1].isupper() for word in (*ahead[-1:], *behind[:1]))


def _is_limit(span: TextSpan, text: str) -> bool:
    """Whether it is a part of a range, such as `11 am to 3 pm`, or of a time."""
    start, end = span.sentence
    return any(
        match.start() + start < span.end and span.start < match.end() + start and len(match[0]) > span.end - span.start
        for match in _RANGE.finditer(text[start:end])
    )


def evidence(wrong: Beside, right: Beside, fit: Fit, words: ExchangeWords, like: float, likest: float) -> Evidence:
    """`like`: how alike the two are; `likest`: how alike what is most like the right words is."""
    return {
        "wrong_start": _log(wrong.span.starts),
        "wrong_end": _log(wrong.span.ends),
        "right_start": _log(right.span.starts),
        "right_end": _log(right.span.ends),
        "like": like,
        "likest": like >= likest,
        **_of_kinds(wrong, right, words),
        **_of_question(wrong, right, fit, words),
        **_of_form(fit),
        **_of_message(wrong, right, fit, words),
        **_of_place(wrong, right),
    }


def evidence_for_none(words: ExchangeWords, reading: Reading) -> Evidence:
    """What speaks for no pair at all."""
    return {
        "always": 1.0,
        "wrong_nowhere": _log(reading.wrong.nowhere),
        "right_nowhere": _log(reading.right.nowhere),
        "long_message": math.log(max(1, len(words.message.split()))),
        "adds": adds(words.message),
        "numbers": math.log(1 + words.kinds["number"]),
        "asked": bool(words.asked),
    }


def _of_kinds(wrong: Beside, right: Beside, words: ExchangeWords) -> Evidence:
    """A number takes the place of a number, and belongs to what the message speaks of."""
    one, other = wrong.kind, right.kind
    same = one == other
    number = words.number_at(wrong.span.start)
    belongs = words.belonging[number]
    return {
        "same_kind": same,
        **{f"both_{each}": same and one == each for each in ("number", "name", "word", "code")},
        "number_for_other": not same and "number" in (one, other),
        "name_for_other": not same and "name" in (one, other),
        "only_one": same and one != "word" and words.kinds[one] == 1,
        "belongs": belongs,
        "belongs_most": same and one != "word" and 0 < belongs >= words.closest.get(one, 0.0),
    }


def _of_question(wrong: Beside, right: Beside, fit: Fit, words: ExchangeWords) -> Evidence:
    """What the person asked with is seldom wrong: the answer is."""
    old, new = stems_of_phrase(fit.wrong), stems_of_phrase(fit.right)
    news = words.news.get(wrong.kind, [])
    same = wrong.kind == right.kind != "word" and bool(words.asked)
    return {
        "wrong_asked": sum(one in words.asked for one in old) / max(1, len(old)),
        "right_asked": sum(one in words.asked for one in new) / max(1, len(new)),
        "only_news": same and 0 < len(news) <= len(old) and set(news) <= set(old),
        "first_news": same and bool(news) and news[0] in old,
        "in_sentence": bool(words.sentence) and words.output[slice(*wrong.span.sentence)].strip() in words.sentence,
        "no_sentence": not words.sentence,
    }


def _of_form(fit: Fit) -> Evidence:
    from rapidfuzz import fuzz

    old, new = fit.wrong.split(), fit.right.split()
    return {
        "same_form": form(fit.wrong) == form(fit.right),
        "more_words": max(0, len(new) - len(old)),
        "fewer_words": max(0, len(old) - len(new)),
        "long": max(len(old), len(new)) > _LONG,
        "wrong_small": all(map(is_small, old)),
        "right_small": all(map(is_small, new)),
        "small_edges": sum(map(is_small, (old[0], old[-1], new[0], new[-1]))),
        "inner_marks": len(_INNER_MARK.findall(fit.wrong)) + len(_INNER_MARK.findall(fit.right)),
        "alike": fuzz.ratio(fit.wrong.casefold(), fit.right.casefold()) / 100,
        "right_has_wrong": bool(places(fit.wrong, fit.right.casefold())),
    }


def _of_message(wrong: Beside, right: Beside, fit: Fit, words: ExchangeWords) -> Evidence:
    """What the message says of either."""
    named = places(fit.wrong, words.lowered_message)
    length = len(fit.wrong)
    return {
        "wrong_named": bool(named),
        "wrong_denied": any(is_denied(words.message[:at]) for at in named),
        "contrasted": any(
            is_contrast(words.message, at, at + length, right.span.start, right.span.end) for at in named
        ),
        "wrong_pointed_at": max((_pointed(words.named, at, at + length) for at in named), default=0.0),
        "more_named": any(_goes_on_alike(wrong, words.message, at, at + length) for at in named),
        "right_denied": is_denied(words.message[: right.span.start]),
        "right_quoted": share_of_quotation(right.span[:2], words.quoted),
        "right_written": sum(one in words.written for one in stems_of_phrase(fit.right)),
        "all_of_message": len(right.span.text) >= _ALL * len(words.message.strip(EDGES)),
    }


def _of_place(wrong: Beside, right: Beside) -> Evidence:
    """The same words beside both, or more of a phrase that was cut."""
    same_before, same_after = wrong.before == right.before != "", wrong.after == right.after != ""
    apart = not (same_before or same_after)
    return {
        "same_before": same_before,
        "same_after": same_after,
        "wrong_goes_on": not same_after and wrong.goes_on,
        "right_goes_on": not same_after and right.goes_on,
        "both_go_on": not same_after and wrong.goes_on and right.goes_on,
        "wrong_cut": apart and wrong.is_cut,
        "right_cut": apart and right.is_cut,
    }


def _log(chance: float) -> float:
    return math.log(max(_LEAST, chance))


def _pointed(pointing: Pointing, start: int, end: int) -> float:
    return math.sqrt(pointing.starts.get(start, 0.0) * pointing.ends.get(end, 0.0))


def _goes_on_alike(wrong: Beside, message: str, start: int, end: int) -> bool:
    """The message names more of the output than these words: `spare` of `a spare jumper`."""
    after, before = message[end : end + 30].split(), message[max(0, start - 30) : start].split()
    behind = wrong.goes_on and plain("".join(after[:1])) == wrong.after
    return behind or (wrong.began and plain("".join(before[-1:])) == wrong.before)
