"""Tool usage: how a tool, a library or a language behaves, and what to run to get something done."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.learn.conversations.local import phrasing
from heedful.learn.conversations.local.annotation import AnnotatedSentence, AnnotatedTranscript, fit, related
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding_parts import InsightFinding, parts
from heedful.learn.conversations.tags import technologies
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker

_QUESTION = re.compile(
    r"(?:^|[.!,;]\s+|\b(?:ok|so|and|hmm+|btw)[,.]*\s+)(?:what(?:'s| is| does| do| are)\b|how (?:do|can|does|would|"
    r"should|to)\b|why (?:does|do|is|are|can't|did|doesn't|isn't)\b|is there a way|which (?:command|flag|option)|"
    r"when should|what happens)",
    re.IGNORECASE,
)
_OF_YOU = re.compile(r"\b(?:why|what|how)(?:'d| did| do| are| were| would| have|'re)? you\b", re.IGNORECASE)
_OURS = re.compile(r"\b(?:our|we|us|your|this|these)\b", re.IGNORECASE)
_READ_ON, _SOON = 30, 3  # sentences of an answer, and those among which it has to come to the point
_POINTS = 3
_OPENING = 60  # characters in which the tool has to be named
_OWN_NAME = re.compile(r"`[^`\s]*[a-z][A-Z]")  # of the project at hand, most likely
_LONGEST_QUESTION = 300
_LONGEST_CODE = 400


def found(transcript: AnnotatedTranscript) -> Iterator[InsightFinding]:
    for sentence in transcript.sentences:
        if sentence.role == Speaker.USER and _question(sentence):
            yield from _answer(transcript, sentence)
        elif sentence.role == Speaker.ASSISTANT and _a_fact(sentence) and fit(sentence) and _about_a_tool(sentence):
            yield from _fact(transcript, sentence)


def _question(sentence: AnnotatedSentence) -> bool:
    asked = phrasing.asked(sentence.text) and len(sentence.text) <= _LONGEST_QUESTION
    return asked and bool(_QUESTION.search(sentence.text)) and not _OF_YOU.search(sentence.text)


def _answer(transcript: AnnotatedTranscript, asked: AnnotatedSentence) -> Iterator[InsightFinding]:
    """What a person wanted to know, and the message that tells: what holds, then the points it makes."""
    answer = transcript.turn(asked)
    telling = [sentence for sentence in answer[:_READ_ON] if fit(sentence) and not phrasing.first_person(sentence.text)]
    what = next(
        (sentence for sentence in telling[:_SOON] if _explains(sentence) and not phrasing.dangling(sentence.text)), None
    )
    if what is None or what.cues & Cue.WARNING:  # a warning is an anti-pattern
        return
    following = [sentence for sentence in telling if sentence.order > what.order]
    rest = [sentence for sentence in following if sentence.source.block == what.source.block][:2]
    points = [sentence for sentence in _points(following, what) if sentence not in rest][:_POINTS]
    code = what.source.code if len(what.source.code) <= _LONGEST_CODE else ""
    known = bool(technologies(what.text))
    if not (known or "`" in what.text or technologies(" ".join(sentence.text for sentence in (asked, *rest, *points)))):
        return  # it may be about cooking
    if rest or points or (known and code):
        score = (
            0.8
            + 0.3 * known
            + 0.2 * bool(code)
            + 0.2 * bool(points)
            + 0.2 * bool(what.cues & (Cue.FACT | Cue.CAUSE | Cue.REASON))
            + 0.2 * bool(rest)
        )
        yield InsightFinding(
            InsightCategory.TOOL_USAGE,
            parts(("what", (what, *rest)), (_about(asked), points)),
            score,
            code,
            proof=(asked,),
        )


def _about(asked: AnnotatedSentence) -> str:
    return "why" if " why " in asked.padded else "how"


def _explains(sentence: AnnotatedSentence) -> bool:
    if phrasing.recounted(sentence.text) or phrasing.places(sentence.text) > 1:
        return False
    return "`" in sentence.text or bool(technologies(sentence.text)) or bool(sentence.cues & (Cue.CAUSE | Cue.FACT))


def _points(following: list[AnnotatedSentence], what: AnnotatedSentence) -> Iterator[AnnotatedSentence]:
    """The first sentence of each list item or bold opening after it."""
    seen: set[int] = {what.source.block}
    for sentence in following:
        point = sentence.source.item or sentence.source.lead
        if (
            point
            and sentence.source.block not in seen
            and related(sentence, what)
            and not phrasing.dangling(sentence.text)
        ):
            seen.add(sentence.source.block)
            yield sentence


def _a_fact(sentence: AnnotatedSentence) -> bool:
    return bool(sentence.cues & Cue.FACT) and not sentence.cues & Cue.WARNING


def _about_a_tool(sentence: AnnotatedSentence) -> bool:
    return bool(technologies(sentence.source.raw[:_OPENING])) and not _OURS.search(sentence.text[:_OPENING])


def _fact(transcript: AnnotatedTranscript, fact: AnnotatedSentence) -> Iterator[InsightFinding]:
    stated = transcript.whole(fact)
    near = [
        sentence
        for sentence in transcript.nearby(fact, 1, 3)
        if fit(sentence) and sentence.source.section == fact.source.section
    ]
    after = [sentence for sentence in near if sentence.order > fact.order and related(sentence, fact)]
    why = tuple(sentence for sentence in after if sentence.cues & (Cue.REASON | Cue.CAUSE))[:1]
    how = tuple(
        sentence for sentence in after if sentence.cues & (Cue.FIX | Cue.ADVICE | Cue.CONDITION) and sentence not in why
    )[:1]
    if not stated or not (why or fact.cues & (Cue.REASON | Cue.CAUSE)):
        return
    score = (
        0.9
        + 0.2 * bool(how)
        + 0.2 * bool(why)
        + 0.2 * bool(fact.cues & (Cue.REASON | Cue.CAUSE))
        + 0.2 * bool(fact.cues & Cue.PROVEN)
        + 0.2 * (not _OWN_NAME.search(fact.text))
    )
    labelled = parts(("what", stated), ("why", why), ("how", how))
    yield InsightFinding(InsightCategory.TOOL_USAGE, labelled, score - 0.3 * phrasing.first_person(fact.text))
