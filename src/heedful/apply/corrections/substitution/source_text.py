"""The sentence, line and run around a position, and whether it is in code or in quotes."""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from heedful.text.sentences import sentence_at

_REACH = 400  # characters a sentence is looked for, to either side
_RUN = 200  # characters of an unbroken run; a longer one is no prose
_SPANS = re.compile(  # begins with the few characters that can open one, so that the rest is passed over fast
    r"""[`~"“„«'‘](?:
        (?P<fence> (?<=`)``[`]{0,5}[^\n`]{0,40}\n(?s:.*?)(?:(?<=\n)[^\S\n]{0,8}```+[^\S\n]{0,8}(?=\n|\Z)|\Z)
          | (?<=~)~~[^\n~]{0,40}\n(?s:.*?)(?:(?<=\n)[^\S\n]{0,8}~~~+[^\S\n]{0,8}(?=\n|\Z)|\Z))
      | (?P<code> (?<=`)(?P<more>`{0,2})(?!`)[^`\n]{1,400}`(?P=more)(?!`))
      | (?P<quote> (?<=")[^"\n]{1,400}" | (?<=“)[^“”\n]{1,400}” | (?<=„)[^„“”\n]{1,400}[“”] | (?<=«)[^«»\n]{1,400}»
          | (?<=')(?<!\w')(?:[^'\n]|(?<=\w)'(?=\w)){1,300}'(?!\w) | (?<=‘)(?<!\w‘)[^‘\n]{1,300}?’(?!\w))
      | (?P<struck> (?<=~)~[^~\n]{1,300}~~)
    )""",
    re.VERBOSE,
)
_CODE_LINE = re.compile(
    r"""\s*(?:
        (?:import|from)\s+[\w.{}*]+(?:\s+(?:import|as)\b.*)?$
      | (?:pip3?|npm|yarn|pnpm|cargo|go|brew|apt|apt-get|git|docker)\s+(?:install|add|get|run|clone|pull|push|build|-)\b
      | (?:def|class|func|fn|struct|enum|interface|package|type)\s+\w.*[:{(]
      | (?:const|let|var|public|private|static|export|async|await|return|if|for|while)\b[^={(;]*+[={(;].*[;{})]$
      | \#include\b
      | (?<=\s)(?:return|raise|yield|assert|throw)\b[^.]{0,80}$
      | (?i:select\b.{1,300}\bfrom\b|insert\s+into\b|update\b.{1,80}\bset\b.{0,80}=|delete\s+from\b|create\s+table\b)
      | .{0,300}(?:[;{}]|=>)\s*$
      | (?:if|elif|for|while|with|switch|case|catch|except|lambda)\b.*:\s*$
      | [\w.\[\]"']+\s*(?:[-+*/|&:]?=|:=)\s*\S
      | [\w.]+\(.*\)\s*$
      | [<][/\w!]
      | \$\s\w
    )""",
    re.VERBOSE,
)
_ITEM = 80  # characters
_LIST_ITEM = re.compile(r"[^\S\n]*(?:[-*+•|]|\d{1,3}[.)])\s")
_REMOVED_LINE = re.compile(r"-(?![-\s]*$)")


class SpanKind(Enum):
    PROSE = "prose"
    CODE = "a code span or a fenced block"
    QUOTE = "a quotation"
    STRUCK = "text that was struck out"


class Span(NamedTuple):
    start: int
    end: int
    inside: SpanKind


_PROSE = Span(0, 0, SpanKind.PROSE)
_BY_GROUP = {"fence": SpanKind.CODE, "code": SpanKind.CODE, "quote": SpanKind.QUOTE, "struck": SpanKind.STRUCK}


class SourceText:
    """A text with lookups by position."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _spans(self) -> list[Span]:
        found = _SPANS.finditer(self.text)
        return [Span(match.start(), match.end(), _BY_GROUP[_group(match)]) for match in found]

    @cached_property
    def _starts(self) -> list[int]:
        return [span.start for span in self._spans]

    def span(self, start: int) -> Span:
        at = bisect_right(self._starts, start) - 1
        return self._spans[at] if at >= 0 and start < self._spans[at].end else _PROSE

    def line(self, start: int, end: int) -> tuple[int, int]:
        low, high = max(0, start - _REACH), min(len(self.text), end + _REACH)
        first = self.text.rfind("\n", low, start)
        last = self.text.find("\n", end, high)
        return (first + 1 if first >= 0 else low), (last if last >= 0 else high)

    def sentence(self, start: int, end: int) -> tuple[int, int]:
        return sentence_at(self.text, start, end, _REACH, wrapped=True)

    def run(self, start: int, end: int) -> tuple[int, int] | None:
        """The run without white space around a span; None if too long to be words."""
        low, high = start, end
        while low > 0 and not self.text[low - 1].isspace():
            low -= 1
            if start - low > _RUN:
                return None
        while high < len(self.text) and not self.text[high].isspace():
            high += 1
            if high - end > _RUN:
                return None
        return low, high

    def list_neighbours(self, start: int, end: int) -> list[str]:
        """The list items before and after the one that holds the span."""
        low, high = self.line(start, end)
        if high - low > _ITEM or not _LIST_ITEM.match(self.text[low:high]):
            return []
        before = self.text[self.line(low - 1, low - 1)[0] : low - 1] if low else ""
        after = self.text[high + 1 : self.line(high + 1, high + 1)[1]] if high < len(self.text) else ""
        return [line for line in (before, after) if len(line) <= _ITEM and _LIST_ITEM.match(line)]

    def is_code_line(self, start: int, end: int) -> bool:
        low, high = self.line(start, end)
        return _CODE_LINE.match(self.text[low:high]) is not None

    def is_whole_line(self, span: Span) -> bool:
        """What somebody is to say or write, and no quotation within a sentence."""
        low, high = self.line(span.start, span.end)
        return not self.text[low : span.start].strip() and not self.text[span.end : high].strip()

    def is_removed_line(self, start: int, end: int) -> bool:
        """A deleted line of a diff, or a quoted line."""
        low, high = self.line(start, end)
        line = self.text[low:high]
        if line.lstrip().startswith(">"):
            return True
        if not _REMOVED_LINE.match(line):
            return False
        if line[1:2] not in (" ", "\t"):
            return True
        previous = self.text[self.line(low - 1, low - 1)[0] : low - 1] if low else ""
        following = self.text[high + 1 : high + 2]
        return following == "+" or previous.startswith(("@@", "---", "+"))


def _group(match: re.Match[str]) -> str:
    return next(name for name in _BY_GROUP if match[name] is not None)
