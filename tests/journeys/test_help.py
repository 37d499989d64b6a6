"""Whoever asks the command line for help: every line fits, nothing is cut, and what was meant is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from heedful.edges.cli import main
from heedful.edges.cli.commands import LINE, first_line

DOCS = [*(Path(__file__).parents[2] / "docs").glob("*.md"), Path(__file__).parents[2] / "README.md"]


def _walk(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    yield path, group
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _walk(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(_walk(main))


def _help(words: tuple[str, ...]) -> str:
    answer = CliRunner().invoke(main, [*words, "--help"], prog_name="heedful")
    assert answer.exit_code == 0
    return answer.output


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_fits_a_terminal_uncut(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = _help(words)
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    cut = re.sub(r"(\[ARGS\]|\[PATH\]|ID)\.\.\.", "", shown)
    assert "…" not in cut
    assert "..." not in cut
    assert 0 < len(first_line(COMMANDS[words])) <= LINE


@pytest.mark.parametrize(
    "words", [words for words, one in COMMANDS.items() if not isinstance(one, click.Group)], ids=" ".join
)
def test_every_command_has_an_example_answers_programs_and_is_in_the_docs(words: tuple[str, ...]) -> None:
    shown, name = _help(words), " ".join(words)
    assert f"Example:\n    heedful {name}" in shown or "heedful" in shown.partition("Example:\n")[2]
    assert "--json" in shown
    assert any(re.search(rf"^heedful {name}\b|\bheedful {name}\b", page.read_text(), re.M) for page in DOCS), name


def test_one_line_of_help_is_one_line_for_every_command_of_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words, command in COMMANDS.items():
        if isinstance(command, click.Group):
            shown = _help(words)
            for name in command.list_commands(click.Context(command)):
                inner = command.get_command(click.Context(command), name)
                assert inner is not None
                assert re.search(rf"^  {name} +{re.escape(first_line(inner))}$", shown, re.M), (words, name)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["evnts"], "`heedful events`"),
        (["learning"], "`heedful learnings`"),
        (["learnings", "serch"], "`heedful learnings search`"),
        (["search"], "`heedful corrections search` or `heedful learnings search`"),
        (["events", "--sinec", "7d"], "--since"),
        (["corrections", "list", "--categroy", "code"], "--category"),
    ],
)
def test_what_was_probably_meant_is_told(words: list[str], meant: str) -> None:
    answer = CliRunner().invoke(main, words, prog_name="heedful")
    assert answer.exit_code == 2
    assert meant in answer.output
    assert "did you mean" in answer.output.lower()


def test_what_resembles_nothing_leads_to_the_help() -> None:
    answer = CliRunner().invoke(main, ["xyzzy"], prog_name="heedful")
    assert (answer.exit_code, "heedful --help" in answer.output) == (2, True)


@pytest.mark.parametrize("width", [60, 80])
def test_at_a_terminal_no_word_is_broken_in_two(width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"COLUMNS": str(width), "TTY_COMPATIBLE": "1", "TERM": "xterm", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HEEDFUL_DATABASE", str(tmp_path / "heedful.db"))

    def run(*words: str) -> str:
        answer = CliRunner().invoke(main, words)
        assert answer.exit_code == 0, answer.output
        return re.sub(r"\x1b\[[0-9;]*m", "", answer.stdout)

    right = "deploy on Monday mornings, when everybody who could possibly help is at work and awake"
    run("corrections", "add", "--wrong", "deploy on Friday afternoons", "--right", right, "--about", "deployment")
    for number in range(3):
        run("record", "MAPPING_CONFIRMED", "--actor", "dana", "--entity", f"sku_mapping:ABC-{number}", "--after", "{}")
    for words in (
        ["events"], ["privacy"], ["corrections", "list"], ["corrections", "search", "deploy"], ["jobs"], ["stats"],
        ["context", "when do we deploy?"], ["doctor", "--quick"], ["orgs"],
    ):  # fmt: skip
        shown = run(*words)
        texts = [line for line in shown.splitlines() if not line.startswith("heedful ")]  # commands to copy stay whole
        assert [line for line in texts if len(line.rstrip()) > width and " " in line.strip()] == [], words
        known = {*right.replace(",", "").split(), "MAPPING_CONFIRMED", "participate_in_team_learning", "pseudonyms"}
        broken = {
            word
            for word in re.findall(r"[\w-]{4,}", shown)
            for whole in known
            if word != whole and whole.startswith(word)
        }
        assert broken <= {"when", "work", "help"}, (words, broken)
