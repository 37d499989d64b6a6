"""Whatever is wrong with a request, the answer is a problem document that says what; and nothing is half recorded."""

from __future__ import annotations

import gzip
import logging
import socket
from typing import Any

import httpx2
import pytest

from heedful.edges.api.protocol import HttpProtocol
from tests.serving import Served

JSON = {"content-type": "application/json"}


def _is_problem(answer: httpx2.Response, status: int | None = None) -> dict[str, Any]:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == answer.status_code
    assert 400 <= answer.status_code < 500
    assert status in (None, answer.status_code), answer.text
    assert problem["detail"]
    assert problem["hint"]
    assert problem["code"]
    assert problem["request_id"] == answer.headers["x-request-id"]
    return problem


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b'{"kind": "A"', 400),
        (b"\xff\xfe{}", 400),
        (b'{"kind": "A\xff"}', 400),
        (b'{"kind": "A\\ud800"}', 400),
        (b"[" * 100_000, 400),
        (b'{"kind": "A", "after": ' + b'{"a":' * 2_000 + b"1" + b"}" * 2_000 + b"}", 400),
        (b"[]", 422),
        (b"null", 422),
        (b'"text"', 422),
        (b"{}", 422),
        (b'{"kind": 5}', 422),
        (b'{"kind": null}', 422),
        (b'{"kind": "A", "nonsense": 1}', 422),
        (b'{"kind": "A", "actor": {"a": 1}}', 422),
        (b'{"kind": "A", "after": [1]}', 422),
        (b'{"kind": "A", "after": "text"}', 422),
        (b'{"kind": "A", "after": {"n": 1e999}}', 422),
        (b'{"kind": "A", "after": {"n": NaN}}', 400),
        (b'{"kind": "A", "at": "yesterday"}', 422),
        (b'{"kind": "A", "at": 1767600000}', 422),
        (b'{"kind": "A", "at": "2026-01-05T09:00:00"}', 422),
        (b'{"kind": "A", "at": "0001-01-01T00:00:00+14:00"}', 422),
        (b'{"kind": "A", "entity": ["a"]}', 422),
        (b'{"kind": "A", "entity": {"kind": "a"}}', 422),
        (b'{"kind": "A", "id": ""}', 422),
        (b'{"kind": "A", "id": "a\\nb"}', 422),
        (b'{"kind": "A", "id": "a\\u0000b"}', 422),
        (b'{"kind": "' + b"A" * 65 + b'"}', 422),
        (b'{"kind": "A\'; drop table feedback_event; --"}', 422),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_body_that_cannot_be_an_event(someone: httpx2.Client, body: bytes, status: int) -> None:
    answer = someone.post("/v1/events", content=body, headers=JSON)

    _is_problem(answer)
    assert answer.status_code in (status, 400 if status == 422 and b"e999" in body else status), answer.text
    assert [event["kind"] for event in someone.get("/v1/events").json()["items"]] == ["AUDIT_KEY_CREATED"]


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
def test_a_body_that_is_not_marked_as_json(someone: httpx2.Client, kind: str | None) -> None:
    headers = {} if kind is None else {"content-type": kind}
    problem = _is_problem(someone.post("/v1/events", content=b'{"kind": "A"}', headers=headers), 415)

    assert "Content-Type: application/json" in problem["hint"]


@pytest.mark.parametrize(
    "query",
    [
        "limit=0", "limit=1001", "limit=-1", "limit=abc", "limit=1.5", "limit=١", "limit=1&limit=2", "cursor=abc",
        "cursor=-1", "cursor=" + "9" * 30, "kind=lower", "kind=", "actor=", "since=yesterday",
        "since=2026-01-05T09:00:00",
        "newest_first=1", "newest_first=maybe", "entity=nocolon", "entity=:", "nonsense=1", "actor=%00",
        "actor=%0d%0aX: y", "kind=A%27%20or%20%271%27=%271", "actor=" + "x" * 201,
    ],
)  # fmt: skip
def test_parameters_that_cannot_be(someone: httpx2.Client, query: str) -> None:
    _is_problem(someone.get(f"/v1/events?{query}"), 422)


@pytest.mark.parametrize(
    "text", ["'; drop table feedback_event; --", "%' or 1=1 --", "\\'; --", "🦉", "${jndi:ldap://x}"]
)
def test_what_looks_like_sql_is_text_like_any_other(someone: httpx2.Client, text: str) -> None:
    recorded = someone.post(
        "/v1/events", json={"kind": "FIELD_SET", "actor": text, "after": {"text": text}, "id": text}
    )

    assert recorded.status_code == 201
    (found,) = someone.get("/v1/events", params={"actor": text}).json()["items"]
    assert found["after"] == {"text": text}


@pytest.mark.parametrize(
    "path",
    [
        "/v1", "/v1/", "/v1/nothing", "//v1/events", "/v1//events", "/v1/events/", "/v1/../v1/events",
        "/v1/%2e%2e/events", "/v1%2Fevents", "/V1/events", "/v1/events;a=b", "/v1/events%00", "/v1/events/a/b",
        "/etc/passwd", "/v1/keys/a/b/c", "/static/../../etc/passwd", "/v1/events/%ff", "/mcp/x", "/v1/openapi.json/x",
    ],
)  # fmt: skip
def test_paths_that_lead_nowhere(one_server: Served, path: str) -> None:
    status, body = _raw(
        one_server, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {one_server.key()}\r\n"
    )

    assert status in (400, 404), (status, body)
    assert b'"code":' in body


def test_an_id_with_a_line_break_is_refused_as_an_id(someone: httpx2.Client) -> None:
    problem = _is_problem(someone.post("/v1/agents/co%0Ader/prompt", json={"base": "You write Python."}), 422)

    assert "agent" in problem["detail"]


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_methods_that_an_address_does_not_take(someone: httpx2.Client, method: str) -> None:
    answer = someone.request(method, "/v1/events")

    _is_problem(answer, 405)
    assert answer.headers["allow"] == "GET, POST"


def test_thousands_of_parameters_are_refused(someone: httpx2.Client) -> None:
    _is_problem(someone.get("/v1/events?" + "&".join(f"p{n}=1" for n in range(5_000))), 422)


def test_a_giant_body_is_refused_before_it_is_read(one_server: Served) -> None:
    told = "Content-Type: application/json", "Content-Length: 99999999999"
    status, body = _raw(one_server, _with_key(one_server, "POST /v1/events", *told))

    assert status == 413, body


def test_a_giant_body_that_does_not_tell_its_size_is_refused_on_the_way(someone: httpx2.Client) -> None:
    def endless() -> Any:
        for _ in range(100):
            yield b" " * 65_536

    _is_problem(someone.post("/v1/events", content=endless(), headers=JSON), 413)


def test_a_small_body_cannot_become_a_giant_one(someone: httpx2.Client) -> None:
    bomb = gzip.compress(b'{"kind": "A", "after": {"text": "' + b" " * 50_000_000 + b'"}}')
    assert len(bomb) < 100_000

    _is_problem(someone.post("/v1/events", content=bomb, headers={**JSON, "content-encoding": "gzip"}), 413)


@pytest.mark.parametrize(
    ("body", "encoding", "status"),
    [
        (b"not gzip", "gzip", 400),
        (gzip.compress(b'{"kind": "A"}')[:-5], "gzip", 400),
        (gzip.compress(b'{"kind": "A"}') + b"more", "gzip", 400),
        (b'{"kind": "A"}', "br", 415),
    ],
    ids=["not gzip", "cut off", "with a tail", "brotli"],  # the time is in the bytes
)
def test_a_body_that_cannot_be_unpacked(someone: httpx2.Client, body: bytes, encoding: str, status: int) -> None:
    _is_problem(someone.post("/v1/events", content=body, headers={**JSON, "content-encoding": encoding}), status)


def test_a_body_that_never_arrives_is_not_waited_for(impatient_server: Served) -> None:
    told = "Content-Type: application/json", "Content-Length: 100"
    status, body = _raw(impatient_server, _with_key(impatient_server, "POST /v1/events", *told), b'{"kind": ')

    assert status == 408, body
    assert b"request_timeout" in body


def test_a_batch_that_stops_in_the_middle_keeps_what_was_whole(impatient_server: Served) -> None:
    head = _with_key(impatient_server, "POST /v1/events:batch", "Content-Length: 9999999", org="halted")
    lines = b"".join(b'{"kind": "FIELD_SET", "id": "e-%d"}\n' % n for n in range(2_500))
    status, body = _raw(impatient_server, head, lines)

    assert status == 408, body
    assert sum(1 for _ in impatient_server.loop.org("halted").events(kind="FIELD_SET")) == 2_000


@pytest.mark.parametrize(
    "header",
    [
        "Authorization: Bearer", "Authorization: Basic YTpi", "Authorization: Bearer x y", "Authorization: ",
        "Authorization: Bearer ' or 1=1 --", "Authorization: Bearer \xff", "Cookie: heedful_session=x.y",
        "Cookie: heedful_session=", "Cookie: ;;;=", "X-Nothing: at all",
    ],
)  # fmt: skip
def test_headers_that_are_no_key(one_server: Served, header: str) -> None:
    status, body = _raw(one_server, f"GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n")

    assert status == 401, body


@pytest.mark.parametrize(
    "head",
    [
        "NONSENSE /v1/events HTTP/1.1\r\n", "GET /v1/events HTTP/1.1\r\nno colon here\r\n", "hello\r\n",
        "GET /v1/events HTTP/1.1\r\nContent-Length: many\r\n", "GET  HTTP/1.1\r\n",
        "POST /v1/events HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "GET /v1/events HTTP/1.1\r\nX-Split: a\x00b\r\n",
    ],
)  # fmt: skip
def test_what_is_not_http_gets_a_problem_document_too(one_server: Served, head: str) -> None:
    status, body = _raw(one_server, head)

    assert 400 <= status < 500
    assert b'"code":' in body


def test_headers_that_never_end_are_not_waited_for(one_server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HttpProtocol, "seconds_for_head", 0.3)
    host, port = one_server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as slow:
        slow.sendall(b"GET /v1/me HTTP/1.1\r\nX-Slow: ")
        assert slow.recv(100).startswith(b"HTTP/1.1 408")
    with socket.create_connection((host, int(port)), timeout=10) as silent:
        assert silent.recv(100).startswith(b"HTTP/1.1 408")


def test_headers_that_go_on_and_on_are_cut_off(one_server: Served) -> None:
    host, port = one_server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as endless:
        endless.sendall(b"GET /v1/me HTTP/1.1\r\nX-Long: " + b"x" * 200_000)
        assert endless.recv(100).startswith(b"HTTP/1.1 413")


def test_an_unknown_host_is_refused(one_server: Served) -> None:
    sent = f"GET /v1/me HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer {one_server.key()}\r\n"
    status, body = _raw(one_server, sent)

    assert status == 400, body


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Host", ["127.0.0.1", "127.0.0.1"]),
        ("Host", ["127.0.0.1", "evil.example"]),
        ("Host", []),
        ("Authorization", ["Bearer {key}", "Bearer {key}"]),
        ("Authorization", ["Bearer {key}", "Bearer x"]),
        ("Content-Type", ["application/json", "text/plain"]),
        ("Content-Encoding", ["identity", "gzip"]),
        ("Content-Length", ["13", "13"]),
        ("Transfer-Encoding", ["chunked", "chunked"]),
    ],
)
@pytest.mark.parametrize("path", ["/v1/events", "/mcp", "/sign-in"])
def test_a_header_that_must_be_single_is_not_sent_twice(
    one_server: Served, path: str, name: str, values: list[str]
) -> None:
    headers = {
        "Host": ["127.0.0.1"],
        "Authorization": ["Bearer {key}"],
        "Content-Type": ["application/json"],
        "Content-Length": [] if name == "Transfer-Encoding" else ["13"],
        name: values,
    }
    key = one_server.key()
    head = "".join(f"{name}: {value.format(key=key)}\r\n" for name, values in headers.items() for value in values)
    status, body = _raw(one_server, f"POST {path} HTTP/1.1\r\n{head}", b'{"kind": "A"}')

    assert status == 400, body


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:8321, evil.example", "127.0.0.1:evil.example", "localhost:80:evil", "127.0.0.1:", "localhost:-1",
        "evil.example@127.0.0.1", "127.0.0.1@evil.example", "[::1", "::1", "[::1]evil.example", "[::1]:evil",
        "[localhost]", "localhost/evil.example", "localhost evil.example", "localhost\tevil.example", "",
    ],
)  # fmt: skip
def test_a_malformed_host_is_refused(one_server: Served, host: str) -> None:
    status, body = _raw(one_server, f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n")

    assert (status, b"Unknown Host header." in body) == (400, True), body


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8321", "LOCALHOST:80", "[::1]", "[::1]:8321"])
def test_a_loopback_host_is_accepted_with_and_without_a_port(one_server: Served, host: str) -> None:
    assert _raw(one_server, f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n")[0] == 200


@pytest.mark.parametrize(
    "sent", ["ghp_0123456789abcdefghijABCDEFGHIJ456789", "heedful_key_AbCdEfGh0123456789", "4111111111111111", "a" * 65]
)
def test_a_secret_sent_as_a_request_id_is_neither_logged_nor_returned(
    someone: httpx2.Client, sent: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="heedful"):
        answer = someone.get("/v1/me", headers={"X-Request-Id": sent})
        someone.get("/v1/me")  # the log line of a request is written after its answer

    lines = [record.__dict__ for record in caplog.records if record.message == "request"]
    assert lines[0]["request_id"] == answer.headers["x-request-id"]
    assert sent not in str(lines)


def test_a_request_id_is_given_back_if_it_is_harmless(someone: httpx2.Client) -> None:
    assert someone.get("/v1/me", headers={"X-Request-Id": "abc-123"}).headers["x-request-id"] == "abc-123"
    assert someone.get("/v1/me", headers={"X-Request-Id": "<script>"}).headers["x-request-id"] != "<script>"


def _with_key(server: Served, line: str, *headers: str, org: str = "acme") -> str:
    sent = [f"{line} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {server.key(org=org)}", *headers]
    return "\r\n".join(sent) + "\r\n"


def _raw(server: Served, head: str, body: bytes = b"") -> tuple[int, bytes]:
    """Bytes as no client library would send them."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as sock:
        sock.sendall(head.encode("latin-1") + b"Connection: close\r\n\r\n" + body)
        answer = b""
        while piece := sock.recv(65_536):
            answer += piece
    return int(answer.split(b" ", 2)[1]), answer.partition(b"\r\n\r\n")[2]
