"""What an agent found out about the project: only what a person accepted, or tests proved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from heedful.learn.conversations.candidates import candidate_of, keep, mended, stands_alone, surest
from heedful.learn.conversations.mending import (
    Mending,
    asks_about_trouble,
    blamed,
    mended_by,
    mending,
    names,
    told_first,
    with_mending,
)
from heedful.learn.conversations.sessions import ReadTurn, Stated
from heedful.learn.conversations.tags import TECHNOLOGIES
from heedful.learn.conversations.turns import Turn, turns
from heedful.learn.conversations.verdicts import Taken
from heedful.learn.conversations.wording import plain
from heedful.records.reading import LikelyStatement, Reader
from heedful.records.transcript import Message, Transcript
from heedful.text.checks import clipped
from heedful.text.prose import prose
from heedful.text.sentences import Span

_TASK, _LEAST_TASK = 160, 20  # characters
_REPORTED = 24  # sentences of a turn that are read, the last message first
_NEIGHBOURS = 1  # sentences to either side that a sentence is read with
_BRIEF = 1_200  # characters of all that was written in a turn
_TROUBLED = 2  # turns, of which one spoke of the trouble
_SURE, _SURELY_OWN = 0.5, 0.85  # the chances from which on it may be told in any words, and need not name code
_EXPLAINS = re.compile(
    r"\b(?:because|root cause|caused? by|due to|turn(?:s|ed) out|the reason|which (?:is why|means)|otherwise|so that|"
    r"weil|parce que|porque)\b|[,;] so\b",
    re.IGNORECASE,
)  # agents tell a lot about the code, which anybody can read there; why it is so is worth keeping
_BLAMES = re.compile(
    r"\b(?:(?:the|its) cause|caus(?:ed?|es|ing)|culprit|found it|led to|c[ao]mes? from|as a result|what happened|"
    r"(?:problem|bug|issue) (?:is|was)|which (?:meant|ma[dk]es?|broke|breaks|left|let|led|kept)|"
    r"since (?:it|they|we|its|each|every|both|\S*[._(`/]\S*|the \w+ \w+(?:s|ed))|"
    r"ursache|lag an|liegt an|à cause|en raison|debido a|devido a|por causa)\b"
    r"|\b(?:problem|bug|issue|cause|ursache|problème|problema)\s?:",
    re.IGNORECASE,
)  # and what they blame, where they also tell what they did about it


class Findings(NamedTuple):
    taken: tuple[Stated, ...]
    refused: int


class _Told(NamedTuple):
    """Sentences of a message, and which of them tell in so many words why something of the project is so."""

    message: Message
    sentences: list[Span]
    explained: set[int]


class _Found(NamedTuple):
    message: Message
    statement: LikelyStatement
    mending: Mending | None


def findings(transcript: Transcript, session: Sequence[ReadTurn], reader: Reader, least: float) -> Findings:
    kept: dict[str, Stated] = {}
    refused, own = 0, frozenset(_own_names(transcript))
    for number, (one, following) in enumerate(zip_longest(session, session[1:])):
        taken = _taken(one, following)
        if taken is None:  # what was refused is not learned, so nobody has to read it
            refused += sum(len(told.explained) for told in _told(one, own)) if one.refused else 0
            continue
        asked = plain(one.turn.said.text)
        task = clipped(asked, _TASK) if len(asked) >= _LEAST_TASK else ""
        in_trouble = any(asks_about_trouble(each.turn) for each in session[max(0, number - _TROUBLED) : number + 1])
        mending_next = following.turn if in_trouble and following and following.turn.changed else None
        is_brief = _is_brief(one)
        if not (is_brief or in_trouble):
            continue
        found = _surest(one, reader, in_trouble=in_trouble) if is_brief and taken is not Taken.PROVED else None
        for each in (*_explained(one, reader, own), *filter(None, [found])):
            if (stated := _stated(_mended(each, mending_next), taken, task, least)) is not None:
                keep(kept, stated)
    return Findings(surest(kept), refused)


def _taken(one: ReadTurn, following: ReadTurn | None) -> Taken | None:
    """Who has the agent go on from what it found out, and takes what came of it, took both."""
    if one.taken is not None or one.refused or one.turn.changed or following is None:
        return one.taken
    return Taken.ACCEPTED if following.taken is not None else None


def _mended(found: _Found, next_turn: Turn | None) -> _Found:
    if next_turn is None or found.mending is not None:
        return found
    return found._replace(mending=mended_by(next_turn, found.message, found.statement.sentence))


def _stated(found: _Found, taken: Taken, task: str, least: float) -> Stated | None:
    message, statement, over = found
    proved = taken is Taken.PROVED_AND_ACCEPTED and over is not None
    if (statement.chance < least and not proved) or not stands_alone(message, statement):
        return None
    if over is None:
        explains = statement.chance >= _SURE or _EXPLAINS.search(message.text[slice(*statement.sentence)])
        candidate = candidate_of(message, statement, [statement], task) if explains else None
        return None if candidate is None else Stated(candidate, statement.chance, taken)
    if over.message is None:
        return None  # it would be told as if it still held
    cause = replace(statement, sentence=over.cause)
    candidate = candidate_of(message, cause, [cause], task)
    if candidate is None:
        return None
    candidate = mended(candidate, message.text[slice(*over.cause)], over.message, over.fix)
    return Stated(candidate, statement.chance, Taken.MENDED if proved else taken)


def _explained(one: ReadTurn, reader: Reader, own: frozenset[str]) -> Iterator[_Found]:
    """What explains something of the project."""
    for message, told, explained in _told(one, own):
        near = {at + step for at in explained for step in range(-_NEIGHBOURS, _NEIGHBOURS + 1)}
        read = [span for at, span in enumerate(told) if at in near]
        for statement in reader.findings(message.text, read, one.turn.said.text) if read else ():
            if (at := told.index(statement.sentence)) in explained:
                yield _Found(message, statement, mending(one.turn, message, told, at))


def _surest(one: ReadTurn, reader: Reader, *, in_trouble: bool) -> _Found | None:
    """Of what a person accepted, the sentence that the reader is surest of, in whatever words: if there was trouble, it
    names something of the code, or the reader is very sure. Of what nobody accepted, one in ten is worth keeping."""
    best: _Found | None = None
    for message, told in _reported(one):
        for statement in reader.findings(message.text, told, one.turn.said.text):
            said = message.text[slice(*statement.sentence)]
            is_own = in_trouble or statement.chance >= _SURELY_OWN or bool(names(said) - TECHNOLOGIES)
            if is_own and statement.chance >= (_SURE if best is None else best.statement.chance):
                best = _Found(message, statement, mending(one.turn, message, told, told.index(statement.sentence)))
    return best


def _is_brief(one: ReadTurn) -> bool:
    """Of a long report, nobody can tell which of its sentences a person accepted; if there was no trouble, it has
    nothing but what anybody can read in the code."""
    return sum(len(message.text) for message in one.turn.written) <= _BRIEF


def _reported(one: ReadTurn) -> Iterator[tuple[Message, list[Span]]]:
    """The last sentences of a turn. A cause may be told before the tests run: `All pass` is often the last that is
    written."""
    left = _REPORTED
    for message in reversed(one.turn.written):
        told = prose(message.text)[: max(0, left)]
        left -= len(told)
        yield message, told


def _told(one: ReadTurn, own: frozenset[str]) -> Iterator[_Told]:
    for message, told in _reported(one):
        explained = {at for at, span in enumerate(told) if _EXPLAINS.search(message.text[slice(*span)])}
        if one.turn.changed:
            explained |= {at for at, span in enumerate(told) if _BLAMES.search(message.text[slice(*span)])}
            explained |= set(blamed(message, told))
        if not explained and message is one.turn.written[-1]:
            explained |= set(told_first(one.turn, message, told))
        of_project = {
            at
            for at in explained
            if not own.isdisjoint(names(with_mending(message, told, at))) or _is_own_trouble(one, message, told, at)
        }
        yield _Told(message, told, of_project)


def _is_own_trouble(one: ReadTurn, message: Message, told: Sequence[Span], at: int) -> bool:
    """What was wrong here is about this project, whatever it names: it was mended, tests prove it, and the person is
    content."""
    if one.taken is not Taken.PROVED_AND_ACCEPTED:
        return False
    over = mending(one.turn, message, told, at)
    return over is not None and over.message is message and over.fix[0] >= told[at][1]


def _own_names(transcript: Transcript) -> Iterator[str]:
    """Names that occur in what people said and in what tools were called with."""
    texts = [turn.said.text for turn in turns(transcript)]
    texts += [tool.input for message in transcript.messages for tool in message.tools]
    for text in texts:
        yield from names(text) - TECHNOLOGIES
