"""The hook as an agent calls it: real processes, a real socket, and a daemon that nobody notices."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import heedful
from heedful.edges.hook import calls, client, cold, connection, daemon, place
from heedful.edges.hook.connection import asked
from heedful.records.mining import MINED
from heedful.settings import Settings
from tests.typed import corrections

QUESTION = "what does parse() return when the input is empty?"
OUTPUT = "parse() returns an error when the input is empty."
MESSAGE = "Actually it should return nil, not an error"
PATIENCE = 120.0  # seconds until a test gives up
_PATIENTLY = f"""
import sys
from heedful.__main__ import main
from heedful.edges.hook import calls
calls.DEADLINE = {PATIENCE}
sys.argv = ["heedful", "hook"]
main()
"""  # on a busy machine, the deadline of people is over before Python is up

pytestmark = pytest.mark.xdist_group("hook_daemon")  # each loads the models


class Machine:
    """A user with a database, and a folder of their own for sockets."""

    def __init__(self, folder: Path, database: Path) -> None:
        own = {"XDG_RUNTIME_DIR": str(folder), "HEEDFUL_DATABASE": str(database), "HOME": str(folder)}
        self.env = {**os.environ, **own, "HEEDFUL_HOOK_DAEMON": "600"}
        self.database = database
        self.folder = folder / "heedful"
        self._daemons: list[subprocess.Popen[bytes]] = []

    @property
    def name(self) -> str:
        return place.name(None, None, self.env)

    @property
    def socket(self) -> Path:
        return self.folder / f"{self.name}{place.SOCKET}"

    def start_daemon(self) -> subprocess.Popen[bytes]:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        words = ["-m", "heedful.edges.hook.daemon", str(self.folder), self.name]
        started = subprocess.Popen([sys.executable, *words], env=self.env, stdout=subprocess.PIPE)
        self._daemons.append(started)
        return started

    def daemon(self) -> subprocess.Popen[bytes]:
        """One that is ready."""
        started = self.start_daemon()
        assert started.stdout is not None
        assert started.stdout.readline() == b"ready\n"
        return started

    def hook(self, **told: Any) -> tuple[str, str]:
        """What it says to stdout and to stderr."""
        content = json.dumps({"session_id": "s", "cwd": "/home/dana/shop", **told}).encode()
        command = [sys.executable, "-c", _PATIENTLY]
        done = subprocess.run(command, env=self.env, input=content, capture_output=True, timeout=PATIENCE, check=True)
        return done.stdout.decode(), done.stderr.decode()

    def prompt(self, prompt: str, **more: Any) -> str:
        output, trouble = self.hook(hook_event_name="UserPromptSubmit", prompt=prompt, **more)
        assert trouble == ""
        return "" if not output else str(json.loads(output)["hookSpecificOutput"]["additionalContext"])

    def started_by_a_hook(self) -> int:
        """The process id of a daemon that no test started, once it has done what was waiting for it."""
        until, pause = time.monotonic() + PATIENCE, threading.Event()
        while asked(str(self.socket), b"", until) is None:
            assert time.monotonic() < until
            pause.wait(0.02)
        return int((self.folder / f"{self.name}{place.LOCK}").read_text())

    def close(self) -> None:
        for one in self._daemons:
            one.kill()
            one.communicate()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    heedful.open(tmp_path / "h.db").close()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # short, as the paths of sockets must be
        made = Machine(Path(folder), tmp_path / "h.db")
        yield made
        made.close()


def test_the_first_hook_starts_a_daemon_which_records_what_it_was_told(machine: Machine) -> None:
    with heedful.open(machine.database) as loop:
        loop.govern.learnings.approve(loop.capture.correction("", "Always write type hints", always=True).id)
        loop.capture.correction("make ship", "make release", about="shop", query="how do I deploy?")

        cold = machine.prompt(MESSAGE, last_assistant_message=OUTPUT, query=QUESTION)
        pid = machine.started_by_a_hook()
        try:
            assert "type hints" in cold
            assert "nil" in {one.right for one in corrections(loop).all()}
            assert (machine.folder.stat().st_mode & 0o777, machine.socket.stat().st_mode & 0o777) == (0o700, 0o700)
            assert machine.prompt(QUESTION) == ""  # each thing once, and nothing that they said themselves
            assert "nil" in machine.prompt(QUESTION, session_id="u")
            assert "make release" in machine.prompt("how do I deploy?", session_id="t")
        finally:
            os.kill(pid, 15)


def test_an_answer_that_no_transcript_has_reaches_the_daemon_that_is_not_up_yet(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "DEADLINE", PATIENCE)  # what is too long ends the process, and here it is pytest's
    monkeypatch.setattr(cold, "start_daemon", lambda *_: None)
    machine.folder.mkdir(mode=0o700)
    codex = {"session_id": "c", "cwd": "/home/dana/shop", "transcript_path": None, "turn_id": "t"}
    for told in (
        {"hook_event_name": "UserPromptSubmit", "prompt": QUESTION},
        {"hook_event_name": "Stop", "last_assistant_message": OUTPUT},
        {"hook_event_name": "UserPromptSubmit", "prompt": MESSAGE},
        {"hook_event_name": "Stop", "last_assistant_message": "It returns nil now."},
    ):
        words = ["hook", "--database", str(machine.database)]
        reply = cold.answered(words, json.dumps({**codex, **told}).encode(), str(machine.folder), machine.name)
        assert reply.trouble == b""

    machine.daemon()
    with heedful.open(machine.database) as loop:
        (learned,) = corrections(loop).all()
    assert (learned.right, learned.query) == ("nil", QUESTION)


class Starting:
    """A daemon in this process, which loads its models when told."""

    def __init__(self, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in machine.env.items():
            monkeypatch.setenv(name, value)
        self._load = threading.Event()
        monkeypatch.setattr(daemon, "_warm_up", lambda _: self._load.wait(PATIENCE))
        machine.folder.mkdir(mode=0o700)
        self._path = str(machine.socket)
        self._database = machine.database
        self._listener = daemon._listening(self._path)
        run = daemon._Daemon(self._listener, self._path, machine.folder, machine.name).run
        self._thread = threading.Thread(target=run)

    def open(self) -> None:
        """It has opened the database, and answers."""
        self._thread.start()
        pause, until = threading.Event(), time.monotonic() + PATIENCE
        while not place.is_ready(self._path):
            assert time.monotonic() < until
            pause.wait(0.01)

    def load(self) -> None:
        """It has its models, and has done what was waiting."""
        self._load.set()
        assert asked(self._path, b"", time.monotonic() + PATIENCE) == (b"", b"")

    def prompt(self, prompt: str, seconds: float = PATIENCE, *, taken: bool = True, **more: str) -> str:
        """What it is told; its agent has gone if that is not taken."""
        told = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/home/dana/shop", "prompt": prompt}
        request = calls.framed(["hook"], json.dumps({**told, **more}).encode())
        reply = asked(self._path, request, time.monotonic() + seconds, b"late", (lambda *_: None) if taken else None)
        assert reply is not None
        return (reply[0] or reply[1]).decode()

    def end(self) -> None:
        self._load.set()
        for file in self._database.parent.glob("h.db*"):
            file.unlink()
        asked(self._path, b"", time.monotonic() + PATIENCE)  # it notices
        self._thread.join(PATIENCE)
        self._listener.close()


@pytest.fixture
def starting(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Starting]:
    with heedful.open(machine.database) as loop:
        loop.govern.learnings.approve(loop.capture.correction("", "Always write type hints", always=True).id)
    made = Starting(machine, monkeypatch)
    yield made
    made.end()


def test_nobody_waits_for_the_models_and_nothing_is_lost(machine: Machine, starting: Starting) -> None:
    starting.open()
    with heedful.open(machine.database) as loop:
        assert "type hints" in starting.prompt(MESSAGE, last_assistant_message=OUTPUT, query=QUESTION)
        assert "nil" not in {one.right for one in corrections(loop).all()}
        starting.load()
        assert "nil" in {one.right for one in corrections(loop).all()}
    assert starting.prompt("hello") == ""  # it was told


def test_who_went_on_before_the_daemon_was_up_was_told_nothing_but_is_heard(
    machine: Machine, starting: Starting
) -> None:
    assert starting.prompt(MESSAGE, seconds=0.001, last_assistant_message=OUTPUT, query=QUESTION) == "late"
    starting.open()
    starting.load()

    with heedful.open(machine.database) as loop:
        assert "nil" in {one.right for one in corrections(loop).all()}
    assert "type hints" in starting.prompt("hello")


def test_what_was_said_to_nobody_is_said_with_the_next_prompt(starting: Starting) -> None:
    starting.open()
    for loaded in (False, True):
        if loaded:
            starting.load()
        own = f"session-{loaded}"
        for event in ("SessionStart", "UserPromptSubmit"):
            said = starting.prompt("hello", hook_event_name=event, session_id=own, taken=False)
            assert "type hints" in said
        assert "type hints" in starting.prompt("hello", session_id=own)
        assert starting.prompt("hello", session_id=own) == ""


def test_of_two_sessions_that_start_at_once_both_get_what_always_holds(machine: Machine) -> None:
    with heedful.open(machine.database) as loop:
        loop.govern.learnings.approve(loop.capture.correction("", "Always write type hints", always=True).id)
    found = {"a": "", "b": ""}

    def start(session: str) -> None:
        found[session] = machine.hook(hook_event_name="SessionStart", session_id=session)[0]

    starts = [threading.Thread(target=start, args=(session,)) for session in found]
    for one in starts:
        one.start()
    for one in starts:
        one.join()
    pid = machine.started_by_a_hook()
    try:
        for session, said in found.items():
            assert ("type hints" in said) is not ("type hints" in machine.prompt("hello", session_id=session))
    finally:
        os.kill(pid, 15)


@pytest.mark.parametrize("words", [("--bogus",), ("codex",), ("--event", "foo"), ("--event",), ("--print",)])
@pytest.mark.parametrize("daemon", ["600", "0"])
def test_no_option_makes_the_hook_a_no(machine: Machine, words: tuple[str, ...], daemon: str) -> None:
    machine.env["HEEDFUL_HOOK_DAEMON"] = daemon
    (machine.folder).mkdir(mode=0o700, exist_ok=True)
    (machine.folder / f"{machine.name}{place.CLAIM}").touch()  # none need come up for that
    content = b'{"hook_event_name": "SessionStart"}'
    command = [sys.executable, "-m", "heedful", "hook", *words]
    done = subprocess.run(command, env=machine.env, input=content, capture_output=True, timeout=PATIENCE, check=False)

    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (0, b"", 1)
    assert done.stderr.startswith(b"heedful hook: ")


def test_a_daemon_that_is_starting_is_given_less_time(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.folder.mkdir(mode=0o700)
    path, patience = str(machine.socket), list[float]()

    def note(_: str, __: bytes, until: float, *___: object) -> tuple[bytes, bytes]:
        patience.append(until - time.monotonic())
        return b"", b""

    monkeypatch.setattr(connection, "asked", note)
    with daemon._listening(path):
        for _ in range(2):
            client._is_asked(str(machine.folder), machine.name, path, b"", time.monotonic() + PATIENCE)
            place.mark_ready(path)

    assert patience[0] <= calls.STARTING < patience[1]


def test_of_many_hooks_one_starts_the_daemon_and_the_others_are_heard_by_it(
    machine: Machine, starting: Starting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "STARTING", 0.001)
    where, name = str(machine.folder), machine.name
    told = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/home/dana/shop", "prompt": MESSAGE}
    request = calls.framed(["hook"], json.dumps({**told, "last_assistant_message": OUTPUT, "query": QUESTION}).encode())

    def is_asked() -> bool:
        return client._is_asked(where, name, f"{machine.socket}.none", request, time.monotonic() + PATIENCE)

    assert not is_asked()  # this one is to start it
    assert is_asked()
    place.give_back(where, name)
    assert not is_asked()
    starting.open()
    starting.load()
    with heedful.open(machine.database) as loop:
        assert "nil" in {one.right for one in corrections(loop).all()}
    assert "type hints" in starting.prompt("hello")


def test_two_that_start_at_once_give_one_daemon(machine: Machine) -> None:
    first, second = machine.start_daemon(), machine.start_daemon()

    first_done, second_done = (one.stdout.readline() for one in (first, second) if one.stdout)

    assert {first_done, second_done} == {b"ready\n", b""}  # one ended without a word
    assert machine.prompt("hello") == ""


def test_a_killed_daemon_leaves_nothing_in_the_way(machine: Machine) -> None:
    killed = machine.daemon()
    killed.kill()
    killed.wait()
    assert machine.socket.exists()

    assert machine.prompt("hello") == ""  # and starts another one
    pid = machine.started_by_a_hook()
    assert pid != killed.pid
    os.kill(pid, 15)


def test_a_daemon_that_nobody_asks_ends_and_one_without_a_database_too(machine: Machine) -> None:
    machine.env["HEEDFUL_HOOK_DAEMON"] = "1"
    idle = machine.daemon()
    assert (idle.wait(PATIENCE), machine.socket.exists()) == (0, False)

    machine.env["HEEDFUL_HOOK_DAEMON"] = "600"
    orphan = machine.daemon()
    for file in machine.database.parent.glob("h.db*"):
        file.unlink()
    output, trouble = machine.hook(hook_event_name="UserPromptSubmit", prompt="hello")
    assert (output, "heedful init" in trouble, trouble.count("\n")) == ("", True, 1)
    assert orphan.wait(PATIENCE) == 0


def test_a_session_that_ends_is_mined_in_the_background(machine: Machine, tmp_path: Path) -> None:
    said = (("user", "The build fails with a missing module."), ("assistant", "The cause is a stale cache."))
    messages = [{"sessionId": "s-1", "type": role, "message": {"role": role, "content": text}} for role, text in said]
    transcript = tmp_path / "talk.jsonl"
    transcript.write_text("".join(json.dumps(one) + "\n" for one in messages))
    mined = threading.Event()
    machine.daemon()
    with heedful.open(machine.database) as loop, loop.subscribe(lambda _: mined.set(), kind=MINED):
        told = {"hook_event_name": "SessionEnd", "transcript_path": str(transcript), "reason": "other"}
        assert machine.hook(**told) == ("", "")
        assert mined.wait(PATIENCE)


def test_what_cannot_be_understood_costs_a_line_on_stderr(machine: Machine) -> None:
    for start in (lambda: None, machine.daemon):
        start()
        output, trouble = machine.hook(hook_event_name="Notification")
        assert (output, trouble.count("\n")) == ("", 1)
        assert trouble.startswith("heedful hook: hook_event_name is")


def test_a_daemon_that_is_not_wanted_is_not_started(machine: Machine) -> None:
    machine.env["HEEDFUL_HOOK_DAEMON"] = "0"
    machine.hook(hook_event_name="UserPromptSubmit", prompt="hello")

    assert not any(machine.folder.glob(f"*{place.LOCK}"))


def test_other_code_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "heedful" / "edges" / "hook"
    package.mkdir(parents=True)
    code, made = package / "code.py", ModuleType("code_of_a_test")
    code.write_text("x = 1")
    made.__file__ = str(code)
    monkeypatch.setitem(sys.modules, "code_of_a_test", made)
    monkeypatch.setattr(daemon, "__file__", str(package / "daemon.py"))
    known = daemon._Surroundings(Settings("postgresql://nowhere"))

    assert not known.code_replaced()
    code.write_text("x = 2 + 2")
    assert known.code_replaced()


def test_a_folder_that_others_can_use_is_not_used(tmp_path: Path) -> None:
    env = {"XDG_RUNTIME_DIR": str(tmp_path)}
    assert place.folder(env) == f"{tmp_path}/heedful"
    (tmp_path / "heedful").chmod(0o755)
    assert place.folder(env) is None
    (tmp_path / "heedful").rmdir()
    (tmp_path / "heedful").symlink_to("/tmp")
    assert place.folder(env) is None


@pytest.mark.parametrize("module", ["typing", "json", "re", "socket", "subprocess", "click", "orjson", "hashlib"])
def test_the_client_imports_next_to_nothing(module: str) -> None:
    code = f"import sys, heedful.edges.hook.client; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
