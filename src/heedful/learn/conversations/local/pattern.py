"""Patterns: a technique that was used, what it is for, when and how."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.learn.conversations.local import phrasing
from heedful.learn.conversations.local.annotation import AnnotatedSentence, AnnotatedTranscript, fit
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding_parts import InsightFinding, parts
from heedful.learn.conversations.tags import technologies
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker

_KNOWN = re.compile(
    r"`[a-z]\w*\.[A-Z]\w*|`[a-z_]+\.[a-z_]+\(|`(?:defer|select|async|await|yield|with|try|const|static|case|go)\b"
)
_REASONED = frozenset({"since", "because", "otherwise", "prevents", "avoids", "ensures"})
_THOROUGH = 90  # characters


def found(transcript: AnnotatedTranscript) -> Iterator[InsightFinding]:
    for sentence in transcript.sentences:
        used = sentence.cues & Cue.TECHNIQUE and sentence.cues & (Cue.REASON | Cue.CAUSE)
        if sentence.role == Speaker.ASSISTANT and used and fit(sentence) and not phrasing.first_person(sentence.text):
            finding = _finding(transcript, sentence)
            if finding:
                yield finding


def _finding(transcript: AnnotatedTranscript, technique: AnnotatedSentence) -> InsightFinding | None:
    near = [
        sentence
        for sentence in transcript.nearby(technique, 2, 3)
        if fit(sentence) and sentence.source.block == technique.source.block
    ]
    why = tuple(
        sentence for sentence in near if sentence.cues & (Cue.REASON | Cue.SYMPTOM) and sentence.order > technique.order
    )[:1]
    when = tuple(
        sentence
        for sentence in near
        if sentence.cues & Cue.CONDITION and sentence.order > technique.order and sentence not in why
    )[:1]
    stated = transcript.whole(technique)
    if not stated or phrasing.recounted(technique.text) or technique.padded.startswith(" the fix "):
        return None
    known = bool(technologies(technique.source.raw) or _KNOWN.search(technique.source.raw))
    reasoned = not _REASONED.isdisjoint(technique.padded.split())
    score = (
        0.6
        + 0.3 * known
        + 0.2 * reasoned
        + 0.2 * (len(technique.text) >= _THOROUGH)
        + 0.2 * bool(why)
        + 0.1 * bool(when)
        + 0.2 * technique.source.lead
    )
    return InsightFinding(InsightCategory.PATTERN, parts(("what", stated), ("why", why), ("when", when)), score)
