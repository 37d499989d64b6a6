"""Documents: received, and corrected by operators after extraction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heedful.capture.documents import mappings, receiving
from heedful.capture.documents.drafts import DraftAct, DraftActs, checked_value, field_name, line_values
from heedful.capture.documents.receiving import ReceivedDocument
from heedful.errors import Conflict, InvalidInput, NotFound
from heedful.learnings.documents.drafts import Drafts
from heedful.learnings.documents.library import Library
from heedful.operations import policy
from heedful.operations.operation import UNCHANGED, Unchanged, operation
from heedful.operations.toolset import ToolSet
from heedful.records.clock import Time, moment
from heedful.records.document import AnyValue, Document, DocumentDraft, Upload, Value
from heedful.records.json import Json
from heedful.records.mapping import AnyMappingType, Mapping, MappingType
from heedful.records.names import Count, Name, identifier
from heedful.records.outside import Outside
from heedful.store import Store

_DRAFT = "draft-4711"
_PDF = (
    b"%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n"
    b"2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj\n"
    b"3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources <</Font <</F"
    b" <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>>> endobj\n"
    b"4 0 obj <</Length 42>> stream\nBT /F 12 Tf 60 780 Td (Order 4711) Tj ET\nendstream endobj\n"
    b"trailer <</Root 1 0 R>>\n%%EOF\n"
)
"""A small file, as an example."""
_SAMPLE_PAGE = {"width": 595, "height": 842, "words": [[0.1, 0.1, 0.2, 0.12, "Order"], [0.21, 0.1, 0.3, 0.12, "4711"]]}


class DocumentCapture:
    """The part of `loop.capture` that is about documents."""

    _store: Store
    _outside: Outside

    @operation(
        "POST /documents",
        policy.DocumentPolicy.record,
        example={"file": _PDF, "customer": "C-9", "name": "order.pdf", "by": "dana", "id": "order-4711"},
        errors=(Conflict, InvalidInput),
        creates=True,
        redact=False,
        upload="file",
    )
    def document(
        self,
        file: Upload,
        *,
        customer: Name | None = None,
        name: str | None = None,
        by: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> Document:
        """Receive a PDF order or invoice: read its words, recognise its layout, and store it.

        In Python `file` is a path, or bytes; over HTTP it is the body of the request. The file is read in a process of
        its own, with limits on time, memory, pages and size. `apply.extract` makes a draft of it.
        """
        content, own_name = receiving.file_content(file)
        called = self._called(own_name if name is None else name)
        given = (None if customer is None else identifier(customer, "customer"), *_who(by, at, id))
        return self._received(ReceivedDocument(self._outside.pdf.read(content), content, called, *given))

    @operation(
        "POST /documents:words",
        policy.DocumentPolicy.record,
        example={"pages": [_SAMPLE_PAGE], "customer": "C-9", "name": "scan.pdf", "id": "scan-4711"},
        errors=(Conflict, InvalidInput),
        creates=True,
        redact=False,
    )
    def document_words(
        self,
        pages: Sequence[Json],
        *,
        customer: Name | None = None,
        name: str | None = None,
        by: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> Document:
        """Receive a document whose words your own text recognition has read, such as a scan.

        Each page has a width, a height, and words: lists of x0, y0, x1, y1 (shares of the page from its top left
        corner) and the text.
        """
        text = receiving.given_pages(pages)
        called = self._called("document" if name is None else name)
        given = (None if customer is None else identifier(customer, "customer"), *_who(by, at, id))
        return self._received(ReceivedDocument(text, None, called, *given))

    def _called(self, name: str) -> str:
        return self._store.redactor.texts(receiving.file_name(name))[0]

    def _received(self, given: ReceivedDocument) -> Document:
        return Library(self._store).of(receiving.receive(self._store, given))

    @operation(
        "POST /drafts/{draft}/fields/{field}",
        policy.DocumentPolicy.correct,
        example={"draft": _DRAFT, "field": "invoice_number", "value": "RE-4711", "by": "dana"},
        errors=(Conflict, InvalidInput, NotFound),
        tool="correct_field",
        tools=ToolSet.DOCUMENTS,
    )
    def field_corrected(
        self,
        draft: Name | DocumentDraft,
        field: Name,
        value: AnyValue,
        *,
        by: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> DocumentDraft:
        """Record that a person corrected a header field of a draft; None if the document has no such value.

        Any name is a field: one that is not known yet is learned from then on. The next document of the same layout
        comes out right.
        """
        who, name, right = _act(draft, by, at, id), field_name(field), checked_value(value, "value")
        return self._draft(self._acts.correct_field(who, name, right).entity)

    @operation(
        "PATCH /drafts/{draft}/lines",
        policy.DocumentPolicy.correct,
        example={"draft": _DRAFT, "line": 2, "qty": 12, "by": "dana"},
        errors=(Conflict, InvalidInput, NotFound),
        tool="correct_line",
        tools=ToolSet.DOCUMENTS,
    )
    def line_corrected(
        self,
        draft: Name | DocumentDraft,
        line: Count,
        *,
        sku: AnyValue | Unchanged = UNCHANGED,
        description: AnyValue | Unchanged = UNCHANGED,
        qty: AnyValue | Unchanged = UNCHANGED,
        uom: AnyValue | Unchanged = UNCHANGED,
        price: AnyValue | Unchanged = UNCHANGED,
        amount: AnyValue | Unchanged = UNCHANGED,
        date: AnyValue | Unchanged = UNCHANGED,
        values: Json | None = None,
        by: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> DocumentDraft:
        """Record that a person corrected values of a line of a draft. `values` has other columns by name."""
        named = {"sku": sku, "description": description, "qty": qty, "uom": uom, "price": price}
        given = _given({**named, "amount": amount, "date": date}, values)
        who = _act(draft, by, at, id)
        return self._draft(self._acts.correct_line(who, line, line_values(given)).entity)

    @operation(
        "POST /drafts/{draft}/lines",
        policy.DocumentPolicy.correct,
        example={"draft": _DRAFT, "sku": "ABC-123", "qty": 4, "by": "dana"},
        errors=(Conflict, InvalidInput, NotFound),
    )
    def line_added(
        self,
        draft: Name | DocumentDraft,
        *,
        sku: AnyValue | Unchanged = UNCHANGED,
        description: AnyValue | Unchanged = UNCHANGED,
        qty: AnyValue | Unchanged = UNCHANGED,
        uom: AnyValue | Unchanged = UNCHANGED,
        price: AnyValue | Unchanged = UNCHANGED,
        amount: AnyValue | Unchanged = UNCHANGED,
        date: AnyValue | Unchanged = UNCHANGED,
        values: Json | None = None,
        by: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> DocumentDraft:
        """Record that a person added a line that was not extracted."""
        named = {"sku": sku, "description": description, "qty": qty, "uom": uom, "price": price}
        given = _given({**named, "amount": amount, "date": date}, values)
        return self._draft(self._acts.add_line(_act(draft, by, at, id), line_values(given)).entity)

    @operation(
        "POST /drafts/{draft}/lines:remove",
        policy.DocumentPolicy.correct,
        example={"draft": _DRAFT, "line": 3, "by": "dana"},
        errors=(Conflict, InvalidInput, NotFound),
    )
    def line_removed(
        self,
        draft: Name | DocumentDraft,
        line: Count,
        *,
        by: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> DocumentDraft:
        """Record that a person removed a line that is none, such as a subtotal."""
        return self._draft(self._acts.remove_line(_act(draft, by, at, id), line).entity)

    @operation(
        "POST /drafts/{draft}/customer",
        policy.DocumentPolicy.correct,
        example={"draft": _DRAFT, "customer": "C-9", "by": "dana"},
        errors=(Conflict, NotFound),
    )
    def customer_selected(
        self,
        draft: Name | DocumentDraft,
        customer: Name,
        *,
        by: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> DocumentDraft:
        """Record whose document it is, as a person chose among the candidates or typed it."""
        return self._draft(self._acts.select_customer(_act(draft, by, at, id), customer).entity)

    @operation(
        "POST /drafts/{draft}/confirmation",
        policy.DocumentPolicy.correct,
        example={"draft": _DRAFT, "by": "dana"},
        errors=(Conflict, NotFound),
    )
    def draft_confirmed(
        self,
        draft: Name | DocumentDraft,
        *,
        by: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> DocumentDraft:
        """Record that a person found a draft right as it is now. Every value in it then counts as an example."""
        return self._draft(self._acts.confirm(_act(draft, by, at, id)).entity)

    @operation(
        "POST /mappings/confirmation",
        policy.MappingPolicy.decide,
        example={"key": "ABC-123", "value": "INT-999", "customer": "C-9", "by": "dana"},
        errors=(Conflict, InvalidInput),
        tool="confirm_mapping",
        tools=ToolSet.DOCUMENTS,
    )
    def mapping_confirmed(
        self,
        key: Name,
        value: Name,
        *,
        customer: Name | None = None,
        type: AnyMappingType = MappingType.SKU,
        draft: Name | DocumentDraft | None = None,
        suggestions: Sequence[Name] = (),
        by: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> Mapping:
        """Record that a person confirmed what a key on a customer's documents means, such as an article number.

        From then on it is applied to that customer's documents by itself. `suggestions` are the values that were
        offered. Confirming again adds support. If somebody else confirmed another value, both stay, and somebody
        decides (`govern.proposals`).
        """
        return mappings.MappingActs(self._store).confirm(
            _mapping(key, value, customer, type, draft, suggestions, by, at, id)
        )

    @operation(
        "POST /mappings/rejection",
        policy.MappingPolicy.decide,
        example={"key": "ABC-123", "value": "INT-998", "customer": "C-9", "by": "dana"},
        errors=(Conflict, InvalidInput),
    )
    def mapping_rejected(
        self,
        key: Name,
        value: Name,
        *,
        customer: Name | None = None,
        type: AnyMappingType = MappingType.SKU,
        draft: Name | DocumentDraft | None = None,
        suggestions: Sequence[Name] = (),
        by: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> Mapping:
        """Record that a person rejected what a key was said to mean. It is neither applied nor suggested any more.

        What several people confirmed, or somebody approved, stays in force until it is decided (`govern.proposals`).
        """
        return mappings.MappingActs(self._store).reject(
            _mapping(key, value, customer, type, draft, suggestions, by, at, id)
        )

    @property
    def _acts(self) -> DraftActs:
        return DraftActs(self._store)

    def _draft(self, entity: Any) -> DocumentDraft:
        return Drafts(self._store).get(entity.id)


def _who(by: str | None, at: Time | None, id: str | None) -> tuple[Any, Any, Any]:
    return (
        None if by is None else identifier(by, "by"),
        None if at is None else moment(at),
        None if id is None else identifier(id, "id"),
    )


def _act(draft: Any, by: str | None, at: Time | None, id: str | None) -> DraftAct:
    return DraftAct(identifier(draft, "draft"), *_who(by, at, id))


def _given(named: dict[str, Any], values: Json | None) -> dict[str, Value | None]:
    given = {name: value for name, value in named.items() if value is not UNCHANGED}
    if values is not None and not isinstance(values, dict):
        raise InvalidInput("values must be a dict.", hint="Pass values={'tax': 19}.")
    return {**(values or {}), **given}


def _mapping(
    key: str, value: str, customer: Any, type: Any, draft: Any, suggestions: Any, by: Any, at: Any, id: Any
) -> mappings.MappingInput:
    return mappings.checked(
        key, value, customer=customer, type=type, draft=draft, suggestions=suggestions, by=by, at=at, id=id
    )
