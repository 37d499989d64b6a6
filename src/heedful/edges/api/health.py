"""Liveness, readiness and metrics."""

from __future__ import annotations

import hmac
from ipaddress import ip_address

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from heedful import __version__
from heedful.edges.api.auth import address
from heedful.edges.api.metrics import MEDIA_TYPE, Metrics
from heedful.errors import Forbidden, HeedfulError
from heedful.loop import Loop
from heedful.store.health import readiness


def routes(loop: Loop, metrics: Metrics, metrics_token: str | None) -> list[Route]:
    async def alive(_: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__})

    async def ready(_: Request) -> Response:
        checks = await to_thread.run_sync(_checks, loop)
        well = all(check == "ok" for check in checks.values())
        return JSONResponse({"status": "ok" if well else "not ready", "checks": checks}, 200 if well else 503)

    async def numbers(request: Request) -> Response:
        _allow(request, metrics_token)
        return Response(await to_thread.run_sync(metrics.text), media_type=MEDIA_TYPE)

    return [Route("/healthz", alive), Route("/readyz", ready), Route("/metrics", numbers)]


def _checks(loop: Loop) -> dict[str, str]:
    try:
        return readiness(loop.store)
    except HeedfulError as error:
        return {"database": error.code}


def _allow(request: Request, token: str | None) -> None:
    """Metrics cover all organisations, so the key of one does not give access."""
    if token is not None:
        shown = request.headers.get("authorization", "").removeprefix("Bearer ")
        if hmac.compare_digest(shown.encode(), token.encode()):
            return
    elif _is_local(request):
        return
    raise Forbidden(
        "Metrics need a token, or a request from localhost.",
        hint="Set HEEDFUL_METRICS_TOKEN and send it as `Authorization: Bearer …`.",
    )


def _is_local(request: Request) -> bool:
    """A request through a local proxy is not local."""
    proxied = {"forwarded", "x-forwarded-for", "x-real-ip", "via"} & set(request.headers)
    try:
        return not proxied and ip_address(address(request.scope)).is_loopback
    except ValueError:
        return False
