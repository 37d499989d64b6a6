"""Decisions: what there was to choose from, what was chosen, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.learn.conversations.local import phrasing
from heedful.learn.conversations.local.annotation import AnnotatedSentence, AnnotatedTranscript, fit
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding_parts import InsightFinding, parts
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker

_CHOSEN = frozenset({"recommendation", "my recommendation", "decision", "choice", "bottom line"})
_PHRASES = (
    " i recommend ",
    " i'd recommend ",
    " recommend using ",
    " my recommendation ",
    " recommendation is ",
    " i'd go with ",
    " i would go with ",
    " i'd keep ",
    " i'd suggest ",
    " we chose ",
    " decided to ",
    " decided on ",
    " chose to ",
    " opted for ",
    " went with ",
    " settled on ",
    " the right call ",
    " the right choice ",
    " the better option ",
    " the right home ",
)
_NAMED = re.compile(r"\b(?:option|approach|fix|alternative)\s+([A-D]|[1-4])\b", re.IGNORECASE)
_OPTION = re.compile(
    r"(?<!\W)\W*+(?:(?:option|approach|alternative|fix)\s*([A-D]|[1-4])\b|([A-D]|[1-4])[.):])[\s.:)—–-]*", re.IGNORECASE
)
_ALONE = re.compile(r"^[A-D]\b")
_VAGUE = re.compile(
    r"(?:(?:i'd |i would )?(?:recommend(?:ation)?(?: is)?:? )?(?:fix|apply|remove|do|ship|keep|drop|leave|skip|"
    r"defer|merge|add) (?:it|this|that|them|the fix|as-is)\b|(?:yes|no|none|both|all)\b)",
    re.IGNORECASE,
)
_AGREED = re.compile(
    r"^\W*(?:ok(?:ay)?|yes|yep|yeah|sure|agreed?|sounds good|perfect|great|go|do it|do|proceed|let'?s|makes sense|"
    r"option|keep|fine|mmk|[a-d1-4]\b|good|i like|exactly|right|add|implement)\b",
    re.IGNORECASE,
)
_MOST_OPTIONS = 4


def found(transcript: AnnotatedTranscript) -> Iterator[InsightFinding]:
    for sentence in transcript.sentences:
        if sentence.role != Speaker.ASSISTANT or not _choice(sentence) or _VAGUE.match(sentence.text):
            continue
        if fit(sentence) and not transcript.continued(sentence):  # what follows may speak of what was not chosen
            finding = _finding(transcript, sentence)
            if finding:
                yield finding


def _choice(sentence: AnnotatedSentence) -> bool:
    if sentence.label in _CHOSEN:
        return True
    return bool(sentence.cues & Cue.CHOICE) and any(stated in sentence.padded for stated in _PHRASES)


def _finding(transcript: AnnotatedTranscript, choice: AnnotatedSentence) -> InsightFinding | None:
    if phrasing.dangling(choice.text) or _ALONE.match(choice.text):
        return None
    options = _options(transcript, choice)
    named = _NAMED.search(choice.text)
    stated: tuple[AnnotatedSentence, ...] = (choice,)
    if named:
        chosen = options.get(named[1].upper())
        if chosen is None:
            return None  # nobody else knows what it is
        stated = (_unnumbered(chosen), choice)
    why = _why(transcript, choice)
    if not (why or choice.cues & Cue.REASON):
        return None
    agreed = _agreed(transcript, choice)
    score = (
        0.7
        + 0.3 * (choice.label in _CHOSEN)
        + 0.4 * (len(options) > 1)
        + 0.5 * bool(agreed)
        + 0.2 * bool(why and choice.cues & Cue.REASON)
        + 0.1 * any(sentence.cues & Cue.TRADE_OFF for sentence in (choice, *why))
    )
    offered = [_unnumbered(option) for option in options.values()] if len(options) > 1 else []
    labelled = parts(("choice", stated), ("why", why), ("options", offered))
    return InsightFinding(InsightCategory.DECISION, labelled, score, proof=agreed)


def _why(transcript: AnnotatedTranscript, choice: AnnotatedSentence) -> tuple[AnnotatedSentence, ...]:
    after = [
        sentence
        for sentence in transcript.nearby(choice, 0, 3)
        if fit(sentence) and sentence.source.section == choice.source.section
    ]
    why = [
        sentence
        for sentence in after
        if sentence.cues & (Cue.REASON | Cue.TRADE_OFF | Cue.FACT | Cue.CAUSE | Cue.ADVICE)
    ][:2]
    next_to = [sentence for sentence in after[:1] if sentence.order == choice.order + 1 and sentence not in why]
    beside = why and next_to and next_to[0].source.block == choice.source.block and not choice.cues & Cue.REASON
    return (*next_to, *why) if beside else tuple(why)  # a trade-off usually follows its reason


def _options(transcript: AnnotatedTranscript, choice: AnnotatedSentence) -> dict[str, AnnotatedSentence]:
    """By letter or number, as they were offered before."""
    options: dict[str, AnnotatedSentence] = {}
    for sentence in transcript.nearby(choice, 45, 0):
        match = _OPTION.match(sentence.source.raw)
        if (
            match
            and 20 <= len(sentence.text) <= 240
            and not phrasing.asked(sentence.text)
            and sentence.label not in _CHOSEN
        ):
            options.setdefault((match[1] or match[2]).upper(), sentence)
    return dict(list(options.items())[:_MOST_OPTIONS])


def _unnumbered(option: AnnotatedSentence) -> AnnotatedSentence:
    text = _OPTION.sub("", option.text, count=1)
    return option._replace(source=option.source._replace(text=text[:1].upper() + text[1:]))


def _agreed(transcript: AnnotatedTranscript, choice: AnnotatedSentence) -> tuple[AnnotatedSentence, ...]:
    """The person sentence yes in the next message."""
    sentence = transcript.reply(choice)
    return (sentence,) if sentence and _AGREED.match(sentence.text) and len(sentence.text) < 400 else ()
