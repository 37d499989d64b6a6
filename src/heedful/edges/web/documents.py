"""Documents: the list, uploads, and the images of pages."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from heedful.edges.web import drafts
from heedful.edges.web.draft_view import level, state_of
from heedful.edges.web.site import Site, View, Visit
from heedful.errors import NotFound
from heedful.learnings.documents.drafts import Drafts
from heedful.loop import Loop
from heedful.operations import policy
from heedful.records.document import FILE_LIMIT, Document

_PER_PAGE = 40
_IMAGE_WIDTH = 1_200  # pixels: sharp on a screen with two of them for each point
_KEEP = "private, max-age=3600"
_NAMED = 50  # customers that are offered


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document in the list."""

    document: Document
    customer: str | None
    state: str
    """open, corrected, confirmed, or received if nothing was extracted yet."""
    percent: int | None
    level: str
    lines: int


def routes(site: Site) -> list[Route]:
    return [
        Route("/documents", site.page(_list)),
        Route("/documents", site.upload(_receive, policy.DocumentPolicy.record, FILE_LIMIT), methods=["POST"]),
        Route("/documents/extract", site.action(_extract), methods=["POST"]),
        Route("/documents/delete", site.action(_delete), methods=["POST"]),
        *drafts.routes(site),
        Route("/documents/{id:path}/pages/{page:int}.png", site.page(_image, document=True)),
        Route("/documents/{id:path}/next", site.page(drafts.next_document)),
        Route("/documents/{id:path}", site.page(drafts.one)),
    ]


def _list(loop: Loop, visit: Visit) -> View:
    layout = visit.query("layout").strip()
    page = loop.learn.documents.page(layout=layout or None, limit=_PER_PAGE, cursor=visit.query("cursor") or None)
    rows = [_row(loop, document) for document in page.items if not document.deleted]
    customers = sorted({row.customer for row in rows if row.customer})[:_NAMED]
    values = {"rows": rows, "next": page.next, "first": not visit.query("cursor"), "layout": layout}
    may = visit.may(policy.DocumentPolicy.record)
    return View("documents", {**values, "customers": customers, "may_record": may, "limit": FILE_LIMIT})


def _row(loop: Loop, document: Document) -> DocumentRow:
    """Without the mappings of its lines, which take a search each."""
    if not document.drafts:
        return DocumentRow(document, document.customer, "received", None, "none", 0)
    try:
        state = Drafts(loop.store).state(document.drafts[-1])
    except NotFound:  # its values are erased
        return DocumentRow(document, document.customer, "received", None, "none", 0)
    confidence = float(state.event.after.get("confidence", 0.0))
    told = state_of(status=state.status.value, corrected=bool(state.corrections))
    return DocumentRow(document, state.customer, told, round(100 * confidence), level(confidence), len(state.lines))


def _receive(loop: Loop, visit: Visit) -> Response:
    """Receives a file and extracts it at once. The answer is for the script of the page."""
    customer = visit.query("customer").strip() or None
    assert visit.file is not None  # an upload
    received = loop.capture.document(visit.file, customer=customer, name=visit.query("name") or None, by=visit.by)
    draft = loop.apply.extract(received)
    told = {"name": received.name, "fields": len(draft.fields), "lines": len(draft.lines)}
    return JSONResponse({"address": f"/documents/{quote(received.id)}", **told}, 201)


def _image(loop: Loop, visit: Visit) -> Response:
    """The address has a part of the file's hash, so what a browser keeps is never another file's page."""
    document = loop.learn.documents.get(visit.request.path_params["id"])
    number = visit.request.path_params["page"]
    if document.deleted or not 1 <= number <= document.page_count:
        raise NotFound("There is no such page.", hint="Open the document at /documents.")
    image = loop.learn.documents.image(document, number, width=_IMAGE_WIDTH)
    return Response(image, headers={"Cache-Control": _KEEP, "Vary": "Cookie"}, media_type="image/png")


def _extract(loop: Loop, visit: Visit) -> Response:
    id = visit.form.text("document")
    loop.apply.extract(id)
    return RedirectResponse(f"/documents/{quote(id)}?said=extracted", 303)


def _delete(loop: Loop, visit: Visit) -> Response:
    loop.govern.documents.delete(visit.form.text("document"))
    return RedirectResponse("/documents", 303)
