"""A person at a terminal who looks after corrections: corrections, detect, improve."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from heedful.edges.cli import main, times

Run = Callable[..., Result]

OUTPUT = "parse() returns an error when the input is empty."
MESSAGE = "Actually it should return nil, not an error"
SHIP = ("--wrong", "make ship", "--right", "make release", "--about", "deployment", "--query", "how do I deploy?")


@pytest.fixture
def run(database: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("HEEDFUL_DATABASE", database)
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *words, **options: CliRunner().invoke(main, [str(word) for word in words], **options)


@pytest.fixture
def corrected(run: Run) -> Run:
    """Somebody has corrected two things."""
    _done(run("corrections", "add", *SHIP, "--why", "renamed in March", "--actor", "dana", "--id", "ship-0001"))
    _done(run("corrections", "add", "--wrong", "returns an error", "--right", "returns nil", "--category", "code"))
    return run


def _done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def _json(result: Result) -> Any:
    return json.loads(_done(result))


def _lines(result: Result) -> list[Any]:
    return [json.loads(line) for line in _done(result).splitlines()]


def test_before_anything_was_corrected_one_is_told_how_to_begin(run: Run) -> None:
    run("init")

    assert "heedful corrections add --wrong" in _done(run("corrections", "list"))
    assert "No corrections match" in _done(run("corrections", "list", "--category", "code"))
    assert "Nothing found" in _done(run("corrections", "search", "anything"))
    assert _done(run("corrections", "list", "--json")) == ""


def test_corrections_are_listed_the_newest_first(corrected: Run) -> None:
    shown = _done(corrected("corrections", "list"))
    assert re.search(r"returns an error → returns nil\s+code · sure 0\.90 · just now", shown)
    assert shown.index("returns nil") < shown.index("make ship → make release")

    def found(*words: str) -> list[str]:
        return [one["right"] for one in _lines(corrected("corrections", "list", "--json", *words))]

    assert found() == ["returns nil", "make release"]
    assert found("--limit", "1") == ["returns nil"]
    assert found("--category", "code") == ["returns nil"]
    assert found("--about", "deployment") == ["make release"]
    assert found("--status", "superseded") == []
    assert _lines(corrected("corrections", "list", "--json"))[0]["confidence_now"] == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize("columns", [1, 20, 44, 60, 80])
def test_a_narrow_terminal_cuts_the_texts_first(corrected: Run, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    corrected("corrections", "add", "--wrong", "wrong " * 100, "--right", "right " * 100)

    for words in (("list",), ("search", "make ship"), ("show", "ship-0001")):
        shown = _done(corrected("corrections", *words))
        assert columns < 44 or all(len(line) <= columns for line in shown.splitlines() if "20" not in line)
        assert columns < 60 or "ship-0001" in shown


def test_one_correction_is_shown_in_full(corrected: Run) -> None:
    _done(corrected("corrections", "add", *SHIP, "--actor", "lee"))
    _done(corrected("corrections", "adjust", "ship-0001", "--by", "-0.2"))

    shown = _done(corrected("corrections", "show", "ship-0001"))
    for words in ("make ship", "renamed in March", "how do I deploy?", "deployment", "half-life", " now",
                  "reported", "confirmed", "confidence adjusted by -0.2"):  # fmt: skip
        assert words in shown

    told = _json(corrected("corrections", "show", "ship-0001", "--json"))
    assert [event["kind"] for event in told["evidence"]] == [
        "CORRECTION_REPORTED",
        "LEARNING_CONFIRMED",
        "LEARNING_ADJUSTED",
    ]
    assert told["confirmed"] == 1


def test_a_part_of_an_id_will_do_if_it_is_the_only_one(corrected: Run) -> None:
    newest = _lines(corrected("corrections", "list", "--json"))[0]["id"]

    assert newest[-12:] in _done(corrected("corrections", "list"))
    assert _json(corrected("corrections", "show", newest[-12:], "--json"))["id"] == newest
    assert _json(corrected("corrections", "show", "ship-0", "--json"))["id"] == "ship-0001"

    _done(corrected("corrections", "add", "--wrong", "colour", "--right", "color", "--id", "ship-0002"))
    ambiguous = corrected("corrections", "adjust", "ship-000", "--by", "0.1")
    assert ambiguous.exit_code == 2
    assert "ship-0001  make ship → make release" in ambiguous.output
    assert "ship-0002  colour → color" in ambiguous.output
    assert corrected("corrections", "show", "ship").exit_code == 4
    assert "6 characters" in corrected("corrections", "show", "ship").output
    assert corrected("corrections", "show", "not-here-at-all").exit_code == 4


def test_what_is_said_again_confirms_and_what_differs_supersedes(corrected: Run) -> None:
    again = _done(corrected("corrections", "add", *SHIP, "--actor", "dana"))
    assert "confirmed an existing correction: make ship → make release" in again
    assert "took over" not in again
    same = _done(
        corrected("corrections", "add", *SHIP, "--why", "renamed in March", "--actor", "dana", "--id", "ship-0001")
    )
    assert "recorded before" in same

    newer = ("--wrong", "make release", "--right", "make publish", "--about", "deployment")
    by_dana = ("--query", "how do I deploy?", "--actor", "dana")
    made = _json(corrected("corrections", "add", *newer, *by_dana, "--json"))
    assert (made["known"], made["supersedes"]) == (False, ["ship-0001"])
    old = _done(corrected("corrections", "show", "ship-0001"))
    assert f"superseded by {made['id']}" in old
    assert "ship-0001" in _done(corrected("corrections", "show", made["id"]))
    assert "superseded" in _done(corrected("corrections", "list"))


def test_what_is_new_in_what_is_said_again_is_taken_over(corrected: Run) -> None:
    new = ("--always", "--why", "it is faster", "--category", "style")
    more = _done(corrected("corrections", "add", *SHIP, *new, "--actor", "lee"))
    assert "took over: because “it is faster”, it always holds, category style" in more
    one = _json(corrected("corrections", "add", *SHIP, *new, "--actor", "lee", "--json"))
    assert (one["why"], one["always"], one["category"], one["version"]) == ("it is faster", True, "style", 2)


def test_what_another_person_says_is_put_up_for_a_decision(corrected: Run) -> None:
    newer = ("--wrong", "make ship", "--right", "make publish", "--about", "deployment", "--actor", "lee")
    told = _done(corrected("corrections", "add", *newer, "--id", "publish-0002"))
    assert "contradicts make ship → make release" in told
    assert "heedful proposals list" in told
    assert "contradicted" in _done(corrected("corrections", "list"))
    assert "contradicted by" in _done(corrected("corrections", "show", "ship-0001"))

    shown = _done(corrected("proposals", "list"))
    assert "People disagree." in shown
    (asked,) = _lines(corrected("proposals", "list", "--json"))
    assert asked["learnings"] == ["ship-0001", "publish-0002"]
    _done(corrected("proposals", "reject", asked["id"], "--why", "we publish nothing"))
    assert "superseded by ship-0001" in _done(corrected("corrections", "show", "publish-0002"))
    assert "contradicted" not in _done(corrected("corrections", "list"))


def test_what_waits_for_a_decision_questions_what_several_people_said(corrected: Run) -> None:
    _done(corrected("corrections", "add", *SHIP, "--actor", "lee"))
    other = ("--wrong", "make ship", "--right", "make publish", "--about", "deployment", "--actor", "kim")
    _done(corrected("corrections", "add", *other, "--id", "publish-0002"))

    assert "questioned" in _done(corrected("corrections", "list", "--status", "active"))
    assert re.search(r"questioned by\s+publish-0002", _done(corrected("corrections", "show", "ship-0001")))
    assert re.search(r"contradicted by\s+ship-0001", _done(corrected("corrections", "show", "publish-0002")))
    assert "questioned by publish-0002" in _done(corrected("learnings", "show", "ship-0001"))


@pytest.mark.parametrize(("answer", "status"), [("approve", "active"), ("reject", "retired")])
def test_what_is_old_is_asked_about_once(run: Run, answer: str, status: str) -> None:
    _done(run("corrections", "add", *SHIP, "--id", "ship-0001", "--at", "2020-01-05T09:00:00Z"))
    assert "is it still true: " in _done(run("learnings", "curate"))
    (asked,) = _lines(run("proposals", "list", "--json"))
    assert (asked["act"], asked["learnings"]) == ("renew", ["ship-0001"])
    _done(run("proposals", answer, asked["id"]))

    (one,) = _lines(run("corrections", "list", "--json"))
    assert one["status"] == status
    assert "No new proposals" in _done(run("learnings", "curate"))


def test_a_file_of_corrections_is_recorded_whole_or_not_at_all(run: Run, tmp_path: Path) -> None:
    good = [
        {"wrong": f"wrong {n}", "right": f"right {n}", "id": f"c-{n}", "at": "2026-01-05T09:00:00Z"} for n in range(5)
    ]
    file = tmp_path / "corrections.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in good))

    for _ in range(2):
        assert _json(run("corrections", "add", "--file", file, "--json")) == {"recorded": 5}
    assert "recorded 5 corrections" in _done(run("corrections", "add", "--file", "-", input=file.read_bytes()))
    assert len(_lines(run("corrections", "list", "--json"))) == 5

    file.write_text('{"wrong": "a", "right": "b"}\n{"wrong": ""}\n[]\n{"colour": 1, "right": "x"}\n{broken\n')
    refused = run("corrections", "add", "--file", file)
    assert refused.exit_code == 2
    assert "4 lines are invalid; nothing was recorded" in refused.output
    assert all(f"line {number}:" in refused.output for number in (2, 3, 4, 5))
    assert len(_lines(run("corrections", "list", "--json"))) == 5

    file.write_text('{"wrong": ""}\n')
    alone = run("corrections", "add", "--file", file).output
    assert "1 line is invalid; nothing was recorded" in alone
    assert "Fix this line" in alone


def test_corrections_are_put_right(corrected: Run) -> None:
    edited = _done(corrected("corrections", "edit", "ship-0001", "--right", "make publish", "--severity", "0.9"))
    assert "version 2: make ship → make publish" in edited
    assert _json(corrected("corrections", "show", "ship-0001", "--json"))["severity"] == 0.9

    assert _json(corrected("corrections", "adjust", "ship-0001", "--by", "-0.2", "--json"))["confidence"] == 0.7
    assert "No changes were given" in corrected("corrections", "edit", "ship-0001").output


def test_a_correction_is_moved_to_another_topic_and_audience(corrected: Run) -> None:
    def edited(*words: str) -> tuple[str | None, str]:
        one = _json(corrected("corrections", "edit", "ship-0001", *words, "--json"))
        return one["about"], one["audience"]

    assert edited("--about", "billing", "--audience", "me") == ("billing", "me")
    assert edited("--right", "make publish") == ("billing", "me")
    assert edited("--about", "", "--audience", "team") == (None, "team")


def test_whether_a_correction_holds_always_can_be_said_and_changed(run: Run) -> None:
    said = ("--sentence", "Deploy with make ship.", "--always", "--id", "ship-0002", "--json")
    made = _json(run("corrections", "add", *SHIP, *said))
    assert (made["always"], made["sentence"], made["fixed"]) == (
        True, "Deploy with make ship.", "Deploy with make release.",
    )  # fmt: skip

    assert not _json(run("corrections", "edit", "ship-0002", "--only-here", "--json"))["always"]
    edited = _json(run("corrections", "edit", "ship-0002", "--why", "renamed", "--json"))
    assert (edited["always"], edited["why"]) == (False, "renamed")
    assert _json(run("corrections", "edit", "ship-0002", "--always", "--json"))["always"]


def test_deleting_asks_or_wants_a_yes(corrected: Run) -> None:
    for words in ((), ("--json",)):
        refused = corrected("corrections", "delete", "ship-0001", *words)
        assert refused.exit_code == 2
        assert "--yes" in refused.output
    assert len(_lines(corrected("corrections", "list", "--json"))) == 2

    assert "deleted: make ship → make release" in _done(corrected("corrections", "delete", "ship-0001", "--yes"))
    assert corrected("corrections", "show", "ship-0001").exit_code == 4


def test_corrections_are_searched_with_what_makes_them_relevant(corrected: Run) -> None:
    shown = _done(corrected("corrections", "search", "how do I deploy?"))
    assert re.search(
        r"make ship → make release\s+relevance 0\.\d\d: similar 0\.\d\d × sure 0\.90 × recent 1\.00 × standing 1\.0",
        shown,
    )

    best = _lines(corrected("corrections", "search", "how do I deploy?", "--json", "--limit", "1"))[0]
    assert best["learning"]["id"] == "ship-0001"
    assert best["relevance"] == pytest.approx(
        best["similarity"] * best["learning"]["confidence"] * best["recency"] * best["standing"]
    )
    elsewhere = _lines(corrected("corrections", "search", "deploy", "--about", "elsewhere", "--json"))
    assert all(one["correction"]["about"] is None for one in elsewhere)


def test_a_correction_is_detected_and_the_exit_code_tells(run: Run, tmp_path: Path) -> None:
    run("init")
    file = tmp_path / "output.txt"
    file.write_text(OUTPUT)

    assert "a correction" in _done(run("detect", MESSAGE, "--after", OUTPUT))
    assert _json(run("detect", MESSAGE, "--after-file", file, "--json"))["is_correction"] is True
    thanks = run("detect", "thanks, that is all for today", "--after-file", "-", "--json", input=OUTPUT)
    assert (thanks.exit_code, json.loads(thanks.stdout)["is_correction"]) == (1, False)
    assert "not a correction" in run("detect", "thank you", "--after", OUTPUT).stdout
    assert _done(run("events", "--json", "--all")) == ""


def test_detecting_needs_no_database_and_makes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEEDFUL_DATABASE", str(tmp_path / "none.db"))
    found = CliRunner().invoke(main, ["detect", MESSAGE, "--after", OUTPUT, "--json"])

    assert _json(found)["is_correction"] is True
    assert CliRunner().invoke(main, ["detect", "thank you", "--after", OUTPUT]).exit_code == 1
    assert list(tmp_path.iterdir()) == []


def test_an_output_is_improved_on_stdout_and_the_changes_told_on_stderr(corrected: Run) -> None:
    better = corrected("improve", "parse returns an error on bad input", "--query", "what does parse return?")
    assert _done(better) == "parse returns nil on bad input\n"
    assert re.search(r"1 change\n  .*error → .*nil", better.stderr)

    piped = corrected(
        "improve", "-", "--query", "what does parse return?", input="parse returns an error on bad input\n"
    )
    assert _done(piped) == "parse returns nil on bad input\n"
    assert _done(corrected("improve", input="The sky is blue.")) == "The sky is blue.\n"

    told = _json(
        corrected("improve", "parse returns an error on bad input", "--query", "what does parse return?", "--json")
    )
    assert told["modified"] is True
    assert told["changes"][0]["after"] in "returns nil"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["corrections", "add"], 2, "--wrong or --right is required"),
        (["corrections", "add", "--wrong", " "], 2, "says nothing"),
        (["corrections", "add", "--wrong", "a b", "--right", " a  b "], 2, "pass right alone"),
        (["corrections", "add", "--wrong", "a", "--file", "x"], 2, "cannot be combined"),
        (["corrections", "add", "--file", "/no/such/file"], 2, "cannot be read"),
        (["corrections", "add", "--right", "x" * 5_000], 2, "2,000 are allowed"),
        (["corrections", "add", "--right", "x", "--category", "odd"], 2, "odd"),
        (["corrections", "add", "--right", "x", "--severity", "7"], 2, "7"),
        (["corrections", "adjust", "ship-0001", "--by", "-7"], 2, "-7"),
        (["corrections", "adjust", "ship-0001", "--by", "nan"], 2, "nan"),
        (["corrections", "edit", "ship-0001", "--wrong", "", "--right", ""], 2, "cannot be empty"),
        (["corrections", "edit", "ship-0001", "--right", "make  ship"], 2, "leave what was wrong empty"),
        (["corrections", "edit", "ship-0001", "--audience", "us"], 2, "us"),
        (["corrections", "list", "--limit", "0"], 2, "0"),
        (["corrections", "search", "x", "--limit", "5000"], 2, "5000"),
        (["corrections", "search", "\udcff"], 2, "invalid Unicode"),
        (["corrections", "show", "\x00" * 8], 2, "id"),
        (["detect", "no"], 2, "--after-file"),
        (["detect", "no", "--after", "a", "--after-file", "b"], 2, "--after-file"),
        (["detect", "no", "--after-file", "/no/such/file"], 2, "cannot be read"),
    ],
)
def test_wrong_input_gets_a_reason_and_an_exit_code(corrected: Run, words: list[str], code: int, says: str) -> None:
    result = corrected(*words)

    assert result.exit_code == code, result.output
    assert says in re.sub(r"\s+", " ", result.output)
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_a_text_that_cannot_be_read_is_refused(corrected: Run) -> None:
    assert "not UTF-8" in corrected("improve", input=b"\xff\xfe\x00").output
    assert "longer than" in corrected("improve", input=b"x" * 4_000_001).output
    assert corrected("improve", input=b"x" * 1_000_001).exit_code == 2


def test_what_people_wrote_does_not_steer_the_terminal(run: Run) -> None:
    _done(
        run("corrections", "add", "--wrong", "a\x1b[2J", "--right", "[red]b\u202e", "--why", "\x07", "--id", "steering")
    )

    for words in (("list",), ("show", "steering"), ("search", "red")):
        shown = _done(run("corrections", *words))
        assert "[red]b" in shown
        assert not {"\x1b", "\u202e", "\x07"} & set(shown)


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(0), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=5, minutes=59), "5 hours ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=14), "14 days ago"),
        (timedelta(days=15), "2 weeks ago"),
        (timedelta(days=59), "1 month ago"),
        (timedelta(days=800), "2 years ago"),
        (timedelta(days=-3), "just now"),
    ],
)
def test_age_is_told_in_words(passed: timedelta, words: str) -> None:
    now = datetime(2026, 1, 5, tzinfo=UTC)
    assert times.age(now - passed, now) == words
