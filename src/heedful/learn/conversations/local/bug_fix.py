"""Bug fixes: a symptom, its root cause, and what was done about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from heedful.learn.conversations.local import phrasing
from heedful.learn.conversations.local.annotation import AnnotatedSentence, AnnotatedTranscript, fit, related
from heedful.learn.conversations.local.cues import Cue, cues, words
from heedful.learn.conversations.local.finding_parts import InsightFinding, parts
from heedful.learn.conversations.local.titles import headline, numbered
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker

_CAUSES = frozenset({"root cause", "cause", "diagnosis", "issue", "bug"})
_FIXES = frozenset({"fix", "solution", "resolution", "workaround"})
_ADVISED = frozenset({"recommendation", "my recommendation"})
_PROBLEMS = frozenset({"problem", "symptom", "symptoms"})
_PHRASES = (
    " root cause ",
    " turns out ",
    " turned out ",
    " caused by ",
    " the problem is ",
    " the issue is ",
    " the bug is ",
    " the problem was ",
    " the issue was ",
    " the bug was ",
    " culprit ",
    " that's why ",
    " which is why ",
    " the catch ",
    " happens because ",
    " happened because ",
)
_FIX_PHRASES = (
    " fixed by ",
    " the solution ",
    " workaround ",
    " resolved by ",
    " to fix ",
    " cleanest approach ",
    " right fix ",
    " solved by ",
    " fixes it ",
)
_HANGING = re.compile(r"\b(?:to|with|by|for|as|are|is|following|these)\s*:$")
_IS_FIX = (" the fix is ", " the fix was ", " so the fix ", " the fix here ")
_BEFORE, _AFTER = 6, 14
_JUST_BEFORE = 3  # sentences
_LONGEST_FIX = 600  # characters
_LATER = 8  # messages until the fix is stated


def found(transcript: AnnotatedTranscript) -> Iterator[InsightFinding]:
    yield from _sections(transcript)
    yield from _led_to(transcript)
    for sentence in transcript.sentences:
        causal = sentence.cues & Cue.CAUSE or sentence.label in _CAUSES or sentence.label in _PROBLEMS
        if sentence.role == Speaker.ASSISTANT and causal and fit(sentence) and not transcript.continued(sentence):
            finding = _finding(transcript, sentence)
            if finding:
                yield finding


def _finding(transcript: AnnotatedTranscript, cause: AnnotatedSentence) -> InsightFinding | None:
    stated = transcript.whole(cause)
    plainly = (
        cause.label in _CAUSES
        or (cause.label in _PROBLEMS and bool(cause.cues & Cue.CAUSE))
        or any(phrase in cause.padded for phrase in _PHRASES)
    )
    if not stated or phrasing.recounted(cause.text):
        return None
    if not plainly and not (cause.cues & Cue.SYMPTOM or cause.label in _PROBLEMS):
        return None
    around = [sentence for sentence in transcript.nearby(cause, _BEFORE, _AFTER) if fit(sentence)]
    fix, clearly = _fix(transcript, cause, around, plainly=plainly)
    if not fix:
        return None
    problem = _problem(cause, around)
    further = tuple(
        sentence
        for sentence in around
        if sentence.order == cause.order + 1 and sentence not in fix and sentence.source.block == cause.source.block
    )
    score = (
        0.6
        + 0.5 * plainly
        + 0.5 * clearly
        + 0.2 * (cause.label == "root cause")
        + 0.2 * bool(problem)
        + 0.2 * bool(cause.cues & Cue.SYMPTOM or problem)
        + 0.2 * any(sentence.cues & Cue.PROVEN for sentence in transcript.nearby(cause, 12, 20))
        - 0.3 * phrasing.first_person(cause.text)
    )
    labelled = parts(("problem", problem), ("cause", (*stated, *further)), ("fix", fix))
    return InsightFinding(InsightCategory.BUG_FIX, labelled, score)


def _led_to(transcript: AnnotatedTranscript) -> Iterator[InsightFinding]:
    """Something called the fix, just after what goes wrong, in words that name no cause: `…, so memory grows`."""
    for fix in transcript.sentences:
        called = fix.label in _FIXES or fix.padded.startswith(_IS_FIX)
        if fix.role != Speaker.ASSISTANT or not called or not fit(fix) or phrasing.dangling(fix.text):
            continue
        before = [
            sentence for sentence in transcript.nearby(fix, _JUST_BEFORE, 0) if fit(sentence) and not _done(sentence)
        ]
        wrong = [
            sentence
            for sentence in before
            if sentence.cues & (Cue.SYMPTOM | Cue.PERFORMANCE) and _consequence(sentence)
        ][-1:]
        stated = [
            sentence for sentence in before if wrong and sentence.order < wrong[0].order and related(sentence, wrong[0])
        ][-1:]
        if wrong and not phrasing.dangling((stated or wrong)[0].text):
            after = transcript.nearby(fix, 0, 3)
            labelled = parts(
                ("problem", (*stated, *wrong)), ("fix", _with_next(fix, [one for one in after if fit(one)]))
            )
            yield InsightFinding(InsightCategory.BUG_FIX, labelled, 1.2 + 0.2 * bool(wrong[0].cues & Cue.SYMPTOM))


def _sections(transcript: AnnotatedTranscript) -> Iterator[InsightFinding]:
    """A section headed by what it is about, that says what went wrong and then what was done or should be."""
    for _, section in groupby(transcript.sentences, key=lambda sentence: (sentence.message, sentence.source.chapter)):
        sentence = list(section)
        if sentence[0].role != Speaker.ASSISTANT or not headline(sentence[0].source.title):
            continue
        listed = numbered(sentence[0].source.title) or bool(
            cues(sentence[0].source.title, words(sentence[0].source.title)) & Cue.SYMPTOM
        )
        usable = [one for one in sentence if fit(one)]
        for wrong in usable:
            if not _wrong(wrong, listed=listed):
                continue
            fix = next((one for one in usable if one.order > wrong.order and _done(one) and related(one, wrong)), None)
            if fix and (stated := _with_next(fix, usable)):
                score = 1.2 + 0.2 * (fix.label in _FIXES | _ADVISED) + 0.2 * bool(wrong.cues & Cue.CAUSE)
                yield InsightFinding(InsightCategory.BUG_FIX, parts(("problem", (wrong,)), ("fix", stated)), score)
            break


def _wrong(sentence: AnnotatedSentence, *, listed: bool) -> bool:
    """It tells what goes wrong; under a heading that says so already, how."""
    if phrasing.dangling(sentence.text) or _done(sentence) or not _consequence(sentence):
        return False
    return bool(sentence.cues & Cue.SYMPTOM) or (listed and "`" in sentence.text)


def _consequence(sentence: AnnotatedSentence) -> bool:
    return bool(sentence.cues & (Cue.REASON | Cue.CAUSE)) or " but " in sentence.text or ", not " in sentence.text


def _done(sentence: AnnotatedSentence) -> bool:
    return phrasing.recounted(sentence.text) or sentence.label in _FIXES | _ADVISED or _states_fix(sentence)


def _problem(cause: AnnotatedSentence, around: list[AnnotatedSentence]) -> tuple[AnnotatedSentence, ...]:
    before = [sentence for sentence in around if sentence.order < cause.order]
    for sentence in before:
        if sentence.label in _PROBLEMS and sentence.label != cause.label:
            return (sentence,)
    for sentence in reversed(before[-2:]):
        if sentence.cues & Cue.SYMPTOM and not phrasing.dangling(sentence.text) and related(sentence, cause):
            return (sentence,)
    return ()


def _fix(
    transcript: AnnotatedTranscript, cause: AnnotatedSentence, around: list[AnnotatedSentence], *, plainly: bool
) -> tuple[tuple[AnnotatedSentence, ...], bool]:
    """What tells it, and whether it is called a fix."""
    after = [sentence for sentence in around if sentence.order > cause.order]
    for sentence in after:
        if sentence.label in _FIXES and not phrasing.dangling(sentence.text):
            return _with_next(sentence, after), True
    for sentence in after[:6]:
        if _states_fix(sentence) and (plainly or related(sentence, cause)):
            return _with_next(sentence, after), True
    for sentence in after[:4]:
        if sentence.cues & Cue.FIX and plainly and related(sentence, cause) and not phrasing.dangling(sentence.text):
            return (sentence,), False
    for sentence in transcript.later(cause, _LATER) if plainly else ():
        if (
            fit(sentence)
            and (sentence.label in _FIXES or _states_fix(sentence))
            and related(sentence, cause)
            and not phrasing.dangling(sentence.text)
        ):
            return (sentence,), True
    return (), False


def _states_fix(sentence: AnnotatedSentence) -> bool:
    return sentence.padded.startswith(" the fix ") or any(
        stated in sentence.padded for stated in (*_FIX_PHRASES, *_IS_FIX)
    )


def _with_next(sentence: AnnotatedSentence, after: list[AnnotatedSentence]) -> tuple[AnnotatedSentence, ...]:
    """With what goes on to say how; `Change it to:` is nothing without its list."""
    near = [other for other in after if sentence.order < other.order <= sentence.order + 3]
    if sentence.text.endswith(":"):
        items = [other for other in near if other.source.item]
        return (sentence, *items) if items else () if _HANGING.search(sentence.text) else (sentence,)
    following = [
        other
        for other in near
        if other.source.section == sentence.source.section
        and len(sentence.text) + len(other.text) < _LONGEST_FIX
        and related(sentence, other)
    ]
    return (sentence, *following[:2])
