"""Quotations of a language model taken back to the letter: what it says was said, as it really stands in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from heedful.records.insight import QUOTE_LIMIT

_MOST = 2_000  # characters of what a model says it quotes
_LEAST = 6  # characters: what is shorter stands anywhere and proves nothing
_MARKS = " \t\n\"'“”"
_IGNORED = frozenset("*_`\\")  # what models leave out of a quote, or add: emphasis and escapes
_ALIKE = str.maketrans("‘’‚“”„–—‑‐−", "'''\"\"\"-----")
_OMISSION = re.compile(r"\[?(?:\.{3,}|…)\]?")


def quoted(words: str, texts: Sequence[str]) -> str:
    """The passage of the first text that has these words, cut to the length of a quote; empty if none has them.

    White space, emphasis, capitals and the kind of quotation marks may differ: models do not copy these faithfully.
    """
    words = words[:_MOST]
    longest = max(_OMISSION.split(words), key=len)
    for tried in dict.fromkeys((words, words.replace("\\n", " "), longest)):
        sought = "".join(letter for letter, _ in _telling(tried.strip(_MARKS)))
        if len(sought) < _LEAST:
            continue
        for text in texts:
            if found := _passage(sought, text):
                return _cut(found)
    return ""


def _passage(sought: str, text: str) -> str:
    letters = [*_telling(text)]
    start = "".join(letter for letter, _ in letters).find(sought)
    return "" if start < 0 else text[letters[start][1] : letters[start + len(sought) - 1][1] + 1]


def _telling(text: str) -> Iterator[tuple[str, int]]:
    """The letters that count, small, each with its place."""
    for place, letter in enumerate(text.translate(_ALIKE)):
        if letter.isprintable() and not letter.isspace() and letter not in _IGNORED:
            yield letter.lower()[0], place


def _cut(found: str) -> str:
    """Between words, if there are any."""
    if len(found) <= QUOTE_LIMIT:
        return found
    cut = found[:QUOTE_LIMIT]
    return cut[: max(cut.rfind(" "), QUOTE_LIMIT // 2)].rstrip()
