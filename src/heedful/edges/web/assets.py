"""Style sheets and scripts, each at an address with a hash of its content, so that browsers may keep it for ever."""

from __future__ import annotations

from hashlib import blake2b
from importlib.resources import files
from typing import NamedTuple

from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from heedful.errors import NoSuchRoute

_MEDIA = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_FOREVER = "public, max-age=31536000, immutable"

COMPRESSED = Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=6)
"""Only for what holds no secret: beside the words of others, the length of a compressed page tells its CSRF token."""


class Asset(NamedTuple):
    content: bytes
    media: str


class Assets:
    def __init__(self) -> None:
        self._files: dict[str, Asset] = {}
        self._addresses: dict[str, str] = {}
        for file in (files(__package__ or "") / "static").iterdir():
            stem, _, kind = file.name.rpartition(".")
            content = file.read_bytes()
            hashed = f"{stem}.{blake2b(content, digest_size=6).hexdigest()}.{kind}"
            self._files[hashed] = Asset(content, _MEDIA[kind])
            self._addresses[file.name] = f"/static/{hashed}"

    def address(self, name: str) -> str:
        return self._addresses[name]

    def routes(self) -> list[Route]:
        return [Route("/static/{name}", self._answer, middleware=[COMPRESSED])]

    async def _answer(self, request: Request) -> Response:
        found = self._files.get(request.path_params["name"])
        if found is None:
            raise NoSuchRoute("There is no such file.", hint="Reload the page that names it.")
        return Response(found.content, headers={"Cache-Control": _FOREVER}, media_type=found.media)
