"""What people said in a session that should be remembered, and what an agent found that a person accepted.

The reader (`records/reading.py`) tells what each sentence states. What came next tells the rest: whatever a person
refuses, interrupts, replaces or takes back is not learned (`retractions.py`), and what an agent states counts only if a
person accepted it, or tests proved it (`findings.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from heedful.learn.conversations.candidates import candidate_of, clearest, keep, stands_alone, surest
from heedful.learn.conversations.findings import findings
from heedful.learn.conversations.retractions import is_retraction, retractions, taken_back
from heedful.learn.conversations.sessions import ReadSession, ReadTurn, Stated
from heedful.learn.conversations.turns import Turn, turns
from heedful.learn.conversations.value import is_technical
from heedful.learn.conversations.verdicts import is_worth_a_look
from heedful.learn.conversations.wording import plain, repeated
from heedful.records.insight import Quote
from heedful.records.reading import Exchange, LikelyStatement, MessageReading, Reader, StatementKind
from heedful.records.transcript import Speaker, Transcript
from heedful.text.checks import clipped
from heedful.text.lasting import Lasting, lasting_in
from heedful.text.prose import prose

LOOKED_AT = 0.1
"""The chance from which on a sentence is a candidate."""
_TASK, _LEAST_TASK = 160, 15  # characters
_NEAR, _TURNS = 600, 5  # characters, and turns, in which somebody has to speak of the trade
_ASKED = re.compile(r"\?[\"')\s]*$")
_AGAINST = re.compile(
    r"\b(?:no|not|never|nothing|none|instead|rather|without|stop|avoid|only|again|twice|already|nicht|kein\w*|nie|statt|ohne"
    r"|pas|jamais|sans|plutôt|nunca|sin|não|sem|nada|solo|só)\b|n['’]t\b|dont\b",
    re.IGNORECASE,
)
_CORRECTS, _ALWAYS = 0.5, 0.9
_TYPED = 2_000  # characters; what is longer was mostly pasted, and is what others said
_LIKELY = 0.5  # the chance from which on a sentence belongs to the one before it


def read(transcript: Transcript, reader: Reader, least: float) -> ReadSession:
    """`least` is the chance from which on a sentence is a candidate."""
    said = everything = turns(transcript)
    if not transcript.is_about_work:  # friends and meetings have rules, too
        near = ((turn, said[max(0, number - _TURNS) : number]) for number, turn in enumerate(said))
        said = [turn for turn, earlier in near if _is_technical(turn, earlier)]
    readings = [_heard(turn, reader) for turn in said]
    session = tuple(ReadTurn(*one) for one in zip_longest(said, readings, readings[1:]))
    kept: dict[str, Stated] = {}
    latest: list[str] = []
    unclear = dropped = 0
    for number, one in enumerate(session):
        for title in taken_back(one.turn, kept, latest, reader) if kept else ():
            del kept[title]
            dropped += 1
        likely = [each for each in one.reading.statements if _is_likely(each, one.turn.said.text, least)]
        unclear += sum(not stands_alone(one.turn.said, statement) for statement in likely)
        latest = []
        for group in _together(one.turn.said.text, likely):
            stated = _stated(one.turn, group, session[:number], reader)
            if stated is not None:
                latest.append(keep(kept, stated))
    found = findings(transcript, session, reader, least)
    back = tuple(retraction for one in session for retraction in retractions(one))
    unread = len(everything) - len(said)
    return ReadSession(session, surest(kept), found.taken, unclear, found.refused, dropped, unread, back)


def _is_technical(turn: Turn, earlier: Sequence[Turn]) -> bool:
    texts = (turn.said.text, turn.before[-_NEAR:], *(one.said.text[:_NEAR] for one in earlier))
    return any(map(is_technical, texts))


def _heard(turn: Turn, reader: Reader) -> MessageReading:
    """What is said again is read without `I said`: few say so, and it hides what they said."""
    reading, text = reader.message(turn.said.text, turn.before), turn.said.text
    statements = tuple(
        _heard_again(one, again, turn.before, reader) if (again := repeated(text[slice(*one.sentence)])) else one
        for one in reading.statements
    )
    return replace(reading, statements=statements)


def _heard_again(statement: LikelyStatement, again: str, before: str, reader: Reader) -> LikelyStatement:
    best = max(reader.message(again, before).statements, key=lambda one: one.chance, default=statement)
    if best.chance <= statement.chance:
        return statement
    return replace(statement, chance=best.chance, alone=best.alone, kind=best.kind, category=best.category)


def _together(text: str, statements: Sequence[LikelyStatement]) -> Iterator[list[LikelyStatement]]:
    """Sentences that follow one another on a line say one thing, a rule and its reason, unless each is a rule."""
    group: list[LikelyStatement] = []
    for statement in statements:
        apart = group and text[group[-1].sentence[1] : statement.sentence[0]].strip(" ")
        if apart or (group and not _goes_on(text, group[-1], statement)):
            yield group
            group = []
        group.append(statement)
    if group:
        yield group


def _goes_on(text: str, one: LikelyStatement, following: LikelyStatement) -> bool:
    """An order for the task at hand, said in the same breath as a rule, is no part of the rule."""
    return lasting_in(text, following.sentence) <= Lasting.UNSAID and min(one.chance, following.chance) >= _LIKELY


def _stated(turn: Turn, group: Sequence[LikelyStatement], earlier: Sequence[ReadTurn], reader: Reader) -> Stated | None:
    statement = clearest(turn.said, group)
    if statement is None:
        return None
    candidate = candidate_of(turn.said, statement, group, _task(earlier))
    if candidate is None:
        return None
    backing = lasting_in(turn.said.text, statement.sentence)
    if len(turn.said.text) > _TYPED and backing < Lasting.EXPLICIT:
        return None
    would_count = is_worth_a_look(statement.chance, statement.category, Lasting.CORRECTED)
    if backing is Lasting.UNSAID and would_count:
        corrected = _corrected(turn, group, earlier, reader)
        if corrected is not None:
            answered = Quote(turn.answered, Speaker.ASSISTANT, corrected)
            candidate, backing = replace(candidate, quotes=(*candidate.quotes, answered)), Lasting.CORRECTED
    return Stated(candidate, statement.chance, backing)


def _corrected(turn: Turn, group: Sequence[LikelyStatement], earlier: Sequence[ReadTurn], reader: Reader) -> str | None:
    """The sentence of the agent's that it corrects for good, or nothing if it is about the whole; None if it does not:
    corrections are heard as they are live. A wish must also say what it is against: the others are mostly orders for
    the task at hand."""
    asked = earlier[-1].turn.said.text if earlier else ""
    words = turn.said.text[group[0].sentence[0] : group[-1].sentence[1]]
    is_wish = any(one.kind is StatementKind.RULE for one in group)
    if not turn.before.strip() or (is_wish and _AGAINST.search(words) is None):
        return None
    reading = reader.read(Exchange(asked, turn.before, words))
    return reading.sentence if reading.correction >= _CORRECTS and reading.always >= _ALWAYS else None


def _is_likely(statement: LikelyStatement, text: str, least: float) -> bool:
    """The reader may overlook it in a list of orders; who says so in so many words means it."""
    if statement.chance < least and lasting_in(text, statement.sentence) is not Lasting.EXPLICIT:
        return False
    return not _states_nothing(text[slice(*statement.sentence)])


def _states_nothing(sentence: str) -> bool:
    return _ASKED.search(sentence) is not None or is_retraction(sentence)


def _task(earlier: Sequence[ReadTurn]) -> str:
    """What was being worked on: the first sentence of the last message that asked for something."""
    for one in reversed(earlier):
        text = one.turn.said.text
        first = next(iter(prose(text)), None)
        if first is None or first[1] - first[0] < _LEAST_TASK or one.answers:
            continue
        stated = (statement for statement in one.reading.statements if statement.sentence == first)
        if lasting_in(text, first) <= Lasting.UNSAID and all(statement.chance < LOOKED_AT for statement in stated):
            return clipped(plain(text[slice(*first)]), _TASK)
    return ""
