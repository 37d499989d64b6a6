"""Anti-patterns: what not to do, what it causes, and the better way."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.learn.conversations.local import phrasing
from heedful.learn.conversations.local.annotation import AnnotatedSentence, AnnotatedTranscript, fit, related
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding_parts import InsightFinding, parts
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker

_BETTER = (
    " instead ",
    " rather ",
    " better ",
    " use ",
    " prefer ",
    " replace ",
    " the fix ",
    " safer ",
    " needs to ",
    " should use ",
)


def found(transcript: AnnotatedTranscript) -> Iterator[InsightFinding]:
    for sentence in transcript.sentences:
        warned = sentence.cues & Cue.WARNING and sentence.cues & (Cue.SYMPTOM | Cue.REASON | Cue.CAUSE)
        if sentence.role == Speaker.ASSISTANT and warned and fit(sentence) and not phrasing.recounted(sentence.text):
            finding = _finding(transcript, sentence)
            if finding:
                yield finding


def _finding(transcript: AnnotatedTranscript, warning: AnnotatedSentence) -> InsightFinding | None:
    stated = transcript.whole(warning)
    near = [
        sentence
        for sentence in transcript.nearby(warning, 0, 4)
        if fit(sentence) and sentence.source.section == warning.source.section
    ]
    near = [sentence for sentence in near if related(sentence, warning)]
    causes = tuple(
        sentence for sentence in near if sentence.cues & (Cue.SYMPTOM | Cue.CAUSE) and not _better(sentence)
    )[:1]
    better = tuple(sentence for sentence in near if _better(sentence) and sentence not in causes)[:1]
    if not stated or not (better or _better(warning)):
        return None
    score = 0.9 + 0.3 * bool(better) + 0.2 * bool(causes) + 0.2 * bool(warning.cues & Cue.SYMPTOM)
    labelled = parts(("avoid", stated), ("causes", causes), ("better", better))
    return InsightFinding(InsightCategory.ANTI_PATTERN, labelled, score - 0.3 * phrasing.first_person(warning.text))


def _better(sentence: AnnotatedSentence) -> bool:
    padded = sentence.padded
    return any(stated in padded for stated in _BETTER)
