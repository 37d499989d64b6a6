"""What an agent found out about the project: only what a person accepted, or tests proved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from heedful.learn.conversations.candidates import candidate_of, keep, stands_alone, surest
from heedful.learn.conversations.sessions import ReadTurn, Stated
from heedful.learn.conversations.tags import TECHNOLOGIES
from heedful.learn.conversations.turns import turns
from heedful.learn.conversations.wording import plain
from heedful.records.reading import LikelyStatement, Reader
from heedful.records.transcript import Message, Transcript
from heedful.text.checks import clipped
from heedful.text.prose import prose
from heedful.text.sentences import Span

_TASK, _LEAST_TASK = 160, 20  # characters
_REPORTED = 24  # sentences of a turn that are read, the last message first
_NEIGHBOURS = 1  # sentences to either side that a sentence is read with
_NAMES = re.compile(r"`([^`\n]{2,80})`|\b(\w+(?:[/._-]\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)")


_EXPLAINS = re.compile(
    r"\b(?:because|root cause|caused? by|due to|turn(?:s|ed) out|the reason|which (?:is why|means)|otherwise|"
    r"so that)\b|[,;] so\b",
    re.IGNORECASE,
)  # agents tell a lot about the code, which anybody can read there; why it is so is worth keeping


class Findings(NamedTuple):
    taken: tuple[Stated, ...]
    refused: int


def findings(transcript: Transcript, session: Sequence[ReadTurn], reader: Reader, least: float) -> Findings:
    kept: dict[str, Stated] = {}
    refused, own = 0, frozenset(_own_names(transcript))
    for one in session:
        if one.taken is None:  # what was refused is not learned, so nobody has to read it
            refused += sum(len(likely) for _, _, likely in _told(one, own)) if one.refused else 0
            continue
        asked = plain(one.turn.said.text)
        task = clipped(asked, _TASK) if len(asked) >= _LEAST_TASK else ""
        for message, statement in _found(one, reader, own):
            if statement.chance < least or not stands_alone(message, statement):
                continue
            if (candidate := candidate_of(message, statement, [statement], task)) is not None:
                keep(kept, Stated(candidate, statement.chance, one.taken))
    return Findings(surest(kept), refused)


def _found(one: ReadTurn, reader: Reader, own: frozenset[str]) -> Iterator[tuple[Message, LikelyStatement]]:
    for message, told, likely in _told(one, own):
        read = [span for at, span in enumerate(told) if any(abs(at - other) <= _NEIGHBOURS for other in likely)]
        for statement in reader.findings(message.text, read, one.turn.said.text) if read else ():
            if told.index(statement.sentence) in likely:
                yield message, statement


def _told(one: ReadTurn, own: frozenset[str]) -> Iterator[tuple[Message, list[Span], set[int]]]:
    """Sentences of each message, and which may be findings. A cause may be told before the tests run: `All pass` is
    often the last that is written."""
    left = _REPORTED
    for message in reversed(one.turn.written):
        told = prose(message.text)[: max(0, left)]
        left -= len(told)
        yield message, told, {at for at, span in enumerate(told) if _may_be_one(message.text[slice(*span)], own)}


def _may_be_one(sentence: str, own: frozenset[str]) -> bool:
    return _EXPLAINS.search(sentence) is not None and not own.isdisjoint(_names(sentence))


def _own_names(transcript: Transcript) -> Iterator[str]:
    """Names that occur in what people said and in what tools were called with."""
    for turn in turns(transcript):
        yield from _names(turn.said.text)
    for message in transcript.messages:
        for tool in message.tools:
            yield from _names(tool.input)


def _names(text: str) -> Iterator[str]:
    for match in _NAMES.finditer(text[:20_000]):
        for part in re.split(r"[\s/()]+", match[1] or match[2]):
            name = part.strip(".,:;`'\"").casefold()
            if len(name) > 3 and name not in TECHNOLOGIES:
                yield name
