"""Tool usage: how a tool, a library or a language behaves, and what to run to get something done."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.learn.conversations.local import manner
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding import Finding, parts
from heedful.learn.conversations.local.reading import Reading, Said, fit, related
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


def found(reading: Reading) -> Iterator[Finding]:
    for said in reading.said:
        if said.role == Speaker.USER and _question(said):
            yield from _answer(reading, said)
        elif said.role == Speaker.ASSISTANT and _a_fact(said) and fit(said) and _about_a_tool(said):
            yield from _fact(reading, said)


def _question(said: Said) -> bool:
    asked = manner.asked(said.text) and len(said.text) <= _LONGEST_QUESTION
    return asked and bool(_QUESTION.search(said.text)) and not _OF_YOU.search(said.text)


def _answer(reading: Reading, asked: Said) -> Iterator[Finding]:
    """What a person wanted to know, and the message that tells: what holds, then the points it makes."""
    answer = reading.turn(asked)
    telling = [said for said in answer[:_READ_ON] if fit(said) and not manner.first_person(said.text)]
    what = next((said for said in telling[:_SOON] if _explains(said) and not manner.dangling(said.text)), None)
    if what is None or what.cues & Cue.WARNING:  # a warning is an anti-pattern
        return
    following = [said for said in telling if said.order > what.order]
    rest = [said for said in following if said.sentence.block == what.sentence.block][:2]
    points = [said for said in _points(following, what) if said not in rest][:_POINTS]
    code = what.sentence.code if len(what.sentence.code) <= _LONGEST_CODE else ""
    known = bool(technologies(what.text))
    if not (known or "`" in what.text or technologies(" ".join(said.text for said in (asked, *rest, *points)))):
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
        yield Finding(
            InsightCategory.TOOL_USAGE,
            parts(("what", (what, *rest)), (_about(asked), points)),
            score,
            code,
            proof=(asked,),
        )


def _about(asked: Said) -> str:
    return "why" if " why " in asked.padded else "how"


def _explains(said: Said) -> bool:
    if manner.recounted(said.text) or manner.places(said.text) > 1:
        return False
    return "`" in said.text or bool(technologies(said.text)) or bool(said.cues & (Cue.CAUSE | Cue.FACT))


def _points(following: list[Said], what: Said) -> Iterator[Said]:
    """The first sentence of each list item or bold opening after it."""
    seen: set[int] = {what.sentence.block}
    for said in following:
        point = said.sentence.item or said.sentence.lead
        if point and said.sentence.block not in seen and related(said, what) and not manner.dangling(said.text):
            seen.add(said.sentence.block)
            yield said


def _a_fact(said: Said) -> bool:
    return bool(said.cues & Cue.FACT) and not said.cues & Cue.WARNING


def _about_a_tool(said: Said) -> bool:
    return bool(technologies(said.sentence.raw[:_OPENING])) and not _OURS.search(said.text[:_OPENING])


def _fact(reading: Reading, fact: Said) -> Iterator[Finding]:
    told = reading.whole(fact)
    near = [said for said in reading.nearby(fact, 1, 3) if fit(said) and said.sentence.section == fact.sentence.section]
    after = [said for said in near if said.order > fact.order and related(said, fact)]
    why = tuple(said for said in after if said.cues & (Cue.REASON | Cue.CAUSE))[:1]
    how = tuple(said for said in after if said.cues & (Cue.FIX | Cue.ADVICE | Cue.CONDITION) and said not in why)[:1]
    if not told or not (why or fact.cues & (Cue.REASON | Cue.CAUSE)):
        return
    score = (
        0.9
        + 0.2 * bool(how)
        + 0.2 * bool(why)
        + 0.2 * bool(fact.cues & (Cue.REASON | Cue.CAUSE))
        + 0.2 * bool(fact.cues & Cue.PROVEN)
        + 0.2 * (not _OWN_NAME.search(fact.text))
    )
    labelled = parts(("what", told), ("why", why), ("how", how))
    yield Finding(InsightCategory.TOOL_USAGE, labelled, score - 0.3 * manner.first_person(fact.text))
