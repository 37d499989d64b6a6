"""The prose of a message: its sentences, with the heading and the label they stand under, and the code that follows.

Code, tables, listings of files and what somebody else's log put there are left out: nobody states anything in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from heedful.text.sentences import sentences as split

_LONGEST_MESSAGE = 60_000  # characters; longer ones are pasted
_LONGEST_LINE = 4_000
_LONGEST_CODE = 600
_SENTENCES = 1_500  # of a message

_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")
_BOLD_LINE = re.compile(r"\*\*([^*]{3,160})\*\*:?$")
_ITEM = re.compile(r"\s*(?:([-*•])|(\d{1,3})[.)])\s+(?=\S)")
_SKIPPED = re.compile(r"\s*(?:[|│├└┌>]|\d+(?:→|\t)|[-=*_]{3,}\s*$|<[/!\w]|_\*\*|[+-]\s*\d+[→\t]|@@|\$ )")
_FOREIGN = re.compile(r"_\*\*Agent - sidechain|</tool-use>|</details>")  # another agent's words, or a record of them
_LISTING = re.compile(r"\s*\d+(?:→|\t)")
_CUT = re.compile(r"…?\s?\[\d+ (?:chars|characters) cut\]\s?…?|\[truncated\]")

_EMPHASIS = re.compile(r"\*{1,3}(?=\S)([^*\n]{1,300}?)\*{1,3}|(?<!\w)_(?=\S)([^_\n`]{1,200}?)_(?!\w)")
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\s]{1,400}\)")
_MARKS = re.compile(r"^(?:[\s✅⚠️❓❌🔴🟡🟢☑✔✓➡→•️]+|\(?\d{1,3}[a-z]?[.)]\s+|\(\d{1,3}[a-z]?\)\s*|\[[ x]\]\s*)+")
_ASIDE = re.compile(
    r"(?<!\s)\s*+\((?:see\s+|in\s+|at\s+|~)?(?:`[^`()]{1,120}`|[\w./-]+\.\w{1,5}|lines?\s\d|L\d)[^()]{0,60}\)"
)
_AT = re.compile(
    r"\s(?:at|in|on)\s(?:`[^`\s]{1,80}:\d[^`\s]*`|lines? \d[\d, –-]*\d|L\d[\d–-]*|[\w./-]+\.\w{1,5}:\d[\d–-]*)"
)
_PLACE = re.compile(r"\.\w{1,5}:\d|\bL\d+|\blines?\b|/\w")

_LABELS = (
    "root cause|cause|problem|issue|bug|symptoms?|diagnosis|fix|solution|resolution|workaround|reason|rationale|why|"
    "why it matters|recommendation|my recommendation|decision|choice|trade-?offs?|result|before|after|impact|"
    "gotcha|note|caveat|warning|lesson|takeaway|key insight|pros?|cons?|how|what|when|steps?|usage|tl;?dr|bottom line"
)
_LABEL = re.compile(
    rf"(?:the\s+)?((?:real\s+|actual\s+|key\s+|main\s+)?(?:{_LABELS}))\b(?:\s*\([^()]{{1,60}}\))?\s*(?::|—|–| - )\s*",
    re.I,
)
_BOLD_LEAD = re.compile(r"\*\*([^*]{2,120}?)\*\*\s*(?=\S)")
_LABEL_WORDS = re.compile(rf"(?:the\s+|my\s+)?((?:real\s+|actual\s+)?(?:{_LABELS}))\b", re.I)


class ProseSentence(NamedTuple):
    text: str
    """Without emphasis, links and references to places."""
    raw: str
    """To the letter."""
    chapter: int
    """Which large heading of the message it is under, counted from 0."""
    section: int
    block: int
    heading: str
    """The nearest heading, and the large one it belongs to."""
    title: str
    label: str
    """`root cause`, `fix`: what the writer calls what follows."""
    lead: bool
    """It was set in bold before the rest of its paragraph."""
    item: str
    """The bullet or the number of the list item it is in."""
    code: str
    """The code that follows its paragraph, and its language."""
    language: str
    praised: bool
    """It only ticks something off."""


class _Code(NamedTuple):
    text: str = ""
    language: str = ""


_NONE = _Code()


class _Block(NamedTuple):
    text: str
    chapter: int
    section: int
    heading: str
    title: str
    item: str


def sentences(text: str) -> list[ProseSentence]:
    """In order. A sentence with a piece cut out of it is left out."""
    if _FOREIGN.search(text[:_LONGEST_MESSAGE]):
        return []
    found: list[ProseSentence] = []
    for number, (block, code) in enumerate(_blocks(text[:_LONGEST_MESSAGE])):
        found.extend(_of(block, number, code))
        if len(found) > _SENTENCES:
            break
    return found


def plain(text: str) -> str:
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(_inner, _EMPHASIS.sub(_inner, text)).replace("**", "")  # twice: one within the other
    text = _MARKS.sub("", text)
    if "(" in text:
        text = _ASIDE.sub(lambda match: "" if _PLACE.search(match[0]) else match[0], text)
    return " ".join(_AT.sub("", text).split())


def _inner(match: re.Match[str]) -> str:
    return match[1] or match[2]


def _blocks(text: str) -> Iterator[tuple[_Block, _Code]]:
    """Paragraphs and list items, each with the code after it."""
    walk = _Walk()
    last: _Block | None = None
    for line in text.splitlines():
        block = walk.step(line[:_LONGEST_LINE])
        if block:
            if last:
                yield last, _NONE
            last = block
        if walk.code.text and last:
            yield last, walk.code
            last = None
        walk.code = _NONE
    block = walk.flushed()
    if last:
        yield last, _NONE
    if block:
        yield block, _NONE


class _Walk:
    """Where a reader is, line by line."""

    def __init__(self) -> None:
        self.code = _NONE
        self._language = ""
        self._lines: list[str] = []
        self._fenced: list[str] | None = None
        self._item = ""
        self._chapter = self._section = 0
        self._heading = self._title = ""

    def step(self, line: str) -> _Block | None:
        """The block that the line ends, if any."""
        fence = _FENCE.match(line)
        if fence:
            return self._fence(line[fence.end() :].strip(" `~").lower()[:20])
        if self._fenced is not None:
            self._fenced.append(line)
            return None
        stripped = line.strip()
        if not stripped or _SKIPPED.match(line):
            return self.flushed()
        heading = _HEADING.match(stripped)
        if heading:
            block = self.flushed()
            self._head(plain(heading[2]), large=len(heading[1]) < 3)
            return block
        bold = _BOLD_LINE.match(stripped)
        if bold:
            block = self.flushed()
            self._head(plain(bold[1]), large=False)
            self._lines.append(stripped)
            return block
        item = _ITEM.match(line)
        ended = self.flushed() if item else None
        if item:
            self._item = item[1] or item[2]
            stripped = line[item.end() :].strip()
        self._lines.append(stripped)
        return ended

    def flushed(self) -> _Block | None:
        if not self._lines:
            self._item = ""
            return None
        text = " ".join(self._lines)
        block = _Block(text, self._chapter, self._section, self._heading, self._title, self._item)
        self._lines, self._item = [], ""
        return block

    def _head(self, heading: str, *, large: bool) -> None:
        self._section += 1
        self._heading = heading
        if large:
            self._chapter += 1
            self._title = heading

    def _fence(self, language: str) -> _Block | None:
        if self._fenced is None:
            block = self.flushed()
            self._fenced, self._language = [], language
            return block
        code = "\n".join(self._fenced).strip()
        self.code = _Code(code, self._language) if len(code) <= _LONGEST_CODE else _NONE
        self._fenced = None
        return None


def _of(block: _Block, number: int, code: _Code) -> Iterator[ProseSentence]:
    label, lead, rest = _labelled(block)
    praised = block.text.lstrip("(0123456789)* ").startswith(("✅", "☑", "✔"))

    def made(raw: str, *, leads: bool = False) -> ProseSentence | None:
        text = plain(raw)
        if not text or ("[" in raw and _CUT.search(raw)):
            return None
        return ProseSentence(
            text, raw.strip(), block.chapter, block.section, number, block.heading, block.title,
            label, leads, block.item, code.text, code.language, praised,
        )  # fmt: skip

    if lead and (sentence := made(lead, leads=True)):
        yield sentence
    for raw in split(rest):
        if sentence := made(raw):
            yield sentence


def _labelled(block: _Block) -> tuple[str, str, str]:
    """What the writer calls the paragraph, the statement it opens with in bold, and the rest."""
    text = block.text
    inherited = _LABEL_WORDS.fullmatch(block.heading.rstrip(":?. ")) if len(block.heading) < 40 else None
    label = _label(inherited[1]) if inherited else ""
    if _BOLD_LINE.match(text):
        return label, text, ""
    bold = _BOLD_LEAD.match(text)
    if bold:
        known = _LABEL_WORDS.match(bold[1])
        tail = bold[1][known.end() :].strip() if known else ""
        if known and (not tail or tail[0] in ":—–-.("):
            tail = tail.lstrip(":—–-. ")
            return _label(known[1]), "", text[text.index(tail) if len(tail) > 12 else bold.end() :].lstrip(":—–- ")
        if bold[1].count(" ") >= 3 and (bold[1].rstrip()[-1] in ".:!" or text[bold.end()] in ":—–"):
            return label, bold[1].strip(), text[bold.end() :].lstrip(":—–- ")
        return label, "", text
    named = _LABEL.match(text)
    if named:
        return _label(named[1]), "", text[named.end() :]
    return label, "", text


def _label(words: str) -> str:
    return " ".join(words.lower().split()).removeprefix("real ").removeprefix("actual ").removeprefix("key ")


def listing(text: str) -> bool:
    """Mostly lines of a file, numbered."""
    lines = text[:4_000].splitlines()
    return bool(lines) and sum(map(bool, map(_LISTING.match, lines))) * 3 > len(lines)
