"""A person who installs the hook in the settings of a coding agent, and removes it again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from heedful.edges.cli import main

FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
}
PROMPT = {"claude-code": "UserPromptSubmit", "codex": "UserPromptSubmit", "gemini": "BeforeAgent"}
MINE = {"type": "command", "command": "./notify.sh"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path / "home"


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["hook", *words])


def _json(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text()))


@pytest.mark.parametrize("tool", FILES)
def test_the_hook_is_installed_once_and_removed_without_a_trace(home: Path, tool: str) -> None:
    for option, place in (("--project", Path()), ("--user", home)):
        file = place / FILES[tool]
        answer = json.loads(run("--install", tool, option, "--json").stdout)
        assert (answer["tool"], answer["file"], answer["changed"]) == (tool, str(file), True)
        first = file.read_bytes()
        assert "nothing changed" in run("--install", tool, option).stdout
        assert file.read_bytes() == first
        assert _json(file) == json.loads(run("--install", tool, "--print").stdout)

        assert "removed" in run("--uninstall", tool, option).stdout
        assert _json(file) == ({"version": 1} if tool == "cursor" else {})
        assert "nothing changed" in run("--uninstall", tool, option).stdout


@pytest.mark.parametrize("tool", PROMPT)
def test_other_hooks_and_settings_stay(home: Path, tool: str) -> None:
    file, event = Path(FILES[tool]), PROMPT[tool]
    others = {"model": "ö", "hooks": {"Stop": [{"hooks": [MINE]}], event: [{"matcher": "*", "hooks": [MINE]}]}}
    file.parent.mkdir()
    file.write_text(json.dumps(others))
    file.chmod(0o600)

    for options in ((), ("--actor", "dana")):
        assert run("--install", tool, *options).exit_code == 0
        after = _json(file)
        kept, own = after["hooks"][event]
        assert (after["model"], after["hooks"]["Stop"][0], kept) == ("ö", {"hooks": [MINE]}, others["hooks"][event][0])  # type: ignore[index]
        assert [one["command"] for one in own["hooks"]] == [" ".join(("heedful hook", *options))]
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert run("--uninstall", tool).exit_code == 0
    assert _json(file) == others


def test_cursor_has_hooks_without_groups(home: Path) -> None:
    file = Path(FILES["cursor"])
    file.parent.mkdir()
    file.write_text(json.dumps({"version": 1, "hooks": {"stop": [{"command": "./mine.sh"}]}}))
    assert run("--install", "cursor").exit_code == 0

    after = _json(file)
    assert after["hooks"]["stop"] == [{"command": "./mine.sh"}, {"command": "heedful hook", "timeout": 10}]
    assert set(after["hooks"]) == {
        "sessionStart",
        "beforeSubmitPrompt",
        "postToolUse",
        "afterAgentResponse",
        "stop",
        "sessionEnd",
    }
    assert run("--uninstall", "cursor").exit_code == 0
    assert _json(file) == {"version": 1, "hooks": {"stop": [{"command": "./mine.sh"}]}}


def test_the_settings_are_printed_with_the_same_place(home: Path) -> None:
    printed = json.loads(CliRunner().invoke(main, ["--org", "acme", "hook", "--install", "--print"]).stdout)
    (group,) = printed["hooks"]["UserPromptSubmit"]
    assert group == {"hooks": [{"type": "command", "command": "heedful hook --org acme", "timeout": 10}]}

    elsewhere = run("--install", "gemini", "--print", "--database", "my notes.db").stdout
    assert f"--database '{Path('my notes.db').absolute()}'" in elsewhere
    assert '"timeout": 10000' in elsewhere  # milliseconds


def test_installing_makes_the_database_that_a_hook_does_not_make(home: Path, tmp_path: Path) -> None:
    database = tmp_path / "new" / "own.db"
    assert "It learns into" not in run("--install", "codex", "--print", "--database", str(database)).stdout
    assert not database.exists()

    said = run("--install", "codex", "--database", str(database)).stdout
    assert (f"It learns into {database}, which is new." in said, database.exists()) == (True, True)
    again = json.loads(run("--install", "codex", "--database", str(database), "--json").stdout)
    assert (again["changed"], again["created"]) == (False, None)


def test_codex_is_asked_for_no_more_time_at_the_end_of_a_session_than_it_gives(home: Path) -> None:
    hooks = json.loads(run("--install", "codex", "--print").stdout)["hooks"]
    assert {event: groups[0]["hooks"][0]["timeout"] for event, groups in hooks.items()} == {
        "SessionStart": 10,
        "UserPromptSubmit": 10,
        "PreToolUse": 10,
        "Stop": 10,
        "SessionEnd": 3,
    }


def test_without_a_tool_the_choices_are_named(home: Path) -> None:
    refused = run("--install")
    assert (refused.exit_code, "claude-code, codex, cursor, gemini" in refused.stderr) == (2, True)

    (home / ".codex").mkdir(parents=True)
    refused = run("--install")
    assert "on this machine: codex" in refused.stderr
    assert "heedful hook --install codex" in refused.stderr
    assert "heedful hook --uninstall codex" in run("--uninstall").stderr
    assert run("--install", "--write", "here.json").exit_code == 0
    assert "UserPromptSubmit" in Path("here.json").read_text()


@pytest.mark.parametrize(
    "words",
    [
        ("--install", "codex", "--uninstall"),
        ("--uninstall", "codex", "--write", "x.json"),
        ("--uninstall", "codex", "--print"),
        ("--install", "codex", "--audience", "me"),
    ],
)
def test_options_that_make_no_sense_are_refused(home: Path, words: tuple[str, ...]) -> None:
    assert run(*words).exit_code == 2


@pytest.mark.parametrize(
    "content",
    ["{broken", "[]", '{"hooks": []}', '{"hooks": {"UserPromptSubmit": {}}}', '{"hooks": {"UserPromptSubmit": [7]}}',
     '{"hooks": {"UserPromptSubmit": [{"hooks": 7}]}}', "// a comment\n{}"],
)  # fmt: skip
def test_settings_that_are_none_are_left_as_they_are(home: Path, content: str) -> None:
    file = Path(FILES["claude-code"])
    file.parent.mkdir()
    file.write_text(content)

    for way in ("--install", "--uninstall"):
        refused = run(way, "claude-code")
        assert (refused.exit_code, file.read_text()) == (2, content)
    assert [path.name for path in file.parent.iterdir()] == ["settings.json"]


def test_a_program_that_the_path_does_not_lead_to_is_named_in_full(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, programs = Path(FILES["codex"]), [tmp_path / name / "heedful" for name in ("my tools", "other")]
    for program in programs:
        program.parent.mkdir()
        program.touch(mode=0o700)
    monkeypatch.setattr("sys.argv", [str(programs[0])])
    for path, named in ((0, "heedful"), (1, f"'{programs[0]}'"), (None, f"'{programs[0]}'")):
        monkeypatch.setenv("PATH", "" if path is None else str(programs[path].parent))
        assert run("--install", "codex", "--actor", "dana").exit_code == 0
        (group,) = _json(file)["hooks"]["Stop"]
        assert [one["command"] for one in group["hooks"]] == [f"{named} hook --actor dana"]
    assert run("--uninstall", "codex").exit_code == 0
    assert _json(file) == {}

    module = tmp_path / "lib" / "heedful" / "__main__.py"
    monkeypatch.setattr("sys.argv", [str(module)])
    assert f'"{sys.executable} -m heedful hook"' in run("--install", "codex", "--print").stdout
    assert run("--install", "codex").exit_code == 0
    assert run("--uninstall", "codex").exit_code == 0
    assert _json(file) == {}


def test_a_link_to_settings_stays_a_link(home: Path) -> None:
    real, link = Path("real.json"), Path("settings.json")
    real.write_text("{}")
    link.symlink_to(real)

    assert run("--install", "claude-code", "--write", str(link)).exit_code == 0

    assert link.is_symlink()
    assert "heedful hook" in real.read_text()
