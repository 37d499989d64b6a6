"""Invoices of a British wholesaler: a header in two columns, INVOICE in large letters, striped lines.

Not where common labels lead: the first date is that of despatch, the quantity stands after the price, and the seller's
legal name is only in the footer.
"""

from __future__ import annotations

from heedful.testing.pdf import Column, Page, Pdf
from heedful.testing.trade import Company, Deal, Family, SampleDocument, deal, english, paginate, short

NAME = "Oldbarrow Provisions Limited"
_VAT_ID, _IBAN = "GB 991 4407 36", "GB38 XWFB 9901 8850 4177 36"
_GREEN = (0.12, 0.33, 0.24)
_CUSTOMERS = (
    Company("Skarrow Bay Hotel Ltd", "Marine Parade", "Whitby YO21 3PR", "SKA114"),
    Company("Thornley Schools Catering", "Unit 6, Beck Lane", "Harrogate HG1 5PX", "THO027"),
    Company("Ashdown & Pell Restaurants LLP", "88 Castle Street", "York YO1 9RN", "ASH203"),
)
_COLUMNS = (
    Column("Code", 50), Column("Description", 112), Column("Unit", 320), Column("Unit price", 412, "right"),
    Column("Qty", 452, "right"), Column("VAT %", 490, "right"), Column("Goods £", 545, "right"),
)  # fmt: skip
_FAMILIES = (
    Family("FL{}", "Strong white bread flour {} kg", "10 16 25", "sack", "9.85", "2 4 6 10"),
    Family("OL{}", "Rapeseed oil, extended life, {} l", "5 10 20", "drum", "12.40", "1 2 6 12"),
    Family("NAP{}", "Dinner napkin 2 ply {}, pack of 250", "white black red ivory", "pack", "7.15", "4 8 20"),
    Family("CUP{}", "Double wall paper cup {} oz, sleeve of 25", "8 12 16", "sleeve", "2.95", "20 40 60 100"),
    Family("TM{}", "Chopped tomatoes {} kg tin", "0.8 2.5 4.1", "tin", "1.64", "12 24 48"),
    Family("GLV{}", "Nitrile gloves {}, box of 100", "small medium large", "box", "4.60", "5 10 20"),
    Family("DT{}", "Dishwasher detergent {} l", "5 10 20", "can", "13.75", "1 2 3"),
    Family("PAN{}", "Gastronorm pan {} stainless", "1/1 1/2 1/3 1/6", "each", "11.30", "2 4 10"),
    Family("TEA{}", "Breakfast tea, {} envelopes", "250 500 1000", "case", "16.20", "1 2 4"),
)


def draw(number: int) -> SampleDocument:
    sold = deal("whitcombe", number, _FAMILIES, tax="0.20")
    buyer = _CUSTOMERS[number % len(_CUSTOMERS)]
    facts = {
        "Despatched": f"{sold.day(-3):%d/%m/%Y}",
        "Tax point": f"{sold.issued:%d/%m/%Y}",
        "Invoice no": f"SI{sold.random_.randrange(1_000, 9_999) + 10_000 * (4 + number)}",
        "Account": buyer.customer_number,
        "Your reference": f"PO-{7_031 + 19 * number}",
        "Payment due": f"{sold.day(28):%d/%m/%Y}",
    }
    pdf = Pdf(f"Invoice {facts['Invoice no']}", "Whitcombe & Farr")
    chunks = paginate(sold.lines, first=25, further=36, tail=5)
    for index, chunk in enumerate(chunks):
        page = pdf.page()
        _heading(page, f"Page {index + 1} of {len(chunks)}")
        y = _parties(page, buyer, facts) if index == 0 else 122.0
        page.rectangle(44, y, 507, 17, fill=_GREEN)
        page.row(y + 11.5, _COLUMNS, font="Helvetica-Bold", size=8, colour=1.0)
        y += 17
        for row, line in enumerate(chunk):
            if row % 2:
                page.rectangle(44, y, 507, 17, fill=0.94)
            texts = (
                line.sku,
                line.description,
                line.uom,
                english(line.price),
                short(line.qty),
                "20",
                english(line.amount),
            )
            page.row(y + 11.5, _COLUMNS, texts, size=8.5)
            y += 17
        page.line(44, y, 551, y, width=1, colour=_GREEN)
        if index == len(chunks) - 1:
            _totals(page, y, sold)
        _footer(page)
    fields = {
        "invoice_number": facts["Invoice no"], "order_number": facts["Your reference"],
        "issue_date": sold.issued.isoformat(), "due_date": sold.day(28).isoformat(),
        "delivery_date": sold.day(-3).isoformat(), "seller": NAME, "buyer": buyer.name,
        "customer_number": buyer.customer_number, "currency": "GBP", **sold.totals(),
        "vat_id": _VAT_ID.replace(" ", ""), "iban": _IBAN.replace(" ", ""),
    }  # fmt: skip
    lines = [line.values("sku", "description", "qty", "uom", "price", "amount") for line in sold.lines]
    return SampleDocument("whitcombe", f"whitcombe-{number}.pdf", "invoice", pdf.content(), fields, lines)


def _heading(page: Page, paging: str) -> None:
    page.text(44, 66, "Whitcombe & Farr", font="Times-Bold", size=25, colour=_GREEN)
    page.text(45, 82, "Catering and hospitality wholesale since 1964", font="Times-Roman", size=10, colour=0.3)
    page.text(551, 68, "INVOICE", font="Helvetica-Bold", size=30, align="right", colour=0.25)
    page.text(551, 84, paging, size=8, align="right", colour=0.4)
    page.line(44, 96, 551, 96, width=1.5, colour=_GREEN)


def _parties(page: Page, buyer: Company, facts: dict[str, str]) -> float:
    page.text(44, 122, "Invoice to", font="Helvetica-Bold", size=8, colour=_GREEN)
    page.texts(44, 137, buyer.address, size=10, leading=13)
    page.text(44, 186, "Delivered to", font="Helvetica-Bold", size=8, colour=_GREEN)
    page.texts(44, 200, [f"Goods entrance, {buyer.street}", buyer.town], size=9)
    for number, (label, value) in enumerate(facts.items()):
        y = 122 + 16 * number
        page.text(360, y, label, size=9, colour=0.35)
        page.text(
            551, y, value, size=9.5, align="right", font="Helvetica-Bold" if label == "Invoice no" else "Helvetica"
        )
        page.line(360, y + 4.5, 551, y + 4.5, width=0.25, colour=0.7)
    return 232.0


def _totals(page: Page, y: float, sold: Deal) -> None:
    for label, amount in (("Goods total", sold.net), ("VAT at 20%", sold.tax)):
        y += 17
        page.text(380, y, label, size=9.5)
        page.text(545, y, english(amount), size=9.5, align="right")
    page.rectangle(372, y + 9, 179, 24, fill=0.9)
    page.text(380, y + 25, "Amount due", font="Helvetica-Bold", size=11)
    page.text(545, y + 25, f"£{english(sold.grand)}", font="Helvetica-Bold", size=11, align="right")
    notes = [
        "Shortages must be reported within 48 hours of delivery.",
        "Please quote the invoice number with your payment.",
    ]
    page.texts(44, y - 16, notes, size=8, leading=11, colour=0.3)


def _footer(page: Page) -> None:
    page.line(44, 782, 551, 782, width=0.5, colour=_GREEN)
    texts = [
        f"Whitcombe & Farr is a trading name of {NAME}. Registered in England and Wales no. 99041773.",
        f"Registered office: 3 Tanner Row, Selby YO8 4QH   ·   Telephone 01632 960417   ·   VAT registration {_VAT_ID}",
        f"Bank: Ridings Commercial Bank   ·   Sort code 99-01-88   ·   Account 50417736   ·   IBAN {_IBAN}",
    ]
    page.texts(297.5, 793, texts, size=7, leading=9.5, align="centre", colour=0.3)
