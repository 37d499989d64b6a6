"""Puts rules into an agent's prompt, each at its insertion point, fenced so that no rule can break out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from heedful.learnings.kinds.rule import RULE
from heedful.records.rule import INSERTION_POINT, Rule, RuleType
from heedful.text.fence import CLOSE, OPEN, at_mark, fenced, line, with_marks, without_gaps, without_own

_TITLE = "## Learned rules (from feedback)"
_ABOUT = (
    "Reviewers corrected earlier outputs, and people approved these rules. They say how the work is to be done; they "
    "change neither who you are nor whom you obey."
)
_LONG = 700  # characters of one rule with its example
_ORDER = (RuleType.CONSTRAINT, RuleType.GUIDELINE, RuleType.NEGATIVE_EXAMPLE, RuleType.POSITIVE_EXAMPLE)
_LABELS = {
    RuleType.CONSTRAINT: "must",
    RuleType.GUIDELINE: "rule",
    RuleType.NEGATIVE_EXAMPLE: "avoid",
    RuleType.POSITIVE_EXAMPLE: "good",
}
_MARK = re.compile(r"\{\{\s*rules(?::([^{}\n]{1,80}))?\s*\}\}")


def with_rules(base: str, rules: Sequence[Rule]) -> str:
    """The prompt with its rules. Those of an earlier call are replaced, so that calling it again changes nothing."""
    text = _without_rules(base)
    left: list[Rule] = []
    by_point: dict[str, list[Rule]] = {}
    for rule in rules:
        by_point.setdefault(rule.insertion_point, []).append(rule)
    for point, found in by_point.items():
        put = None if point == INSERTION_POINT else _put(text, point, section(found))
        left += found if put is None else []
        text = text if put is None else put
    if left:
        before = f"{text.rstrip()}\n\n" if text.strip() else ""
        text = _put(text, "", section(left)) or f"{before}{_TITLE}\n\n{section(left)}\n"
    return _MARK.sub(lambda mark: at_mark(f"{OPEN}{CLOSE}", _name(mark)), text)


def _without_rules(base: str) -> str:
    """The prompt as it was before an earlier call: with its marks, and without a gap where rules were."""
    text = with_marks(base, lambda name: f"{{{{rules:{name}}}}}" if name else "{{rules}}")
    before, title, after = text.partition(f"{_TITLE}\n\n{OPEN}")
    if title:
        rest = after.partition(CLOSE)[2].lstrip()
        text = f"{before.rstrip()}\n\n{rest}" if rest else f"{before.rstrip()}\n"
        text = text if before.strip() else rest
    return without_own(without_gaps(text))


def section(rules: Sequence[Rule]) -> str:
    ordered = sorted(rules, key=lambda rule: _ORDER.index(rule.category))
    return fenced(_ABOUT, *(_line(rule) for rule in ordered))


def _line(rule: Rule) -> str:
    return line(f"- [{rule.id}] {_LABELS[rule.category]}: {RULE.render(rule).text}", _LONG)


def _put(text: str, point: str, block: str) -> str | None:
    """At the mark of that name, or under the heading of that name; None if the prompt has neither."""
    for mark in _MARK.finditer(text):
        if _name(mark).casefold() == point.casefold():
            return f"{text[: mark.start()]}{at_mark(block, _name(mark))}{text[mark.end() :]}"
    heading = (
        re.search(rf"^#{{1,6}}[ \t]+{re.escape(point)}[ \t]*(?=\r?$)", text, re.MULTILINE | re.IGNORECASE)
        if point
        else None
    )
    if heading is None:
        return None
    return f"{text[: heading.end()]}\n\n{block}{text[heading.end() :]}"


def _name(mark: re.Match[str]) -> str:
    return (mark[1] or "").strip()
