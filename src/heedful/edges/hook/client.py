"""The hook itself: asks the daemon, prints what it answers, and ends. It never fails the agent that called it.

It runs with every prompt and every tool of an agent, so it imports as little as it can: `_socket` instead of `socket`,
and no parser of arguments or JSON.
"""

from __future__ import annotations

import _socket
import os
import time

from heedful.edges.hook import calls, connection, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BREATH = 0.02  # seconds between looks for a daemon that another hook is starting


def answered(words: Sequence[str]) -> bool:
    """Answers an agent that calls `heedful hook`, and ends the process. False if this is another call, or if hooks are
    to be answered without a daemon: then it is left to the command line."""
    options = calls.parsed(words)
    if options is None or os.isatty(0) or os.environ.get("HEEDFUL_HOOK_DAEMON") == "0":
        return False
    where = place.folder() if hasattr(_socket, "AF_UNIX") else None
    name = place.name(options.get("--database"), options.get("--org"))
    path = None if where is None else place.socket_path(where, name)
    if where is None or path is None:
        return False
    until = time.monotonic() + calls.DEADLINE
    content = _read(until)
    if content is None:
        _end(b"", calls.too_late())
        return True
    reply = _asked(where, name, path, calls.framed(words, content), until)
    if reply is None:
        import gc  # noqa: PLC0415 - built in

        gc.disable()  # the process ends at once: there is nothing to collect
        from heedful.edges.hook import cold  # noqa: PLC0415 - everything else

        reply = cold.answered(words, content, where, name)
    _end(*reply)
    return True


def _asked(where: str, name: str, path: str, request: bytes, until: float) -> tuple[bytes, bytes] | None:
    """What the daemon answers; None if there is none, and this hook is to start one. A daemon that is still starting
    has the request when the agent goes on, and records what it says."""
    if place.is_ready(path) and (reply := connection.asked(path, request, until, calls.too_late())) is not None:
        return reply
    until = min(until, time.monotonic() + calls.STARTING)
    while (reply := connection.asked(path, request, until)) is None:
        if place.claim(where, name):
            return None
        if time.monotonic() > until:
            place.write_down(f"{where}/{name}{place.WAITING}", request, place.UNSEEN)
            return b"", b""
        time.sleep(_BREATH)
    return reply


def _read(until: float) -> bytes | None:
    """All of stdin; None if the agent does not close it in time."""
    import select  # noqa: PLC0415 - built in

    parts: list[bytes] = []
    size = 0
    while size <= calls.INPUT:
        if not select.select([0], [], [], max(0.0, until - time.monotonic()))[0]:
            return None
        part = os.read(0, 1 << 20)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _end(output: bytes, trouble: bytes) -> None:
    """Ends the process without the cleaning up of the interpreter, which the agent would wait for."""
    try:
        _write(1, output)
        _write(2, trouble)
    finally:
        os._exit(0)  # also if the agent has gone


def _write(number: int, content: bytes) -> None:
    while content:
        content = content[os.write(number, content) :]
