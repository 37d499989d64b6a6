"""What those who run a server look at: health, metrics, logs, traces."""

from __future__ import annotations

import http.server
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from heedful import JobRequest
from heedful.edges.server import Server
from heedful.settings import Settings
from heedful.testing import FrozenClock
from tests.serving import Served, serving

SECRET_TEXT = "what-a-user-wrote"


def _numbers(served: Served, **headers: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    text = httpx2.get(f"{served.url}/metrics", headers=headers).text
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_server_that_lives_says_so_to_anybody(served: Served) -> None:
    assert httpx2.get(f"{served.url}/healthz").json()["status"] == "ok"


def test_a_server_is_ready_when_database_schema_and_queue_are_well(served: Served) -> None:
    answer = httpx2.get(f"{served.url}/readyz")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "checks": {"database": "ok", "schema": "ok", "queue": "ok"}}


def test_a_server_is_not_ready_when_its_database_is_gone(served: Served) -> None:
    served.loop.close()
    answer = httpx2.get(f"{served.url}/readyz")

    assert answer.status_code == 503
    assert answer.json() == {"status": "not ready", "checks": {"database": "closed"}}
    assert httpx2.get(f"{served.url}/healthz").status_code == 200


def test_metrics_count_requests_events_errors_and_jobs(served: Served, admin: httpx2.Client) -> None:
    admin.post("/v1/events", json={"kind": "FIELD_SET"})
    admin.post("/v1/events", json={"kind": "lower"})
    admin.get(f"/v1/events/{SECRET_TEXT}")
    served.loop.org("acme").jobs.put(JobRequest("nobody-does-it"))

    found = _numbers(served)

    def number(name: str, **labels: str) -> float:
        return found[name, frozenset(labels.items())]

    assert number("heedful_http_requests_total", method="POST", route="/v1/events", status="201") == 1
    assert number("heedful_http_requests_total", method="GET", route="/v1/events/{id}", status="404") == 1
    assert number("heedful_http_request_seconds_count", route="/v1/events") == 2
    assert number("heedful_errors_total", code="invalid_kind") == 1
    assert number("heedful_events_recorded_total", kind="FIELD_SET") == 1
    assert number("heedful_jobs", state="queued") == 1
    assert number("heedful_queue_due_jobs") == 1
    assert number("heedful_queue_oldest_seconds") >= 0
    assert SECRET_TEXT not in str(found)


def test_kinds_that_callers_make_up_do_not_fill_the_memory(served: Served, admin: httpx2.Client) -> None:
    lines = b"".join(b'{"kind": "KIND_%d"}\n' % number for number in range(300))
    admin.post("/v1/events:batch", content=lines)

    kinds = [labels for name, labels in _numbers(served) if name == "heedful_events_recorded_total"]
    assert len(kinds) <= 201
    assert frozenset({("kind", "other")}) in kinds


def test_a_worker_beside_the_server_counts_its_jobs(database: str) -> None:
    settings = Settings(database=database, org="acme", rate_limit=0)
    with serving(Server(settings)) as served:
        done = threading.Event()
        served.server.metrics.job = lambda *_: done.set()  # type: ignore[method-assign]
        served.loop.jobs.put(JobRequest("webhooks.fan_out"))
        assert done.wait(10)


def test_metrics_are_for_this_machine_or_for_those_with_the_token(database: str) -> None:
    settings = Settings(database=database, org="acme", metrics_token="s3cret")
    with serving(Server(settings, worker=False)) as served:
        url = f"{served.url}/metrics"
        assert httpx2.get(url).status_code == 403
        assert httpx2.get(url, headers={"authorization": f"Bearer {served.key()}"}).status_code == 403
        assert httpx2.get(url, headers={"authorization": "Bearer s3cret"}).status_code == 200


def test_a_proxy_on_this_machine_does_not_speak_for_this_machine(served: Served) -> None:
    assert httpx2.get(f"{served.url}/metrics", headers={"x-forwarded-for": "203.0.113.9"}).status_code == 403


def test_a_log_line_tells_the_request_and_nothing_a_user_wrote(
    served: Served, admin: httpx2.Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="heedful"):
        answer = admin.post("/v1/events", json={"kind": "FIELD_SET", "actor": SECRET_TEXT, "after": {"t": SECRET_TEXT}})
        admin.get(f"/v1/events/{SECRET_TEXT}?kind={SECRET_TEXT}")
        admin.post("/v1/corrections", json={"wrong": SECRET_TEXT, "right": 5})

    lines = [record.__dict__ for record in caplog.records if record.message == "request"]
    assert lines[0]["request_id"] == answer.headers["x-request-id"]
    assert (lines[0]["route"], lines[0]["status"], lines[0]["org"]) == ("/v1/events", 201, "acme")
    assert SECRET_TEXT not in str([record.__dict__ for record in caplog.records])


def test_our_own_mistakes_are_told_without_their_text(
    served: Served, admin: httpx2.Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError(SECRET_TEXT)

    monkeypatch.setattr("heedful.edges.api.executor.dump", broken)
    answer = admin.get("/v1/me")

    assert answer.status_code == 500
    assert answer.json()["code"] == "internal"
    assert SECRET_TEXT not in answer.text
    (line,) = [record for record in caplog.records if record.message == "request failed"]
    assert line.__dict__["error"] == "RuntimeError"
    assert SECRET_TEXT not in str(line.__dict__)


@contextmanager
def _collector() -> Iterator[tuple[str, list[bytes]]]:
    """Something that takes OTLP over HTTP, as a collector does."""
    received: list[bytes] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", received
        finally:
            server.shutdown()
            thread.join()


def test_traces_go_where_the_standard_variables_say(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    with _collector() as (url, received):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        monkeypatch.setenv("HEEDFUL_DATABASE", database)
        with serving(Server(Settings.read(), worker=False)) as served, served.client(org="default") as client:
            client.get(f"/v1/events/{SECRET_TEXT}", headers={"traceparent": f"00-{trace}-b7ad6b7169203331-01"})

    sent = b"".join(received)
    assert b"GET /v1/events/{id}" in sent
    assert bytes.fromhex(trace) in sent, "it goes on where the caller's trace left off"
    assert SECRET_TEXT.encode() not in sent


def test_traces_are_off_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not Settings.read({}).traces
    assert Settings.read({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}).traces
    assert not Settings.read({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"}).traces
    assert not Settings.read({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_TRACES_EXPORTER": "none"}).traces


def test_jobs_that_wait_do_not_take_a_server_out_of_service(database: str, clock: FrozenClock) -> None:
    settings = Settings(database=database, org="acme")
    with serving(Server(settings, worker=False, clock=clock)) as served:
        served.loop.jobs.put(JobRequest("nobody-does-it"))
        clock.advance(days=1)

        assert httpx2.get(f"{served.url}/readyz").status_code == 200


def test_what_was_undone_is_not_counted(served: Served) -> None:
    acme = served.loop.org("acme")
    with pytest.raises(RuntimeError), acme.transaction():
        acme.capture.event("UNDONE")
        raise RuntimeError
    with acme.transaction():
        acme.capture.event("KEPT")

    found = _numbers(served)
    assert ("heedful_events_recorded_total", frozenset({("kind", "KEPT")})) in found
    assert ("heedful_events_recorded_total", frozenset({("kind", "UNDONE")})) not in found
