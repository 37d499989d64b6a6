"""Web pages: the overview, the inbox, learnings of every kind, conversations, reviews, documents, analytics, sign-in,
and the API reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from starlette.routing import Route

from heedful.edges.web import (
    agents_md,
    analytics,
    conversations,
    corrections,
    docs,
    documents,
    inbox,
    learning_acts,
    learning_list,
    learning_page,
    mappings,
    overview,
    reviews,
    rules,
    sign_in,
)
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
        *overview.routes(site),
        *docs.routes(templates, describe),
        *sign_in.routes(access, guard, templates),
        *inbox.routes(site),
        *learning_list.routes(site),
        *learning_acts.routes(site),
        *learning_page.routes(site),
        *corrections.routes(site),
        *agents_md.routes(site),
        *conversations.routes(site),
        *documents.routes(site),
        *mappings.routes(site),
        *reviews.routes(site),
        *rules.routes(site),
        *analytics.routes(site),
        *assets.routes(),
    ]
