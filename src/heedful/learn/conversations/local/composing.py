"""A finding becomes a candidate: title, content under labels, tags, quotes, all in the conversation's own words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from heedful.learn.conversations.local import manner
from heedful.learn.conversations.local.cues import Cue, cues, words
from heedful.learn.conversations.local.finding import Finding, Part
from heedful.learn.conversations.local.reading import Reading, Said
from heedful.learn.conversations.local.titles import clause, title
from heedful.learn.conversations.tags import tags
from heedful.learnings.content import content_text
from heedful.records.insight import (
    CONTENT_LIMIT,
    QUOTE_LIMIT,
    QUOTES_LEAST,
    QUOTES_MOST,
    SUMMARY_LIMIT,
    InsightCandidate,
    InsightCategory,
    Quote,
)
from heedful.records.transcript import Speaker
from heedful.text.checks import clipped

_NAMING = {  # which part names the learning best, in this order
    InsightCategory.BUG_FIX: ("problem", "cause", "fix"),
    InsightCategory.DECISION: ("choice", "why"),
    InsightCategory.OPTIMIZATION: ("change", "result", "why"),
    InsightCategory.TOOL_USAGE: ("what", "how"),
    InsightCategory.WORKFLOW: ("when", "how"),
    InsightCategory.ANTI_PATTERN: ("avoid", "better"),
    InsightCategory.BEST_PRACTICE: ("what",),
    InsightCategory.PATTERN: ("what", "why"),
}
_FEWEST_SENTENCES = 2  # without code; one alone is seldom more than a remark
_NEEDED = frozenset({"cause", "problem", "fix", "choice", "result", "what", "avoid"})
_POINTING = re.compile(r"\b(?:it|this|that|them|these|those|you|your|me)\b", re.IGNORECASE)
_ASKING = re.compile(
    r"^(?:ok(?:ay)?[,.… ]*|so[, ]+|please |can you |could you |now,? )*(?:what (?:are|is) the (?:\w+ )?(?:steps|"
    r"commands?|way) (?:to|for)|how (?:do|can|should|would) (?:i|we|you)|how to|"
    r"give me (?:the )?(?:\w+ )?(?:commands?|steps) (?:to|for)|walk me through|to)\s+",
    re.IGNORECASE,
)


def composed(finding: Finding, reading: Reading) -> InsightCandidate | None:
    """Nothing, if it has no title that stands alone."""
    finding = _standing(finding)
    if not finding.parts:
        return None
    named = _title(finding)
    content = _content(finding)
    if not named or not content:
        return None
    if finding.category == InsightCategory.TOOL_USAGE and len(finding.said) < _FEWEST_SENTENCES and not finding.code:
        return None
    quotes = tuple(_quotes(finding, reading))
    if len(quotes) < QUOTES_LEAST:
        return None
    about = f"{named}\n{content_text(content)}\n{' '.join(quote.text for quote in quotes)}"
    return InsightCandidate(
        finding.category, named, content, tags(about, finding.category.value), quotes, _summary(finding, reading)
    )


def _standing(finding: Finding) -> Finding:
    """Without sentences that point to one that is left out; without what needs them, nothing."""
    kept = {said.order for said in finding.said}
    kept = {said.order for said in finding.said if said.order - 1 in kept or not manner.pointing(said.text)}
    parts = tuple(part._replace(said=tuple(said for said in part.said if said.order in kept)) for part in finding.parts)
    lost = any(not part.said for part in parts if part.label in _NEEDED)
    return finding._replace(parts=() if lost else tuple(part for part in parts if part.said))


def _title(finding: Finding) -> str:
    parts = {part.label: part for part in finding.parts}
    chosen = [parts[label] for label in _NAMING[finding.category] if label in parts]
    if finding.category == InsightCategory.WORKFLOW:
        return title((), _tasks(finding))
    headings = [said.sentence.heading for part in chosen for said in part.said[:1] if said.sentence.heading]
    headings += [said.sentence.title for part in chosen for said in part.said[:1] if said.sentence.title]
    said = [said for part in chosen for said in part.said]
    clauses = [one.text for one in (sorted(said, key=_dull) if finding.category == InsightCategory.BUG_FIX else said)]
    if finding.category == InsightCategory.TOOL_USAGE:
        return title((), clauses) or title(headings, ())
    return title(headings, clauses)


def _dull(said: Said) -> int:
    """What went wrong and its root names a bug best, then a fix with its reason."""
    if " root cause " in said.padded or cues(clause(said.text), words(clause(said.text))) & Cue.SYMPTOM:
        return 0
    return 1 if said.cues & Cue.REASON else 2


def _tasks(finding: Finding) -> list[str]:
    asked = [
        _ASKING.sub("", said.text).rstrip("?:") for part in finding.parts for said in part.said if part.label == "when"
    ]
    said = [text for text in asked if not _POINTING.search(text)]
    return said + [line.lstrip("# ") for line in finding.code.splitlines() if line.startswith("# ")]


def _content(finding: Finding) -> dict[str, str]:
    content = {part.label: _told(part) for part in finding.parts if not _idle(part)}
    if finding.code:
        content["how"] = f"{content['how']}\n{finding.code}" if "how" in content else finding.code
    return content if len(content_text(content)) <= CONTENT_LIMIT else {}


def _idle(part: Part) -> bool:
    """A request that only those understand who were there."""
    return part.said[0].role == Speaker.USER and bool(_POINTING.search(part.said[0].text))


def _told(part: Part) -> str:
    if part.label in {"options", "how"} and len(part.said) > 1:
        steps = []
        for number, said in enumerate(part.said, 1):
            code = f" `{said.sentence.code}`" if said.sentence.code and "\n" not in said.sentence.code else ""
            steps.append(f"{number}. {said.text.rstrip(':')}{code}")
        return " ".join(steps)
    last = part.said[-1]
    told = " ".join(_closed(said.text, listing=said is not last) for said in part.said)
    told = manner.unconnected(told)
    return told[:1].upper() + told[1:]


def _closed(text: str, *, listing: bool) -> str:
    if listing and text.endswith(":"):
        return text
    text = text.rstrip(" ,;:—–")
    return text if manner.ended(text) and text[-1] in ".!?" else f"{text}."


def _quotes(finding: Finding, reading: Reading) -> Iterable[Quote]:
    """The parts' first sentences, the later parts too, and what proves them."""
    firsts = [part.said[0] for part in finding.parts]
    rest = [said for part in finding.parts for said in part.said[1:]]
    neighbours = [said for said in reading.nearby(firsts[0], 3, 6) if len(said.text) > 30]
    seen: set[str] = set()
    asked = [said for said in reading.said[: firsts[0].order] if said.role == Speaker.USER and len(said.text) > 8][-1:]
    for said in (*firsts[:3], *finding.proof, *firsts[3:], *rest, *neighbours, *asked):
        quote = _quote(said, reading)
        if quote.text and quote.text not in seen:
            seen.add(quote.text)
            yield quote
        if len(seen) >= (QUOTES_LEAST if said in neighbours else QUOTES_MOST):
            return


def _quote(said: Said, reading: Reading) -> Quote:
    text = " ".join(said.sentence.raw.split())
    if len(text) > QUOTE_LIMIT:
        text = text[: QUOTE_LIMIT + 1].rsplit(" ", 1)[0][:QUOTE_LIMIT]
    return Quote(reading.transcript.messages[said.message].id, said.role, text)


def _summary(finding: Finding, reading: Reading) -> str:
    """What the person asked for before."""
    first = finding.said[0].message
    for number in range(first, -1, -1):
        message = reading.transcript.messages[number]
        if message.role == Speaker.USER and not message.failed and len(message.text.split()) > 2:
            return clipped(message.text, SUMMARY_LIMIT)
    return clipped(finding.said[0].text, SUMMARY_LIMIT)
