"""Orders of a Dutch builder of greenhouses: a coloured band, facts with colons, its own article numbers in the lines.

Not where common labels lead: "Leverancier-nr." is the number of the seller, not of the customer or an article, a column
"Uw ref." has other article numbers, and the quantity is called "Besteld".
"""

from __future__ import annotations

from heedful.testing.pdf import Column, Page, Pdf
from heedful.testing.trade import Company, Deal, Family, SampleDocument, continental, deal, paginate, short

NAME = "Veldkamp Oostrik Kassenbouw B.V."
_VAT_ID = "NL999041773B01"
_ORANGE = (0.85, 0.42, 0.1)
_SELLERS = (
    Company("Hartmann Söhrig Maschinenteile GmbH", "Kesselweg 22", "DE-42103 Wuppertal", "13470"),
    Company("Moerdijk Aandrijvingen B.V.", "Havenweg 118", "4761 RA Zevenbergen", "D-2204"),
)
_COLUMNS = (
    Column("Regel", 40), Column("Artikel", 74), Column("Uw ref.", 132), Column("Omschrijving", 196),
    Column("Besteld", 392, "right"), Column("Eenh.", 400), Column("Leverdatum", 434), Column("Prijs", 512, "right"),
    Column("Bedrag", 555, "right"),
)  # fmt: skip
_FAMILIES = (
    Family("10{}", "Kogellager {}-2RS1", "6203 6204 6205 6305", "st", "5.10", "10 20 40"),
    Family("204{}", "Aandrijfas verzinkt Ø{} mm, 6 m", "25 32 40", "st", "64.80", "2 4 8"),
    Family("311{}", "Tandheugel module {} voor raamopening", "3 4 5", "m", "18.25", "6 12 24"),
    Family("32{}", "Motorreductor {} W, 400 V", "250 370 550", "st", "298.00", "1 2"),
    Family("451{}", "Kabelwartel M{} messing", "16 20 25 32", "st", "1.45", "25 50 100"),
    Family("47{}", "Stuurkabel afgeschermd, rol {} m", "100 250 500", "rol", "118.00", "1 2 3"),
    Family("508{}", "Klembeugel RVS {} mm", "25 32 40 50", "st", "3.60", "20 40 80"),
    Family("61{}", "Rollenketting {}, 5 m", "081 101 121", "doos", "47.30", "1 2 4"),
)


def draw(number: int) -> SampleDocument:
    ordered = deal("veldkamp", number, _FAMILIES)
    seller = _SELLERS[number % len(_SELLERS)]
    order = f"IO{ordered.issued:%y}{3_310 + 17 * number:05}"
    pdf = Pdf(f"Bestelling {order}", NAME)
    rows = [
        (line, ordered.day(10 + ordered.random_.randrange(12)), f"{int(line.sku) * 7_919 % 10**7:07}")
        for line in ordered.lines
    ]
    chunks = paginate(ordered.lines, first=24, further=32, tail=5)
    position = 0
    for index, chunk in enumerate(chunks):
        page = pdf.page()
        _band(page, f"blad {index + 1} / {len(chunks)}")
        y = _facts(page, ordered, seller, order) if index == 0 else 100.0
        page.line(36, y, 559, y, width=1.2, colour=_ORANGE)
        page.row(y + 13, _COLUMNS, font="Helvetica-Bold", size=8)
        page.line(36, y + 19, 559, y + 19, width=0.5, colour=_ORANGE)
        y += 33
        for _ in chunk:
            line, day, reference = rows[position]
            position += 1
            texts = (
                str(10 * position), line.sku, reference, line.description, short(line.qty).replace(".", ","), line.uom,
                f"{day:%d-%m-%y}", continental(line.price), continental(line.amount),
            )  # fmt: skip
            page.row(y, _COLUMNS, texts, size=8)
            y += 18
        page.line(36, y - 8, 559, y - 8, width=0.5, colour=_ORANGE)
        if index == len(chunks) - 1:
            _ending(page, y, ordered)
        _footer(page)
    fields = {
        "order_number": order, "issue_date": ordered.issued.isoformat(), "seller": seller.name, "buyer": NAME,
        "customer_number": seller.customer_number, "currency": "EUR", "net_total": ordered.totals()["net_total"],
        "vat_id": _VAT_ID,
    }  # fmt: skip
    lines = [
        {**line.values("sku", "description", "qty", "uom", "price", "amount"), "date": day.isoformat()}
        for line, day, _ in rows
    ]
    return SampleDocument("veldkamp", f"veldkamp-{number}.pdf", "order", pdf.content(), fields, lines)


def _band(page: Page, paging: str) -> None:
    page.rectangle(0, 0, page.width, 58, fill=_ORANGE)
    page.text(36, 37, "VELDKAMP", font="Helvetica-Bold", size=24, colour=1.0)
    page.text(182, 37, "oostrik kassenbouw", size=24, colour=1.0)
    page.text(559, 30, "BESTELLING", font="Helvetica-Bold", size=14, align="right", colour=1.0)
    page.text(559, 45, paging, size=8, align="right", colour=1.0)


def _facts(page: Page, ordered: Deal, seller: Company, order: str) -> float:
    page.text(36, 84, "Aan", size=8, colour=0.4)
    page.texts(36, 98, [*seller.address, "t.a.v. afdeling verkoop"], size=10, leading=14)
    facts = {
        "Leverancier-nr.": f"{70_418 + len(seller.name)}",
        "Ordernummer": order,
        "Besteldatum": f"{ordered.issued:%d-%m-%Y}",
        "Ons debiteurnr. bij u": seller.customer_number,
        "Inkoper": "M. Terpstra, 020 2601 417",
    }
    for number, (label, value) in enumerate(facts.items()):
        page.text(330, 84 + 14 * number, label, size=9)
        page.text(432, 84 + 14 * number, ":", size=9)
        page.text(440, 84 + 14 * number, value, size=9)
    page.text(36, 176, "Afleveradres", font="Helvetica-Bold", size=9)
    page.text(110, 176, f"{NAME}, magazijn hal 2, Glasweg 31, 2685 KD Poeldijk", size=9)
    page.text(36, 190, "Levering", font="Helvetica-Bold", size=9)
    page.text(110, 190, "Franco, op werkdagen van 7.00 tot 15.30 uur", size=9)
    return 210.0


def _ending(page: Page, y: float, ordered: Deal) -> None:
    page.text(400, y + 8, "Totaal excl. btw", font="Helvetica-Bold", size=9.5)
    page.text(555, y + 8, f"€ {continental(ordered.net)}", font="Helvetica-Bold", size=9.5, align="right")
    texts = [
        "Gaarne per omgaande een orderbevestiging aan inkoop@veldkamp-kassen.example.",
        "Vermeld ons ordernummer op pakbon en factuur.",
    ]
    page.texts(36, y + 30, texts, size=8.5)


def _footer(page: Page) -> None:
    texts = [
        f"{NAME}  ·  Glasweg 31  ·  2685 KD Poeldijk  ·  KvK 99041773  ·  Btw-nr. {_VAT_ID}",
        "Op al onze bestellingen zijn onze inkoopvoorwaarden van toepassing.",
    ]
    page.line(36, 800, 559, 800, width=1.2, colour=_ORANGE)
    page.texts(36, 811, texts, size=7, leading=9, colour=0.35)
