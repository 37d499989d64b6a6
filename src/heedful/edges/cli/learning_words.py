"""The words of a learning that a person edits at a terminal, and what an edit of them changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heedful.edges.cli.terminal import visible
from heedful.learnings.content import says_more
from heedful.records.correction import Correction
from heedful.records.insight import Insight

Reviewed = Insight | Correction
"""What a person goes through: what conversations taught, and what was heard as a correction."""

_LEFT_OUT = ("said", "context", "when")
"""Circumstances, which nobody edits."""


def words_of(found: Reviewed) -> dict[str, str]:
    """Of an insight the title, and parts that say more than it; of a correction what is to be known, and its pair."""
    if isinstance(found, Correction):
        pair = {"wrong": found.wrong, "right": found.right} if found.wrong or found.right else {}
        words = {**pair, "understood": found.understood or ("" if pair else found.said)}
        return {name: _line(text) for name, text in words.items()}
    parts = {name: text for name, text in found.content.items() if name not in _LEFT_OUT}
    said = {name: text for name, text in parts.items() if says_more(text, found.title)}
    return {name: _line(text) for name, text in {"title": found.title, **said}.items()}


def edit_of(found: Reviewed, changed: Mapping[str, str]) -> dict[str, Any]:
    """The arguments of the edit that makes these changes."""
    if isinstance(found, Correction):
        return dict(changed)
    return {"title": changed.get("title", found.title), "content": _content(found, changed)}


def edit_back(before: Reviewed, now: object) -> dict[str, Any]:
    """The arguments of the edit that restores the words of before."""
    if isinstance(before, Correction):
        return {name: getattr(before, name) for name in ("wrong", "right", "fixed", "understood")}
    added = dict.fromkeys(now.content, "") if isinstance(now, Insight) else {}
    return {"title": before.title, "content": {**added, **before.content}}


def _content(found: Insight, changed: Mapping[str, str]) -> dict[str, str]:
    """The content after these changes. Parts that repeat the title change with it."""
    title, asked = changed.get("title", found.title), words_of(found)
    repeated = [name for name in found.content if name not in asked and name not in _LEFT_OUT]
    content = {**dict.fromkeys(repeated if "title" in changed else (), title), **changed}
    content.pop("title", None)
    left = {**found.content, **content}
    if not any(text for name, text in left.items() if name not in _LEFT_OUT):
        content["what"] = title  # a learning has a text
    return content


def _line(text: str) -> str:
    return visible(" ".join(text.split()))
