"""Whether a message corrects the output before it: by the reader, and by a language model if there is one."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from typing import NamedTuple

from heedful.capture.corrections.categories import category, severity
from heedful.capture.corrections.model_reading import read_by_model
from heedful.capture.corrections.next_tasks import is_next_task
from heedful.capture.corrections.pairs import Spans, spans
from heedful.capture.corrections.pairs.fitting import fitted, is_value, rivals
from heedful.errors import ProviderError
from heedful.records.correction import LONG_LIMIT, Detection
from heedful.records.language import LanguageModel
from heedful.records.reading import Exchange, Reader, Reading
from heedful.text.checks import checked_text

THRESHOLD = 0.4
"""The probability from which a message is a correction."""
PAIR_THRESHOLD, VALUE_THRESHOLDS = 0.6, (0.1, 0.2)
"""The probability from which the wrong and the right words are certain, because they are replaced in later texts; and
from which a number is, that is the only one of its form in the output, or one of two."""
SURE = 0.9
"""The probability from which one word may stand for two."""

ALWAYS_THRESHOLD = 0.3
"""The probability from which a correction holds always: three in four do."""
STATED_THRESHOLD, ALONE_THRESHOLD = 0.6, 0.5
"""The same for what is said to a coding agent, where most holds for the task at hand: that it should be remembered, and
that it makes sense to somebody who was not there."""

_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")
_RANGE = 3  # words: from, joined by, to
_JOINS = frozenset({"to", "until", "till", "and", "–", "-", "bis", "à", "a", "até", "hasta"})
_CONCEDES = re.compile(
    r"\b(?:you(?:['’]?re| are| were) right|i was wrong|i stand corrected|my (?:mistake|bad)"
    r"|du hast recht|sie haben recht|(?:tu as|vous avez) raison|tienes razón|(?:você|tu)? ?tens? razão)\b"
    r"(?!.*\b(?:but|though|except|however|still|only|aber|nur|mais|sauf|pero|mas)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""Who gives in corrects nothing, unless there is a but."""
_LOG = logging.getLogger("heedful.detection")
_EDGES = " \t\n\"'`“”„‘’«».,;:!?*()[]"


class DetectionResult(NamedTuple):
    detection: Detection
    by: dict[str, float]
    """The probability of a correction by each detector."""


def detect(
    exchange: Exchange, reader: Reader, language: LanguageModel | None, *, to_agent: bool = False
) -> DetectionResult:
    """`to_agent`: the message is to a coding agent."""
    checked_text(exchange.output, "last_output", LONG_LIMIT, hint="Send its end.")
    if not exchange.output.strip() or not exchange.message.strip():  # nothing to correct, or no message
        return DetectionResult(Detection(False, 0.0, None, 0.0, "", "", "", ()), {"local": 0.0})
    local = _locally(exchange, reader.read(exchange))
    if to_agent and local.is_correction:
        local = replace(local, always=_is_stated(exchange, reader))
    if language is None:
        return DetectionResult(local, {"local": round(local.confidence, 4)})
    try:
        found, sure = read_by_model(language, exchange, local)
    except ProviderError as error:
        _LOG.warning("the local reader decides alone: %s", error.code)
        return DetectionResult(replace(local, unanswered=error.code), {"local": round(local.confidence, 4)})
    return DetectionResult(found, {"local": round(local.confidence, 4), "llm": round(sure, 4)})


def _locally(exchange: Exchange, reading: Reading) -> Detection:
    signals = (f"reads as {_ARTICLES.get(reading.act, 'a')} {reading.act}",)
    if _CONCEDES.search(exchange.message):
        return Detection(False, 0.0, None, 0.0, "", "", "", ("gives in",))
    if reading.correction < THRESHOLD:
        return Detection(False, reading.correction, None, 0.0, "", "", "", signals)
    if is_next_task(exchange):
        return Detection(False, 0.0, None, 0.0, "", "", "", ("changes the task",))
    wrong, right, why = _pair(exchange, reading)
    kind = category(exchange.message, exchange.output, wrong, right)
    return Detection(
        is_correction=True,
        confidence=reading.correction,
        category=kind,
        severity=severity(exchange.message, kind, wrong, right),
        wrong=wrong,
        right=right,
        why=why,
        signals=signals,
        sentence=reading.sentence,
        always=reading.always >= ALWAYS_THRESHOLD,
    )


_ARTICLES = {"answer": "an"}


def _is_stated(exchange: Exchange, reader: Reader) -> bool:
    """Whether a message to a coding agent states a rule, a fact or a decision. `The other file, not this one` does not,
    and would be told to every session from now on."""
    return any(
        one.chance >= STATED_THRESHOLD and one.alone >= ALONE_THRESHOLD
        for one in reader.message(exchange.message, exchange.output).statements
        if not exchange.message[slice(*one.sentence)].rstrip().endswith("?")
    )


def _pair(exchange: Exchange, reading: Reading) -> Spans:
    """The wrong and the right words where they are certain: by the reader, or in a plain form such as `X, not Y`."""
    plain = spans(exchange.message, exchange.output)
    wrong, right = fitted(*_found(reading), exchange.output, exchange.message)
    named = plain.wrong and plain.right and plain.wrong.casefold() in exchange.output.casefold()
    if reading.correction < PAIR_THRESHOLD:
        return Spans("", "", "")
    if named and (range := _range_before(plain.wrong, exchange.message)):
        return plain._replace(right=range)
    if wrong and right and wrong != right and _is_certain(reading, exchange, plain if named else None):
        return _agreed(wrong, right, plain)
    if named and _word_count(plain.wrong) == _word_count(plain.right):
        return plain
    return Spans("", "", "")  # the reason is in what they said


def _found(reading: Reading) -> tuple[str, str]:
    return reading.wrong.strip(_EDGES), reading.right.strip(_EDGES)


def _is_certain(reading: Reading, exchange: Exchange, plain: Spans | None) -> bool:
    """The form says the same, or the person quotes both, or the reader is sure."""
    message = exchange.message
    wrong, right = fitted(*_found(reading), exchange.output, message)
    if plain is not None and plain.wrong in wrong and plain.right in right:
        return True
    if plain is not None and wrong in plain.wrong and right in plain.right:
        return wrong.count(" ") == right.count(" ") or reading.pair >= SURE
    if all(re.search(rf"[\"“„«'‘`]{re.escape(words)}[.,]?[\"”“»'’`]", message) for words in (wrong, right)):
        return True
    if is_value(wrong, right):
        least = dict(enumerate(VALUE_THRESHOLDS, 1)).get(rivals(wrong, exchange.output), PAIR_THRESHOLD)
        return reading.pair >= least
    return reading.pair >= PAIR_THRESHOLD and _shape(wrong) == _shape(right)


def _agreed(wrong: str, right: str, plain: Spans) -> Spans:
    """As in the form, if that is less, or both its sides have the same besides, such as `days`; and `nil, not an error`
    leaves no article."""
    if plain.wrong and plain.wrong in wrong and plain.right and plain.right in right:
        return plain
    beside = plain.wrong.replace(wrong, "", 1).strip(), plain.right.replace(right, "", 1).strip()
    if wrong in plain.wrong and right in plain.right and (beside[0] == beside[1] or beside in (("a", ""), ("an", ""))):
        return plain
    return plain._replace(wrong=wrong, right=right)


def _range_before(wrong: str, message: str) -> str:
    """`Tuesday to Saturday` of `Tuesday to Saturday, not Monday to Friday`: as many words, and joined by the same."""
    words = wrong.split()
    if len(words) < _RANGE or not _JOINS.intersection(words):
        return ""
    before = message.partition(wrong)[0].split()[:-1]  # without `not`
    found = [word.strip(_EDGES) for word in before[-len(words) :]]
    same = [(one, other) for one, other in zip(words, found, strict=False) if one in _JOINS or other in _JOINS]
    return " ".join(found) if len(found) == len(words) and all(one == other for one, other in same) else ""


def _word_count(text: str) -> int:
    """Without an article."""
    return len([word for word in text.split() if word.lower() not in ("a", "an", "the")])


def _shape(text: str) -> str:
    """`8:15` and `7:45` have one shape; `60th` and `65` do not, nor do one word and two."""
    return _LETTERS.sub("a", _DIGITS.sub("9", text))
