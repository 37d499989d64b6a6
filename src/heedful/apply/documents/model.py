"""Extraction by a language model, as far as the document supports it.

The model copies values from a text that anybody may have written. So a value counts only if it stands on the page,
which also tells where; and what people corrected in this layout before wins over what the model says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from heedful.apply.documents.locating import spots
from heedful.apply.documents.prompt import INSTRUCTIONS, asked
from heedful.apply.documents.sheet import Sheet, Span, sheet
from heedful.errors import BadAnswer
from heedful.records.document import (
    HEADER_FIELDS,
    LINE_FIELDS,
    DocumentText,
    Example,
    Extraction,
    Found,
    HintExample,
    Value,
)
from heedful.records.language import LanguageModel, ModelMessage
from heedful.text.printed_values import AMOUNT, DATE, is_date, kind_of, number, plain_number, same

if TYPE_CHECKING:
    from heedful.apply.documents.form import FieldValue

_TOKENS = 4_000
_MOST_LINES = 500
_AGREED, _ALONE = 0.97, 0.85  # the confidence of a value that our own rules find too, and of one they do not
_LEARNED = 0.6  # from which what was learned from people wins
_SURE = 0.9  # from which our own rules win
_LONGEST = 300  # characters of a value
_NUMBER = re.compile(r"-?\d[\d.,']{0,24}")


def extracted_by_model(
    language: LanguageModel,
    text: DocumentText,
    hints: Sequence[HintExample],
    local: Extraction,
    examples: Sequence[Example] = (),
) -> Extraction:
    """What the model says, where the page supports it; `local` is what our own rules found. Raises a ProviderError."""
    from heedful.apply.documents.form import Extracted  # noqa: PLC0415 - pydantic is an extra

    message = ModelMessage("user", asked(text, hints))
    answer = language.answer(INSTRUCTIONS, [message], Extracted, most_tokens=_TOKENS)
    page = sheet(text)
    wanted = {*HEADER_FIELDS, *local.fields, *_taught(hints)} - _absent(examples, local)
    said = _supported(page, answer.value.fields, wanted, local.fields)
    taught = any(name.startswith("lines.") for example in examples for name in example.taught)
    lines = local.lines if taught else _lines(page, [line.values for line in answer.value.lines[:_MOST_LINES]], local)
    if (answer.value.fields or answer.value.lines) and not said and not lines:
        raise BadAnswer("None of the values stands in the document.", hint="Ask again, or another model.")
    return Extraction({**said, **_kept(local.fields, said)}, lines, answer.model)


def _taught(hints: Sequence[HintExample]) -> set[str]:
    """Fields of their own that people added."""
    return {str(field) for one in hints if isinstance(field := one.output.get("field"), str)}


def _absent(examples: Sequence[Example], local: Extraction) -> set[str]:
    """Fields of which a person said last that documents of this layout have none, and which our own rules leave out."""
    last: dict[str, Value | None] = {}
    for example in examples:
        for name in example.taught:
            last.setdefault(name, example.fields.get(name))
    return {name for name, value in last.items() if value is None} - local.fields.keys()


def _kept(local: Mapping[str, Found], said: Mapping[str, Found]) -> dict[str, Found]:
    """What our own rules know better: what people taught, what stands beside a label of its own, and what the model
    left out. A small model takes the first date that it sees for every date."""
    return {name: found for name, found in local.items() if name not in said or _is_known_better(found, said[name])}


def _is_known_better(own: Found, said: Found) -> bool:
    if own.source == "learned":
        return own.confidence >= _LEARNED
    return own.confidence >= _SURE and not same(own.value, said.value)


def _lines(page: Sheet, said: Sequence[Sequence[FieldValue]], local: Extraction) -> tuple[Mapping[str, Found], ...]:
    """The model's lines; our own, if it has none."""
    if not said:
        return local.lines
    found = [_supported(page, line, set(LINE_FIELDS), {}) for line in said]
    return tuple(line for line in found if line)


def _supported(
    page: Sheet, said: Iterable[FieldValue], wanted: set[str], local: Mapping[str, Found]
) -> dict[str, Found]:
    supported: dict[str, Found] = {}
    for one in said:
        value = _value(one.name, one.value)
        if one.name not in wanted or one.name in supported or value is None:
            continue
        own = local.get(one.name)
        places = spots(page, kind_of(one.name, value), value, misread=False)
        if own is not None and same(own.value, value):
            supported[one.name] = Found(own.value, _AGREED, own.text, own.page, own.box, "model", how=own.how)
        elif places:
            supported[one.name] = _found(page, places[0], value)
    return supported


def _found(page: Sheet, place: Span, value: Value) -> Found:
    return Found(value, _ALONE, page.text(place), page.page(place) + 1, page.box(place), "model")


def _value(field: str, text: str) -> Value | None:
    text = " ".join(text.split())[:_LONGEST]
    kind = kind_of(field)
    if kind == AMOUNT:
        digits = text.replace(" ", "")
        value = plain_number(number(digits.removeprefix("-"), ".")) if _NUMBER.fullmatch(digits) else None
        return -value if value is not None and digits.startswith("-") else value
    if kind == DATE and not is_date(text):
        return None
    return text or None
