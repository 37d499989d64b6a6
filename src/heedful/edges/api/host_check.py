"""Rejects requests with duplicate headers or an unknown Host header."""

from __future__ import annotations

import re

from starlette.datastructures import Headers

from heedful.errors import BadRequest

_SINGLE = ("host", "authorization", "content-length", "content-type", "content-encoding", "transfer-encoding")
_HOST = re.compile(r"(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::[0-9]{1,5})?")


def require_single(headers: Headers, version: str) -> None:
    """A proxy may read the first of two headers where we read the second."""
    for name in _SINGLE:
        if len(headers.getlist(name)) > 1:
            raise BadRequest(f"Duplicate header: {name}.", hint="Send it once.")
    if version == "1.1" and "host" not in headers:
        raise BadRequest("Missing Host header.", hint="HTTP/1.1 requires one.")


def require_host(headers: Headers, hosts: frozenset[str] | None) -> None:
    """Against DNS rebinding: a page elsewhere may let its own name resolve to 127.0.0.1."""
    if hosts is None:
        return
    host = _HOST.fullmatch(headers.get("host", ""))
    if host is None or (host["ipv6"] or host["name"]).lower() not in hosts:
        raise BadRequest("Unknown Host header.", hint="Use http://127.0.0.1, or start the server with --allow-host.")
