"""What sample documents are about: companies, articles, lines that add up, and how each country prints them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from heedful.records.document import Value

_CENT = Decimal("0.01")
_LINE_COUNTS = (24, 4, 8, 31, 2, 12, 6)
"""By the number of the document: most have one page, some two or three."""


@dataclass(frozen=True, slots=True)
class SampleDocument:
    """A document and the values that are printed in it."""

    supplier: str
    """Whose layout it has: the company that sent it."""
    name: str
    kind: str
    """`invoice` or `order`."""
    content: bytes
    """The PDF file."""
    fields: dict[str, Value]
    """Named as in `HEADER_FIELDS`; dates are YYYY-MM-DD, amounts numbers."""
    lines: list[dict[str, Value]]
    """Named as in `LINE_FIELDS`."""


class Company(NamedTuple):
    name: str
    street: str
    town: str
    customer_number: str = ""
    """Which the other side gave it."""

    @property
    def address(self) -> list[str]:
        return [self.name, self.street, self.town]


class Family(NamedTuple):
    """Articles that differ in one word. The braces in number and description are where it stands."""

    sku: str
    description: str
    variants: str
    uom: str
    price: str
    """Of the first variant; each further one costs a little more."""
    quantities: str


class Line(NamedTuple):
    sku: str
    description: str
    uom: str
    qty: Decimal
    price: Decimal
    amount: Decimal

    def values(self, *names: str) -> dict[str, Value]:
        """Those that a layout prints, as plain numbers and texts."""
        values = {name: getattr(self, name) for name in names}
        return {name: plain(value) if isinstance(value, Decimal) else value for name, value in values.items()}


class Deal(NamedTuple):
    """The business behind one document."""

    number: int
    random_: random.Random
    """For whatever else a layout chooses; the same for the same document."""
    issued: date
    lines: tuple[Line, ...]
    net: Decimal
    tax: Decimal
    grand: Decimal

    def day(self, after: int) -> date:
        """A working day so many days after the document was issued, or before."""
        return _working_day(self.issued + timedelta(days=after))

    def totals(self) -> dict[str, Value]:
        return {"net_total": plain(self.net), "tax_total": plain(self.tax), "grand_total": plain(self.grand)}


def deal(supplier: str, number: int, families: Sequence[Family], *, tax: str = "0", most_lines: int = 99) -> Deal:
    """The same supplier and number give the same deal."""
    random_ = random.Random(f"{supplier} {number}")  # noqa: S311 - sample data
    articles = [(family, position) for family in families for position in range(len(family.variants.split()))]
    count = min(_LINE_COUNTS[number % len(_LINE_COUNTS)], most_lines, len(articles))
    lines = tuple(_line(random_, *article) for article in random_.sample(articles, count))
    net = sum((line.amount for line in lines), Decimal(0))
    taxes = (net * Decimal(tax)).quantize(_CENT, ROUND_HALF_UP)
    since = random.Random(supplier).randrange(60) + 9 * number + random_.randrange(5)  # noqa: S311
    issued = _working_day(date(2025, 1, 8) + timedelta(days=since))
    return Deal(number, random_, issued, lines, net, taxes, net + taxes)


def _line(random_: random.Random, family: Family, position: int) -> Line:
    variant = family.variants.split()[position]
    qty = Decimal(random_.choice(family.quantities.split()))
    price = (Decimal(family.price) * (100 + 13 * position) / 100).quantize(_CENT, ROUND_HALF_UP)
    sku = family.sku.format(variant.translate({ord(mark): None for mark in ",./"})).upper()
    description = family.description.format(variant)
    return Line(sku, description, family.uom, qty, price, (qty * price).quantize(_CENT, ROUND_HALF_UP))


def _working_day(day: date) -> date:
    return day + timedelta(days=8 - day.isoweekday() if day.isoweekday() > 5 else 0)


def paginate(lines: Sequence[Line], *, first: int, further: int, tail: int) -> list[list[Line]]:
    """The lines of each page: so many fit on the first and on each further page; the end of the document needs the room
    of `tail` lines on the last one. A page is never without lines."""
    pages, rest, room = [], list(lines), first
    while len(rest) + tail > room:
        taken = min(room, len(rest) - 1)
        pages.append(rest[:taken])
        rest, room = rest[taken:], further
    return [*pages, rest]


def plain(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def english(value: Decimal, places: int = 2) -> str:
    """1,234.50"""
    return f"{value:,.{places}f}"


def continental(value: Decimal, places: int = 2, *, group: str = ".") -> str:
    """1.234,50"""
    return english(value, places).translate({ord(","): group, ord("."): ","})


def short(value: Decimal) -> str:
    """A quantity, with its decimal places only if it has any: 5 or 2.5"""
    return english(value, 0 if value == value.to_integral_value() else 1)
