"""A connection to the daemon, from either end. Imported with every prompt, so `_socket` has to do for `socket`."""

from __future__ import annotations

import _socket
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Deliver = Callable[[bytes, bytes], None]

TAKEN = b"\n"
"""What a client says when it has delivered its reply."""
_CONNECT = 0.5  # seconds


def asked(
    path: str, request: bytes, until: float, late: bytes = b"", deliver: Deliver | None = None
) -> tuple[bytes, bytes] | None:
    """What the daemon says to stdout and stderr, `late` if it says nothing in time; None if there is none.

    If it is delivered, the daemon hears of it: what was not delivered does not count as told.
    """
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        reply = _exchanged(connection, path, request, until)
        if reply is not None and deliver is not None:
            deliver(*reply)
            _confirm(connection)
    except TimeoutError:
        reply = b"", late
        if deliver is not None:
            deliver(*reply)
    finally:
        connection.close()
    return reply


def _exchanged(connection: _socket.socket, path: str, request: bytes, until: float) -> tuple[bytes, bytes] | None:
    parts: list[bytes] = []
    try:
        connection.settimeout(_CONNECT)
        connection.connect(path)
        if not same_user(connection):
            return None
        connection.settimeout(max(0.001, until - time.monotonic()))
        connection.sendall(b"%d\n" % len(request) + request)
        while part := connection.recv(65_536):
            parts.append(part)
            if (reply := _split(b"".join(parts))) is not None:
                return reply
            connection.settimeout(max(0.001, until - time.monotonic()))
    except TimeoutError:
        raise
    except OSError:  # there is no daemon, or it ended meanwhile
        return None
    return None


def _confirm(connection: _socket.socket) -> None:
    try:
        connection.sendall(TAKEN)
    except OSError:  # it ended meanwhile, and says it again another time
        return


def poked(path: str) -> bool:
    """Tells a daemon to look for what is waiting; False if there is none."""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(_CONNECT)
        connection.connect(path)
    except OSError:
        return False
    finally:
        connection.close()
    return True


def same_user(connection: _socket.socket) -> bool:
    """Whether the process at the other end is this user's; where the system does not tell, the folder has to do."""
    if not hasattr(_socket, "SO_PEERCRED"):
        return True
    credentials = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)  # pid, uid, gid
    return int.from_bytes(credentials[4:8], sys.byteorder) == os.getuid()


def _split(reply: bytes) -> tuple[bytes, bytes] | None:
    """A reply begins with the sizes of its two parts; a part of a reply is none."""
    sizes, newline, rest = reply.partition(b"\n")
    if not newline:
        return None
    first, second = map(int, sizes.split())
    return (rest[:first], rest[first:]) if len(rest) == first + second else None
