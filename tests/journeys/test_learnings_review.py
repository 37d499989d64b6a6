"""A person who goes through new learnings at a terminal: keeps, edits and drops them, and changes their mind."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import heedful
from heedful.edges.cli import inbox as inbox_module
from heedful.edges.cli import main
from heedful.learnings import events
from heedful.records import mining, proposal
from heedful.records.event import Draft, Entity, noted
from heedful.records.proposal import Act
from tests.keyboard import at_a_terminal
from tests.typed import corrections, insights

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)

Run = Callable[..., Result]
Key = str | Callable[[], str]

AT = datetime(2026, 3, 3, 9, 12, tzinfo=UTC)
MOCKS, PNPM, CENTS, AGAIN = "aa11mocks0000001", "bb22pnpm00000002", "cc33cents0000003", "dd44mocks0000004"


@pytest.fixture
def run(database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Two people have said three things, one of them twice and in two projects."""
    monkeypatch.setenv("HEEDFUL_DATABASE", database)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    with heedful.open(database) as loop:
        loop.store.record(
            [
                _said(MOCKS, "We don't mock the database in tests", "we don't mock the database in tests, ever"),
                _said(AGAIN, "Never mock the database", "I said never mock the database", "till", "lee", day=40),
                _about(AGAIN, events.MERGED, {"into": MOCKS}),
                _about(MOCKS, events.CONFIRMED, {"by": AGAIN, "confidence": 0.9}),
                _said(PNPM, "Run the tests with pnpm", "run the tests with pnpm", confidence=0.8),
                _said(CENTS, "Prices are integer cents", "prices are integer cents, so no floats", confidence=0.7),
            ]
        )
    return lambda *words, **options: CliRunner().invoke(main, [str(word) for word in words], **options)


@pytest.fixture
def inbox(run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Opens the inbox as if at a terminal, and presses these keys; a callable does something first."""

    def opened(*keys: Key, typed: str = "") -> str:
        pressed = iter(keys)

        def getchar() -> str:
            key = next(pressed, "q")
            return key if isinstance(key, str) else key()

        with monkeypatch.context() as patch:
            patch.setattr(inbox_module, "attended", lambda: True)
            patch.setattr(click, "getchar", getchar)
            return _done(run("learnings", "review", input=typed))

    return opened


def _said(
    id: str, title: str, sentence: str, project: str = "shop", actor: str = "dana", *, day: int = 0, **told: Any
) -> Draft:
    meta = {
        "category": "best_practice",
        "rule": True,
        "project": project,
        "quotes": [[f"{id}/m0", "user", sentence]],
        "confidence": 0.9,
        **told,
    }
    after = {"title": title, "content": {"what": sentence, "context": "Add the checkout page"}, "tags": ["tests"]}
    chat = Entity(mining.ENTITY, f"chat-{id}")
    draft = noted(events.EXTRACTED, AT + timedelta(days=day), actor=actor, entity=chat, after=after, meta=meta)
    return draft._replace(id=id, own_id=True, own_time=True)


def _about(id: str, kind: str, meta: dict[str, Any]) -> Draft:
    return noted(kind, AT + timedelta(days=40), entity=Entity(events.ENTITY, id), meta=meta)._replace(own_time=True)


def _done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def _lines(result: Result) -> list[Any]:
    return [json.loads(line) for line in _done(result).splitlines()]


def _states(database: str) -> dict[str, tuple[str, bool, str]]:
    with heedful.open(database) as loop:
        found = insights(loop).all(status=None)
        return {one.id: (one.status.value, one.approved, one.title) for one in found if one.id != AGAIN}


def test_at_a_real_terminal_each_learning_takes_one_key(run: Run, database: str) -> None:
    with at_a_terminal("learnings", "review") as keyboard:
        keyboard.press("k", after="1 of 3")
        keyboard.press("e", after="2 of 3")
        keyboard.press(" only\r", after="Title: Run the tests with pnpm")  # the title stands there, to be changed
        keyboard.press("D", after="3 of 3")
        keyboard.press("they are floats\r", after="Why (or nothing): ")
        keyboard.press("q", after="That was the last one.")
        assert keyboard.end() == 0
    assert "said 2 times, since March 2026, by 2 people, in 2 projects" in keyboard.screen
    assert "Done: 1 kept, 1 edited, 1 dropped." in keyboard.screen
    assert _states(database) == {
        MOCKS: ("active", True, "We don't mock the database in tests"),
        PNPM: ("active", True, "Run the tests with pnpm only"),
        CENTS: ("retired", False, "Prices are integer cents"),
    }
    assert "retired it: they are floats" in _done(run("why", CENTS))


def test_the_surest_comes_first_with_what_the_person_said(inbox: Callable[..., str]) -> None:
    shown = inbox("s", "x", "?", "q")

    assert shown.index("1 of 3  rule, best practice · sure 0.92 · shop") < shown.index("2 of 3  rule")
    assert "“we don't mock the database in tests, ever”  dana, 2026-03-03" in shown
    assert "at work on: Add the checkout page" in shown
    assert "Press k, e, d, D, s, u, q, or ? for help." in shown
    assert "u  undo the last decision; again for the one before" in shown
    assert "Nothing was decided." in shown
    assert "3 learnings still waiting: heedful learnings review" in shown


def test_everything_can_be_undone_as_if_it_had_not_been(inbox: Callable[..., str], database: str) -> None:
    with heedful.open(database) as loop:
        before = {one.id: (one.confidence, one.content, one.approved, one.title) for one in insights(loop).all()}

    shown = inbox("k", "e", "d", *"uuu", "u", typed="Test with pnpm\n")
    assert "✓ edited: Test with pnpm" in shown
    assert "Undone: dropped" in shown
    assert "There is nothing to undo." in shown
    assert "Nothing was decided." in shown
    with heedful.open(database) as loop:
        after = {one.id: (one.confidence, one.content, one.approved, one.title) for one in insights(loop).all()}
    assert after == before


def test_an_edit_that_is_refused_or_given_up_changes_nothing(inbox: Callable[..., str], database: str) -> None:
    shown = inbox("s", "e", "e", typed=f"{'x' * 101}\n")

    assert "100 are allowed" in shown
    assert "Nothing was changed." in shown  # at the end of the input
    assert _states(database)[PNPM] == ("active", False, "Run the tests with pnpm")


def test_what_others_did_meanwhile_is_said_and_not_done_again(run: Run, inbox: Callable[..., str]) -> None:
    def edited_by_others() -> str:
        _done(run("learnings", "edit", MOCKS, "--title", "Do not mock the database in tests"))
        _done(run("learnings", "approve", PNPM))
        return "k"

    shown = inbox(edited_by_others, "k", "k")
    assert "was changed after this digest was made" in shown
    assert "Meanwhile approved: Run the tests with pnpm" in shown
    assert "Done: 2 kept." in shown


def test_without_a_terminal_they_are_listed(run: Run) -> None:
    shown = _done(run("learnings", "review"))
    assert [shown.index(id) for id in (MOCKS, PNPM, CENTS)] == sorted(shown.index(id) for id in (MOCKS, PNPM, CENTS))
    assert "heedful learnings approve ID..." in shown
    assert "add --limit 3" in _done(run("learnings", "review", "-n", "1"))

    (one,) = _lines(run("learnings", "review", "--about", "shop", "--limit", "1", "--json"))
    assert (one["id"], one["times"], one["people"], one["projects"]) == (MOCKS, 2, ["dana", "lee"], ["shop", "till"])

    _done(run("learnings", "approve", MOCKS, PNPM, CENTS))
    assert "No learnings wait for a review." in _done(run("learnings", "review"))


def test_what_was_said_again_is_listed_first_on_demand(run: Run) -> None:
    shown = _done(run("learnings", "list", "--again"))
    assert "said 2 times, since March 2026, by 2 people, in 2 projects" in shown
    assert PNPM not in shown
    assert [one["id"] for one in _lines(run("learnings", "list", "--again", "--about", "till", "--json"))] == [MOCKS]
    assert "No learnings match" in _done(run("learnings", "list", "--again", "--about", "elsewhere"))
    assert "said 2 times" in _done(run("learnings", "show", MOCKS))


def test_what_may_be_taken_back_comes_after_the_new_learnings(
    run: Run, inbox: Callable[..., str], database: str
) -> None:
    with heedful.open(database) as loop:
        made = proposal.made(AT, Act.RETIRE, (PNPM,), "It may have been taken back in conversation c2.")
        loop.store.record([made])
    assert "It may have been taken back" in _done(run("learnings", "review"))
    assert "1 approved" not in inbox("q", "a")  # who quits is asked nothing more
    told = inbox("s", "s", "s", "q", "a")
    assert "It may have been taken back in conversation c2." in told
    assert "Done: 1 approved." in told
    assert _states(database)[PNPM][0] == "retired"


def _hears(database: str, *messages: str) -> list[str]:
    """Messages to a coding agent, each of which corrects what it did."""
    with heedful.open(database) as loop:
        chats = [loop.conversation(session=f"s{number}", about="shop") for number, _ in enumerate(messages)]
        for chat, message in zip(chats, messages, strict=True):
            chat.output("I ran npm install in the client folder.", query="install the packages")
            assert chat.message(message) is not None, message
        return [one.id for one in loop.govern.learnings.all(kind="correction")]


def test_corrections_that_were_heard_come_after_them_the_newest_first(
    run: Run, inbox: Callable[..., str], database: str
) -> None:
    newest, older = _hears(database, "No, use pnpm, not npm.", "No, in the server folder, not the client one.")
    with heedful.open(database) as loop:
        reported = loop.capture.correction("make ship", "make release").id

    listed = [one["id"] for one in _lines(run("learnings", "review", "--json"))]
    assert listed == [MOCKS, PNPM, CENTS, newest, older]
    assert reported not in listed  # on purpose, which needs no second look

    shown = inbox("s", "s", "s", "k", "d")
    assert "4 of 5  correction" in shown
    assert "“No, in the server folder, not the client one.”" in shown
    assert "I ran npm install in the client folder." in shown
    assert "Done: 1 kept, 1 dropped." in shown
    with heedful.open(database) as loop:
        kept, dropped = (loop.govern.learnings.get(id) for id in (newest, older))
        assert kept.approved
        assert dropped.status.value == "retired"


def test_a_correction_can_be_put_in_better_words_and_back(inbox: Callable[..., str], database: str) -> None:
    (heard,) = _hears(database, "No, use pnpm, not npm.")
    with heedful.open(database) as loop:
        before = corrections(loop).get(heard)

    shown = inbox("s", "s", "s", "e", "u", typed="npm\npnpm\nUse pnpm in every folder\n")
    assert "Undone: edited" in shown
    with heedful.open(database) as loop:
        after = corrections(loop).get(heard)
        assert (after.approved, after.wrong, after.right, after.understood) == (
            (before.approved, before.wrong, before.right, before.understood)
        )
        assert after.version == 3


def _hears_mocks(database: str, said: str = "I said we don't mock the database in tests, ever") -> str:
    """Live, what was mined from the same words."""
    with heedful.open(database) as loop:
        chat = loop.conversation(session=f"chat-{MOCKS}", about="shop")
        chat.output("I mocked the database and asserted on the calls.", query="write a test for the checkout")
        assert chat.message(said) is not None
        (heard,) = corrections(loop).all()
        return heard.id


def test_what_was_heard_and_mined_is_asked_about_once_and_answered_for_both(
    run: Run, inbox: Callable[..., str], database: str
) -> None:
    heard = _hears_mocks(database)
    assert [one["id"] for one in _lines(run("learnings", "review", "--json"))] == [MOCKS, PNPM, CENTS]

    assert "your answer holds for all" in inbox("k", "q")
    with heedful.open(database) as loop:
        assert all(loop.govern.learnings.get(id).approved for id in (MOCKS, heard))

    shown = inbox("q")
    assert "1 of 2" in shown


def test_what_is_dropped_once_is_dropped_however_often_it_was_recorded(
    inbox: Callable[..., str], database: str
) -> None:
    heard = _hears_mocks(database)
    inbox("d", "u", "d", "q")
    with heedful.open(database) as loop:
        assert {loop.govern.learnings.get(id).status.value for id in (MOCKS, heard)} == {"retired"}


def test_an_edit_replaces_all_that_said_it_and_undoing_it_brings_them_back(
    inbox: Callable[..., str], database: str
) -> None:
    heard, typed = _hears_mocks(database), "Never mock the database, use the one in docker\n" * 2
    inbox("e", "u", "q", typed=typed)
    with heedful.open(database) as loop:
        assert loop.govern.learnings.get(heard).status.value == "active"
    assert not _states(database)[MOCKS][1]
    inbox("e", "q", typed=typed)
    with heedful.open(database) as loop:
        assert loop.govern.learnings.get(heard).status.value == "retired"
    assert _states(database)[MOCKS][1]


def test_what_says_the_same_as_something_approved_is_not_asked_about(run: Run, database: str) -> None:
    with heedful.open(database) as loop:
        insights(loop).approve(MOCKS)
    _hears_mocks(database)
    assert [one["id"] for one in _lines(run("learnings", "review", "--json"))] == [PNPM, CENTS]


def test_a_correction_is_listed_by_what_was_said_and_its_situation_comes_second(run: Run, database: str) -> None:
    _hears(database, "No, use pnpm, not npm.")
    lines = _done(run("learnings", "list", "--kind", "correction")).splitlines()
    assert "No, use pnpm, not npm." in lines[0]
    assert "asked “install the packages”" in lines[1]


def test_many_corrections_do_not_crowd_out_what_waits_nor_take_all_day(run: Run, database: str) -> None:
    with heedful.open(database) as loop:
        chat = loop.conversation(session="s", about="shop")
        for number in range(30):
            chat.output(f"The fee of form {number + 100} is 20 euros.", query=f"fee of form {number + 100}?")
            chat.message(f"No, the fee of form {number + 100} is {number + 31} euros.")

    assert len(_lines(run("learnings", "review", "--json"))) == 20
    few = [one["kind"] for one in _lines(run("learnings", "review", "--json", "--limit", "4"))]
    assert few == ["insight"] * 3 + ["correction"]
    assert [one["id"] for one in _lines(run("learnings", "review", "--json", "--limit", "1"))] == [MOCKS]
    assert "There are more" in _done(run("learnings", "review"))
