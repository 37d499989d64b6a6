"""A person at a terminal who learns from a style checker: fix, context, stats, export, import, clear, privacy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from heedful.edges.cli import main

Run = Callable[..., Result]


@pytest.fixture
def run(database: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("HEEDFUL_DATABASE", database)
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *words, **options: CliRunner().invoke(main, [str(word) for word in words], **options)


@pytest.fixture
def decided(run: Run, tmp_path: Path) -> Run:
    """A team of three has judged two rules."""
    lines = [
        {
            "rule": rule,
            "rule_name": name,
            "category": "style",
            "decision": decision,
            "original": f"They {words} {end}",
            "suggested": f"They {better} {end}",
            "confidence": 0.8,
            "actor": actor,
            "comment": "changes the meaning" if decision == "rejected" else None,
            "at": "2026-01-05T09:00:00Z",
        }
        for end in ("today", "at once", "in the end", "for us")
        for actor in ("dana", "lee", "kim")
        for rule, name, words, better, decision in (
            ("plain", "Plain words", "utilise it", "use it", "accepted"),
            ("active", "Active voice", "was seen", "saw", "rejected"),
        )
    ]
    file = tmp_path / "decisions.ndjson"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    _done(run("fix", "--file", file))
    _done(run("privacy", "--max-age", "all"))
    return run


def _done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def _json(result: Result) -> Any:
    return json.loads(_done(result))


def test_one_decision_is_recorded_and_told_back(run: Run) -> None:
    words = ("fix", "--rule", "plain", "--decision", "modified", "--original", "was done", "--suggested", "did",
             "--final", "we did", "--confidence", "0.82", "--actor", "dana", "--comment", "keep the subject",
             "--category", "style", "--bulk", "--id", "f-1", "--at", "2026-01-05T09:00:00Z")  # fmt: skip
    assert "plain: modified (number 1)" in _done(run(*words))
    event = _json(run(*words, "--json"))

    assert event["kind"] == "FIX_MODIFIED"
    assert event["after"] == {"final": "we did"}
    assert event["meta"]["bulk"] is True
    assert len(_done(run("events", "--json", "--all")).splitlines()) == 1


def test_what_was_learned_is_shown(decided: Run) -> None:
    shown = _done(decided("context", "--rule", "plain"))

    assert "Plain words  12 samples" in shown
    assert re.search(r"12×  █+\s+100%\s+\(76% to 100%\)\s+utilise → use", shown)
    assert '- "utilise" → "use": accepted 12 of 12 times.' in shown
    assert "“changes the meaning”" in _done(decided("context", "--rule", "active"))
    assert "no decisions about" in _done(decided("context", "--rule", "unheard-of"))


def test_programs_get_the_prompt_the_confidence_or_all_of_it(decided: Run) -> None:
    prompt = _done(decided("context", "--rule", "active", "--prompt"))
    context = _json(decided("context", "--rule", "active", "--json"))

    assert prompt == context["prompt"] + "\n"
    assert context["rejected_patterns"][0]["common_rejection_reason"] == "changes the meaning"
    assert re.fullmatch(r"0\.\d\d ± 0\.\d\d\n", _done(decided("context", "--rule", "active", "--confidence", "0.8")))
    assert _done(decided("context", "--rule", "unheard-of", "--prompt")) == ""


def test_how_suggestions_fare_is_shown(decided: Run) -> None:
    shown = _done(decided("stats"))

    assert "24 decisions about 2 rules" in shown
    assert re.search(r"12  █+\s+100%.*Plain words", shown)
    assert "✓ plain  ✗ active" in shown
    assert _json(decided("stats", "--rule", "plain", "--json"))["total_feedback"] == 12
    assert "No feedback matches" in _done(decided("stats", "--since", "2026-01-06"))
    calibration = _done(decided("stats", "--calibration"))
    assert re.search(r"0\.8 to 0\.9\s+24\s+█+\s+50%", calibration)
    assert re.search(r"Brier score\s+stated 0\.\d+\s+calibrated 0\.\d+", calibration)


def test_what_was_learned_goes_to_another_team(decided: Run, tmp_path: Path) -> None:
    key, file = tmp_path / "key.pem", tmp_path / "learnings.json"
    key.write_bytes(Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))

    made = _json(decided("export", file, "--sign", key, "--json"))
    assert (made["patterns"], made["rules"]) == (2, 2)
    other = ("--org", "globex")
    refused = decided("import", file, *other, "--trust", "another-key")
    assert (refused.exit_code, "not in the list of trusted keys" in refused.output) == (2, True)
    assert "2 patterns of 2 rules imported, signed by" in _done(
        decided("import", file, *other, "--trust", made["signed_by"])
    )
    assert "nothing changed" in _done(decided("import", file, *other))

    assert "utilise → use" in _done(decided("context", "--rule", "plain", *other))


@pytest.mark.parametrize("content", ["", "{", '{"format": "other"}', "[1]", "\x00"])
def test_a_file_that_is_none_is_refused(run: Run, tmp_path: Path, content: str) -> None:
    file = tmp_path / "learnings.json"
    file.write_text(content)

    refused = run("import", file)

    assert refused.exit_code == 2
    assert "Nothing was imported." in refused.output
    assert run("import", tmp_path / "missing.json").exit_code == 2


def test_clearing_takes_a_second_word(decided: Run) -> None:
    shown = _done(decided("clear", "--rule", "plain"))
    assert "12 records of default will be erased" in shown
    assert "12 samples" in _done(decided("context", "--rule", "plain"))

    confirm = re.search(r"heedful clear --confirm (\S+)", shown)
    assert confirm is not None
    assert "12 records erased" in _done(decided("clear", "--confirm", confirm[1]))

    assert "no decisions about" in _done(decided("context", "--rule", "plain"))
    assert decided("clear").exit_code == 2
    assert decided("clear", "--confirm", "made-up").exit_code == 4


def test_privacy_is_shown_and_changed(run: Run) -> None:
    _done(run("init"))
    assert re.search(r"max_data_age\s+365d", _done(run("privacy")))

    changed = _json(run("privacy", "--no-text", "--max-age", "30d", "--max-records", "10", "--no-share", "--json"))
    assert changed == {
        "anonymize_users": True,
        "store_original_text": False,
        "redact_personal_data": False,
        "max_data_age": "30d",
        "max_records": 10,
        "participate_in_team_learning": False,
        "min_people": 3,
    }
    assert re.search(r"store_original_text\s+no", _done(run("privacy")))
    assert run("export").exit_code == 1
    assert _json(run("privacy", "--max-records", "0", "--json"))["max_records"] is None
    assert run("privacy", "--max-age", "soon").exit_code == 2


def test_what_is_too_old_goes_when_it_is_told_to(decided: Run) -> None:
    _done(decided("privacy", "--max-age", "30d"))

    assert "24 too old and 0 too many erased; 0 kept" in _done(decided("privacy", "--retain"))
    assert "No feedback matches" in _done(decided("stats"))


def test_a_file_with_a_bad_decision_is_refused_whole(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "decisions.ndjson"
    file.write_text('{"rule": "a", "decision": "accepted"}\n\n{"rule": "a", "decision": "liked"}\n[]\n{"rule": "a"}\n')

    refused = run("fix", "--file", file)

    assert refused.exit_code == 2
    assert all(f"line {number}:" in refused.output for number in (3, 4, 5))
    assert "'liked' is not a decision" in refused.output
    assert _done(run("events", "--json", "--all")) == ""
    assert run("fix", "--rule", "a").exit_code == 2
    assert run("fix", "--file", file, "--rule", "a").exit_code == 2


def test_what_people_wrote_does_not_steer_the_terminal(run: Run) -> None:
    for _ in range(3):
        _done(
            run(
                "fix", "--rule", "odd", "--decision", "accepted", "--original", "a\x1b[2J b", "--suggested", "x\u202e y"
            )
        )

    shown = _done(run("context", "--rule", "odd"))

    assert "\x1b[2J" not in shown
    assert "\u202e" not in shown
    assert "�[2j b → x� y" in shown


def test_feedback_moves_to_another_database_with_its_secret(
    decided: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything, copy = tmp_path / "all.ndjson", ("--database", tmp_path / "copy.db")
    everything.write_text(_done(decided("events", "--json", "--all")))
    refused = decided("record", "--file", everything, *copy)
    assert (refused.exit_code, "another secret" in refused.output) == (2, True)


def test_feedback_moves_where_the_secret_is_the_same(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEEDFUL_SECRET", "correct horse battery staple")
    for actor in ("dana", "lee", "kim"):
        _done(
            run(
                "fix",
                "--rule",
                "plain",
                "--decision",
                "accepted",
                "--original",
                "a b",
                "--suggested",
                "a",
                "--actor",
                actor,
            )
        )
    everything, copy = tmp_path / "all.ndjson", ("--database", tmp_path / "copy.db")
    everything.write_text(_done(run("events", "--json", "--all")))

    assert "recorded 3 events" in _done(run("record", "--file", everything, *copy))

    here, there = (_json(run("context", "--rule", "plain", "--json", *at)) for at in ((), copy))
    assert here == there
    assert here["accepted_patterns"][0]["people"] == 3
