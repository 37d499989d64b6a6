"""A server as it is started from a terminal, used, and stopped: also in the middle of everything."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest

import heedful

pytestmark = pytest.mark.slow  # each starts a process


@contextmanager
def serve(database: str, *words: str, **environ: str) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, Any]]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "heedful", "serve", "--port", "0", "--json", *words],
        env={**os.environ, "HEEDFUL_DATABASE": database, "HEEDFUL_RATE_LIMIT": "0", **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        told = orjson.loads(process.stdout.readline())
        if told["key_file"] is not None:
            told["key"] = Path(told["key_file"]).read_text(encoding="utf-8").strip()
        yield process, told
    finally:
        process.kill()
        process.communicate()


def test_the_first_start_makes_a_key_that_no_log_shows(database: str) -> None:
    with serve(database) as (process, told):
        me = httpx2.get(f"{told['url']}/v1/me", headers={"authorization": f"Bearer {told['key']}"}).json()
        process.terminate()
        assert process.wait(10) in (0, -signal.SIGTERM)
    with serve(database) as (_, again):
        pass

    assert (me["role"], me["org"]) == ("admin", "default")
    assert Path(told["key_file"]).stat().st_mode & 0o077 == 0, "only its owner may read it"
    assert told["sign_in"] is None
    assert (again["key"], again["key_file"], again["sign_in"]) == (None, None, None)


def test_the_key_stays_out_of_what_is_said_to_people_too(tmp_path: Path) -> None:
    with _at(tmp_path / "heedful.db", stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = b""
        while b"Ctrl-C" not in said:
            said += process.stdout.readline()

    key = (tmp_path / "heedful.db.admin-key").read_text(encoding="utf-8").strip()
    assert key.encode() not in said
    assert b"heedful.db.admin-key" in said.replace(b"\n", b"")
    assert b"token=" not in said


def test_at_a_terminal_the_key_is_shown_and_a_link(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with _at(tmp_path / "heedful.db", stdout=theirs):
        said = b""
        while b"Ctrl-C" not in said:
            said += os.read(ours, 10_000)
        (link,) = re.findall(rb"http://\S+/sign-in\?token=heedful_link_\w+", said)
        with httpx2.Client(follow_redirects=True) as browser:
            page = browser.get(link.decode())

    assert re.search(rb"heedful_key_\w{49}", said)
    assert "Sign out" in page.text
    assert not (tmp_path / "heedful.db.admin-key").exists()


def test_the_demo_shows_its_link_to_a_pipe_too_because_its_data_is_nobodys() -> None:
    with _started("demo", "--serve", stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = b""
        while b"Ctrl-C" not in said:
            said += process.stdout.readline()
        (link,) = re.findall(rb"http://\S+/sign-in\?token=heedful_link_\w+", said)
        with httpx2.Client(follow_redirects=True) as browser:
            assert "Sign out" in browser.get(link.decode()).text


def _at(database: Path, stdout: int) -> AbstractContextManager[subprocess.Popen[bytes]]:
    return _started("serve", "--port", "0", "--database", str(database), stdout=stdout)


@contextmanager
def _started(*words: str, stdout: int) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "heedful", *words],
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "300"},
        stdout=stdout,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_worker_beside_the_server_does_the_jobs(database: str) -> None:
    with heedful.open(database) as loop, serve(database):
        job = loop.jobs.put(heedful.JobRequest("webhooks.fan_out"))
        seen = threading.Event()
        with loop.subscribe(lambda _: seen.set()):
            for _ in range(200):
                if loop.jobs.get(job.id).state == heedful.JobState.COMPLETED:
                    break
                seen.wait(0.05)
        assert loop.jobs.get(job.id).state == heedful.JobState.COMPLETED


def test_without_a_worker_jobs_wait(database: str) -> None:
    with heedful.open(database) as loop, serve(database, "--no-worker") as (_, told):
        loop.jobs.put(heedful.JobRequest("webhooks.fan_out"))
        httpx2.get(f"{told['url']}/readyz")
        assert loop.jobs.count_by_state()[heedful.JobState.QUEUED] == 1


def test_a_port_that_is_taken_is_told(database: str) -> None:
    with serve(database) as (_, told):
        port = told["url"].rpartition(":")[2]
        command = [sys.executable, "-m", "heedful", "serve", "--port", port]
        environ = {**os.environ, "HEEDFUL_DATABASE": database}
        second = subprocess.run(command, check=False, env=environ, capture_output=True)

    assert second.returncode == 2
    assert b"--port 0" in second.stderr


def test_log_lines_are_json_for_programs(database: str) -> None:
    with serve(database, "--log", "json") as (process, told):
        httpx2.get(f"{told['url']}/v1/me", headers={"x-request-id": "abc"})
        process.terminate()
        _, errors = process.communicate(timeout=10)

    lines = [orjson.loads(line) for line in errors.splitlines()]
    (request,) = [line for line in lines if line["event"] == "request"]
    assert (request["request_id"], request["status"], request["method"]) == ("abc", 401, "GET")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_stopping_under_load_loses_no_acknowledged_event(database: str, how: signal.Signals) -> None:
    acknowledged: list[str] = []
    enough = threading.Event()

    def post(url: str, key: str, name: int) -> None:
        with httpx2.Client(base_url=url, headers={"authorization": f"Bearer {key}"}) as client:
            for number in range(100_000):
                id = f"{name}-{number}"
                try:
                    answer = client.post("/v1/events", json={"kind": "FIELD_SET", "id": id})
                except httpx2.TransportError:
                    return
                if answer.status_code != 201:
                    return
                acknowledged.append(id)
                if len(acknowledged) >= 300:
                    enough.set()

    def stream(url: str, key: str) -> None:
        piece = b"".join(b'{"kind": "LINE_SET", "id": "line-%d"}\n' % n for n in range(500))
        try:
            httpx2.post(
                f"{url}/v1/events:batch", content=(piece for _ in range(100_000)),
                headers={"authorization": f"Bearer {key}"},
            )  # fmt: skip
        except httpx2.TransportError:
            return

    with serve(database, "--log", "none") as (process, told):
        threads = [threading.Thread(target=post, args=(told["url"], told["key"], name)) for name in range(8)]
        threads.append(threading.Thread(target=stream, args=(told["url"], told["key"])))
        for thread in threads:
            thread.start()
        assert enough.wait(60)
        process.send_signal(how)
        for thread in threads:
            thread.join(60)
        process.wait(60)

    with heedful.open(database) as loop:
        kept = {event.id for event in loop.events(kind="FIELD_SET")}
    assert len(acknowledged) >= 300
    assert set(acknowledged) <= kept
