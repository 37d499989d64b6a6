"""Documents: the words on their pages, what was extracted from them, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from os import PathLike
from typing import IO, Annotated, Any, NamedTuple, Protocol

from heedful.records import record
from heedful.records.choice import Choice
from heedful.records.event import Event
from heedful.records.job import JobRequest
from heedful.records.json import Json
from heedful.records.names import ArgumentRule
from heedful.records.record import Record, Referred
from heedful.records.suggestion import RETENTION_JOB

RECEIVED = "DOCUMENT_RECEIVED"
EXTRACTED = "DOCUMENT_EXTRACTED"
LINE_CORRECTED = "EXTRACTION_LINE_CORRECTED"
FIELD_CORRECTED = "EXTRACTION_FIELD_CORRECTED"
CUSTOMER_SELECTED = "CUSTOMER_SELECTED"
DRAFT_CONFIRMED = "DRAFT_CONFIRMED"
"""A person found the whole draft right, as it is now."""
DOCUMENT_DELETED = "DOCUMENT_DELETED"

CORRECTIONS = (LINE_CORRECTED, FIELD_CORRECTED)
OWN_KINDS = (RECEIVED, EXTRACTED, DRAFT_CONFIRMED, DOCUMENT_DELETED)
"""Recorded by heedful's own operations only. Corrections may also come from programs that extract by themselves."""

LAYOUT = "layout"
"""The entity kind of documents that are received: their fingerprint."""
DOCUMENT = "document"
DRAFT = "draft"

ADDED, REMOVED = "added", "removed"
"""What a correction of a line did, if it did not only change it: `act` in its `meta`."""

FILE_LIMIT = 32 * 1024 * 1024
"""Bytes of a document."""
SNIPPET = 1_500
"""Characters of a document's text in an example for a prompt."""
EXAMPLES = 3
"""How many of them a prompt gets."""

Value = str | int | float
"""Of a field: a text, a number, or a date as YYYY-MM-DD."""

HEADER_FIELDS = (
    "invoice_number", "order_number", "issue_date", "due_date", "delivery_date", "seller", "buyer", "customer_number",
    "currency", "net_total", "tax_total", "grand_total", "vat_id", "iban",
)  # fmt: skip
"""The fields that are looked for in every document. People may correct any other field, too; then it is learned."""
LINE_FIELDS = ("sku", "description", "qty", "uom", "price", "amount", "date")
MONEY_FIELDS = ("net_total", "tax_total", "grand_total", "price", "amount")


Upload = Annotated[
    str | PathLike[str] | bytes | IO[bytes],
    ArgumentRule({"type": "string", "format": "binary"}, parse=lambda value: value),
]
"""A file: its path, its bytes, or an open one."""


AnyValue = Annotated[
    str | int | float | None,
    ArgumentRule({"type": ["string", "number", "null"]}, parse=lambda value: value, holds_text=True),
]


class Box(NamedTuple):
    """A place on a page, as shares of its width and height from the top left corner."""

    x0: float
    y0: float
    x1: float
    y1: float

    def to_dict(self) -> dict[str, Any]:
        """The same as the JSON of the HTTP API."""
        return record.as_dict(self)

    def to_json(self) -> str:
        return record.dump(self).decode()

    def __repr__(self) -> str:
        return record.line(self)


class Word(NamedTuple):
    x0: float
    y0: float
    x1: float
    y1: float
    text: str


class PageText(NamedTuple):
    """The words of a page, in reading order."""

    width: float
    """In points, as seen by the reader: after rotation."""
    height: float
    words: tuple[Word, ...]


class DocumentText(NamedTuple):
    """What was read from a document."""

    pages: tuple[PageText, ...]
    tables: int
    """How many tables there are on all pages."""
    coverage: float
    """The share of the area of all pages that words cover."""

    @property
    def dimensions(self) -> list[tuple[int, int]]:
        """Width and height of each page in whole points."""
        return [(round(page.width), round(page.height)) for page in self.pages]


class PdfReader(Protocol):
    """Reads PDF files, which may be broken or hostile, without risk for this process."""

    def read(self, content: bytes) -> DocumentText:
        """Raises `UnreadableDocument`."""
        ...

    def image(self, content: bytes, page: int, width: int) -> bytes:
        """A page as a PNG image of that width in pixels; pages are counted from 1."""
        ...


@dataclass(frozen=True, slots=True)
class Found(Record):
    """The value of a field, how sure it is, and where it stands."""

    value: Value | None
    confidence: float
    text: str = ""
    """As it is printed."""
    page: int | None = None
    """Counted from 1."""
    box: Box | None = None
    source: str = "label"
    """How it was found: label, shape or position by heedful's own rules; learned, from corrections of this layout;
    model; or corrected, by a person in this draft."""
    taught_by: tuple[str, ...] = ()
    """The events that taught where it is, if it was learned."""
    how: str = ""
    """How it was found, in words: right of "Vorgang"."""


class Extraction(NamedTuple):
    """What was extracted from a document."""

    fields: Mapping[str, Found]
    lines: tuple[Mapping[str, Found], ...]
    method: str = "local"
    """local, or the name of a language model."""


class Example(NamedTuple):
    """An earlier document of the same layout, with the values that people left in it."""

    text: DocumentText
    fields: Mapping[str, Value | None]
    """The final values of all fields, corrected or not. None: a person said that there is none."""
    lines: tuple[Mapping[str, Value | None], ...]
    """The final lines."""
    taught: Mapping[str, str]
    """The id of the last correction of each field that a person corrected: `invoice_number`; in lines by the name of
    the column, `lines.qty`. Fields that are not here were left as they had been extracted."""
    confirmed: bool = False
    """A person confirmed the whole draft, so fields that nobody corrected are right."""


def retain_tomorrow(event: Event) -> JobRequest:  # noqa: ARG001 - a reaction
    """From the first document on, it is looked for what is too old."""
    return JobRequest(RETENTION_JOB, key="documents", delay=timedelta(days=1))


@dataclass(frozen=True, slots=True)
class LayoutProfile(Record):
    """What is known of the documents with one layout fingerprint."""

    layout: str
    family: str | None
    """Documents of the same supplier, whose fingerprints differ with the number of pages and lines."""
    seen_count: int
    example_count: int
    """How many acts of people there are for it: each may be an example for the next extraction."""
    extractions: int
    corrected: int
    """How many of these extractions a person had to correct."""
    created_at: datetime | None
    last_seen_at: datetime | None
    stats: Json
    """Averages: page_count, table_count, text_coverage_ratio."""

    @property
    def correction_rate(self) -> float | None:
        """At most 1, also when extractions are too old to be kept and their corrections are not."""
        return None if not self.extractions else round(min(1.0, self.corrected / self.extractions), 4)


@dataclass(frozen=True, slots=True)
class Document(Referred, Record):
    id: str
    at: datetime
    name: str
    actor: str | None
    customer: str | None
    sha256: str
    page_count: int
    page_dimensions: tuple[tuple[int, int], ...]
    table_count: int
    text_coverage_ratio: float
    layout: str
    """The fingerprint of its layout."""
    family: str
    """The family of layouts it was recognised as; its own id if it is the first one."""
    similarity: float
    """To that family, from 0 to 1."""
    alike: int
    """How many documents of that family there are, with this one."""
    is_pdf: bool
    """Otherwise only its words were passed."""
    deleted: bool
    drafts: tuple[str, ...]
    """The drafts that were extracted from it, oldest first."""
    profile: LayoutProfile
    text: str
    """The beginning of its text, in reading order."""


@dataclass(frozen=True, slots=True)
class MappingMatch(Record):
    """What a key on a document means."""

    key: str
    value: str
    method: str
    """exact_mapping: confirmed for this customer, and applied; disputed, other_customer or similar_key: only
    suggested."""
    confidence: float
    mapping: str
    """The id of the learning."""
    contradicted: bool = False
    """People disagree about it."""


@dataclass(frozen=True, slots=True)
class DraftLine(Record):
    number: int
    """Stays the same if other lines are removed or added."""
    fields: Mapping[str, Found]
    mappings: Mapping[str, MappingMatch] = field(default_factory=dict)
    """The confirmed mappings that are applied, by field: `sku`, `uom`, `price`, `date`."""
    suggestions: tuple[MappingMatch, ...] = ()
    """Mappings of its article number that may fit, if none is confirmed."""

    @property
    def mapping(self) -> MappingMatch | None:
        """The confirmed mapping of its article number."""
        return self.mappings.get("sku")

    @property
    def values(self) -> dict[str, Value | None]:
        return {name: found.value for name, found in self.fields.items()}


@dataclass(frozen=True, slots=True)
class CustomerCandidate(Record):
    customer: str
    documents: int
    """How many documents of this layout were theirs."""


class DraftStatus(Choice, noun="status of drafts"):
    OPEN = "open"
    CONFIRMED = "confirmed"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class DocumentDraft(Referred, Record):
    """What was extracted from a document, with the corrections of people."""

    id: str
    document: str
    at: datetime
    status: DraftStatus
    method: str
    """local, or the name of the language model."""
    confidence: float
    """Of the extraction: the mean over its values."""
    layout: str
    family: str
    customer: str | None
    candidates: tuple[CustomerCandidate, ...]
    """Customers it may be from, if it is not known."""
    fields: Mapping[str, Found]
    lines: tuple[DraftLine, ...]
    corrections: tuple[str, ...]
    """The ids of the events by which people corrected it."""

    @property
    def values(self) -> dict[str, Value | None]:
        return {name: found.value for name, found in self.fields.items()}

    def line(self, number: int) -> DraftLine | None:
        return next((line for line in self.lines if line.number == number), None)


@dataclass(frozen=True, slots=True)
class HintExample(Record):
    """An example for an extraction prompt."""

    input_snippet: str
    output: Json
