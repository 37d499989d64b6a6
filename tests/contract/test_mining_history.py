"""Whatever happens to conversations and what they taught, all that is derived equals a fold over the log, on every
database."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful.edges.worker import Worker
from heedful.errors import Conflict, NotFound
from heedful.operations.caller import Caller, acting
from heedful.records.insight import Insight
from heedful.records.role import Role
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, rows
from tests.contract.mining import LINT, LINT_TOO, NO_LINT, RULES, PlainReader, hand_in, mined, talk, whole
from tests.examples import examples
from tests.typed import insights

SAID = (LINT, LINT_TOO, NO_LINT, NO_LINT.replace("rejects", "mends"), *RULES[1:3])
NUMBER = st.integers(0, 9)
"""Which of the insights or conversations there are, counted round."""

CHANGES = (
    st.tuples(
        st.just("teach"),
        st.tuples(
            st.lists(st.sampled_from(SAID), min_size=1, max_size=2, unique=True),
            st.sampled_from(["shop", "desk", None]),
            st.integers(0, 30),
        ),
    ),
    st.tuples(st.just("grow"), st.tuples(NUMBER, st.sampled_from(SAID))),
    st.tuples(st.just("rate"), st.tuples(NUMBER, st.tuples(st.sampled_from(["dana", "lee"]), st.booleans()))),
    st.tuples(st.sampled_from(["approve", "retire", "restore", "delete", "forget", "edit", "decide"]), NUMBER),
    st.tuples(st.sampled_from(["restore", "forget", "decide"]), NUMBER),
)
STEPS = st.lists(
    st.one_of(
        *CHANGES,
        *CHANGES[:2],
        st.tuples(st.just("undo"), st.lists(st.one_of(*CHANGES), min_size=1, max_size=3)),
        st.tuples(st.sampled_from(["rebuild", "work", "curate"]), st.none()),
    ),
    min_size=5,
    max_size=16,
)


class History:
    """One organisation's life."""

    def __init__(self, loop: heedful.Loop, clock: FrozenClock) -> None:
        self.loop = loop
        self.clock = clock
        self.handed_in = 0

    def step(self, step: str, told: Any) -> None:
        if step == "undo":
            with pytest.raises(ZeroDivisionError), self.loop.transaction():
                for inner in told:
                    self.step(*inner)
                raise ZeroDivisionError
        elif step == "rebuild":
            self.loop.learn.rebuild()
        elif step == "work":
            Worker(self.loop).run_all()
        elif step == "curate":
            self.loop.learn.curate()
        elif step == "teach":
            rules, project, days = told
            self.handed_in += 1
            at = self.clock.now - timedelta(days=days)
            hand_in(self.loop, f"c{self.handed_in}", *rules, project=project, at=at)
            self.loop.learn.mine(f"c{self.handed_in}")
        else:
            number, more = told if isinstance(told, tuple) else (told, None)
            self.change(step, number, more)

    def change(self, step: str, number: int, more: Any) -> None:
        """What is refused, or is not there, changes nothing."""
        if step in ("grow", "forget"):
            self._conversation(step, number, more)
        elif step == "decide":
            waiting = self.loop.govern.proposals.page().items
            if waiting:
                proposals = self.loop.govern.proposals
                decide = proposals.approve if number < 7 else proposals.reject
                self._allowing(decide, waiting[number % len(waiting)].id)
        elif (one := self._chosen(number)) is not None:
            self._look_after(step, one, more)

    def _conversation(self, step: str, number: int, more: Any) -> None:
        there = sorted(mined(self.loop))
        if not there:
            return
        id = there[number % len(there)]
        if step == "forget":
            self.loop.govern.conversations.delete(id)
            return
        told = [{**message, "id": f"{message['id']}-{uuid.uuid4()}"} for message in talk(more)]
        self.loop.capture.conversation(told, id=id)
        self.loop.learn.mine(id)

    def _look_after(self, step: str, one: Insight, more: Any) -> None:
        learnings = insights(self.loop)
        if step == "rate":
            who, up = more
            with acting(Caller(self.loop.name, Role.ADMIN, who, who)):
                learnings.rate(one.id, up=up)
        elif step == "edit":
            self._allowing(learnings.edit, one.id, content={"what": f"{one.content.get('what', '')} And tell."})
        else:
            change = {"approve": learnings.approve, "retire": learnings.retire, "restore": learnings.restore,
                      "delete": learnings.delete}[step]  # fmt: skip
            self._allowing(change, one.id)

    def _allowing(self, change: Any, *told: Any, **more: Any) -> None:
        before = list(self.loop.events())
        try:
            change(*told, **more)
        except (Conflict, NotFound):
            assert list(self.loop.events()) == before

    def _chosen(self, number: int) -> Insight | None:
        there = list(insights(self.loop).all(status=None))
        return there[number % len(there)] if there else None


def _derived(loop: heedful.Loop) -> list[Any]:
    return [
        rows(loop, "learning"), rows(loop, "learning_signature"), rows(loop, "posting", "term, block, entries"),
        loop.measure.mining(),
    ]  # fmt: skip


@examples(25)
@given(steps=STEPS)
def test_what_is_derived_of_conversations_equals_a_fold_over_the_log(
    open_loop: OpenLoop, clock: FrozenClock, steps: list[tuple[str, Any]]
) -> None:
    with open_loop(
        str(uuid.uuid4()), embedder=WordEmbedder(), reader=PlainReader()
    ) as loop:  # each example has its own organisation
        history = History(loop, clock)
        loop.capture.event("FIELD_SET")
        for step in steps:
            clock.advance(hours=1)
            history.step(*step)
            whole(loop)

        Worker(loop).run_all()
        whole(loop)
        before = _derived(loop)
        loop.learn.rebuild()
        assert _derived(loop) == before
        for conversation in sorted(mined(loop)):
            loop.govern.conversations.delete(conversation)
            whole(loop)
        assert rows(loop, "learning") == rows(loop, "posting") == rows(loop, "learning_signature") == []
        kinds = {event.kind for event in loop.events()}
        assert {kind for kind in kinds if not kind.startswith("AUDIT_")} <= {"FIELD_SET"}
