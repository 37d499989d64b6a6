"""Reviewers' decisions in a Redis stream become reviews: each of them, once, whatever dies meanwhile."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful import errors
from heedful.edges import redis as edge
from heedful.edges.cli import main
from heedful.edges.redis import Consumer, ConsumerProgress, arguments, connect
from heedful.store.postgres import _PostgresTransaction
from heedful.store.sqlite import _SqliteTransaction
from tests.redis_server import RedisServer

STREAM = "asdlc:events:hitl_decisions"
DEAD = f"{STREAM}:dead"
GROUP = "heedful"

Run = Callable[..., Result]
Watch = Callable[[Consumer, ConsumerProgress], None]


@pytest.fixture
def server() -> Iterator[RedisServer]:
    running = RedisServer()
    yield running
    running.close()


@pytest.fixture
def run(database: str, server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Records what is in the stream."""
    monkeypatch.setenv("HEEDFUL_DATABASE", database)
    monkeypatch.setenv("HEEDFUL_ORG", "acme")
    return lambda *words: CliRunner().invoke(main, ["consume", server.url, "--once", *words])


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge, "_FIRST_PAUSE", 0.01)
    monkeypatch.setattr(edge, "_POLL_SECONDS", 0.05)


def decision(id: str, **fields: str) -> dict[str, str]:
    return {
        "decision_id": id,
        "gate_id": "HITL-2",
        "epic_id": "E-7",
        "task_id": "T-12",
        "decision": "APPROVED_WITH_CHANGES",
        "reviewer_id": "lee",
        "timestamp": "2026-01-05T09:00:00Z",
        "review_duration_seconds": "94.6",
        "agent_output_sha": "a" * 64,
        "approved_output_sha": "b" * 64,
        "correction_diff_path": "null",
        "reviewer_comment": "Validate input at the boundary.",
        "tags": '["security", "api"]',
        **fields,
    }


def send(server: RedisServer, *messages: dict[str, str]) -> list[str]:
    """All at once, as far as consumers can see."""
    with server.client.pipeline() as pipeline:
        for message in messages:
            pipeline.xadd(STREAM, message)
        return list(pipeline.execute())


def reviews(loop: heedful.Loop) -> list[str]:
    return sorted(review.id for review in loop.learn.reviews.all())


def dead_letters(server: RedisServer) -> list[dict[str, str]]:
    return [fields for _, fields in server.client.xrange(DEAD)]


def pending(server: RedisServer) -> int:
    return int(server.client.xpending(STREAM, GROUP)["pending"])


def read_and_die(server: RedisServer, name: str, *, seconds_ago: int = 0, deliveries: int = 1) -> str:
    """What a consumer leaves that reads a message and dies before it does anything."""
    ((_, ((id, _),)),) = server.client.xreadgroup(GROUP, name, {STREAM: ">"}, count=1)
    server.client.xclaim(STREAM, GROUP, name, 0, [id], idle=1000 * seconds_ago, retrycount=deliveries)
    return str(id)


def follow(loop: heedful.Loop, server: RedisServer, watch: Watch, name: str = "one", **options: Any) -> None:
    """Follows the stream until `watch` stops the consumer, or fails."""
    failed: list[BaseException] = []

    def watch_closely(progress: ConsumerProgress) -> None:
        try:
            watch(consumer, progress)
        except BaseException as error:
            failed.append(error)
            consumer.stop()

    with connect(server.url) as client:
        consumer = Consumer(
            loop, client, stream=STREAM, group=GROUP, name=name, dead_letter=DEAD, watch=watch_closely, **options
        )
        consumer.run()
    if failed:
        raise failed[0]


def test_a_message_becomes_a_review(run: Run, server: RedisServer, loop: heedful.Loop) -> None:
    loop.govern.set_privacy(anonymize_users=False)
    send(server, decision("d-1"))

    result = run()

    assert (result.exit_code, result.stdout) == (0, "1 review recorded, 0 dead letters\n")
    review = loop.learn.reviews.get("d-1")
    assert (review.agent, review.gate, review.epic, review.task) == ("HITL-2", "HITL-2", "E-7", "T-12")
    assert (review.decision, review.reviewer, review.seconds) == ("APPROVED_WITH_CHANGES", "lee", 95)
    assert review.at == datetime(2026, 1, 5, 9, tzinfo=UTC)
    assert (review.comment, review.tags) == ("Validate input at the boundary.", ("api", "security"))
    assert (review.output_sha, review.approved_sha, review.diff_path) == ("a" * 64, "b" * 64, None)
    assert pending(server) == 0


@pytest.mark.parametrize("field", ["data", "event", "payload", "json"])
def test_a_message_may_be_one_field_of_json(field: str, run: Run, server: RedisServer, loop: heedful.Loop) -> None:
    document = {
        **decision("d-1", agent="coder", output="return x", approved_output="return check(x)"),
        "task_id": None,
        "review_duration_seconds": 12,
        "timestamp": 1_767_603_600.5,
        "tags": ["security"],
    }
    send(server, {"type": "HITLDecisionEvent", field: json.dumps(document)})

    assert run().exit_code == 0
    review = loop.learn.reviews.get("d-1")
    assert (review.agent, review.task, review.seconds, review.tags) == ("coder", None, 12, ("security",))
    assert review.at == datetime(2026, 1, 5, 9, 0, 0, 500_000, tzinfo=UTC)
    assert (review.output, review.approved) == ("return x", "return check(x)")


def test_the_name_of_the_type_of_an_event_is_no_event() -> None:
    document = json.dumps(decision("d-1")).encode()
    assert arguments({b"event": b"HITLDecisionEvent", b"data": document})["id"] == "d-1"


@pytest.mark.parametrize(
    ("fields", "words", "agent"),
    [
        ({"agent": "coder", "agent_name": "other"}, ["--agent", "tester"], "coder"),
        ({"agent_name": "coder"}, ["--agent", "tester"], "coder"),
        ({"agent": ""}, ["--agent", "tester"], "tester"),
        ({}, [], "HITL-2"),
    ],
)
def test_the_agent_is_named_by_the_message_else_by_the_command_else_by_the_gate(
    fields: dict[str, str], words: list[str], agent: str, run: Run, server: RedisServer, loop: heedful.Loop
) -> None:
    send(server, decision("d-1", **fields))
    assert run(*words).exit_code == 0
    assert loop.learn.reviews.get("d-1").agent == agent


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("2026-01-05T10:00:00+01:00", datetime(2026, 1, 5, 9, tzinfo=UTC)),
        ("2026-01-05T09:00:00", datetime(2026, 1, 5, 9, tzinfo=UTC)),
        ("2026-01-05", datetime(2026, 1, 5, tzinfo=UTC)),
        ("1767603600", datetime(2026, 1, 5, 9, tzinfo=UTC)),
        ("1767603600.25", datetime(2026, 1, 5, 9, 0, 0, 250_000, tzinfo=UTC)),
    ],
)
def test_times_are_iso_8601_or_seconds(sent: str, meant: datetime) -> None:
    fields = {name.encode(): value.encode() for name, value in decision("d-1", timestamp=sent).items()}
    assert arguments(fields)["at"] == meant


@pytest.mark.parametrize("sent", ['["api", "security"]', "api,security", " api , security,", '["api", "", "security"]'])
def test_tags_are_a_json_list_or_names_with_commas(sent: str) -> None:
    assert arguments({b"decision_id": b"d", b"decision": b"APPROVED", b"agent": b"a", b"tags": sent.encode()})[
        "tags"
    ] == ["api", "security"]


def test_what_is_empty_or_null_or_missing_is_not_said() -> None:
    few = {b"decision_id": b"d-1", b"decision": b"APPROVED", b"gate_id": b"HITL-1"}
    empty = {name.encode(): b"" for name in decision("d-1")} | few
    null = {name.encode(): b"null" for name in decision("d-1")} | few
    nothing = {
        b"data": json.dumps(dict.fromkeys(decision("d-1")) | {k.decode(): v.decode() for k, v in few.items()}).encode()
    }
    wanted = {"id": "d-1", "decision": "APPROVED", "gate": "HITL-1", "agent": "HITL-1"}
    assert arguments(few) == arguments(empty) == arguments(null) == arguments(nothing) == wanted


def test_a_diff_is_read_from_the_folder_of_diffs_if_there_is_one(
    run: Run, server: RedisServer, loop: heedful.Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "d-2.patch").write_text("--- a\n+++ b\n@@ -1 +1 @@\n-db.insert(form)\n+db.insert(validated(form))\n")
    send(server, decision("d-1", correction_diff_path="d-2.patch"))
    assert run().exit_code == 0
    monkeypatch.setenv("HEEDFUL_DIFFS", str(tmp_path))
    send(server, decision("d-2", correction_diff_path="d-2.patch"))
    assert run().exit_code == 0

    without, with_ = loop.learn.reviews.get("d-1"), loop.learn.reviews.get("d-2")
    assert without.diff_path == with_.diff_path == "d-2.patch"
    assert without.edits == ()
    assert "validated" in with_.edits[0].after


def test_what_is_delivered_twice_is_one_review(run: Run, server: RedisServer, loop: heedful.Loop) -> None:
    send(server, decision("d-1"), decision("d-1"), {"data": json.dumps(decision("d-1"))})

    assert "3 reviews recorded, 0 dead letters" in run().stdout
    assert "0 reviews recorded" in run().stdout
    assert len(list(loop.events(kind="OUTPUT_REVIEWED"))) == 1
    assert (pending(server), dead_letters(server)) == (0, [])


POISON = {
    "not JSON": ({"data": '{"decision_id": "d-1"'}, "data is not valid JSON"),
    "not an object": ({"data": "[1, 2]"}, "data is not a JSON object"),
    "no id": ({"decision": "APPROVED"}, "decision_id is missing"),
    "no decision": (decision("d-1", decision=""), "decision is missing"),
    "unknown decision": (decision("d-1", decision="MAYBE"), "'MAYBE' is not a decision"),
    "no agent": ({"decision_id": "d-1", "decision": "APPROVED"}, "Nothing tells the agent"),
    "long comment": (decision("d-1", reviewer_comment="long " * 1_000), "5,000 characters"),
    "long id": (decision("d" * 300), "300 characters"),
    "no time": (decision("d-1", timestamp="yesterday"), "not a time: 'yesterday'"),
    "milliseconds": (decision("d-1", timestamp="1767603600000"), "not a time"),
    "no number": (decision("d-1", review_duration_seconds="long"), "review_duration_seconds is 'long'"),
    "negative": (decision("d-1", review_duration_seconds="-5"), "seconds is -5"),
    "no list": (decision("d-1", tags="[1"), "tags is not valid JSON"),
    "no diff": (decision("d-1", correction_diff="just words"), "not a unified diff"),
    "senseless": (decision("d-1", decision="REJECTED", approved_output="x"), "What was rejected"),
    "a number": ({"data": json.dumps({**decision("d-1"), "gate_id": 5})}, "gate_id must be text, not int"),
}


@pytest.mark.parametrize("name", POISON)
def test_what_can_never_be_recorded_is_a_dead_letter_and_the_others_go_on(
    name: str, run: Run, server: RedisServer, loop: heedful.Loop
) -> None:
    message, reason = POISON[name]
    id, _ = send(server, message, decision("good"))

    result = run("--json")

    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line.get("outcome") for line in lines] == ["dead_letter", "recorded", None]
    assert lines[0]["message"] == id
    assert reason in lines[0]["reason"]
    assert lines[-1] == {"recorded": 1, "dead_letter": 1}
    (letter,) = dead_letters(server)
    assert reason in letter["dead_letter_reason"]
    assert (letter["dead_letter_id"], letter["dead_letter_code"]) == (id, lines[0]["error"])
    assert datetime.now(UTC) - datetime.fromisoformat(letter["dead_letter_time"]) < timedelta(minutes=5)
    assert message.items() <= letter.items()
    assert (reviews(loop), pending(server)) == (["good"], 0)


def test_other_content_under_a_known_id_is_a_dead_letter(run: Run, server: RedisServer, loop: heedful.Loop) -> None:
    send(server, decision("d-1"), decision("d-1", reviewer_comment="Something else."), decision("d-2"))

    result = run("--dead-letter", "elsewhere")

    assert "dead letter: An event with the id 'd-1' is recorded already" in result.stderr
    ((_, letter),) = server.client.xrange("elsewhere")
    assert (letter["dead_letter_code"], letter["reviewer_comment"]) == ("conflict", "Something else.")
    assert loop.learn.reviews.get("d-1").comment == "Validate input at the boundary."
    assert (reviews(loop), pending(server), dead_letters(server)) == (["d-1", "d-2"], 0, [])


def test_bytes_that_are_no_text_are_a_dead_letter_as_they_are(run: Run, server: RedisServer) -> None:
    with connect(server.url) as raw:
        raw.xadd(STREAM, {b"decision_id": b"\xff\xfe"})
        assert "1 dead letter" in run().stdout
        ((_, letter),) = raw.xrange(DEAD)
    assert letter[b"decision_id"] == b"\xff\xfe"
    assert b"not UTF-8" in letter[b"dead_letter_reason"]


def test_dead_letters_can_be_consumed_once_their_reason_is_gone(
    run: Run, server: RedisServer, loop: heedful.Loop
) -> None:
    send(server, {"decision_id": "d-1", "decision": "APPROVED"})
    assert "1 dead letter" in run().stdout
    assert "1 review recorded, 0 dead letters" in run("--stream", DEAD, "--agent", "coder").stdout
    assert loop.learn.reviews.get("d-1").agent == "coder"


def test_no_text_whatsoever_stops_the_others(run: Run, server: RedisServer, loop: heedful.Loop) -> None:
    odd = [
        "\x00",
        "a\x00b",
        "\x1b[2J",
        "\u202e",
        "\ufeff",
        "💥" * 50,
        "' or 1=1 --",
        "%s {} $1 :org",
        "../../etc/passwd",
    ]
    for name in decision(""):
        send(server, *(decision(f"{name}-{n}") | {name: text} for n, text in enumerate(odd)))
    send(server, decision("last"))

    assert run().exit_code == 0
    assert "last" in reviews(loop)
    assert pending(server) == 0


_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.lists(st.text(max_size=5))


@given(st.dictionaries(st.sampled_from([*decision(""), "agent", "output", "data"]), _VALUES))
def test_a_message_is_understood_or_is_invalid_input(document: dict[str, Any]) -> None:
    texts = {name: str(value) for name, value in document.items()}
    flat = {name.encode(): text.encode(errors="surrogatepass") for name, text in texts.items()}
    for fields in (flat, {b"data": json.dumps(document).encode()}):
        try:
            assert {"id", "decision", "agent"} <= arguments(fields, "coder").keys()
        except errors.InvalidInput:
            continue


DYING = """
import os, signal, sys
from heedful.edges.cli import main
from heedful.edges.redis import Consumer

Consumer._acknowledge = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
main(sys.argv[1:])
"""


@pytest.mark.parametrize("who", ["the same", "another"])
def test_a_consumer_killed_between_storing_and_acknowledging_leaves_one_review(
    who: str, run: Run, server: RedisServer, loop: heedful.Loop
) -> None:
    (id, _) = send(server, decision("d-1"), decision("d-2"))
    words = ["consume", server.url, "--consumer", "killed"]
    killed = subprocess.run([sys.executable, "-c", DYING, *words], check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert (reviews(loop), pending(server)) == (["d-1"], 1)

    if who == "the same":
        assert "2 reviews recorded" in run("--consumer", "killed").stdout
    else:
        assert "1 review recorded" in run("--consumer", "other").stdout, "it may be alive"
        assert pending(server) == 1
        server.client.xclaim(STREAM, GROUP, "killed", 0, [id], idle=61_000)
        assert "1 review recorded" in run("--consumer", "other").stdout
    assert (reviews(loop), pending(server), dead_letters(server)) == (["d-1", "d-2"], 0, [])
    assert len(list(loop.events(kind="OUTPUT_REVIEWED"))) == 2


def test_all_that_dead_consumers_left_is_taken_over(run: Run, server: RedisServer, loop: heedful.Loop) -> None:
    run()
    send(server, *(decision(f"d-{n:02}") for n in range(35)))
    for number in range(25):
        read_and_die(server, f"dead-{number % 3}", seconds_ago=120)
    for _ in range(5):
        read_and_die(server, "alive")

    assert "30 reviews recorded" in run("--consumer", "one").stdout
    assert (len(reviews(loop)), pending(server)) == (30, 5)
    assert "5 reviews recorded" in run("--consumer", "alive").stdout
    assert (len(reviews(loop)), pending(server)) == (35, 0)


def test_what_a_consumer_leaves_later_is_taken_over_too(server: RedisServer, loop: heedful.Loop) -> None:
    outcomes: list[str] = []

    def watch(consumer: Consumer, progress: ConsumerProgress) -> None:
        outcomes.append(progress.outcome)
        if outcomes == ["joined", "idle"]:
            send(server, decision("d-1"), decision("d-2"))
            read_and_die(server, "dead", seconds_ago=120)
        if outcomes.count("recorded") == 2:
            consumer.stop()

    follow(loop, server, watch, claim_after=timedelta(seconds=0.5))

    assert (reviews(loop), pending(server)) == (["d-1", "d-2"], 0)


def test_a_message_that_was_deleted_meanwhile_is_acknowledged(
    run: Run, server: RedisServer, loop: heedful.Loop
) -> None:
    run()
    send(server, *(decision(f"d-{n}") for n in range(3)))
    server.client.xdel(STREAM, read_and_die(server, "one"), read_and_die(server, "dead", seconds_ago=120))

    lines = [json.loads(line) for line in run("--consumer", "one", "--json").stdout.splitlines()]

    assert sorted(line.get("outcome", "") for line in lines) == ["", "deleted", "deleted", "recorded"]
    assert (reviews(loop), pending(server)) == (["d-2"], 0)


def test_a_message_that_ends_every_consumer_is_a_dead_letter(run: Run, server: RedisServer, loop: heedful.Loop) -> None:
    run()
    send(server, decision("d-1"), decision("d-2"))
    read_and_die(server, "one", deliveries=50)
    read_and_die(server, "one", deliveries=5)

    assert "1 review recorded, 1 dead letter" in run("--consumer", "one").stdout
    (letter,) = dead_letters(server)
    assert letter["dead_letter_reason"].startswith("The message was delivered 51 times")
    assert (reviews(loop), pending(server)) == (["d-2"], 0)


def test_a_redis_that_is_killed_again_and_again_loses_nothing(
    server: RedisServer, loop: heedful.Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(server, *(decision(f"d-{n:02}") for n in range(30)))
    seen: list[ConsumerProgress] = []
    stored = count(1)
    acknowledge = Consumer._acknowledge

    def acknowledge_late(consumer: Consumer, id: bytes) -> None:
        if next(stored) in (4, 9, 20):  # between storing and acknowledging
            server.kill()
        acknowledge(consumer, id)

    monkeypatch.setattr(Consumer, "_acknowledge", acknowledge_late)

    def watch(consumer: Consumer, progress: ConsumerProgress) -> None:
        seen.append(progress)
        recorded = sum(one.outcome == "recorded" for one in seen)
        if progress.outcome == "recorded" and recorded in (6, 15):  # between acknowledging and reading
            server.kill()
        if progress.outcome == "waiting":
            server.start()
            read_and_die(server, "one")  # the answer with a message was lost
        if progress.outcome == "idle":
            consumer.stop()

    follow(loop, server, watch)

    outages = [one.error.code for one in seen if one.outcome == "waiting" and one.error]
    assert outages == ["unreachable"] * 5
    assert reviews(loop) == [f"d-{n:02}" for n in range(30)]
    assert len(list(loop.events(kind="OUTPUT_REVIEWED"))) == 30
    assert (pending(server), dead_letters(server)) == (0, [])


def test_a_redis_that_forgot_everything_gets_its_group_again(server: RedisServer, loop: heedful.Loop) -> None:
    send(server, decision("d-1"))
    outcomes: list[str] = []

    def watch(consumer: Consumer, progress: ConsumerProgress) -> None:
        outcomes.append(progress.outcome)
        if outcomes.count("idle") == 1 and progress.outcome == "idle":
            server.client.flushall()
            send(server, decision("d-1"), decision("d-2"))
        if outcomes.count("recorded") == 3:
            consumer.stop()

    follow(loop, server, watch)

    assert outcomes == ["joined", "recorded", "idle", "waiting", "recorded", "recorded"]
    assert (reviews(loop), pending(server)) == (["d-1", "d-2"], 0)


class _Outage:
    """While it lasts, no statement reaches the database."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.error: Exception | None = None
        for transaction in (_SqliteTransaction, _PostgresTransaction):
            monkeypatch.setattr(transaction, "_run", self._failing(transaction._run))

    def _failing(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            if self.error is not None:
                raise self.error
            return run(*args, **options)

        return call


@pytest.fixture
def outage(monkeypatch: pytest.MonkeyPatch) -> _Outage:
    return _Outage(monkeypatch)


def test_nothing_is_acknowledged_while_the_database_fails(
    server: RedisServer, loop: heedful.Loop, outage: _Outage
) -> None:
    send(server, *(decision(f"d-{n}") for n in range(5)))
    outcomes: list[str] = []

    def watch(consumer: Consumer, progress: ConsumerProgress) -> None:
        outcomes.append(progress.outcome)
        if progress.outcome == "recorded" and outcomes.count("recorded") == 2:
            outage.error = errors.StoreUnreachable("The database is down.")
        if progress.outcome == "waiting":
            assert (pending(server), dead_letters(server)) == (1, [])
            assert progress.error is outage.error
            if outcomes.count("waiting") == 4:
                outage.error = None
        if progress.outcome == "idle":
            consumer.stop()

    follow(loop, server, watch)

    assert outcomes == ["joined", *["recorded"] * 2, *["waiting"] * 4, *["recorded"] * 3, "idle"]
    assert (reviews(loop), pending(server)) == ([f"d-{n}" for n in range(5)], 0)


def test_a_consumer_stopped_while_the_database_fails_leaves_its_message(
    run: Run, server: RedisServer, loop: heedful.Loop, outage: _Outage
) -> None:
    send(server, decision("d-1"))

    def watch(consumer: Consumer, progress: ConsumerProgress) -> None:
        if progress.outcome == "joined":
            outage.error = errors.StoreFull("The disk is full.")
        if progress.outcome == "waiting":
            consumer.stop()

    follow(loop, server, watch)
    outage.error = None

    assert (reviews(loop), pending(server)) == ([], 1)
    assert "1 review recorded" in run("--consumer", "one").stdout
    assert (reviews(loop), pending(server)) == (["d-1"], 0)


def test_a_message_that_makes_heedful_fail_is_tried_again_and_then_a_dead_letter(
    server: RedisServer, loop: heedful.Loop, outage: _Outage
) -> None:
    send(server, decision("d-1"), decision("d-2"))
    outcomes: list[str] = []

    def watch(consumer: Consumer, progress: ConsumerProgress) -> None:
        outcomes.append(progress.outcome)
        outage.error = KeyError("private text") if "dead_letter" not in outcomes else None
        if progress.outcome == "idle":
            consumer.stop()

    follow(loop, server, watch)

    assert outcomes == ["joined", "waiting", "waiting", "dead_letter", "recorded", "idle"]
    (letter,) = dead_letters(server)
    assert letter["dead_letter_code"] == "internal"
    assert "KeyError in test_consume.py, line " in letter["dead_letter_reason"]
    assert "private" not in letter["dead_letter_reason"]
    assert (reviews(loop), pending(server)) == (["d-2"], 0)


def test_what_is_neither_the_fault_of_a_message_nor_passes_by_itself_ends_the_consumer(
    server: RedisServer, loop: heedful.Loop, outage: _Outage
) -> None:
    send(server, decision("d-1"))
    outage.error = errors.Closed("The loop is closed.")

    with connect(server.url) as client, pytest.raises(errors.Closed):
        Consumer(loop, client, stream=STREAM, group=GROUP, name="one", dead_letter=DEAD).run(once=True)
    assert (pending(server), dead_letters(server)) == (1, [])


def test_two_consumers_share_the_work(server: RedisServer, loop: heedful.Loop) -> None:
    handled: dict[str, list[str]] = {"one": [], "two": []}
    ready = threading.Barrier(3)

    def watch(name: str, consumer: Consumer, progress: ConsumerProgress) -> None:
        if progress.outcome == "joined":
            ready.wait(60)
        if progress.message is not None:
            handled[name].append(progress.message)
        if len(handled["one"]) + len(handled["two"]) == 40:
            consumer.stop()

    threads = [threading.Thread(target=follow, args=(loop, server, partial(watch, name), name)) for name in handled]
    for thread in threads:
        thread.start()
    ready.wait(60)
    sent = send(server, *(decision(f"d-{n:02}") for n in range(40)))
    for thread in threads:
        thread.join()

    assert sorted(handled["one"] + handled["two"]) == sorted(sent)
    assert reviews(loop) == [f"d-{n:02}" for n in range(40)]
    assert (pending(server), dead_letters(server)) == (0, [])


@contextmanager
def started(database: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "heedful", "consume", *words],
        env={**os.environ, "HEEDFUL_DATABASE": database, "HEEDFUL_ORG": "acme"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_four_processes_share_a_stream_that_is_written_meanwhile(
    database: str, server: RedisServer, loop: heedful.Loop
) -> None:
    handled, one_more = list[str](), threading.Semaphore(0)

    def listen(process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if "message" in (told := json.loads(line)):
                handled.append(told["message"])
                one_more.release()

    with ExitStack() as stack:
        processes = [
            stack.enter_context(started(database, server.url, "--consumer", str(n), "--json")) for n in range(4)
        ]
        listeners = [threading.Thread(target=listen, args=(process,)) for process in processes]
        for listener in listeners:
            listener.start()
        sent = [id for number in range(200) for id in send(server, decision(f"d-{number:03}"))]
        assert all(one_more.acquire(timeout=60) for _ in sent)
        for process, listener in zip(processes, listeners, strict=True):
            process.terminate()
            assert process.wait(60) == 0
            listener.join()

    assert sorted(handled) == sorted(sent)
    assert reviews(loop) == [f"d-{n:03}" for n in range(200)]


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_after_the_message_in_hand(
    how: signal.Signals, database: str, server: RedisServer, loop: heedful.Loop
) -> None:
    with started(database, server.url) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == f"following {STREAM}\n"
        send(server, *(decision(f"d-{n}") for n in range(100)))
        process.send_signal(how)
        output, _ = process.communicate(timeout=60)

    done = len(reviews(loop))
    assert (process.returncode, output) == (0, f"{done} review{'s' * (done != 1)} recorded, 0 dead letters\n")
    assert pending(server) == 0


@pytest.mark.parametrize(
    ("url", "code", "said"),
    [
        ("http://localhost:6379", 2, "not the address of a Redis server"),
        ("localhost:6379", 2, "not the address of a Redis server"),
        ("redis://:private@localhost:port/0", 2, "not the address of a Redis server"),
        ("redis://localhost:6379/zero", 2, "not the address of a Redis server"),
        ("redis://localhost:6379/0?colour=red", 2, "not the address of a Redis server"),
        ("unix:///nowhere/redis.sock?password=private", 1, "/nowhere/redis.sock/0 cannot be reached"),
        ("redis://lee:private@127.0.0.1:1/0", 1, "127.0.0.1:1/0 cannot be reached"),
    ],
)
def test_an_address_that_leads_nowhere_is_told(
    url: str, code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEEDFUL_DATABASE", str(tmp_path / "heedful.db"))
    result = CliRunner().invoke(main, ["consume", url])
    assert result.exit_code == code
    assert said in result.stderr
    assert "private" not in result.output
    assert (tmp_path / "heedful.db").exists() == (code == 1)


@pytest.mark.parametrize(
    ("set_up", "said"),
    [
        (("set", STREAM, "text"), "WRONGTYPE"),
        (("config", "set", "requirepass", "private"), "Authentication required"),
    ],
)
def test_a_redis_that_refuses_is_told(set_up: tuple[str, ...], said: str, run: Run, server: RedisServer) -> None:
    server.client.execute_command(*set_up)
    result = run()
    assert result.exit_code == 2
    assert said in result.stderr


def test_the_dead_letter_stream_is_another(run: Run) -> None:
    result = run("--dead-letter", STREAM)
    assert result.exit_code == 2
    assert "is the stream itself" in result.stderr


def test_a_missing_driver_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    monkeypatch.delitem(sys.modules, "heedful.edges.redis")
    monkeypatch.delattr("heedful.edges.redis")
    result = run()
    assert result.exit_code == 2
    assert "pip install 'heedful[redis]'" in result.stderr


def test_a_log_gets_a_line_now_and_then(run: Run, server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("heedful.edges.cli.consume"), "_REPORT_SECONDS", 0.0)
    send(server, decision("d-1"), decision("d-2"))
    assert run().stderr.splitlines() == [
        f"following {STREAM}",
        "1 review recorded, 0 dead letters",
        "2 reviews recorded, 0 dead letters",
    ]
