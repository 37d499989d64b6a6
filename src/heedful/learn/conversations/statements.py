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
from heedful.learn.conversations.verdicts import BAR, Amid, confidence, is_worth_a_look
from heedful.learn.conversations.wording import plain, repeated
from heedful.learnings.retracted import MAY_END
from heedful.records.insight import Quote
from heedful.records.reading import Exchange, LikelyStatement, MessageReading, Reader, StatementKind
from heedful.records.transcript import Speaker, Transcript
from heedful.text.checks import clipped
from heedful.text.contradictions import negates
from heedful.text.dictation import dictated, kept_of, lasting_of
from heedful.text.lasting import Lasting
from heedful.text.legibility import is_hard_to_read
from heedful.text.orders import is_order
from heedful.text.persons import is_complaint, is_of_themselves
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
_SHORT = 250  # characters of a message that has little else
_BRIEF = 400  # characters; in a briefing, what always holds, or holds instead, is mostly a part of the task
_TYPED = 2_000  # characters; what is longer was mostly pasted, and is what others said
_OPENING = 400  # characters of such a message that are read all the same
_DICTATED = 0.3  # the least chance of what is given to be written down
_PASTED = 30  # characters that nobody types again
_TELLING = 5  # words of a sentence that may tell something by itself
_REPLACED = 0.5  # the chance from which on a sentence says what holds instead of what ended
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
        for title in taken_back(one, kept, latest, reader) if kept else ():
            del kept[title]
            dropped += 1
        likely = [each for each in one.reading.statements if _is_likely(each, one.turn.said.text, least)]
        likely = [each for each in likely if not _is_echo(one.turn.said.text[slice(*each.sentence)], session[:number])]
        unclear += sum(not stands_alone(one.turn.said, statement) for statement in likely)
        latest = []
        for group in _together(one.turn.said.text, likely):
            stated = _stated(one.turn, group, session[:number], reader)
            if stated is not None and not transcript.is_about_work and stated.backing is Lasting.UNSAID:
                stated = replace(stated, backing=Amid.MUCH)  # friends and meetings state as much, and mean less by it
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
    """What is said again is read without `I said`, and what is dictated without what it is dictated with: few say so,
    and it hides what they said."""
    text = turn.said.text
    if len(text) > _TYPED and not any(lasting_of(text, span) is Lasting.EXPLICIT for span in prose(text)):
        return replace(reader.message(text[:_OPENING], turn.before), statements=())  # how they take it, they say first
    reading = reader.message(text, turn.before)
    statements = tuple(
        _heard_again(one, bare, turn.before, reader) if (bare := _bare(text, one)) else one
        for one in reading.statements
    )
    return replace(reading, statements=statements)


def _bare(text: str, one: LikelyStatement) -> str:
    kept = kept_of(text, one.sentence)
    return repeated(text[slice(*one.sentence)]) if kept == one.sentence else text[slice(*kept)]


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
    """An order for the task at hand, said in the same breath as a rule, is no part of the rule; how things are is its
    reason, and what holds instead belongs to what ended."""
    if one.ends >= MAY_END:
        return True
    if lasting_of(text, following.sentence) > Lasting.UNSAID or _says_another(text, one, following):
        return False
    is_sure = one.chance >= _LIKELY or lasting_of(text, one.sentence) is Lasting.EXPLICIT
    told = text[slice(*following.sentence)]
    return is_sure and (following.chance >= _LIKELY or not (_is_wish(told) or _is_of_themselves(told)))


def _says_another(text: str, one: LikelyStatement, following: LikelyStatement) -> bool:
    """Whether both say enough to stand alone: a fact after a wish is its reason, and so is how things are after a ban;
    what is told in a few words needs the other, and so does a complaint."""
    first, second = (text[slice(*each.sentence)] for each in (one, following))
    is_fact = following.kind is StatementKind.FACT and one.kind is not StatementKind.FACT
    if is_fact or (negates(first) and not (negates(second) or _is_wish(second))):
        return False
    return all(
        each.chance >= _LIKELY and each.alone >= _LIKELY and len(said.split()) >= _TELLING and not is_complaint(said)
        for each, said in ((one, first), (following, second))
    )


def _stated(turn: Turn, group: Sequence[LikelyStatement], earlier: Sequence[ReadTurn], reader: Reader) -> Stated | None:
    statement = clearest(turn.said, group)
    if statement is None:
        return None
    candidate = candidate_of(turn.said, statement, group, _task(earlier))
    if candidate is None:
        return None
    if kept_of(turn.said.text, statement.sentence) != statement.sentence:
        statement = replace(statement, chance=max(statement.chance, _DICTATED))
    backing = _backing(turn.said.text, statement, group)
    if len(turn.said.text) > _TYPED and backing < Lasting.EXPLICIT:
        return None
    if _is_amid_much(turn.said.text, backing):
        return Stated(candidate, statement.chance, Amid.MUCH)
    if backing is Lasting.EXPLICIT and len(turn.said.text) > _BRIEF:
        return Stated(candidate, statement.chance, Lasting.IMPLIED)
    is_sure = confidence(statement.chance, statement.category, {}, backing=backing) >= BAR
    if (
        backing is Lasting.UNSAID
        and not is_sure  # a second opinion takes twice as long, and would change nothing
        and is_worth_a_look(statement.chance, statement.category, Lasting.CORRECTED)
    ):
        corrected = _corrected(turn, group, earlier, reader)
        if corrected is not None:
            answered = Quote(turn.answered, Speaker.ASSISTANT, corrected)
            candidate, backing = replace(candidate, quotes=(*candidate.quotes, answered)), Lasting.CORRECTED
    return Stated(candidate, statement.chance, backing)


def _is_amid_much(text: str, backing: Lasting) -> bool:
    """In a long message nearly all is for the task at hand, whatever it sounds like."""
    is_long = len(text) > (_SHORT if backing is Lasting.UNSAID else _BRIEF)
    return backing in (Lasting.UNSAID, Lasting.IMPLIED) and (is_long or is_hard_to_read(text))


def _backing(text: str, statement: LikelyStatement, group: Sequence[LikelyStatement]) -> Lasting:
    """Who says what ended and what holds instead says plainly that it lasts. A complaint is no rule yet, and what
    somebody tells of themselves is none."""
    backing, sentence = lasting_of(text, statement.sentence), text[slice(*statement.sentence)]
    is_complained = is_complaint(sentence) and not (backing is Lasting.EXPLICIT and statement.chance >= _LIKELY)
    if is_complained or _is_of_themselves(sentence):
        return min(backing, Lasting.UNSAID)
    is_plain = backing is not Lasting.PASSING and statement.chance >= _LIKELY and len(text) <= _BRIEF
    return Lasting.EXPLICIT if is_plain and any(one.ends >= _REPLACED for one in group) else backing


def _is_wish(sentence: str) -> bool:
    return is_order(sentence)


def _is_of_themselves(sentence: str) -> bool:
    """`I told you to use tabs` is of the tabs."""
    return is_of_themselves(repeated(sentence) or sentence)


def _asked_before(earlier: Sequence[ReadTurn]) -> str:
    return earlier[-1].turn.said.text if earlier else ""


def _corrected(turn: Turn, group: Sequence[LikelyStatement], earlier: Sequence[ReadTurn], reader: Reader) -> str | None:
    """The sentence of the agent's that it corrects for good, or nothing if it is about the whole; None if it does not:
    corrections are heard as they are live. A wish must also say what it is against: the others are mostly orders for
    the task at hand."""
    words = turn.said.text[group[0].sentence[0] : group[-1].sentence[1]]
    is_wish = any(one.kind is StatementKind.RULE for one in group)
    if not turn.before.strip() or _is_of_themselves(words) or (is_wish and _AGAINST.search(words) is None):
        return None
    reading = reader.read(Exchange(_asked_before(earlier), turn.before, words))
    return reading.sentence if reading.correction >= _CORRECTS and reading.always >= _ALWAYS else None


def _is_likely(statement: LikelyStatement, text: str, least: float) -> bool:
    """The reader may overlook it in a list of orders; who says so in so many words means it, and who gives an order
    with such words may."""
    sentence = text[slice(*statement.sentence)]
    least_said = Lasting.IMPLIED if _is_wish(sentence) else Lasting.EXPLICIT
    if statement.chance < least and lasting_of(text, statement.sentence) < least_said:
        return False
    return not _states_nothing(sentence)


def _is_echo(sentence: str, earlier: Sequence[ReadTurn]) -> bool:
    """Who pastes what the agent wrote does not say it themselves."""
    words = " ".join(sentence.split())
    written = (message.text for one in earlier for message in one.turn.written)
    return len(words) >= _PASTED and any(words in " ".join(text.split()) for text in written)


def _states_nothing(sentence: str) -> bool:
    only_points = (kept := dictated(sentence)) is not None and kept[0] == kept[1]
    return only_points or is_retraction(sentence) or _ASKED.search(sentence) is not None


def _task(earlier: Sequence[ReadTurn]) -> str:
    """What was being worked on: the first sentence of the last message that asked for something."""
    for one in reversed(earlier):
        text = one.turn.said.text
        first = next(iter(prose(text)), None)
        if first is None or first[1] - first[0] < _LEAST_TASK or one.answers:
            continue
        stated = (statement for statement in one.reading.statements if statement.sentence == first)
        if lasting_of(text, first) <= Lasting.UNSAID and all(statement.chance < LOOKED_AT for statement in stated):
            return clipped(plain(text[slice(*first)]), _TASK)
    return ""
