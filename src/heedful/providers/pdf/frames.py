"""What is said through the pipes between heedful and a process that reads PDF files."""

from __future__ import annotations

import struct
from typing import IO, Any, NamedTuple

import orjson

_HEADER = struct.Struct(">II")
_LONGEST = 256 * 1024 * 1024  # bytes of either part; far above what the limits allow


class Frame(NamedTuple):
    """A JSON object and bytes: a request with a document, or an answer with an image."""

    head: dict[str, Any]
    content: bytes = b""


STARTED = Frame({})
"""Sent by the worker when it is ready for requests, and again when it has received one: whatever ends it after that
is due to the document."""


def send(pipe: IO[bytes], frame: Frame) -> None:
    head = orjson.dumps(frame.head)
    pipe.write(_HEADER.pack(len(head), len(frame.content)) + head)
    pipe.write(frame.content)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Frame:
    """Raises `EOFError` if the other side has gone, and `ValueError` if it sent something else."""
    head, content = _HEADER.unpack(_exactly(pipe, _HEADER.size))
    if max(head, content) > _LONGEST:
        raise ValueError("The frame is too long.")
    read = orjson.loads(_exactly(pipe, head))
    if not isinstance(read, dict):
        raise ValueError("The frame has no object.")  # noqa: TRY004
    return Frame(read, _exactly(pipe, content))


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    read = pipe.read(size)
    if len(read) < size:
        raise EOFError
    return read
