"""What is kept of documents and drafts beside their events: words with their places, and extracted values, as JSON."""

from __future__ import annotations

from typing import Any

import orjson

from heedful.records.document import Box, DocumentText, Extraction, Found, PageText, Word

PDF = "pdf"
WORDS = "words"
VALUES = "values"
"""The names of files."""


def packed_words(text: DocumentText) -> bytes:
    pages = [[page.width, page.height, [_word(word) for word in page.words]] for page in text.pages]
    return orjson.dumps([pages, text.tables, text.coverage])


def _word(word: Word) -> list[Any]:
    return [round(word.x0, 4), round(word.y0, 4), round(word.x1, 4), round(word.y1, 4), word.text]


def words_of(content: bytes) -> DocumentText:
    pages, tables, coverage = orjson.loads(content)
    return DocumentText(
        tuple(PageText(width, height, tuple(Word(*word) for word in words)) for width, height, words in pages),
        tables,
        coverage,
    )


def packed_values(extraction: Extraction) -> bytes:
    fields = {name: _packed(found) for name, found in extraction.fields.items()}
    lines = [{name: _packed(found) for name, found in line.items()} for line in extraction.lines]
    return orjson.dumps([fields, lines, extraction.method])


def _packed(found: Found) -> list[Any]:
    box = None if found.box is None else [round(part, 4) for part in found.box]
    return [
        found.value, round(found.confidence, 4), found.text, found.page, box, found.source, found.taught_by, found.how,
    ]  # fmt: skip


def values_of(content: bytes) -> Extraction:
    fields, lines, method = orjson.loads(content)
    return Extraction(
        {name: _found(packed) for name, packed in fields.items()},
        tuple({name: _found(packed) for name, packed in line.items()} for line in lines),
        method,
    )


def _found(packed: list[Any]) -> Found:
    value, confidence, text, page, box, source, taught_by, how = packed
    return Found(value, confidence, text, page, None if box is None else Box(*box), source, tuple(taught_by), how)
