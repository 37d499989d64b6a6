"""The client: what a loop does in this process, a client does with a server, and the answers are the same."""

from __future__ import annotations

import dataclasses
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import httpx2
import orjson
import pytest

import heedful
from heedful import Category, errors
from heedful.edges.server import Server
from heedful.errors import HeedfulError
from heedful.loop import Stages
from heedful.operations.caller import acting
from heedful.records.event import EventReceipt
from heedful.records.page import Page
from heedful.records.role import Role
from heedful.settings import Settings
from heedful.testing import FrozenClock, sample_acts
from heedful.wire import wires
from tests.serving import Served, serving
from tests.typed import corrections

AT = datetime(2026, 1, 5, 9, 30, 15, 123456, tzinfo=timezone(timedelta(hours=2)))
MANY = 2_100
"""More than a page of a list has, and more than a server records at once."""


@pytest.fixture
def client(served: Served) -> Iterator[heedful.Client]:
    with heedful.Client(served.url, served.key()) as made:
        yield made


# The same scenario, with a loop and with a client


class Heard:
    """What a scenario was told, answer by answer, errors among them."""

    def __init__(self) -> None:
        self.answers: list[Any] = []

    def of(self, ask: Callable[[], Any]) -> Any:
        try:
            answer = ask()
        except HeedfulError as error:
            answer = error
        if isinstance(answer, Iterator):
            answer = list(answer)
        self.answers.append(answer)
        return answer


def play(stages: Stages, owner: heedful.Loop, clock: FrozenClock) -> list[Any]:
    """Everything one can do, and what one is told. `owner` is the loop in whose process the jobs are done."""
    heard = Heard()
    _record(stages, heard)
    _record_many(stages, heard)
    _read(stages, heard)
    _administer(stages, heard, clock)
    _deliver(stages, heard, owner, clock)
    _go_wrong(stages, heard)
    return heard.answers


def _record(stages: Stages, heard: Heard) -> None:
    capture = stages.capture
    told: dict[str, Any] = {"actor": "dana", "entity": ("sku_mapping", "ABC-123"), "layout": "form-1", "at": AT}
    heard.of(lambda: capture.event("MAPPING_CONFIRMED", after={"sku": "INT-9", "n": [1, 2.5, None]}, id="m-1", **told))
    heard.of(lambda: capture.event("MAPPING_CONFIRMED", after={"sku": "INT-9", "n": [1, 2.5, None]}, id="m-1", **told))
    heard.of(lambda: capture.event("MAPPING_CONFIRMED", after={"sku": "other"}, id="m-1", **told))
    heard.of(lambda: capture.event("FIELD_SET", before={"ü": "\u2028\x85\n"}, meta={"deep": {"z": 1, "a": [{}]}}))
    heard.of(lambda: capture.event("FIELD_SET", entity=["page", "a:b:c"], at=datetime(1969, 7, 20, tzinfo=UTC)))
    heard.of(lambda: capture.correction("make ship", "make release", why="renamed", about="deployment", id="c-1"))
    heard.of(lambda: capture.correction("left", "right"))
    heard.of(lambda: capture.correction("LEFT", "right.", at=AT))  # said again
    heard.of(lambda: capture.correction(" ", ""))
    heard.of(lambda: capture.corrections([{"wrong": "red", "right": "blue", "id": "c-2"}, {"right": "be brief"}]))
    heard.of(lambda: capture.detect("no, it should be 5, not 3", last_output="The limit is 3."))
    heard.of(lambda: capture.message("no, it should be 5, not 3", last_output="The limit is 3.", id="c-3", at=AT))
    heard.of(lambda: capture.message("thank you, perfect", last_output="The limit is 3."))
    heard.of(lambda: stages.apply.search("which colour, red?", limit=3, category=Category.FACTUAL))
    heard.of(lambda: stages.apply.improve("The sky is red.", query="which colour?"))
    known = corrections(stages)
    heard.of(lambda: known.page(limit=2))
    heard.of(lambda: known.edit("c-2", right="navy", severity=0.9))
    heard.of(lambda: known.adjust("c-2", by=-0.25))
    heard.of(lambda: [event.kind for event in known.evidence("c-2")])
    heard.of(lambda: known.get("c-2"))
    heard.of(lambda: known.delete("c-2"))
    heard.of(lambda: known.get("c-2"))
    outcome = stages.measure.outcome
    given = heard.of(lambda: stages.apply.context("Deploy it with make ship", about="deployment"))
    assert given.id is not None
    told = {"note": "it broke", "actor": "lee", "at": AT, "id": "o-1"}
    heard.of(lambda: outcome(given.id, success=False, **told))
    heard.of(lambda: outcome(given.id, success=False, accepted=None, **told))
    heard.of(lambda: outcome(given.id, score=0.5, output="Run make ship."))
    heard.of(lambda: outcome(given.id, success=True, accepted=True))
    heard.of(lambda: outcome(None, success=True))
    heard.of(lambda: outcome("ctx-1", success=True))


def _record_many(stages: Stages, heard: Heard) -> None:
    capture = stages.capture
    heard.of(lambda: capture.events({**act, "id": f"s-{n}"} for n, act in enumerate(sample_acts(MANY))))
    heard.of(lambda: capture.events([]))
    heard.of(lambda: capture.batch([]))
    mixed: list[Any] = [
        {"kind": "FIELD_SET", "id": "b-1", "entity": ("page", "1"), "at": AT, "actor": None},
        b'{"kind": "FIELD_SET",\n "id": "b-2"}',
        {"kind": "not a kind"},
        {"kind": "FIELD_SET", "id": "m-1"},
        {"kind": "FIELD_SET", "after": {"n": float("nan")}},
        b"",
        {"kind": "FIELD_SET", "id": "b\u2028\x85"},
        {"kind": "FIELD_SET", "after": {"when": AT}},
        {"kind": "FIELD_SET", "after": {1: 2}},
        {"kind": "FIELD_SET"},
    ]
    heard.of(lambda: capture.batch(mixed))
    heard.of(lambda: capture.batch([{"kind": "FIELD_SET", "after": {"n": 2**70}}]))


def _read(stages: Stages, heard: Heard) -> None:
    heard.of(stages.events)
    heard.of(lambda: stages.events(newest_first=True, limit=501))
    heard.of(lambda: stages.events(kind="MAPPING_CONFIRMED", actor="dana"))
    heard.of(lambda: stages.events(entity=("sku_mapping", "ABC-123")))
    heard.of(lambda: stages.events(entity=("page", "a:b:c"), until=datetime(1970, 1, 1, tzinfo=UTC)))
    heard.of(lambda: stages.events(layout="form-1", since=AT, until=AT + timedelta(microseconds=1)))
    heard.of(lambda: stages.events(limit=0))
    heard.of(lambda: stages.log.page(limit=2))
    heard.of(lambda: stages.log.page(limit=2, cursor="2", newest_first=True))
    heard.of(lambda: stages.event("m-1"))
    heard.of(lambda: stages.event("b\u2028\x85"))
    heard.of(stages.measure.activity)
    heard.of(lambda: stages.measure.activity("layout", since=date(2026, 1, 5), until=date(2026, 1, 5)))
    heard.of(stages.learn.projections)
    heard.of(lambda: stages.name)  # type: ignore[attr-defined]
    heard.of(stages.govern.me)


def _administer(stages: Stages, heard: Heard, clock: FrozenClock) -> None:
    keys = stages.govern.keys
    heard.of(lambda: keys.create("order desk", role=Role.OPERATOR, days=9, rate_limit=7, id="desk"))
    heard.of(lambda: keys.create("order desk", role=Role.OPERATOR, days=9, rate_limit=7, id="desk"))
    heard.of(lambda: keys.create("another", role=Role.VIEWER, id="desk"))
    heard.of(lambda: keys.create("late", role=Role.VIEWER, days=0))
    heard.of(lambda: keys.get("desk"))
    clock.advance(seconds=1)
    heard.of(lambda: keys.revoke("desk"))
    heard.of(keys.all)


def _deliver(stages: Stages, heard: Heard, owner: heedful.Loop, clock: FrozenClock) -> None:
    webhooks, jobs = stages.govern.webhooks, stages.jobs
    made = heard.of(lambda: webhooks.create("http://127.0.0.1/hook", kinds=["FIELD_SET", "A_B"], id="erp/1"))
    assert made.secret is not None
    heard.of(lambda: webhooks.get("erp/1"))
    heard.of(webhooks.all)
    clock.advance(seconds=1)
    heard.of(lambda: stages.capture.event("FIELD_SET", id="hooked"))
    owner.govern.webhooks.fan_out()
    clock.advance(seconds=1)
    replay = heard.of(lambda: webhooks.replay("erp/1", since=AT))
    heard.of(lambda: webhooks.deliveries("erp/1"))
    heard.of(lambda: webhooks.deliveries("erp/1", state=heedful.JobState.COMPLETED, limit=1))
    heard.of(lambda: jobs.get(replay.id))
    heard.of(lambda: jobs.retry(replay.id))
    heard.of(lambda: list(jobs.all(state=heedful.JobState.QUEUED, name="webhooks.fan_out")))
    heard.of(lambda: jobs.page(state=heedful.JobState.QUEUED, limit=1))
    heard.of(jobs.count_by_state)
    heard.of(lambda: webhooks.remove("erp/1"))
    heard.of(lambda: webhooks.get("erp/1"))


def _go_wrong(stages: Stages, heard: Heard) -> None:
    capture = stages.capture
    heard.of(lambda: capture.event("no kind"))
    heard.of(lambda: capture.event("FIELD_SET", actor=""))
    heard.of(lambda: capture.event("FIELD_SET", entity=["only one"]))
    heard.of(lambda: capture.event("FIELD_SET", after={"n": float("inf")}))
    heard.of(lambda: capture.event("FIELD_SET", after={"n": object()}))
    heard.of(lambda: capture.event("FIELD_SET", meta={"text": "x" * 20_000}))
    heard.of(lambda: capture.event("AUDIT_FORGED"))
    heard.of(lambda: stages.event("nowhere"))
    heard.of(lambda: stages.event("x" * 201))
    heard.of(lambda: stages.events(limit=-1))
    heard.of(lambda: stages.events(entity=("a", "b", "c")))
    heard.of(lambda: stages.log.page(limit=1_001))
    heard.of(lambda: stages.log.page(cursor="elsewhere"))
    heard.of(lambda: stages.jobs.get("nothing"))
    heard.of(lambda: list(stages.jobs.all(state=cast("Any", "asleep"))))
    heard.of(lambda: stages.govern.webhooks.create("ftp://example.com"))


_MADE_UP = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|heedful_key_\w{49}|whsec_[\w+/=]{44}"
)


def openapi_document(value: Any, seen: dict[str, str]) -> Any:
    """A value with its types, and with what is made up at random replaced by when it was first seen."""
    if isinstance(value, HeedfulError):
        return (type(value), value.code, openapi_document(value.message, seen), value.hint)
    if isinstance(value, str):
        named = _MADE_UP.sub(lambda found: seen.setdefault(found[0], f"<{len(seen)}>"), value)
        return (type(value), named)
    if dataclasses.is_dataclass(value) or hasattr(value, "_fields"):
        fields = getattr(value, "_fields", None) or [field.name for field in dataclasses.fields(value)]
        return (type(value), [openapi_document(getattr(value, name), seen) for name in fields])
    if isinstance(value, Mapping):
        return [(openapi_document(key, seen), openapi_document(item, seen)) for key, item in value.items()]
    if isinstance(value, Sequence):
        return (type(value), [openapi_document(item, seen) for item in value])
    return (type(value), value, value.utcoffset() if isinstance(value, datetime) else None)


def test_a_client_answers_as_a_loop_does(database: str, tmp_path: Path) -> None:
    def settings(place: str) -> Settings:
        return Settings(place, org="acme", rate_limit=0, webhook_allow=("127.0.0.1",), secret="of both " * 4)

    clock = FrozenClock()
    with heedful.open(settings=settings(str(tmp_path / "beside.db")), clock=clock) as loop:
        key = loop.govern.keys.create("admin", role=Role.ADMIN, id="admin")
        caller = loop.govern.access.by_key(str(key.secret))
        assert caller is not None
        with acting(caller):
            expected = play(loop, loop, clock)

    clock = FrozenClock()
    with serving(Server(settings(database), worker=False, clock=clock)) as served:
        key = served.loop.govern.keys.create("admin", role=Role.ADMIN, id="admin")
        with heedful.Client(served.url, str(key.secret)) as client:
            found = play(client, served.loop, clock)

    assert len(found) == len(expected)
    theirs: dict[str, str] = {}
    ours: dict[str, str] = {}
    for place, (answer, wanted) in enumerate(zip(found, expected, strict=True)):
        assert openapi_document(answer, theirs) == openapi_document(wanted, ours), place
    kinds = {type(item) for answer in found for item in (answer if isinstance(answer, list) else [answer])}
    assert {heedful.Event, EventReceipt, Page, heedful.Job, heedful.Count, errors.Conflict, errors.NotFound} <= kinds


def test_every_operation_is_there_for_a_client(client: heedful.Client) -> None:
    for wire in wires():
        target: Any = client
        for name in wire.attributes:
            target = getattr(target, name)
        assert target.operation is wire.operation
    assert client.name == "acme"
    assert re.fullmatch(r"<heedful.Client of http://127.0.0.1:\d+>", repr(client))


# Ids, errors, and what cannot be done


def test_an_id_may_hold_anything_that_can_be_printed(served: Served, client: heedful.Client) -> None:
    keys, webhooks = client.govern.keys, client.govern.webhooks
    for id in ("a/b", "a b", "ünï—✓", "a?b#c", "100%", "a%2Fb", ".", "..", "../keys", "a/deliveries", "/", "//x",
               "{id}", "a\\b", "a+b&c=d;e", "x" * 200):  # fmt: skip
        recorded = client.capture.event("FIELD_SET", id=id, actor=id, entity=("page", id))
        assert client.event(id) == recorded == served.loop.event(id)
        assert list(client.events(actor=id)) == list(client.events(entity=("page", id))) == [recorded]
        assert keys.create("one", role=Role.VIEWER, id=id).id == keys.get(id).id == id
        assert keys.revoke(id).revoked_at is not None
        assert webhooks.create("http://127.0.0.1/", id=id).id == id
        assert webhooks.deliveries(id).items == []
        assert webhooks.replay(id).state == heedful.JobState.QUEUED
        assert webhooks.remove(id).id == id


def test_an_id_that_cannot_be_sent_is_refused_as_by_a_loop(client: heedful.Client) -> None:
    for id in ("", "  ", "a\nb", "a\u2028", "a\x85b", "\ud800", "x" * 70_000):
        with pytest.raises(errors.InvalidId):
            client.event(id)
    for attempt in (
        lambda: client.capture.event("FIELD_SET", id="\ud800"),
        lambda: client.capture.correction("\ud800", "right"),
        lambda: client.events(actor="\ud800"),
        lambda: client.events(actor="x" * 70_000),
    ):
        with pytest.raises(errors.InvalidInput):
            attempt()


def test_an_entity_that_an_address_cannot_name_is_refused_and_not_mistaken(client: heedful.Client) -> None:
    client.capture.event("FIELD_SET", entity=("a:b", "c"))

    with pytest.raises(errors.InvalidInput, match="a:b"):
        client.events(entity=("a:b", "c"))


def test_errors_of_the_server_are_errors_of_the_client(served: Served) -> None:
    with heedful.Client(served.url, served.key(Role.VIEWER)) as viewer:
        with pytest.raises(errors.Forbidden) as forbidden:
            viewer.capture.event("FIELD_SET")
        assert forbidden.value.code == "forbidden"
        assert "viewer" in forbidden.value.message
        assert "operator" in forbidden.value.hint
        with pytest.raises(errors.Forbidden):
            viewer.capture.events([{"kind": "FIELD_SET"}])

    served.loop.govern.set_tier("free")
    with heedful.Client(served.url, served.key()) as admin, pytest.raises(errors.LicenceRequired):
        admin.govern.webhooks.create("http://127.0.0.1/")

    with heedful.Client(served.url, "heedful_key_unknown") as nobody:
        with pytest.raises(errors.Unauthenticated, match="Invalid, revoked or expired"):
            nobody.govern.me()
        with pytest.raises(errors.Unauthenticated):  # also when much of a long batch is on its way
            nobody.capture.events({"kind": "FIELD_SET", "after": {"text": "x" * 100}} for _ in range(20_000))


@pytest.mark.parametrize(
    "refused",
    [{"kind": "no kind"}, {"kind": "FIELD_SET", "after": {"n": float("nan")}}, {"kind": "FIELD_SET", "id": "a"}],
)
def test_a_refusal_ends_a_batch_that_is_to_be_whole(
    served: Served, client: heedful.Client, refused: dict[str, Any]
) -> None:
    client.capture.event("OTHER_KIND", id="a")
    told: list[Any] = []
    for stages in (served.loop, client):
        with pytest.raises(HeedfulError) as stopped:
            stages.capture.events([{"kind": "FIELD_SET"}, {"kind": "FIELD_SET"}, refused, {"kind": "FIELD_SET"}])
        error = stopped.value
        told.append((type(error), error.code, error.message, error.hint, error.item))
    assert told[0] == told[1]
    assert told[1][-1] == 2
    assert list(client.events(kind="FIELD_SET")) == []


def test_an_error_of_the_items_own_comes_through(client: heedful.Client) -> None:
    def items() -> Iterator[dict[str, str]]:
        yield {"kind": "FIELD_SET"}
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        client.capture.events(items())
    assert client.name == "acme"


def test_what_needs_the_store_says_so(client: heedful.Client) -> None:
    needs: list[Callable[[], Any]] = [
        lambda: client.capture.draft("FIELD_SET"),
        lambda: client.capture.record([{"kind": "FIELD_SET", "at": AT}]),
        lambda: client.jobs.put(heedful.JobRequest("work")),
        client.learn.rebuild,
        lambda: client.learn.catch_up("activity"),
        client.govern.tier,
        lambda: client.govern.set_tier("free"),
        lambda: client.govern.access,
        lambda: getattr(client, "transaction"),  # noqa: B009 - a type checker knows that it is not there
        lambda: getattr(client, "subscribe"),  # noqa: B009
        lambda: getattr(client, "subscription"),  # noqa: B009
        lambda: getattr(client, "org"),  # noqa: B009
    ]
    for attempt in needs:
        with pytest.raises(errors.NotOffered, match="only on a loop in your own process") as refused:
            attempt()
        assert "heedful.open()" in refused.value.hint
    assert not hasattr(client, "anything_else")


def test_a_closed_client_says_so(served: Served) -> None:
    with heedful.Client(served.url, served.key()) as client:
        pass
    client.close()
    with pytest.raises(errors.Closed):
        client.govern.me()
    with pytest.raises(errors.Closed):
        client.capture.events([{"kind": "FIELD_SET"}])


def test_threads_may_share_a_client(served: Served, client: heedful.Client) -> None:
    def record(number: int) -> str:
        return client.capture.event("FIELD_SET", id=f"e-{number % 50}", after={"n": number % 50}).id

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(record, range(100)))

    assert ids == [f"e-{number % 50}" for number in range(100)]
    assert sorted(e.id for e in served.loop.events(kind="FIELD_SET")) == sorted(f"e-{number}" for number in range(50))


# Servers that are not there, not themselves, or not well


@pytest.mark.parametrize(
    "url",
    ["", "127.0.0.1:8321", "ftp://x", "http://", "http:///x", "http://[", "http://x:99999", "http://x:0",
     "http://a b", "http://x\n", "http://x?y=1", "http://x#y", None],
)  # fmt: skip
def test_what_is_no_address_is_refused_at_once(url: Any) -> None:
    with pytest.raises(errors.InvalidInput, match="address of a server"):
        heedful.Client(url, "heedful_key_x")


@pytest.mark.parametrize("key", ["", "  ", "schlüssel", "heedful_key_a\nX-Other: 1", None])
def test_what_cannot_be_a_key_is_refused_at_once(key: Any) -> None:
    with pytest.raises(errors.InvalidInput) as refused:
        heedful.Client("http://127.0.0.1:8321", key)
    assert "keys create" in refused.value.hint
    assert "X-Other" not in str(refused.value)


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with socket.socket() as taken:  # bound and not listening: nobody answers, and no other test gets the port
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with heedful.Client(f"http://127.0.0.1:{port}", "heedful_key_x") as client:
            for attempt in (client.govern.me, lambda: client.capture.events([{"kind": "FIELD_SET"}])):
                with pytest.raises(errors.Unreachable, match=f"127.0.0.1:{port} did not answer") as missed:
                    attempt()
                assert "heedful serve" in missed.value.hint


Answer = tuple[int, Mapping[str, str], bytes]
BREAK_OFF: Answer = (0, {}, b"")
"""Do what was asked for, and end the connection without a word."""


class Between:
    """A real HTTP server between a client and heedful that answers some requests itself."""

    def __init__(self, address: str, behind: str | None) -> None:
        self.url = address
        self.behind = behind
        self.instead: list[Answer] = []
        """What to answer to the next requests."""
        self.asked: list[tuple[str, str, bytes]] = []


@contextmanager
def between(behind: str | None = None) -> Iterator[Between]:
    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            body = self._body()
            middle.asked.append((self.command, self.path, body))
            status, headers, content = middle.instead.pop(0) if middle.instead else self._pass_on(body)
            if status == 0:
                self._pass_on(body)
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = handle_any  # noqa: N815 - so they are called

        def _body(self) -> bytes:
            if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            found = b""
            while size := int(self.rfile.readline(), 16):
                found += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return found

        def _pass_on(self, body: bytes) -> Answer:
            if middle.behind is None:
                return (200, {"Content-Type": "text/html"}, b"<h1>It works!</h1>")
            kept = {n: v for n, v in self.headers.items() if n.lower() in ("authorization", "content-type")}
            answer = httpx2.request(self.command, middle.behind + self.path, headers=kept, content=body)
            return (answer.status_code, {"Content-Type": answer.headers["content-type"]}, answer.content)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        middle = Between(f"http://127.0.0.1:{server.server_address[1]}", behind)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield middle
        finally:
            server.shutdown()
            thread.join()


def problem(status: int, code: str, **headers: str) -> Answer:
    told = {"code": code, "detail": "Not now.", "hint": "Later.", "status": status}
    return (status, {"Content-Type": "application/problem+json", **headers}, orjson.dumps(told))


BUSY = problem(503, "store_busy")
ILL = (502, {"Content-Type": "text/html"}, b"<h1>Bad gateway</h1>")


@pytest.mark.parametrize("trouble", [BREAK_OFF, BUSY, ILL], ids=["breaks off", "is busy", "is behind an ailing proxy"])
def test_what_was_recorded_when_the_answer_got_lost_is_not_recorded_twice(served: Served, trouble: Answer) -> None:
    with between(served.url) as middle, heedful.Client(middle.url, served.key()) as client:
        middle.instead = [trouble]
        event = client.capture.event("FIELD_SET", after={"n": 1})
        middle.instead = [trouble]
        correction = client.capture.correction("wrong", "right")
        middle.instead = [trouble]
        assert [found.id for found in client.events(kind="FIELD_SET")] == [event.id]

    assert [e.id for e in served.loop.events(kind="FIELD_SET")] == [event.id]
    assert [e.id for e in served.loop.events(kind="CORRECTION_REPORTED")] == [correction.id]
    first, again = [orjson.loads(body) for _, path, body in middle.asked if path == "/v1/events" and body]
    assert first == again


def test_what_must_not_be_done_twice_is_not_tried_again(served: Served) -> None:
    with between(served.url) as middle, heedful.Client(middle.url, served.key()) as client:
        client.govern.webhooks.create("http://127.0.0.1/", id="erp")
        middle.asked.clear()
        for trouble, told in ((BREAK_OFF, errors.Unreachable), (BUSY, errors.StoreBusy), (ILL, errors.Unreachable)):
            middle.instead = [trouble]
            with pytest.raises(told):
                client.govern.webhooks.replay("erp")
            middle.instead = [trouble]
            with pytest.raises(told):
                client.capture.events([{"kind": "FIELD_SET"}])
        assert len(middle.asked) == 6


def test_a_server_that_asks_for_patience_gets_it(served: Served) -> None:
    slow = problem(429, "too_many_requests", **{"Retry-After": "1"})
    soon = problem(429, "too_many_requests", **{"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"})
    with between(served.url) as middle, heedful.Client(middle.url, served.key()) as client:
        middle.instead = [slow]
        begun = datetime.now(UTC)
        assert client.govern.me().org == "acme"
        assert datetime.now(UTC) - begun >= timedelta(seconds=1)
        client.govern.webhooks.create("http://127.0.0.1/", id="erp")
        middle.instead = [soon]
        assert client.govern.webhooks.replay("erp").name == "webhooks.fan_out"  # what was not begun may be tried again
        assert len(list(served.loop.jobs.all(name="webhooks.fan_out"))) == 1


def test_patience_ends(served: Served) -> None:
    with between(served.url) as middle, heedful.Client(middle.url, served.key()) as client:
        middle.instead = [BUSY] * 9
        with pytest.raises(errors.StoreBusy, match="Not now") as given_up:
            client.capture.event("FIELD_SET")
        assert (given_up.value.hint, len(middle.asked)) == ("Later.", 4)


@pytest.mark.parametrize(
    "answer",
    [
        (200, {}, b"<h1>It works!</h1>"),
        (200, {}, b"[1, 2]"),
        (200, {}, b'{"hello": "world"}'),
        (204, {}, b""),
        (404, {}, b"<h1>Not found</h1>"),
        (404, {}, b'{"detail": "Not Found"}'),
        (302, {"Location": "http://127.0.0.1:1/"}, b""),
        (200, {"Content-Encoding": "gzip"}, b"not gzip"),
    ],
    ids=["a page", "a list", "another object", "nothing", "a page for 404", "JSON for 404", "elsewhere", "garbage"],
)
def test_a_server_that_is_not_heedful_is_told_apart(answer: Answer) -> None:
    with between() as middle, heedful.Client(middle.url, "heedful_key_x") as client:
        middle.instead = [answer] * 4
        with pytest.raises(errors.Unreachable, match="answer") as stranger:
            client.log.page()
        assert "Check the address" in stranger.value.hint
        if answer[0] != 204:
            middle.instead = [answer]
            with pytest.raises(errors.Unreachable):
                client.capture.events([{"kind": "FIELD_SET"}])


def test_an_error_of_a_later_heedful_is_still_an_error() -> None:
    with between() as middle, heedful.Client(middle.url, "heedful_key_x") as client:
        middle.instead = [problem(418, "teapot")]
        with pytest.raises(HeedfulError, match=r"Not now\. Later\."):
            client.govern.me()
