"""A person at a terminal who looks after the rules that agents get."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import heedful
from heedful.edges.cli import main
from heedful.learnings import events
from heedful.records.event import Entity, noted
from heedful.records.review import REVIEWED
from heedful.testing import FrozenClock

Run = Callable[..., Result]


@pytest.fixture
def run(database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    for name, value in {"HEEDFUL_DATABASE": database, "COLUMNS": "160", "LOGNAME": "dana", "TZ": "UTC"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return lambda *words, **options: CliRunner().invoke(main, [str(word) for word in words], **options)


@pytest.fixture
def loop(run: Run, database: str, clock: FrozenClock) -> Iterator[heedful.Loop]:
    with heedful.open(database, clock=clock) as opened:
        yield opened


def _done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def _lines(result: Result) -> list[Any]:
    return [json.loads(line) for line in _done(result).splitlines()]


def _adopt(loop: heedful.Loop, text: str, **more: Any) -> str:
    made = loop.govern.proposals.propose(text, by="ana", **{"agents": ["coder"], **more})
    for name in ("lee", "kim"):
        loop.govern.proposals.approve(made.id, by=name)
    return f"rule-{made.id.removeprefix('proposal-')}"


def _about(loop: heedful.Loop, rule: str, kind: str, **meta: Any) -> None:
    loop.store.record([noted(kind, loop.store.clock(), entity=Entity(events.ENTITY, rule), meta=meta)])


def test_before_there_are_rules_one_is_told_how_to_get_some(run: Run) -> None:
    run("init")
    for words in (("rules", "list"), ("rules", "list", "--agent", "coder"), ("rules", "effects")):
        shown = _done(run(*words))
        assert "heedful proposals list" in shown
        assert "heedful rules propose" in shown
    assert _done(run("rules", "list", "--json")) == ""
    assert _done(run("rules", "effects", "--json")) == ""


def test_a_rule_is_proposed_approved_and_listed(run: Run) -> None:
    run("init")
    said = _done(run("rules", "propose", "Validate input.", "--agent", "coder", "--type", "constraint", "--by", "ana"))
    id = re.search(r"heedful proposals approve (\S+)", said)
    assert id is not None
    for name in ("lee", "kim"):
        _done(run("proposals", "approve", id[1], "--by", name))

    assert re.search(r"constraint\s+coder\s+a person\s+just now\s+Validate input\.", _done(run("rules", "list")))
    [rule] = _lines(run("rules", "list", "--json"))
    assert (rule["text"], rule["category"], rule["approved_by"]) == ("Validate input.", "CONSTRAINT", ["lee", "kim"])


def test_who_proposes_is_the_user_at_the_terminal(run: Run) -> None:
    run("init")
    [made] = _lines(
        run(
            "rules",
            "propose",
            "Name units.",
            "--before",
            "3",
            "--after",
            "3 m",
            "--at",
            "Style",
            "--why",
            "ask",
            "--json",
        )
    )
    assert (made["made_by"], made["reason"], made["rule"]["agents"]) == ("dana", "ask", [])
    assert made["rule"] == {
        "text": "Name units.", "type": "GUIDELINE", "agents": [], "insertion_point": "Style", "before": "3",
        "after": "3 m",
    }  # fmt: skip
    assert run("rules", "propose", "x" * 501).exit_code == 2
    assert run("rules", "propose", " ").exit_code == 2


def test_rules_are_listed_by_agent_and_as_they_were(run: Run, loop: heedful.Loop, clock: FrozenClock) -> None:
    first = _adopt(loop, "Validate input.")
    clock.advance(days=10)
    second = _adopt(loop, "Name all units.", agents=["writer"])
    loop.govern.learnings.retire(first)

    def ids(*words: str) -> list[str]:
        return [one["id"] for one in _lines(run("rules", "list", "--json", *words))]

    assert ids() == ids("--agent", "writer") == [second]
    assert ids("--agent", "coder") == []
    before = (clock() - timedelta(days=1)).isoformat()
    assert ids("--at", before) == ids("--at", before, "--agent", "coder") == [first]
    assert "No rules for writer were in force" in _done(run("rules", "list", "--agent", "writer", "--at", before))
    assert run("rules", "list", "--at", "soon").exit_code == 2


def test_one_rule_is_shown_by_a_part_of_its_id(run: Run, loop: heedful.Loop) -> None:
    rule = _adopt(loop, "Validate input.", before="insert(form)", after="insert(valid(form))")
    shown = _done(run("rules", "show", rule[-8:]))
    for words in (rule, "Validate input.", "insert(valid(form))", "coder", "lee, kim"):
        assert words in shown
    assert json.loads(_done(run("rules", "show", rule, "--json")))["after"] == "insert(valid(form))"

    for id in ("rule-0000000000000000", "xx"):
        missing = run("rules", "show", id)
        assert (missing.exit_code, "heedful rules list" in missing.output) == (4, True)
    learned = loop.capture.correction("a bad word", "a good word", id="not-a-rule")
    assert run("rules", "show", learned.id).exit_code == 4
    _adopt(loop, "Name all units.")
    assert run("rules", "show", "rule-").exit_code == 4
    assert "There is no rule" in run("rules", "retire", "rule-x").output


def test_the_history_tells_every_version_in_words(run: Run, loop: heedful.Loop, clock: FrozenClock) -> None:
    first = _adopt(loop, "Validate input.", why="unsafe")
    clock.advance(days=1)
    _about(loop, first, events.RECURRED, review="d7")
    second = _adopt(loop, "Validate input where it enters.", replaces=[first])
    for voice in ("a", "b"):
        _about(loop, second, events.OPPOSED, review=f"d-{voice}", voice=voice)
    loop.measure.rules.tend()
    resume = next(loop.govern.proposals.all())
    suspended = _done(run("rules", "history", second))
    assert "suspended by heedful: 2 reviewers want the contrary." in suspended
    assert re.search(rf"{second}, suspended", suspended)
    for name in ("lee", "kim"):
        loop.govern.proposals.approve(resume.id, by=name)
    loop.govern.learnings.retire(second, why="it is done elsewhere")

    shown = _done(run("rules", "history", first))
    assert shown == _done(run("rules", "history", second))
    told = [line.split("  ")[2].strip() if line.startswith("  ") else line for line in shown.splitlines() if line]
    assert [line for line in told if not line.startswith("version")] == [
        "proposed by ana: unsafe", "approved by lee", "approved by kim", "adopted, agreed by lee, kim",
        "said again: review d7", f"replaced by {second}",
        "proposed by ana", "approved by lee", "approved by kim", "adopted, agreed by lee, kim",
        "a reviewer said the contrary: review d-a", "a reviewer said the contrary: review d-b",
        "suspended by heedful: 2 reviewers want the contrary.",
        "proposed to put it into force again: It was suspended. 2 reviewers want the contrary. Resume it?",
        "approved by lee", "approved by kim", "in force again", "retired by local: it is done elsewhere",
    ]  # fmt: skip
    versions = json.loads(_done(run("rules", "history", first, "--json")))["versions"]
    assert [one["rule"]["id"] for one in versions] == [first, second]
    assert versions[0]["events"][0]["kind"] == "PROPOSAL_MADE"


def test_a_rule_is_retired_with_a_reason(run: Run, loop: heedful.Loop) -> None:
    rule = _adopt(loop, "Validate input.")
    assert "retired: Validate input." in _done(run("rules", "retire", rule[-8:], "--why", "the framework does it"))
    assert "retired by local: the framework does it" in _done(run("rules", "history", rule))
    assert json.loads(_done(run("rules", "retire", rule, "--json")))["status"] == "retired"
    assert _lines(run("rules", "list", "--json")) == []


def test_effects_are_a_table_with_intervals_and_a_verdict(run: Run, loop: heedful.Loop, clock: FrozenClock) -> None:
    rule = _adopt(loop, "Validate input.")
    assert re.search(r"no reviews\s+→ no reviews\s+too early\s+Validate input\.", _done(run("rules", "effects")))
    clock.advance(days=1)
    agent = Entity("agent", "coder")
    loop.store.record([noted(REVIEWED, clock(), entity=agent, meta={"decision": "APPROVED"}) for _ in range(24)])
    _about(loop, rule, events.RECURRED, review="d7")

    [effect] = _lines(run("rules", "effects", "--agent", "coder", "--json"))
    assert (effect["reviews_after"], effect["recurrences"], effect["verdict"]) == (24, ["d7"], "helps")
    low, high = (f"{effect['after'][side]:.0%}" for side in ("low", "high"))
    assert f"→ {low} to {high} of 24, 1×" in _done(run("rules", "effects"))


PROMPTS = {
    "plain": "You write Python.\n",
    "empty": "",
    "mark": "You write Python. {{rules:security}}\nBe kind.\n",
    "heading": "You write Python.\n\n## Security\n\nBe careful.\n\n## Style\n\nBe kind.\n",
    "all": "Before.\n{{rules}}\nAfter.",
    "windows": "You write Python.\r\n\r\n## Security\r\n\r\nBe careful.\r\n",
}


@pytest.mark.parametrize("name", PROMPTS)
def test_writing_rules_into_a_prompt_again_changes_nothing(name: str, run: Run, loop: heedful.Loop) -> None:
    placed, other = _adopt(loop, "Validate input.", insertion_point="security"), _adopt(loop, "Name all units.")
    prompt = Path("prompt.md")
    prompt.write_bytes(PROMPTS[name].encode())

    assert "prompt.md now has 2 rules for coder" in _done(run("rules", "write", "--agent", "coder", "prompt.md"))
    written = prompt.read_bytes()
    assert written.count(placed.encode()) == written.count(other.encode()) == 1
    assert (b"\r\n" in written) == (name == "windows")
    assert written.count(b"\r\n") in (0, written.count(b"\n"))
    assert "is up to date: 2 rules" in _done(run("rules", "write", "--agent", "coder", "prompt.md"))
    assert prompt.read_bytes() == written

    loop.govern.learnings.retire(placed)
    loop.govern.learnings.retire(other)
    assert json.loads(_done(run("rules", "write", "prompt.md", "--agent", "coder", "--json")))["changed"] is True
    assert b"rule-" not in prompt.read_bytes()
    for rule in (placed, other):
        _about(loop, rule, events.RESTORED)
    _done(run("rules", "write", "--agent", "coder", "prompt.md"))
    assert prompt.read_bytes() == written


def test_a_prompt_goes_through_a_pipe(run: Run, loop: heedful.Loop, clock: FrozenClock) -> None:
    rule = _adopt(loop, "Validate input.")
    shown = _done(run("rules", "write", "--agent", "coder", input="You write Python.\n"))
    assert shown.startswith("You write Python.\n\n## Learned rules")
    assert rule in shown
    assert _done(run("rules", "write", "--agent", "coder", input=shown)) == shown
    told = json.loads(_done(run("rules", "write", "--agent", "coder", "--json", input="Hi.")))
    assert (told["rules"], rule in told["prompt"]) == (1, True)
    early = (clock() - timedelta(days=1)).isoformat()
    assert _done(run("rules", "write", "--agent", "coder", "--at", early, input="Hi.")) == "Hi."
    missing = run("rules", "write", "--agent", "coder", "promt.md")
    assert (missing.exit_code, Path("promt.md").exists()) == (2, False)
    assert run("rules", "write", "prompt.md").exit_code == 2
