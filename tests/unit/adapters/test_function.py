"""Plain functions that get a context."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import heedful
from heedful.adapters.function import learns
from heedful.errors import InvalidInput
from tests.unit.adapters.conftest import ASKED, BREAKING, FOLLOWING, checks, outcomes


def test_a_function_gets_the_context_and_returns_what_it_returns(acme: heedful.Loop) -> None:
    @learns(acme, agent="coder", user="dana", hold_out=0)
    def answer(question: str, context: str = "") -> str:
        """Answers."""
        return FOLLOWING if "nil" in context else BREAKING

    result = answer.run(ASKED)
    result.outcome(success=True)

    assert (answer(ASKED), result.value, answer.__doc__) == (FOLLOWING, FOLLOWING, "Answers.")
    assert answer("Sing a song") == BREAKING
    assert answer(ASKED, context="My own") == BREAKING
    assert [one["value"] for one in outcomes(acme)][:2] == [None, 1.0]
    assert checks(acme)[0] == (1, 0)


def test_the_context_can_go_before_the_prompt_and_a_callback_can_judge(acme: heedful.Loop) -> None:
    @learns(acme, prompt="question", outcome=lambda said: {"success": said.endswith(ASKED)})
    def echo(number: int, question: str) -> str:
        return question

    assert echo(1, question=ASKED).startswith("<heedful>")
    assert outcomes(acme)[-1]["value"] == 1.0


@pytest.mark.parametrize(("failures", "values"), [(True, [0.0]), (False, [])])
def test_an_error_is_raised_and_counts_as_failure_only_if_wished(
    failures: bool, values: list[float], acme: heedful.Loop
) -> None:
    @learns(acme, failures=failures)
    def fail(question: str, context: str = "") -> str:
        raise LookupError(question)

    with pytest.raises(LookupError):
        fail(ASKED)
    assert [one["value"] for one in outcomes(acme)] == values


def test_async_functions_and_methods(acme: heedful.Loop) -> None:
    class Writer:
        @learns(acme)
        async def answer(self, question: str, context: str = "") -> str:
            assert question == ASKED
            return FOLLOWING if "nil" in context else BREAKING

    async def alone(question: str, context: str = "") -> str:
        return BREAKING

    async def main() -> None:
        assert await Writer().answer(ASKED) == FOLLOWING
        result = await learns(acme)(alone).run(ASKED)  # type: ignore[misc]
        result.outcome(accepted=False)

    asyncio.run(main())

    assert [(one["value"], one["followed"], one["broken"]) for one in outcomes(acme)] == [
        (None, 1, 0), (None, 0, 1), (0.0, 0, 0),
    ]  # fmt: skip


def test_a_method_can_be_run_for_its_result_too(acme: heedful.Loop) -> None:
    class Writer:
        def __init__(self, name: str) -> None:
            self.name = name

        @learns(acme, hold_out=0)
        def answer(self, question: str, context: str = "") -> str:
            assert question == ASKED
            return f"{self.name}: {FOLLOWING if 'nil' in context else BREAKING}"

    dana, lee = Writer("dana"), Writer("lee")
    result = dana.answer.run(ASKED)
    result.outcome(success=True)

    assert result.value == f"dana: {FOLLOWING}"
    assert lee.answer(ASKED) == f"lee: {FOLLOWING}"
    assert Writer.answer(lee, ASKED) == f"lee: {FOLLOWING}"
    assert [one["value"] for one in outcomes(acme)][:2] == [None, 1.0]


def test_a_context_that_the_function_does_not_read_is_not_given(acme: heedful.Loop) -> None:
    @learns(acme, failures=True)
    def answer(question: str, context: str = "") -> str:
        return BREAKING

    @learns(acme, prompt="messages")
    def chat(number: int, messages: str | list[str] = ASKED) -> object:
        return messages

    own = answer.run(ASKED, context="My own")
    assert own.outcome(success=False) is None
    assert (chat(1), chat(1, [ASKED])) == (ASKED, [ASKED])
    assert [*acme.events(kind="CONTEXT_GIVEN")] == []
    assert outcomes(acme) == []


def test_a_function_without_a_place_for_the_context_is_refused(acme: heedful.Loop) -> None:
    with pytest.raises(InvalidInput, match="no parameter 'context'"):
        learns(acme)(lambda question: question)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"agnet": "writer"}, "no argument 'agnet'"),
        ({"foo": 1}, "no argument 'foo'"),
        ({"budget": -1}, "budget"),
        ({"budget": "many"}, "budget"),
        ({"template": "yaml"}, "template"),
        ({"hold_out": 2}, "hold_out"),
        ({"agent": ""}, "agent"),
    ],
)
def test_an_option_that_cannot_be_right_is_refused_before_anything_is_called(
    acme: heedful.Loop, options: Any, said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        learns(acme, **options)


def test_an_outcome_with_a_misspelt_name_is_an_error_of_the_application(acme: heedful.Loop) -> None:
    @learns(acme, outcome=lambda _: {"sucess": True})  # type: ignore[typeddict-unknown-key]
    def answer(question: str, context: str = "") -> str:
        return FOLLOWING

    with pytest.raises(InvalidInput, match="no argument 'sucess'"):
        answer(ASKED)


def test_without_heedful_the_function_runs_without_a_context(acme: heedful.Loop) -> None:
    @learns(acme)
    def context_of(question: str, context: str = "?") -> str:
        return context

    acme.close()

    assert context_of(ASKED) == ""
    with pytest.raises(TypeError, match="question"):
        context_of()  # type: ignore[call-arg]
