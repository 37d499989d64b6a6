"""A person at a terminal who looks after what conversations taught: learnings, conversations, proposals."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import heedful
from heedful.edges.cli import main
from heedful.learnings import events
from heedful.records import mining, proposal
from heedful.records.event import Draft, Entity, noted
from heedful.records.proposal import Act
from heedful.text.fence import BEGIN, END
from tests.typed import insights

Run = Callable[..., Result]

AT = datetime(2026, 1, 5, 9, 12, tzinfo=UTC)
FLAKY, PNPM, QUEUE, SAME = "aa11flaky0000001", "bb22pnpm00000002", "cc33queue0000003", "dd44flaky0000004"
FLAKY_SAYS = {
    "problem": "The upload test fails now and then on the build server.",
    "cause": "Two workers share one temporary folder.",
    "fix": "1. Give each worker a folder. 2. Remove it at the end.",
}


@pytest.fixture
def run(database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("HEEDFUL_DATABASE", database)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    return lambda *words, **options: CliRunner().invoke(main, [str(word) for word in words], **options)


@pytest.fixture
def taught(run: Run, database: str) -> Run:
    """Three conversations have taught three things, one of them twice."""
    with heedful.open(database) as loop:
        loop.store.record(
            [
                *_conversation("chat-0001", "Mend the uploads", learned=[FLAKY]),
                _learned(FLAKY, "Flaky upload test: two workers share one folder", FLAKY_SAYS),
                *_conversation("chat-0002", "Set up the tests", learned=[PNPM, QUEUE]),
                _learned(
                    PNPM,
                    "Run the tests with pnpm",
                    {"what": "Run the tests with pnpm.", "why": "npm ignores the lock file."},
                    conversation="chat-0002",
                    category="tool_usage",
                    rule=True,
                ),
                _learned(
                    QUEUE,
                    "Orders go through a queue",
                    {"choice": "Orders go through a queue, not through HTTP.", "why": "The store is down at night."},
                    conversation="chat-0002",
                    category="decision",
                    project="till",
                ),
                *_conversation("chat-0003", None, outcome="known", confirmed=[FLAKY]),
                _learned(SAME, "The upload test is flaky", FLAKY_SAYS, conversation="chat-0003"),
                _about(SAME, events.MERGED, {"into": FLAKY, "reason": "They say the same."}),
                _about(FLAKY, events.CONFIRMED, {"by": SAME, "confidence": 0.8}),
                *_conversation("chat-0004", "Thanks", outcome="low_value"),
            ]
        )
    return run


def _conversation(
    id: str,
    title: str | None,
    *,
    outcome: str = "learned",
    learned: list[str] | None = None,
    confirmed: list[str] | None = None,
) -> list[Draft]:
    entity = Entity(mining.ENTITY, id)
    said = noted(mining.SAID, AT, entity=entity, after={"text": "It fails again."}, meta={"role": "user"})
    meta = {
        "tool": "claude-code",
        "project": "shop",
        "title": title,
        "messages": 14,
        "outcome": outcome,
        "findings": [{"step": "value", "says": "0.42: it is about a technical problem"}],
        "learned": learned or [],
        "confirmed": confirmed or [],
    }
    mined = noted(mining.MINED, AT, entity=entity, meta=meta)
    return [said._replace(id=f"{id}/m0", own_id=True, own_time=True), mined]


def _learned(id: str, title: str, content: dict[str, str], *, conversation: str = "chat-0001", **told: Any) -> Draft:
    meta = {
        "category": "bug_fix",
        "project": "shop",
        "quotes": [[f"{conversation}/m0", "user", "It fails again."], ["gone", "assistant", "They share a folder."]],
        "summary": "The task was to mend the uploads.",
        "factors": [0.9, 0.7, 0.8, 1.0],
        "quality": 0.8,
        "confidence": 0.8,
        "extraction": "1",
        "by": "local",
        **told,
    }
    after = {"title": title, "content": content, "tags": ["tests", "uploads"]}
    draft = noted(
        events.EXTRACTED, AT, actor="dana", entity=Entity(mining.ENTITY, conversation), after=after, meta=meta
    )
    return draft._replace(id=id, own_id=True, own_time=True)


def _about(id: str, kind: str, meta: dict[str, Any]) -> Draft:
    return noted(kind, AT + timedelta(days=1), entity=Entity(events.ENTITY, id), meta=meta)._replace(own_time=True)


def _propose(database: str, act: Act, *ids: str, **words: Any) -> str:
    with heedful.open(database) as loop:
        return loop.store.record([proposal.made(AT, act, ids, "They say nearly the same.", words or None)])[0].id


def _done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def _json(result: Result) -> Any:
    return json.loads(_done(result))


def _lines(result: Result) -> list[Any]:
    return [json.loads(line) for line in _done(result).splitlines()]


def test_before_anything_was_learned_one_is_told_how_to_begin(run: Run) -> None:
    run("init")

    for words in (("learnings", "list"), ("learnings", "search", "anything"), ("conversations", "list")):
        assert "heedful mine ~/.claude/projects" in _done(run(*words))
    assert "heedful learnings curate" in _done(run("proposals", "list"))
    assert "heedful learnings approve ID" in _done(run("learnings", "write"))
    assert not Path("AGENTS.md").exists()
    for group in ("learnings", "conversations", "proposals"):
        assert _done(run(group, "list", "--json")) == ""


def test_learnings_are_listed_by_what_they_are(taught: Run) -> None:
    shown = _done(taught("learnings", "list"))
    assert re.search(rf"{FLAKY}\s+Flaky upload test: two workers share one folder", shown)
    assert "bug fix · sure 0.85 · shop · found 2 times, since January 2026" in shown
    assert "rule, tool usage · sure 0.80" in shown

    def found(*words: str) -> list[str]:
        return [one["id"] for one in _lines(taught("learnings", "list", "--json", *words))]

    assert found() == [QUEUE, PNPM, FLAKY]
    assert found("-n", "1") == [QUEUE]
    assert found("--category", "bug_fix") == [FLAKY]
    assert found("--about", "till") == [QUEUE]
    assert found("--status", "merged") == [SAME]
    assert found("--status", "all") == [SAME, QUEUE, PNPM, FLAKY]
    assert found("--approved") == []
    assert "heedful learnings approve ID" in _done(taught("learnings", "list", "--approved"))
    assert "No learnings match" in _done(taught("learnings", "list", "--about", "elsewhere"))
    assert "There are more" in _done(taught("learnings", "list", "-n", "2"))


def test_what_was_heard_and_mined_is_listed_once(taught: Run, database: str) -> None:
    with heedful.open(database) as loop:
        heard = loop.capture.correction(right="Run the tests with pnpm", about="shop")
    assert heard.right in _done(taught("learnings", "show", heard.id[-12:-4]))  # a part of it as it is shown
    shown = _done(taught("learnings", "list"))
    assert shown.count("Run the tests with pnpm") == 1
    assert re.search(rf"says the same: ({PNPM}|{heard.id[:12]}\S*)", shown)
    assert len(_lines(taught("learnings", "list", "--json"))) == 4


def test_learnings_are_searched_with_what_makes_them_rank(taught: Run) -> None:
    shown = _done(taught("learnings", "search", "flaky upload test"))
    assert re.search(
        r"[█░]{10} fits [01]\.\d\d · bug fix · shop\s+relevance 0\.\d\d = similar 0\.\d\d × sure 0\.85", shown
    )
    assert "Fix: 1. Give each worker a folder. 2. Remove it at the end." in shown

    best = _lines(taught("learnings", "search", "flaky upload test", "--json", "-n", "1"))[0]
    assert best["learning"]["id"] == FLAKY
    assert best["learning"]["quotes"][0]["text"] == "It fails again."
    factors = best["similarity"] * best["learning"]["confidence"] * best["recency"] * best["standing"]
    assert best["relevance"] == pytest.approx(factors)
    here = _lines(taught("learnings", "search", "orders queue", "--about", "shop", "--json"))
    assert QUEUE not in [one["insight"]["id"] for one in here]


def test_one_learning_is_shown_in_full(taught: Run) -> None:
    shown = _done(taught("learnings", "show", "aa11fl"))
    for words in ("Problem", "2. Remove it at the end.", "tests, uploads", "scope", "0.85", "active", "from dana",
                  "actionable 0.90 · general 0.70 · clear 0.80 · proven 1.00", "found 2 times, since"):  # fmt: skip
        assert words in shown

    told = _json(taught("learnings", "show", FLAKY, "--json"))
    assert told["factors"]["clarity"] == 0.8
    assert told["quotes"][1] == {"message": "gone", "role": "assistant", "text": "They share a folder."}


def test_why_tells_the_conversations_the_quotes_and_what_was_done_since(taught: Run) -> None:
    _done(taught("learnings", "rate", FLAKY, "up"))
    _done(taught("learnings", "edit", FLAKY, "--title", "Flaky uploads: workers share a folder"))
    _done(taught("learnings", "retire", FLAKY, "--why", "the workers are gone"))

    shown = _done(taught("why", FLAKY))
    for words in (
        "2026-01-05  somebody said “It fails again.”",
        "in conversation chat-0001",
        "in conversation chat-0003",
        "rated it up",
        "edited it, version 2: “Flaky uploads: workers share a folder”",
        "retired it: the workers are gone",
        "2 pieces of its evidence were erased",
    ):
        assert words in shown, shown
    assert "They share a folder" not in shown, "the message is gone"
    assert f"[{FLAKY}]: They say the same." in _done(taught("why", SAME))

    graph = _done(taught("why", FLAKY, "--mermaid"))
    assert graph.startswith("flowchart LR\n  n1[[")
    assert "not known yet" in taught("why", FLAKY, "--at", "2025-12-24").output
    told = _json(taught("why", FLAKY, "--json"))
    assert told["mermaid"] == graph
    assert [proof["conversation"] for proof in told["proofs"]] == ["chat-0001", "chat-0003"]
    assert [event["kind"] for event in told["history"]][:3] == [
        "INSIGHT_EXTRACTED",
        "LEARNING_CONFIRMED",
        "LEARNING_RATED",
    ]


def test_learnings_are_judged_and_put_right(taught: Run) -> None:
    assert "rated down, sure 0.80 → 0.60: Run the tests with pnpm" in _done(taught("learnings", "rate", PNPM, "down"))
    assert "rated up" in _done(taught("learnings", "rate", PNPM, "up"))
    assert _json(taught("learnings", "show", PNPM, "--json"))["rated_down"] == 0

    approved = _done(taught("learnings", "approve", PNPM, "aa11flaky"))
    assert "approved: Run the tests with pnpm" in approved
    assert "heedful learnings write" in approved
    assert {one["id"] for one in _lines(taught("learnings", "list", "--approved", "--json"))} == {PNPM, FLAKY}

    assert "version 2: Test with pnpm" in _done(taught("learnings", "edit", PNPM, "--title", "Test with pnpm"))
    edited = _json(taught("learnings", "edit", PNPM, "--tag", "pnpm", "--category", "workflow", "--json"))
    assert (edited["tags"], edited["category"], edited["title"]) == (["pnpm"], "workflow", "Test with pnpm")
    moved = [_json(taught("learnings", "edit", PNPM, "--about", about, "--json"))["about"] for about in ("shop", "")]
    assert moved == ["shop", None]
    assert "No changes were given" in taught("learnings", "edit", PNPM).output


def test_what_was_retired_or_merged_comes_back(taught: Run) -> None:
    assert "approved" in _done(taught("learnings", "approve", QUEUE))
    assert "no longer approved, active" in _done(taught("learnings", "unapprove", QUEUE))
    assert "restore" in _done(taught("learnings", "retire", QUEUE))
    assert "active again, no longer retired" in _done(taught("learnings", "restore", QUEUE))
    assert "already active" in _done(taught("learnings", "restore", QUEUE))

    assert "no longer merged: The upload test is flaky" in _done(taught("learnings", "restore", SAME))
    assert _json(taught("learnings", "show", FLAKY, "--json"))["confirmed"] == 0


def test_deleting_and_forgetting_ask_or_want_a_yes(taught: Run) -> None:
    for words in (("learnings", "delete", PNPM), ("conversations", "forget", "chat-0001")):
        for more in ((), ("--json",)):
            refused = taught(*words, *more)
            assert refused.exit_code == 2
            assert "--yes" in refused.output

    assert "deleted: Run the tests with pnpm" in _done(taught("learnings", "delete", PNPM, "--yes"))
    assert taught("learnings", "show", PNPM).exit_code == 4

    assert "deleted: Thanks, with 2 events" in _done(taught("conversations", "forget", "chat-0004", "--yes"))
    assert taught("conversations", "why", "chat-0004").exit_code == 4
    gone = _json(taught("conversations", "forget", "chat-0002", "--yes", "--json"))
    assert gone["learnings"] == 1
    assert taught("learnings", "show", QUEUE).exit_code == 4


def test_a_part_of_an_id_will_do_if_it_is_the_only_one(taught: Run) -> None:
    assert _json(taught("learnings", "show", "0000003", "--json"))["id"] == QUEUE
    assert _json(taught("conversations", "why", "t-0003", "--json"))["conversation"] == "chat-0003"
    ambiguous = taught("conversations", "why", "chat-0")
    assert ambiguous.exit_code == 2
    assert "chat-0001  Mend the uploads" in ambiguous.output
    assert taught("learnings", "show", "aa").exit_code == 4
    assert "6 characters" in taught("learnings", "show", "aa").output


def test_conversations_tell_what_came_of_them(taught: Run) -> None:
    shown = _done(taught("conversations", "list"))
    assert re.search(r"chat-0002\s+learned 2  Set up the tests\s+claude-code · shop · 14 messages", shown)
    low = _lines(taught("conversations", "list", "--outcome", "low_value", "--json"))
    assert [one["conversation"] for one in low] == ["chat-0004"]
    assert "No conversations match" in _done(taught("conversations", "list", "--outcome", "nothing_found"))

    why = _done(taught("conversations", "why", "chat-0002"))
    assert re.search(r"value\s+0\.42: it is about a technical problem", why)
    assert "It taught something new." in why
    assert re.search(rf"{PNPM}\s+Run the tests with pnpm", why)
    assert "It taught nothing" in _done(taught("conversations", "why", "chat-0004"))


def test_a_conversation_that_was_mined_twice_is_listed_once(taught: Run, database: str) -> None:
    with heedful.open(database) as loop:
        loop.store.record(_conversation("chat-0001", "Mend the uploads", outcome="known")[1:])

    found = _lines(taught("conversations", "list", "--json"))
    assert (found[0]["conversation"], found[0]["outcome"]) == ("chat-0001", "known")
    assert len(found) == 4


def test_a_conversation_that_waits_to_be_mined_can_be_forgotten_by_its_id(taught: Run, database: str) -> None:
    with heedful.open(database) as loop:
        loop.store.record(_conversation("chat-0009", None)[:1])

    assert "not mined yet" in taught("conversations", "why", "chat-0009").output
    assert "with 1 event" in _done(taught("conversations", "forget", "chat-0009", "--yes"))


def test_proposals_are_shown_approved_and_rejected(taught: Run, database: str) -> None:
    merge = _propose(database, Act.MERGE, FLAKY, PNPM)
    rewrite = _propose(
        database, Act.REWRITE, QUEUE, title="Queue the orders", content={"choice": "A queue for all orders."}
    )
    shown = _done(taught("proposals", "list"))
    assert "keep: Flaky upload test: two workers share one folder" in shown
    assert "and merge into it: Run the tests with pnpm" in shown
    assert "as: Queue the orders" in shown
    assert "They say nearly the same." in shown
    in_full = _done(taught("proposals", "show", rewrite[-12:]))
    assert "A queue for all orders." in in_full
    assert "The store is down at night." in in_full
    assert _json(taught("proposals", "show", merge, "--json"))["learnings"][1]["id"] == PNPM

    assert "approved: rewrite: Orders go through a queue" in _done(taught("proposals", "approve", rewrite[-12:]))
    assert _json(taught("learnings", "show", QUEUE, "--json"))["title"] == "Queue the orders"
    assert "rejected: merge" in _done(taught("proposals", "reject", merge, "--why", "they are different"))
    assert _lines(taught("proposals", "list", "--json")) == []
    assert [one["status"] for one in _lines(taught("proposals", "list", "--all", "--json"))] == ["approved", "rejected"]
    assert "rejected" in _done(taught("proposals", "show", merge))


def test_a_proposal_that_cannot_be_done_does_not_stop_the_others(taught: Run, database: str) -> None:
    merge, retire = _propose(database, Act.MERGE, FLAKY, PNPM), _propose(database, Act.RETIRE, QUEUE)
    _done(taught("learnings", "retire", PNPM))

    result = taught("proposals", "approve", merge, retire)
    assert result.exit_code == 1
    assert "no longer active" in result.output
    assert _json(taught("learnings", "show", QUEUE, "--json"))["status"] == "retired"


def test_curation_shows_what_it_proposes(taught: Run) -> None:
    made = _lines(taught("learnings", "curate", "--json"))
    assert [one["status"] for one in made] == ["pending"] * len(made)
    assert "No new proposals" in _done(taught("learnings", "curate"))


# The file that agents read


def test_approved_learnings_are_kept_in_the_agent_file(taught: Run) -> None:
    file = Path("AGENTS.md")
    file.write_bytes(b"\xef\xbb\xbf# Shop\r\n\r\nBe kind.")
    _done(taught("learnings", "approve", PNPM, FLAKY, QUEUE))

    assert taught("learnings", "write", "--check").exit_code == 1
    assert file.read_bytes() == b"\xef\xbb\xbf# Shop\r\n\r\nBe kind."
    assert "AGENTS.md now has 2 approved learnings of shop" in _done(taught("learnings", "write"))
    written = file.read_bytes()
    assert written.startswith(b"\xef\xbb\xbf# Shop\r\n\r\nBe kind.\r\n\r\n" + BEGIN.encode())
    assert written.count(b"\n") == written.count(b"\r\n")
    text = written.decode()
    pnpm = text.index("- Run the tests with pnpm\r\n  Why: npm ignores the lock file.")
    assert text.index("### Commands and workflow") < pnpm < text.index("### Known bugs")
    assert "Orders go through a queue" not in text

    assert "up to date" in _done(taught("learnings", "write", "--check"))
    assert _json(taught("learnings", "write", "--json"))["changed"] is False
    assert file.read_bytes() == written

    file.write_bytes(written + b"More of mine")
    _done(taught("learnings", "retire", PNPM))
    _done(taught("learnings", "write"))
    after = file.read_bytes()
    assert b"pnpm" not in after
    assert after.startswith(written[: written.index(BEGIN.encode())])
    assert after.endswith(END.encode() + b"\r\nMore of mine")


def test_a_gap_in_the_agent_file_is_named(taught: Run) -> None:
    _done(taught("learnings", "edit", PNPM, "--title", "Ask [EMAIL:3f2a] before the tests"))
    _done(taught("learnings", "approve", PNPM, FLAKY))
    written = taught("learnings", "write")
    assert "1 learning has a gap where personal data was redacted" in _done(written)
    assert f"heedful learnings edit {PNPM} --title TEXT" in written.stdout
    assert _json(taught("learnings", "write", "--json"))["redacted"] == [PNPM]


def test_approved_learnings_go_to_another_team(taught: Run, tmp_path: Path) -> None:
    file, other = tmp_path / "team.json", ("--org", "globex")
    assert "heedful learnings approve ID" in _done(taught("export", file))
    _done(taught("learnings", "approve", PNPM, QUEUE))

    assert "2 learnings in" in _done(taught("export", file, "--only", "learnings"))
    assert _json(taught("export", file, "--about", "shop", "--json"))["learnings"] == 1
    assert "1 learning imported" in _done(taught("import", file, *other))
    assert "nothing changed" in _done(taught("import", file, *other))
    assert [one["approved"] for one in _lines(taught("learnings", "list", "--json", *other))] == [False]
    _done(taught("export", file))
    assert "2 learnings imported, 1 known already" in _done(taught("import", file, *other))


def test_a_section_is_emptied_when_nothing_is_approved_any_more(taught: Run) -> None:
    _done(taught("learnings", "approve", PNPM))
    _done(taught("learnings", "write", "--to", "docs/CLAUDE.md", "--about", "shop"))
    assert "pnpm" in Path("docs/CLAUDE.md").read_text()

    _done(taught("learnings", "retire", PNPM))
    assert taught("learnings", "write", "--to", "docs/CLAUDE.md", "--about", "shop", "--check").exit_code == 1
    shown = _done(taught("learnings", "write", "--to", "docs/CLAUDE.md", "--about", "shop"))
    assert "now has no approved learnings of shop" in shown
    assert "heedful learnings approve ID" in shown
    left = Path("docs/CLAUDE.md").read_text()
    assert "pnpm" not in left
    assert (BEGIN in left, END in left) == (True, True)


def test_the_project_is_the_folder_of_the_repository(taught: Run, tmp_path: Path) -> None:
    inner = tmp_path / "till" / "docs" / "agents"
    inner.mkdir(parents=True)
    _done(taught("learnings", "approve", QUEUE))

    elsewhere = _done(taught("learnings", "write", "--to", inner / "AGENTS.md"))
    assert "No learnings are approved for agents" in elsewhere
    assert "Other projects have approved learnings (--about): till" in elsewhere
    (tmp_path / "till" / ".git").write_text("gitdir: elsewhere\n")
    assert _json(taught("learnings", "write", "--to", inner / "AGENTS.md", "--json"))["project"] == "till"
    assert "Orders go through a queue" in (inner / "AGENTS.md").read_text()


def test_a_link_stays_a_link_and_permissions_stay(taught: Run, tmp_path: Path) -> None:
    real = tmp_path / "real.md"
    real.write_text("# Shop\n")
    real.chmod(0o640)
    Path("CLAUDE.md").symlink_to(real)
    _done(taught("learnings", "approve", PNPM))

    _done(taught("learnings", "write", "--to", "CLAUDE.md"))
    assert Path("CLAUDE.md").is_symlink()
    assert "pnpm" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path / "shop")) == ["CLAUDE.md"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (BEGIN.encode(), "do not match"),
        (f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n".encode(), "do not match"),
        (b"\xff\xfe#\x00", "not UTF-8"),
    ],
)
def test_a_file_that_is_not_understood_is_left_as_it_is(taught: Run, content: bytes, says: str) -> None:
    Path("AGENTS.md").write_bytes(content)
    _done(taught("learnings", "approve", PNPM))

    refused = taught("learnings", "write")
    assert refused.exit_code == 2
    assert says in refused.output
    assert Path("AGENTS.md").read_bytes() == content


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["learnings", "show", "not-here-at-all"], 4, "no learning"),
        (["why", "\x00" * 8], 2, "id"),
        (["why", FLAKY, "--at", "yesterday"], 2, "not a time"),
        (["learnings", "rate", FLAKY, "sideways"], 2, "sideways"),
        (["learnings", "approve"], 2, "ID"),
        (["learnings", "approve", PNPM, "not-here-at-all"], 4, "no learning"),
        (["learnings", "retire", FLAKY, "--why", "x" * 5_000], 2, "500 are allowed"),
        (["learnings", "edit", FLAKY, "--title", "x" * 5_000], 2, "100 are allowed"),
        (["learnings", "edit", FLAKY, "--part", "why", "\udcff"], 2, "invalid Unicode"),
        (["learnings", "list", "--category", "odd"], 2, "odd"),
        (["learnings", "list", "--limit", "0"], 2, "0"),
        (["learnings", "search", "x", "--limit", "5000"], 2, "5000"),
        (["learnings", "search", "\udcff"], 2, "invalid Unicode"),
        (["learnings", "write", "--to", "."], 2, "not a file"),
        (["conversations", "why", "not-here-at-all"], 4, "not known here"),
        (["conversations", "forget", "not-here-at-all", "--yes"], 4, "not known here"),
        (["proposals", "show", "not-here-at-all"], 4, "no proposal"),
        (["proposals", "approve", "not-here-at-all"], 4, "no proposal"),
    ],
)
def test_wrong_input_gets_a_reason_and_an_exit_code(taught: Run, words: list[str], code: int, says: str) -> None:
    result = taught(*words)

    assert result.exit_code == code, result.output
    assert says in re.sub(r"\s+", " ", result.output)
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert _lines(taught("learnings", "list", "--approved", "--json")) == []


@pytest.mark.parametrize("columns", [1, 20, 44, 80])
def test_every_screen_fits_a_narrow_terminal(
    taught: Run, database: str, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    merge = _propose(database, Act.MERGE, FLAKY, PNPM)

    for words in (
        ("learnings", "list"),
        ("learnings", "search", "upload test"),
        ("learnings", "show", FLAKY),
        ("why", FLAKY),
        ("conversations", "list"),
        ("conversations", "why", "chat-0002"),
        ("proposals", "list"),
        ("proposals", "show", merge),
    ):
        shown = _done(taught(*words))
        assert columns < 80 or all(len(line) <= columns for line in shown.splitlines() if "heedful" not in line), shown


def test_what_people_wrote_does_not_steer_the_terminal(run: Run, database: str) -> None:
    odd = "[red]b\u202e\x1b[2J"
    with heedful.open(database) as loop:
        drafts = _conversation("chat-odd-1", odd, learned=["steering"])
        evil = _learned(
            "steering", odd, {"what": odd, "fix": odd}, project="shop", summary=odd, conversation="chat-odd-1"
        )
        loop.store.record([*drafts, evil, _about("steering", events.RETIRED, {"why": odd})])
        loop.store.record([_about("steering", events.RESTORED, {})])
        insights(loop).approve("steering")
    merge = _propose(database, Act.REWRITE, "steering", title=odd, content={"what": odd})

    for words in (
        ("learnings", "list"),
        ("learnings", "search", "red"),
        ("learnings", "show", "steering"),
        ("why", "steering"),
        ("conversations", "list"),
        ("conversations", "why", "chat-odd-1"),
        ("proposals", "list"),
        ("proposals", "show", merge),
    ):
        shown = _done(run(*words))
        assert "[red]b" in shown, words
        assert not {"\x1b", "\u202e"} & set(shown)

    _done(run("learnings", "write"))
    assert not {"\x1b", "\u202e"} & set(Path("AGENTS.md").read_text())
