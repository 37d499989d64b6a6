"""The prose of a message: its sentences, without code, logs, tables and quoted lines, where nobody states anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from unicodedata import category

from heedful.text.sentences import Span, spans

_LONGEST = 40_000  # characters of a message; longer ones are pasted
_MOST = 400  # sentences
_LONGEST_SENTENCE = 1_200  # characters
_LEAST_WORDS = 2
_LEAST_LETTERS = 0.7  # of the characters of a sentence: letters and spaces

_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)[^\n]{0,200}$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]{1,200}`")
_LINK = re.compile(r"https?://[^\s)>\]]{1,500}")
_MARKER = re.compile(r"\s*+(?:(?:[-*•#]{1,6}|\d{1,3}[.)]|\[[ xX]\])\s+)*+")
_QUOTED = re.compile(r"\s*+(?:[>|│├└┌]|@@|\$\s|</?[a-zA-Z!]|\d{1,6}(?:→|\t)|[-=*_]{3,}\s*$)")
_LOG = re.compile(
    r"\s*+(?:at\s[\w.$<>]{1,200}\(|File \"|Traceback|\[?\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|"
    r"\w{1,60}(?:Error|Exception):)"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_SYMBOLS = frozenset({"So", "Sk", "Sm"})  # a line of a program's output often begins with one


def prose(text: str) -> list[Span]:
    """Start and end of each sentence, without list markers and white space around it."""
    return list(islice(_sentences(text[:_LONGEST]), _MOST))


def _sentences(text: str) -> Iterator[Span]:
    for begun, ended in _unfenced(text):
        for start, end in spans(text[begun:ended]):
            sentence = text[begun + start : begun + end]
            if is_prose(sentence):
                marker = _MARKER.match(sentence)
                first = begun + start + (marker.end() if marker else 0)
                yield first, first + len(text[first : begun + end].rstrip())


def _unfenced(text: str) -> Iterator[Span]:
    start, fenced = 0, False
    for fence in _FENCE.finditer(text):
        if not fenced:
            yield start, fence.start()
        start, fenced = fence.end(), not fenced
    if not fenced:
        yield start, len(text)


def is_prose(sentence: str) -> bool:
    if len(sentence) > _LONGEST_SENTENCE or _QUOTED.match(sentence) or _LOG.match(sentence):
        return False
    plain = _LINK.sub("link", _CODE.sub("code", sentence)).strip()  # a backtick is a symbol, too
    if category(plain[:1] or " ") in _SYMBOLS:
        return False
    letters = sum(map(str.isalpha, plain)) + sum(map(str.isspace, plain))
    return len(_WORD.findall(plain)) >= _LEAST_WORDS and letters >= _LEAST_LETTERS * len(plain)
