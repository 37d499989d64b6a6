"""Net, tax and gross totals: by their labels, checked by adding up."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from heedful.apply.documents.candidates import Candidate, single
from heedful.apply.documents.labels import OTHER, Hit, column_index
from heedful.apply.documents.labels import hits as labels_in
from heedful.apply.documents.sheet import Piece, Row, Sheet, Span
from heedful.text.printed_values import PrintedNumber, compact, plain_number

NET, TAX, GROSS = "net_total", "tax_total", "grand_total"
_FIELDS = (NET, TAX, GROSS)
_TRIED = 6  # candidates for each total that are added up
_ADDS_UP = 0.7
_TAX_SHARES = (0.02, 0.30)
_WITHOUT = (
    *("ohne", "excl", "exkl", "exclu", "without", "exvat", "net", "hors", "ht", "sin", "sem", "senza", "zzgl", "plus"),
    *("before", "escl", "exbtw"),
)
_WITH = ("incl", "inkl", "inclu", "brutto", "gross", "ttc", "coniva", "comiva", "ivato", "with", "einschl")
_LESS = frozenset(
    ["ohne", "excl", "exkl", "excluding", "without", "before", "hors", "sin", "sem", "senza", "exclusief", "escl", "ex"]
)
_PLUS = frozenset(["incl", "inkl", "including", "inclusief", "inclusive", "with", "con", "com", "einschl"])
_CELL_LABELS = frozenset({"sku", "description", "qty", "uom", "price"})


class _Total(NamedTuple):
    field: str
    value: float
    candidate: Candidate


_Shown = tuple[int, PrintedNumber, float]
"""A row, a number in it, and how much its place counts."""


def totals(page: Sheet, labels: list[list[Hit]]) -> dict[str, Candidate | None]:
    found: dict[str, list[_Total]] = {field: [] for field in _FIELDS}
    for place, hits in enumerate(labels):
        if any(hit.field in _FIELDS for hit in hits):
            for one in _totals_of_row(page, place, hits):
                found[one.field].append(one)
    for ones in found.values():
        ones.sort(key=lambda one: -one.candidate.score)
    named = _best_of_each(found)
    if any(one is not None and one.score > 0.5 for one in (named[NET], named[GROSS])):
        return _consistent(found) or named
    return _consistent(found) or _by_sum(page) or named


def _totals_of_row(page: Sheet, place: int, hits: list[Hit]) -> Iterator[_Total]:
    row = page.rows[place]
    named = [(hit, field) for hit, field in _named(row, hits) if field in _FIELDS]
    in_table = len({hit.field for hit in labels_in(row, column_index())} & _CELL_LABELS) >= 2
    late = 0.85 + 0.15 * (place + 1) / len(page.rows)
    for at, (hit, field) in enumerate(named):
        limit = named[at + 1][0].start if at + 1 < len(named) else len(row.text)
        chosen = _beside(row, place, hit, limit)
        if chosen is None and not in_table:
            chosen = _below(page, place, hit, several=len({field for _, field in named}) > 1)
            chosen = chosen or _whole_beside(row, place, hit, limit)
        if chosen is not None:
            where, shown, factor = chosen
            value = shown.read(page.decimal)
            score = 0.85 * hit.strength * (1.0 if hit.opening or field == TAX else 0.8) * factor * late
            candidate = Candidate(plain_number(value), single(where, shown.start, shown.end), score)
            yield _Total(field, value, candidate)


def _beside(row: Row, place: int, hit: Hit, limit: int) -> _Shown | None:
    """The last amount of money before the next label: a tax comes after its base."""
    money = [one for one in row.numbers if hit.end <= one.start < limit and one.money]
    return (place, money[-1], 1.0) if money else None


def _whole_beside(row: Row, place: int, hit: Hit, limit: int) -> _Shown | None:
    """A number without decimals, if the row has little else."""
    if not hit.opening or len(row.words) > 6:
        return None
    found = [
        one for one in row.numbers if hit.end <= one.start < limit and not _share(row, one) and len(one.digits) < 9
    ]
    return (place, found[-1], 0.5) if found else None


def _below(page: Sheet, place: int, hit: Hit, *, several: bool) -> _Shown | None:
    x0, x1 = page.rows[place].extent(hit.start, hit.end)
    for below in page.below(place, 2, 2.0):
        row = page.rows[below]
        under = [one for one in row.numbers if one.money and _overlap(row.extent(one.start, one.end), (x0, x1))]
        if under:
            return below, under[-1], 0.9 if several else 0.7
    return None


def _named(row: Row, hits: list[Hit]) -> Iterator[tuple[Hit, str]]:
    """The labels of totals with what words beside them make of them: `Total excl. VAT` is net, no tax."""
    before: Hit | None = None
    for hit in hits:
        if hit.field == TAX and before is not None and _qualifies(row, before, hit):
            continue
        field = hit.field
        if field == TAX:
            qualified = compact(row.text[: hit.start].rstrip(" .").rpartition(" ")[2])
            field = NET if qualified in _LESS else GROSS if qualified in _PLUS else TAX
        if field in (NET, GROSS) and hit.field != TAX:
            before = hit
            rest = compact(row.text[hit.end : row.segment_at(hit.start).end])
            if field == GROSS and rest.startswith(_WITHOUT):
                field = NET
            elif field == NET and rest.startswith(_WITH):
                field = GROSS
        elif field == OTHER:
            before = None
        yield hit, field


def _qualifies(row: Row, before: Hit, tax: Hit) -> bool:
    """The tax is named as part of another label: in its segment, without a number in between."""
    if any(before.end <= one.start < tax.start for one in row.numbers):
        return False
    return row.segment_at(before.start) == row.segment_at(tax.start)


def _share(row: Row, number: PrintedNumber) -> bool:
    return row.text[number.end : number.end + 2].lstrip().startswith("%")


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] < other[1] + 0.02 and one[1] > other[0] - 0.02


def _consistent(found: dict[str, list[_Total]]) -> dict[str, Candidate | None] | None:
    """The totals that add up, if some do: net and tax are the gross total."""
    nets, gross = found[NET][:_TRIED], found[GROSS][:_TRIED]
    ranked = []
    for net, tax, total in product(nets, _taxes(found[TAX]), gross):
        if abs(net.value + tax.value - total.value) < 0.021 and net.candidate.span != total.candidate.span:
            points = net.candidate.score + tax.candidate.score + total.candidate.score + (tax.value != 0) * 0.5
            ranked.append((points, net, tax, total))
    if not ranked:
        return None
    _, *chosen = max(ranked, key=lambda one: one[0])
    return {one.field: _sure(one.candidate) for one in chosen}


def _taxes(found: list[_Total]) -> list[_Total]:
    """The taxes that may be the total: each of them, and the sum of several rates."""
    rows = {one.candidate.span.pieces[0].row: one for one in reversed(found)}
    several = list(rows.values())
    if 2 <= len(several) <= 4:
        pieces = tuple(sorted(Piece(*one.candidate.span.pieces[0]) for one in several))
        value = sum(one.value for one in several)
        added = Candidate(plain_number(value), Span(pieces), 0.3)
        return [*found[:_TRIED], _Total(TAX, value, added)]
    return found[:_TRIED]


def _sure(candidate: Candidate) -> Candidate:
    return candidate._replace(score=candidate.score + (1 - candidate.score) * _ADDS_UP)


def _by_sum(page: Sheet) -> dict[str, Candidate | None] | None:
    """Amounts one after the other where the third is the sum of the first two, and the second may be a tax."""
    shown = [(place, one) for place, row in enumerate(page.rows[-400:], max(0, len(page.rows) - 400))
             for one in row.numbers if one.money]  # fmt: skip
    values = [one.read(page.decimal) for _, one in shown]
    for last in range(len(shown) - 1, 1, -1):
        for middle in range(last - 1, max(0, last - 6), -1):
            for first in range(middle - 1, max(-1, middle - 5), -1):
                if _adds_up(values[first], values[middle], values[last]):
                    chosen = {NET: first, TAX: middle, GROSS: last}
                    return {field: _by_shape(shown[at], values[at]) for field, at in chosen.items()}
    return None


def _adds_up(net: float, tax: float, gross: float) -> bool:
    """Taxes have rates of whole or half percents."""
    low, high = _TAX_SHARES
    if not (net > 0 and low * net < tax < high * net and abs(net + tax - gross) < 0.021):
        return False
    halves = 200 * tax / net
    return abs(halves - round(halves)) < 0.03 + 1.5 / net


def _by_shape(shown: tuple[int, PrintedNumber], value: float) -> Candidate:
    place, number = shown
    return Candidate(plain_number(value), single(place, number.start, number.end), 0.8, "shape")


def _best_of_each(found: dict[str, list[_Total]]) -> dict[str, Candidate | None]:
    chosen: dict[str, Candidate | None] = {}
    for field, ones in found.items():
        chosen[field] = ones[0].candidate if ones and ones[0].candidate.score > 0.3 else None
    gross, net = chosen[GROSS], chosen[NET]
    if gross is not None and net is not None and found[NET][0].value > found[GROSS][0].value:
        chosen[NET if net.score < gross.score else GROSS] = None
    return chosen
