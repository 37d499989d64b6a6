"""HTTP itself, as uvicorn speaks it, except that even what is not HTTP gets a problem document."""

from __future__ import annotations

import orjson
from uuid_utils import uuid7
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from heedful.edges.api import problems
from heedful.errors import BadRequest


class Protocol(HttpToolsProtocol):
    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - ours tells more
        request_id = str(uuid7())
        error = BadRequest(
            "This is not a request that HTTP allows.", hint="Check the method, the path and the headers."
        )
        body = orjson.dumps({**problems.document(error), "request_id": request_id})
        head = (
            "HTTP/1.1 400 Bad Request\r\n"
            f"content-type: {problems.MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\n"
            f"x-request-id: {request_id}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
