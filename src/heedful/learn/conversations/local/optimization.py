"""Optimisations: what was slow, what made it faster, by how much, and at what price."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.learn.conversations.local import phrasing
from heedful.learn.conversations.local.annotation import AnnotatedSentence, AnnotatedTranscript, fit, related
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding_parts import InsightFinding, parts
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker

# Two figures, or how many times: a single figure is a size, not a gain.
_GAIN = re.compile(
    r"\d\s?[×x]\b|\d\s?×|O\([^()]{1,20}\).{1,60}O\([^()]{1,20}\)|\d[\w.,]{0,24}\s?(?:ms|µs|s|sec|seconds?|[KMG]B?|"
    r"minutes?|%)?\s?(?:→|->|to|down to|instead of|vs\.?)\s?[~\d<]|(?:times|%) (?:faster|slower|smaller|less)",
    re.IGNORECASE,
)


def found(transcript: AnnotatedTranscript) -> Iterator[InsightFinding]:
    for sentence in transcript.sentences:
        gained = sentence.cues & Cue.MEASURE and _GAIN.search(sentence.text)
        if sentence.role == Speaker.ASSISTANT and gained and fit(sentence):
            finding = _finding(transcript, sentence)
            if finding:
                yield finding


def _finding(transcript: AnnotatedTranscript, gain: AnnotatedSentence) -> InsightFinding | None:
    stated = transcript.whole(gain)
    near = [
        sentence
        for sentence in transcript.nearby(gain, 2, 4)
        if fit(sentence) and sentence.source.section == gain.source.section
    ]
    near = [
        sentence
        for sentence in near
        if related(sentence, gain) and not phrasing.dangling(sentence.text) and not sentence.source.lead
    ]
    why = tuple(sentence for sentence in near if sentence.cues & (Cue.CAUSE | Cue.REASON))[:1]
    change = tuple(
        sentence for sentence in near if sentence.cues & (Cue.FIX | Cue.TECHNIQUE | Cue.FACT) and sentence not in why
    )[:1]
    price = tuple(
        sentence
        for sentence in near
        if sentence.cues & Cue.TRADE_OFF and sentence not in why and sentence not in change
    )[:1]
    about = any(sentence.cues & Cue.PERFORMANCE for sentence in (gain, *why, *change))
    if not stated or not about or not (why or change):
        return None
    score = 0.8 + 0.3 * bool(change) + 0.3 * bool(why) + 0.2 * bool(price) + 0.2 * bool(gain.cues & Cue.PROVEN)
    labelled = parts(("result", stated), ("why", why), ("change", change), ("trade_off", price))
    return InsightFinding(InsightCategory.OPTIMIZATION, labelled, score - 0.3 * phrasing.first_person(gain.text))
