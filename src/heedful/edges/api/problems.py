"""Errors as RFC 9457 problem documents, with heedful's stable codes."""

from __future__ import annotations

import math
from typing import Any

import orjson
from starlette.responses import Response

from heedful import errors
from heedful.errors import HeedfulError

MEDIA_TYPE = "application/problem+json"

_STATUS: tuple[tuple[type[HeedfulError], int], ...] = (
    (errors.Unauthenticated, 401),
    (errors.LicenceRequired, 402),
    (errors.Forbidden, 403),
    (errors.NotFound, 404),
    (errors.NoSuchRoute, 404),
    (errors.MethodNotAllowed, 405),
    (errors.RequestTimeout, 408),
    (errors.Conflict, 409),
    (errors.RequestTooLarge, 413),
    (errors.UnsupportedMedia, 415),
    (errors.InvalidInput, 422),
    (errors.BadRequest, 400),
    (errors.TooManyRequests, 429),
    (errors.BudgetSpent, 429),
    (errors.ProviderUnreachable, 503),
    (errors.ProviderError, 502),
    (errors.Unreachable, 502),
    (errors.StoreError, 503),
    (errors.Closed, 503),
)

SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "description": "An error and how to fix it (RFC 9457). Clients may branch on `code`.",
    "type": "object",
    "properties": {
        "type": {"type": "string", "description": "A URI that names the kind of problem."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What was wrong."},
        "hint": {"type": "string", "description": "What to do."},
        "code": {"type": "string"},
        "request_id": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail", "hint", "code"],
}


def status_of(error: HeedfulError | type[HeedfulError]) -> int:
    kind = error if isinstance(error, type) else type(error)
    return next((status for known, status in _STATUS if issubclass(kind, known)), 500)


def document(error: HeedfulError) -> dict[str, Any]:
    if isinstance(error, errors.StoreError):  # its message names files and servers, which only operators may see
        error = type(error)("The database is unavailable.", hint="Try again; if it persists, tell an operator.")
    elif isinstance(error, errors.ProviderError) and not isinstance(error, errors.BudgetSpent):
        error = type(error)("A model is unavailable.", hint="Try again; if it persists, tell an operator.")
    return {
        "type": f"urn:heedful:error:{error.code}",
        "title": error.code.replace("_", " ").capitalize(),
        "status": status_of(error),
        "detail": error.message,
        "hint": error.hint,
        "code": error.code,
    }


def response(error: HeedfulError, request_id: str = "", headers: dict[str, str] | None = None) -> Response:
    body = {**document(error), "request_id": request_id}
    headers = dict(headers or {})
    if isinstance(error, errors.Unauthenticated):
        headers["WWW-Authenticate"] = 'Bearer realm="heedful"'
    if isinstance(error, errors.TooManyRequests):
        headers["Retry-After"] = str(math.ceil(error.retry_after))
    return Response(orjson.dumps(body), body["status"], headers, MEDIA_TYPE)
