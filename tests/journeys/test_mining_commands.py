"""A person at a terminal who has their conversations with AI tools read and mined."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result

from heedful.edges.cli import main
from heedful.learn.conversations.miner import Miner
from heedful.text.redaction import Sanitiser

Run = Callable[..., Result]

TOKEN = "ghp_" + "k3Vn8Qw2Zt6Yb1Xs9Rd4Hf7Gj5Lp0Mc3Ae2B"
TALK = (
    ("user", "add date-fns to the web package of the shop"),
    ("assistant", "I installed date-fns with npm and updated the lock file of the web package."),
    ("user", "We use pnpm in this repo, never npm. npm breaks the lockfile."),
    ("assistant", "Removed the lock file of npm and installed date-fns with pnpm."),
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("HEEDFUL_DATABASE", str(tmp_path / "here.db"))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "KIMI_SHARE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    return lambda *words, typed=None: CliRunner().invoke(main, [str(word) for word in words], input=typed)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / ".claude" / "projects" / "shop"
    made.mkdir(parents=True)
    return made


def session(folder: Path, name: str, *said: tuple[str, Any], year: int = 2026) -> Path:
    """A file as Claude Code writes it."""
    file = folder / f"{name}.jsonl"
    file.write_text("".join(lines(name, *said, year=year)), encoding="utf-8")
    return file


def lines(name: str, *said: tuple[str, Any], first: int = 0, year: int = 2026) -> Iterator[str]:
    for number, (role, content) in enumerate(said, first):
        told = {
            "parentUuid": None,
            "isSidechain": False,
            "sessionId": name,
            "type": role,
            "message": {"role": role, "content": content},
            "uuid": f"{name}-{number}",
            "timestamp": f"{year}-01-05T09:00:{number:02}Z",
        }
        yield json.dumps(told) + "\n"


def mined(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    assert not result.stderr
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def test_what_was_learned_is_shown_with_where_to_go_next(run: Run, folder: Path) -> None:
    session(folder, "one", *TALK)
    result = run("mine", "--yes")
    assert result.exit_code == 0
    assert "1 conversation, 4 messages new in 1 file" in result.stdout
    assert "We use pnpm in this repo, never npm" in result.stdout
    assert "heedful learnings" in result.stdout


def test_whatever_was_read_is_not_read_again_and_what_is_new_is(run: Run, folder: Path) -> None:
    file = session(folder, "one", *TALK[:2])
    assert mined(run("mine", folder, "--json"))["learned"] == []
    again = mined(run("mine", folder, "--json"))
    assert (again["messages"], again["unchanged"], again["mined"]) == (0, 1, 0)
    with file.open("a", encoding="utf-8") as open_file:
        open_file.writelines(lines("one", *TALK[2:], first=2))
    grown = mined(run("mine", folder, "--json"))
    assert (grown["messages"], grown["mined"]) == (2, 1)
    assert [one["title"] for one in grown["learned"]] == ["We use pnpm in this repo, never npm"]


def test_a_file_that_was_cut_replaced_renamed_or_deleted_loses_and_doubles_nothing(run: Run, folder: Path) -> None:
    file = session(folder, "one", *TALK)
    whole = file.read_bytes()
    mined(run("mine", folder, "--json"))
    for change in (
        lambda: file.write_bytes(whole[:300]),
        lambda: file.write_bytes(whole),
        lambda: file.rename(folder / "renamed.jsonl"),
        (folder / "renamed.jsonl").unlink,
    ):
        change()
        answer = mined(run("mine", folder, "--json"))
        assert (answer["messages"], answer["mined"], answer["learned"]) == (0, 0, [])
    assert "We use pnpm in this repo, never npm" in run("learnings", "list").stdout


def test_damaged_and_foreign_files_are_told_and_the_rest_is_read(run: Run, folder: Path) -> None:
    file = session(folder, "one", *TALK)
    file.write_text('{"broken": \n{"type": "no such kind"}\n' + file.read_text())
    (folder / "half.jsonl").write_bytes("".join(lines("two", TALK[0])).encode()[:-9] + b"\xc3")
    (folder / "bytes.jsonl").write_bytes(bytes(range(256)) * 40)
    (folder / "empty.jsonl").touch()
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    result = run("mine", folder, "--json")
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["messages"]) == (1, 4)
    assert [Path(one["path"]).name for one in answer["unreadable"]] == ["bytes.jsonl"]
    assert answer["damaged"] == [{"path": str(file), "why": {"not JSON": 1, "unknown kind of record": 1}}]
    assert len(answer["learned"]) == 1


def test_a_damaged_record_is_told_with_the_name_of_its_file(run: Run, folder: Path) -> None:
    file = session(folder, "one", *TALK)
    file.write_text('{"broken": \n' + file.read_text())
    result = run("mine", folder)
    assert result.exit_code == 1
    told = result.output
    assert "1 record could not be read" in told
    assert f"{file}  not JSON 1" in " ".join(told.split()).replace("one.jsonl ", "one.jsonl  ")


@pytest.mark.parametrize("empty", ["nowhere", "a/file.jsonl"])
def test_a_place_that_is_not_there_is_refused(run: Run, empty: str) -> None:
    result = run("mine", empty)
    assert result.exit_code == 2
    assert f"no file or folder {empty}" in " ".join(result.stderr.split())


def test_an_empty_folder_is_told_and_no_error(run: Run, folder: Path) -> None:
    result = run("mine", folder)
    assert result.exit_code == 0
    assert "No conversations were recognised" in result.output


def test_files_that_could_not_be_opened_are_named_even_if_nothing_else_is_there(run: Run, folder: Path) -> None:
    (folder / "rollout-old.jsonl.zst").write_bytes(b"(\xb5/\xfd")
    result = run("mine", folder)
    assert result.exit_code == 1
    told = result.output
    assert "No conversations were recognised" in told
    assert "compressed; unpack it with zstd" in "".join(told.split("\n"))


def test_a_file_that_fails_is_set_aside_and_told_and_those_beside_it_are_read(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(folder, "a-good", *TALK)
    session(folder, "b-spaces", ("user", "hello" + " " * 200))
    session(folder, "c-bad", ("user", "something nobody thought of"))
    session(folder, "d-good", ("user", "hello"))
    clean = Sanitiser.clean

    def failing(self: Sanitiser, text: str) -> str:
        if "nobody thought of" in text:
            raise RecursionError
        return clean(self, text)

    monkeypatch.setattr(Sanitiser, "clean", failing)
    result = run("mine", folder, "--json")
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["messages"], len(answer["learned"])) == (1, 6, 1)
    assert answer["unreadable"] == [{"path": str(folder / "c-bad.jsonl"), "why": "it cannot be read (RecursionError)"}]
    told = run("mine", folder)
    assert told.exit_code == 1
    assert "1 file could not be read" in told.output
    assert "c-bad.jsonl" in told.output.replace("\n", "")
    monkeypatch.setattr(Sanitiser, "clean", clean)
    assert mined(run("mine", folder, "--json"))["messages"] == 1


def test_files_of_noise_are_named_and_json_of_other_programs_is_passed_over(run: Run, folder: Path) -> None:
    session(folder, "good", *TALK)
    noise = b"\xff\xfe\x00\x80" * 500
    for name in ("noise.jsonl", "noise.json"):
        (folder / name).write_bytes(noise)
    (folder / "tsconfig.json").write_text('{"strict": true} // with a comment')
    (folder / "package.json").write_text('{"name": "shop"}')
    (folder / "numbers.jsonl").write_text('{"n": 1}\n{"n": 2}\n')

    result = run("mine", folder, "--json")
    answer = json.loads(result.stdout)
    assert (result.exit_code, len(answer["learned"])) == (1, 1)
    assert [Path(one["path"]).name for one in answer["unreadable"]] == ["noise.json", "noise.jsonl"]


def test_a_conversation_that_cannot_be_mined_is_told_with_why(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(folder, "one", *TALK)
    monkeypatch.setattr(Miner, "mine", _fail)
    result = run("mine", folder, "--json")
    answer = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [one["conversation"] for one in answer["failed"]] == ["one"]
    assert "nobody thought of this" in answer["failed"][0]["why"]
    session(folder, "two", *TALK)
    told = run("mine", folder)
    assert told.exit_code == 1
    assert "1 conversation could not be mined" in told.output
    assert "two" in told.output


def _fail(*_: object) -> None:
    raise ValueError("nobody thought of this")


def test_without_a_place_the_usual_ones_are_named(run: Run) -> None:
    result = run("mine")
    assert result.exit_code == 2
    assert "~/.claude/projects" in result.stderr


def test_without_a_place_and_a_person_the_usual_ones_are_shown_and_not_read(run: Run, folder: Path) -> None:
    session(folder, "one", *TALK)
    result = run("mine")
    assert result.exit_code == 2
    assert "Claude Code" in result.stdout
    assert "~/.claude/projects" in result.stdout
    assert "heedful mine --yes" in result.stderr
    document = json.loads(run("mine", "--json").stdout)
    assert [(one["tool"], one["files"]) for one in document["places"]] == [("Claude Code", 1)]
    assert mined(run("mine", "--yes", "--json"))["messages"] == 4


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Somebody at the terminal, and the ids that they look through."""
    looked: list[list[str]] = []
    module = ModuleType("heedful.edges.cli.learnings_review")
    module.review = lambda _terminal, _loop, ids, _proposals: looked.append(ids)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for name in ("mine", "mine_places"):
        monkeypatch.setattr(f"heedful.edges.cli.{name}.is_interactive", lambda _: True)
    return looked


def test_a_person_is_asked_before_reading_and_offered_the_review_after(
    run: Run, folder: Path, person: list[list[str]]
) -> None:
    session(folder, "one", *TALK)
    declined = run("mine", typed="n\n")
    assert (declined.exit_code, person) == (0, [])
    assert "Nothing was read" in declined.stdout
    agreed = run("mine", typed="\n\n")
    assert agreed.exit_code == 0
    assert "1 learning to look through. Do it now? [Y/n]" in agreed.stdout
    assert [len(ids) for ids in person] == [1]
    assert "Look through" not in run("mine", folder).stdout  # nothing is new, and a path is not asked for


def test_a_folder_ends_with_what_was_read_and_what_was_not(run: Run, folder: Path) -> None:
    session(folder, "one", *TALK)
    (folder / ".aider.chat.history.md").write_text(
        "# aider chat started at 2026-01-05 09:00:00\n\n#### Hello  \n\nHi.\n"
    )
    (folder / "numbers.jsonl").write_text('{"n": 1}\n')
    (folder / "package.json").write_text("{}")
    (folder / "orders.csv").write_text("id,total\n1,9.90\n")
    (folder / "empty.jsonl").touch()
    (folder / "noise.jsonl").write_bytes(b"\xff\xfe\x00\x80" * 500)
    result = run("mine", folder)
    told = " ".join(result.stdout.split()).rpartition("Read ")[2]
    assert told == (
        "2 conversations of 2 files (aider 1, Claude Code 1);"
        " skipped 5 files: 2 not a transcript, 1 empty, 1 of a type that holds no conversations,"
        " 1 unreadable (named above)."
    )
    assert "noise.jsonl" in result.stdout
    answer = json.loads(run("mine", folder, "--json").stdout)
    assert answer["read"] == {"conversations": 0, "files": 0, "tools": {}}
    other = "of a type that holds no conversations"
    assert answer["skipped"] == {"not a transcript": 2, "empty": 1, other: 1, "unreadable": 1}


def test_what_did_not_change_is_said_to_be_unchanged(run: Run, folder: Path) -> None:
    session(folder, "one", *TALK)
    file = session(folder, "two", *TALK[:2])
    run("mine", folder)
    told = " ".join(run("mine", folder).stdout.split())
    assert told.endswith("Read nothing: 2 files, unchanged since the last time.")
    with file.open("a", encoding="utf-8") as open_file:
        open_file.writelines(lines("two", *TALK[2:], first=2))
    told = " ".join(run("mine", folder).stdout.split())
    assert told.endswith("Read 1 conversation of 1 file (Claude Code 1); 1 file unchanged since the last time.")


def test_nothing_learned_is_said_to_be_fine(run: Run, folder: Path) -> None:
    session(folder, "one", ("user", "hello"), ("assistant", "Hello!"))
    assert "That is a fine result" in run("mine", folder).stdout


def test_what_was_known_before_is_said_to_be_confirmed(run: Run, folder: Path) -> None:
    session(folder, "one", *TALK)
    run("mine", folder)
    session(folder, "two", *TALK)
    told = run("mine", folder).stdout

    assert "1 known learning confirmed" in told
    assert "fine result" not in told


def _asked_for(rule: str) -> tuple[tuple[str, str], ...]:
    done = "I added the endpoint to the API and a test for the function behind it, and committed both of them."
    return ("user", "Add an endpoint to the API."), ("assistant", done), ("user", rule), ("assistant", "Understood.")


def test_what_is_taken_back_is_shown_with_how_to_use_it_again(run: Run, folder: Path) -> None:
    session(folder, "one", *_asked_for("From now on always deploy with make ship."))
    run("mine", folder)
    session(folder, "two", *_asked_for("drop the rule about make ship, it doesn't hold any more"))
    told = run("mine", folder).stdout
    assert "1 take back what was said before" in told
    assert "1 learning taken back or replaced. Nothing uses it now:" in told
    assert "Always deploy with make ship" in told
    assert "heedful learnings restore" in told
    assert "That is a fine result" not in told

    why = run("conversations", "why", "two").stdout
    assert "a person took back what was said before" in why
    assert "too little was said" not in why


def test_what_contradicts_an_approved_rule_is_shown_and_offered_for_review(run: Run, folder: Path) -> None:
    session(folder, "one", *_asked_for("From now on always use port 8080 for the dev server."))
    (rule,) = json.loads(run("mine", folder, "--json").stdout)["learned"]
    run("learnings", "approve", rule["id"])
    later = 2 + datetime.now(UTC).year  # than the approval
    session(folder, "two", *_asked_for("From now on always use port 9090 for the dev server."), year=later)
    told = run("mine", folder).stdout
    assert "1 contradict, or take back, what people stand behind" in told
    assert "Always use port 9090 for the dev server" in told
    assert "Decide: heedful learnings review" in told
    assert "That is a fine result" not in told

    review = run("learnings", "review").stdout
    assert "Always use port 8080 for the dev server" in review
    assert "heedful proposals approve" in review
    assert "a proposal asks what holds" in run("conversations", "why", "two").stdout


def test_why_a_conversation_taught_nothing_is_said_as_it_is(run: Run, folder: Path) -> None:
    session(folder, "back", ("user", "Always squash commits."), ("assistant", "Ok."), ("user", "scratch that"))
    session(folder, "faint", *_asked_for("I'd log with structlog"))
    session(folder, "short", ("user", "hello"), ("assistant", "Hello!"))
    run("mine", folder)
    assert "a person took back what was said before" in run("conversations", "why", "back").stdout
    assert "1 too unsure" in run("conversations", "why", "faint").stdout
    assert "too little was said in it" in run("conversations", "why", "short").stdout


def test_an_empty_path_is_not_this_folder(run: Run, folder: Path) -> None:
    session(folder, "one", ("user", "Always squash commits."), ("assistant", "Ok."))
    refused = run("mine", "")
    assert refused.exit_code == 2
    assert "A path is empty" in refused.output


def test_no_secret_is_stored_wherever_it_stood(run: Run, folder: Path, tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t", "name": f"mcp__{TOKEN}", "input": {TOKEN: [f"curl -u me:{TOKEN}"]}}
    answer = {"type": "tool_result", "tool_use_id": "t", "content": f"denied: {TOKEN}", "is_error": True}
    said = [("user", f"use {TOKEN} here"), ("assistant", [call]), ("user", [answer]), *TALK]
    session(folder, "one", *said, ("user", "x " * 4_990 + TOKEN + " y" * 9_000))
    told = run("mine", "--json", folder).output + run("events", "--json").output + run("jobs", "--json").output
    stored = b"".join(file.read_bytes() for file in tmp_path.glob("here.db*"))
    assert TOKEN not in told
    assert TOKEN[4:20].encode() not in stored


def test_what_heedful_had_injected_is_not_learned_again(run: Run, folder: Path) -> None:
    injected = "<heedful>\n- Always use bun for scripts in this repo, never node.\n</heedful>\n"
    section = "<!-- heedful:begin -->\n- Never call the billing API from tests.\n<!-- heedful:end -->\n"
    session(folder, "one", ("user", injected + section + TALK[0][1]), *TALK[1:])
    titles = [one["title"] for one in mined(run("mine", folder, "--json"))["learned"]]
    assert titles == ["We use pnpm in this repo, never npm"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_watching_follows_and_may_be_stopped_at_any_time(
    run: Run, folder: Path, tmp_path: Path, number: signal.Signals
) -> None:
    session(folder, "one", *TALK)
    watching = subprocess.Popen(
        [sys.executable, "-m", "heedful", "mine", "--watch", "--json", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert watching.stdout is not None
    assert json.loads(watching.stdout.readline())["messages"] == 4
    session(folder, "two", *TALK)
    assert json.loads(watching.stdout.readline())["messages"] == 4
    watching.send_signal(number)
    _, told = watching.communicate(timeout=300)
    assert watching.returncode == (130 if number == signal.SIGINT else -number)
    assert told.strip() == ("stopped; run the same command to continue" if number == signal.SIGINT else "")
    assert mined(run("mine", folder, "--json"))["messages"] == 0
    with sqlite3.connect(tmp_path / "here.db") as database:
        rows = database.execute("SELECT kind, count(*) FROM feedback_event GROUP BY kind").fetchall()
    database.close()
    counts = dict(rows)
    assert (counts["MESSAGE_SAID"], counts["CONVERSATION_MINED"], counts["INSIGHT_EXTRACTED"]) == (8, 2, 2)
