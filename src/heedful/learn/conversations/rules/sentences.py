"""The sentences that a person typed: without code, logs, quoted lines, templates and pasted text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from heedful.learn.conversations.rules.phrasings import RULES_FOLLOW
from heedful.text.sentences import spans

_SEARCHED = 8_000  # characters from the beginning, and as many from the end; people type around what they paste
_LINE = 2_000
_SENTENCE = 600
_SENTENCES = 200
_LISTED = 15  # lines of a list; nobody types more
_HEADINGS = 2
_SHORT_LEAD = 160  # characters; a longer line announces nothing
_LONG_PASTE = 160  # characters; a shorter one after a question may well be the person's own
_OWN_AGAIN = 200  # characters; what a person adds below a paste is short
_NEAR = 40  # lines
_WORDY = 0.72  # of the characters are letters, spaces and the marks of prose

_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"#{1,6}\s+\S")
_ITEM = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+(?=\S)")
# Written by a program, a template or a tool, wherever in a message they stand.
_TEMPLATE = re.compile(
    r"^(?:ARGUMENTS:|<(?:command-|local-command|system-reminder|environment_context|user_instructions|INSTRUCTIONS|task"
    r"|persisted-output|heedful)|Caveat: The messages below|This session is being continued|# AGENTS\.md"
    r"|You are an? [A-Z]?\w+"
    r" (?:\w+ )?(?:assistant|agent|engineer|expert)|Your task is\b|Base directory for this skill)",
    re.MULTILINE,
)
_FOREIGN_LINE = re.compile(
    r"""\s{2,} | \t | [>|+@$%<{}\[\]()│├└┌─═▕✓✅❌⚠ℹ💡📊♻✨⏭👀⨯✗✔•●○] | -{2,} | ={3,} | \#(?!\w) | // | /\* | \*/
      | \d{1,4}[-:/]\d{2} | \w[\w.-]*@[\w.-]+[:~] | (?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE)\b | at\ \S+\(
      | File\ " | Traceback
      | (?:import|export|const|let|var|func|def|class|return|SELECT|INSERT|diff|index)\ \S.*[;{(:=]\s*$
      | \w+:\t | [\w.-]+=\S""",
    re.VERBOSE,
)
_CODE_END = re.compile(r"[;{}]\s*$|=>|\)\s*:$|\\$")
_PROSE = re.compile(r"[^\W\d_]|[ ,.'’\"!?`/\-]")
# Words that announce somebody else's words.
_ANNOUNCES = re.compile(
    r"\b(?:feedback|review(?:s|ed|er|ing)?|comments?|commented|copilot|agent|suggest(?:s|ed|ion)?|says?|said|wrote"
    r"|responded"
    r"|reply|replied|findings?|output|errors?|logs?|got|prompt|ticket|issues?|description|quote|docs?|this one|these"
    r"|this"
    r"|on this|how about|what about|do you think|example|instance|address|consider|e\.g|understand)\b",
    re.IGNORECASE,
)
_DASH = re.compile(r"\s[—–]\s(?=[A-Z])")  # begins another sentence
_QUOTED = re.compile(r"“[^”\n]{1,400}”|\"[^\"\n]{1,400}\"|`[^`\n]{1,200}`|(?<!\w)'[^'\n]{12,300}'(?!\w)")
_INNER = re.compile(r"\w")
_SPOKEN_CODE = 3  # words; a longer quotation is somebody's words, a shorter one a name


class Sentence(NamedTuple):
    """What was said, where in the message it stands, and the list it is in."""

    text: str
    """In one line."""
    start: int
    end: int
    heading: str = ""
    """The line that announces the list, if it is an item of one."""

    @property
    def asks(self) -> bool:
        return self.text.rstrip("\"') ").endswith("?")


class _Line(NamedTuple):
    text: str
    start: int
    item: bool


def user_sentences(text: str) -> list[Sentence]:
    """The sentences a person typed, in order; none if a program wrote the message."""
    if not text or text.isspace() or _is_template(text):
        return []
    lines = list(_lines(text))
    if sum(line.item for line in lines) >= _LISTED:
        lines = [line for line in lines if not line.item]
    found: list[Sentence] = []
    for line, heading in _unannounced(lines):
        found += _sentences(line, heading)
        if len(found) >= _SENTENCES:
            break
    return found[:_SENTENCES]


def agent_sentences(text: str) -> list[Sentence]:
    """The sentences of an agent; lists and headings are its usual way of speaking."""
    found: list[Sentence] = []
    for line in _lines(text[:_SEARCHED], strict=False):
        found += _sentences(line, "")
        if len(found) >= _SENTENCES:
            break
    return found


def masked(sentence: str) -> str:
    """In lower case and of the same length, with what is quoted blotted out but for names of one or two words."""
    low = sentence.lower()
    if len(low) != len(sentence):  # a few letters become two
        low = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in sentence)
    return _QUOTED.sub(_blotted, low.replace("’", "'"))


def _blotted(quoted: re.Match[str]) -> str:
    words = quoted[0].count(" ") + 1
    return quoted[0] if words <= _SPOKEN_CODE and quoted[0][0] == "`" else _INNER.sub("¤", quoted[0])


def _is_template(text: str) -> bool:
    around = text[:_SEARCHED] if len(text) <= _SEARCHED else text[:_SEARCHED] + "\n" + text[-_SEARCHED:]
    if _TEMPLATE.search(around):
        return True
    lines = around.split("\n")
    headings = sum(1 for line in lines if _HEADING.match(line))
    return headings >= _HEADINGS or (headings > 0 and len(lines) > _LISTED)


def _lines(text: str, *, strict: bool = True) -> Iterator[_Line]:
    """Lines of prose with their place; a blank one between paragraphs stays."""
    fenced, start = False, 0
    skipped = (_SEARCHED, len(text) - _SEARCHED)
    for raw in text.split("\n"):
        at, start = start, start + len(raw) + 1
        if _FENCE.match(raw):
            fenced = not fenced
        elif fenced or skipped[0] < at < skipped[1]:
            continue
        elif not raw.strip():
            yield _Line("", at, False)
        elif (line := _prose(raw, at, strict=strict)) is not None:
            yield line


def _prose(raw: str, at: int, *, strict: bool) -> _Line | None:
    if len(raw) > _LINE:
        return None
    body = raw.rstrip()
    if not strict:
        indent = len(body) - len(body.lstrip(" #"))
        body, at = body[indent:], at + indent
    item = _ITEM.match(body)
    if item:
        body, at = body[item.end() :], at + item.end()
    if not body or _FOREIGN_LINE.match(body) or _CODE_END.search(body):
        return None
    if len(_PROSE.findall(body)) < _WORDY * len(body):
        return None
    return _Line(body, at, item is not None)


def _unannounced(lines: list[_Line]) -> Iterator[tuple[_Line, str]]:
    """Lines without what others are announced to have said; items of a list with the line before it."""
    heading, announced, foreign, blank = "", False, False, False
    for place, line in enumerate(lines):
        if not line.text:
            blank = True
            continue
        foreign = announced or (foreign and not _is_own_again(lines, place, after_blank=blank))
        announced = blank = False
        if foreign:
            continue
        if not line.item:
            heading = line.text if line.text.endswith(":") else ""
        yield line, heading if line.item else ""
        announced = _announces(lines, place)


def _announces(lines: list[_Line], place: int) -> bool:
    """`What do you think of this?`, `The reviewer says:`, and then a long paragraph."""
    line = lines[place]
    if line.item or len(line.text) > _SHORT_LEAD or line.text[-1] not in ":?" or not _ANNOUNCES.search(line.text):
        return False
    if RULES_FOLLOW.search(line.text.lower()):
        return False
    following = next((other for other in lines[place + 1 : place + _NEAR] if other.text), None)
    return following is not None and (line.text[-1] == ":" or len(following.text) > _LONG_PASTE)


def _is_own_again(lines: list[_Line], place: int, *, after_blank: bool) -> bool:
    """The last short paragraph after something pasted is the person's again."""
    line = lines[place]
    if not after_blank or line.item or len(line.text) > _OWN_AGAIN:
        return False
    return not any(other.text and len(other.text) > _OWN_AGAIN for other in lines[place + 1 : place + _NEAR])


def _sentences(line: _Line, heading: str) -> Iterator[Sentence]:
    ends = {end for _, end in spans(line.text)} | {dash.end() for dash in _DASH.finditer(line.text)}
    for start, end in pairwise((0, *sorted(ends))):
        piece = line.text[start:end]
        text = " ".join(piece.split())
        if text and len(text) <= _SENTENCE:
            indent = len(piece) - len(piece.lstrip())
            yield Sentence(text, line.start + start + indent, line.start + start + len(piece.rstrip()), heading)
