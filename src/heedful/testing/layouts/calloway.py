"""Purchase orders of an American maker of farm equipment, on Letter paper: black titles, a date in each line.

Not where common labels lead: the box with the number of the order does not say order, a requisition number stands
beside it, and the first date is when the page was printed.
"""

from __future__ import annotations

from heedful.testing.pdf import LETTER, Column, Page, Pdf
from heedful.testing.trade import Company, Deal, Family, SampleDocument, deal, english, paginate, short

NAME = "Calloway Ridge Equipment, Inc."
_SELLERS = (
    Company("Dunmarrow Fluid Power LLC", "2210 Foundry Road", "Rockford, IL 61109", "CRE-3308"),
    Company("Wendlake Bearing & Supply Co.", "77 Commerce Drive", "Waterloo, IA 50701", "0049917"),
)
_COLUMNS = (
    Column("Ln", 44), Column("Qty", 92, "right"), Column("U/M", 100), Column("Part number", 128),
    Column("Description", 216), Column("Due", 404), Column("Unit price", 502, "right"),
    Column("Extension", 568, "right"),
)  # fmt: skip
_FAMILIES = (
    Family("HC-{}-08", "Hydraulic cylinder {} in. bore, 8 in. stroke", "2.0 2.5 3.0", "EA", "148.50", "1 2 4 6"),
    Family("HF-{}", "Hose assembly, 2-wire, {} in.", "24 36 48 60", "EA", "22.35", "4 8 12 24"),
    Family("FT-{}-JIC", "JIC fitting, straight, {}", "1/4 3/8 1/2 3/4", "EA", "3.18", "25 50 100 200"),
    Family("BR-{}", "Flange bearing, 2-bolt, {} in.", "1 1-1/4 1-1/2", "EA", "17.90", "4 8 16"),
    Family("CH-{}-10", "Roller chain #{}, 10 ft. box", "40 50 60 80", "BX", "31.75", "2 5 10"),
    Family("PM-{}", "Gear pump {} GPM, SAE A mount", "5 8 11 16", "EA", "212.00", "1 2 3"),
    Family("SL-{}", "Seal kit, cylinder {} in.", "2.0 2.5 3.0", "KT", "14.20", "2 6 12"),
    Family("PT-{}", "Enamel, implement {}, 1 gal.", "red green yellow black", "GL", "46.80", "2 4 8"),
    Family("GR-{}", "Grease, lithium EP2, {} oz. cartridge", "14 16", "CS", "58.60", "1 2 4"),
)


def draw(number: int) -> SampleDocument:
    ordered = deal("calloway", number, _FAMILIES, tax="0.0625")
    seller = _SELLERS[number % len(_SELLERS)]
    order = f"{88_214 + 43 * number}-{ordered.random_.randrange(10, 99)}"
    pdf = Pdf(f"Purchase order {order}", NAME)
    dues = [ordered.day(14 + 7 * ordered.random_.randrange(3)) for _ in ordered.lines]
    rows = list(zip(ordered.lines, dues, strict=True))
    chunks = paginate(ordered.lines, first=22, further=28, tail=5)
    position = 0
    for index, chunk in enumerate(chunks):
        page = pdf.page(LETTER)
        _heading(page, ordered, order, f"{index + 1} of {len(chunks)}")
        y = _parties(page, ordered, seller) if index == 0 else 160.0
        page.rectangle(36, y, 540, 16, fill=0.0)
        page.row(y + 11, _COLUMNS, font="Helvetica-Bold", size=8, colour=1.0)
        y += 16
        for _ in chunk:
            line, due = rows[position]
            position += 1
            texts = (
                f"{position:02}", short(line.qty), line.uom, line.sku, line.description, f"{due:%m/%d/%Y}",
                english(line.price), english(line.amount),
            )  # fmt: skip
            page.row(y + 13, _COLUMNS, texts, size=8.5)
            y += 20
            page.line(36, y, 576, y, width=0.3, colour=0.6)
        if index == len(chunks) - 1:
            _totals(page, ordered)
        page.text(306, 770, f"{NAME}  |  Show the P.O. number on all packages, packing slips and invoices.", size=7.5,
                  align="centre", colour=0.3)  # fmt: skip
    fields = {
        "order_number": order, "issue_date": ordered.issued.isoformat(), "delivery_date": ordered.day(28).isoformat(),
        "seller": seller.name, "buyer": NAME, "customer_number": seller.customer_number, "currency": "USD",
        **ordered.totals(),
    }  # fmt: skip
    lines = [
        {**line.values("sku", "description", "qty", "uom", "price", "amount"), "date": due.isoformat()}
        for line, due in rows
    ]
    return SampleDocument("calloway", f"calloway-{number}.pdf", "order", pdf.content(), fields, lines)


def _heading(page: Page, ordered: Deal, order: str, paging: str) -> None:
    page.polygon([(36, 76), (58, 36), (80, 76)], fill=0.15)
    page.polygon([(64, 76), (80, 50), (96, 76)], fill=0.5)
    page.text(104, 54, NAME, font="Helvetica-Bold", size=14)
    page.texts(104, 66, ["4100 County Highway 12, Decorah, IA 52101", "Phone (563) 555-0142"], size=8.5, leading=11)
    page.text(576, 56, "PURCHASE ORDER", font="Helvetica-Bold", size=20, align="right")
    page.text(576, 70, f"Printed {ordered.day(1):%m/%d/%Y}", size=7.5, align="right", colour=0.35)
    facts = (("REQUISITION", f"R{20_400 + 3 * ordered.number}"), ("NUMBER", order),
             ("DATE", f"{ordered.issued:%m/%d/%Y}"), ("PAGE", paging))  # fmt: skip
    page.rectangle(276, 92, 300, 40, border=0.8)
    page.rectangle(276, 92, 300, 15, fill=0.88, border=0.8)
    for column, (label, value) in enumerate(facts):
        page.text(313.5 + 75 * column, 103, label, font="Helvetica-Bold", size=7.5, align="centre")
        font = "Helvetica-Bold" if label == "NUMBER" else "Helvetica"
        page.text(313.5 + 75 * column, 124, value, font=font, size=10, align="centre")
        if column:
            page.line(276 + 75 * column, 92, 276 + 75 * column, 132, width=0.8)


def _parties(page: Page, ordered: Deal, seller: Company) -> float:
    boxes = {
        "VENDOR": seller.address,
        "SHIP TO": [NAME, "Receiving, Dock 3", "4100 County Highway 12", "Decorah, IA 52101"],
        "BILL TO": ["Accounts Payable", "P.O. Box 917", "Decorah, IA 52101", "ap@callowayridge.example"],
    }
    for number, (title, texts) in enumerate(boxes.items()):
        x = 36 + 183 * number
        page.rectangle(x, 150, 174, 84, border=0.8)
        page.rectangle(x, 150, 174, 15, fill=0.0)
        page.text(x + 6, 160.5, title, font="Helvetica-Bold", size=8, colour=1.0)
        page.texts(x + 6, 179, texts, size=9)
    terms = (("ACCOUNT NO.", seller.customer_number), ("TERMS", "Net 45"), ("SHIP VIA", "Best way"),
             ("F.O.B.", "Destination"), ("REQUIRED BY", f"{ordered.day(28):%m/%d/%Y}"))  # fmt: skip
    page.rectangle(36, 248, 540, 34, border=0.8)
    page.rectangle(36, 248, 540, 14, fill=0.88, border=0.8)
    for column, (label, value) in enumerate(terms):
        page.text(90 + 108 * column, 258, label, font="Helvetica-Bold", size=7.5, align="centre")
        page.text(90 + 108 * column, 275, value, size=9, align="centre")
        if column:
            page.line(36 + 108 * column, 248, 36 + 108 * column, 282, width=0.8)
    return 298.0


def _totals(page: Page, ordered: Deal) -> None:
    rows = (("Subtotal", ordered.net), ("Tax 6.25%", ordered.tax), ("TOTAL USD", ordered.grand))
    for number, (label, amount) in enumerate(rows):
        y = 655 + 18 * number
        page.rectangle(396, y, 180, 18, border=0.6, fill=0.88 if number == 2 else 1.0)
        font = "Helvetica-Bold" if number == 2 else "Helvetica"
        page.text(404, y + 12.5, label, font=font, size=9.5)
        page.text(568, y + 12.5, f"${english(amount)}" if number == 2 else english(amount), font=font, size=9.5,
                  align="right")  # fmt: skip
    notes = ["1. Acknowledge this order within two business days.", "2. No substitutions without written approval.",
             "3. Ship complete unless a line says otherwise."]  # fmt: skip
    page.texts(36, 666, notes, size=8.5, leading=12)
    page.line(36, 738, 220, 738)
    page.text(36, 748, "Authorized signature", size=7.5, colour=0.3)
    page.line(240, 738, 340, 738)
    page.text(240, 748, "Date", size=7.5, colour=0.3)
