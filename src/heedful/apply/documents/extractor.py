"""Extracts a document into a draft: with the examples of its layout, by a language model or without one."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from statistics import fmean
from typing import NamedTuple

from heedful.apply.documents.extraction import extracted
from heedful.apply.documents.model import extracted_by_model
from heedful.errors import NotFound, ProviderError
from heedful.learnings.documents.drafts import Drafts
from heedful.learnings.documents.examples import hint_examples
from heedful.learnings.documents.library import Library, family_of, layout_of
from heedful.learnings.documents.mappings import Mappings, TypedKey
from heedful.learnings.documents.words import VALUES, packed_values
from heedful.operations import caller
from heedful.records.document import (
    DOCUMENT,
    EXTRACTED,
    DocumentDraft,
    DraftLine,
    DraftStatus,
    Extraction,
    Found,
)
from heedful.records.event import Entity, Event, noted
from heedful.records.language import LanguageModel
from heedful.records.mapping import MappingType
from heedful.records.outside import Outside
from heedful.store import Store

_LOG = logging.getLogger("heedful.apply")
_NAMES = ("customer_number", "buyer", "seller")
"""The fields that may name the customer."""


class _Made(NamedTuple):
    extraction: Extraction
    customer: str | None
    lines: tuple[DraftLine, ...]
    unanswered: str | None


class Extractor:
    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside
        self._library = Library(store)
        self._drafts = Drafts(store)

    def extract(self, document: str) -> DocumentDraft:
        event = self._event(document)
        made = self._made(event, self._outside.language)
        facts = {
            "layout": layout_of(event),
            "family": family_of(event),
            "customer": made.customer,
            "mappings": list(
                dict.fromkeys(match.mapping for line in made.lines for match in line.mappings.values())
            ),  # each once: uses are counted by document
            "unanswered": made.unanswered,
        }
        after = {
            "confidence": confidence(made.extraction),
            "method": made.extraction.method,
            "fields": len(made.extraction.fields),
            "lines": len(made.extraction.lines),
        }
        draft = noted(
            EXTRACTED,
            self._store.clock(),
            actor=caller.actor(),
            entity=Entity(DOCUMENT, event.id),
            after=after,
            meta={name: value for name, value in facts.items() if value is not None},
        )
        with self._store.recording() as record:
            if self._store.log.get(event.id) is None:
                raise NotFound(f"The document {document!r} was erased meanwhile.", hint="Send it again.")
            record.append([draft])
            self._store.files.put_text(record.transaction, draft.id, VALUES, packed_values(made.extraction))
        return self._drafts.get(draft.id)

    def preview(self, document: str) -> DocumentDraft:
        """What an extraction without a language model would give now; nothing is stored."""
        event = self._event(document)
        made = self._made(event, None)
        return DocumentDraft(
            id="",
            document=event.id,
            at=self._store.clock(),
            status=DraftStatus.OPEN,
            method=made.extraction.method,
            confidence=confidence(made.extraction),
            layout=layout_of(event),
            family=family_of(event),
            customer=made.customer,
            candidates=() if made.customer is not None else self._library.customers(family_of(event)),
            fields=made.extraction.fields,
            lines=made.lines,
            corrections=(),
        )

    def _event(self, document: str) -> Event:
        event = self._library.event(document)
        if event.id in self._library.deleted([event.id]):
            raise NotFound(f"The document {document!r} was deleted.", hint="Send it again.")
        return event

    def _made(self, event: Event, language: LanguageModel | None) -> _Made:
        words, family = self._library.words(event.id), family_of(event)
        examples = self._drafts.examples(family)
        local = extracted(words, examples)
        extraction, unanswered = local, None
        if language is not None:
            hints = hint_examples(self._store, layout_of(event), family)
            try:
                extraction = extracted_by_model(language, words, hints, local, examples)
            except ProviderError as error:
                _LOG.warning("a document is extracted locally: %s", error.code)
                unanswered = error.code
        customer = event.after.get("customer") or self._named_customer(extraction) or self._only_customer(family)
        lines = dict(enumerate(extraction.lines, 1))
        return _Made(extraction, customer, self._drafts.mapped(customer, lines), unanswered)

    def _named_customer(self, extraction: Extraction) -> str | None:
        """Whose document it is by a confirmed mapping of a name on it."""
        names = [str(found.value) for name in _NAMES if (found := extraction.fields.get(name)) and found.value]
        keys = [TypedKey(MappingType.CUSTOMER, name) for name in names]
        matches = Mappings(self._store).matches(None, keys) if keys else {}
        return next((matches[key].value for key in keys if key in matches), None)

    def _only_customer(self, family: str) -> str | None:
        """If all documents of this layout were from one customer, so is this one."""
        known = self._library.customers(family)
        return known[0].customer if len(known) == 1 else None


def confidence(extraction: Extraction) -> float:
    found = [one.confidence for fields in _all(extraction) for one in fields.values()]
    return round(fmean(found), 4) if found else 0.0


def _all(extraction: Extraction) -> list[Mapping[str, Found]]:
    return [extraction.fields, *extraction.lines]
