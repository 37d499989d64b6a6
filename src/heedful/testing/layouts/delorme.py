"""Invoices of a French weaver of furnishing fabrics: Times, a centred heading, a table with all its lines.

Not where common labels lead: the date of issue is in words beside the town, and "Net à payer" is the total with taxes.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from heedful.testing.pdf import Column, Page, Pdf
from heedful.testing.trade import Company, Deal, Family, SampleDocument, continental, deal, paginate

NAME = "Delorme-Vasquier SAS"
_VAT_ID, _IBAN = "FR 94 990417733", "FR03 9999 1040 1700 0821 3364 521"
_RED = (0.45, 0.1, 0.15)
_MONTHS = (
    "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
    "décembre",
)  # fmt: skip
_CUSTOMERS = (
    Company("Atelier Courtebois", "17, rue des Tanneurs", "37000 Tours", "C00418"),
    Company("Hôtellerie du Val d’Orsonne SARL", "4, place de l’Église", "71240 Sennecey-le-Grand", "C01172"),
    Company("Maison Tessandier & Fils", "205, avenue Foch", "54000 Nancy", "C00093"),
)
_COLUMNS = (
    Column("Référence", 56), Column("Désignation", 134), Column("Qté", 352, "right"), Column("Unité", 364),
    Column("P.U. HT", 452, "right"), Column("Montant HT", 535, "right"),
)  # fmt: skip
_EDGES = (50.0, 128.0, 312.0, 358.0, 396.0, 458.0, 541.0)
_FAMILIES = (
    Family("VEL-{}", "Velours de coton, coloris {}", "ivoire tilleul sauge cobalt grenat", "m", "38.50", "2.5 6 12.5"),
    Family("LIN-{}", "Lin lavé grande largeur, {}", "naturel gris craie", "m", "24.90", "4 8.5 15 30"),
    Family("JAC-{}", "Jacquard « Orsonne » {}", "or bleu vert prune", "m", "61.20", "3 5.5 10"),
    Family("GAL-{}", "Galon tressé {} mm", "8 12 18 25", "m", "3.15", "20 50 75"),
    Family("EMB-{}", "Embrasse à pompon {}", "ivoire grenat cobalt", "pièce", "19.80", "2 4 8"),
    Family("TRI-{}", "Tringle laiton Ø 28, longueur {} cm", "120 160 200 240", "pièce", "27.00", "1 2 6"),
    Family("DOU-{}", "Doublure occultante {} cm", "140 280 300", "m", "9.75", "10 22.5 40"),
)  # fmt: skip


def draw(number: int) -> SampleDocument:
    sold = deal("delorme", number, _FAMILIES, tax="0.20")
    buyer = _CUSTOMERS[number % len(_CUSTOMERS)]
    invoice, order = f"FA{sold.issued:%y%m}-{218 + 7 * number:04}", f"{sold.issued.year}/{640 + 11 * number}"
    pdf = Pdf(f"Facture {invoice}", NAME)
    chunks = paginate(sold.lines, first=24, further=35, tail=5)
    for index, chunk in enumerate(chunks):
        page = pdf.page()
        _heading(page)
        if index == 0:
            y = _parties(page, buyer, sold, invoice, order)
        else:
            page.text(50, 132, f"Facture {invoice} (suite)", font="Times-Bold", size=10)
            y = 142.0
        bottom = _table(page, y, len(chunk))
        for row, line in enumerate(chunk):
            texts = (
                line.sku, line.description, _french(line.qty), line.uom, _french(line.price), _french(line.amount),
            )  # fmt: skip
            page.row(y + 33 + 17 * row, _COLUMNS, texts, font="Times-Roman", size=9.5)
        if index == len(chunks) - 1:
            _totals(page, bottom, sold)
        _footer(page, f"{index + 1}/{len(chunks)}")
    fields = {
        "invoice_number": invoice, "order_number": order, "issue_date": sold.issued.isoformat(),
        "due_date": sold.day(45).isoformat(), "delivery_date": sold.day(-6).isoformat(), "seller": NAME,
        "buyer": buyer.name, "customer_number": buyer.customer_number, "currency": "EUR", **sold.totals(),
        "vat_id": _VAT_ID.replace(" ", ""), "iban": _IBAN.replace(" ", ""),
    }  # fmt: skip
    lines = [line.values("sku", "description", "qty", "uom", "price", "amount") for line in sold.lines]
    return SampleDocument("delorme", f"delorme-{number}.pdf", "invoice", pdf.content(), fields, lines)


def _french(value: Decimal) -> str:
    return continental(value, group="\xa0")


def _heading(page: Page) -> None:
    page.text(297.5, 58, NAME, font="Times-Bold", size=24, align="centre", colour=_RED)
    page.text(297.5, 75, "Tissus d’ameublement et passementerie", font="Times-Roman", size=11, align="centre")
    address = "12, quai des Mariniers – 69009 Lyon – Tél. 01 99 00 41 77 – ventes@delorme-vasquier.example"
    page.text(297.5, 89, address, font="Times-Roman", size=8.5, align="centre", colour=0.3)
    page.line(50, 99, 541, 99, width=1.2, colour=_RED)
    page.line(50, 102, 541, 102, width=0.4, colour=_RED)


def _parties(page: Page, buyer: Company, sold: Deal, invoice: str, order: str) -> float:
    page.rectangle(50, 122, 218, 96, fill=0.96, border=0.5)
    page.text(60, 140, f"FACTURE N° {invoice}", font="Times-Bold", size=12, colour=_RED)
    facts = [
        f"Code client : {buyer.customer_number}",
        f"Votre commande : {order}",
        f"Date de livraison : {sold.day(-6):%d/%m/%Y}",
        f"Date d’échéance : {sold.day(45):%d/%m/%Y}",
    ]
    page.texts(60, 158, facts, font="Times-Roman", size=10, leading=15)
    page.texts(326, 140, buyer.address, font="Times-Roman", size=11, leading=15)
    page.text(326, 212, f"Lyon, le {_in_words(sold.issued)}", font="Times-Roman", size=10.5)
    return 240.0


def _in_words(day: date) -> str:
    return f"{'1er' if day.day == 1 else day.day} {_MONTHS[day.month - 1]} {day.year}"


def _table(page: Page, y: float, count: int) -> float:
    bottom = y + 20 + 17 * count + 4
    page.rectangle(50, y, 491, 20, fill=0.9)
    page.row(y + 13, _COLUMNS, font="Times-Bold", size=9.5)
    for edge in _EDGES:
        page.line(edge, y, edge, bottom, width=0.6)
    for height in (y, y + 20, bottom):
        page.line(50, height, 541, height, width=0.6)
    return bottom


def _totals(page: Page, y: float, sold: Deal) -> None:
    for label, amount in (("Total HT", sold.net), ("TVA 20 %", sold.tax)):
        page.text(364, y + 15, label, font="Times-Roman", size=10)
        page.text(535, y + 15, f"{_french(amount)} €", font="Times-Roman", size=10, align="right")
        page.rectangle(358, y, 183, 20, border=0.6)
        y += 20
    page.rectangle(358, y, 183, 22, fill=0.9, border=0.6)
    page.text(364, y + 15, "NET À PAYER", font="Times-Bold", size=11)
    page.text(535, y + 15, f"{_french(sold.grand)} €", font="Times-Bold", size=11, align="right")
    terms = [
        "Règlement par virement à 45 jours. Pas d’escompte pour paiement anticipé.",
        "Pénalités de retard : trois fois le taux d’intérêt légal.",
        "Indemnité forfaitaire pour frais de recouvrement : 40 €.",
    ]
    page.texts(50, y - 26, terms, font="Times-Roman", size=8.5, colour=0.2)


def _footer(page: Page, paging: str) -> None:
    page.line(50, 786, 541, 786, width=0.4, colour=_RED)
    texts = [
        f"{NAME} au capital de 120 000 € – RCS Lyon 990 417 733 – N° TVA intracommunautaire {_VAT_ID}",
        f"Banque Rhodanienne du Commerce – IBAN {_IBAN} – page {paging}",
    ]
    page.texts(297.5, 798, texts, font="Times-Roman", size=8, leading=10, align="centre", colour=0.25)
