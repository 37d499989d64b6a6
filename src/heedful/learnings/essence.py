"""The labelled parts of a learning's content, and its most useful lines."""

from __future__ import annotations

import re
from typing import NamedTuple

from heedful.records.insight import CONTENT_LIMIT, Insight

_LABEL = re.compile(r"^([A-Z][A-Z -]{1,14}[A-Z]):[ \t]*", re.MULTILINE)
_STEP = re.compile(r"(?<![ \t])[ \t]++(?=\d{1,2}\. )")
_WORD = re.compile(r"\w+")
_TELLING = ("FIX", "CHOICE", "CHANGE", "BETTER", "HOW", "WHAT", "CAUSE", "WHY", "RESULT", "PROBLEM", "AVOID", "WHEN")
_PASSING = frozenset({"CONTEXT"})  # the situation at the time
_PASSING_FOR_RULES = frozenset({"CONTEXT", "WHEN"})
_AT_THE_TIME = re.compile(
    r"^The agent (?:then|had)\b.*|(?<!\s)\s*+\(changed: [^()]*+\)\s*$|(?<!\s)\s*+In full: “[^”]{0,4000}”\s*$", re.DOTALL
)  # the agent's action, and the person's reaction
_LINES = 2
_LONG = 280
_ENDS = (".", "!", "?", "")
_CUT = "… "
_NEW = 0.25  # the share of words that the title does not have, for it to be worth saying


class Block(NamedTuple):
    label: str
    """WHAT, WHY, FIX; empty for text before the first label."""
    text: str


def blocks(content: str) -> list[Block]:
    """The labelled parts of a content, each with its lines."""
    content = content[: 2 * CONTENT_LIMIT]
    found = list(_LABEL.finditer(content))
    ends = [label.start() for label in found[1:]] + [len(content)]
    lead = content[: found[0].start()] if found else content
    parts = [Block(label[1], content[label.end() : end].strip()) for label, end in zip(found, ends, strict=False)]
    return [block for block in (Block("", lead.strip()), *parts) if block.text]


def lines(block: Block) -> list[str]:
    """Formatted for reading: one step per line."""
    if block.text.startswith("1. ") and "\n" not in block.text:
        return _STEP.split(block.text)
    return block.text.splitlines()


def essence(insight: Insight) -> list[str]:
    """One or two lines that complete the title; instructions come before reasons."""
    passing = _PASSING_FOR_RULES if insight.rule else _PASSING
    known = frozenset(_words(insight.title))
    said = [
        _continued(Block(block.label, _AT_THE_TIME.sub("", block.text)), insight.title)
        for block in blocks(insight.content)
        if block.label not in passing
    ]
    useful = [block for block in said if _adds(block, known)]
    chosen = sorted(useful, key=_rank)[:_LINES]
    return [_text(block) for block in useful if block in chosen]


def _continued(block: Block, title: str) -> Block:
    """Without the title, if it begins with it."""
    rest = block.text[len(title) :]
    if not title or not block.text.casefold().startswith(title.casefold()) or rest[:1].isalnum():
        return block
    more = rest.lstrip(" .:;,!?")
    return Block(block.label, more if rest[:1] in _ENDS or not more else f"{_CUT}{more}")


def _rank(block: Block) -> int:
    return _TELLING.index(block.label) if block.label in _TELLING else len(_TELLING)


def _adds(block: Block, known: frozenset[str]) -> bool:
    words = _words(block.text)
    return sum(word not in known for word in words) > _NEW * len(words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _text(block: Block) -> str:
    said = shortened(block.text, _LONG)
    return said if not block.label or said.startswith(_CUT) else f"{block.label.capitalize()}: {said}"


def shortened(text: str, most: int) -> str:
    """On one line, cut at the end of a sentence or of a word if it is too long."""
    text = " ".join(text[: 8 * most].split())
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    sentence = max(cut.rfind(f"{mark} ") for mark in ".!?")
    if sentence > most // 2 and not cut[:sentence].rsplit(" ", 1)[-1].isdigit():
        return cut[: sentence + 1]
    return cut.rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
