"""Bug fixes: a symptom, its root cause, and what was done about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from heedful.learn.conversations.local import manner
from heedful.learn.conversations.local.cues import Cue, cues, words
from heedful.learn.conversations.local.finding import Finding, parts
from heedful.learn.conversations.local.reading import Reading, Said, fit, related
from heedful.learn.conversations.local.titles import headline, numbered
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker

_CAUSES = frozenset({"root cause", "cause", "diagnosis", "issue", "bug"})
_FIXES = frozenset({"fix", "solution", "resolution", "workaround"})
_ADVISED = frozenset({"recommendation", "my recommendation"})
_PROBLEMS = frozenset({"problem", "symptom", "symptoms"})
_TOLD = (
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
_FIX_TOLD = (
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
_LATER = 8  # messages until the fix is told


def found(reading: Reading) -> Iterator[Finding]:
    yield from _sections(reading)
    yield from _led_to(reading)
    for said in reading.said:
        causal = said.cues & Cue.CAUSE or said.label in _CAUSES or said.label in _PROBLEMS
        if said.role == Speaker.ASSISTANT and causal and fit(said) and not reading.continued(said):
            finding = _finding(reading, said)
            if finding:
                yield finding


def _finding(reading: Reading, cause: Said) -> Finding | None:
    told = reading.whole(cause)
    plainly = (
        cause.label in _CAUSES
        or (cause.label in _PROBLEMS and bool(cause.cues & Cue.CAUSE))
        or any(phrase in cause.padded for phrase in _TOLD)
    )
    if not told or manner.recounted(cause.text):
        return None
    if not plainly and not (cause.cues & Cue.SYMPTOM or cause.label in _PROBLEMS):
        return None
    around = [said for said in reading.nearby(cause, _BEFORE, _AFTER) if fit(said)]
    fix, clearly = _fix(reading, cause, around, plainly=plainly)
    if not fix:
        return None
    problem = _problem(cause, around)
    further = tuple(
        said
        for said in around
        if said.order == cause.order + 1 and said not in fix and said.sentence.block == cause.sentence.block
    )
    score = (
        0.6
        + 0.5 * plainly
        + 0.5 * clearly
        + 0.2 * (cause.label == "root cause")
        + 0.2 * bool(problem)
        + 0.2 * bool(cause.cues & Cue.SYMPTOM or problem)
        + 0.2 * any(said.cues & Cue.PROVEN for said in reading.nearby(cause, 12, 20))
        - 0.3 * manner.first_person(cause.text)
    )
    labelled = parts(("problem", problem), ("cause", (*told, *further)), ("fix", fix))
    return Finding(InsightCategory.BUG_FIX, labelled, score)


def _led_to(reading: Reading) -> Iterator[Finding]:
    """Something called the fix, just after what goes wrong, in words that name no cause: `…, so memory grows`."""
    for fix in reading.said:
        called = fix.label in _FIXES or fix.padded.startswith(_IS_FIX)
        if fix.role != Speaker.ASSISTANT or not called or not fit(fix) or manner.dangling(fix.text):
            continue
        before = [said for said in reading.nearby(fix, _JUST_BEFORE, 0) if fit(said) and not _done(said)]
        wrong = [said for said in before if said.cues & (Cue.SYMPTOM | Cue.PERFORMANCE) and _consequence(said)][-1:]
        told = [said for said in before if wrong and said.order < wrong[0].order and related(said, wrong[0])][-1:]
        if wrong and not manner.dangling((told or wrong)[0].text):
            after = reading.nearby(fix, 0, 3)
            labelled = parts(("problem", (*told, *wrong)), ("fix", _with_next(fix, [one for one in after if fit(one)])))
            yield Finding(InsightCategory.BUG_FIX, labelled, 1.2 + 0.2 * bool(wrong[0].cues & Cue.SYMPTOM))


def _sections(reading: Reading) -> Iterator[Finding]:
    """A section headed by what it is about, that says what went wrong and then what was done or should be."""
    for _, section in groupby(reading.said, key=lambda said: (said.message, said.sentence.chapter)):
        said = list(section)
        if said[0].role != Speaker.ASSISTANT or not headline(said[0].sentence.title):
            continue
        listed = numbered(said[0].sentence.title) or bool(
            cues(said[0].sentence.title, words(said[0].sentence.title)) & Cue.SYMPTOM
        )
        usable = [one for one in said if fit(one)]
        for wrong in usable:
            if not _wrong(wrong, listed=listed):
                continue
            fix = next((one for one in usable if one.order > wrong.order and _done(one) and related(one, wrong)), None)
            if fix and (told := _with_next(fix, usable)):
                score = 1.2 + 0.2 * (fix.label in _FIXES | _ADVISED) + 0.2 * bool(wrong.cues & Cue.CAUSE)
                yield Finding(InsightCategory.BUG_FIX, parts(("problem", (wrong,)), ("fix", told)), score)
            break


def _wrong(said: Said, *, listed: bool) -> bool:
    """It tells what goes wrong; under a heading that says so already, how."""
    if manner.dangling(said.text) or _done(said) or not _consequence(said):
        return False
    return bool(said.cues & Cue.SYMPTOM) or (listed and "`" in said.text)


def _consequence(said: Said) -> bool:
    return bool(said.cues & (Cue.REASON | Cue.CAUSE)) or " but " in said.text or ", not " in said.text


def _done(said: Said) -> bool:
    return manner.recounted(said.text) or said.label in _FIXES | _ADVISED or _tells(said)


def _problem(cause: Said, around: list[Said]) -> tuple[Said, ...]:
    before = [said for said in around if said.order < cause.order]
    for said in before:
        if said.label in _PROBLEMS and said.label != cause.label:
            return (said,)
    for said in reversed(before[-2:]):
        if said.cues & Cue.SYMPTOM and not manner.dangling(said.text) and related(said, cause):
            return (said,)
    return ()


def _fix(reading: Reading, cause: Said, around: list[Said], *, plainly: bool) -> tuple[tuple[Said, ...], bool]:
    """What tells it, and whether it is called a fix."""
    after = [said for said in around if said.order > cause.order]
    for said in after:
        if said.label in _FIXES and not manner.dangling(said.text):
            return _with_next(said, after), True
    for said in after[:6]:
        if _tells(said) and (plainly or related(said, cause)):
            return _with_next(said, after), True
    for said in after[:4]:
        if said.cues & Cue.FIX and plainly and related(said, cause) and not manner.dangling(said.text):
            return (said,), False
    for said in reading.later(cause, _LATER) if plainly else ():
        if (
            fit(said)
            and (said.label in _FIXES or _tells(said))
            and related(said, cause)
            and not manner.dangling(said.text)
        ):
            return (said,), True
    return (), False


def _tells(said: Said) -> bool:
    return said.padded.startswith(" the fix ") or any(told in said.padded for told in (*_FIX_TOLD, *_IS_FIX))


def _with_next(said: Said, after: list[Said]) -> tuple[Said, ...]:
    """With what goes on to say how; `Change it to:` is nothing without its list."""
    near = [other for other in after if said.order < other.order <= said.order + 3]
    if said.text.endswith(":"):
        items = [other for other in near if other.sentence.item]
        return (said, *items) if items else () if _HANGING.search(said.text) else (said,)
    following = [
        other
        for other in near
        if other.sentence.section == said.sentence.section
        and len(said.text) + len(other.text) < _LONGEST_FIX
        and related(said, other)
    ]
    return (said, *following[:2])
