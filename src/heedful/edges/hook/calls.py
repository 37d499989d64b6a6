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
EVENTS = ("start", "message", "tool", "output", "end")
"""What `--event` may be."""
_VALUES = ("--database", "--org", "--actor", "--audience", "--event")
_FLAGS = ("--json",)
_FOR_PEOPLE = ("--install", "--uninstall", "--help", "-h", "--version")


def parsed(words: Sequence[str]) -> tuple[dict[str, str], list[str]] | None:
    """The options of `heedful hook` as an agent calls it, and the words that it does not know; None for any other call.

    Unknown words are no error: agents take an exit code of 2 for a no.
    """
    options: dict[str, str] = {}
    unknown: list[str] = []
    left, called = list(words), False
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if word in _FOR_PEOPLE:
            return None
        if word == "hook" and not called:
            called = True
        elif word in _FLAGS:
            options[word] = ""
        elif name in _VALUES and (equals or left):
            said = value if equals else left.pop(0)
            if name == "--event" and said not in EVENTS:
                unknown.append(f"{name} {said}")
            else:
                options[name] = said
        elif not called and not word.startswith("-"):
            return None  # another command
        else:
            unknown.append(word)
    return (options, unknown) if called else None


def left_out(unknown: Sequence[str]) -> bytes:
    """A line for stderr about words that are not known."""
    return f"heedful hook: left out {' '.join(map(repr, unknown))}\n".encode(errors="replace") if unknown else b""


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
