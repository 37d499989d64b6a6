"""What is kept of people's feedback, and who can be told from it, on every database."""

from __future__ import annotations

import base64
import hashlib
import importlib
import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import heedful
from heedful import Decision, Settings
from heedful.errors import Conflict, HeedfulError, Misconfigured
from heedful.records.rule_context import RuleContext
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.feedback import NAMES, clear, dump, feedback, fix, leaked, shown


@pytest.fixture
def quiet(loop: heedful.Loop) -> heedful.Loop:
    """An organisation that keeps no texts."""
    loop.govern.set_privacy(store_original_text=False)
    return loop


# People


def test_people_become_pseudonyms_that_only_this_installation_can_match(loop: heedful.Loop, database: str) -> None:
    person = "dana.kowalska@example.com"
    first, again = (loop.capture.fix("short", Decision.ACCEPTED, actor=person, id=id).actor for id in "ab")
    elsewhere = loop.org("globex").capture.fix("short", Decision.ACCEPTED, actor=person).actor
    settings = Settings(database=database, secret="another installation's secret")
    with heedful.open(database, org="third", settings=settings) as other:
        foreign = other.capture.fix("short", Decision.ACCEPTED, actor=person).actor
    with heedful.open(database, org="third") as same:
        ours = same.store.secret.person(person)

    assert first == again
    assert len({first, elsewhere, foreign, ours}) == 4
    digests = [hashlib.new(name, person.encode()).digest() for name in ("sha256", "sha1", "md5", "blake2b", "blake2s")]
    digests += [hashlib.blake2b(person.encode(), digest_size=size).digest() for size in (12, 16, 20, 32)]
    bare = [form for digest in digests for form in (digest.hex()[:20], base64.b64encode(digest).decode()[:14])]
    assert leaked(dump(database), [person, "kowalska", *bare]) == []


def test_who_wants_names_gets_names(loop: heedful.Loop) -> None:
    loop.govern.set_privacy(anonymize_users=False)

    assert loop.capture.fix("short", Decision.ACCEPTED, actor="dana").actor == "dana"


def test_a_person_is_one_person_with_and_without_a_pseudonym(quiet: heedful.Loop) -> None:
    for n in range(10):
        fix(quiet, n, actor=("dana", "lee")[n % 2])
    quiet.govern.set_privacy(anonymize_users=False)
    for n in range(10, 14):
        fix(quiet, n, actor=("dana", "lee")[n % 2])

    assert shown(quiet) == ["‹3 words›"]


def test_recording_feedback_takes_one_connection(loop: heedful.Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else as many threads as there are connections would all wait for one more."""
    monkeypatch.setattr(importlib.import_module("heedful.store.pool"), "_PATIENCE", 0.1)
    monkeypatch.setattr(loop.store.database._pool, "_limit", 1)

    fix(loop)


# Texts


SECRETS = ["Quarxel", "Zürnelda", "Wexolian", "Plimsory", "Brodeckt", "Tromvatz", "Hulldrin", "Nachtvogel"]
LONG = " ".join(f"{name} sent word{n} to Hulldrin" for n, name in enumerate(NAMES * 40))
SHAPES: list[dict[str, Any]] = [
    {"decision": "accepted", "original": "QUARXEL", "suggested": "Zürnelda"},
    {"decision": "rejected", "original": "the Quarxel is", "suggested": "it is"},
    {"decision": "accepted", "original": LONG, "suggested": LONG.replace("sent", "wrote", 3)},
    {"decision": "rejected", "original": LONG, "suggested": "Nachtvogel"},
    {"decision": "accepted", "original": "Ask Wexolian in order to pay", "suggested": "Ask Wexolian to pay"},
    {"decision": "modified", "original": "a b", "suggested": "a c", "modification": "a Plimsory"},
    {"decision": "modified", "original": "a b", "suggested": "a c", "final": "a brodeckt c", "modification": "a d"},
    {"decision": "modified", "original": "a b", "suggested": LONG, "final": "Zürnelda"},
    {"decision": "rejected", "original": "one", "suggested": "two", "comment": "Tromvatz would not like it"},
    {"decision": "skipped", "original": "Quarxel", "suggested": "Nachtvogel", "comment": "Tromvatz"},
]


@pytest.mark.parametrize("people", [1, 2])
def test_without_text_storage_no_text_is_left_anywhere(
    open_loop: OpenLoop,
    database: str,
    people: int,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    loop = open_loop()
    loop.govern.set_privacy(store_original_text=False)
    loop.govern.webhooks.create("https://example.com/")
    for turn in range(4):
        for n, shape in enumerate(SHAPES):
            id = f"{turn}-{n}" if turn < 2 else None
            loop.capture.fix(rule="short", actor=f"p{turn % people}", confidence=0.7, id=id, **shape)
    loop.capture.fixes({"rule": "short", "actor": "p0", **shape} for shape in SHAPES)
    with pytest.raises(Conflict):
        loop.capture.fix(rule="short", id="0-0", **SHAPES[1])
    for bad in (
        {"confidence": 7},
        {"decision": "perhaps"},
        {"actor": ""},
        {"colour": 1},
        {"original": "Quarxel\ud800"},
    ):
        with pytest.raises(HeedfulError):
            loop.capture.fixes([{"rule": "short", **SHAPES[0]}, {"rule": "short", **SHAPES[0], **bad}])
    assert list(loop.jobs.all())
    loop.learn.rebuild()
    context = loop.apply.rule_context("short")
    export = loop.govern.export(include_original_text=True)

    assert context.sample_count == 5 * len(SHAPES)
    assert leaked(f"{context!r} {export!r}".encode(), SECRETS) == []
    assert leaked(dump(database), SECRETS) == []
    loop.close()
    assert leaked(dump(database), SECRETS) == []
    said = [str(value) for record in caplog.records for value in (record.getMessage(), *vars(record).values())]
    assert leaked("".join([*said, *capfd.readouterr()]).encode(), SECRETS) == []


def test_the_same_is_learned_without_texts(loop: heedful.Loop) -> None:
    quiet = loop.org("globex")
    quiet.govern.set_privacy(store_original_text=False)
    for one in (loop, quiet):
        for n in range(12):
            person = ("dana", "lee")[n % 2]
            fix(one, n, actor=person, decision="rejected" if n == 7 else "accepted", confidence=0.9)
            fix(one, n, actor=person, decision="rejected", edit=("utilize", "make use of"), comment="too long")
    told, hidden = loop.apply.rule_context("short"), quiet.apply.rule_context("short")

    def numbers(context: RuleContext) -> list[Any]:
        found: list[Any] = [*context.accepted_patterns, *context.rejected_patterns]
        return [(one.sample_count, one.success_rate, one.interval, one.people) for one in found]

    assert numbers(told) == numbers(hidden)
    assert told.calibration == hidden.calibration
    assert [p.original_pattern for p in told.accepted_patterns] == ["in order to"]
    assert [(p.original_pattern, p.suggested_pattern) for p in hidden.accepted_patterns] == [("‹3 words›", "‹1 word›")]
    assert [(p.original_pattern, p.suggested_pattern) for p in hidden.rejected_patterns] == [("‹1 word›", "‹3 words›")]
    assert '"in order to" → "to"' in told.prompt
    assert "‹" not in hidden.prompt
    assert "order" not in repr(hidden)


def test_what_three_people_did_becomes_readable_with_the_third(quiet: heedful.Loop, database: str) -> None:
    for n in range(20):
        fix(quiet, n, actor=("dana", "lee")[n % 2])
        fix(quiet, n, actor=None)
    assert "order" not in repr(quiet.apply.rule_context("short"))
    assert leaked(dump(database), ["in order to"]) == []

    fix(quiet, 20, actor="kim")

    context = quiet.apply.rule_context("short")
    assert '"in order to" → "to"' in context.prompt
    assert context.accepted_patterns[0].people == 3
    assert leaked(dump(database), [f"{NAMES[n % 15]}{n}" for n in range(10, 21)] + ["wrote", "settle"]) == []


def test_one_batch_of_three_people_is_enough_and_two_in_a_batch_are_not(quiet: heedful.Loop) -> None:
    for rule, people in (("two", ("dana", "lee", "dana")), ("three", ("dana", "lee", "kim"))):
        acts = [
            {"rule": rule, "decision": "accepted", "original": "in order to", "suggested": "to", "actor": p}
            for p in people
        ]
        quiet.capture.fixes(acts)

    assert (shown(quiet, "two"), shown(quiet, "three")) == (["‹3 words›"], ["in order to"])


def test_more_people_can_be_asked_for(quiet: heedful.Loop) -> None:
    quiet.govern.set_privacy(min_people=5)
    for n, person in enumerate("abcd"):
        fix(quiet, n, actor=person)
    assert shown(quiet) == ["‹3 words›"]

    fix(quiet, 4, actor="e")

    assert shown(quiet) == ["in order to"]


def test_a_sentence_that_many_people_judged_is_not_readable(quiet: heedful.Loop, database: str) -> None:
    for person in "abcdefg":
        fix(quiet, 1, actor=person)
        quiet.capture.fix("rewrite", Decision.ACCEPTED, original=LONG, suggested=LONG[::-1], actor=person)

    assert shown(quiet) == ["in order to"]
    assert leaked(dump(database), ["Bob1", "settle", "Hulldrin"]) == []


def test_what_three_people_changed_alike_is_told(quiet: heedful.Loop) -> None:
    for person in "abc":
        assert quiet.apply.rule_context("short").useful_modifications == ()
        fix(quiet, ord(person), decision="modified", actor=person, modification="We wrote to clear it at once, soon.",
             edit=("x", "y"), suggested="We wrote to settle it at once, soon.")  # fmt: skip

    (found,) = quiet.apply.rule_context("short").useful_modifications
    assert found.improvement == "Replaced 'settle' with 'clear'"
    assert found.suggested == found.modification == ""


def test_a_reason_that_three_people_gave_is_told_and_no_other(quiet: heedful.Loop, database: str) -> None:
    def reason() -> str | None:
        return quiet.apply.rule_context("short").rejected_patterns[0].common_rejection_reason

    for n, person in enumerate(("dana", "lee", "dana", "lee", "dana")):
        fix(quiet, n, decision="rejected", actor=person, comment="This changes the meaning.")
    fix(quiet, 9, decision="rejected", actor="kim", comment="Mr Tromvatz is against it")
    assert reason() is None

    fix(quiet, 6, decision="rejected", actor="noor", comment="It changes the meaning!")

    assert reason() == "change meaning"  # the words that all three have in common
    assert leaked(dump(database), ["Tromvatz"]) == []


def test_what_only_one_of_three_added_to_a_reason_is_not_kept(quiet: heedful.Loop, database: str) -> None:
    alike = "apples pears plums grapes figs dates limes mangos cherries peaches melons lemons"
    for n, said in enumerate((alike, alike, f"{alike} says Mr Tromvatz")):
        fix(quiet, n, decision="rejected", actor=f"p{n}", comment=said)

    assert "Tromvatz" not in repr(quiet.apply.rule_context("short"))
    assert leaked(dump(database), ["Tromvatz"]) == []


def test_what_too_few_people_are_left_behind_is_not_shown_any_more(quiet: heedful.Loop, clock: FrozenClock) -> None:
    for n in range(10):
        fix(quiet, n, actor=("dana", "lee")[n % 2])
    fix(quiet, 10, actor="kim", at=clock.now - timedelta(days=9))
    fix(quiet, 11, actor="dana")
    assert shown(quiet) == ["in order to"]

    assert clear(quiet, until=clock.now.date() - timedelta(days=5)) == 1

    assert shown(quiet) == ["‹3 words›"]
    assert "order" not in quiet.apply.rule_context("short").prompt


def test_texts_that_were_stored_before_are_shown_for_enough_people_only(loop: heedful.Loop) -> None:
    for n in range(12):
        fix(loop, n, actor=("dana", "lee")[n % 2])
        fix(loop, n, rule="many", actor=f"p{n}")
        fix(loop, n, rule="said", decision="rejected", actor=("dana", "lee")[n % 2], comment="Tromvatz is against it")
        fix(loop, n, rule="better", decision="modified", actor="dana", modification=f"We wrote {n} to clear it.")
    loop.govern.set_privacy(store_original_text=False)

    few = [repr(loop.apply.rule_context(rule)) for rule in ("short", "said", "better")]
    assert leaked("".join(few).encode(), ["order", "wrote", "settle", "clear", "Tromvatz"]) == []
    assert shown(loop, "many") == ["in order to"]


# The secret


def test_the_secret_lies_beside_the_database_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "heedful.db"
    with heedful.open(path) as loop:
        fix(loop)
    (secret,) = tmp_path.glob("*.secret*")

    assert secret.stat().st_mode & 0o777 == 0o600
    assert secret.read_text().strip() not in path.read_bytes().decode("latin-1")


@pytest.mark.parametrize(
    "damage", [Path.unlink, lambda file: file.write_text("x" * 64), lambda file: file.write_text("")]
)
def test_another_secret_is_refused_until_everything_is_cleared(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    path, secret = tmp_path / "heedful.db", tmp_path / "heedful.db.secret"
    with heedful.open(path) as loop:
        fix(loop)
    kept = secret.read_text()
    damage(secret)
    with heedful.open(path) as loop:
        with pytest.raises(Misconfigured, match="secret"):
            fix(loop)
        assert len(feedback(loop)) == 1
    secret.write_text(kept)
    with heedful.open(path) as loop:
        fix(loop, actor="dana")
        assert len({event.actor for event in loop.events(kind="FIX_ACCEPTED")}) == 1
    secret.unlink()
    with heedful.open(path) as loop:
        assert clear(loop, everything=True) == 2
        fix(loop)


def test_a_secret_of_ones_own_takes_the_place_of_the_file(open_loop: OpenLoop, database: str, tmp_path: Path) -> None:
    own = Settings(database=database, secret="correct horse battery staple")
    event = open_loop(settings=own).capture.fix("short", Decision.ACCEPTED, actor="dana")

    assert list(tmp_path.glob("*.secret")) == []
    assert open_loop(settings=own).capture.fix("short", Decision.ACCEPTED, actor="dana").actor == event.actor
    for other in (Settings(database=database, secret="correct horse battery stable"), None):
        with pytest.raises(Misconfigured, match="HEEDFUL_SECRET"):
            fix(open_loop(settings=other))
    assert b"battery" not in dump(database)


def test_a_secret_that_can_be_guessed_is_refused() -> None:
    assert Settings.read({"HEEDFUL_SECRET": "x" * 16}).secret == "x" * 16
    with pytest.raises(Misconfigured, match="is too short"):
        Settings.read({"HEEDFUL_SECRET": "x" * 15})


STARTER = "import heedful, sys; print(heedful.open(sys.argv[1]).capture.fix('short', 'accepted', actor='dana').actor)"


def test_those_who_start_together_agree_on_one_secret(database: str) -> None:
    command = [sys.executable, "-c", STARTER, database]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert len({process.communicate(timeout=300)[0] for process in processes}) == 1
    start = threading.Barrier(8)

    def person(_: int) -> str | None:
        with heedful.open(database, org="late") as loop:
            start.wait()
            return loop.capture.fix("short", Decision.ACCEPTED, actor="dana").actor

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(person, range(8)))) == 1


def test_the_same_act_told_twice_is_one_and_another_under_its_id_is_refused(quiet: heedful.Loop) -> None:
    for _ in range(2):
        fix(quiet, 1, id="x")
    for other in ({"comment": "None"}, {"n": 2}, {"actor": "lee"}, {"decision": "rejected"}):
        with pytest.raises(Conflict):
            fix(quiet, **{"n": 1, "id": "x", **other})  # type: ignore[arg-type]

    assert len(feedback(quiet)) == 1
