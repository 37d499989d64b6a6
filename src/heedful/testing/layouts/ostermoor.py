"""Orders of a German cooperative, as an old program prints them: Courier, rules of dashes, two lines for an article.

Not where common labels lead: the number of the order is called "Beleg", the first date is when it was printed, and the
description stands below its line.
"""

from __future__ import annotations

from heedful.testing.pdf import A4, Page, Pdf
from heedful.testing.trade import Company, Deal, Family, Line, SampleDocument, continental, deal, paginate, short

NAME = "Ostermoor Landhandel eG"
_FONT, _SIZE, _LEADING = "Courier", 9.5, 12.0
_WIDTH = 84
_SELLERS = (
    Company("Brenneke-Ahlers Saaten GmbH", "Postfach 1140", "31224 Peine", "220817"),
    Company("Nordfelde Agrartechnik KG", "Deichstr. 40", "25813 Husum", "4711-02"),
)
_FAMILIES = (
    Family("0041{:0>3}", "Weidezaunlitze {} m, 6 Niro-Leiter", "200 400 500", "ROL", "21.90", "2 5 10"),
    Family("0077{:0>3}", "Ringisolator schwarz, Beutel {} Stck.", "25 100 250", "BTL", "6.45", "4 8 20"),
    Family("0120{:0>3}", "Grassamen Nachsaat, Sack {} kg", "10 25", "SCK", "47.30", "5 10 40"),
    Family("0133{:0>3}", "Tränkebecken Guss Modell {}", "115 130 221", "STK", "58.75", "1 2 6"),
    Family("0208{:0>3}", "Mineralleckmasse Rind, Eimer {} kg", "12 22 25", "EIM", "24.60", "4 12 24"),
    Family("0316{:0>3}", "Stretchfolie Silage {} mm weiß", "500 750", "ROL", "71.20", "10 20"),
    Family("0344{:0>3}", "Pressengarn {} m/kg", "130 150 400", "PCK", "33.15", "6 12 30"),
    Family("0512{:0>3}", "Stallbesen Arenga {} cm, ohne Stiel", "40 60 100", "STK", "8.90", "5 10"),
    Family("0530{:0>3}", "Futtereimer mit Sauger, {} l", "8 12", "STK", "11.40", "2 6"),
    Family("0538{:0>3}", "Mistgabel geschmiedet, {} Zinken", "4 5", "STK", "27.30", "1 3"),
    Family("0555{:0>3}", "Gummistiefel Sicherheit S5, Gr. {}", "41 42 43 44 45", "PAA", "39.95", "1 2 3"),
)


def draw(number: int) -> SampleDocument:
    ordered = deal("ostermoor", number, _FAMILIES)
    seller = _SELLERS[number % len(_SELLERS)]
    order = f"{ordered.issued:%y}/{5_122 + 29 * number}"
    pdf = Pdf(f"Bestellung {order}", NAME)
    chunks = paginate(ordered.lines, first=12, further=15, tail=2)
    position = 0
    for index, chunk in enumerate(chunks):
        texts = _heading(ordered, seller, order) if index == 0 else _further_heading(order, index + 1)
        texts += ["-" * _WIDTH, _row("Pos", "Artikel", "Menge", "ME", "Preis", "Wert EUR"), "-" * _WIDTH]
        for line in chunk:
            position += 1
            texts += _line(position, line)
        texts += ["-" * _WIDTH]
        texts += _ending(ordered) if index == len(chunks) - 1 else [f"{'Fortsetzung nächste Seite':>{_WIDTH}}"]
        _print(pdf.page(A4), texts)
    fields = {
        "order_number": order, "issue_date": ordered.issued.isoformat(),
        "delivery_date": ordered.day(12).isoformat(), "seller": seller.name, "buyer": NAME,
        "customer_number": seller.customer_number, "currency": "EUR", "net_total": ordered.totals()["net_total"],
    }  # fmt: skip
    lines = [line.values("sku", "description", "qty", "uom", "price", "amount") for line in ordered.lines]
    return SampleDocument("ostermoor", f"ostermoor-{number}.pdf", "order", pdf.content(), fields, lines)


def _heading(ordered: Deal, seller: Company, order: str) -> list[str]:
    facts = [
        f"Druck       {ordered.day(2):%d.%m.%y}  07:12",
        f"Beleg       {order}",
        f"vom         {ordered.issued:%d.%m.%y}",
        "Lieferant   70211",
        f"Unsere Nr.  {seller.customer_number}",
        "Seite       1",
    ]
    left = [*seller.address, "", "", ""]
    return [
        NAME,
        "Raiffeisenweg 1 - 26842 Ostrhauderfehn - Tel. 040 66969 417 - Fax 66969 418",
        "=" * _WIDTH,
        "",
        *(f"{party:<50}{fact}" for party, fact in zip(left, facts, strict=True)),
        "",
        "B E S T E L L U N G",
        "",
        f"Wir bestellen zur Lieferung bis {ordered.day(12):%d.%m.%y} frei Lager Ostrhauderfehn:",
        "",
    ]


def _further_heading(order: str, page: int) -> list[str]:
    return [f"{NAME:<50}Beleg       {order}", f"{'':<50}Seite       {page}", ""]


def _row(position: str, sku: str, qty: str, uom: str, price: str, amount: str) -> str:
    return f"{position:>4}  {sku:<26}{qty:>10} {uom:<6}{price:>15}{amount:>20}"


def _line(position: int, line: Line) -> list[str]:
    qty = short(line.qty).replace(".", ",")
    row = _row(str(position), line.sku, qty, line.uom, continental(line.price), continental(line.amount))
    return [row, f"{'':6}{line.description}", ""]


def _ending(ordered: Deal) -> list[str]:
    return [
        f"{'Bestellwert ohne MwSt.':<60}{'EUR':<4}{continental(ordered.net):>20}",
        "=" * _WIDTH,
        "",
        "Bitte bestätigen Sie Preise und Termin. Rechnung zweifach an obige Anschrift.",
        "",
        "i. A. Behrends, Einkauf",
    ]


def _print(page: Page, texts: list[str]) -> None:
    page.texts(58, 56, [text.rstrip() for text in texts], font=_FONT, size=_SIZE, leading=_LEADING)
