"""The header fields of a document by heedful's own rules: labels, shapes and positions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from heedful.apply.documents.candidates import Candidate, best, single
from heedful.apply.documents.labels import FAIR, OTHER, WEAK, Hit
from heedful.apply.documents.locating import labelled
from heedful.apply.documents.parties import parties
from heedful.apply.documents.sheet import Row, Sheet, sheet
from heedful.apply.documents.totals import totals
from heedful.records.document import DocumentText
from heedful.text.printed_values import CURRENCIES, SYMBOLS, compact, iban, spaced, valid_iban, vat_id

_DATES = ("issue_date", "due_date", "delivery_date")
_NUMBERS = ("invoice_number", "order_number", "customer_number")
_RIGHT, _FAR_RIGHT, _BELOW, _FAR_BELOW = 1.0, 0.95, 0.9, 0.6
_QUALIFIED = 0.75  # a label after another word in its segment: `Print date`, `Lieferung Datum`
_ROWS = 1_500  # of a document that are searched for labels
_TRIM = " \t:;,.#()[]|=*_–—-°º№"
_COUNTRY_WORD = re.compile(r"[A-Z]{2}[A-Z]?[ -]?[A-Z]?\d?[A-Z0-9]{0,20}")
_CODE = re.compile(r"\b[A-Z]{3}\b")
_JOINED = 8  # words of an IBAN or a VAT id that is printed in groups


class Region(NamedTuple):
    """A part of a row where the value of a label may stand."""

    row: int
    start: int
    end: int
    factor: float


@lru_cache(maxsize=64)
def header_fields(text: DocumentText) -> dict[str, Candidate]:
    """The candidates for header fields that the rules choose."""
    return HeaderRules(sheet(text), labelled(text)).fields()


class HeaderRules:
    def __init__(self, page: Sheet, labels: list[list[Hit]]) -> None:
        self._sheet = page
        self._hits = labels
        self._order = is_order(page, self._hits)

    def fields(self) -> dict[str, Candidate]:
        found: dict[str, Candidate | None] = {}
        for field in _NUMBERS:
            found[field] = best(list(self._numbers(field)))
        for field in _DATES:
            found[field] = best(list(self._dates(field)))
        found["issue_date"] = best(
            [one for one in (found["issue_date"], self._beside_number(found)) if one is not None]
        )
        if self._order:
            found["invoice_number"] = None
        found["issue_date"] = found["issue_date"] or self._first_date(found)
        found["iban"] = best(list(self._ibans()))
        found["vat_id"] = best(list(self._vat_ids()))
        found.update(totals(self._sheet, self._hits))
        found["currency"] = self._currency(found)
        found.update(parties(self._sheet, self._hits, order=self._order))
        return {field: one for field, one in found.items() if one is not None}

    def _labelled(self, field: str) -> Iterator[tuple[int, Hit, float]]:
        for place, labels in enumerate(self._hits):
            for hit in labels:
                if hit.field == field:
                    yield place, hit, hit.strength * (1.0 if hit.opening else _QUALIFIED)

    # Dates

    def _dates(self, field: str) -> Iterator[Candidate]:
        day_first = self._sheet.day_first
        for place, hit, named in self._labelled(field):
            own = (
                self._order and field == "issue_date" and hit.strength == WEAK
            )  # an order's own date is the order date
            strength = FAIR if own else named
            for region in self._regions(place, hit):
                row = self._sheet.rows[region.row]
                shown = next((one for one in row.dates if region.start <= one.start and one.end <= region.end), None)
                if shown is not None:
                    span = single(region.row, shown.start, shown.end)
                    score = 0.93 * strength * region.factor * _early(region.row)
                    yield Candidate(shown.read(day_first=day_first), span, score)
                    break

    def _beside_number(self, found: dict[str, Candidate | None]) -> Candidate | None:
        """`Invoice No. 4711 of 5 March 2018`: the date right after the number of the document."""
        number = found["invoice_number"] or found["order_number"]
        if number is None:
            return None
        piece = number.span.pieces[0]
        for place, start in ((piece.row, piece.end), *((below, 0) for below in self._sheet.below(piece.row, 1, 1.0))):
            row = self._sheet.rows[place]
            shown = next((one for one in row.dates if start <= one.start), None)
            if shown is not None and not any(
                start <= hit.start < shown.start and hit.strength > WEAK for hit in self._hits[place]
            ):
                together = row.segment_at(shown.start) == row.segment_at(piece.start)
                near = (
                    together
                    if place == piece.row
                    else shown.start < 8 and len(self._sheet.rows[piece.row].text) - piece.end < 6
                )
                if near and len(row.text[start : shown.start].split()) <= 2:
                    value = shown.read(day_first=self._sheet.day_first)
                    return Candidate(value, single(place, shown.start, shown.end), 0.72 * max(0.6, number.score))
        return None

    def _first_date(self, found: dict[str, Candidate | None]) -> Candidate | None:
        """Letters carry their date without a label, at the top: the first one that is nothing else."""
        taken = {one.span for one in found.values() if one is not None}
        for place, row in enumerate(self._sheet.rows[:60]):
            for shown in row.dates:
                span = single(place, shown.start, shown.end)
                named = [
                    hit for hit in self._hits[place] if hit.end <= shown.start and hit.field not in ("issue_date",)
                ]
                if span not in taken and row.page == 0 and row.y0 < 0.6:
                    value = shown.read(day_first=self._sheet.day_first)
                    return Candidate(value, span, 0.3 if named else 0.55, "position")
        return None

    # Numbers of documents and customers

    def _numbers(self, field: str) -> Iterator[Candidate]:
        for place, hit, named in self._labelled(field):
            own = self._order and field == "order_number" and hit.strength == WEAK
            strength = FAIR if own else named
            for region in self._regions(place, hit):
                row = self._sheet.rows[region.row]
                bounds = identifier_in(row, region.start, region.end)
                if bounds is None:
                    continue
                if region.row == place and _number_words(row.text[hit.end : bounds[0]]):
                    strength = max(strength, 0.9)
                elif hit.strength == WEAK and not _stands_alone(row, region, bounds, place, hit):
                    continue
                if strength:
                    span = single(region.row, *bounds)
                    yield Candidate(
                        spaced(row.text[slice(*bounds)]), span, 0.92 * strength * region.factor * _early(region.row)
                    )
                    break

    # Identifiers with a shape of their own

    def _ibans(self) -> Iterator[Candidate]:
        for place, row in enumerate(self._sheet.rows):
            for first, word in enumerate(row.words):
                shaped = len(word.text) > 3 and word.text[:2].isalpha() and word.text[2:4].isdigit()
                found = _joined_iban(row, first) if shaped or _begins_with_label(word.text) else None
                if found is not None:
                    start, end, valid = found
                    named = "iban" in row.compact or (place and "iban" in self._sheet.rows[place - 1].compact)
                    if valid or named:
                        score = 0.6 + 0.2 * bool(named) + 0.15 * valid
                        span = single(place, start, end)
                        yield Candidate(spaced(row.text[start:end]), span, score, "shape")

    def _vat_ids(self) -> Iterator[Candidate]:
        for place, row in enumerate(self._sheet.rows):
            labels = self._hits[place] if place < len(self._hits) else []
            for first in range(len(row.words)):
                bounds = _joined_vat_id(row, first)
                if bounds is None:
                    continue
                before = [hit for hit in labels if hit.end <= bounds[1] and hit.start <= bounds[0]]
                named = before[-1].field if before else ""
                score = 0.9 if named == "vat_id" else 0.35 if named == OTHER else 0.6
                score *= 0.9 if 0.15 < row.centre < 0.45 and row.page == 0 else 1.0  # where buyers' ids stand
                yield Candidate(spaced(row.text[slice(*bounds)]), single(place, *bounds), score, "shape")
        for place, hit, strength in self._labelled("vat_id"):
            for region in self._regions(place, hit):
                row = self._sheet.rows[region.row]
                bounds = identifier_in(row, region.start, region.end)
                if bounds is not None and sum(map(str.isdigit, row.text[slice(*bounds)])) > 6:
                    span = single(region.row, *bounds)
                    yield Candidate(spaced(row.text[slice(*bounds)]), span, 0.55 * strength * region.factor)
                    break

    # Currency

    def _currency(self, found: dict[str, Candidate | None]) -> Candidate | None:
        for place, hit, strength in self._labelled("currency"):
            for region in self._regions(place, hit):
                row = self._sheet.rows[region.row]
                for match in _CODE.finditer(row.text, region.start, region.end):
                    if match.group() in CURRENCIES:
                        return Candidate(match.group(), single(region.row, *match.span()), 0.95 * strength)
        total = found.get("grand_total") or found.get("net_total")
        rows = [] if total is None else [total.span.pieces[0].row]
        return _currency_sign(self._sheet, rows) or _most_common_currency(self._sheet)

    # Where values stand

    def _regions(self, place: int, hit: Hit) -> Iterator[Region]:
        """Beside the label up to the next one, then below it."""
        row = self._sheet.rows[place]
        limit = min((other.start for other in self._hits[place] if other.start >= hit.end), default=len(row.text))
        own = row.segment_at(hit.start)
        yield Region(place, hit.end, min(limit, own.end), _RIGHT)
        right = [segment for segment in row.segments if own.end < segment.start < limit]
        for far, segment in enumerate(right[:2]):
            yield Region(place, segment.start, min(limit, segment.end), _RIGHT - 0.02 if not far else 0.6)
        x0, x1 = row.extent(hit.start, hit.end)
        for steps, below in enumerate(self._sheet.below(place, 4, 2.6)):
            for segment in self._sheet.rows[below].segments:
                if segment.x0 < x1 + 0.01 and segment.x1 > x0 - 0.01:
                    yield Region(below, segment.start, segment.end, _BELOW if not steps else _FAR_BELOW)


def _number_words(text: str) -> bool:
    """Between a label and its value stands the word `number`, and perhaps a code in brackets."""
    words = [compact(word) for word in text.split() if not word.startswith("(")]
    return "".join(words) in ("nr", "no", "n", "num", "number", "nummer", "numero", "nro")


def _stands_alone(row: Row, region: Region, bounds: tuple[int, int], place: int, hit: Hit) -> bool:
    """A weak label speaks for a number right beside it, or for one that has the next cell to itself."""
    if region.row == place and region.factor == _RIGHT:
        return True
    segment = row.segment_at(bounds[0])
    whole = bounds[0] - segment.start <= 1 and segment.end - bounds[1] <= 1
    return hit.opening and whole and bounds[1] - bounds[0] >= 4 and region.factor > _FAR_BELOW


def _early(row: int) -> float:
    """Header fields stand early; the same label further on is about something else."""
    return max(0.9, 1.0 - row * 0.001)


def _begins_with_label(text: str) -> bool:
    return text[:4].upper() == "IBAN" and len(text) > 8


def identifier_in(row: Row, start: int, end: int) -> tuple[int, int] | None:
    """The first run of letters and digits between two offsets that looks like a number somebody gave."""
    for place in range(row.word_at(start), len(row.words)):
        begin = max(start, row.starts[place])
        finish = min(end, row.starts[place] + len(row.words[place].text))
        if begin >= finish:
            if row.starts[place] >= end:
                return None
            continue
        bounds = trimmed(row.text, begin, finish)
        if bounds is not None and _like_identifier(row, *bounds):
            return _with_prefix(row, place, bounds, start)
    return None


def trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    while start < end and text[start] in _TRIM:
        start += 1
    while end > start and text[end - 1] in _TRIM:
        end -= 1
    return (start, end) if start < end else None


def _like_identifier(row: Row, start: int, end: int) -> bool:
    text = row.text[start:end]
    if (
        sum(map(str.isdigit, text)) < 1
        or len(text) < 2
        or "@" in text
        or "%" in text
        or row.text[start - 1 : start] == "("
    ):
        return False
    if any(one.start < end and one.end > start for one in row.dates):
        return False
    return not any(one.start <= start and end <= one.end and one.money for one in row.numbers)


def _with_prefix(row: Row, place: int, bounds: tuple[int, int], start: int) -> tuple[int, int]:
    """`RE 4711` is one number: capitals before the digits belong to it."""
    if place == 0 or row.starts[place - 1] < start:
        return bounds
    before = row.words[place - 1].text
    close = row.words[place].x0 - row.words[place - 1].x1 < 0.9 * row.em
    if close and before.isalpha() and before.isupper() and len(before) <= 3 and row.text[bounds[0]].isdigit():
        return row.starts[place - 1], bounds[1]
    return bounds


def _joined_iban(row: Row, first: int) -> tuple[int, int, bool] | None:
    start = row.starts[first]
    if _begins_with_label(row.words[first].text):
        start += 4
        while start < len(row.text) and not row.text[start].isalnum():
            start += 1
    longest = None
    for last in range(first, min(first + _JOINED, len(row.words))):
        end = row.starts[last] + len(row.words[last].text.rstrip(".,;"))
        letters = iban(row.text[start:end])
        if not letters:
            if len(row.text[start:end]) > 4 and not row.text[start:end].replace(" ", "").isalnum():
                break
            continue
        if valid_iban(letters):
            return start, end, True
        longest = start, end, False
    return longest


def _joined_vat_id(row: Row, first: int) -> tuple[int, int] | None:
    word = row.words[first].text
    start = row.starts[first]
    inner = word.rfind(":") + 1
    start, word = start + inner, word[inner:]
    if not (len(word) >= 2 and word[:2].isupper() and word[:2].isalpha()) or _COUNTRY_WORD.match(word) is None:
        return None
    for last in range(first, min(first + 5, len(row.words))):
        end = row.starts[last] + len(row.words[last].text.rstrip(".,;)"))
        text = row.text[start:end]
        letters = "".join(filter(str.isalnum, text))
        if vat_id(text) == letters.upper() and letters:
            return start, end
    return None


def _currency_sign(page: Sheet, rows: list[int]) -> Candidate | None:
    for place in rows:
        row = page.rows[place]
        for match in _CODE.finditer(row.text):
            if match.group() in CURRENCIES:
                return Candidate(match.group(), single(place, *match.span()), 0.9, "shape")
        for sign, code in SYMBOLS.items():
            if sign in row.text:
                start = row.text.index(sign)
                return Candidate(code, single(place, start, start + len(sign)), 0.88, "shape")
    return None


def _most_common_currency(page: Sheet) -> Candidate | None:
    shown: Counter[str] = Counter()
    first: dict[str, Candidate] = {}
    for place, row in enumerate(page.rows[:_ROWS]):
        for match in _CODE.finditer(row.text):
            if match.group() in CURRENCIES:
                shown[match.group()] += 1
                first.setdefault(match.group(), Candidate(match.group(), single(place, *match.span()), 0.8, "shape"))
        for sign, code in SYMBOLS.items():
            if sign in row.text:
                start = row.text.index(sign)
                shown[code] += 1
                first.setdefault(code, Candidate(code, single(place, start, start + len(sign)), 0.75, "shape"))
    return first[shown.most_common(1)[0][0]] if shown else None


_INVOICE_TITLES = (
    *("invoice", "taxinvoice", "rechnung", "facture", "factura", "fattura", "factuur", "fatura", "creditnote", "avoir"),
    *("gutschrift", "proformainvoice", "commercialinvoice", "notadecredito", "statement", "receipt"),
)
_ORDER_TITLES = (
    *("purchaseorder", "order", "bestellung", "commande", "bondecommande", "pedido", "ordendecompra", "ordine"),
    *("ordinediacquisto", "bestelling", "inkooporder", "encomenda", "requisition", "notadeencomenda", "auftrag"),
    *("ordinefornitore", "ordredachat", "pedidodecompra"),
)


def is_order(page: Sheet, labels: list[list[Hit]]) -> bool:
    """The document is an order: it has the title of one, or no word of an invoice."""
    order = False
    for place, row in enumerate(page.rows[:80]):
        if row.page or row.y0 > 0.5:
            break
        for segment in row.segments:
            text = row.compact[row.compact_place(segment.start) : row.compact_place(segment.end)]
            if text.startswith(_INVOICE_TITLES) or text.endswith("rechnung"):
                return False
            order = order or (segment.last - segment.first <= 4 and text.startswith(_ORDER_TITLES))
        if place < len(labels) and any(h.field == "invoice_number" and h.strength >= FAIR for h in labels[place]):
            return False
    return order
