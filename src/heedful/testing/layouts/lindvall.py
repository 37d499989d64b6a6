"""Invoices of a Swedish engineering office, in English: all facts in a grey column, services without numbers.

Not where common labels lead: the net total is printed much larger than the total to pay, a small line below it.
"""

from __future__ import annotations

from textwrap import wrap

from heedful.testing.pdf import Column, Page, Pdf
from heedful.testing.trade import Company, Deal, Family, SampleDocument, deal, english, paginate, short

NAME = "Lindvall & Roos Ingenjörsbyrå AB"
_VAT_ID, _IBAN = "SE999041773301", "SE07 9990 0000 0584 1017 7366"
_INK = (0.16, 0.2, 0.26)
_CUSTOMERS = (
    Company("Havsbro Terminal AB", "Kajgatan 9", "SE-252 67 Helsingborg", "HAVSBRO"),
    Company("Kvarnhede Paper Oy", "Tehtaankatu 3", "FI-37600 Valkeakoski", "KVARNHEDE"),
    Company("Tvedholm Maskinværk A/S", "Industrivej 41", "DK-7100 Vejle", "TVEDHOLM"),
)
_COLUMNS = (
    Column("Service", 206), Column("Quantity", 424, "right"), Column("Unit", 432), Column("Rate", 500, "right"),
    Column("Amount", 559, "right"),
)  # fmt: skip
_FAMILIES = (
    Family("{}", "Structural calculation of the {} hall", "east west north loading", "h", "118.00", "6 12.5 24 38"),
    Family("{}", "Site visit and measurements, {}", "dock crane roof", "day", "940.00", "1 1.5 2"),
    Family("{}", "Drawings of the steel structure, revision {}", "A B C D", "h", "96.00", "8 15.5 32"),
    Family("{}", "Travel expenses to {} according to receipts", "Gothenburg Tampere Vejle", "lump", "312.00", "1"),
    Family("{}", "Fatigue assessment of crane runway {}", "1 2 3", "pcs", "1450.00", "1 2"),
)


def draw(number: int) -> SampleDocument:
    sold = deal("lindvall", number, _FAMILIES, tax="0.25", most_lines=13)
    buyer = _CUSTOMERS[number % len(_CUSTOMERS)]
    facts = {
        "Invoice": f"{sold.issued.year}{301 + 3 * number}",
        "Invoice date": sold.issued.isoformat(),
        "Due date": sold.day(30).isoformat(),
        "Your order": f"{buyer.customer_number[:3]}-{90_417 + 61 * number}",
        "Our reference": "Signe Roos",
        "VAT no.": _VAT_ID,
        "BIC": "XNHBSE9G",
        "IBAN": _IBAN,
    }
    pdf = Pdf(f"Invoice {facts['Invoice']}", NAME)
    chunks = paginate(sold.lines, first=11, further=17, tail=0)
    for index, chunk in enumerate(chunks):
        page = pdf.page()
        _side(page, facts, f"{index + 1} / {len(chunks)}")
        y = _opening(page, buyer, sold) if index == 0 else 96.0
        page.row(y, _COLUMNS, size=8, colour=0.45)
        page.line(206, y + 6, 559, y + 6, width=0.8, colour=_INK)
        y += 24
        for line in chunk:
            qty, price, amount = short(line.qty), english(line.price), english(line.amount)
            page.texts(206, y, wrap(line.description, 40), size=9)
            page.row(y, _COLUMNS, ("", qty, line.uom, price, amount), size=9)
            y += 36
            page.line(206, y - 16, 559, y - 16, width=0.3, colour=0.75)
    fields = {
        "invoice_number": facts["Invoice"], "order_number": facts["Your order"], "issue_date": facts["Invoice date"],
        "due_date": facts["Due date"], "seller": NAME, "buyer": buyer.name, "currency": "EUR", **sold.totals(),
        "vat_id": _VAT_ID, "iban": _IBAN.replace(" ", ""),
    }  # fmt: skip
    lines = [line.values("description", "qty", "uom", "price", "amount") for line in sold.lines]
    return SampleDocument("lindvall", f"lindvall-{number}.pdf", "invoice", pdf.content(), fields, lines)


def _side(page: Page, facts: dict[str, str], paging: str) -> None:
    page.rectangle(0, 0, 178, page.height, fill=0.93)
    page.rectangle(36, 48, 30, 30, fill=_INK)
    page.text(51, 69, "LR", font="Helvetica-Bold", size=15, align="centre", colour=1.0)
    page.texts(
        36, 104, ["Lindvall & Roos", "Ingenjörsbyrå AB"], font="Helvetica-Bold", size=12, leading=15, colour=_INK
    )
    page.texts(36, 136, ["Varvsgatan 5", "SE-211 19 Malmö", "faktura@lindvallroos.example"], size=8, leading=11)
    for number, (label, value) in enumerate(facts.items()):
        page.text(36, 204 + 38 * number, label, size=7.5, colour=0.45)
        page.texts(36, 217 + 38 * number, wrap(value, 19), size=9.5, leading=11, colour=_INK)
    page.text(36, 806, paging, size=8, colour=0.45)


def _opening(page: Page, buyer: Company, sold: Deal) -> float:
    page.text(206, 72, "Invoice", size=26, colour=_INK)
    page.texts(206, 104, buyer.address, size=10, leading=14)
    page.text(206, 182, "Net total", size=8, colour=0.45)
    page.text(206, 212, f"EUR {english(sold.net)}", font="Helvetica-Bold", size=28, colour=_INK)
    small = (("VAT 25 %", english(sold.tax)), ("To pay, VAT included", english(sold.grand)))
    for number, (label, amount) in enumerate(small):
        page.text(206, 234 + 14 * number, label, size=8.5)
        page.text(360, 234 + 14 * number, amount, size=8.5, align="right")
    page.text(206, 274, "Payment by bank transfer. Interest on late payment according to law.", size=8, colour=0.45)
    return 306.0
