"""Best practices: what is recommended in general, and why."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.learn.conversations.local import phrasing
from heedful.learn.conversations.local.annotation import AnnotatedSentence, AnnotatedTranscript, fit, related
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding_parts import InsightFinding, parts
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker

_GENERAL = (
    " always use ",
    " always call ",
    " always check ",
    " always run ",
    " always set ",
    " best practice ",
    " rule of thumb ",
    " make sure ",
    " idiomatic ",
    " you should ",
    " prefer ",
    " it's better to ",
    " good practice ",
    " should only ",
    " should never ",
    " a good rule ",
)


def found(transcript: AnnotatedTranscript) -> Iterator[InsightFinding]:
    for sentence in transcript.sentences:
        if sentence.role == Speaker.ASSISTANT and sentence.cues & Cue.ADVICE and fit(sentence) and _general(sentence):
            finding = _finding(transcript, sentence)
            if finding:
                yield finding


def _general(sentence: AnnotatedSentence) -> bool:
    padded = sentence.padded
    return any(stated in padded for stated in _GENERAL) and not phrasing.first_person(sentence.text)


def _finding(transcript: AnnotatedTranscript, advice: AnnotatedSentence) -> InsightFinding | None:
    stated = transcript.whole(advice)
    around = [
        sentence
        for sentence in transcript.nearby(advice, 1, 3)
        if fit(sentence) and sentence.source.section == advice.source.section
    ]
    around = [sentence for sentence in around if related(sentence, advice)]
    why = tuple(
        sentence for sentence in around if sentence.cues & (Cue.REASON | Cue.CAUSE) and sentence.order > advice.order
    )[:1]
    when = tuple(
        sentence
        for sentence in around
        if sentence.cues & Cue.CONDITION and sentence.order > advice.order and sentence not in why
    )[:1]
    if not stated or not (why or advice.cues & (Cue.REASON | Cue.CAUSE)):
        return None
    first = advice.padded.startswith((" you should ", " always ", " prefer ", " make sure "))
    score = 0.8 + 0.3 * bool(why) + 0.2 * bool(advice.cues & Cue.REASON) + 0.3 * first
    return InsightFinding(InsightCategory.BEST_PRACTICE, parts(("what", stated), ("why", why), ("when", when)), score)
