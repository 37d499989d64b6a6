"""Values that stay the same in a layout: the supplier's name, its VAT id, its IBAN, the currency.

They are known from earlier documents, so they are right even where recognition got some letters wrong. A name that is
really another one, or has another legal form, is no misreading.
"""

from __future__ import annotations

from collections.abc import Iterable

from heedful.apply.documents.locating import fuzzy_places, spots
from heedful.apply.documents.sheet import Sheet, Span
from heedful.text.printed_values import (
    CURRENCY,
    IBAN,
    IDENTIFIER,
    TEXT,
    VAT_ID,
    compact,
    lookalike,
    valid_iban,
    vat_id,
)

STEADY = frozenset({"currency", "vat_id", "iban"})
"""Belong to the sender of the layout, as the sender's name does, so one example is enough."""
VARYING = frozenset(
    [
        *("invoice_number", "order_number", "issue_date", "due_date", "delivery_date"),
        *("net_total", "tax_total", "grand_total"),
    ]
)
"""Differ from document to document by nature."""
_MISREAD = 0.8  # likeness of a misread text
_REPLACED = 2  # letters in a row that recognition mistakes for others
_CUT = 5  # letters in a row that it leaves out or adds
_FORM = 8  # letters of a legal form
_OTHER_NAME = 0.55  # less alike is another value


def misread(shown: str, known: str) -> bool:
    """The shown text is the known one with some letters wrong, missing or cut off."""
    one, other = lookalike(shown), lookalike(known)
    if one == other:
        return True
    if min(len(one), len(other)) < 5:
        return False
    from rapidfuzz.distance import Levenshtein  # slow to import

    if Levenshtein.normalized_similarity(one, other) < _MISREAD:
        return False
    return all(
        max(step.src_end - step.src_start, step.dest_end - step.dest_start)
        <= (_REPLACED if step.tag == "replace" else _CUT)
        for step in Levenshtein.opcodes(one, other)
        if step.tag != "equal"
    )


def similarity(one: str, other: str) -> float:
    from rapidfuzz.fuzz import ratio

    return ratio(lookalike(one), lookalike(other)) / 100


def snapped(kind: str, text: str, known: Iterable[str]) -> str | None:
    """The known value that was printed, if the text is a misreading of one."""
    for value in known:
        alike = lookalike(text) == lookalike(value)
        if alike or (kind in (TEXT, VAT_ID, IBAN) and not _checked(kind, text) and misread(text, value)):
            return value
    return None


def _checked(kind: str, text: str) -> bool:
    """Nothing is misread in an id that has the right form."""
    letters = "".join(filter(str.isalnum, text)).upper()
    if kind == IBAN:
        return len(letters) > 14 and letters.isascii() and valid_iban(letters)
    return kind == VAT_ID and vat_id(text) == letters


def place_of(page: Sheet, kind: str, value: str) -> tuple[float, Span] | None:
    """Where a known value is printed, as it is or misread, and how alike it is, up to 1."""
    if kind == CURRENCY or len(value) < 4:
        return None
    found = spots(page, kind, value, misread=False)
    if found:
        return 1.0, found[0]
    if kind == IDENTIFIER:
        return None
    places = [(score, span) for score, span in fuzzy_places(page, value) if _is_misread(page, span, value)]
    if not places:
        return None
    score, span = max(places, key=lambda one: one[0])
    return score / 100, span


def _is_misread(page: Sheet, span: Span, value: str) -> bool:
    """Together with what follows in its segment, if that is short: another legal form makes it another name."""
    row, start, end = span.pieces[0]
    text = page.rows[row].text
    rest = text[end : page.rows[row].segment_at(start).end]
    return misread(text[start:end], value) and (len(compact(rest)) > _FORM or misread(text[start:end] + rest, value))


def is_piece(shown: str, known: str) -> bool:
    """Its words, some of them cut off, are words of the known text."""
    words = [lookalike(word) for word in known.split()]
    pieces = [letters for word in shown.split() if len(letters := lookalike(word)) > 1]
    return bool(pieces) and all(any(_is_part(letters, word) for word in words) for letters in pieces)


def _is_part(letters: str, word: str) -> bool:
    return word.startswith(letters) or misread(letters, word)


def is_other(shown: str, known: str) -> bool:
    """Too different to be the same value misread: other words, or another word at the end, where legal forms are."""
    if misread(shown, known):
        return False
    last, known_last = (lookalike(text.split()[-1]) if text.split() else "" for text in (shown, known))
    return similarity(shown, known) < _OTHER_NAME or (
        min(len(last), len(known_last)) > 1 and not misread(last, known_last)
    )
