"""Best practices: what is recommended in general, and why."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.learn.conversations.local import manner
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding import Finding, parts
from heedful.learn.conversations.local.reading import Reading, Said, fit, related
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


def found(reading: Reading) -> Iterator[Finding]:
    for said in reading.said:
        if said.role == Speaker.ASSISTANT and said.cues & Cue.ADVICE and fit(said) and _general(said):
            finding = _finding(reading, said)
            if finding:
                yield finding


def _general(said: Said) -> bool:
    padded = said.padded
    return any(told in padded for told in _GENERAL) and not manner.first_person(said.text)


def _finding(reading: Reading, advice: Said) -> Finding | None:
    told = reading.whole(advice)
    around = [
        said for said in reading.nearby(advice, 1, 3) if fit(said) and said.sentence.section == advice.sentence.section
    ]
    around = [said for said in around if related(said, advice)]
    why = tuple(said for said in around if said.cues & (Cue.REASON | Cue.CAUSE) and said.order > advice.order)[:1]
    when = tuple(
        said for said in around if said.cues & Cue.CONDITION and said.order > advice.order and said not in why
    )[:1]
    if not told or not (why or advice.cues & (Cue.REASON | Cue.CAUSE)):
        return None
    first = advice.padded.startswith((" you should ", " always ", " prefer ", " make sure "))
    score = 0.8 + 0.3 * bool(why) + 0.2 * bool(advice.cues & Cue.REASON) + 0.3 * first
    return Finding(InsightCategory.BEST_PRACTICE, parts(("what", told), ("why", why), ("when", when)), score)
