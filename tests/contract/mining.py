"""Conversations that surely teach something, and ways to look at what came of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import heedful
from heedful.learnings.events import CONFIRMED
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.row import State
from heedful.providers.correction_reader import LocalReader
from heedful.records.insight import Insight, InsightCategory
from heedful.records.learning import Status
from heedful.records.mining import Mined
from heedful.records.reading import Answer, LikelyStatement, MessageReading, StatementKind
from tests.contract.correcting import check, learnings, rows
from tests.typed import insights

Messages = list[dict[str, Any]]

TASK = "Please add an endpoint to the billing service."
OTHER_TASK = "Please add an endpoint to the shipping service."

DONE = "I added the endpoint to the API, wrote a test for the function behind it, and committed both of them to main."
TOOLS = [{"name": "Edit", "input": "api.py"}, {"name": "Edit", "input": "test_api.py"}, {"name": "Bash", "input": "ls"}]

LINT = "From now on always run `make lint` before you commit, because CI rejects unformatted code."
LINT_TOO = (
    "From now on always run `make lint` before you commit, because CI rejects unformatted code and the team waits."
)
"""The same in other words."""
NO_LINT = "From now on never run `make lint` before you commit, because CI rejects unformatted code."
"""The contrary."""

RULES = (
    LINT,
    "From now on never print customer addresses in log files, because the auditors read them.",
    "From now on never edit generated files under `gen/` by hand, because the next build overwrites them.",
    "From now on always use `pathlib` instead of `os.path` in new Python modules, because we agreed on it last year.",
    "From now on never start the queue consumer without the `--drain` flag, because messages get lost otherwise.",
)
"""That have nothing to do with one another."""


class PlainReader(LocalReader):
    """Hears a rule in every message that says it should last, and in no other: what becomes of it is tested here, not
    the hearing. What ends something is heard as it is."""

    sign = "From now on "
    chance = 0.6

    def message(self, text: str, before: str) -> MessageReading:
        if self.sign not in text:
            heard = super().message(text, before).statements
            silent = tuple(replace(one, chance=0.0) for one in heard)
            return MessageReading(silent, Answer.GOES_ON, refused=0.0, accepted=0.0)
        start = text.find(self.sign) + len(self.sign)
        rule = LikelyStatement(
            start,
            len(text),
            (0, len(text)),
            StatementKind.RULE,
            chance=self.chance,
            alone=0.9,
            category=InsightCategory.WORKFLOW,
        )
        return MessageReading((rule,), Answer.GOES_ON, refused=0.0, accepted=0.0)

    def findings(self, *_: object) -> tuple[LikelyStatement, ...]:
        return ()


def talk(*rules: str, task: str = TASK, at: datetime | None = None, named: bool = True) -> Messages:
    """Somebody has work done, and says what is to be heeded from now on."""
    said = [("user", task), ("assistant", DONE)]
    for rule in rules:
        said += [("user", rule), ("assistant", "Understood, I will keep to that.")]
    told: Messages = [{"role": role, "text": text} for role, text in said]
    told[1]["tools"] = TOOLS
    for number, message in enumerate(told):
        if named:
            message["id"] = f"m{number}"
        if at is not None:
            message["at"] = at
    return told


def small_talk() -> Messages:
    """It teaches nothing."""
    return [{"role": "user", "text": "Thank you!", "id": "a"}, {"role": "assistant", "text": "Any time.", "id": "b"}]


def hand_in(loop: heedful.Loop, id: str, *rules: str, **told: Any) -> None:
    about = {name: told.pop(name) for name in ("project", "actor", "title") if name in told}
    loop.capture.conversation(talk(*rules, **told), id=id, **about)


def teach(loop: heedful.Loop, id: str, *rules: str, **told: Any) -> Mined:
    """Hand in a conversation and mine it now."""
    hand_in(loop, id, *rules, **told)
    return loop.learn.mine(id)


def taught(loop: heedful.Loop, id: str, *rules: str, **told: Any) -> Insight:
    """The one insight that is found in a conversation, whatever became of it."""
    teach(loop, id, *rules, **told)
    (found,) = of_conversation(loop, id)
    return found


def of_conversation(loop: heedful.Loop, id: str) -> list[Insight]:
    return [one for one in insights(loop).all(status=None) if one.conversation == id]


def active(loop: heedful.Loop, **wanted: Any) -> list[Insight]:
    return list(insights(loop).all(**wanted))


def mined(loop: heedful.Loop) -> Counter[str]:
    """How often each conversation was mined."""
    return Counter(event.entity.id for event in loop.events(kind="CONVERSATION_MINED") if event.entity is not None)


def numbers(one: Insight) -> Mapping[str, Any]:
    """What merging and rating may change."""
    return {
        name: getattr(one, name)
        for name in ("title", "content", "about", "confidence", "confirmed", "status", "rated_up", "rated_down")
    }


def signatures(loop: heedful.Loop) -> dict[int, str]:
    return dict(rows(loop, "learning_signature", "no, canonical"))


def whole(loop: heedful.Loop) -> None:
    """All that is derived of insights is what the log says, and each has its proof once."""
    check(loop)
    kept = learnings(loop)
    insights = [state for state in kept.values() if state.kind == "insight"]
    assert signatures(loop) == _signatures(loop, insights)
    assert {state.superseded_by for state in kept.values()} - {None} <= kept.keys()
    merged = Counter(state.superseded_by for state in insights if state.status == Status.MERGED)
    assert {state.id: state.confirmed for state in insights if state.confirmed} == merged


def _signatures(loop: heedful.Loop, insights: Iterable[State]) -> dict[int, str]:
    """What they must be: those of insights that hold, no two alike."""
    said = {event.seq: INSIGHT.wording(event) for event in loop.events()}
    found: dict[int, str] = {}
    for state in insights:
        words = said[state.said]
        assert words is not None
        if state.status == Status.ACTIVE:
            found[state.no] = INSIGHT.signature(state.category or "", words, state.scope).canonical
    assert len(set(found.values())) == len(found)
    return found


def confirmations(loop: heedful.Loop) -> list[str]:
    """By which learnings others are confirmed."""
    return [event.meta["by"] for event in loop.events(kind=CONFIRMED)]
