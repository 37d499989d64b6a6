"""Twelve weeks of a small company that uses heedful more and more: sample data with a history, for demos and tests."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from heedful.loop import Loop
from heedful.testing import FrozenClock

WEEKS = 12
_TASKS = 28  # a week
_HELD_OUT = 0.4  # much, so that three months are enough to see something
_PEOPLE = ("dana", "lee", "kim", "noor")
_OFTEN = 0.3  # how often people ask about each of the first two


class Taught(NamedTuple):
    """Something that people have to say to the agent."""

    about: str
    query: str
    wrong: str
    right: str
    with_it: float = 0.7
    """The chance of success if the agent is told."""
    without: float = 0.6


_TAUGHT = (
    Taught("support", "How long can a customer return shoes?", "14 days", "30 days", 0.95, 0.4),
    Taught(
        "support", "A customer wants to cancel an order", "apologise at length", "ask three questions first", 0.3, 0.8
    ),
    Taught("shop", "Deploy the shop", "make ship", "make release"),
    Taught("shop", "Add a table to the database", "generate the migration", "write the migration by hand"),
    Taught("billing", "Write an invoice for a customer in Austria", "19 % VAT", "20 % VAT"),
    Taught("support", "Where does a customer see the status of a parcel?", "in the app", "at track.example"),
    Taught("shop", "Write a test for the basket", "unittest", "pytest"),
    Taught("billing", "Round the total of an invoice", "round()", "Decimal.quantize"),
    Taught("support", "How do I greet a customer?", "Dear Sir or Madam", "Hello, with the first name"),
    Taught("shop", "Show a price on the page", "1,299.00 EUR", "€1,299"),
    Taught("billing", "Remind a customer of an open invoice", "after 7 days", "after 14 days"),
    Taught("support", "Which warehouse sends to Spain?", "Hamburg", "Lyon"),
    Taught("shop", "Log an error of the payment", "print()", "log.error with the order number"),
    Taught("billing", "Name the file of an invoice", "invoice.pdf", "the number of the invoice, such as R-2041.pdf"),
    Taught("support", "Can a voucher be paid out?", "yes, within a year", "no, never"),
    Taught("shop", "Load the pictures of a product", "all at once", "the first, then the others when one scrolls"),
    Taught("billing", "Which bank account do customers pay to?", "the one in Bonn", "the one in Vienna"),
    Taught("support", "What does express delivery cost?", "9.90", "12.90 since May"),
    Taught("shop", "Which Python do we use?", "3.9", "3.12"),
    Taught("billing", "Write to a customer about a credit note", "a refund", "a credit note, which is not paid out"),
    Taught("support", "Until when is an order sent the same day?", "until noon", "until 2 pm"),
    Taught("shop", "Name a branch in git", "feature/x", "the number of the ticket"),
    Taught("billing", "Which currency do Swiss customers pay in?", "euro", "francs"),
    Taught("support", "May I promise a delivery date?", "yes, two days", "no, only the usual time"),
)
_PRODUCTS = ("Oslo lamp", "Porto chair", "Turin desk", "Malmö shelf", "Lille sofa", "Ghent clock")
_FACTS = (
    ("How heavy is the {}?", "2 kg", "2.4 kg"),
    ("What does the {} cost?", "49 euros", "59 euros since June"),
    ("How wide is the {}?", "40 cm", "42 cm"),
    ("Who makes the {}?", "we do", "a partner in Porto"),
)
_ALL = (
    *_TAUGHT,
    *(
        Taught("shop", query.format(product), f"{product}: {wrong}", f"{product}: {right}")
        for query, wrong, right in _FACTS
        for product in _PRODUCTS
    ),
)
_LEFT_OUT, _ALONE = 0.1, 0.4  # how often people say it again, if the agent was not told
_NEW = 4  # things that people say for the first time, each week
_REVIEWS = (
    ("lee", "Validate input at the boundary."),
    ("kim", "input goes into the db unvalidated, check it where it enters"),
    ("noor", "please validate user input before you store it"),
)
_SESSIONS = (
    (
        "Add a table for customers' addresses.",
        "I added the table, generated the migration and ran the tests.",
        "Always run the tests of the whole shop before you say that you are done.",
        "Understood, they are green.",
    ),
    (
        "Add a column for the VAT number.",
        "I added the column; the tests of the table are green.",
        "No. I said to always run the tests of the whole shop before you say that you are done.",
        "Sorry, I ran all of them now.",
    ),
    ("Good morning!", "Good morning! What shall we work on?", "nothing yet, thanks", "Then I will wait."),
)


def play_weeks(loop: Loop, clock: FrozenClock, *, seed: int = 5) -> None:
    """From the time that the clock shows. The loop must be opened with that clock."""
    random_ = random.Random(seed)  # noqa: S311 - sample data
    known: list[Taught] = []
    for week in range(WEEKS):
        for task in range(_TASKS):
            clock.advance(hours=7 * 24 / _TASKS)
            if task % (_TASKS // _NEW) == 0:
                known.append(_ALL[len(known)])
                _say(loop, known[-1], random_.choice(_PEOPLE), f"taught-{len(known):02}")
            _work(loop, random_, known, week, f"task-{week:02}-{task:02}")
        if week == WEEKS // 2:
            _approve_some(loop)
        if week >= WEEKS - len(_SESSIONS):
            _talk(loop, week - WEEKS + len(_SESSIONS))
    _review(loop)
    _disagree(loop)


def _work(loop: Loop, random_: random.Random, known: Sequence[Taught], week: int, unit: str) -> None:
    """Somebody works with an agent. If it is not told, it makes the mistake again, and sometimes people say so."""
    chance = random_.random()
    one = known[0] if chance < _OFTEN else known[:2][-1] if chance < 2 * _OFTEN else random_.choice(known)
    connected = random_.random() < (week + 2) / WEEKS  # the team connects one tool after the other
    told = connected and _told(loop, random_, one, unit)
    if not told and random_.random() < (_LEFT_OUT if connected else _ALONE):
        _say(loop, one, random_.choice(_PEOPLE))


def _say(loop: Loop, one: Taught, person: str, id: str | None = None) -> None:
    """With ids of our own, the same learnings are held out of the same tasks each time."""
    loop.capture.correction(one.wrong, one.right, query=one.query, about=one.about, actor=person, id=id)


def _told(loop: Loop, random_: random.Random, one: Taught, unit: str) -> bool:
    """Whether the context of this task says what is right; its outcome is reported."""
    context = loop.apply.context(one.query, about=one.about, unit=unit, hold_out=_HELD_OUT)
    told = any(one.right in piece.text for piece in context.pieces)
    loop.measure.outcome(context.id, success=random_.random() < (one.with_it if told else one.without))
    return told


def _approve_some(loop: Loop) -> None:
    for one in loop.govern.learnings.page(kind="correction", about="shop").items:
        loop.govern.learnings.approve(one.id)


def _talk(loop: Loop, number: int) -> None:
    said, roles = _SESSIONS[number], ("user", "assistant")
    messages = [{"role": roles[at % 2], "text": text} for at, text in enumerate(said)]
    id, person = f"session-{number}", _PEOPLE[number]
    loop.capture.conversation(messages, id=id, project="shop", tool="claude-code", title=said[0], actor=person)
    loop.learn.mine(id)


def _review(loop: Loop) -> None:
    for number, (who, comment) in enumerate(_REVIEWS):
        output = f"def save{number}(form):\n    db.insert(form)\n"
        approved = output.replace("(form)\n", "(validated(form))\n")
        loop.capture.review(
            "coder", "APPROVED_WITH_CHANGES", output=output, approved=approved, comment=comment, reviewer=who
        )


def _disagree(loop: Loop) -> None:
    for who, right in (("lee", "Best wishes"), ("kim", "Kind regards")):
        loop.capture.correction("Yours faithfully", right, query="How do I end a letter?", about="support", actor=who)
