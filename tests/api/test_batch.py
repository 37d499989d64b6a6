"""Streams of events: lines in, an answer for each line out, however many there are."""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest

from heedful.records.role import Role
from tests.serving import Served


def _told(answer: httpx2.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [orjson.loads(line) for line in answer.content.splitlines()]


def test_every_line_gets_its_answer(admin: httpx2.Client) -> None:
    lines = b"\n".join(
        [
            b'{"kind": "FIELD_SET", "id": "a"}',
            b"",
            b"not json",
            b'{"kind": "lower"}',
            b'{"kind": "FIELD_SET", "id": "a"}',
            b'{"kind": "OTHER", "id": "a"}',
            b'{"kind": "AUDIT_KEY_CREATED"}',
            b'{"kind": "FIELD_SET", "id": "b", "at": "2026-01-05T09:00:00Z", "entity": ["draft", "1"]}',
        ]
    )
    *answers, counted = _told(admin.post("/v1/events:batch", content=lines))

    assert [(answer["line"], answer.get("id") or answer["problem"]["code"]) for answer in answers] == [
        (1, "a"), (3, "invalid_payload"), (4, "invalid_kind"), (5, "a"), (6, "conflict"), (7, "forbidden"), (8, "b"),
    ]  # fmt: skip
    assert counted == {"recorded": 3, "refused": 4}
    assert [event["id"] for event in admin.get("/v1/events?kind=FIELD_SET").json()["items"]] == ["a", "b"]


def test_a_batch_may_stop_at_the_first_refusal(served: Served, admin: httpx2.Client) -> None:
    lines = [b'{"kind": "FIELD_SET", "id": "e-%d"}' % n for n in range(4_500)]
    lines[4_100] = b'{"kind": "lower"}'
    *answers, counted = _told(admin.post("/v1/events:batch?whole=true", content=b"\n".join(lines)))

    assert counted == {"recorded": 4_000, "refused": 1}
    assert answers[-1]["line"] == 4_101
    assert answers[-1]["problem"]["code"] == "invalid_kind"
    assert sum(1 for _ in served.loop.org("acme").events(kind="FIELD_SET")) == 4_000


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_lines_may_end_as_they_like(admin: httpx2.Client, end: bytes) -> None:
    body = b'\xef\xbb\xbf{"kind": "FIELD_SET"}\r\n{"kind": "FIELD_SET"}' + end

    assert _told(admin.post("/v1/events:batch", content=body))[-1] == {"recorded": 2, "refused": 0}


def test_an_empty_batch_is_no_mistake(admin: httpx2.Client) -> None:
    assert _told(admin.post("/v1/events:batch")) == [{"recorded": 0, "refused": 0}]


def test_a_packed_batch_is_unpacked(admin: httpx2.Client) -> None:
    body = gzip.compress(b'{"kind": "FIELD_SET"}\n' * 5_000)
    answers = _told(admin.post("/v1/events:batch", content=body, headers={"content-encoding": "gzip"}))

    assert answers[-1] == {"recorded": 5_000, "refused": 0}


def test_a_line_without_end_is_refused(admin: httpx2.Client) -> None:
    answer = admin.post("/v1/events:batch", content=b'{"kind": "' + b"A" * 2_000_000)

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_payload")


def test_refusals_without_end_end_it(admin: httpx2.Client) -> None:
    body = gzip.compress(b"x\n" * 50_000)
    answer = admin.post("/v1/events:batch", content=body, headers={"content-encoding": "gzip"})

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_payload")


def test_a_key_that_is_revoked_meanwhile_records_no_more(served: Served, admin: httpx2.Client) -> None:
    key = served.key(Role.OPERATOR, id="op")
    revoked = threading.Event()

    def lines() -> Iterator[bytes]:
        yield b'{"kind": "FIELD_SET", "id": "before"}\n' * 2_000
        admin.delete("/v1/keys/op")
        revoked.set()
        yield b'{"kind": "FIELD_SET"}\n' * 4_000

    answer = httpx2.post(f"{served.url}/v1/events:batch", content=lines(), headers={"authorization": f"Bearer {key}"})
    assert revoked.is_set()
    assert answer.status_code == 401
    assert sum(1 for _ in served.loop.org("acme").events(kind="FIELD_SET")) <= 1


def test_who_may_not_record_may_not_record_many(served: Served) -> None:
    with served.client(Role.VIEWER) as viewer:
        answer = viewer.post("/v1/events:batch", content=b'{"kind": "FIELD_SET"}\n')

    assert answer.status_code == 403


def test_a_batch_that_is_sent_again_records_nothing_twice(served: Served, admin: httpx2.Client) -> None:
    body = b"".join(b'{"kind": "FIELD_SET", "id": "e-%d"}\n' % n for n in range(3_000))

    assert _told(admin.post("/v1/events:batch", content=body)) == _told(admin.post("/v1/events:batch", content=body))
    assert sum(1 for _ in served.loop.org("acme").events(kind="FIELD_SET")) == 3_000


_MEASURE = """
import resource, sys
import httpx2
from heedful.edges.server import Server
from heedful.settings import Settings
sys.path.insert(0, sys.argv[3])
from tests.serving import serving

count = int(sys.argv[2])
with serving(Server(Settings(database=sys.argv[1], org="acme", rate_limit=0), worker=False)) as served:
    piece = b'{"kind": "FIELD_SET", "actor": "dana", "after": {"text": "as long as people write"}}\\n' * 1_000
    with served.client() as client, client.stream(
        "POST", "/v1/events:batch", content=(piece for _ in range(count // 1_000)), timeout=300
    ) as answer:
        last = b""
        for last in answer.iter_bytes():
            pass
    assert last.endswith(b'{"recorded":%d,"refused":0}\\n' % count), last[-200:]
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.slow
def test_a_batch_takes_no_more_memory_when_it_is_ten_times_as_long(tmp_path: Path) -> None:
    def megabytes(count: int) -> int:
        command = [sys.executable, "-c", _MEASURE, str(tmp_path / f"{count}.db"), str(count), str(Path.cwd())]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    small, large = megabytes(20_000), megabytes(200_000)

    assert large < small + 60, (small, large)
