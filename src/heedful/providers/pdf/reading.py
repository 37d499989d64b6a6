"""Reads the words of a document and their places with PDFium. Runs in the worker."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any
from unicodedata import normalize

from heedful.errors import DamagedDocument, DocumentTooLarge, EncryptedDocument, ScannedDocument
from heedful.providers.pdf.boxes import WordBoxes
from heedful.records.document import PageText, Word
from heedful.text.checks import visible
from heedful.text.rows import rows
from heedful.text.tables import coverage, tables_in

_HYPHEN = "\ufffe"
"""What PDFium puts for a hyphen at the end of a line, without a line break after it."""
_WORD = re.compile(rf"[^\s{_HYPHEN}]+{_HYPHEN}?|{_HYPHEN}")
_WIDE = re.compile("[\u2e80-\ufffd\uffff]")
"""Of characters from here on, `FPDFText_GetText` tells only the lower 16 bits, which may be those of another one."""
_COMBINING = "\u0300"
"""Before it are no characters that normal forms change."""
_DIGITS = 10_000  # four digits of a share of the page: a thirtieth of a millimetre
_LETTERS = 16  # characters per word, on average, that a document may have
_LONGEST = 1_000  # characters of a word whose accents are put in order, which takes the square of their number
_PRESENTED = re.compile("[\ufb00-\ufdff\ufe70-\ufefe]")
"""Ligatures, and the forms that Arabic letters have within a word."""


def read(pdfium: Any, content: bytes, *, most_pages: int, most_words: int) -> dict[str, Any]:
    pages: list[PageText] = []
    tables = 0
    with opened(pdfium, content) as document:
        count = pdfium.FPDF_GetPageCount(document)
        if count > most_pages:
            raise DocumentTooLarge(
                f"The document has {count:,} pages; {most_pages:,} are allowed.", hint="Split it, and send the parts."
            )
        has_forms = pdfium.FPDF_GetFormType(document) != pdfium.FORMTYPE_NONE
        left = most_words
        for number in range(count):
            if has_forms:
                _flatten(pdfium, document, number)
            with loaded(pdfium, document, number) as page:
                written = _page(pdfium, page, number, left)
            if written is None:
                raise DocumentTooLarge(
                    f"The document has too much text: {most_words:,} words of {_LETTERS} characters are allowed.",
                    hint="Split it, and send the parts.",
                )
            left -= len(written.words)
            in_rows = rows(written)
            tables += tables_in(in_rows, written)
            pages.append(written._replace(words=tuple(chain.from_iterable(in_rows))))
    if left == most_words:
        raise ScannedDocument(
            f"The document has no text on {count:,} page{'s' * (count != 1)}: it is scanned, or blank.",
            hint="Pass the words of your own text recognition with pages=….",
        )
    return {
        "pages": [(page.width, page.height, list(zip(*page.words, strict=True))) for page in pages],
        "tables": tables,
        "coverage": coverage(pages),
    }


@contextmanager
def opened(pdfium: Any, content: bytes) -> Iterator[Any]:
    document = pdfium.FPDF_LoadMemDocument64(content, len(content), None)
    if not document:
        if pdfium.FPDF_GetLastError() in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise EncryptedDocument(
                "The document is encrypted, and a password is needed to read it.",
                hint="Save it without the password, and send that.",
            )
        raise damaged("it has no list of its pages")
    try:
        yield document
    finally:
        pdfium.FPDF_CloseDocument(document)


@contextmanager
def loaded(pdfium: Any, document: Any, number: int) -> Iterator[Any]:
    """A page, counted from 0."""
    page = pdfium.FPDF_LoadPage(document, number)
    if not page:
        raise damaged(f"page {number + 1} cannot be read")
    try:
        yield page
    finally:
        pdfium.FPDF_ClosePage(page)


def size(pdfium: Any, page: Any, number: int) -> tuple[float, float]:
    width, height = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
    if not (0 < width < 1e9 and 0 < height < 1e9):  # false for what is not a number, too
        raise damaged(f"page {number + 1} has no size")
    return width, height


def damaged(why: str) -> DamagedDocument:
    return DamagedDocument(
        f"The document is damaged: {why}.", hint="Send the original file, or save it anew with a PDF viewer."
    )


def _flatten(pdfium: Any, document: Any, number: int) -> None:
    """Makes what was filled into forms part of the page, as it is on paper. Runs no scripts."""
    with loaded(pdfium, document, number) as page:
        pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)


def _page(pdfium: Any, page: Any, number: int, most_words: int) -> PageText | None:
    """None if there are more words."""
    width, height = size(pdfium, page, number)
    text_page = pdfium.FPDFText_LoadPage(page)
    if not text_page:
        raise damaged(f"the text of page {number + 1} cannot be read")
    try:
        count = pdfium.FPDFText_CountChars(text_page)
        if count > _LETTERS * most_words:
            return None
        text = _text(pdfium, text_page, count)
        words = tuple(_words(text, WordBoxes(pdfium, page, text_page), width, height))
    finally:
        pdfium.FPDFText_ClosePage(text_page)
    return PageText(width, height, words) if len(words) <= most_words else None


def _text(pdfium: Any, text_page: Any, count: int) -> str:
    """The characters of the page, as many as PDFium counts."""
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium.FPDFText_GetText(text_page, 0, count, buffer) - 1
    text = bytes(buffer)[: 2 * count].decode("utf-16-le", "replace")
    if written == count == len(text) and (text.isascii() or not _WIDE.search(text)):
        return text
    return "".join(_character(pdfium.FPDFText_GetUnicode(text_page, index)) for index in range(count))


def _character(code: int) -> str:
    return _HYPHEN if code == 2 else chr(code) if code < 0x110000 else "\0"


def _words(text: str, boxes: WordBoxes, width: float, height: float) -> Iterator[Word]:
    """Leaves out what stands outside of the page or is too small to be seen, and cuts off what reaches beyond it."""
    across, down = _DIGITS / width, _DIGITS / height
    for (start, end), (left, top, right, bottom) in boxes.of([match.span() for match in _WORD.finditer(text)]):
        if not (0 < left + right < 2 * width and 0 < top + bottom < 2 * height):
            continue
        x0, y0 = int(left * across + 0.5), int(top * down + 0.5)  # `round` takes twice as long
        x1, y1 = int(right * across + 0.5), int(bottom * down + 0.5)
        if x0 < 0 or y0 < 0 or x1 > _DIGITS or y1 > _DIGITS:
            x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, _DIGITS), min(y1, _DIGITS)
        word = _clean(text[start:end])
        if word and x0 < x1 and y0 < y1:
            yield Word(x0 / _DIGITS, y0 / _DIGITS, x1 / _DIGITS, y1 / _DIGITS, word)


def _clean(word: str) -> str:
    """Ligatures and Arabic forms become the letters that they stand for, and what cannot be seen is removed."""
    if word.isprintable() and (word.isascii() or max(word) < _COMBINING):
        return word
    word = word.replace(_HYPHEN, "-").replace("\u00ad", "-")  # PDF files have only those hyphens that are printed
    word = word.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    word = "".join(visible(_PRESENTED.sub(_plain, word)).split())
    return word if len(word) > _LONGEST else normalize("NFC", word)


def _plain(form: re.Match[str]) -> str:
    return normalize("NFKC", form[0])
