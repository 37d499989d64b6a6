"""Documents put together from texts at places, and examples of what people left in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heedful.records.document import DocumentText, Example, PageText, Value, Word

_LETTER = 0.009
_SPACE = 0.004
_HEIGHT = 0.012

Text = tuple[float, float, str]
"""From where, how far down, and what: a run of words."""


def document(*pages: Sequence[Text]) -> DocumentText:
    return DocumentText(tuple(PageText(595.0, 842.0, tuple(_words(page))) for page in pages), 0, 0.1)


def _words(page: Sequence[Text]) -> list[Word]:
    words = []
    for x, y, text in page:
        left = x
        for word in text.split():
            right = left + _LETTER * len(word)
            words.append(Word(left, y, right, y + _HEIGHT, word))
            left = right + _SPACE
    return words


def moved(texts: Sequence[Text], right: float = 0.0, down: float = 0.0) -> list[Text]:
    return [(x + right, y + down, text) for x, y, text in texts]


def example(
    text: DocumentText,
    fields: Mapping[str, Value | None],
    corrected: Sequence[str] = (),
    *,
    lines: Sequence[Mapping[str, Value | None]] = (),
    event: str = "e1",
    confirmed: bool = True,
) -> Example:
    """A document whose corrected fields were taught by one event each: `e1.seller`."""
    return Example(text, fields, tuple(lines), {name: f"{event}.{name}" for name in corrected}, confirmed)
