"""Conversations are handed in and mined: each message once, each conversation once in effect, on every database."""

from __future__ import annotations

import importlib
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest

import heedful
from heedful import JobState
from heedful.edges.worker import Worker
from heedful.errors import Conflict, HeedfulError, InvalidInput, NotFound
from heedful.learnings.events import LEARNING_EVENTS, REPORTED
from heedful.operations.caller import Caller, acting
from heedful.records.mining import MiningOutcome, request_of
from heedful.records.role import Role
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import DeafEmbedder, WordEmbedder, rows, vectors
from tests.contract.mining import (
    LINT,
    NO_LINT,
    OTHER_TASK,
    RULES,
    PlainReader,
    active,
    confirmations,
    hand_in,
    mined,
    of_conversation,
    small_talk,
    talk,
    taught,
    teach,
    whole,
)
from tests.dying import Say, run_until_death
from tests.typed import insights

MINE = "conversation.mine"


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder(), reader=PlainReader())


def _queued(loop: heedful.Loop) -> list[str]:
    return sorted(job.payload["conversation"] for job in loop.jobs.all(state=JobState.QUEUED, name=MINE))


def _said(loop: heedful.Loop, conversation: str) -> list[str]:
    return [event.after["text"] for event in loop.events(kind="MESSAGE_SAID", entity=("conversation", conversation))]


# Handed in


def test_a_complete_conversation_is_mined_by_a_worker(loop: heedful.Loop) -> None:
    received = loop.capture.conversation(talk(LINT), id="chat", tool="bot", project="shop", title="Billing")
    assert (received.conversation, received.new, received.known, received.queued) == ("chat", 4, 0, True)
    assert _queued(loop) == ["chat"]

    Worker(loop).run_all()

    (job,) = loop.jobs.all(name=MINE)
    assert job.state is JobState.COMPLETED
    told = loop.govern.conversations.get("chat")
    assert (told.tool, told.project, told.title, told.messages) == ("bot", "shop", "Billing", 4)
    (one,) = active(loop)
    assert (told.outcome, told.learned, told.confirmed) == (MiningOutcome.LEARNED, (one.id,), ())
    assert "`make lint`" in one.title
    assert (one.rule, one.about, one.conversation, one.version) == (True, "shop", "chat", 1)
    assert vectors(loop).keys() == {no for (no,) in rows(loop, "learning", "no")}
    whole(loop)


def test_why_names_messages_that_are_recorded_and_quotes_what_they_say(loop: heedful.Loop) -> None:
    for number, rule in enumerate(RULES):
        teach(loop, f"chat{number}", rule, project="shop")

    assert len(active(loop)) >= len(RULES) - 1
    for one in active(loop):
        why = insights(loop).why(one.id)
        assert why.learning == one
        assert [event.kind for event in why.history] == ["INSIGHT_EXTRACTED"]
        (proof,) = why.proofs
        assert (proof.learning, proof.conversation) == (one.id, one.conversation)
        assert proof.quotes
        for quote in proof.quotes:
            said = loop.event(quote.message)
            assert said.entity == ("conversation", one.conversation)
            assert said.meta["role"] == quote.role
            assert quote.text in said.after["text"]


def test_a_conversation_that_teaches_nothing_tells_why(loop: heedful.Loop) -> None:
    loop.capture.conversation(small_talk(), id="thanks")
    Worker(loop).run_all()

    told = loop.govern.conversations.get("thanks")
    assert told.outcome not in (MiningOutcome.LEARNED, MiningOutcome.KNOWN)
    assert (told.learned, told.messages) == ((), 2)
    assert told.findings
    assert all(finding.step and finding.says for finding in told.findings)


def test_what_nobody_handed_in_is_not_found(loop: heedful.Loop) -> None:
    hand_in(loop, "waiting", LINT)
    conversations = loop.govern.conversations
    for ask in (loop.learn.mine, loop.capture.complete, conversations.get, conversations.delete):
        with pytest.raises(NotFound, match="elsewhere"):
            ask("elsewhere")
    with pytest.raises(NotFound, match="was not mined yet"):
        loop.govern.conversations.get("waiting")


def test_handing_in_the_same_again_adds_nothing(loop: heedful.Loop) -> None:
    for named in (True, False):
        messages = talk(LINT, named=named)
        loop.capture.conversation(messages, id=f"chat {named}", project="shop")
        Worker(loop).run_all()
        before = list(loop.events())
        for title in ("Billing", None):
            again = loop.capture.conversation(messages, id=f"chat {named}", project="other", title=title)
            assert (again.new, again.known, again.queued) == (0, 4, False)

        assert list(loop.events()) == before
        assert _queued(loop) == []


def test_what_has_grown_adds_what_is_new_and_is_mined_again(loop: heedful.Loop) -> None:
    for named in (True, False):
        short, long = talk(LINT, named=named), talk(LINT, RULES[1], named=named)
        loop.capture.conversation(short, id=f"chat {named}")
        Worker(loop).run_all()
        grown = loop.capture.conversation(long, id=f"chat {named}")
        # What is said in the same words at the same time is told apart by how often it was said.
        assert (grown.new, grown.known, grown.queued) == (2, 4, True)
        Worker(loop).run_all()

        assert _said(loop, f"chat {named}") == [message["text"] for message in long]
        assert mined(loop)[f"chat {named}"] == 2
        assert loop.govern.conversations.get(f"chat {named}").messages == 6
    assert len(active(loop)) == 2
    assert len(confirmations(loop)) == 2  # what the other conversation taught as well, once each
    whole(loop)


def test_parts_are_mined_when_the_last_one_is_there(loop: heedful.Loop) -> None:
    messages = talk(LINT)
    for message in messages:
        received = loop.capture.conversation([message], id="chat", complete=False, project="shop")
        assert (received.new, received.queued) == (1, False)
    assert (_queued(loop), mined(loop)) == ([], {})

    assert loop.capture.complete("chat").queued
    assert not loop.capture.complete("chat").queued
    Worker(loop).run_all()
    assert not loop.capture.complete("chat").queued

    assert mined(loop) == {"chat": 1}
    assert [one.about for one in active(loop)] == ["shop"]
    assert len(list(loop.events(kind="CONVERSATION_STARTED"))) == 1


def test_what_is_said_while_it_is_mined_is_mined_as_well(open_loop: OpenLoop) -> None:
    """The note of the mining comes after the message in the log, which nevertheless was not mined."""

    class Interrupted(WordEmbedder):
        def embed(self, texts: Any) -> Any:
            if not self.asked:
                other.capture.conversation(talk(LINT, RULES[1])[4:], id="chat", complete=False)
            return super().embed(texts)

    other = open_loop(embedder=WordEmbedder(), reader=PlainReader())
    loop = open_loop(embedder=Interrupted(), reader=PlainReader())
    hand_in(loop, "chat", LINT)
    assert loop.learn.mine("chat").messages == 4

    assert loop.capture.complete("chat").queued
    Worker(loop).run_all()
    assert loop.govern.conversations.get("chat").messages == 6
    assert len(active(loop)) == 2


def test_what_nobody_said_is_not_kept(loop: heedful.Loop) -> None:
    told = [{"role": "system", "text": "You are a helpful duck."}, *talk(LINT), {"role": "tool", "text": ""}]
    told[1]["text"] += " <heedful>A learning of before.</heedful>"
    assert loop.capture.conversation(told, id="chat").new == 4

    assert not any("duck" in text or "before." in text for text in _said(loop, "chat"))


def test_a_message_that_comes_twice_in_one_part_is_one_message(loop: heedful.Loop) -> None:
    messages = talk(LINT)
    received = loop.capture.conversation([*messages, messages[2], {**messages[3], "text": "Another."}], id="chat")

    assert (received.new, received.known) == (4, 2)
    assert _said(loop, "chat") == [message["text"] for message in messages]


def test_messages_of_two_conversations_are_never_taken_for_one_another(loop: heedful.Loop) -> None:
    for conversation, message in (("a/b", "c"), ("a", "b/c"), ("message", "x"), ("start", "x")):
        told = [{"role": "user", "text": f"{conversation} {message}", "id": message}]
        assert loop.capture.conversation(told, id=conversation).new == 1
        assert _said(loop, conversation) == [f"{conversation} {message}"]


def test_an_id_that_another_event_has_is_a_conflict(loop: heedful.Loop) -> None:
    loop.capture.event("FIELD_SET", id="chat/m2")
    with pytest.raises(Conflict):
        hand_in(loop, "chat", LINT)

    assert [event.kind for event in loop.events()] == ["FIELD_SET"]


NO_MESSAGES: list[Any] = [
    7,
    {},
    {"role": "boss", "text": "Hello"},
    {"role": ["user"], "text": "Hello"},
    {"role": "user", "text": "Hello", "tools": [{"name": ["Bash"]}]},
    {"role": "user", "text": 7},
    {"role": "user", "text": "x" * 200_001},
    {"role": "user", "text": "Hello", "colour": "red"},
    {"role": "user", "text": "Hello", "id": ""},
    {"role": "user", "text": "Hello", "id": 7},
    {"role": "user", "text": "Hello", "at": "yesterday"},
    {"role": "user", "text": "Hello", "tools": "Bash"},
    {"role": "user", "text": "Hello", "tools": [{"input": "ls"}]},
    {"role": "user", "text": "Hello", "failed": "yes"},
    {"role": "user", "content": [7]},
    {"role": "user", "content": {"type": "text", "text": "Hello"}},
    {"role": "user", "content": None},
    {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash", "input": {"n": float("nan")}}]},
    {"role": "assistant", "text": "", "tools": [{"name": "Bash", "input": {"n": float("inf")}}]},
    {"role": "assistant", "text": "", "tools": [{"name": "Bash", "input": 7}]},
    {"role": "assistant", "content": None, "tool_calls": [{"function": "Bash"}]},
]

AS_APIS_TELL: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "Why does the"}, {"type": "text", "text": "build fail?"}]},
    {
        "id": "msg_1", "type": "message", "model": "a-model", "role": "assistant", "usage": {},
        "content": [
            {"type": "thinking", "thinking": "Hm."},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make build"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "content": [{"type": "text", "text": "no rule"}], "is_error": True}
        ],
    },
    {
        "role": "assistant", "content": None, "refusal": None, "annotations": [], "audio": None,
        "tool_calls": [{"id": "t2", "type": "function", "function": {"name": "grep", "arguments": "{\"q\": 1}"}}],
    },
    {"role": "tool", "tool_call_id": "t2", "content": "Makefile:3"},
    {"role": "assistant", "text": "Done.", "tools": [{"name": "Edit", "input": {"path": "Makefile"}}]},
]  # fmt: skip


def test_messages_are_taken_as_the_apis_of_language_models_tell_them(loop: heedful.Loop) -> None:
    received = loop.capture.conversation(AS_APIS_TELL, id="chat")

    said = [
        (event.meta["role"], event.after["text"], event.meta.get("tools"), event.meta.get("failed"))
        for event in loop.events(kind="MESSAGE_SAID")
    ]
    assert said == [
        ("user", "Why does the\n\nbuild fail?", None, None),
        ("assistant", "I look.", [["Bash", "make build"]], None),
        ("tool", "no rule", None, True),
        ("assistant", "", [["grep", '{"q": 1}']], None),
        ("tool", "Makefile:3", None, None),
        ("assistant", "Done.", [["Edit", "Makefile"]], None),
    ]
    assert (received.new, loop.capture.conversation(AS_APIS_TELL, id="chat").new) == (6, 0)


def test_what_is_no_message_is_refused_and_nothing_is_kept(loop: heedful.Loop) -> None:
    for bad in NO_MESSAGES:
        with pytest.raises(HeedfulError):
            loop.capture.conversation([*talk(LINT), bad], id="chat")
    for options in ({"id": ""}, {"id": "x", "tool": ""}, {"id": "x", "complete": 1}, {"id": "x", "project": "\n"}):
        with pytest.raises(HeedfulError):
            loop.capture.conversation(talk(LINT), **options)
    with pytest.raises(InvalidInput, match="too many"):
        loop.capture.conversation(small_talk() * 2_501, id="chat")

    assert list(loop.events()) == []


def test_odd_messages_are_mined_like_others(loop: heedful.Loop) -> None:
    odd = ["\0", "a\0b\x1b[0m", "\u0301" * 9_000, "#" * 50_000, "🦆" * 9_000, "`" * 3_000, "-" * 3_000, "\r\n\t " * 99]
    told = [{"role": role, "text": text} for text in odd for role in ("user", "assistant", "tool")]
    loop.capture.conversation([*talk(LINT), *told], id="chat")

    assert len(loop.learn.mine("chat").learned) == 1
    whole(loop)


def test_only_heedful_records_what_learnings_are_made_of(loop: heedful.Loop) -> None:
    learnings = set(LEARNING_EVENTS) - {REPORTED}  # a correction may be reported as an event, too
    for kind in (*learnings, "CONVERSATION_MINED", "MESSAGE_SAID", "PROPOSAL_MADE"):
        with acting(Caller("acme", Role.ADMIN, "k", "desk")), pytest.raises(HeedfulError):
            loop.capture.event(kind, after={"title": "t", "content": {"what": "c"}})


# Once


def test_mining_twice_is_mining_once(loop: heedful.Loop) -> None:
    first = teach(loop, "chat", LINT, RULES[1])
    before = list(loop.events())

    assert loop.learn.mine("chat") == first
    assert list(loop.events()) == before


def test_two_workers_at_once_mine_each_conversation_once(open_loop: OpenLoop) -> None:
    loops = [open_loop(embedder=WordEmbedder(), reader=PlainReader()) for _ in range(2)]
    for number in range(24):
        hand_in(loops[0], f"chat{number}", RULES[number % len(RULES)])
    start = threading.Barrier(4)

    def mine(number: int) -> None:
        start.wait()
        loop = loops[number % 2]
        Worker(loop).run_all()
        for at in range(24):  # and somebody who does not wait for them
            loop.learn.mine(f"chat{(at * 5 + number) % 24}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(mine, range(4)))

    loop = loops[0]
    assert mined(loop) == {f"chat{number}": 1 for number in range(24)}
    assert len(active(loop)) == len(RULES)
    assert len(confirmations(loop)) == len(set(confirmations(loop))) == 24 - len(RULES)
    whole(loop)


def test_the_same_words_at_once_are_one_insight(open_loop: OpenLoop) -> None:
    """No two that hold may say the same, whoever comes first."""
    loops = [open_loop(embedder=DeafEmbedder(), reader=PlainReader()) for _ in range(4)]
    for number in range(4):
        hand_in(loops[0], f"chat{number}", LINT)
    start = threading.Barrier(4)

    def mine(number: int) -> None:
        start.wait()
        loops[number].learn.mine(f"chat{number}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(mine, range(4)))

    (one,) = active(loops[0])
    assert one.confirmed == 3
    whole(loops[0])


def _mine_until_killed(_: Say, database: str, now: datetime) -> None:
    with heedful.open(database, org="acme", embedder=WordEmbedder(), reader=PlainReader(), clock=lambda: now) as loop:
        Worker(loop).run_all()


MANY = 60


@pytest.mark.slow
def test_workers_that_are_killed_lose_no_conversation_and_mine_none_twice(database: str, clock: FrozenClock) -> None:
    random_ = random.Random(7)
    with heedful.open(database, org="acme", embedder=WordEmbedder(), reader=PlainReader(), clock=clock) as loop:
        for number in range(MANY):
            hand_in(loop, f"chat{number}", *random_.sample(RULES, 2), task=f"Please add the endpoint {number}.")
        for _ in range(10):
            run_until_death(_mine_until_killed, database, clock(), statement=random_.randint(1, 500))
            clock.advance(hours=1)  # the lease of the dead runs out
        assert 0 < sum(mined(loop).values()) < MANY
        Worker(loop).run_all()

        assert loop.jobs.count_by_state()[JobState.COMPLETED] == MANY
        assert mined(loop) == {f"chat{number}": 1 for number in range(MANY)}
        found = list(loop.events(kind="INSIGHT_EXTRACTED"))
        assert len({event.id for event in found}) == len(found)
        assert {event.entity.id for event in found if event.entity} == mined(loop).keys()
        whole(loop)


def test_a_conversation_that_is_deleted_while_it_is_mined_teaches_nothing(open_loop: OpenLoop) -> None:
    class Interrupted(WordEmbedder):
        def embed(self, texts: Any) -> Any:
            other.govern.conversations.delete("chat")
            return super().embed(texts)

    other = open_loop(embedder=WordEmbedder(), reader=PlainReader())
    loop = open_loop(embedder=Interrupted(), reader=PlainReader())
    hand_in(loop, "chat", LINT)
    with pytest.raises(NotFound):
        loop.learn.mine("chat")

    assert [event.kind for event in loop.events()] == ["AUDIT_CONVERSATION_DELETED"]
    assert rows(loop, "learning") == rows(loop, "posting") == rows(loop, "learning_signature") == []


def test_a_job_for_a_conversation_that_is_gone_is_done(loop: heedful.Loop) -> None:
    hand_in(loop, "chat", LINT)
    loop.govern.conversations.delete("chat")
    assert list(loop.jobs.all(name=MINE)) == []  # it went with the conversation
    loop.jobs.put(request_of("chat"))
    Worker(loop).run_all()

    assert {job.state for job in loop.jobs.all(name=MINE)} == {JobState.COMPLETED}


def test_without_vectors_what_is_said_again_is_still_recognised(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=DeafEmbedder(), reader=PlainReader())
    first = taught(loop, "a", LINT)
    again = taught(loop, "b", LINT)

    assert (again.status, again.superseded_by) == ("merged", first.id)
    whole(loop)


# Other versions of the extraction


@pytest.fixture
def extraction(monkeypatch: pytest.MonkeyPatch) -> Any:
    miner = importlib.import_module("heedful.learn.conversations.miner")
    return lambda version: monkeypatch.setattr(miner, "EXTRACTION", version)


@pytest.fixture
def finds(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Have the next extraction find other words, or nothing."""
    miner = importlib.import_module("heedful.learn.conversations.miner")
    run = miner.run

    def find(change: Any) -> None:
        from dataclasses import replace

        def changed(case: Any) -> Any:
            made = run(case)
            insights = [replace(one, candidate=new) for one in made.insights if (new := change(one.candidate))]
            return replace(made, insights=tuple(insights))

        monkeypatch.setattr(miner, "run", changed)

    return find


def _reworded(candidate: Any) -> Any:
    from dataclasses import replace

    return replace(candidate, content={**candidate.content, "how": "Type it into a shell, and wait for it."})


def test_a_newer_extraction_changes_nothing_when_it_is_run_again(
    loop: heedful.Loop, extraction: Any, finds: Any
) -> None:
    for number, rule in enumerate(RULES):
        teach(loop, f"chat{number}", rule)
    extraction("newer")
    finds(_reworded)
    for number in range(len(RULES)):
        loop.learn.mine(f"chat{number}")
    before = list(loop.events())
    assert mined(loop) == {f"chat{number}": 2 for number in range(len(RULES))}
    for number in range(len(RULES)):
        loop.learn.mine(f"chat{number}")

    assert list(loop.events()) == before
    whole(loop)


def test_a_newer_extraction_rewords_what_nobody_touched(loop: heedful.Loop, extraction: Any, finds: Any) -> None:
    plain, approved, edited, confirmed = (taught(loop, f"c{n}", RULES[n]) for n in range(4))
    insights(loop).approve(approved.id)
    insights(loop).edit(edited.id, title="In a person's words")
    teach(loop, "again", RULES[3], task=OTHER_TASK)
    extraction("newer")
    finds(_reworded)
    for number in range(4):
        loop.learn.mine(f"c{number}")

    assert insights(loop).get(plain.id).content["how"].endswith("wait for it.")
    assert insights(loop).get(plain.id).version == 2
    assert insights(loop).why(plain.id).history[-1].kind == "LEARNING_EDITED"
    for one in (approved, confirmed):
        assert insights(loop).get(one.id).content == one.content
    assert insights(loop).get(edited.id).title == "In a person's words"
    assert len(active(loop)) == 4
    whole(loop)


def test_a_newer_extraction_retires_what_it_does_not_find_unless_somebody_cared(
    loop: heedful.Loop, extraction: Any, finds: Any
) -> None:
    lost, rated, approved, edited, confirmed = (taught(loop, f"c{n}", RULES[n]) for n in range(5))
    insights(loop).rate(rated.id, up=True)
    insights(loop).approve(approved.id)
    insights(loop).edit(edited.id, title="In a person's words")
    teach(loop, "again", RULES[4], task=OTHER_TASK)
    extraction("newer")
    finds(lambda _: None)
    for number in range(5):
        loop.learn.mine(f"c{number}")

    assert insights(loop).get(lost.id).status == "retired"
    assert {one.id for one in active(loop)} == {rated.id, approved.id, edited.id, confirmed.id}
    assert any(lost.id in finding.says for finding in loop.govern.conversations.get("c0").findings)
    whole(loop)


def test_what_an_extraction_retired_may_be_learned_again(
    loop: heedful.Loop, extraction: Any, finds: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = taught(loop, "a", LINT)
    extraction("newer")
    with monkeypatch.context():
        finds(lambda _: None)
        loop.learn.mine("a")
    extraction("after that")
    finds(lambda candidate: candidate)
    loop.learn.mine("a")

    assert insights(loop).get(lost.id).status == "active"  # in the same conversation, under the same name
    assert taught(loop, "b", LINT).superseded_by == lost.id
    whole(loop)


def test_what_an_extraction_retired_may_be_learned_elsewhere(loop: heedful.Loop, extraction: Any, finds: Any) -> None:
    taught(loop, "a", LINT)
    extraction("newer")
    finds(lambda _: None)
    loop.learn.mine("a")
    finds(lambda candidate: candidate)
    other = taught(loop, "b", NO_LINT.replace("never", "always"))

    assert other.status == "active"
    whole(loop)


# How it fares


def test_reports_tell_what_came_of_conversations(loop: heedful.Loop, clock: FrozenClock) -> None:
    teach(loop, "a", LINT, actor="dana")
    clock.advance(days=1)
    teach(loop, "b", LINT, task=OTHER_TASK, actor="lee")
    loop.capture.conversation(small_talk(), id="c")
    loop.learn.mine("c")
    for _ in range(2):
        report = loop.measure.mining()
        assert (report.conversations, report.learnings) == (3, 1)
        assert report.outcomes["learned"] == report.outcomes["known"] == 1
        assert sum(report.duplicates.values()) == 1
        assert report.extraction_rate == pytest.approx(1 / 3)
        loop.learn.rebuild()
    assert len(of_conversation(loop, "b")) == 1


def test_a_new_title_replaces_the_sentence_that_said_the_old_one(loop: heedful.Loop) -> None:
    one = taught(loop, "monday", LINT)
    edited = insights(loop).edit(one.id, title="Run `just lint` before you commit")
    assert edited.content["what"] == "Run `just lint` before you commit"
    assert "make lint" not in loop.apply.context("lint before a commit", about="shop").text
    both = insights(loop).edit(one.id, title="Lint before you commit", content={"what": "Run `just lint`."})
    assert both.content["what"] == "Run `just lint`."
