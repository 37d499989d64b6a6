"""A model that does not answer is named where people look: by the command, its exit code, the doctor, the metrics."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import heedful
from heedful.edges.api.metrics import Metrics
from heedful.edges.cli import main
from heedful.errors import BadAnswer, KeyRefused
from heedful.records.outside import UNANSWERED
from heedful.testing import ScriptedModel
from tests.llm_server import LlmServer, Received, Reply, chat, embeddings, llm_server, problem

TALK = [
    {"role": "user", "content": "The build fails with a deadlock in the connection pool since we upgraded the driver."},
    {"role": "assistant", "content": "The cause was that the pool is opened twice. I fixed it by opening it once."},
    {"role": "user", "content": "Great. From now on always run make check before you push to this repository."},
    {"role": "assistant", "content": "Understood: I will always run make check before pushing."},
]
REFUSALS: dict[str, tuple[Reply, str, str]] = {
    "a wrong key": (problem(401, "invalid_api_key"), "key_refused", "refused the key"),
    "no credit": (problem(429, "insufficient_quota"), "no_credit", "no credit left"),
    "a wrong model": (problem(404, "model_not_found"), "unknown_model", "knows no"),
}


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with llm_server() as server:
        yield server


@pytest.fixture
def configured(server: LlmServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> LlmServer:
    monkeypatch.setenv("HEEDFUL_LLM", "compatible:small")
    monkeypatch.setenv("HEEDFUL_LLM_URL", f"{server.url}/v1")
    monkeypatch.setenv("HEEDFUL_DATABASE", str(tmp_path / "a.db"))
    (tmp_path / "talk.json").write_text(json.dumps(TALK))
    return server


def _agreeable(received: Received) -> Reply:
    """An answer that fits whatever form is asked for, and says nothing."""
    wanted = received.body["response_format"]["json_schema"]["schema"]["properties"]
    return chat(json.dumps({name: [] if one.get("type") == "array" else True for name, one in wanted.items()}))


def _run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize("name", REFUSALS)
def test_mining_tells_that_the_model_was_not_heard_and_why(configured: LlmServer, tmp_path: Path, name: str) -> None:
    reply, code, words = REFUSALS[name]
    configured.respond(lambda _: reply)

    result = _run("mine", tmp_path / "talk.json")

    assert result.exit_code == 5, result.output
    assert "1 conversation mined without the language model" in result.stdout
    assert words in result.stdout
    assert "heedful mine --again" in result.stdout
    again = _run("mine", "--again", "--json", tmp_path / "talk.json")  # and it is no less silent the second time
    assert (again.exit_code, json.loads(again.stdout)["unanswered"]) == (5, {code: 1})


def test_a_budget_that_is_used_up_is_told(
    configured: LlmServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEEDFUL_LLM_CALLS", "0")

    result = _run("mine", tmp_path / "talk.json")

    assert (result.exit_code, "the budget of the day is used up" in result.stdout) == (5, True)
    assert configured.received == []


def test_a_server_that_is_not_there_is_told(
    configured: LlmServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEEDFUL_LLM_URL", "http://127.0.0.1:1/v1")

    result = _run("mine", tmp_path / "talk.json")

    assert (result.exit_code, "it could not be reached" in result.stdout) == (5, True)
    doctor = _run("doctor")
    assert doctor.exit_code == 1
    assert "127.0.0.1 could not be reached" in doctor.stdout


def test_a_model_that_answers_is_not_complained_of(configured: LlmServer, tmp_path: Path) -> None:
    configured.respond(_agreeable)
    mined = _run("mine", tmp_path / "talk.json")
    assert (mined.exit_code, "without the language model" in mined.stdout) == (0, False), mined.output

    doctor = _run("doctor")

    assert doctor.exit_code == 0, doctor.output
    assert "compatible:small answers" in doctor.stdout
    asked = [one for one in configured.received if "connection" in json.dumps(one.body)]
    assert asked[-1].body["max_tokens"] <= 300


@pytest.mark.parametrize("name", REFUSALS)
def test_the_doctor_names_what_is_wrong_with_the_model(configured: LlmServer, name: str) -> None:
    reply, _, words = REFUSALS[name]
    assert _run("init").exit_code == 0
    configured.respond(lambda _: reply)

    doctor = _run("doctor")

    assert doctor.exit_code == 1
    assert "✗ language model compatible:small" in doctor.stdout
    assert words in doctor.stdout
    assert _run("doctor", "--quick").exit_code == 0  # asks nobody


def test_the_doctor_names_a_key_that_is_missing(configured: LlmServer, monkeypatch: pytest.MonkeyPatch) -> None:
    _run("init")
    monkeypatch.setenv("HEEDFUL_LLM", "anthropic")
    monkeypatch.delenv("HEEDFUL_LLM_URL")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    doctor = _run("doctor")

    assert doctor.exit_code == 1
    assert "✗ settings       'anthropic' needs a key" in doctor.stdout


def test_the_doctor_names_what_is_wrong_with_the_embedder(
    configured: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run("init")
    monkeypatch.delenv("HEEDFUL_LLM")
    monkeypatch.setenv("HEEDFUL_EMBEDDER", "compatible:tiny")
    monkeypatch.setenv("HEEDFUL_EMBEDDER_URL", f"{configured.url}/v1")
    configured.will(problem(401, "invalid_api_key"))

    refused = _run("doctor")
    configured.will(embeddings([[1.0, 0.0]]))
    well = _run("doctor")

    assert (refused.exit_code, "refused the key" in refused.stdout) == (1, True)
    assert "HEEDFUL_EMBEDDER_KEY" in refused.stdout
    assert well.exit_code == 0, well.output


def test_detecting_and_improving_tell_that_the_model_was_not_heard(configured: LlmServer) -> None:
    configured.respond(lambda _: problem(401, "invalid_api_key"))
    _run("corrections", "add", "--wrong", "make ship", "--right", "make release", "--about", "deployment")

    detected = _run("detect", "No, it should return nil", "--after", "The function returns an error.")
    improved = _run("improve", "Deploy with make ship.", "--query", "how do I deploy?", "--about", "deployment")
    plain = _run("improve", "Nothing of that sort.")

    assert detected.exit_code == 0
    for result in (detected, improved):
        assert "did not answer: its server refused the key" in result.stderr
    assert "did not decide" not in plain.stderr  # there was nothing to ask about


def _unanswered(loop: heedful.Loop) -> list[Any]:
    chat = loop.conversation()
    chat.output("The function returns an error", query="what does parse() return?")
    heard = chat.message("Actually it should return nil, not an error")
    better = chat.improve("parse() returns an error on bad input", query="what does parse() return on bad input?")
    assert heard is not None
    return [loop.capture.detect("No, nil", last_output="an error").unanswered, better.unanswered]


def test_results_and_metrics_tell_it_to_programs(tmp_path: Path) -> None:
    metrics = Metrics()
    watching = heedful.Extension("metrics", listeners={UNANSWERED: metrics.unanswered})
    refused = [KeyRefused("No.", hint="") for _ in range(2)]
    model = ScriptedModel(*refused, BadAnswer("Hm.", hint=""), BadAnswer("Hm.", hint=""))
    with heedful.open(tmp_path / "a.db", language=model, extensions=[watching]) as loop:
        assert _unanswered(loop) == ["bad_answer", "key_refused"]

    numbers = metrics.text().decode()
    assert 'heedful_models_unanswered_total{code="key_refused",model="language model"} 2.0' in numbers
    assert 'heedful_models_unanswered_total{code="bad_answer",model="language model"} 1.0' in numbers
