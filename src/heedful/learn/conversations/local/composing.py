"""A finding becomes a candidate: title, content under labels, tags, quotes, all in the conversation's own words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from heedful.learn.conversations.local import phrasing
from heedful.learn.conversations.local.annotation import AnnotatedSentence, AnnotatedTranscript
from heedful.learn.conversations.local.cues import Cue, cues, words
from heedful.learn.conversations.local.finding_parts import FindingPart, InsightFinding
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


def composed(finding: InsightFinding, transcript: AnnotatedTranscript) -> InsightCandidate | None:
    """Nothing, if it has no title that stands alone."""
    finding = _standing(finding)
    if not finding.parts:
        return None
    named = _title(finding)
    content = _content(finding)
    if not named or not content:
        return None
    if (
        finding.category == InsightCategory.TOOL_USAGE
        and len(finding.sentences) < _FEWEST_SENTENCES
        and not finding.code
    ):
        return None
    quotes = tuple(_quotes(finding, transcript))
    if len(quotes) < QUOTES_LEAST:
        return None
    about = f"{named}\n{content_text(content)}\n{' '.join(quote.text for quote in quotes)}"
    return InsightCandidate(
        finding.category, named, content, tags(about, finding.category.value), quotes, _summary(finding, transcript)
    )


def _standing(finding: InsightFinding) -> InsightFinding:
    """Without sentences that point to one that is left out; without what needs them, nothing."""
    kept = {sentence.order for sentence in finding.sentences}
    kept = {
        sentence.order
        for sentence in finding.sentences
        if sentence.order - 1 in kept or not phrasing.pointing(sentence.text)
    }
    parts = tuple(
        part._replace(sentences=tuple(sentence for sentence in part.sentences if sentence.order in kept))
        for part in finding.parts
    )
    lost = any(not part.sentences for part in parts if part.label in _NEEDED)
    return finding._replace(parts=() if lost else tuple(part for part in parts if part.sentences))


def _title(finding: InsightFinding) -> str:
    parts = {part.label: part for part in finding.parts}
    chosen = [parts[label] for label in _NAMING[finding.category] if label in parts]
    if finding.category == InsightCategory.WORKFLOW:
        return title((), _tasks(finding))
    headings = [
        sentence.source.heading for part in chosen for sentence in part.sentences[:1] if sentence.source.heading
    ]
    headings += [sentence.source.title for part in chosen for sentence in part.sentences[:1] if sentence.source.title]
    sentence = [sentence for part in chosen for sentence in part.sentences]
    clauses = [
        one.text for one in (sorted(sentence, key=_dull) if finding.category == InsightCategory.BUG_FIX else sentence)
    ]
    if finding.category == InsightCategory.TOOL_USAGE:
        return title((), clauses) or title(headings, ())
    return title(headings, clauses)


def _dull(sentence: AnnotatedSentence) -> int:
    """What went wrong and its root names a bug best, then a fix with its reason."""
    if " root cause " in sentence.padded or cues(clause(sentence.text), words(clause(sentence.text))) & Cue.SYMPTOM:
        return 0
    return 1 if sentence.cues & Cue.REASON else 2


def _tasks(finding: InsightFinding) -> list[str]:
    asked = [
        _ASKING.sub("", sentence.text).rstrip("?:")
        for part in finding.parts
        for sentence in part.sentences
        if part.label == "when"
    ]
    sentence = [text for text in asked if not _POINTING.search(text)]
    return sentence + [line.lstrip("# ") for line in finding.code.splitlines() if line.startswith("# ")]


def _content(finding: InsightFinding) -> dict[str, str]:
    content = {part.label: _text(part) for part in finding.parts if not _idle(part)}
    if finding.code:
        content["how"] = f"{content['how']}\n{finding.code}" if "how" in content else finding.code
    return content if len(content_text(content)) <= CONTENT_LIMIT else {}


def _idle(part: FindingPart) -> bool:
    """A request that only those understand who were there."""
    return part.sentences[0].role == Speaker.USER and bool(_POINTING.search(part.sentences[0].text))


def _text(part: FindingPart) -> str:
    if part.label in {"options", "how"} and len(part.sentences) > 1:
        steps = []
        for number, sentence in enumerate(part.sentences, 1):
            code = f" `{sentence.source.code}`" if sentence.source.code and "\n" not in sentence.source.code else ""
            steps.append(f"{number}. {sentence.text.rstrip(':')}{code}")
        return " ".join(steps)
    last = part.sentences[-1]
    stated = " ".join(_closed(sentence.text, listing=sentence is not last) for sentence in part.sentences)
    stated = phrasing.unconnected(stated)
    return stated[:1].upper() + stated[1:]


def _closed(text: str, *, listing: bool) -> str:
    if listing and text.endswith(":"):
        return text
    text = text.rstrip(" ,;:—–")
    return text if phrasing.ended(text) and text[-1] in ".!?" else f"{text}."


def _quotes(finding: InsightFinding, transcript: AnnotatedTranscript) -> Iterable[Quote]:
    """The parts' first sentences, the later parts too, and what proves them."""
    firsts = [part.sentences[0] for part in finding.parts]
    rest = [sentence for part in finding.parts for sentence in part.sentences[1:]]
    neighbours = [sentence for sentence in transcript.nearby(firsts[0], 3, 6) if len(sentence.text) > 30]
    seen: set[str] = set()
    asked = [
        sentence
        for sentence in transcript.sentences[: firsts[0].order]
        if sentence.role == Speaker.USER and len(sentence.text) > 8
    ][-1:]
    for sentence in (*firsts[:3], *finding.proof, *firsts[3:], *rest, *neighbours, *asked):
        quote = _quote(sentence, transcript)
        if quote.text and quote.text not in seen:
            seen.add(quote.text)
            yield quote
        if len(seen) >= (QUOTES_LEAST if sentence in neighbours else QUOTES_MOST):
            return


def _quote(sentence: AnnotatedSentence, transcript: AnnotatedTranscript) -> Quote:
    text = " ".join(sentence.source.raw.split())
    if len(text) > QUOTE_LIMIT:
        text = text[: QUOTE_LIMIT + 1].rsplit(" ", 1)[0][:QUOTE_LIMIT]
    return Quote(transcript.transcript.messages[sentence.message].id, sentence.role, text)


def _summary(finding: InsightFinding, transcript: AnnotatedTranscript) -> str:
    """What the person asked for before."""
    first = finding.sentences[0].message
    for number in range(first, -1, -1):
        message = transcript.transcript.messages[number]
        if message.role == Speaker.USER and not message.failed and len(message.text.split()) > 2:
            return clipped(message.text, SUMMARY_LIMIT)
    return clipped(finding.sentences[0].text, SUMMARY_LIMIT)
