"""Web pages: the inbox, documents and mappings, reviews and rules, analytics, sign-in, home, and the API reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from starlette.routing import Route

from heedful.edges.web import analytics, documents, home, inbox, mappings, reviews, rules, sign_in
from heedful.edges.web.assets import Assets
from heedful.edges.web.problem_pages import ProblemPages
from heedful.edges.web.sign_in import SignInGuard
from heedful.edges.web.site import Run, Site
from heedful.edges.web.templates import Templates
from heedful.govern.access import Access

__all__ = ["Assets", "ProblemPages", "Templates", "routes"]


def routes(
    run: Run,
    access: Access,
    guard: SignInGuard,
    assets: Assets,
    templates: Templates,
    describe: Callable[[], Mapping[str, Any]],
) -> list[Route]:
    """`run` runs operations as the caller; `describe` returns the OpenAPI document."""
    site = Site(run, access, templates)
    return [
        *home.routes(site, templates, describe),
        *sign_in.routes(access, guard, templates),
        *inbox.routes(site),
        *documents.routes(site),
        *mappings.routes(site),
        *reviews.routes(site),
        *rules.routes(site),
        *analytics.routes(site),
        *assets.routes(),
    ]
