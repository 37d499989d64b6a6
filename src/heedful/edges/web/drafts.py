"""The page of a document: what was extracted from it, and what people do to the draft there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heedful.edges.web.draft_view import draft_view, proposal_about, waiting
from heedful.edges.web.learned import corrections_of, learned, next_open, told
from heedful.edges.web.paper import paper
from heedful.edges.web.shown_values import label, shown
from heedful.edges.web.site import Form, Site, View, Visit
from heedful.errors import Conflict, HeedfulError, InvalidInput, NotFound
from heedful.learnings.documents.drafts import LAST_LINE
from heedful.learnings.documents.library import Library
from heedful.loop import Loop
from heedful.operations import policy
from heedful.records.document import LINE_FIELDS, REMOVED, Document, DocumentDraft, Value
from heedful.records.event import Event
from heedful.records.mapping import Mapping as SkuMapping
from heedful.records.names import identifier
from heedful.text.typed_values import Notation

_FIELD, _CELL, _NEW, _OURS = "f:", "c:", "n:", "m:"
"""What the names of inputs begin with: header fields, cells of lines, cells of a new line, and one's own numbers."""
_LOOKED_AT = 50  # documents among which the next open one is looked for
_PAGES = 10_000
_NAMED = 20  # mappings that are told of at once

Act = Callable[[Loop, Visit, str], str]
"""Does something to the draft of this id; returns the query that tells it on the page."""


def routes(site: Site) -> list[Route]:
    acts: dict[str, Act] = {
        "fields": _fields,
        "lines": _lines,
        "lines/add": _add,
        "lines/remove": _remove,
        "customer": _customer,
        "confirm": _confirm,
        "mapping": _mapping,
    }
    return [Route(f"/documents/{name}", site.action(_acting(act)), methods=["POST"]) for name, act in acts.items()]


# Pages


def one(loop: Loop, visit: Visit) -> View:
    return _shown(loop, visit, visit.request.path_params["id"])


def _shown(loop: Loop, visit: Visit, id: str, message: str = "", status: int = 200) -> View:
    document = loop.learn.documents.get(id)
    may_correct = visit.may(policy.DocumentPolicy.correct) and not document.deleted
    values: dict[str, Any] = {
        "document": document,
        "may_correct": may_correct,
        "may_map": may_correct and visit.may(policy.MappingPolicy.decide),
        "may_extract": visit.may(policy.DocumentPolicy.extract) and not document.deleted,
        "may_delete": visit.may(policy.DocumentPolicy.delete) and not document.deleted,
        "message": message,
        "label": label,
        "typed": _typed(visit.form) if message else {},
        **_told(loop, visit, document),
    }
    draft = _latest(loop, document)
    if draft is None:
        return View("document", {**values, "view": None, "paper": None}, status)
    text = Library(loop.store).words(document.id)
    more = [name for name in visit.request.query_params.getlist("column") if name]
    page = paper(text, _page_number(visit.query("page")))
    extra = [name for name in LINE_FIELDS if name not in ("sku", "description")]
    view = draft_view(loop, draft, text, more)
    return View("document", {**values, "view": view, "paper": page, "columns_known": extra}, status)


def _latest(loop: Loop, document: Document) -> DocumentDraft | None:
    if not document.drafts or document.deleted:
        return None
    try:
        return loop.learn.documents.draft(document.drafts[-1])
    except NotFound:  # its values are erased
        return None


def next_document(loop: Loop, visit: Visit) -> View:
    """What the next document of this layout will do after a correction."""
    document = loop.learn.documents.get(visit.request.path_params["id"])
    draft = _latest(loop, document)
    acts = [] if draft is None else corrections_of(loop, draft, visit.request.query_params.getlist("done"))
    found = learned(loop, document, acts) if acts else None
    return View("document_next", {"document": document, "learned": found, "told": [told(act) for act in acts]})


def _page_number(text: str) -> int:
    return min(int(text), _PAGES) if text.isascii() and text.isdigit() and len(text) < 6 else 1


def _typed(form: Form) -> dict[str, str]:
    """What somebody typed into the form that was refused."""
    return {name: form.text(name) for name in form if name.startswith((_FIELD, _CELL, _NEW, _OURS, "new_", "customer"))}


# What was done just now


def _told(loop: Loop, visit: Visit, document: Document) -> dict[str, Any]:
    said, ids = visit.query("said"), visit.request.query_params.getlist("done")
    draft = _latest(loop, document) if ids else None
    acts = [] if draft is None else corrections_of(loop, draft, ids)
    return {
        "said": said,
        "told": [told(act) for act in acts],
        "trial": f"/documents/{quote(document.id)}/next?{urlencode([('done', act.id) for act in acts])}"
        if acts
        else "",
        "removed": _removed(acts),
        "mapped": _mapped(loop, visit.request.query_params.getlist("mapped")),
        "next_open": next_open(loop, document.id, _LOOKED_AT) if said == "confirmed" else None,
    }


def _removed(acts: list[Event]) -> dict[str, str]:
    """The values of the line that was removed, to put it back."""
    gone = next((act for act in acts if act.meta.get("act") == REMOVED), None)
    return (
        {} if gone is None else {name: shown(value, name) for name, value in gone.before.items() if value is not None}
    )


def _mapped(loop: Loop, ids: Sequence[str]) -> list[tuple[SkuMapping, str | None]]:
    """The mappings that were decided, each with the proposal that waits if people disagree."""
    found = []
    for id in ids[:_NAMED]:
        try:
            found.append(loop.learn.mappings.get(id))
        except NotFound:  # deleted since
            continue
    proposals = waiting(loop) if found else ()
    return [(one, proposal_about(proposals, [one.id])) for one in found]


# Acts


def _acting(act: Act) -> Callable[[Loop, Visit], View | Response]:
    def answer(loop: Loop, visit: Visit) -> View | Response:
        id = visit.form.text("document")
        try:
            query = act(loop, visit, visit.form.text("draft"))
        except (Conflict, InvalidInput, NotFound) as error:
            loop.learn.documents.get(id)  # if even that is gone, say so
            return _shown(loop, visit, id, f"{error.message} {error.hint}", _status(error))
        kept = urlencode([(name, value) for name in ("page", "column") for value in visit.form.chosen(name) if value])
        address = "&".join(part for part in (kept, query) if part)
        return RedirectResponse(f"/documents/{quote(id)}{f'?{address}' if address else ''}", 303)

    return answer


def _status(error: HeedfulError) -> int:
    return 422 if isinstance(error, InvalidInput) else 409


def _fields(loop: Loop, visit: Visit, id: str) -> str:
    form, draft = visit.form, loop.learn.documents.draft(id)
    typed = _changed(form, _FIELD)
    if (name := form.word("new_name")) is not None:
        typed[identifier(name, "field")] = form.text("new_value")
    right = _understood(draft, typed, draft.values)
    done = [loop.capture.field_corrected(id, name, value, by=visit.by).corrections[-1] for name, value in right.items()]
    return urlencode([("done", event) for event in done])


def _lines(loop: Loop, visit: Visit, id: str) -> str:
    """Each line whose values were changed is one correction."""
    draft, right = loop.learn.documents.draft(id), dict[int, dict[str, Value | None]]()
    for number, typed in _by_line(_changed(visit.form, _CELL)).items():
        line = draft.line(number)
        right[number] = _understood(draft, typed, {} if line is None else line.values)
    corrected = [loop.capture.line_corrected(id, line, values=values, by=visit.by) for line, values in right.items()]
    return urlencode([("done", after.corrections[-1]) for after in corrected])


def _by_line(typed: Mapping[str, str]) -> dict[int, dict[str, str]]:
    lines: dict[int, dict[str, str]] = {}
    for name, text in typed.items():
        number, _, field = name.partition(":")
        lines.setdefault(_line_number(number), {})[field] = text
    return lines


def _line_number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= len(str(LAST_LINE)):
        return int(text)
    raise InvalidInput("The form is damaged.", hint="Reload the page and try again.")


def _add(loop: Loop, visit: Visit, id: str) -> str:
    draft = loop.learn.documents.draft(id)
    typed = {name: text for name, text in _changed(visit.form, _NEW).items() if text.strip()}
    return _done(loop.capture.line_added(id, values=_understood(draft, typed, {}), by=visit.by))


def _remove(loop: Loop, visit: Visit, id: str) -> str:
    return _done(loop.capture.line_removed(id, _line_number(visit.form.text("line")), by=visit.by))


def _done(draft: DocumentDraft) -> str:
    return urlencode({"done": draft.corrections[-1]})


def _customer(loop: Loop, visit: Visit, id: str) -> str:
    customer = visit.form.word("customer")
    if customer is None:
        raise InvalidInput("No customer was named.", hint="Choose one, or type a name or number.")
    if customer == loop.learn.documents.draft(id).customer:
        return ""
    loop.capture.customer_selected(id, customer, by=visit.by)
    return "said=customer"


def _confirm(loop: Loop, visit: Visit, id: str) -> str:
    loop.capture.draft_confirmed(id, by=visit.by)
    return "said=confirmed"


def _mapping(loop: Loop, visit: Visit, id: str) -> str:
    """A suggestion is decided with a button; what was typed is confirmed."""
    form = visit.form
    for decision in ("confirm", "reject"):
        if decision in form:
            number, _, value = form.text(decision).partition(":")
            return urlencode(
                {"mapped": _decided(loop, visit, id, _line_number(number), value, confirm=decision == "confirm")}
            )
    typed = {number: text.strip() for number, text in _changed(form, _OURS).items() if text.strip()}
    done = [_decided(loop, visit, id, _line_number(number), value, confirm=True) for number, value in typed.items()]
    return urlencode([("mapped", mapping) for mapping in done])


def _decided(loop: Loop, visit: Visit, id: str, number: int, value: str, *, confirm: bool) -> str:
    draft = loop.learn.documents.draft(id)
    line = draft.line(number)
    key = "" if line is None else shown(line.values.get("sku"), "sku")
    if not key or line is None:
        raise NotFound(f"Line {number} has no article number.", hint="Type it first.")
    decide = loop.capture.mapping_confirmed if confirm else loop.capture.mapping_rejected
    offered = [one.value for one in line.suggestions]
    return decide(key, value, customer=draft.customer, draft=id, suggestions=offered, by=visit.by).id


def _changed(form: Form, prefix: str) -> dict[str, str]:
    """What somebody changed: values that others changed since the page was opened are left alone."""
    was = _was(form.text("was"))
    typed = {name.removeprefix(prefix): form.text(name) for name in form if name.startswith(prefix)}
    return {name: text for name, text in typed.items() if text.strip() != was.get(name, "").strip()}


def _was(text: str) -> dict[str, str]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise InvalidInput("The form is damaged.", hint="Reload the page and try again.")
    return found


def _understood(
    draft: DocumentDraft, typed: Mapping[str, str], before: Mapping[str, Value | None]
) -> dict[str, Value | None]:
    notation = Notation.of(draft)
    return {name: notation.understood(text, name, before.get(name), label(name)) for name, text in typed.items()}
