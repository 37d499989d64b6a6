"""Bodies: how large they may be, how slowly they may come, and unpacking them."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from starlette.requests import ClientDisconnect, Request

from heedful.errors import BadRequest, HeedfulError, RequestTimeout, RequestTooLarge, UnsupportedMedia

LIMIT = 1024 * 1024
_PIECE = 256 * 1024


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds."""

    whole: float = 30.0
    """For a body of limited size to arrive."""
    piece: float = 30.0
    """For the next piece of a stream."""
    wrong_key: float = 0.25
    """For those who keep trying wrong keys, until they are answered."""


async def whole(request: Request, patience: Patience, limit: int = LIMIT) -> bytes:
    """A body of limited size."""
    told = request.headers.get("content-length", "")
    if told.isdigit() and int(told) > limit:
        raise _too_large(limit)
    body = bytearray()
    try:
        async with asyncio.timeout(patience.whole):
            async for piece in _unpacked(request):
                body += piece
                if len(body) > limit:
                    raise _too_large(limit)
    except TimeoutError:
        raise _too_slow() from None
    return bytes(body)


async def pieces(request: Request, patience: Patience) -> AsyncIterator[bytes]:
    """A body of any size, piece by piece."""
    source = _unpacked(request)
    while True:
        try:
            async with asyncio.timeout(patience.piece):
                piece = await anext(source, None)
        except TimeoutError:
            raise _too_slow() from None
        if piece is None:
            return
        yield piece
        await asyncio.sleep(0)  # a little that unpacks to a lot must not keep everybody waiting


async def _unpacked(request: Request) -> AsyncIterator[bytes]:
    encoding = request.headers.get("content-encoding", "identity").lower()
    try:
        if encoding == "identity":
            async for piece in request.stream():
                yield piece
        elif encoding == "gzip":
            async for piece in _gunzipped(request):
                yield piece
        else:
            raise UnsupportedMedia(f"A body cannot be encoded as {encoding!r}.", hint="Send it as it is, or gzip it.")
    except ClientDisconnect:
        raise BadRequest("The body ended in the middle.", hint="Send it again, whole.") from None


async def _gunzipped(request: Request) -> AsyncIterator[bytes]:
    """In small pieces, so that a small body cannot become a huge one at once."""
    unpacker = zlib.decompressobj(wbits=31)
    async for packed in request.stream():
        rest = packed
        while rest:
            try:
                piece = unpacker.decompress(rest, _PIECE)
            except zlib.error:
                raise BadRequest("The body is not gzip.", hint="Leave out Content-Encoding, or gzip it.") from None
            rest = unpacker.unconsumed_tail
            if unpacker.unused_data:
                raise BadRequest("Something follows the gzip body.", hint="Send one gzip stream.")
            if piece:
                yield piece
    if not unpacker.eof:
        raise BadRequest("The gzip body ends in the middle.", hint="Send it again, whole.")


def _too_large(limit: int) -> HeedfulError:
    return RequestTooLarge(
        f"The body is larger than {limit // 1024:,} KB.", hint="Send many events to /v1/events:batch, one a line."
    )


def _too_slow() -> HeedfulError:
    return RequestTimeout("The body did not arrive in time.", hint="Send it faster, or in smaller requests.")
