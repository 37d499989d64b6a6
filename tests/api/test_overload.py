"""Requests that are meant to keep a server busy: refused early, given up when their sender leaves, ended by a stop."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.routing import Route

from heedful.edges import request_body
from heedful.edges.server import Server
from heedful.settings import Settings
from heedful.wire import wires
from tests.serving import Served, serving

GZIP = {"content-encoding": "gzip", "content-type": "application/json"}
TAKE_BODIES = [wire for wire in wires() if not wire.in_query and not wire.operation.streams and wire.beside_path]


@pytest.fixture
def patient(tmp_path: Path) -> Iterator[Served]:
    """As patient as a server is by default."""
    settings = Settings(database=str(tmp_path / "heedful.db"), org="acme", rate_limit=0)
    with serving(Server(settings, worker=False)) as running:
        yield running


@pytest.mark.parametrize("wire", TAKE_BODIES, ids=lambda wire: wire.id)
def test_no_operation_takes_a_body_that_unpacks_to_too_much(someone: httpx2.Client, wire: Any) -> None:
    bomb = gzip.compress(b'{"a": "' + b" " * (request_body.LIMIT + 1) + b'"}')
    answer = someone.request(
        wire.operation.verb, f"/v1{wire.operation.path}".replace("{", "").replace("}", ""), content=bomb, headers=GZIP
    )

    assert (answer.status_code, answer.json()["code"]) == (413, "request_too_large"), answer.text
    assert "1,024 KB" in answer.json()["detail"]


def test_no_other_address_does_either(one_server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "UNPACKED_LIMIT", request_body.LIMIT)
    bomb = gzip.compress((b" " * 200_000 + b"\n") * 10)
    others = {
        route.path
        for route in one_server.server.app.routes
        if isinstance(route, Route) and not (route.methods or set()) <= {"GET", "HEAD"} and "{" not in route.path
    }
    with one_server.client() as client:
        answers = {path: client.post(path, content=bomb, headers=GZIP) for path in (*others, "/v1/events:batch")}

    assert {"/mcp", "/sign-in", "/sign-out"} <= others
    wanted = {**dict.fromkeys(answers, 413), "/documents": 401}  # whoever uploads must be signed in first
    assert {path: answer.status_code for path, answer in answers.items()} == wanted


def test_empty_lines_without_end_are_refused(someone: httpx2.Client) -> None:
    bomb = gzip.compress(b"\n" * 2_000_000)
    answer = someone.post("/v1/events:batch", content=bomb, headers=GZIP)

    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")
    assert "10,000" in answer.json()["detail"]


def test_a_batch_is_not_recorded_for_somebody_who_left(patient: Served) -> None:
    lines = b"".join(b'{"kind": "FIELD_SET", "id": "e-%d"}\n' % n for n in range(20_000))
    packed = gzip.compress(lines)
    loop = patient.loop.org("acme")
    turns = patient.server.api.executor._streams
    key = patient.key()
    # Inside a transaction, so that the first part has to wait.
    headers = f"Content-Encoding: gzip\r\nContent-Length: {len(packed)}"
    with loop.transaction(), _sent(patient, key, headers, packed):
        _until(lambda: turns._running["acme"] == 1)
    _until(lambda: 'route="/v1/events:batch",status="400"' in httpx2.get(f"{patient.url}/metrics").text)

    assert sum(1 for _ in loop.events(kind="FIELD_SET")) <= 1_000


def test_an_upload_that_hangs_is_told_when_the_server_stops(patient: Served) -> None:
    with _sent(patient, patient.key(), "Content-Length: 999", b'{"kind": "FIELD_SET"}\n') as hanging:
        patient.server.api.executor.stop()
        answer = hanging.recv(65_536)

    assert answer.startswith(b"HTTP/1.1 503")


def test_a_server_that_is_told_to_stop_does_so_within_ten_seconds(patient: Served) -> None:
    assert (patient.server.runner().config.timeout_graceful_shutdown or 60) < 10


def _sent(server: Served, key: str, header: str, content: bytes) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    sock = socket.create_connection((host, int(port)), timeout=20)
    head = f"POST /v1/events:batch HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n{header}\r\n\r\n"
    sock.sendall(head.encode() + content)
    return sock


def _until(true: Any) -> None:
    for _ in range(2_000):
        if true():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it never came to that")
