"""The hook itself: asks the daemon, prints what it answers, and ends. It never fails the agent that called it.

It runs with every prompt and every tool of an agent, so it imports as little as it can: `_socket` instead of `socket`,
and no parser of arguments or JSON.
"""

from __future__ import annotations

import os
import time

from heedful.edges.hook import calls, connection, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from heedful.edges.hook.answers import Reply

_BREATH = 0.02  # seconds between looks for a daemon that another hook is starting


def answered(words: Sequence[str]) -> bool:
    """Answers an agent that calls `heedful hook`, and ends the process with 0, whatever happens. False if this is
    another call, or a person's."""
    call = calls.parsed(words)
    if call is None or os.isatty(0):
        return False
    try:
        _answer(words, *call)
    except Exception as error:  # noqa: BLE001 - a bug must not block a prompt
        _write(2, b"heedful hook: %b\n" % type(error).__name__.encode())
    finally:
        os._exit(0)  # also if the agent has gone; without the cleaning up of the interpreter, which it would wait for


def _answer(words: Sequence[str], options: dict[str, str], unknown: list[str]) -> None:
    _write(2, calls.left_out(unknown))
    until = time.monotonic() + calls.DEADLINE
    where = place.folder()
    name = place.name(options.get("--database"), options.get("--org"))
    path = None if where is None else place.socket_path(where, name)
    if where is None or path is None or os.environ.get("HEEDFUL_HOOK_DAEMON") == "0":
        _end(_in_this_process().alone(words))
        return
    content = _read(until)
    if content is None:
        _write(2, calls.too_late())
    elif not _is_asked(where, name, path, calls.framed(words, content), until):
        _end(_in_this_process().answered(words, content, where, name))


def _in_this_process() -> ModuleType:
    import gc  # noqa: PLC0415 - built in

    gc.disable()  # the process ends at once: there is nothing to collect
    from heedful.edges.hook import cold  # noqa: PLC0415 - everything else

    return cold


def _is_asked(where: str, name: str, path: str, request: bytes, until: float) -> bool:
    """Delivers what the daemon answers; False if there is none, and this hook is to start one. A daemon that is still
    starting has the request when the agent goes on, and records what it says."""
    if place.is_ready(path) and connection.asked(path, request, until, calls.too_late(), _deliver) is not None:
        return True
    until = min(until, time.monotonic() + calls.STARTING)
    while connection.asked(path, request, until, b"", _deliver) is None:
        if place.claim(where, name):
            return False
        if time.monotonic() > until:
            place.write_down(f"{where}/{name}{place.WAITING}", request, place.UNSEEN)
            return True
        time.sleep(_BREATH)
    return True


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


def _end(reply: Reply) -> None:
    _deliver(reply.output, reply.trouble)
    reply.taken()


def _deliver(output: bytes, trouble: bytes) -> None:
    try:
        _write(1, output)
        _write(2, trouble)
    except OSError:
        os._exit(0)  # the agent has gone: it was told nothing


def _write(number: int, content: bytes) -> None:
    while content:
        content = content[os.write(number, content) :]
