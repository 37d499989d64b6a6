"""What a language model claims was learned: as a candidate within its limits, and why it does not count."""

from __future__ import annotations

import re
from collections.abc import Sequence

from heedful.learn.conversations.answer_forms import Claim, ContentPart, Evidence, RuleClaim
from heedful.learn.conversations.numbered_transcript import NumberedTranscript
from heedful.learn.conversations.tags import tags
from heedful.learnings.content import content_text, read_content
from heedful.records.insight import (
    CONTENT_LEAST,
    CONTENT_LIMIT,
    QUOTES_MOST,
    SUMMARY_LIMIT,
    TAGS_LEAST,
    TAGS_MOST,
    TITLE_LIMIT,
    Factors,
    InsightCandidate,
    InsightCategory,
    Quote,
)
from heedful.records.transcript import Speaker
from heedful.text.checks import clipped, visible
from heedful.text.contradictions import contrast
from heedful.text.terms import terms

_TAG = 40
_TAG_JOINT = re.compile(r"[^\w+#.]+")


def claimed(item: Claim, topic: InsightCategory, shown: NumberedTranscript) -> InsightCandidate:
    title, content = one_line(item.title, TITLE_LIMIT), _content(item.content)
    return InsightCandidate(
        category=topic,
        title=title,
        content=content,
        tags=_tags(item.tags, topic, f"{title}\n{content_text(content)}"),
        quotes=occurring(item.evidence, shown),
        summary=one_line(item.summary, SUMMARY_LIMIT),
        claimed=Factors(*(getattr(item, factor) for factor in Factors.__slots__)),
    )


def claimed_rule(item: RuleClaim, shown: NumberedTranscript) -> InsightCandidate:
    """What the person said, in the model's title. Its category is for the reader to say."""
    quotes = occurring([Evidence(message=item.message, quote=item.quote)], shown, of=Speaker.USER)
    title = one_line(item.title, TITLE_LIMIT)
    said = " ".join(quotes[0].text.split()) if quotes else ""
    parts = {"what": said, "why": one_line(item.why, CONTENT_LIMIT)}
    category = InsightCategory.BEST_PRACTICE
    return InsightCandidate(
        category=category,
        title=title,
        content=read_content(parts),
        tags=tags(f"{title}\n{said}", category.value),
        quotes=quotes,
        summary="",
        rule=True,
    )


def flaw(candidate: InsightCandidate) -> str | None:
    if not candidate.title:
        return "it has no title"
    if len(content_text(candidate.content)) < CONTENT_LEAST and not candidate.rule:  # a rule may be short
        return "its content is too short"
    return None


def unproven(candidate: InsightCandidate) -> str | None:
    if not candidate.quotes:
        return "no quote of it is the user's own words" if candidate.rule else "no quote of it occurs in its message"
    if all(quote.role is Speaker.TOOL for quote in candidate.quotes):
        return "only the output of tools speaks for it"
    said = {term for quote in candidate.quotes for term in terms(quote.text)}
    about = candidate.title if candidate.rule else f"{candidate.title}\n{content_text(candidate.content)}"
    if said.isdisjoint(terms(about)):
        return "its quotes speak of something else"
    if candidate.rule and (odds := contrast(candidate.title, candidate.quotes[0].text)) is not None and odds.sure:
        return "it says the opposite of its quote"
    return None


def occurring(evidence: Sequence[Evidence], shown: NumberedTranscript, of: Speaker | None = None) -> tuple[Quote, ...]:
    found = (shown.quote(one.message, one.quote) for one in evidence[: 3 * QUOTES_MOST])
    return tuple(dict.fromkeys(one for one in found if one is not None and of in (None, one.role)))[:QUOTES_MOST]


def _tags(said: Sequence[str], topic: InsightCategory, text: str) -> tuple[str, ...]:
    """As the model gave them; if these are too few, with those that the text itself has."""
    given = [_TAG_JOINT.sub("-", one_line(tag, _TAG).lower()).strip("-.…") for tag in said[: 3 * TAGS_MOST]]
    kept = [*dict.fromkeys(filter(None, given))][:TAGS_MOST]
    return tuple(kept if len(kept) >= TAGS_LEAST else [*dict.fromkeys([*kept, *tags(text, topic.value)])][:TAGS_MOST])


def _content(parts: Sequence[ContentPart]) -> dict[str, str]:
    """Within the limit; a part that is given twice is one part."""
    content: dict[str, str] = {}
    room = CONTENT_LIMIT
    for one in parts:
        text = visible(one.text[: 2 * CONTENT_LIMIT]).strip()
        text = text if len(text) <= room else text[: max(room - 1, 0)].rstrip() + "…"
        room -= len(text) + 1
        content[one.part] = f"{content[one.part]}\n{text}" if one.part in content else text
        if room <= 0:
            break
    return read_content(content)


def one_line(text: str, most: int) -> str:
    return clipped(visible(text[: 4 * most]), most)
