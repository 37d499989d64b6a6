"""Invoices of a German maker of machine parts: labels above their values, a grey table header, the bank in the footer.

Not where common labels lead: the order number is called "Vorgang", and the date of delivery stands before the date of
issue.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from heedful.testing.pdf import Column, Page, Pdf, width_of
from heedful.testing.trade import Company, Deal, Family, Line, SampleDocument, continental, deal, paginate, short

NAME = "Hartmann Söhrig Maschinenteile GmbH"
_VAT_ID, _IBAN = "DE991204573", "DE97 9992 0034 0417 7336 00"
_BLUE = (0.1, 0.25, 0.45)
_RIGHT = 543.0
_CUSTOMERS = (
    Company("Voss & Merkel Fördertechnik GmbH", "Am Güterbahnhof 14", "33602 Bielefeld", "10482"),
    Company("Lechtal Anlagenbau AG", "Industriestraße 7b", "86609 Donauwörth", "11937"),
    Company("Brückner-Theis Pumpenwerk KG", "Zur alten Ziegelei 3", "49074 Osnabrück", "10055"),
)
_FAMILIES = (
    Family("KL-{}", "Rillenkugellager {}-2RS", "6203 6204 6205 6206 6304 6305", "Stk", "4.85", "4 8 10 20 50"),
    Family("WD-{}", "Wellendichtring NBR {}", "20x35x7 25x42x7 30x47x7 35x52x7", "Stk", "2.15", "10 20 50 100"),
    Family("ZR-{}", "Zahnriemen HTD {}-5M", "450 600 750 920 1270", "Stk", "17.40", "2 4 6 12"),
    Family("KU-{}", "Klauenkupplung Größe {}, Nabe vorgebohrt", "19 24 28 38", "Stk", "31.90", "1 2 4"),
    Family("RK-{}", "Rollenkette {} einfach, verstärkt", "08B-1 10B-1 12B-1 16B-1", "m", "11.20", "2.5 5 7.5 10"),
    Family("SS-{}", "Sechskantschraube M{} verzinkt, 100 Stück", "8x40 10x50 12x60", "Pack", "14.60", "1 3 5"),
    Family("GM-{}", "Getriebemotor {} kW, Fußausführung", "0,37 0,75 1,10", "Stk", "386.00", "1 2"),
)


class _Sheet(NamedTuple):
    """What differs between the layout and the one after the new logo."""

    logo_height: float
    down: float
    """How much lower everything stands."""
    contact: tuple[str, ...]
    columns: tuple[Column, ...]


_CONTACT = ("Ansprechpartner", "Frau K. Immhof", "Telefon 030 23125 417", "rechnung@hartmann-soehrig.example")
_USUAL = _Sheet(
    34, 0, _CONTACT,
    (
        Column("Pos.", 58), Column("Artikel-Nr.", 86), Column("Bezeichnung", 164), Column("Menge", 386, "right"),
        Column("ME", 394), Column("Einzelpreis", 470, "right"), Column("Gesamt EUR", 539, "right"),
    ),
)  # fmt: skip
_SHIFTED = _Sheet(
    52, 20, (*_CONTACT, "Zertifiziert nach ISO 9001"),
    (
        Column("Pos.", 58), Column("Artikel-Nr.", 82), Column("Bezeichnung", 182), Column("Menge", 402, "right"),
        Column("ME", 410), Column("Einzelpreis", 480, "right"), Column("Gesamt EUR", 539, "right"),
    ),
)  # fmt: skip


def draw(number: int, *, shifted: bool = False) -> SampleDocument:
    sheet = _SHIFTED if shifted else _USUAL
    sold = deal("hartmann", number, _FAMILIES, tax="0.19")
    buyer = _CUSTOMERS[number % len(_CUSTOMERS)]
    strip = {
        "Rechnung Nr.": f"RE{sold.issued:%y}-{40_817 + 37 * number}",
        "Vorgang": f"{4_500_118_200 + 113 * number}",
        "Kunden-Nr.": buyer.customer_number,
        "Lieferdatum": f"{sold.day(-4):%d.%m.%Y}",
        "Datum": f"{sold.issued:%d.%m.%Y}",
    }
    name = f"hartmann-{number}{'-shifted' if shifted else ''}.pdf"
    pdf = Pdf(f"Rechnung {strip['Rechnung Nr.']}", NAME)
    chunks = paginate(sold.lines, first=21 - int(shifted), further=33, tail=6)
    position, carried = 1, Decimal(0)
    for index, chunk in enumerate(chunks):
        page = pdf.page()
        y = _first_header(page, sheet, buyer, strip) if index == 0 else _header(page, sheet, strip, index, len(chunks))
        y = _table_header(page, sheet, y)
        if index:
            y = _carried(page, sheet, y, "Übertrag", carried)
        for line in chunk:
            _line(page, sheet, y, position, line)
            position, carried, y = position + 1, carried + line.amount, y + 17
        if index < len(chunks) - 1:
            _carried(page, sheet, y, "Zwischensumme", carried)
        else:
            _totals(page, y, sold)
        _footer(page)
    fields = {
        "invoice_number": strip["Rechnung Nr."], "order_number": strip["Vorgang"],
        "issue_date": sold.issued.isoformat(), "due_date": sold.day(30).isoformat(),
        "delivery_date": sold.day(-4).isoformat(), "seller": NAME, "buyer": buyer.name,
        "customer_number": buyer.customer_number, "currency": "EUR", **sold.totals(), "vat_id": _VAT_ID,
        "iban": _IBAN.replace(" ", ""),
    }  # fmt: skip
    lines = [line.values("sku", "description", "qty", "uom", "price", "amount") for line in sold.lines]
    return SampleDocument("hartmann", name, "invoice", pdf.content(), fields, lines)


def _first_header(page: Page, sheet: _Sheet, buyer: Company, strip: dict[str, str]) -> float:
    _logo(page, sheet)
    top = 132 + sheet.down
    sender = f"{NAME} · Kesselweg 22 · 42103 Wuppertal"
    page.text(58, top, sender, size=6.5, colour=0.35)
    page.line(58, top + 3, 58 + width_of(sender, size=6.5), top + 3, width=0.3, colour=0.5)
    page.texts(58, top + 20, [buyer.name, "Abteilung Einkauf", buyer.street, "", buyer.town], size=10, leading=13)
    page.texts(400, top, sheet.contact, size=8, leading=12, colour=0.2)
    page.text(58, top + 138, "Rechnung", font="Helvetica-Bold", size=17)
    _strip(page, top + 158, strip)
    page.text(58, top + 206, "Für unsere Lieferung berechnen wir Ihnen wie vereinbart:", size=9)
    return top + 220


def _logo(page: Page, sheet: _Sheet) -> None:
    height = sheet.logo_height
    page.rectangle(58, 40, height, height, fill=_BLUE)
    page.polygon([(58 + height * x, 40 + height * y) for x, y in _H], fill=1.0)
    page.text(68 + height, 40 + height * 0.52, "HARTMANN SÖHRIG", font="Helvetica-Bold", size=height / 2, colour=_BLUE)
    page.text(68 + height, 40 + height * 0.95, "Maschinenteile · Antriebstechnik · Normteile", size=8.5, colour=0.3)


_H = ((0.2, 0.15), (0.37, 0.15), (0.37, 0.42), (0.63, 0.42), (0.63, 0.15), (0.8, 0.15), (0.8, 0.85), (0.63, 0.85),
      (0.63, 0.58), (0.37, 0.58), (0.37, 0.85), (0.2, 0.85))  # fmt: skip


def _strip(page: Page, y: float, strip: dict[str, str]) -> None:
    page.line(58, y, _RIGHT, y)
    for number, (label, value) in enumerate(strip.items()):
        x = 62 + 97 * number
        page.text(x, y + 11, label, size=7, colour=0.4)
        page.text(x, y + 25, value, size=9.5)
    page.line(58, y + 32, _RIGHT, y + 32)


def _header(page: Page, sheet: _Sheet, strip: dict[str, str], index: int, count: int) -> float:
    _logo(page, sheet)
    y = 112 + sheet.down
    page.text(58, y, f"Rechnung {strip['Rechnung Nr.']} vom {strip['Datum']}", font="Helvetica-Bold", size=9)
    page.text(_RIGHT, y, f"Seite {index + 1} von {count}", size=8, align="right")
    return y + 14


def _table_header(page: Page, sheet: _Sheet, y: float) -> float:
    page.rectangle(54, y, _RIGHT - 54, 18, fill=0.86)
    page.row(y + 12, sheet.columns, font="Helvetica-Bold", size=8)
    return y + 32


def _carried(page: Page, sheet: _Sheet, y: float, label: str, amount: Decimal) -> float:
    page.text(sheet.columns[2].x, y, label, font="Helvetica-Bold", size=8.5)
    page.text(539, y, continental(amount), font="Helvetica-Bold", size=8.5, align="right")
    return y + 17


def _line(page: Page, sheet: _Sheet, y: float, position: int, line: Line) -> None:
    qty = short(line.qty).replace(".", ",")
    texts = (
        str(position),
        line.sku,
        line.description,
        qty,
        line.uom,
        continental(line.price),
        continental(line.amount),
    )
    page.row(y, sheet.columns, texts, size=8.5)
    page.line(54, y + 5, _RIGHT, y + 5, width=0.25, colour=0.75)


def _totals(page: Page, y: float, sold: Deal) -> None:
    for label, amount in (("Summe netto", sold.net), ("zzgl. 19 % USt.", sold.tax)):
        y += 14
        page.text(390, y - 10, label, size=9)
        page.text(539, y - 10, continental(amount), size=9, align="right")
    page.rectangle(384, y - 4, _RIGHT - 384, 18, fill=0.92)
    page.text(390, y + 8, "Rechnungsbetrag EUR", font="Helvetica-Bold", size=9)
    page.text(539, y + 8, continental(sold.grand), font="Helvetica-Bold", size=9, align="right")
    terms = [
        f"Zahlbar bis {sold.day(30):%d.%m.%Y} ohne Abzug, bis {sold.day(10):%d.%m.%Y} mit 2 % Skonto.",
        "Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum.",
    ]
    page.texts(58, y + 34, terms, size=8.5)


def _footer(page: Page) -> None:
    page.line(58, 764, _RIGHT, 764, colour=0.5)
    blocks = {
        58: (NAME, "Kesselweg 22", "42103 Wuppertal", "www.hartmann-soehrig.example"),
        208: ("Geschäftsführer", "Dr. Anselm Söhrig", "Amtsgericht Wuppertal", "HRB 99417"),
        322: ("USt-IdNr.", _VAT_ID, "Steuer-Nr.", "132/9904/7718"),
        410: ("Bankverbindung", "Bergische Handelsbank", f"IBAN {_IBAN}", "BIC XBHBDE9WXXX"),
    }
    for x, texts in blocks.items():
        page.texts(x, 776, texts, size=7, leading=9.5, colour=0.3)
