"""The mappings that hold for a document: those of its customer whose keys are in it."""

from __future__ import annotations

from heedful.learnings.documents.library import Library, family_of
from heedful.learnings.documents.words import WORDS, words_of
from heedful.learnings.kinds.mapping import MAPPING
from heedful.learnings.table import NONE, OWN_OR_NO_SCOPE, LearningTable
from heedful.records.document import CUSTOMER_SELECTED, DOCUMENT, DRAFT, EXTRACTED
from heedful.records.event import Event
from heedful.records.learning import Status
from heedful.records.mapping import Mapping, same_key
from heedful.store import Store
from heedful.text.normalize import normal
from heedful.text.page_text import plain

_OF_CUSTOMER = 400  # mappings that are looked at, the newest
_TEXT = 20_000  # characters of the document


def document_mappings(store: Store, document: Event, limit: int) -> list[Mapping]:
    """Those of its customer, and those for all customers where it has no own; most confirmed first. If the words of the
    document are stored, only those whose keys are among them."""
    customer = _customer(store, document)
    wanted = {"kind": MAPPING.name, "status": Status.ACTIVE.value, OWN_OR_NO_SCOPE: customer or NONE}
    found = [MAPPING.record(row) for row in LearningTable(store).page(wanted, None, _OF_CUSTOMER)]
    own = {(one.category, same_key(one.key)) for one in found if one.customer is not None}
    found = [one for one in found if one.customer is not None or (one.category, same_key(one.key)) not in own]
    text = store.files.text(document.id, WORDS) if found else None
    if text is not None:
        words = f" {normal(plain(words_of(text), _TEXT))} "
        found = [one for one in found if f" {normal(one.key)} " in words]
    return sorted(found, key=lambda one: (-one.support_count, one.id))[:limit]


def _customer(store: Store, document: Event) -> str | None:
    """As given with the document, as selected or found in it; or, if all documents of its layout are from one customer,
    that one."""
    if isinstance(given := document.after.get("customer"), str):
        return given
    drafts = [event for event in store.log.about(DOCUMENT, [document.id]) if event.kind == EXTRACTED]
    acts = store.log.about(DRAFT, [draft.id for draft in drafts]) if drafts else []
    selected = [act.after.get("customer_id") for act in acts if act.kind == CUSTOMER_SELECTED]
    for customer in (*reversed(selected), *(draft.meta.get("customer") for draft in reversed(drafts))):
        if isinstance(customer, str):
            return customer
    known = Library(store).customers(family_of(document))
    return known[0].customer if len(known) == 1 else None
