"""A real program of DSPy against a real server. DSPy is not among what is installed for tests: it needs 350 MB and an
older OpenAI SDK. Run them with `pip install heedful dspy pytest` in an environment of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

import heedful
from tests.llm_server import LlmServer, chat
from tests.unit.adapters.conftest import ASKED, BREAKING, FOLLOWING, checks, docs_example, outcomes

dspy = pytest.importorskip("dspy", reason="DSPy is not installed")

from heedful.adapters.dspy import LearningModule, with_learnings  # noqa: E402


@pytest.fixture
def program(acme: heedful.Loop, llm: LlmServer) -> Iterator[LearningModule]:
    lm = dspy.LM("openai/small", api_base=llm.url, api_key="k", cache=False, num_retries=0)
    with dspy.context(lm=lm):
        yield with_learnings(dspy.ChainOfThought("question -> answer"), acme, agent="coder", user="dana", hold_out=0)


def fields(answer: str) -> Any:
    return chat(f"[[ ## reasoning ## ]]\nI looked.\n\n[[ ## answer ## ]]\n{answer}\n\n[[ ## completed ## ]]")


def system(llm: LlmServer) -> list[str]:
    return [received.body["messages"][0]["content"] for received in llm.received]


def test_a_program_gets_the_context_and_its_prediction_is_checked(
    program: LearningModule, acme: heedful.Loop, llm: LlmServer
) -> None:
    llm.will(fields(FOLLOWING))
    prediction = program(question=ASKED)
    program.heedful.outcome(prediction, accepted=True)

    assert prediction.answer == FOLLOWING
    assert "<heedful>" in system(llm)[0]
    assert [(one["value"], one["followed"]) for one in outcomes(acme)] == [(None, 1), (1.0, 0)]


def test_the_metric_of_an_evaluation_is_the_outcome(
    program: LearningModule, acme: heedful.Loop, llm: LlmServer
) -> None:
    llm.will(fields(FOLLOWING), fields(BREAKING))
    metric = program.reporting(lambda example, prediction, *_: prediction.answer == example.answer)
    examples = [dspy.Example(question=ASKED, answer=FOLLOWING).with_inputs("question")] * 2
    score = dspy.Evaluate(devset=examples, metric=metric, num_threads=1)(program).score

    assert score == 50.0
    assert [one["value"] for one in outcomes(acme) if one["value"] is not None] == [1.0, 0.0]
    assert metric(examples[0], examples[0]) is True  # of no program


def test_an_answer_in_the_wrong_form_is_asked_for_again_with_the_context(
    program: LearningModule, llm: LlmServer
) -> None:
    llm.will(chat("nonsense"), chat('{"reasoning": "I looked.", "answer": "x"}'))

    assert program(question=ASKED).answer == "x"
    assert ["<heedful>" in said for said in system(llm)] == [True, True]


def test_copies_and_async_calls_work_the_same(program: LearningModule, acme: heedful.Loop, llm: LlmServer) -> None:
    llm.will(fields(BREAKING))
    copied = program.deepcopy()
    asyncio.run(copied.acall(question=ASKED))

    assert copied.heedful is program.heedful
    assert checks(acme) == [(0, 1)]


def test_without_heedful_the_program_runs_without_a_context(
    program: LearningModule, acme: heedful.Loop, llm: LlmServer
) -> None:
    acme.close()
    llm.will(fields("x"))

    assert program(question=ASKED).answer == "x"
    assert "<heedful>" not in system(llm)[0]


def test_the_example_of_the_docs_runs(program: LearningModule, acme: heedful.Loop, llm: LlmServer) -> None:
    llm.respond(lambda _: fields(FOLLOWING))
    exec(docs_example("heedful.adapters.dspy"), {"acme": acme})

    assert [one["value"] for one in outcomes(acme)] == [None, 1.0, None, 1.0]
