"""A call of the hook: its options, and how it is handed to the daemon.

Imported with every prompt, so it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DEADLINE = 4.0
"""Seconds after which the agent goes on without an answer."""
STARTING = 0.3
"""Seconds after which it goes on without an answer of a daemon that is still starting."""
INPUT = 8 * 1024 * 1024
"""Bytes that are read from stdin."""
_VALUES = ("--database", "--org", "--actor", "--audience", "--event")
_FLAGS = ("--json",)


def parsed(words: Sequence[str]) -> dict[str, str] | None:
    """The options of `heedful hook` as an agent calls it; None for any other call."""
    options: dict[str, str] = {}
    left, called = list(words), False
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if word == "hook" and not called:
            called = True
        elif word in _FLAGS:
            options[word] = ""
        elif name in _VALUES and (equals or left):
            options[name] = value if equals else left.pop(0)
        else:
            return None
    return options if called else None


def framed(words: Sequence[str], content: bytes) -> bytes:
    """A request: how many bytes the words take, the words, and what the agent wrote to stdin."""
    said = "\0".join(words).encode(errors="surrogateescape")
    return b"%d\n" % len(said) + said + content


def unframed(request: bytes) -> tuple[list[str], bytes]:
    length, _, rest = request.partition(b"\n")
    size = int(length)
    said = rest[:size].decode(errors="surrogateescape")
    return (said.split("\0") if said else []), rest[size:]


def too_late() -> bytes:
    return b"heedful hook: no result within %g s; continuing without\n" % DEADLINE
