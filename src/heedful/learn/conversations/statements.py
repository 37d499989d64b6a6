"""What people said in a session that should be remembered, and what an agent found that a person accepted.

The reader (`records/reading.py`) tells what each sentence states. What came next tells the rest: whatever a person
refuses, interrupts or replaces is not learned, and what an agent states counts only if a person accepted it, or tests
proved it, and if it names something of the project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from heedful.learn.conversations.lasting import Lasting, lasting
from heedful.learn.conversations.tags import TECHNOLOGIES, tags
from heedful.learn.conversations.turns import Turn, turns
from heedful.learn.conversations.value import is_technical
from heedful.learn.conversations.wording import content, plain, titled
from heedful.records.insight import SUMMARY_LIMIT, InsightCandidate, Quote
from heedful.records.reading import LikelyStatement, MessageReading, Reader, StatementKind
from heedful.records.transcript import Message, Speaker, Transcript
from heedful.text.checks import clipped
from heedful.text.prose import prose
from heedful.text.terms import terms

LOOKED_AT = 0.1
"""The chance from which on a sentence is a candidate."""
_ALONE = 0.5
_REFUSED, _ACCEPTED = 0.4, 0.5
_TASK = 160  # characters
_LEAST_WORDS = 5
_NEAR, _TURNS = 600, 5  # characters, and turns, in which somebody has to speak of the trade
_SHORTER = 60  # characters of a sentence that a title leaves out
_REPORTED = 16  # sentences of a report that are read
_NAMES = re.compile(r"`([^`\n]{2,80})`|\b(\w+(?:[/._-]\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)")
_SAME = 0.6  # of the words of two statements in one session
_ASKED = re.compile(r"\?[\"')\s]*$")


@dataclass(frozen=True, slots=True)
class ReadTurn:
    turn: Turn
    reading: MessageReading
    """Of what the person said."""
    answer: MessageReading | None
    """Of what they said next; None at the end."""

    @property
    def refused(self) -> bool:
        """The person did not take what the agent did in this turn."""
        return self.turn.interrupted or (self.answer is not None and self.answer.refused >= _REFUSED)

    @property
    def accepted(self) -> bool:
        """They said so; or tests passed, and they had no objection."""
        return not self.refused and (
            self.turn.proved or (self.answer is not None and self.answer.accepted >= _ACCEPTED)
        )


@dataclass(frozen=True, slots=True)
class Stated:
    """A candidate, and what speaks for it."""

    candidate: InsightCandidate
    kind: StatementKind
    chance: float
    """That it should be remembered, as the reader gives it."""
    lasting: Lasting


@dataclass(frozen=True, slots=True)
class ReadSession:
    """A session as the reader understood it."""

    turns: tuple[ReadTurn, ...] = ()
    said: tuple[Stated, ...] = ()
    """By people, the surest first."""
    found: tuple[Stated, ...] = ()
    """By the agent, accepted or proved."""
    unclear: int = 0
    """Sentences of people that make no sense outside their place."""
    refused: int = 0
    """Findings that a person refused."""

    def statement(self, quote: Quote) -> LikelyStatement | None:
        """What the reader made of the sentence that has these words of a person."""
        found = [
            statement
            for one in self.turns
            if one.turn.said.id == quote.message
            for statement in one.reading.statements
            if _shares(one.turn.said.text[slice(*statement.sentence)], quote.text)
        ]
        return max(found, key=lambda statement: statement.chance, default=None)

    def took(self, candidate: InsightCandidate) -> bool:
        """Whether a person said some of its evidence, or accepted the work in which the agent did."""
        accepted = {id for one in self.turns if one.accepted for id in one.turn.work}
        return any(quote.role is Speaker.USER or quote.message in accepted for quote in candidate.quotes)


def read(transcript: Transcript, reader: Reader, least: float) -> ReadSession:
    """`least` is the chance from which on a sentence is a candidate."""
    said = turns(transcript)
    if not any(message.tools for message in transcript.messages):  # friends and meetings have rules, too
        near = ((turn, said[max(0, number - _TURNS) : number]) for number, turn in enumerate(said))
        said = [turn for turn, earlier in near if _is_technical(turn, earlier)]
    readings = [reader.message(turn.said.text, turn.before) for turn in said]
    session = [ReadTurn(*one) for one in zip_longest(said, readings, readings[1:])]
    kept: dict[str, Stated] = {}
    unclear = 0
    for one in session:
        likely = [
            statement
            for statement in one.reading.statements
            if statement.chance >= least and not _is_question(one.turn.said.text, statement)
        ]
        unclear += sum(statement.alone < _ALONE for statement in likely)
        for group in _together(one.turn.said.text, likely):
            _keep(kept, _stated(one.turn.said, group, _task(said, one.turn)))
    found, refused = _findings(session, reader, least, frozenset(_own_names(transcript)))
    return ReadSession(tuple(session), _surest(kept), found, unclear, refused)


def _is_technical(turn: Turn, earlier: Sequence[Turn]) -> bool:
    texts = (turn.said.text, turn.before[-_NEAR:], *(one.said.text[:_NEAR] for one in earlier))
    return any(map(is_technical, texts))


def _findings(
    session: Sequence[ReadTurn], reader: Reader, least: float, own: frozenset[str]
) -> tuple[tuple[Stated, ...], int]:
    kept: dict[str, Stated] = {}
    refused = 0
    for one in session:
        report = one.turn.report
        if report is None or not (one.accepted or one.refused):
            continue
        task = one.turn.said.text
        named = [span for span in prose(report.text) if not own.isdisjoint(_names(report.text[slice(*span)]))]
        for statement in reader.findings(report.text, named[:_REPORTED], task):
            if statement.chance < least or statement.alone < _ALONE:
                continue
            if one.accepted:
                _keep(kept, _stated(report, [statement], clipped(plain(task), _TASK)))
            else:
                refused += 1
    return _surest(kept), refused


def _keep(kept: dict[str, Stated], one: Stated | None) -> None:
    """What is said again is the same once more, and surer."""
    if one is None:
        return
    words = frozenset(terms(one.candidate.title))
    for title, other in kept.items():
        if _alike(words, frozenset(terms(title))):
            kept[title] = replace(other, chance=1 - (1 - other.chance) * (1 - one.chance))
            return
    kept[one.candidate.title] = one


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= _SAME * max(len(words | others), 1)


def _surest(kept: dict[str, Stated]) -> tuple[Stated, ...]:
    return tuple(sorted(kept.values(), key=lambda one: -one.chance))


def _together(text: str, statements: Sequence[LikelyStatement]) -> Iterator[list[LikelyStatement]]:
    """Sentences that follow one another on a line say one thing, a rule and its reason, unless each is a rule."""
    group: list[LikelyStatement] = []
    for statement in statements:
        apart = group and text[group[-1].sentence[1] : statement.sentence[0]].strip(" ")
        if apart or (group and lasting(text[slice(*statement.sentence)])):
            yield group
            group = []
        group.append(statement)
    if group:
        yield group


def _stated(message: Message, group: Sequence[LikelyStatement], task: str) -> Stated | None:
    clear = [statement for statement in group if statement.alone >= _ALONE]
    if not clear:
        return None
    statement = max(clear, key=lambda one: (lasting(message.text[slice(*one.sentence)]), one.chance))
    words, sentence = message.text[statement.start : statement.end], message.text[slice(*statement.sentence)]
    title = titled(sentence)
    if len(title) < len(plain(sentence)) - _SHORTER and len(words.split()) >= _LEAST_WORDS:
        title = titled(words)  # the reader cuts better than clauses do
    if not title:
        return None
    parts = content(message.text[group[0].sentence[0] : group[-1].sentence[1]], title, task)
    candidate = InsightCandidate(
        category=statement.category,
        title=title,
        content=parts,
        tags=tags(f"{title}\n{parts['what']}", statement.category.value),
        quotes=(Quote(message.id, message.role, " ".join(sentence.split())),),
        summary=clipped(task, SUMMARY_LIMIT),
        rule=statement.kind is not StatementKind.FINDING,
    )
    said = lasting(sentence) if candidate.rule else Lasting.UNSAID  # agents say always and never all the time
    return Stated(candidate, statement.kind, statement.chance, said)


def _shares(sentence: str, quote: str) -> bool:
    sentence, quote = " ".join(sentence.split()), " ".join(quote.split())
    return sentence in quote or quote in sentence


def _is_question(text: str, statement: LikelyStatement) -> bool:
    return _ASKED.search(text[slice(*statement.sentence)]) is not None


def _task(said: Sequence[Turn], turn: Turn) -> str:
    """What was being worked on: the first sentence of what the person had asked for before."""
    for earlier in reversed(said[: said.index(turn)]):
        first = next(iter(prose(earlier.said.text)), None)
        if first is not None and first[1] - first[0] >= 20:
            return clipped(plain(earlier.said.text[slice(*first)]), _TASK)
    return ""


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
