"""Request bodies: size limits, timeouts, decompression, and detection of disconnects."""

from __future__ import annotations

import asyncio
import tempfile
import zlib
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import IO

import anyio
from anyio import to_thread
from starlette.requests import Request
from starlette.types import Message, Receive

from heedful.errors import BadRequest, HeedfulError, RequestTimeout, RequestTooLarge, UnsupportedMedia

LIMIT = 1024 * 1024
UNPACKED_LIMIT = 64 * 1024 * 1024
"""The limit of a decompressed stream. An uncompressed one costs its sender as much as us."""
_PIECE = 64 * 1024
_AHEAD = 1024 * 1024
_LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Timeouts:
    body: float = 30.0
    chunk: float = 30.0
    file: float = 300.0
    """For a whole file, however it comes."""
    wrong_key: float = 0.25
    """The delay of the response to repeated wrong keys."""


async def read_body(request: Request, timeouts: Timeouts, limit: int = LIMIT) -> bytes:
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        raise _too_large(limit)
    body = bytearray()
    try:
        async with asyncio.timeout(timeouts.body):
            async for piece in _unpacked(request, MessageBuffer(request.receive).messages()):
                body += piece
                if len(body) > limit:
                    raise _too_large(limit)
    except TimeoutError:
        raise _too_slow() from None
    return bytes(body)


async def read_file(request: Request, timeouts: Timeouts, limit: int) -> IO[bytes]:
    """The body as a temporary file without a name, so that nothing of it stays whatever happens to this process."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        raise _file_too_large(limit)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    try:
        async with asyncio.timeout(timeouts.file):
            await _write(file, BodyStream(request, timeouts).pieces(), limit)
    except TimeoutError:
        file.close()
        raise _too_slow() from None
    except BaseException:
        file.close()
        raise
    return file


async def _write(file: IO[bytes], pieces: AsyncIterator[bytes], limit: int) -> None:
    size = 0
    async for piece in pieces:
        size += len(piece)
        if size > limit:
            raise _file_too_large(limit)
        await to_thread.run_sync(file.write, piece)
    file.seek(0)


class BodyStream:
    def __init__(self, request: Request, timeouts: Timeouts, *, check: Callable[[], object] = lambda: None) -> None:
        """`check` is called before each chunk and while waiting; it may raise to end the stream."""
        self._request = request
        self._messages = MessageBuffer(request.receive)
        self._timeouts = timeouts
        self._go_on = check

    async def pieces(self) -> AsyncIterator[bytes]:
        size, packed = 0, _encoding(self._request) != "identity"
        async for piece in _unpacked(self._request, self._arriving()):
            size += len(piece)
            if packed and size > UNPACKED_LIMIT:
                raise _unpacks_to_too_much()
            yield piece
            await asyncio.sleep(0)  # a small compressed body must not block the event loop
            self._go_on()
            await self.require_connection()

    async def require_connection(self) -> None:
        if await self._messages.is_disconnected():
            raise _cut_off()

    async def _arriving(self) -> AsyncIterator[bytes]:
        source = self._messages.messages()
        while (piece := await self._next(source)) is not None:
            yield piece

    async def _next(self, source: AsyncIterator[bytes]) -> bytes | None:
        waited = 0.0
        while not self._messages.is_ready:
            step = min(_LOOK_SECONDS, self._timeouts.chunk - waited)
            if step <= 0:
                raise _too_slow()
            await self._messages.wait(step)
            waited += step
            self._go_on()
        return await anext(source, None)


class MessageBuffer:
    """Buffers messages read ahead, so that a disconnect is noticed."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._arrived: deque[Message] = deque()
        self._size = 0
        self._complete = False
        self._left = False

    @property
    def is_ready(self) -> bool:
        """Whether there is a message to read, or the end."""
        return bool(self._arrived) or self._complete or self._left

    async def messages(self) -> AsyncIterator[bytes]:
        while True:
            while not self.is_ready:
                self._note(await self._receive())
            if self._left:
                raise _cut_off()
            if not self._arrived:
                return
            piece = self._arrived.popleft()["body"]
            self._size -= len(piece)
            if piece:
                yield piece

    async def wait(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            self._note(await self._receive())

    async def is_disconnected(self) -> bool:
        """Checks without waiting."""
        arrived = -1
        while not self._left and self._size < _AHEAD and len(self._arrived) > arrived:
            arrived = len(self._arrived)
            with anyio.CancelScope() as looking:
                looking.cancel()  # so that receive never waits
                self._note(await self._receive())
        return self._left

    def _note(self, message: Message) -> None:
        if message["type"] == "http.disconnect":
            self._left = True
            return
        body = message.get("body", b"")
        self._complete = not message.get("more_body", False)
        self._size += len(body)
        self._arrived.append({**message, "body": body})


def _encoding(request: Request) -> str:
    return request.headers.get("content-encoding", "identity").lower()


async def _unpacked(request: Request, source: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    encoding = _encoding(request)
    if encoding == "identity":
        async for piece in source:
            for start in range(0, len(piece), _PIECE):
                yield piece[start : start + _PIECE]
    elif encoding == "gzip":
        async for piece in _gunzipped(source):
            yield piece
    else:
        raise UnsupportedMedia(
            f"Unsupported Content-Encoding: {encoding!r}.", hint="Send it uncompressed, or use gzip."
        )


async def _gunzipped(source: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Decompresses in small chunks, against decompression bombs."""
    unpacker = zlib.decompressobj(wbits=31)
    async for packed in source:
        rest = packed
        while rest:
            try:
                piece = unpacker.decompress(rest, _PIECE)
            except zlib.error:
                raise BadRequest("The body is not gzip.", hint="Drop Content-Encoding, or compress it.") from None
            rest = unpacker.unconsumed_tail
            if unpacker.unused_data:
                raise BadRequest("There is data after the gzip stream.", hint="Send one gzip stream.")
            if piece:
                yield piece
    if not unpacker.eof:
        raise BadRequest("The gzip stream is truncated.", hint="Send it again.")


def _cut_off() -> HeedfulError:
    return BadRequest("The body is incomplete.", hint="Send it again.")


def _too_large(limit: int) -> HeedfulError:
    return RequestTooLarge(
        f"The body is larger than {limit // 1024:,} KB.", hint="Send many events to /v1/events:batch, one per line."
    )


def _file_too_large(limit: int) -> HeedfulError:
    return RequestTooLarge(f"The file is larger than {limit >> 20} MB.", hint="Send a smaller file, or split it.")


def _unpacks_to_too_much() -> HeedfulError:
    return RequestTooLarge(
        f"The body decompresses to more than {UNPACKED_LIMIT >> 20} MB; lines before may have been recorded.",
        hint="Split it, or send it uncompressed. With your own ids you can safely send it again.",
    )


def _too_slow() -> HeedfulError:
    return RequestTimeout("The body did not arrive in time.", hint="Send it faster, or in smaller requests.")
