"""Whatever people do, in every kind of feedback, a rebuild from the log gives the same state, on every database."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful.edges.worker import Worker
from heedful.errors import Conflict, InvalidInput, NotFound
from heedful.operations.caller import Caller, acting
from heedful.records.document import DraftStatus
from heedful.records.role import Role
from heedful.records.suggestion import Decision
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, check
from tests.contract.extracting import check_sound, extracted
from tests.contract.living import QuickReader, derived, give_context, is_known
from tests.contract.mining import LINT, LINT_TOO, NO_LINT, RULES, teach
from tests.contract.reviewing import review
from tests.examples import examples

T = TypeVar("T")

PEOPLE = ("dana", "lee", "kim", "ana")
PAIRS = (("red", "green"), ("red", "blue"), ("green", "red"), ("two spaces", "tabs"), ("", "Never retry uploads."))
SAID = (LINT, LINT_TOO, NO_LINT, RULES[1])
REMARKS = ("Always validate user input before it is stored.", "Validate user input before you store it, please.",
           "Never validate user input before it is stored.", "Round totals to two digits.")  # fmt: skip

WHO = st.sampled_from(PEOPLE)
NUMBER = st.integers(0, 11)
"""Which of those there are, counted round."""
ACTS = ("decide", "correct", "message", "talk", "review", "field", "line", "customer", "map", "unmap", "confirm",
        "rule", "say_yes", "say_no", "give", "report")  # fmt: skip
"""What people do and say."""
CARE = ("edit", "approve", "unapprove", "retire", "restore", "rate", "delete")
FORGET = ("forget", "forget_talk", "forget_order")
WORK = ("work", "propose", "curate", "rebuild")

BEGINNING = (
    ("correct", "dana", 0), ("correct", "lee", 0), ("correct", "kim", 1), ("talk", "dana", 0), ("talk", "lee", 1),
    ("review", "dana", 0), ("review", "lee", 1), ("review", "kim", 4), ("propose", "", 0), ("rule", "dana", 0),
    ("map", "dana", 0), ("map", "lee", 0), ("field", "dana", 1), ("give", "dana", 0), ("say_yes", "lee", 1),
)  # fmt: skip
"""So that there is something to look after."""

STEP = st.tuples(st.sampled_from((*ACTS, *ACTS, *CARE, *FORGET, *WORK)), WHO, NUMBER)
STEPS = st.lists(st.one_of(STEP, STEP, st.tuples(st.just("undo"), WHO, st.lists(STEP, min_size=1, max_size=3))),
                 min_size=6, max_size=18)  # fmt: skip


class Life:
    """One organisation's."""

    def __init__(self, loop: heedful.Loop, clock: FrozenClock) -> None:
        self.loop = loop
        self.clock = clock
        self.orders: list[str] = []
        self.talks: list[str] = []
        self.contexts: list[str] = []
        self.drafts: list[str] = []

    def step(self, step: str, who: str, number: Any) -> None:
        self.clock.advance(hours=7)
        if step == "undo":
            lists = (self.orders, self.talks, self.contexts, self.drafts)
            kept = [list(one) for one in lists]
            with pytest.raises(ZeroDivisionError), self.loop.transaction():
                for inner in number:
                    self.step(*inner)
                raise ZeroDivisionError
            for one, before in zip(lists, kept, strict=True):
                one[:] = before
            return
        act: Callable[[str, int], object] = getattr(self, f"_{step}")
        with suppress(Conflict, NotFound, InvalidInput):  # what is refused changes nothing
            act(who, number)

    def _chosen(self, those: Sequence[T], number: int) -> T:
        if not those:
            raise NotFound("Nothing is there yet.")
        return those[number % len(those)]

    # What people do and say

    def _decide(self, who: str, number: int) -> None:
        decision = list(Decision)[number % 3]
        texts: dict[str, Any] = {
            "original": "We met in order to agree.",
            "suggested": "We met to agree.",
            "final": "We agreed.",
        }
        for _ in range(3):
            self.loop.capture.fix("short", decision, actor=who, comment="too long", confidence=0.8, **texts)

    def _correct(self, who: str, number: int) -> None:
        wrong, right = PAIRS[number % len(PAIRS)]
        audience: Any = "me" if number > 9 else "team"
        self.loop.capture.correction(
            wrong, right, query="Which?", actor=who, session=f"s{number % 2}", audience=audience
        )

    def _message(self, who: str, number: int) -> None:
        text = ("No, it is green, not red.", "No, it is blue, not red.", "Thank you.")[number % 3]
        self.loop.capture.message(text, last_output="It is red.", query="Which?", actor=who, session=f"s{number % 2}")

    def _talk(self, who: str, number: int) -> None:
        id = f"talk-{number % 5}"
        told = teach(self.loop, id, SAID[number % 4], actor=who, at=self.clock.now, named=False)
        self.talks.append(told.conversation)

    def _review(self, who: str, number: int) -> None:
        id = f"review-{uuid.UUID(int=len(list(self.loop.events())))}"
        review(self.loop, number, reviewer=who, comment=REMARKS[number % 8 % 4], id=id)
        self.loop.learn.reviews.evaluate(id)

    def _draft(self, number: int) -> str:
        open_ = [id for id in self.drafts if self.loop.learn.documents.draft(id).status is not DraftStatus.DELETED]
        if len(open_) < 2:
            order = f"order-{self.loop.store.log.head()}"
            self.drafts.append(extracted(self.loop, 4711 + len(self.orders), id=order, by="dana").id)
            self.orders.append(order)
            return self.drafts[-1]
        return self._chosen(open_, number)

    def _field(self, who: str, number: int) -> None:
        self.loop.capture.field_corrected(self._draft(number), "order_number", f"PO-{number % 3}", by=who)

    def _line(self, who: str, number: int) -> None:
        draft = self._draft(number)
        if number % 3 == 0:
            self.loop.capture.line_added(draft, sku=f"ABC-{number}", qty=number, by=who)
        elif number % 3 == 1:
            self.loop.capture.line_removed(draft, line=1 + number % 4, by=who)
        else:
            self.loop.capture.line_corrected(draft, line=1 + number % 4, qty=number, by=who)

    def _customer(self, who: str, number: int) -> None:
        self.loop.capture.customer_selected(self._draft(number), f"C-{number % 3}", by=who)

    def _confirm(self, who: str, number: int) -> None:
        self.loop.capture.draft_confirmed(self._draft(number), by=who)

    def _map(self, who: str, number: int) -> None:
        self.loop.capture.mapping_confirmed(f"ABC-{number % 2}", f"INT-{number % 3}", customer="C-1", by=who)

    def _unmap(self, who: str, number: int) -> None:
        self.loop.capture.mapping_rejected(f"ABC-{number % 2}", f"INT-{number % 3}", customer="C-1", by=who)

    def _rule(self, who: str, number: int) -> None:
        text = ("Validate what comes in.", "Quote the order number.", "Greet nobody by name.")[number % 3]
        self.loop.govern.proposals.propose(text, agents=["coder"], by=who, id=f"rule-{number}")

    def _say_yes(self, who: str, number: int) -> None:
        """Twice as often by two people, so that a rule comes into force."""
        one = self._chosen(self.loop.govern.proposals.page().items, number)
        others = [name for name in PEOPLE if name not in (who, one.made_by)]
        for name in others[:2] if number % 3 else [who]:
            self.loop.govern.proposals.approve(one.id, by=name)

    def _say_no(self, who: str, number: int) -> None:
        waiting = self.loop.govern.proposals.page().items
        self.loop.govern.proposals.reject(self._chosen(waiting, number).id, by=who, why="Not here.")

    def _give(self, who: str, number: int) -> None:
        there = [one.id for one in self.loop.govern.learnings.all()]
        self._chosen(there, number)
        self.contexts.append(give_context(self.loop, there[:3], who, f"unit-{number % 3}"))

    def _report(self, who: str, number: int) -> None:
        if not self.contexts:
            self._give(who, number)
        context = self._chosen(self.contexts, number)
        self.loop.measure.outcome(context, score=number / 11, note="done", actor=who)

    # What people do with learnings

    def _care(self, who: str, number: int, act: str, **more: Any) -> None:
        one = self._chosen(list(self.loop.govern.learnings.all(status=None)), number)
        with acting(Caller(self.loop.name, Role.ADMIN, who, who)):
            getattr(self.loop.govern.learnings, act)(one.id, **more)

    def _edit(self, who: str, number: int) -> None:
        there = list(self.loop.govern.learnings.all(status=None, kind="correction"))
        one = self._chosen(there, number)
        with acting(Caller(self.loop.name, Role.ADMIN, who, who)):
            self.loop.govern.learnings.edit(one.id, why=f"{who} says so", right=f"{one.right} at last")

    def _approve(self, who: str, number: int) -> None:
        self._care(who, number, "approve")

    def _unapprove(self, who: str, number: int) -> None:
        self._care(who, number, "unapprove")

    def _retire(self, who: str, number: int) -> None:
        self._care(who, number, "retire", why=f"{who} wants it")

    def _restore(self, who: str, number: int) -> None:
        self._care(who, number, "restore")

    def _rate(self, who: str, number: int) -> None:
        self._care(who, number, "rate", up=number % 2 == 0)

    def _delete(self, who: str, number: int) -> None:
        self._care(who, number, "delete")

    # What is forgotten

    def _forget(self, who: str, number: int) -> None:  # noqa: ARG002
        self.loop.govern.forget(user=who)
        assert not is_known(self.loop, who)

    def _forget_talk(self, who: str, number: int) -> None:  # noqa: ARG002
        self.loop.govern.forget(conversation=self._chosen([*self.talks, "s0", "s1"], number))

    def _forget_order(self, who: str, number: int) -> None:  # noqa: ARG002
        order = self._chosen(self.orders, number)
        self.loop.govern.forget(document=order)
        self.drafts.pop(self.orders.index(order))
        self.orders.remove(order)

    # What programs do

    def _work(self, who: str, number: int) -> None:  # noqa: ARG002
        if not self.loop.store.database.in_transaction():
            Worker(self.loop).run_all()

    def _propose(self, who: str, number: int) -> None:  # noqa: ARG002
        self.loop.learn.reviews.propose()

    def _curate(self, who: str, number: int) -> None:  # noqa: ARG002
        self.loop.learn.curate()

    def _rebuild(self, who: str, number: int) -> None:  # noqa: ARG002
        self.loop.learn.rebuild()


def _seen(loop: heedful.Loop) -> list[Any]:
    """What people see of it."""
    return [
        list(loop.govern.learnings.all(status=None)),
        list(loop.govern.proposals.all(status=None)),
        list(loop.learn.mappings.all(state=None)),
        loop.learn.layouts.list(),
        loop.measure.mining(),
        loop.measure.statistics(),
        loop.measure.learning("2025-01-01", "2030-12-31"),
    ]


@examples(12)
@given(steps=STEPS)
def test_a_rebuild_gives_the_same_after_any_history(
    open_loop: OpenLoop, clock: FrozenClock, steps: list[tuple[str, str, Any]]
) -> None:
    with open_loop(str(uuid.uuid4()), embedder=WordEmbedder(), reader=QuickReader()) as loop:
        life = Life(loop, clock)
        loop.capture.event("FIELD_SET")
        for step in (*BEGINNING, *steps):
            life.step(*step)
        Worker(loop).run_all()
        check(loop)
        check_sound(loop)
        before, seen = derived(loop), _seen(loop)
        loop.learn.rebuild()
        assert derived(loop) == before
        assert _seen(loop) == seen
        for who in PEOPLE[:2]:
            loop.govern.forget(user=who)
            assert not is_known(loop, who)
        check_sound(loop)
        before = derived(loop)
        loop.learn.rebuild()
        assert derived(loop) == before
