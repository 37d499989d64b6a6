"""A language model is believed as far as it proves itself on conversations whose answers are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import heedful
from heedful.errors import BadAnswer
from heedful.learn.conversations.exam import questions, solution
from heedful.learn.conversations.marks import UNEXAMINED, Marks
from heedful.records.event import EventFilter
from heedful.records.language import F, ModelAnswer, ModelMessage
from heedful.records.mining import EXAM, EXAMINED, Mined
from heedful.records.transcript import Speaker
from heedful.text.fence import data
from tests.conftest import OpenLoop
from tests.contract.mining import active

WISH = "the header row has to stay, ask ledger why"
TALK: list[dict[str, Any]] = [
    {"role": "user", "text": "Rewrite the export of the ledger so that it streams, it runs out of memory.", "id": "a"},
    {"role": "assistant", "text": "Done: it writes row by row now, and I renamed two columns for clarity.", "id": "b"},
    {"role": "user", "text": f"streaming works. {WISH}", "id": "c"},
    {"role": "assistant", "text": "I put the old names back, and the tests pass.", "id": "d"},
    {"role": "user", "text": "Always close the file, also after an error in the query.", "id": "e"},
    {"role": "assistant", "text": "It is in a with block now, because an error left it open.", "id": "f"},
]
CLAIM = {"message": 2, "quote": WISH, "title": "Keep the header row of the nightly dumps", "why": ""}


class Student:
    """Named in the exam, and of `TALK`: some messages."""

    def __init__(self, name: str, *, passes: bool = True, names_all: bool = False, claims: Sequence[Any] = ()) -> None:
        self.name, self._passes, self._names_all = name, passes, names_all
        self._claims = claims
        self.exams, self.absent = 0, False

    def answer(
        self,
        instructions: str,  # noqa: ARG002
        messages: Sequence[ModelMessage],
        form: type[F],
        *,
        most_tokens: int = 1_000,  # noqa: ARG002
    ) -> ModelAnswer[F]:
        if self.absent:
            raise BadAnswer("It said nothing.", hint="Try later.")
        shown = messages[-1].text
        said: dict[str, Any] = {name: [] for name in form.model_fields}
        if (right := solution(shown)) is not None:
            self.exams += 1
            said = self._all(shown) if self._names_all else right if self._passes else said
        elif "rules" in said:
            said = {"rules": list(self._claims)}
        return ModelAnswer(form.model_validate(said), self.name, 0)

    def _all(self, shown: str) -> dict[str, Any]:
        """It takes every message of the person for something lasting."""
        talk = next(one.transcript for one in questions() if data(one.transcript.messages[0].text) in shown)
        spoken = [(at, one.text) for at, one in enumerate(talk.messages) if one.role is Speaker.USER]
        return {"rules": [{"message": at, "quote": text, "title": text[:100], "why": ""} for at, text in spoken]}


def mined(loop: heedful.Loop, id: str = "chat") -> Mined:
    loop.capture.conversation([{**one, "id": f"{id}-{one['id']}"} for one in TALK], id=id)
    return loop.learn.mine(id)


def titles(loop: heedful.Loop) -> list[str]:
    return [one.title for one in active(loop)]


def test_what_a_capable_model_hears_counts_though_the_reader_did_not_hear_it(open_loop: OpenLoop) -> None:
    with open_loop(language=Student("large", claims=[CLAIM])) as loop:
        mined(loop)
        assert CLAIM["title"] in titles(loop)


def test_what_it_passes_over_is_not_kept(open_loop: OpenLoop) -> None:
    with open_loop() as alone:
        mined(alone)
    with open_loop("globex", language=Student("large", claims=[CLAIM])) as loop:
        mined(loop)
        assert titles(loop) == [CLAIM["title"]]


def test_a_model_that_takes_everything_for_lasting_is_not_believed(open_loop: OpenLoop) -> None:
    with open_loop(language=Student("eager", names_all=True, claims=[CLAIM])) as loop:
        found = mined(loop)
        assert CLAIM["title"] not in titles(loop)
        (told,) = [one.says for one in found.findings if one.step == EXAM]
        assert told == "it named 13 of 13 lasting things in the exam, and 45 of 46 others"  # one is only "yes"


def test_a_model_that_finds_nothing_does_not_silence_the_reader(open_loop: OpenLoop) -> None:
    with open_loop() as alone:
        mined(alone)
        heard = titles(alone)
    with open_loop("globex", language=Student("mute", passes=False)) as loop:
        mined(loop)
        assert titles(loop) == heard


def test_the_exam_is_held_once(open_loop: OpenLoop) -> None:
    model = Student("large")
    with open_loop(language=model) as loop:
        mined(loop, "one")
        mined(loop, "two")
        assert model.exams == len(questions())
        assert len(loop.store.log.page(EventFilter(kind=EXAMINED), None, 10)) == 1


def test_a_model_that_does_not_answer_takes_the_exam_another_time(open_loop: OpenLoop) -> None:
    model = Student("large", claims=[CLAIM])
    with open_loop(language=model) as loop:
        model.absent = True
        first = mined(loop)
        assert (first.by, first.unanswered) == ("local", "bad_answer")
        model.absent = False
        again = loop.learn.mine("chat")
        assert (again.by, again.unanswered) == ("large", None)
        assert CLAIM["title"] in titles(loop)


@pytest.mark.parametrize(
    ("marks", "claimed", "passed_over", "capable"),
    [
        (Marks(13, 13, 46, 0), 3.4, -2.3, True),
        (Marks(13, 12, 46, 1), 2.8, -1.8, True),
        (Marks(13, 8, 46, 9), 1.0, -0.7, False),
        (Marks(13, 13, 46, 46), -0.1, 1.1, False),
        (UNEXAMINED, 0.0, 0.0, False),
    ],
)
def test_marks_weigh_what_a_model_says(marks: Marks, claimed: float, passed_over: float, capable: bool) -> None:
    assert (round(marks.claimed, 1), round(marks.passed_over, 1)) == (claimed, passed_over)
    assert marks.is_capable is capable
