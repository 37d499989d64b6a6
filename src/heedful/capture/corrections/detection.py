"""Whether a message corrects the output before it: by the reader, and by a language model if there is one."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from typing import NamedTuple

from heedful.capture.corrections.categories import category, severity
from heedful.capture.corrections.elsewhere import is_of_elsewhere
from heedful.capture.corrections.model_reading import read_by_model
from heedful.capture.corrections.next_tasks import is_next_task
from heedful.capture.corrections.pairs.judge import LikelyPair, likeliest
from heedful.capture.corrections.questions import asks_for_more
from heedful.errors import ProviderError
from heedful.records.correction import LONG_LIMIT, Category, Detection
from heedful.records.language import LanguageModel
from heedful.records.reading import Exchange, MessageAct, MessageReading, Reader, Reading
from heedful.text.because import reason_in
from heedful.text.checks import checked_text
from heedful.text.contribution import agrees, contributes
from heedful.text.naming import is_naming
from heedful.text.redaction import PLACEHOLDER

THRESHOLD = 0.3
"""The probability from which a message is a correction."""
PAIR_THRESHOLD, PAIR_CORRECTION = 0.6, 0.6
"""The probability from which the wrong and the right words are certain, because they are replaced in later texts; and
from which a message is so surely a correction that they are looked for."""

ALWAYS_THRESHOLD, NAMING_THRESHOLD = 0.4, 0.05
"""The probability from which a correction holds always: three in four do, and how a thing is called nearly always."""
MANNER_THRESHOLD = 0.5
"""The probability from which it is about how the AI writes or works, and so holds whatever is asked."""
STATED_THRESHOLD, ALONE_THRESHOLD = 0.6, 0.3
"""The same for what is said to a coding agent, where most holds for the task at hand: that it should be remembered, and
that it makes sense to somebody who was not there."""

REFUSED_THRESHOLD = 0.4
"""The probability that a person refuses what a coding agent did, from which a message may correct it."""
SURELY_REFUSED_THRESHOLD, SURELY_ALWAYS_THRESHOLD, HEARD_THRESHOLD = 0.6, 0.8, 0.1
"""The probabilities from which on a correction of a coding agent lasts although it hardly states something itself."""

_REDACTED = 0.3  # the probability from which words are redacted because they take the place of a secret

_CONCEDES = re.compile(
    r"\b(?:you(?:['’]?re| are| were) right|i was wrong|i stand corrected|my (?:mistake|bad)"
    r"|du hast recht|sie haben recht|(?:tu as|vous avez) raison|tienes razón|(?:você|tu)? ?tens? razão)\b"
    r"(?!.*\b(?:but|though|except|however|still|only|aber|nur|mais|sauf|pero|mas)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""Who gives in corrects nothing, unless there is a but."""
_LOG = logging.getLogger("heedful.detection")


class DetectionResult(NamedTuple):
    detection: Detection
    by: dict[str, float]
    """The probability of a correction by each detector."""
    secret: str = ""
    """Words of the message that take the place of a redacted secret: they are one, too."""
    contributes: bool = True
    """Whether the message says something by itself; if it does not, it is a complaint at most."""


def detect(
    exchange: Exchange, reader: Reader, language: LanguageModel | None, *, to_agent: bool = False
) -> DetectionResult:
    """`to_agent`: the message is to a coding agent."""
    checked_text(exchange.output, "last_output", LONG_LIMIT, hint="Send its end.")
    if not exchange.output.strip() or not exchange.message.strip():  # nothing to correct, or no message
        return DetectionResult(Detection(False, 0.0, None, 0.0, "", "", "", ()), {"local": 0.0})
    if agrees(exchange.message):
        return DetectionResult(Detection(False, 0.0, None, 0.0, "", "", "", ("only agrees",)), {"local": 0.0})
    found = _read(exchange, reader, language, to_agent=to_agent)
    if not found.detection.is_correction:
        return found
    if not contributes(exchange.message, f"{exchange.question}\n{exchange.output}"):
        said = (*found.detection.signals, "says nothing by itself, so it is not kept")
        passing = replace(found.detection, always=False, occasions=(), understood="", signals=said)
        return found._replace(detection=passing, contributes=False)
    return found._replace(detection=_as_said(found.detection, exchange.message))


def _read(exchange: Exchange, reader: Reader, language: LanguageModel | None, *, to_agent: bool) -> DetectionResult:
    reading = reader.read(exchange)
    local, secret = _locally(exchange, reading)
    if to_agent and local.is_correction:
        local = _to_agent(local, exchange, reading, reader)
    if language is None:
        return DetectionResult(local, {"local": round(local.confidence, 4)}, secret)
    try:
        found, sure = read_by_model(language, exchange, local)
    except ProviderError as error:
        _LOG.warning("the local reader decides alone: %s", error.code)
        return DetectionResult(replace(local, unanswered=error.code), {"local": round(local.confidence, 4)}, secret)
    if PLACEHOLDER.search(found.wrong):
        secret, found = found.right, replace(found, wrong="", right="", fixed="", understood="", occasions=())
    return DetectionResult(found, {"local": round(local.confidence, 4), "llm": round(sure, 4)}, secret)


def _as_said(found: Detection, message: str) -> Detection:
    """Whether it lasts, as the message says in so many words, if it does."""
    from heedful.text.dictation import message_lasting  # noqa: PLC0415 - its patterns take 12 ms to compile
    from heedful.text.lasting import Lasting  # noqa: PLC0415

    match message_lasting(message):
        case Lasting.EXPLICIT:
            return replace(found, always=True)
        case Lasting.PASSING:
            return replace(found, always=False, occasions=())
    return found


def _locally(exchange: Exchange, reading: Reading) -> tuple[Detection, str]:
    """And the words that take the place of a redacted secret."""
    pair = likeliest(exchange, reading) if reading.correction >= PAIR_CORRECTION else None
    if pair is not None and pair.is_redacted:
        return _detected(exchange, reading, None), pair.right if pair.chance >= _REDACTED else ""
    return _detected(exchange, reading, pair), ""


def _detected(exchange: Exchange, reading: Reading, pair: LikelyPair | None) -> Detection:
    signals = (f"reads as {_IN_WORDS[reading.act]}",)
    if _CONCEDES.search(exchange.message):
        return Detection(False, 0.0, None, 0.0, "", "", "", ("gives in",))
    if reading.correction < THRESHOLD:
        return Detection(False, reading.correction, None, 0.0, "", "", "", signals)
    if is_next_task(exchange):
        return Detection(False, 0.0, None, 0.0, "", "", "", ("changes the task",))
    if asks_for_more(exchange.message, exchange.output):
        return Detection(False, 0.0, None, 0.0, "", "", "", ("asks for something",))
    elsewhere = is_of_elsewhere(exchange.message, exchange.output)
    pair = None if elsewhere else pair
    wrong, right = (pair.wrong, pair.right) if pair is not None and pair.chance >= PAIR_THRESHOLD else ("", "")
    kind = category(exchange.message, exchange.output, wrong, right)
    is_manner = reading.manner >= MANNER_THRESHOLD
    least = NAMING_THRESHOLD if wrong and is_naming(exchange.message, wrong, right) else ALWAYS_THRESHOLD
    if is_manner and kind not in _MANNERS:
        kind = Category.PREFERENCE
    return Detection(
        is_correction=True,
        confidence=reading.correction,
        category=kind,
        severity=severity(exchange.message, kind, wrong, right),
        wrong=wrong,
        right=right,
        why=reason_in(exchange.message),
        signals=(*signals, "tells how it was, or is elsewhere") if elsewhere else signals,
        sentence=reading.sentence,
        always=not elsewhere and (is_manner or reading.always >= least),
    )


_MANNERS = (Category.STYLE, Category.PREFERENCE)
_IN_WORDS = {
    MessageAct.CORRECTION: "a correction",
    MessageAct.ANSWER: "an answer",
    MessageAct.REQUEST: "a request",
    MessageAct.QUESTION: "a question",
    MessageAct.PRAISE: "praise",
    MessageAct.REPORT: "a report",
    MessageAct.SELF: "a self-correction",
}


def _to_agent(found: Detection, exchange: Exchange, reading: Reading, reader: Reader) -> Detection:
    """In a session with a coding agent, most messages just go on: what neither refuses what the agent did nor states
    something to remember corrects nothing."""
    told = reader.message(exchange.message, exchange.output)
    is_stated = _is_stated(exchange.message, told)
    if not is_stated and told.refused < REFUSED_THRESHOLD:
        return Detection(False, told.refused, None, 0.0, "", "", "", ("just goes on",))
    is_general = reading.manner >= MANNER_THRESHOLD or _is_meant_to_last(exchange.message, reading, told)
    return replace(found, always=is_stated or is_general)


def _is_meant_to_last(message: str, reading: Reading, told: MessageReading) -> bool:
    """`We say du to customers` is too short to tell by itself; that it surely corrects, and for good, speaks for it. So
    does a ban by name: `don't use print here`."""
    from heedful.text.bans import bans  # noqa: PLC0415 - its patterns take long to compile

    if told.refused < SURELY_REFUSED_THRESHOLD:
        return False
    likeliest_one = max((one.chance for one in told.statements), default=0.0)
    return (reading.always >= SURELY_ALWAYS_THRESHOLD and likeliest_one >= HEARD_THRESHOLD) or bool(bans(message))


def _is_stated(message: str, told: MessageReading) -> bool:
    """Whether a message to a coding agent states a rule, a fact or a decision. `The other file, not this one` does not,
    and would be told to every session from now on."""
    from heedful.text.persons import is_of_themselves  # noqa: PLC0415 - its patterns take long to compile

    likely = (
        message[slice(*one.sentence)]
        for one in told.statements
        if one.chance >= STATED_THRESHOLD and one.alone >= ALONE_THRESHOLD
    )
    return any(not sentence.rstrip().endswith("?") and not is_of_themselves(sentence) for sentence in likely)
