"""Webhooks: events posted to a receiver of one's own, on every database and to a real server."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import standardwebhooks

import heedful
from heedful import Job, JobState, Role, Settings
from heedful.edges.worker import Worker
from heedful.errors import (
    Conflict,
    Forbidden,
    HeedfulError,
    InvalidId,
    InvalidInput,
    InvalidKind,
    InvalidTime,
    NotFound,
    Unreachable,
)
from heedful.operations.caller import Caller, acting
from heedful.records.event import document, from_document
from heedful.records.webhook import Delivery, Webhook
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop

FAN_OUT, DELIVER = "webhooks.fan_out", "webhooks.deliver"
PATIENCE = 20.0


@dataclass(frozen=True)
class Posted:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> heedful.Event:
        return from_document(json.loads(self.body)["data"])

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


class Receiver:
    """A server that keeps what it is sent, and answers as it is told to."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.posted: list[Posted] = []
        self.answer: Callable[[Posted], int] = lambda _: 204
        self._changed = threading.Condition()

    def take(self, posted: Posted) -> int:
        with self._changed:
            self.posted.append(posted)
            self._changed.notify_all()
        return self.answer(posted)

    def wait_for(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.posted) >= count, PATIENCE), len(self.posted)

    def answers(self, *statuses: int) -> None:
        """These in turn, then the last one for ever."""
        left = list(statuses)
        self.answer = lambda _: left.pop(0) if len(left) > 1 else left[0]

    @property
    def events(self) -> list[heedful.Event]:
        return sorted((posted.event for posted in self.posted), key=lambda event: event.seq)

    @property
    def ids(self) -> list[str]:
        return [event.id for event in self.events]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        receiver: Receiver = self.server.receiver  # type: ignore[attr-defined]
        status = receiver.take(Posted(self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("location", receiver.url + "elsewhere")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quietly."""


@contextmanager
def receiving() -> Iterator[Receiver]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    receiver = server.receiver = Receiver(f"http://127.0.0.1:{server.server_address[1]}/")  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def another() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def loop(open_loop: OpenLoop, database: str) -> heedful.Loop:
    """It may post to this machine."""
    return open_loop(settings=_here(database))


def _here(database: str) -> Settings:
    return Settings(database=database, webhook_allow=("127.0.0.1",))


def _work(loop: heedful.Loop) -> int:
    return Worker(loop).run_all()


@contextmanager
def _working(loop: heedful.Loop) -> Iterator[None]:
    """A worker in the background, with its usual two threads."""
    worker = Worker(loop)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        loop.store.database.commit_signal.send()
        thread.join()


def _deliveries(loop: heedful.Loop, id: str = "erp", **options: Any) -> list[Delivery]:
    return list(loop.govern.webhooks.deliveries(id, **options).items)


def _queued(loop: heedful.Loop, name: str) -> list[Job]:
    return list(loop.jobs.all(state=JobState.QUEUED, name=name))


def _audit(loop: heedful.Loop) -> list[tuple[Any, ...]]:
    return [(e.kind, e.actor, e.entity) for e in loop.events() if e.kind.startswith("AUDIT_")]


# Posting


def test_every_event_from_creation_on_is_posted_once(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.capture.event("FIELD_SET", id="before")
    loop.govern.webhooks.create(receiver.url)
    loop.capture.event("FIELD_SET", id="one")
    loop.capture.events([{"kind": "MAPPING_CONFIRMED", "id": f"batch-{n}"} for n in range(3)])
    with loop.transaction():
        loop.capture.event("FIELD_SET", id="two")
        loop.capture.event("FIELD_SET", id="three")

    _work(loop)
    _work(loop)

    assert receiver.events == [event for event in loop.events() if not event.kind.startswith("AUDIT_")][1:]
    assert len({posted.id for posted in receiver.posted}) == len(receiver.posted) == 6


def test_nothing_is_posted_before_a_worker_does_it(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url)
    loop.capture.event("FIELD_SET")

    assert receiver.posted == []
    assert [job.name for job in loop.jobs.all()] == [FAN_OUT]  # one for all of them


def test_what_is_undone_is_not_posted(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"])
    with pytest.raises(ZeroDivisionError), loop.transaction():
        loop.capture.event("FIELD_SET")
        raise ZeroDivisionError
    loop.capture.event("FIELD_SET", id="kept")

    _work(loop)

    assert receiver.ids == ["kept"]


def test_the_same_act_recorded_twice_is_posted_once(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"])
    for _ in range(2):
        loop.capture.event("FIELD_SET", id="x")
        _work(loop)

    assert receiver.ids == ["x"]


def test_what_many_record_while_workers_post_arrives_once(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"])

    def record(person: int) -> None:
        for act in range(5):
            loop.capture.event("FIELD_SET", id=f"{person}-{act}")

    with _working(loop):
        with ThreadPoolExecutor(4) as people:
            list(people.map(record, range(4)))
        receiver.wait_for(20)
    _work(loop)

    assert receiver.ids == [event.id for event in loop.events(kind="FIELD_SET")]
    assert len(receiver.posted) == 20


def test_workers_that_look_at_once_queue_each_delivery_once(open_loop: OpenLoop, database: str) -> None:
    loops = [open_loop(settings=_here(database)) for _ in range(4)]
    for id in ("erp", "crm"):
        loops[0].govern.webhooks.create("https://example.com/", kinds=["FIELD_SET"], id=id)
    loops[0].capture.events([{"kind": "FIELD_SET"}] * 30)
    start = threading.Barrier(len(loops))

    def fan_out(loop: heedful.Loop) -> int:
        start.wait()
        return loop.govern.webhooks.fan_out()

    with ThreadPoolExecutor(len(loops)) as workers:
        assert sum(workers.map(fan_out, loops)) == 60
    for id in ("erp", "crm"):
        assert len({delivery.event for delivery in _deliveries(loops[0], id)}) == 30


def test_a_long_backlog_is_gone_through_to_its_end(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["MAPPING_CONFIRMED"])
    kinds = ["MAPPING_CONFIRMED" if n % 400 == 399 else "FIELD_SET" for n in range(1_200)]
    loop.capture.events({"kind": kind} for kind in kinds)

    _work(loop)

    assert receiver.events == list(loop.events(kind="MAPPING_CONFIRMED"))
    assert len(receiver.posted) == 3


def test_only_the_wanted_kinds_are_posted(loop: heedful.Loop, receiver: Receiver, another: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["MAPPING_CONFIRMED", "AUDIT_KEY_CREATED"])
    loop.govern.webhooks.create(another.url, kinds=("FIELD_SET",))
    for kind in ("FIELD_SET", "MAPPING_CONFIRMED", "EDIT_ACCEPTED"):
        loop.capture.event(kind)
    loop.govern.keys.create("order desk", role=Role.VIEWER)

    _work(loop)

    assert [event.kind for event in receiver.events] == ["MAPPING_CONFIRMED", "AUDIT_KEY_CREATED"]
    assert [event.kind for event in another.events] == ["FIELD_SET"]


def test_events_of_another_organisation_are_not_posted(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"])
    loop.org("globex").capture.event("FIELD_SET")
    loop.capture.event("FIELD_SET", id="ours")

    _work(loop)

    assert receiver.ids == ["ours"]
    assert list(loop.org("globex").jobs.all()) == []


def test_without_webhooks_recording_queues_nothing(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.capture.event("FIELD_SET")
    assert list(loop.jobs.all()) == []

    loop.govern.webhooks.create(receiver.url, id="erp")
    _work(loop)
    loop.govern.webhooks.remove("erp")
    loop.capture.event("FIELD_SET")

    assert _queued(loop, FAN_OUT) == _queued(loop, DELIVER) == []


# What is posted


def test_the_reference_library_accepts_what_is_posted(
    loop: heedful.Loop, receiver: Receiver, clock: FrozenClock
) -> None:
    clock.now = datetime.now(UTC)  # the library looks at the real time
    webhook = loop.govern.webhooks.create(receiver.url + "in?from=heedful", kinds=["MAPPING_CONFIRMED"])
    event = loop.capture.event(
        "MAPPING_CONFIRMED", actor="Żaneta", entity=("sku_mapping", "ABC-123"), after={"sku": "INT-9", "n": 1.5}
    )
    _work(loop)

    (posted,) = receiver.posted
    told = standardwebhooks.Webhook(webhook.secret or "").verify(posted.body, posted.headers)
    assert posted.path == "/in?from=heedful"
    assert posted.headers["content-type"] == "application/json"
    assert told.keys() == {"type", "timestamp", "data"}
    assert told["type"] == "MAPPING_CONFIRMED"
    assert datetime.fromisoformat(told["timestamp"]) == clock.now
    assert told["data"].keys() == document(event).keys()
    assert told["data"]["after"] == {"sku": "INT-9", "n": 1.5}
    assert from_document(told["data"]) == event


def test_the_reference_library_refuses_what_others_post(
    loop: heedful.Loop, receiver: Receiver, clock: FrozenClock
) -> None:
    clock.now = datetime.now(UTC)
    ours, theirs = (loop.govern.webhooks.create(receiver.url, kinds=[kind]).secret or "" for kind in ("OURS", "THEIRS"))
    loop.capture.event("OURS")
    _work(loop)

    (posted,) = receiver.posted
    standardwebhooks.Webhook(ours).verify(posted.body, posted.headers)
    changed = posted.headers | {"webhook-id": "msg_other"}
    for secret, body, headers in (
        (theirs, posted.body, posted.headers),
        (ours, posted.body.replace(b"OURS", b"HERS"), posted.headers),
        (ours, posted.body, changed),
    ):
        with pytest.raises(standardwebhooks.WebhookVerificationError):
            standardwebhooks.Webhook(secret).verify(body, headers)


def test_each_try_is_signed_anew_under_the_same_id(loop: heedful.Loop, receiver: Receiver, clock: FrozenClock) -> None:
    clock.now = datetime.now(UTC)
    secret = loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp").secret or ""
    loop.capture.event("FIELD_SET")
    receiver.answers(500, 500, 204)
    for _ in range(3):
        _work(loop)
        clock.advance(seconds=10)
    loop.govern.webhooks.replay("erp")
    _work(loop)

    assert len(receiver.posted) == 4
    assert len({posted.id for posted in receiver.posted}) == 1
    assert len({posted.headers["webhook-timestamp"] for posted in receiver.posted}) == 4
    for posted in receiver.posted:
        standardwebhooks.Webhook(secret).verify(posted.body, posted.headers)


def test_each_webhook_and_event_has_ids_of_its_own(loop: heedful.Loop, receiver: Receiver) -> None:
    for org in ("acme", "globex"):
        for id in ("erp", "crm"):
            loop.org(org).govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id=id)
        loop.org(org).capture.events([{"kind": "FIELD_SET", "id": str(n)} for n in range(2)])
    _work(loop)

    assert len({posted.id for posted in receiver.posted}) == len(receiver.posted) == 8


# Receivers that fail


def test_what_a_receiver_refuses_is_posted_again_after_growing_pauses(
    loop: heedful.Loop, receiver: Receiver, clock: FrozenClock
) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    event = loop.capture.event("FIELD_SET")
    receiver.answers(500, 302, 404, 200)

    for tries, pause in enumerate((2, 4, 8), start=1):
        _work(loop)
        (delivery,) = _deliveries(loop)
        assert (delivery.event, delivery.state, delivery.attempts) == (event.id, JobState.FAILED, tries)
        assert delivery.due_at == clock.now + timedelta(seconds=pause)
        assert "The receiver answered" in (delivery.error or "")
        clock.advance(seconds=pause - 1)
        _work(loop)
        assert len(receiver.posted) == tries
        clock.advance(seconds=1)
    _work(loop)

    (delivery,) = _deliveries(loop)
    assert (delivery.state, delivery.attempts, delivery.error) == (JobState.COMPLETED, 4, None)
    assert [posted.path for posted in receiver.posted] == ["/"] * 4  # a redirect is not followed


def test_a_receiver_that_is_away_gets_everything_when_it_is_back(
    loop: heedful.Loop, receiver: Receiver, clock: FrozenClock
) -> None:
    receiver.answers(503)
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    for n in range(3):
        loop.capture.event("FIELD_SET", id=str(n))
        _work(loop)
        clock.advance(minutes=5)
    receiver.posted.clear()

    receiver.answers(204)
    clock.advance(minutes=10)
    _work(loop)

    assert receiver.ids == ["0", "1", "2"]


def test_nobody_listening_is_tried_again_too(loop: heedful.Loop) -> None:
    with receiving() as gone:
        url = gone.url
    loop.govern.webhooks.create(url + "secret-path", kinds=["FIELD_SET"], id="erp")
    loop.capture.event("FIELD_SET")

    _work(loop)

    (delivery,) = _deliveries(loop)
    assert delivery.state is JobState.FAILED
    assert "127.0.0.1 could not be reached" in (delivery.error or "")
    assert "secret-path" not in (delivery.error or "")


def test_after_hours_of_trying_a_delivery_is_given_up_until_someone_retries(
    loop: heedful.Loop, receiver: Receiver, clock: FrozenClock
) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    loop.capture.event("FIELD_SET", id="x")
    receiver.answers(500)
    began = clock.now
    while not _deliveries(loop, state=JobState.DEAD_LETTER):
        _work(loop)
        (delivery,) = _deliveries(loop)
        clock.now = max(clock.now, delivery.due_at)

    assert delivery.attempts == len(receiver.posted) == 30
    assert timedelta(hours=3) < clock.now - began < timedelta(hours=5)
    clock.advance(days=1)
    _work(loop)
    assert len(receiver.posted) == 30

    receiver.answers(204)
    loop.jobs.retry(delivery.job)
    _work(loop)

    assert receiver.ids == ["x"] * 31
    assert [delivery.state for delivery in _deliveries(loop)] == [JobState.COMPLETED]


def test_a_failing_receiver_does_not_hold_up_another(loop: heedful.Loop, receiver: Receiver, another: Receiver) -> None:
    receiver.answers(500)
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"])
    loop.govern.webhooks.create(another.url, kinds=["FIELD_SET"])
    loop.capture.events([{"kind": "FIELD_SET", "id": str(n)} for n in range(5)])

    _work(loop)

    assert another.ids == ["0", "1", "2", "3", "4"]


def test_a_slow_receiver_holds_up_neither_recording_nor_another(
    loop: heedful.Loop, receiver: Receiver, another: Receiver
) -> None:
    answered = threading.Event()

    def slowly(_: Posted) -> int:
        return 204 if answered.wait(PATIENCE) else 500

    receiver.answer = slowly
    loop.govern.webhooks.create(receiver.url, kinds=["SLOW"], id="slow")
    loop.govern.webhooks.create(another.url, kinds=["QUICK"])
    with _working(loop):
        try:
            loop.capture.event("SLOW")
            receiver.wait_for(1)
            loop.capture.events([{"kind": "QUICK", "id": str(n)} for n in range(3)])
            another.wait_for(3)
            assert [delivery.state for delivery in _deliveries(loop, "slow")] == [JobState.IN_PROGRESS]
        finally:
            answered.set()
    _work(loop)

    assert another.ids == ["0", "1", "2"]
    assert [delivery.state for delivery in _deliveries(loop, "slow")] == [JobState.COMPLETED]
    assert len(receiver.posted) == 1


def test_a_receiver_that_is_gone_for_good_is_left_alone(
    loop: heedful.Loop, receiver: Receiver, another: Receiver, clock: FrozenClock
) -> None:
    receiver.answers(410, 204)
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    loop.govern.webhooks.create(another.url, kinds=["FIELD_SET", "AUDIT_WEBHOOK_DISABLED"], id="crm")
    loop.capture.event("FIELD_SET")
    loop.capture.event("FIELD_SET")
    _work(loop)

    webhook = loop.govern.webhooks.get("erp")
    assert webhook.disabled_at == clock.now
    assert "410" in (webhook.disabled_because or "")
    assert _audit(loop)[2:] == [("AUDIT_WEBHOOK_DISABLED", "local", ("webhook", "erp"))]
    clock.advance(days=1)
    loop.capture.event("FIELD_SET")
    _work(loop)
    assert len(receiver.posted) == 1
    assert _deliveries(loop, state=JobState.FAILED) == []  # nothing is left to be tried
    assert [event.kind for event in another.events].count("AUDIT_WEBHOOK_DISABLED") == 1


def test_a_receiver_that_is_gone_is_told_of_once_however_many_find_out(
    open_loop: OpenLoop, database: str, receiver: Receiver
) -> None:
    loops = [open_loop(settings=_here(database)) for _ in range(3)]
    together = threading.Barrier(len(loops))

    def gone(_: Posted) -> int:
        together.wait(PATIENCE)
        return 410

    receiver.answer = gone
    loops[0].govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    event = loops[0].capture.event("FIELD_SET")

    def post(loop: heedful.Loop) -> None:  # as workers that were thought dead may do at the same time
        with pytest.raises(Unreachable):
            loop.govern.webhooks.deliver("erp", event.id)

    with ThreadPoolExecutor(len(loops)) as workers:
        list(workers.map(post, loops))

    assert len(receiver.posted) == len(loops)
    assert len(list(loops[0].events(kind="AUDIT_WEBHOOK_DISABLED"))) == 1


# Workers that die


@pytest.mark.parametrize("job", [FAN_OUT, DELIVER])
def test_a_killed_worker_loses_no_delivery(
    loop: heedful.Loop, receiver: Receiver, clock: FrozenClock, job: str
) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    loop.capture.event("FIELD_SET", id="x")
    if job == DELIVER:
        assert Worker(loop).run_one()
    assert loop.store.workbench(timedelta(seconds=60)).claim("dies", [job]) is not None

    _work(loop)
    assert receiver.posted == []
    clock.advance(seconds=61)
    _work(loop)

    assert receiver.ids == ["x"]
    assert [delivery.state for delivery in _deliveries(loop)] == [JobState.COMPLETED]


def test_what_a_worker_posted_just_before_it_died_is_posted_again_under_the_same_id(
    loop: heedful.Loop, receiver: Receiver, clock: FrozenClock
) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    loop.capture.event("FIELD_SET", id="x")
    assert Worker(loop).run_one()
    assert loop.store.workbench(timedelta(seconds=60)).claim("dies", [DELIVER]) is not None
    loop.govern.webhooks.deliver("erp", "x")

    clock.advance(seconds=61)
    _work(loop)

    first, second = receiver.posted
    assert first.id == second.id


# Replaying


def test_what_happened_since_a_time_is_posted_again(loop: heedful.Loop, receiver: Receiver, clock: FrozenClock) -> None:
    loop.capture.event("FIELD_SET", id="before the webhook")
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    for id in ("old", "new"):
        clock.advance(hours=1)
        loop.capture.event("FIELD_SET", id=id)
        loop.capture.event("EDIT_ACCEPTED")
    _work(loop)
    first = {posted.event.id: posted.id for posted in receiver.posted}
    receiver.posted.clear()

    job = loop.govern.webhooks.replay("erp", since=clock.now)
    _work(loop)
    assert loop.jobs.get(job.id).result == {"deliveries": 1}
    assert [(posted.event.id, posted.id) for posted in receiver.posted] == [("new", first["new"])]

    receiver.posted.clear()
    loop.govern.webhooks.replay("erp")
    _work(loop)
    assert receiver.ids == ["before the webhook", "old", "new"]


def test_a_replay_posts_nothing_that_is_on_its_way_anyway(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    loop.capture.event("FIELD_SET", id="x")
    bench = loop.store.workbench()
    fan_out = bench.claim("late", [FAN_OUT])
    assert fan_out is not None
    loop.govern.webhooks.replay("erp")
    _work(loop)
    bench.fail(fan_out, "not yet")
    loop.jobs.retry(fan_out.id)
    _work(loop)

    assert receiver.ids == ["x"]


def test_what_was_given_up_can_be_replayed(loop: heedful.Loop, receiver: Receiver, clock: FrozenClock) -> None:
    receiver.answers(500)
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    began = clock.now
    loop.capture.event("FIELD_SET", id="x")
    for _ in range(30):
        _work(loop)
        clock.advance(minutes=10)
    assert [delivery.state for delivery in _deliveries(loop)] == [JobState.DEAD_LETTER]
    receiver.posted.clear()

    receiver.answers(204)
    loop.govern.webhooks.replay("erp", since=began)
    _work(loop)

    assert receiver.ids == ["x"]


def test_a_replay_since_nonsense_is_refused(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, id="erp")
    since: Any
    for since in (datetime(2026, 1, 5), "yesterday"):  # noqa: DTZ001 - without a time zone
        with pytest.raises(InvalidTime):
            loop.govern.webhooks.replay("erp", since=since)
    with pytest.raises(NotFound):
        loop.govern.webhooks.replay("nope")


# Making and removing


def test_a_secret_is_shown_once(loop: heedful.Loop, receiver: Receiver, clock: FrozenClock) -> None:
    webhook = loop.govern.webhooks.create(receiver.url, kinds=["B", "A", "B"])

    assert (webhook.secret or "").startswith("whsec_")
    assert (webhook.url, webhook.kinds, webhook.created_at) == (receiver.url, ("A", "B"), clock.now)
    assert loop.govern.webhooks.get(webhook.id).secret is None
    assert [listed.secret for listed in loop.govern.webhooks.all()] == [None]
    assert str(webhook.secret) not in str(list(loop.events()))
    assert loop.govern.webhooks.remove(webhook.id).secret is None


def test_the_same_webhook_again_is_the_first_one_without_its_secret(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["A", "FIELD_SET"], id="erp")
    again = loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET", "A"], id="erp")
    loop.capture.event("FIELD_SET", id="x")
    _work(loop)

    assert again == loop.govern.webhooks.get("erp")
    assert again.secret is None
    assert receiver.ids == ["x"]
    assert _audit(loop) == [("AUDIT_WEBHOOK_CREATED", "local", ("webhook", "erp"))]


def test_an_id_that_another_webhook_has_is_refused(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["A"], id="erp")

    for url, kinds in ((receiver.url, ["B"]), (receiver.url, []), (receiver.url + "other", ["A"])):
        with pytest.raises(Conflict, match="different webhook"):
            loop.govern.webhooks.create(url, kinds=kinds, id="erp")
    assert [webhook.kinds for webhook in loop.govern.webhooks.all()] == [("A",)]


def test_those_who_make_the_same_webhook_at_once_get_one(open_loop: OpenLoop) -> None:
    loops = [open_loop() for _ in range(4)]
    start = threading.Barrier(len(loops))

    def make(loop: heedful.Loop) -> Webhook:
        start.wait()
        return loop.govern.webhooks.create("https://example.com/", id="erp")

    with ThreadPoolExecutor(len(loops)) as threads:
        made = list(threads.map(make, loops))

    assert sum(webhook.secret is not None for webhook in made) == 1
    assert len(_audit(loops[0])) == 1


def test_of_those_who_remove_a_webhook_at_once_one_does(open_loop: OpenLoop) -> None:
    loops = [open_loop() for _ in range(4)]
    loops[0].govern.webhooks.create("https://example.com/", id="erp")
    start = threading.Barrier(len(loops))

    def remove(loop: heedful.Loop) -> bool:
        start.wait()
        try:
            loop.govern.webhooks.remove("erp")
        except NotFound:
            return False
        return True

    with ThreadPoolExecutor(len(loops)) as threads:
        assert sum(threads.map(remove, loops)) == 1
    assert [kind for kind, _, _ in _audit(loops[0])] == ["AUDIT_WEBHOOK_CREATED", "AUDIT_WEBHOOK_REMOVED"]


INSIDE = [
    "https://127.0.0.1/", "http://127.0.0.1:8000/", "https://localhost/", "https://db/", "https://db.internal/",
    "https://10.0.0.1/", "https://192.168.1.1/", "https://169.254.169.254/latest/", "https://[::1]/",
    "https://[::ffff:127.0.0.1]/", "https://0.0.0.0/", "https://2130706433/", "https://0x7f.1/",
]  # fmt: skip
NO_ADDRESS = ["", "example.com", "ftp://example.com/", "https://", "https://a b/", "https://u:p@example.com/", "/x"]


def test_addresses_inside_are_refused_when_they_are_given(open_loop: OpenLoop) -> None:
    loop = open_loop()
    for url in (*INSIDE, *NO_ADDRESS, "http://example.com/", "https://example.com/" + "x" * 2_000):
        with pytest.raises(InvalidInput) as refused:
            loop.govern.webhooks.create(url)
        assert refused.value.hint, url

    assert loop.govern.webhooks.all() == []
    assert list(loop.events()) == []


def test_an_address_that_is_no_longer_allowed_is_not_posted_to(
    loop: heedful.Loop, open_loop: OpenLoop, receiver: Receiver
) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    loop.capture.event("FIELD_SET")

    _work(open_loop())

    assert receiver.posted == []
    assert "not on the public internet" in (_deliveries(loop)[0].error or "")


IMPOSSIBLE: list[tuple[type[HeedfulError], dict[str, Any]]] = [
    (InvalidInput, {"kinds": "FIELD_SET"}),
    (InvalidInput, {"kinds": None}),
    (InvalidInput, {"kinds": 7}),
    (InvalidKind, {"kinds": ["field set"]}),
    (InvalidKind, {"kinds": [None]}),
    (InvalidId, {"id": ""}),
    (InvalidId, {"id": "a\nb"}),
    (InvalidId, {"id": 7}),
    (InvalidInput, {"url": None}),
    (InvalidInput, {"url": b"https://example.com/"}),
]


def test_a_webhook_that_cannot_be_is_refused(loop: heedful.Loop) -> None:
    for error, bad in IMPOSSIBLE:
        with pytest.raises(error):
            loop.govern.webhooks.create(**{"url": "https://example.com/", **bad})

    assert loop.govern.webhooks.all() == []


def test_a_removed_webhook_gets_nothing_more(loop: heedful.Loop, receiver: Receiver, clock: FrozenClock) -> None:
    receiver.answers(204, 500)
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    for _ in range(2):  # one arrives, one is to be tried again
        loop.capture.event("FIELD_SET")
    _work(loop)
    loop.capture.event("FIELD_SET")  # nobody looked at this one yet
    loop.govern.webhooks.remove("erp")

    receiver.answers(204)
    clock.advance(hours=1)
    loop.capture.event("FIELD_SET")
    _work(loop)

    assert len(receiver.posted) == 2
    assert loop.govern.webhooks.all() == []
    assert _audit(loop)[1:] == [("AUDIT_WEBHOOK_REMOVED", "local", ("webhook", "erp"))]
    for act in (loop.govern.webhooks.get, loop.govern.webhooks.remove, loop.govern.webhooks.deliveries):
        with pytest.raises(NotFound, match="no webhook 'erp'"):
            act("erp")


def test_a_new_webhook_does_not_inherit_the_deliveries_of_a_removed_one(
    loop: heedful.Loop, receiver: Receiver, another: Receiver, clock: FrozenClock
) -> None:
    receiver.answers(500)
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    loop.capture.event("FIELD_SET", id="meant for the first")
    _work(loop)
    loop.govern.webhooks.remove("erp")
    loop.govern.webhooks.create(another.url, kinds=["FIELD_SET"], id="erp")
    loop.capture.event("FIELD_SET", id="meant for the second")

    clock.advance(hours=1)
    _work(loop)

    assert another.ids == ["meant for the second"]
    assert [delivery.event for delivery in _deliveries(loop)] == ["meant for the second"]


def test_a_webhook_that_is_undone_leaves_no_trace(loop: heedful.Loop, receiver: Receiver) -> None:
    with pytest.raises(ZeroDivisionError), loop.transaction():
        loop.govern.webhooks.create(receiver.url)
        raise ZeroDivisionError
    loop.capture.event("FIELD_SET", id="x")

    assert [event.id for event in loop.events()] == ["x"]
    assert loop.govern.webhooks.all() == []
    assert list(loop.jobs.all()) == []


def test_the_trail_names_the_key_that_was_used(loop: heedful.Loop, receiver: Receiver) -> None:
    with acting(Caller("acme", Role.INTEGRATOR, "ci", "pipeline")):
        loop.govern.webhooks.create(receiver.url, id="erp")
        loop.govern.webhooks.remove("erp")

    assert [actor for _, actor, _ in _audit(loop)] == ["key:ci", "key:ci"]


def test_webhooks_are_for_admins_and_integrators(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, id="erp")
    webhooks = loop.govern.webhooks
    acts: list[Callable[[], object]] = [
        webhooks.all,
        lambda: webhooks.get("erp"),
        lambda: webhooks.deliveries("erp"),
        lambda: webhooks.create(receiver.url),
        lambda: webhooks.replay("erp"),
        lambda: webhooks.remove("erp"),
    ]
    for role in (Role.OPERATOR, Role.REVIEWER, Role.VIEWER):
        for act in acts:
            with acting(Caller("acme", role, "k", "k")), pytest.raises(Forbidden, match="admin, integrator"):
                act()
    with acting(Caller("acme", Role.INTEGRATOR, "k", "k")):
        for act in acts:
            act()


def test_a_webhook_of_another_organisation_is_not_found(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, id="erp")
    other = loop.org("globex").govern.webhooks

    assert other.all() == []
    for act in (other.get, other.deliveries, other.replay, other.remove):
        with pytest.raises(NotFound):
            act("erp")
    assert [webhook.id for webhook in loop.govern.webhooks.all()] == ["erp"]


# Looking at deliveries


def test_deliveries_are_listed_a_page_at_a_time(loop: heedful.Loop, receiver: Receiver) -> None:
    for id in ("erp", "crm"):
        loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id=id)
    loop.capture.events([{"kind": "FIELD_SET", "id": str(n)} for n in range(5)])
    _work(loop)

    found, cursor, pages = list[Delivery](), None, 0
    while pages == 0 or cursor is not None:
        page = loop.govern.webhooks.deliveries("erp", limit=2, cursor=cursor)
        found, cursor, pages = [*found, *page.items], page.next, pages + 1

    assert pages == 3
    assert sorted(delivery.event for delivery in found) == ["0", "1", "2", "3", "4"]
    assert found == _deliveries(loop)
    assert {loop.jobs.get(delivery.job).name for delivery in found} == {DELIVER}


def test_deliveries_are_listed_by_state_the_last_changed_first(
    loop: heedful.Loop, receiver: Receiver, clock: FrozenClock
) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    receiver.answers(204, 500, 204)
    for id in ("a", "b", "c"):
        loop.capture.event("FIELD_SET", id=id)
        _work(loop)
        clock.advance(seconds=1)

    assert [delivery.event for delivery in _deliveries(loop)] == ["c", "b", "a"]
    assert [delivery.event for delivery in _deliveries(loop, state=JobState.FAILED)] == ["b"]
    assert [delivery.event for delivery in _deliveries(loop, state="completed")] == ["c", "a"]


def test_deliveries_cannot_be_listed_by_nonsense(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, id="erp")

    for bad in ({"limit": 0}, {"limit": 1_001}, {"limit": True}, {"cursor": "x"}, {"state": "asleep"}):
        with pytest.raises(InvalidInput):
            _deliveries(loop, **bad)


@pytest.fixture
def ten_on_their_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many deliveries of one webhook as may be queued at once."""
    monkeypatch.setattr("heedful.govern.webhooks._ON_THEIR_WAY", 10)


@pytest.mark.usefixtures("ten_on_their_way")
def test_a_long_log_waits_in_the_log_and_not_in_the_queue(
    loop: heedful.Loop, receiver: Receiver, clock: FrozenClock
) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    receiver.answer = lambda _: 500
    loop.capture.events([{"kind": "FIELD_SET", "id": f"e-{n}"} for n in range(45)])
    _work(loop)

    unfinished = sum(loop.jobs.count_by_state()[state] for state in (JobState.QUEUED, JobState.FAILED))
    assert unfinished == 10
    receiver.posted.clear()
    receiver.answer = lambda _: 204
    clock.advance(hours=1)
    _work(loop)
    assert sorted(receiver.ids) == sorted(f"e-{n}" for n in range(45))


def test_a_webhook_that_is_off_is_not_replayed(loop: heedful.Loop, receiver: Receiver) -> None:
    loop.govern.webhooks.create(receiver.url, id="erp")
    receiver.answer = lambda _: 410
    loop.capture.event("FIELD_SET")
    _work(loop)

    with pytest.raises(Conflict, match="is disabled"):
        loop.govern.webhooks.replay("erp")


@pytest.mark.usefixtures("ten_on_their_way")
def test_deliveries_that_are_given_up_make_room_for_the_next(
    loop: heedful.Loop, receiver: Receiver, clock: FrozenClock
) -> None:
    loop.govern.webhooks.create(receiver.url, kinds=["FIELD_SET"], id="erp")
    receiver.answer = lambda _: 500
    loop.capture.events([{"kind": "FIELD_SET"}] * 13)
    for _ in range(32):
        _work(loop)
        clock.advance(minutes=11)

    assert loop.jobs.count_by_state()[JobState.DEAD_LETTER] >= 10
    assert len(set(receiver.ids)) == 13
