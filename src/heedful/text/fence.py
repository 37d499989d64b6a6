"""The one door through which words of others reach a prompt, or a file that agents read.

What was recorded is what people and programs said somewhere: it may inform an agent, and never command it. So whatever
it is, a text, an id, a topic, a name, it goes in as visible text that can neither end where we end it, nor pose as a
marker of ours, as somebody's turn in the conversation, or as markup. What is no danger stays as it was written:
`a < b` and `List<int>` read as code.

    fenced     a block for a prompt, each line of it made harmless
    line       a text on one line
    quoted     the same as a JSON string
    data       any value as JSON, for a language model that is asked about it
    harmless   all texts in a value, for hosts that show it to an agent
    markdown   a text as one line of Markdown, which renders as that text and nothing else
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from heedful.text.checks import visible

OPEN, CLOSE = "<heedful>", "</heedful>"
"""Around what is told in a prompt."""

BEGIN, END = "<!-- heedful:begin -->", "<!-- heedful:end -->"
"""Around what is told in a file."""

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
_LINE_BREAKS = {ord(character): f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}
_JSON = orjson.OPT_SORT_KEYS


def fenced(*lines: str) -> str:
    """A block of lines. Whatever a line is made of, it stays one line and inside."""
    return "\n".join((OPEN, *map(line, lines), CLOSE))


def without_own(text: str) -> str:
    """A text without what heedful itself had put into it: that is nobody's word."""
    return _OWN.sub("", text)


def line(text: str, most: int | None = None) -> str:
    text = _inert(" ".join(visible(text).split()))
    return text if most is None or len(text) <= most else text[: most - 1].rstrip() + "…"


def quoted(text: str, most: int | None = None) -> str:
    """One line between quotation marks that it cannot close."""
    return orjson.dumps(line(text, most)).decode()


def data(value: object) -> str:
    """JSON on one line, also to those who break lines where Unicode does."""
    return orjson.dumps(harmless(value), option=_JSON).decode().translate(_LINE_BREAKS)


def harmless(value: Any) -> Any:
    """The same value with harmless texts."""
    if isinstance(value, str):
        return _inert(visible(value))
    if isinstance(value, Mapping):
        return {harmless(name): harmless(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [*map(harmless, value)]
    return value


def _inert(text: str) -> str:
    """Only the first bracket is another one, so that people and agents can still read what was written."""
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
    """Renders as text, with code where it has backticks: no markup, link, image, heading or list that it chose."""
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
    """Backslashes are counted: one before another escapes that, and not what comes after them."""
    text = _TAG.sub(lambda tag: tag[0] if len(tag[1]) % 2 else f"{tag[1]}\\<", text)
    text = _LINK.sub(r"]\\", text)
    ending = len(text) - len(text.rstrip("\\"))
    return f"{text}\\" if ending % 2 else text
