"""Mappings: what keys on customers' documents mean, how well each is supported, and what people say about it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heedful.edges.web.draft_view import proposal_about, waiting
from heedful.edges.web.site import Site, View, Visit
from heedful.errors import Conflict, InvalidInput
from heedful.loop import Loop
from heedful.operations import policy
from heedful.records.mapping import Mapping, MappingState

_PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class MappingRow:
    mapping: Mapping
    proposal: str | None
    """Where people decide about it, if they disagree."""

    @property
    def disputed(self) -> bool:
        return bool(self.mapping.contradicted_by) or self.proposal is not None


def routes(site: Site) -> list[Route]:
    return [Route("/mappings", site.page(_list)), Route("/mappings", site.action(_decide), methods=["POST"])]


def _list(loop: Loop, visit: Visit) -> View:
    return _listed(loop, visit)


def _listed(loop: Loop, visit: Visit, message: str = "", status: int = 200) -> View:
    customer, rejected = visit.query("customer").strip(), visit.query("state") == "rejected"
    page = loop.learn.mappings.page(
        customer=customer or None,
        state=MappingState.REJECTED if rejected else MappingState.CONFIRMED,
        limit=_PER_PAGE,
        cursor=visit.query("cursor") or None,
    )
    proposals = waiting(loop) if page.items else ()
    values = {
        "rows": [MappingRow(one, proposal_about(proposals, [one.id])) for one in page.items],
        "next": page.next,
        "first": not visit.query("cursor"),
        "customer": customer,
        "rejected": rejected,
        "customers": sorted({one.customer for one in page.items if one.customer}),
        "may_decide": visit.may(policy.MappingPolicy.decide),
        "done": _done(loop, visit.query("done")),
        "message": message,
    }
    return View("mappings", values, status)


def _done(loop: Loop, id: str) -> Mapping | None:
    return loop.learn.mappings.get(id) if id else None


def _decide(loop: Loop, visit: Visit) -> View | Response:
    old = loop.learn.mappings.get(visit.form.text("id"))
    confirm = visit.form.text("decision") == "confirm"
    decide = loop.capture.mapping_confirmed if confirm else loop.capture.mapping_rejected
    try:
        new = decide(old.key, old.value, customer=old.customer, type=old.category, by=visit.by)
    except (Conflict, InvalidInput) as error:
        return _listed(loop, visit, f"{error.message} {error.hint}", 409)
    back = [(name, visit.form.text(name)) for name in ("customer", "state") if visit.form.text(name)]
    return RedirectResponse(f"/mappings?{urlencode([*back, ('done', new.id)])}", 303)
