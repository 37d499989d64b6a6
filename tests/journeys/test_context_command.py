"""A person at a terminal who looks at what a prompt would get, and why."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import heedful
from heedful.edges.cli import main
from tests.contract.correcting import report
from tests.contract.reviewing import adopted

QUESTION = "When are refunds paid?"


@pytest.fixture(autouse=True)
def _taught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule of one agent, and a correction."""
    monkeypatch.setenv("HEEDFUL_DATABASE", str(tmp_path / "heedful.db"))
    monkeypatch.setenv("COLUMNS", "160")
    with heedful.open() as loop:
        adopted(loop)
        report(loop, "30 days", "60 days", query=QUESTION)


def _run(*words: str) -> Result:
    return CliRunner().invoke(main, ["context", *words])


def _json(*words: str) -> Any:
    result = _run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_it_shows_each_piece_with_its_reason() -> None:
    shown = _run(QUESTION, "--agent", "coder").stdout

    assert "rule in force for coder, approved by 2 people" in shown
    assert "corrected when the same was asked" in shown
    assert "2 pieces" in shown
    assert "</heedful>" in shown
    assert "heedful outcome " in shown


def test_the_prompt_alone_is_text_in_the_template_that_was_asked_for() -> None:
    text = _run(QUESTION, "--prompt", "--template", "xml").stdout

    assert text.startswith("<heedful>\n<about>")
    assert '<learning id="' in text
    assert _run("How do I bake bread?", "--prompt").stdout == ""


def test_the_outcome_of_a_prompt_can_be_reported_by_a_part_of_its_id() -> None:
    told = _run(QUESTION, "--prompt")
    assert "heedful outcome" not in told.stdout  # it goes to the model
    ((id, flag),) = re.findall(r"heedful outcome (\S+) (--success)", told.stderr)

    for part in (id, id[-12:], id[:-4]):
        assert _outcome(part, flag).exit_code == 0
    assert CliRunner().invoke(main, ["why", id[-12:]]).exit_code == 0
    unknown = _outcome("0" * 12, flag)
    assert (unknown.exit_code, "heedful events --kind CONTEXT_GIVEN" in unknown.stderr) == (4, True)


@pytest.mark.parametrize("both", [("--success", "--failure"), ("--rejected", "--accepted")])
def test_an_outcome_that_is_both_is_refused(both: tuple[str, str]) -> None:
    id = _json(QUESTION)["id"]
    refused = _outcome(id, *both)
    assert (refused.exit_code, "exclude each other" in refused.stderr) == (2, True)
    for one in both:
        assert json.loads(_outcome(id, one, "--json").stdout)["value"] == float(one in ("--success", "--accepted"))


def _outcome(*words: str) -> Result:
    return CliRunner().invoke(main, ["outcome", *words])


def test_an_error_names_what_was_typed_and_the_command_that_helps() -> None:
    assert "user is empty" in _run(QUESTION, "--user", "").stderr
    assert "heedful documents list" in _run(QUESTION, "--document", "nope").stderr


def test_an_agent_is_enough_and_json_has_everything() -> None:
    made = _json("--agent", "coder", "--unit", "s1")
    assert [piece["kind"] for piece in made["pieces"]] == ["rule"]
    assert made["pieces"][0]["constraint"] is True
    assert made.keys() >= {"id", "withheld", "notes", "messages", "hint_examples"}
    tight = _run("--agent", "coder", "--budget", "50").stdout
    assert "more than the budget of 50" in tight


@pytest.mark.parametrize("words", [(), ("--unit", "s1"), ("--rule", "x", "--template", "xml")])
def test_without_a_task_nothing_can_be_composed(words: tuple[str, ...]) -> None:
    result = _run(*words)
    assert result.exit_code != 0
    assert "task" in result.output
