"""The form that a language model fills in about a document. Imported only with a model: pydantic is an extra."""

from __future__ import annotations

from heedful.records.form import AnswerForm


class FieldValue(AnswerForm):
    name: str
    value: str


class LineValues(AnswerForm):
    values: list[FieldValue]


class Extracted(AnswerForm):
    fields: list[FieldValue]
    lines: list[LineValues]
