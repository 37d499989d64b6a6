"""What an agent waits for with each prompt: the hook with its daemon, without one, and a bare interpreter beside it.

    python benchmarks/hook.py [--times 15] [--corrections 300]

Times are of whole processes, medians, taken in turns. `warm` asks the daemon; `cold` finds none and starts one;
`without` answers in its own process with HEEDFUL_HOOK_DAEMON=0, with all models. `mcp` is the time until `heedful mcp`
has answered `initialize`.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import orjson
from rich.console import Console
from rich.table import Table

import heedful

_HOOK = [str(Path(sys.executable).with_name("heedful")), "hook"]  # as agents call it
_PROMPT = "Thanks. Now write a function that parses the dates of an order, please."
_OUTPUT = "I added the table of orders, with a column for each date, and its migration."
console = Console(highlight=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=15, help="how often each is measured")
    parser.add_argument("--corrections", type=int, default=300, help="how many the database has")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hook") as folder:
        place = Path(folder)
        filled, empty = place / "filled.db", place / "empty.db"
        fill(filled, given.corrections)
        heedful.open(empty).close()
        found = measured(place, filled, empty, given.times)
    show(found)


def fill(database: Path, count: int) -> None:
    with heedful.open(database) as loop:
        for number in range(count):
            loop.capture.correction(
                f"make ship-{number}",
                f"make release-{number}",
                about="shop",
                query=f"how do I deploy service {number}?",
            )
        rule = loop.capture.correction("", "Always write type hints", always=True)
        loop.govern.learnings.approve(rule.id)


def measured(place: Path, filled: Path, empty: Path, times: int) -> dict[str, list[float]]:
    """What starts processes that load models comes last: it would disturb the others."""
    with running_daemon(place / "w", filled) as warm, running_daemon(place / "e", empty) as warm_empty:
        found = in_turns(
            {
                "python -c pass": lambda: taken([sys.executable, "-c", "pass"], os.environ, b""),
                "warm: a prompt": lambda: taken(_HOOK, warm, event("UserPromptSubmit")),
                "warm: a prompt, after an output": lambda: taken(_HOOK, warm, event("UserPromptSubmit", last=_OUTPUT)),
                "warm: a tool": lambda: taken(_HOOK, warm, event("PreToolUse", runs="git status")),
                "warm: a tool, with a warning": lambda: taken(_HOOK, warm, event("PreToolUse", runs="make ship-7")),
                "warm: nothing learned yet": lambda: taken(_HOOK, warm_empty, event("UserPromptSubmit")),
            },
            times,
        )
    without = environment(place, filled, daemon="0")
    return found | in_turns(
        {
            "cold: a session starts": lambda: cold(place, filled, event("SessionStart")),
            "cold: a prompt": lambda: cold(place, filled, event("UserPromptSubmit", last=_OUTPUT)),
            "cold: nothing learned yet": lambda: cold(place, empty, event("UserPromptSubmit", last=_OUTPUT)),
            "without: a prompt, after an output": lambda: taken(
                _HOOK, without, event("UserPromptSubmit", last=_OUTPUT)
            ),
            "mcp: ready": lambda: mcp(environment(place, filled)),
        },
        times,
    )


def in_turns(ways: Mapping[str, Callable[[], float]], times: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(times):
        for name, way in ways.items():
            found[name].append(way())
    return found


def event(name: str, last: str = "", runs: str = "") -> bytes:
    """A session of its own each time: what was said is not said again."""
    told = {"hook_event_name": name, "session_id": os.urandom(8).hex(), "cwd": "/home/dana/shop", "prompt": _PROMPT}
    tool = {"tool_name": "Bash", "tool_input": {"command": runs}}
    return orjson.dumps({**told, **tool, "last_assistant_message": last})


def taken(command: list[str], env: Mapping[str, str], content: bytes) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=dict(env), input=content, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def environment(runtime: Path, database: Path, daemon: str = "900") -> dict[str, str]:
    own = {"XDG_RUNTIME_DIR": str(runtime), "HEEDFUL_DATABASE": str(database), "HEEDFUL_HOOK_DAEMON": daemon}
    return {**os.environ, **own}


@contextmanager
def running_daemon(runtime: Path, database: Path) -> Iterator[Mapping[str, str]]:
    runtime.mkdir()
    env = environment(runtime, database)
    try:
        for _ in range(3):  # the first starts it, the second waits until it is up
            taken(_HOOK, env, event("UserPromptSubmit"))
        yield env
    finally:
        stop(runtime)


def cold(place: Path, database: Path, content: bytes) -> float:
    runtime = place / "c"
    runtime.mkdir()
    try:
        return taken(_HOOK, environment(runtime, database), content)
    finally:
        stop(runtime)
        shutil.rmtree(runtime)


def stop(runtime: Path) -> None:
    """Ends the daemon that was started in this folder, and waits until it has."""
    until = time.monotonic() + 30
    while not (pids := [int(text) for file in runtime.glob("heedful/*.lock") if (text := file.read_text())]):
        if time.monotonic() > until:
            return
        time.sleep(0.01)
    for pid in pids:
        os.kill(pid, signal.SIGTERM)
        while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
            time.sleep(0.01)


def mcp(env: Mapping[str, str]) -> float:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    request = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "heedful", "mcp"], env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(request + b"\n")
        server.stdin.flush()
        assert b"serverInfo" in server.stdout.readline()
        seconds = time.perf_counter() - started
        server.stdin.close()
    return seconds


def show(found: Mapping[str, list[float]]) -> None:
    bare = statistics.median(found["python -c pass"])
    table = Table("", "median ms", "fastest ms", "times bare")
    for name, seconds in found.items():
        middle = statistics.median(seconds)
        table.add_row(name, f"{middle * 1000:.0f}", f"{min(seconds) * 1000:.0f}", f"{middle / bare:.1f}")
    console.print(table)


if __name__ == "__main__":
    main()
