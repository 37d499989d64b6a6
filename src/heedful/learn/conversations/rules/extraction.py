"""The rules of a conversation, each with its reason, its occasion and the words that prove it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from heedful.learn.conversations.rules.parsing import Rule, read, refuses
from heedful.learn.conversations.rules.phrasings import FOR_A_KIND, Needs
from heedful.learn.conversations.rules.sentences import Sentence, user_sentences
from heedful.learn.conversations.rules.surroundings import Surroundings, quoted, surroundings
from heedful.learn.conversations.rules.wording import stated, titled
from heedful.learn.conversations.tags import TECHNOLOGIES, tags
from heedful.learnings.content import content_text
from heedful.records.insight import (
    QUOTES_MOST,
    RULE_LEAST,
    SUMMARY_LIMIT,
    TAGS_LEAST,
    InsightCandidate,
    InsightCategory,
    Quote,
)
from heedful.records.transcript import Message, Speaker, Transcript
from heedful.text.terms import terms

_MOST = 12  # rules of one conversation; who lays down more has pasted them
_READ = 1_500  # sentences of one conversation
_CONTENT = 600
_PART = 240
_LEAST_TITLE = 3  # words
_ALIKE = 0.6  # of the words of the shorter of two rules
_LEAST_ALIKE = 2
_OVERHEARD = 60_000  # characters of the agent in which a person's sentence is looked for, before each message
_LONG_ENOUGH_TO_PASTE = 30
_LONG_CLAUSE = 15
_LEAST_BESIDE = 20
_DOES = re.compile(r"(?:only|instead|use|put|keep|just|make|call|move|run|add|do|including)\b", re.IGNORECASE)

_TOOL = re.compile(
    r"^(?:always |never |do not |prefer |only )?(?:use|run|lint|format|install|build|call|invoke|execute|go with"
    r"|test)\b",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(?:before|after|when|whenever|each time|every time)\b.*\b(?:commit\w*|push\w*|merg\w*|releas\w*|deploy\w*"
    r"|review\w*|prs?|pull requests?|plan\w*|test\w*"
    r"|branch\w*|ask\w*|updat\w*)\b|^(?:always )?(?:ask|tell|show|confirm|check with|explain)\b"
    r"|\b(?:commit messages?|pull requests?|work ?trees?|branch(?:es)?)\b",
    re.IGNORECASE,
)  # fmt: skip
_BROKEN_OFF = re.compile(
    r"\b(?:a|an|the|to|of|with|in|(?<!is )(?<!are )for|and|or|is|are|be|by|from|as|like|that|e\.g)$"
)
_CHOICES = ("we do", "this, not that")
_ASIDE = re.compile(
    r"(?:\bnot|\bnever|instead of|rather than) (?:(?:a|an|the|with|to|in|for|from|by|on) )*([\w.@/-]{3,})"
)
_GENERIC = re.compile(
    r"(?:always |never |please |make sure to )*(?:write (?:good |clean |the )?(?:tests?|code)|use logging"
    r"|follow (?:the )?best practices|add comments|handle errors"
    r"|be careful|do (?:your|the) best|think (?:hard|harder|carefully)|keep going|work on this|double[- ]check"
    r"|do (?:so|this|that|it)|forget|give up)",
    re.IGNORECASE,
)  # fmt: skip


class _FoundRule(NamedTuple):
    """A rule, and where in the conversation it was laid down."""

    place: int
    rule: Rule
    terms: frozenset[str]


def rules(transcript: Transcript) -> list[InsightCandidate]:
    """What people of this conversation asked to be heeded from now on, in the order in which they did."""
    messages = transcript.messages
    found_rule = _own(messages, _found_rules(messages))
    found: list[InsightCandidate] = []
    reasons = {
        (each.place, each.rule.reason.start) for each in found_rule if each.rule.reason is not None and each.rule.sure
    }
    found_rule = [each for each in found_rule if (each.place, each.rule.sentence.start) not in reasons]
    for first, again in _grouped(found_rule):
        if first.rule.sure or _insisted(messages, first, again) or _corrects(messages, first):
            candidate = _candidate(messages, first, again)
            if candidate is not None:
                found.append(candidate)
        if len(found) == _MOST:
            break
    return found


def _insisted(messages: tuple[Message, ...], first: _FoundRule, again: list[_FoundRule]) -> bool:
    """Whether it had to be said again although the agent had answered; a message sent twice does not count."""
    if first.rule.form.name == "corrected" and not any(each.rule.refused for each in (first, *again)):
        return False
    return any(
        message.role is Speaker.ASSISTANT
        for other in again
        for message in messages[min(first.place, other.place) : max(first.place, other.place)]
    )


def _found_rules(messages: tuple[Message, ...]) -> Iterator[_FoundRule]:
    left = _READ
    for place, message in enumerate(messages):
        if message.role is not Speaker.USER or message.failed or left <= 0:
            continue
        sentences = user_sentences(message.text)[:left]
        left -= len(sentences)
        refused = bool(sentences) and refuses(sentences[0].text)
        for nth in range(len(sentences)):
            rule = read(sentences, nth, refused=refused)
            if rule is not None:
                yield _FoundRule(place, rule, frozenset(terms(rule.what)))


def _own(messages: tuple[Message, ...], found_rule: Iterable[_FoundRule]) -> list[_FoundRule]:
    """Without what the person pasted from the agent's own words."""
    found: list[_FoundRule] = []
    overheard, place = "", 0
    for each in found_rule:
        if place < each.place:
            said = " ".join(
                message.text[:_OVERHEARD]
                for message in messages[place : each.place]
                if message.role is not Speaker.USER
            )
            overheard = (overheard + " " + " ".join(said[-_OVERHEARD:].split()))[-_OVERHEARD:]
            place = each.place
        words = each.rule.sentence.text
        if len(words) < _LONG_ENOUGH_TO_PASTE or words not in overheard:
            found.append(each)
    return found


def _grouped(found_rule: list[_FoundRule]) -> list[tuple[_FoundRule, list[_FoundRule]]]:
    """Each rule with where it was said again; the surest wording comes first."""
    groups: list[list[_FoundRule]] = []
    for each in found_rule[: 4 * _MOST]:
        group = next((group for group in groups if _alike(group[0], each)), None)
        if group is None:
            groups.append([each])
        else:
            group.append(each)
    ordered = [sorted(group, key=lambda each: not each.rule.sure) for group in groups]
    return [(group[0], [other for other in group[1:] if other.place != group[0].place]) for group in ordered]


def _alike(one: _FoundRule, other: _FoundRule) -> bool:
    shared = len(one.terms & other.terms)
    return (
        shared >= _LEAST_ALIKE
        and shared >= _ALIKE * min(len(one.terms), len(other.terms))
        and one.rule.forbids == other.rule.forbids
        and _values(one) == _values(other)
    )


def _values(found_rule: _FoundRule) -> frozenset[str]:
    """Two rules that name different numbers are never the same."""
    return frozenset(term for term in found_rule.terms if not term.isalpha() and any(map(str.isdigit, term)))


def _corrects(messages: tuple[Message, ...], found_rule: _FoundRule) -> bool:
    """Whether the agent had done just what the rule puts aside: `use pnpm, not npm` after `npm install`."""
    if found_rule.rule.form.needs is not Needs.CORRECTION:
        return False
    what = found_rule.rule.what.lower()
    named = any(word.strip(".,;`'") in TECHNOLOGIES for word in what.split())
    if found_rule.rule.form.name in _CHOICES and (named or FOR_A_KIND.search(what)):
        return True
    aside = _ASIDE.search(what)
    if aside is None:
        return False
    mentioned = re.compile(rf"(?<!\w){re.escape(aside[1])}(?!\w)", re.IGNORECASE)
    recent = [
        message
        for message in messages[max(0, found_rule.place - 12) : found_rule.place]
        if message.role is Speaker.ASSISTANT
    ]
    return any(
        mentioned.search(text)
        for message in recent
        for text in (message.text[:4_000], *(call.input[:400] for call in message.tools[:20]))
    )


def _candidate(
    messages: tuple[Message, ...], found_rule: _FoundRule, again: list[_FoundRule]
) -> InsightCandidate | None:
    rule, message = found_rule.rule, messages[found_rule.place]
    title = titled(rule)
    if len(title.split()) < _LEAST_TITLE or _GENERIC.fullmatch(title) or _BROKEN_OFF.search(title):
        return None
    around = surroundings(messages, found_rule.place, f"{title} {rule.why}")
    beside = _beside(message, rule)
    content = _content(rule, around, beside)
    quotes = _quotes(message, rule, around, beside, [(messages[other.place], other.rule) for other in again])
    if len(content_text(content)) < RULE_LEAST or not quotes:
        return None
    category = _topic(rule, title)
    about = " ".join((title, rule.sentence.text, rule.why, *around.done, *around.changed))
    return InsightCandidate(
        category, title, content, _tags(about, category), quotes, _summary(message, rule, around), rule=True
    )


def _tags(text: str, category: InsightCategory) -> tuple[str, ...]:
    found = tags(text, category.value)
    return found if len(found) >= TAGS_LEAST else (*found, "rule", "convention")[:TAGS_LEAST]


def _topic(rule: Rule, title: str) -> InsightCategory:
    if rule.form.category is not None and rule.form.category is not InsightCategory.WORKFLOW:
        return rule.form.category
    if rule.forbids:
        return InsightCategory.ANTI_PATTERN
    if rule.form.category is InsightCategory.WORKFLOW or _WORK.search(title):
        return InsightCategory.WORKFLOW
    named = {word.strip(".,`'\"").lower() for word in title.split()}
    if _TOOL.match(title) and (
        named & TECHNOLOGIES or re.match(r"(?:always )?(?:run|lint|format|install)\b", title, re.IGNORECASE)
    ):
        return InsightCategory.TOOL_USAGE
    return InsightCategory.BEST_PRACTICE


def _content(rule: Rule, around: Surroundings, beside: _Beside) -> dict[str, str]:
    """What to do and why; then, while there is room, the person's own sentence and what was going on."""
    content = {
        "what": _sentence(stated(rule)),
        "why": _sentence(rule.why) if rule.why else "",
        "how": _how(around, beside.after),
        "context": _context(around, beside.before),
    }
    if rule.sentence.text.find(rule.what[:20]) > _LONG_CLAUSE:  # the clause before tells what it is about
        content["said"] = _cut(rule.sentence.text)
    content = {name: text for name, text in content.items() if text}
    while len(content_text(content)) > _CONTENT and len(content) > 1:
        content.popitem()
    return content


class _Beside(NamedTuple):
    """What the person said themselves just before the rule, and to do just after it."""

    before: Sentence | None
    after: Sentence | None


def _beside(message: Message, rule: Rule) -> _Beside:
    sentences = user_sentences(message.text)
    place = next(nth for nth, other in enumerate(sentences) if other.start == rule.sentence.start)
    before = sentences[place - 1] if place else None
    if before is not None and (
        before == rule.reason or not _LEAST_BESIDE <= len(before.text) <= _PART or before.heading
    ):
        before = None
    following = [other for other in sentences[place + 1 : place + 3] if other != rule.reason][:1]
    after = next((other for other in following if _DOES.match(other.text) and not other.asks), None)
    return _Beside(before, after)


def _context(around: Surroundings, before: Sentence | None) -> str:
    parts = []
    if around.before is not None:
        parts.append(f"The agent had said: “{_cut(around.before.sentence.text)}”")
    elif before is not None:
        parts.append(f"“{_cut(before.text)}”")
    elif around.asked is not None:
        parts.append(f"The task was: “{_cut(around.asked.sentence.text)}”")
    if around.done:
        parts.append(f"The agent had {' and '.join(around.done)}.")
    if around.changed:
        parts.append(f"The agent then changed {', '.join(around.changed)}.")
    return " ".join(parts)


def _how(around: Surroundings, after: Sentence | None) -> str:
    said = after.text if after is not None else around.after.sentence.text if around.after is not None else ""
    return _sentence(said) if said else ""


def _sentence(words: str) -> str:
    words = _cut(words).strip()
    words = words[:1].upper() + words[1:]
    return words if words.endswith((".", "!", "?", "…", ":")) else f"{words}."


def _cut(words: str) -> str:
    words = words.replace("**", "")
    return words if len(words) <= _PART else words[: words.rfind(" ", 0, _PART - 1)].rstrip(" ,;:") + "…"


def _quotes(
    message: Message, rule: Rule, around: Surroundings, beside: _Beside, again: list[tuple[Message, Rule]]
) -> tuple[Quote, ...]:
    quotes = [quoted(message, sentence) for sentence in (rule.sentence, rule.reason) if sentence is not None]
    quotes += [quoted(other, said.sentence) for other, said in again[:1]]
    quotes += [said.quote() for said in (around.before, around.after, around.asked) if said is not None]
    quotes += [quoted(message, sentence) for sentence in (beside.before, beside.after) if sentence is not None]
    return tuple(quote for quote in dict.fromkeys(quotes) if quote.text)[:QUOTES_MOST]


def _summary(message: Message, rule: Rule, around: Surroundings) -> str:
    said = " ".join(message.text[rule.sentence.start : rule.sentence.end].split())
    if around.asked is not None:
        context = f"While the work was on “{around.asked.sentence.text[:110]}”"
    elif around.before is not None:
        context = f"After the agent said “{around.before.sentence.text[:110]}”"
    else:
        context = "At the beginning of the conversation"
    return f"{context}, the user said: “{said[:140]}”"[:SUMMARY_LIMIT]
