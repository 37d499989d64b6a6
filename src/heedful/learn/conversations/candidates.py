"""A statement as a candidate: its title, its content and its quote, in the words it was said in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from heedful.learn.conversations.sessions import Stated
from heedful.learn.conversations.tags import tags
from heedful.learn.conversations.wording import content, end_of_reason, finding, past, plain, titled
from heedful.learn.conversations.wording import fix as fixed_by
from heedful.records.insight import CONTENT_LIMIT, SUMMARY_LIMIT, InsightCandidate, InsightCategory, Quote
from heedful.records.reading import LikelyStatement, StatementKind
from heedful.records.transcript import Message
from heedful.text.checks import clipped
from heedful.text.dictation import kept_of, lasting_of
from heedful.text.lasting import Lasting
from heedful.text.persons import is_complaint
from heedful.text.sentences import Span
from heedful.text.terms import terms

_STANDS_ALONE, _SURELY_LASTS, _SAID_TO_LAST = 0.35, 0.25, 0.2
_SURE = 0.9  # the chance from which on it surely lasts
_LIKELY = 0.5
_LEAST_WORDS, _TELLING = 5, 4
_FIXED = "Fixed: "
_SHORTER = 60  # characters of a sentence that a title leaves out
_SAME = 0.6  # of the words of two statements in one session
_PREDICATE = re.compile(
    r"(?:is|are|was|were|has|must|should|will|would|can|could|ist|sind|est|sont|es|son)\b", re.IGNORECASE
)
_QUOTE = re.compile(r"[\"”“»'’](?!\w)")
_NEGATION = re.compile(r"(?:\b(?:no|not|never)|n['’]t)\s+$", re.IGNORECASE)


def clearest(message: Message, group: Sequence[LikelyStatement]) -> LikelyStatement | None:
    """Of sentences that belong together, the one that says it best; None if none makes sense alone. A fact beside a
    rule is its reason, and so is a complaint; of several rules the first is explained by the others."""

    def weight(one: LikelyStatement) -> tuple[bool, Lasting, bool, float]:
        wished = not is_complaint(message.text[slice(*one.sentence)])
        is_likely = one.chance >= _LIKELY
        is_rule = one.kind is not StatementKind.FACT and is_likely
        return wished, lasting_of(message.text, one.sentence), is_rule, _LIKELY if is_likely else one.chance

    return max((one for one in group if stands_alone(message, one)), key=weight, default=None)


def stands_alone(message: Message, one: LikelyStatement) -> bool:
    """Whether its words make sense to somebody who was not there. What is meant to last is said for such.
    What follows an ellipsis is the end of a sentence that was cut."""
    start = one.sentence[0]
    if "…" in (message.text[start : start + 1], message.text[:start].rstrip()[-1:]):
        return False
    if kept_of(message.text, one.sentence) != one.sentence:
        return True  # what is dictated is meant for somebody who was not there
    if lasting_of(message.text, one.sentence) is Lasting.EXPLICIT:
        return one.alone >= _SAID_TO_LAST
    return one.alone >= (_SURELY_LASTS if one.chance >= _SURE else _STANDS_ALONE)


def candidate_of(
    message: Message, statement: LikelyStatement, group: Sequence[LikelyStatement], task: str
) -> InsightCandidate | None:
    sentence = message.text[slice(*statement.sentence)]
    if statement.kind is not StatementKind.FINDING:
        statement, group = _bare(message, statement), [_bare(message, one) for one in group]
    title = _title(message.text, statement, group)
    if not title:
        return None
    end = end_of_reason(message.text, group[-1].sentence[1])
    parts = content(message.text[group[0].sentence[0] : end], title, task)
    return InsightCandidate(
        category=statement.category,
        title=title,
        content=parts,
        tags=tags(f"{title}\n{parts['what']}", statement.category.value),
        quotes=(Quote(message.id, message.role, " ".join(sentence.split())),),
        summary=clipped(task, SUMMARY_LIMIT),
        rule=statement.kind is not StatementKind.FINDING,
    )


def _bare(message: Message, one: LikelyStatement) -> LikelyStatement:
    """What is dictated, without what it is dictated with."""
    start, end = kept_of(message.text, one.sentence)
    return replace(one, sentence=(start, end), start=min(max(one.start, start), end), end=max(min(one.end, end), start))


def mended(candidate: InsightCandidate, cause: str, message: Message, fix: Span) -> InsightCandidate:
    """A cause that is no more, with what was done about it."""
    done = message.text[slice(*fix)]
    was = past(finding(plain(cause)))
    parts = {name: text for name, text in candidate.content.items() if name != "why"}  # `was` has it
    optimised = candidate.category is InsightCategory.OPTIMIZATION
    return replace(
        candidate,
        category=candidate.category if optimised else InsightCategory.BUG_FIX,
        title=titled(was, with_reason=True, before=_FIXED),
        content={**parts, "what": was[:CONTENT_LIMIT], "fix": fixed_by(plain(done))[:CONTENT_LIMIT]},
        quotes=(*candidate.quotes, Quote(message.id, message.role, " ".join(done.split()))),
    )


def _title(text: str, statement: LikelyStatement, group: Sequence[LikelyStatement]) -> str:
    sentence, words = text[slice(*statement.sentence)], text[statement.start : statement.end]
    if statement.kind is StatementKind.FINDING:
        return titled(finding(plain(sentence)), with_reason=True)
    title = titled(sentence)
    following = next((one for one in group if one.sentence[0] >= statement.sentence[1]), None)
    if len(title.split()) < _TELLING and following is not None and following.kind is not StatementKind.FACT:
        return titled(text[statement.sentence[0] : following.sentence[1]])  # `Don't use any` needs it
    if len(title) >= len(plain(sentence)) - _SHORTER or len(words.split()) < _LEAST_WORDS:
        return title
    opposite = _NEGATION.search(text, statement.sentence[0], statement.start)
    of_nothing = _PREDICATE.match(words)
    in_quotation = _QUOTE.search(text, statement.end, statement.sentence[1])
    if opposite or of_nothing or in_quotation:
        return title
    return titled(words)  # the reader cuts better than clauses do


def keep(kept: dict[str, Stated], one: Stated) -> str:
    """What is said again is the same once more, and surer. Returns the title under which it is kept."""
    words = frozenset(terms(one.candidate.title))
    for title, other in kept.items():
        if _alike(words, frozenset(terms(title))):
            kept[title] = _said_again(other, one)
            return title
    kept[one.candidate.title] = one
    return one.candidate.title


def surest(kept: dict[str, Stated]) -> tuple[Stated, ...]:
    return tuple(sorted(kept.values(), key=lambda one: -one.chance))


def _said_again(one: Stated, again: Stated) -> Stated:
    chance = 1 - (1 - one.chance) * (1 - again.chance)
    if isinstance(one.backing, Lasting) and isinstance(again.backing, Lasting):
        return replace(one, chance=chance, backing=max(one.backing, again.backing))
    return replace(one, chance=chance)


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= _SAME * max(len(words | others), 1)
