"""uvicorn's HTTP protocol, with a timeout for headers and problem documents for invalid requests."""

from __future__ import annotations

import asyncio

import orjson
from uuid_utils import uuid7
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from heedful.edges.api import problems
from heedful.errors import BadRequest, HeedfulError, RequestTimeout, RequestTooLarge

_LONGEST_HEAD = 128 * 1024


class HttpProtocol(HttpToolsProtocol):
    seconds_for_head = 30.0
    """From the connection, or the end of the last request's answer, to the end of the next request's headers."""

    _size = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def _await_head(self) -> None:
        self._size = 0
        self._timer = self.loop.call_later(self.seconds_for_head, self._too_slow)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._timer is None:  # the next request on the same connection
            self._await_head()

    def on_headers_complete(self) -> None:
        self._cancel()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._timer is not None:
            self._size += len(data)
            if self._size > _LONGEST_HEAD:
                self._refuse(RequestTooLarge("The headers are too large.", hint="Send at most 128 KB."))

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel()
        super().connection_lost(exc)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        self._refuse(RequestTimeout("The headers did not arrive in time.", hint="Send them faster."))

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - ours has a hint
        self._refuse(BadRequest("Invalid HTTP request.", hint="Check method, path and headers."))

    def _refuse(self, error: HeedfulError) -> None:
        self._cancel()
        if self.transport.is_closing():
            return
        request_id = str(uuid7())
        body = orjson.dumps({**problems.document(error), "request_id": request_id})
        head = (
            f"HTTP/1.1 {problems.status_of(error)} {error.code}\r\n"
            f"content-type: {problems.MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\n"
            f"x-request-id: {request_id}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
