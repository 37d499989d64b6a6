"""Anti-patterns: what not to do, what it causes, and the better way."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.learn.conversations.local import manner
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding import Finding, parts
from heedful.learn.conversations.local.reading import Reading, Said, fit, related
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


def found(reading: Reading) -> Iterator[Finding]:
    for said in reading.said:
        warned = said.cues & Cue.WARNING and said.cues & (Cue.SYMPTOM | Cue.REASON | Cue.CAUSE)
        if said.role == Speaker.ASSISTANT and warned and fit(said) and not manner.recounted(said.text):
            finding = _finding(reading, said)
            if finding:
                yield finding


def _finding(reading: Reading, warning: Said) -> Finding | None:
    told = reading.whole(warning)
    near = [
        said
        for said in reading.nearby(warning, 0, 4)
        if fit(said) and said.sentence.section == warning.sentence.section
    ]
    near = [said for said in near if related(said, warning)]
    causes = tuple(said for said in near if said.cues & (Cue.SYMPTOM | Cue.CAUSE) and not _better(said))[:1]
    better = tuple(said for said in near if _better(said) and said not in causes)[:1]
    if not told or not (better or _better(warning)):
        return None
    score = 0.9 + 0.3 * bool(better) + 0.2 * bool(causes) + 0.2 * bool(warning.cues & Cue.SYMPTOM)
    labelled = parts(("avoid", told), ("causes", causes), ("better", better))
    return Finding(InsightCategory.ANTI_PATTERN, labelled, score - 0.3 * manner.first_person(warning.text))


def _better(said: Said) -> bool:
    padded = said.padded
    return any(told in padded for told in _BETTER)
