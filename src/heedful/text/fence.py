"""Escaping of recorded text for prompts and for files that agents read.

Recorded text may inform an agent but never command it. It goes in as visible text that cannot close its fence, imitate
our markers, another speaker's turn, or markup. Anything harmless stays as written: `a < b` and `List<int>` stay code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape, unescape
from typing import Any
from urllib.parse import quote

import orjson

from heedful.text.checks import visible

OPEN, CLOSE = "<heedful>", "</heedful>"
"""Around our text in a prompt."""

BEGIN, END = "<!-- heedful:begin -->", "<!-- heedful:end -->"
"""Around our text in a file."""

_BRACKET = "[<＜﹤]"
_NAME = "".join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in "heedful")  # also in full width
_TURNS = (  # of chat templates, and of what hosts put around their own words
    r"bos|eos|pad|unk|s|(?:start|end)_of_turn|system(?:[-_]\w+)?|developer|user|human|assistant|model"
    r"|function_(?:calls?|results?)|tool_(?:calls?|use|results?|response)|instructions?|antml:\w+"
)
_OURS = re.compile(rf"{_BRACKET}(?=\W{{0,40}}{_NAME})", re.IGNORECASE)
_TURN = re.compile(rf"{_BRACKET}(?=[|｜]|<\s*+/?+\s*+SYS\b|\s*+/?+\s*+(?:{_TURNS})\b[^<>]{{0,80}}[>＞﹥])")
_INST = re.compile(
    r"\[(?=\s*+/?+\s*+(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\s*+\])"
)
_OWN = re.compile(
    r"<heedful\b[^>]{0,200}>.*?(?:</heedful>|\Z)|<!--\s*heedful:begin\s*-->.*?(?:<!--\s*heedful:end\s*-->|\Z)",
    re.DOTALL,
)
_AT_MARK = re.compile(r'<heedful rules="([^"<>]*)">.*?(?:</heedful>|\Z)', re.DOTALL)
_UNDER_HEADING = re.compile(r"\n\n<heedful>.*?(?:</heedful>|\Z)", re.DOTALL)
_LINE_BREAKS = {ord(character): f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}
_NOT_IN_IDS = re.compile(r"[^\w.:/@#+=~-]+")
_JSON = orjson.OPT_SORT_KEYS


def fenced(*lines: str) -> str:
    """A block of lines. Each stays one line, inside the block."""
    return "\n".join((OPEN, *map(line, lines), CLOSE))


def at_mark(block: str, name: str) -> str:
    """A block that remembers the mark of a prompt that it stands at."""
    return block.replace(OPEN, f'<heedful rules="{escape(name)}">', 1)


def with_marks(text: str, mark: Callable[[str], str]) -> str:
    """The text with a mark in the place of each block that stands at one."""
    return _AT_MARK.sub(lambda block: mark(unescape(block[1])), text)


def without_gaps(text: str) -> str:
    """The text without blocks that stand by themselves, and without the gap before them."""
    return _UNDER_HEADING.sub("", text)


def without_own(text: str) -> str:
    """The text without blocks that heedful itself injected."""
    return _OWN.sub("", text)


def line(text: str, most: int | None = None) -> str:
    text = _inert(" ".join(visible(text).split()))
    return text if most is None or len(text) <= most else text[: most - 1].rstrip() + "…"


def reference(id: str) -> str:
    """An id as one word: callers choose ids, and `1] rule: obey. [2` would read as a line of its own."""
    return line(_NOT_IN_IDS.sub(lambda found: quote(found[0], safe=""), visible(id)))


def quoted(text: str, most: int | None = None) -> str:
    """A line as a JSON string."""
    return orjson.dumps(line(text, most)).decode()


def data(value: object) -> str:
    """JSON on one line, also for programs that break lines at Unicode separators."""
    return orjson.dumps(harmless(value), option=_JSON).decode().translate(_LINE_BREAKS)


def harmless(value: Any) -> Any:
    """The same value with all of its texts escaped."""
    if isinstance(value, str):
        return _inert(visible(value))
    if isinstance(value, Mapping):
        return {harmless(name): harmless(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [*map(harmless, value)]
    return value


def _inert(text: str) -> str:
    """Replaces only the first bracket, so that the text stays readable."""
    return _INST.sub("(", _TURN.sub("‹", _OURS.sub("‹", text)))


# Markdown

_TAG = re.compile(r"(?<!\\)(\\*+)<(?=[A-Za-z/!?])")
_LINK = re.compile(r"\](?=[(\[])")
_TICKS = re.compile(r"``+")
_CODE = re.compile(r"(`[^`]+`)")
_BLOCK = re.compile(  # what begins something else than a line of text
    r"[#>=|~\[]|:(?=-)|[+*_-](?=\s|$)|[*_-](?=(?:\s*[*_-])+\s*$)|-(?=[-:|\s]*$)|\d{1,9}(?=[.)](?:\s|$))"
)


def markdown(text: str, most: int | None = None) -> str:
    """One line of Markdown that renders as this text, with code in backticks and no other markup."""
    text = _TICKS.sub("`", line(text, most).replace("<!--", "< !--"))
    if text.count("`") % 2:
        text = "'".join(text.rsplit("`", 1))
    parts = _CODE.split(text)  # every second one is code
    text = "".join(part if number % 2 else _plain(part) for number, part in enumerate(parts))
    if block := _BLOCK.match(text):
        mark = block.end() if text[0].isdigit() else 0
        text = f"{text[:mark]}\\{text[mark:]}"
    return text


def _plain(text: str) -> str:
    """Backslashes are counted: an even number before a tag escapes nothing of it."""
    text = _TAG.sub(lambda tag: tag[0] if len(tag[1]) % 2 else f"{tag[1]}\\<", text)
    text = _LINK.sub(r"]\\", text)
    ending = len(text) - len(text.rstrip("\\"))
    return f"{text}\\" if ending % 2 else text
