"""Bodies as they arrive: bounded, and given up when their sender has left or the server stops."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from starlette.requests import Request
from starlette.types import Message

from heedful.edges import request_body
from heedful.edges.api import event_batches
from heedful.edges.request_body import BodyStream, Timeouts
from heedful.errors import BadRequest, Closed, HeedfulError, RequestTimeout, RequestTooLarge

PATIENCE = Timeouts()
IMPATIENCE = Timeouts(body=0.05, chunk=0.05)


def _packed(unit: bytes, times: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([*(packer.compress(unit) for _ in range(times)), packer.flush()])


class _Wire:
    """What an ASGI server would hand over, message by message; after the last one, silence or a disconnect."""

    def __init__(self, parts: Iterable[bytes], *, ends: bool = True, leaves_after: int | None = None) -> None:
        self._parts = list(parts)
        self._ends = ends
        self._leaves_after = leaves_after
        self.taken = 0

    def leave(self) -> None:
        self._leaves_after = 0

    async def receive(self) -> Message:
        if self._leaves_after is not None and self.taken >= self._leaves_after:
            return {"type": "http.disconnect"}
        if self.taken == len(self._parts):
            await asyncio.Event().wait()
        part = self._parts[self.taken]
        self.taken += 1
        return {"type": "http.request", "body": part, "more_body": not (self._ends and self.taken == len(self._parts))}

    def request(self, encoding: str = "identity") -> Request:
        headers = [(b"content-encoding", encoding.encode())]
        scope: dict[str, Any] = {"type": "http", "method": "POST", "headers": headers}
        return Request(scope, self.receive)


def _lines(stream: BodyStream, each: Callable[[int], object] = lambda _: None) -> tuple[int, HeedfulError | None]:
    """How many lines came out of a stream, and what ended it."""
    seen = 0

    async def read() -> None:
        nonlocal seen
        async for numbers, _ in event_batches._chunks(stream.pieces()):
            seen += len(numbers)
            each(seen)

    try:
        asyncio.run(read())
    except HeedfulError as error:
        return seen, error
    return seen, None


def test_a_little_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "UNPACKED_LIMIT", 2 << 20)
    line = b'{"kind": "FIELD_SET"}\n'
    seen, error = _lines(BodyStream(_Wire([_packed(line * 10_000, 50)]).request("gzip"), PATIENCE))

    assert isinstance(error, RequestTooLarge)
    assert "2 MB" in error.message
    assert seen * len(line) <= 2 << 20


@pytest.mark.parametrize("blank", [b"\n", b" \n", b"\t\r\n"])
@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_lines_without_content_are_counted(blank: bytes, encoding: str) -> None:
    sent = _packed(blank * 1_000, 1_000) if encoding == "gzip" else blank * 1_000_000
    seen, error = _lines(BodyStream(_Wire([sent]).request(encoding), PATIENCE))

    assert seen == 0
    assert isinstance(error, BadRequest)
    assert "10,000" in error.message


def test_as_many_empty_lines_as_allowed_are_no_mistake() -> None:
    assert _lines(BodyStream(_Wire([b"\n" * 10_000 + b"{}"]).request(), PATIENCE)) == (1, None)


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_nothing_more_is_read_for_somebody_who_left(encoding: str) -> None:
    line = b'{"kind": "FIELD_SET"}\n'
    wire = _Wire([_packed(line * 1_000, 100)] if encoding == "gzip" else [line * 1_000] * 100)
    seen, error = _lines(BodyStream(wire.request(encoding), PATIENCE), lambda _: wire.leave())

    assert isinstance(error, BadRequest)
    most_of_a_piece = 64 * 1024 // len(line)  # what had been unpacked already
    assert seen <= 1_000 + most_of_a_piece


def test_a_stream_ends_when_the_server_stops_also_while_nothing_arrives() -> None:
    asked = 0

    def go_on() -> None:
        nonlocal asked
        asked += 1
        if asked > 1:
            raise Closed("The server is stopping.")

    silent = BodyStream(_Wire([], ends=False).request(), Timeouts(chunk=3_600), check=go_on)
    assert isinstance(_lines(silent)[1], Closed)
    asked = 0
    busy = BodyStream(_Wire([_packed(b" " * 100_000, 100)]).request("gzip"), PATIENCE, check=go_on)
    assert isinstance(_lines(busy)[1], Closed)


def test_a_stream_in_which_nothing_arrives_is_given_up() -> None:
    assert isinstance(_lines(BodyStream(_Wire([b"{"], ends=False).request(), IMPATIENCE))[1], RequestTimeout)


def test_a_long_line_may_come_in_many_pieces() -> None:
    assert _lines(BodyStream(_Wire([b"x"] * 5_000 + [b"\n", b"y\n", b"z"]).request(), PATIENCE)) == (3, None)


def test_of_what_is_sent_little_is_read_ahead() -> None:
    wire = _Wire([b"x" * 50_000 + b"\n"] * 100)
    ahead: list[int] = []
    _lines(BodyStream(wire.request(), PATIENCE), lambda seen: ahead.append(wire.taken - seen))

    assert max(ahead) <= 1024 * 1024 // 50_000 + 2
