"""Who sent a document: names and addresses, numbers of taxes, banks and registers, domains, the edges of its page.

Documents name two parties. The one they are sent to, who buys on invoices and sells on orders, is the same on most
documents of an organisation. So what stands in a block with such a label is kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from heedful.learnings.documents.segments import Segment, fold, fold_all, has_digit

_TOP, _BOTTOM = 0.1, 0.9  # of the page: letterhead and footer
_TOP_ROWS = 3  # are the letterhead wherever they stand
_NAME_WORDS = 5  # before a legal form
_BLOCK_ROWS = 6  # below the label of a party
_BLOCK_GAP = 2.5  # heights of a row; a wider space ends a block
_ADDRESS_ROWS = 3  # above the town
_ADDRESS_GAP = 1.2  # heights of a row
_ADDRESS_WORDS = 7  # in a row; there are more in a sentence
_ALIGNED = 0.015  # of the width of the page, within which the rows of a block begin
_NEAR = 40  # segments before and after that can be of the same block
_LABEL_WORDS = 4

# Lists of words are short on purpose: what they miss is recognised by the rest.
_FORMS = """
GmbH mbH AG KG KGaA OHG UG GbR e.K. e.V. eG SE a.G. Ltd Limited Inc LLC LLP PLC Corp Corporation Co. SA SAS SASU SARL
EURL SNC SpA SRL SRLS SL SLU SAU BV NV VOF BVBA Oy Oyj AB AS ASA ApS A/S HB Kft Zrt Bt s.r.o. a.s. z.o.o. d.o.o. EOOD
OOD Lda Ltda S/A Pty Pte Bhd Pvt ООО ЗАО ОАО ПАО ТОВ 株式会社 有限会社 有限公司 주식회사 בע״מ
"""
_LEGAL_FORMS = frozenset(map(fold, _FORMS.split()))
_LONG_FORMS = tuple(sorted(form for form in _LEGAL_FORMS if len(form) > 3 or not form.isascii()))
"""These are recognised at the end of a word, too: spaces can be missing."""

_BUYER = re.compile(
    r"(?:bill(?:ed)?|ship(?:ped)?|sold|deliver(?:ed)?|invoiced?|issued)[ -]{1,2}to\b|(?:customer|client|buyer|purchaser"
    r"|recipient|consignee|kunde|käufer|auftraggeber|empfänger|(?:rechnungs|liefer)(?:adr|ansch|empf)|(?:waren|leistungs)empf"
    r"|destinat|acheteur|adresse de (?:fact|livr)|(?:factur|livr|adress)ée? à|cliente|comprador|(?:facturar|enviar) a\b"
    r"|acquirente|committente|spett|klant|afnemer|(?:factuur|aflever)adr|kund\b|köpare|mottagare|(?:faktura|leverans)adr"
    r"|køber|modtager|mottaker|asiakas|ostaja|laskutusosoite|nabywca|odbiorca|odběratel|kupující|vevő|cumpărător|kupac"
    r"|müşteri|alıcı|покупатель|заказчик|получатель|お客様|御中|客户|客戶|买方|買方|购买方)",
    re.IGNORECASE,
)
_SELLER = re.compile(
    r"(?:to|an|à)\s{0,2}:|(?:supplier|vendor|seller|lieferant\b|lieferant:|verkäufer|auftragnehmer|fournisseur|vendeur"
    r"|proveedor|vendedor|fornitore|venditore|leverancier|verkoper|leverantör|leverandør|säljare|toimittaja|myyjä"
    r"|dostawca|sprzedawca|dodavatel|szállító|furnizor|fornecedor|tedarikçi|поставщик|продавец|仕入先|供应商|供應商)",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\W{0,3}(?:purchase[ -]order|order|bestellung|bestellauftrag|(?:bon de )?commande|pedido|orden de compra|ordine"
    r"|bestelling|inköpsorder|beställning|indkøbsordre|bestilling|ostotilaus|tilaus|zamówienie|objednávka|megrendelés"
    r"|comandă|sipariş|заказ|注文書|发注|采购订单|採購)",
    re.IGNORECASE,
)
_INVOICE = re.compile(
    r"invoice|rechnung|factur|fattura|faktur|lasku\b|fatura|számla|račun|credit|gutschrift|счет|счёт|請求|发票|發票",
    re.IGNORECASE,
)

_TOWN = re.compile(r"(?:[A-Z]{1,2}-?)?[0-9]{4,6}[^\W\d_]{3}")
_TOWN_BEFORE = re.compile(
    r"[^\W\d_]{3},?[A-Z]{2}[0-9]{5}(?:-[0-9]{4})?$|[A-Z]{1,2}[0-9][0-9A-Z]?[0-9][A-Z]{2}(?:,|$|[A-Z][a-z])"
)
"""The postal code after the town, as in the United States, and in the United Kingdom."""
_TOWN_WORDS = 5

_NUMBER_LABEL = re.compile(
    r"(?:tel|fon|phone|fax|mob|hr[ab]?$|rcs|sire[nt]|kvk|abn|acn|ein$|nif|cif|nie$|cui|nip|regon|krs|i[cč]o$|di[cč]$|p?iva"
    r"|vat|ust|uid|tva|btw|mwst|moms|mva|gst|pan$|cin$|tin$|cnpj|org|crn|gln|duns|steuer|handelsreg|regist|reg$|tax|bic"
    r"|swift|iban|blz|konto|account|sort|creditor|gläubiger|eori|weee|инн|кпп|огрн|登録番号|統一編號)",
    re.IGNORECASE,
)
"""Before a number that is the same on every document of a sender."""
_VAT = "AT BE BG CH CY CZ DE DK EE EL ES FI FR GB HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK"
_COUNTRIES = frozenset(_VAT.split())
_IBAN = re.compile(r"[A-Z]{2}[0-9OIlSB]{2}[0-9A-Za-z]{11,30}$")
_DOMAIN = re.compile(r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}$")
_DOMAINS = """
com org net info biz eu io co de at ch fr es it nl be lu uk ie dk se no fi pl cz sk hu ro bg gr pt br mx ar us ca au nz
in cn jp kr tr ru ua si hr rs lt lv ee is il ae sg hk za shop online cloud app dev ai tech example
"""
_TOP_LEVEL = frozenset(map(fold, _DOMAINS.split()))
_SECOND_LEVEL = frozenset(map(fold, ("co", "com", "org", "net", "ac", "gov", "or", "ne")))
_MAILERS = frozenset(
    map(fold, ("gmail", "googlemail", "gmx", "web", "hotmail", "outlook", "yahoo", "icloud", "t-online"))
)


class Marks(NamedTuple):
    """What tells who sent a document, folded."""

    numbers: set[str]
    """Numbers of taxes, banks, registers and telephones; domains."""
    names: set[str]
    """Names and lines of addresses."""
    edges: set[str]
    """What is written at the top and the bottom of the first page."""
    recipient: set[str]
    """Numbers, names and addresses of the party the document is sent to, as far as it is labelled."""
    parties: set[int]
    """Which segments of the first page are lines of addresses, or the recipient's."""


def marks(pages: Sequence[Sequence[Segment]]) -> Marks:
    found = Marks(set(), set(), set(), set(), set())
    labels = _SELLER if pages and _is_order(pages[0]) else _BUYER
    for number, page in enumerate(pages):
        recipients, addresses = _blocks(page, labels), set(_addresses(page))
        if number == 0:
            found.parties.update(recipients | addresses)
        for place, segment in enumerate(page):
            sent_to = place in recipients
            (found.recipient if sent_to else found.numbers).update(_numbers(segment.words))
            names = found.recipient if sent_to else found.names
            names.update(_names(segment.words))
            if place in addresses:
                names.add(fold_all(segment.words))
            elif number == 0 and not sent_to and _is_edge(segment):
                found.edges.update(_edge(segment.words))
    return found


def _is_order(page: Sequence[Segment]) -> bool:
    """Its title, the tallest of the segments that speak of an order or an invoice, is that of an order."""
    titles = [(round(segment.height, 3), -segment.row, segment.text) for segment in page]
    found = [title for title in titles if _ORDER.match(title[2]) or _INVOICE.search(title[2])]
    return bool(found) and not _INVOICE.search(max(found)[2])


def _blocks(page: Sequence[Segment], labels: re.Pattern[str]) -> set[int]:
    """Such labels, and the segments beside and below them."""
    found: set[int] = set()
    for place, segment in enumerate(page):
        text = segment.text.lstrip("•-–*#( ")
        if (len(segment.words) <= _LABEL_WORDS or ":" in text) and labels.match(text):
            found.add(place)
            found.update(_block(page, place))
    return found


def _block(page: Sequence[Segment], label: int) -> Iterator[int]:
    """Below a label, rows begin where it begins, or where the text beside it does."""
    last, count, starts = page[label], 0, [page[label].x0]
    for place in range(label + 1, min(len(page), label + _NEAR)):
        segment = page[place]
        if segment.row == page[label].row:
            if len(starts) == 1:
                starts.append(segment.x0)
                yield place
        elif any(abs(segment.x0 - start) <= _ALIGNED for start in starts):
            if segment.row != last.row:
                count += 1
            if count > _BLOCK_ROWS or segment.y0 - last.y1 > _BLOCK_GAP * segment.height:
                return
            last = segment
            yield place


def _addresses(page: Sequence[Segment]) -> Iterator[int]:
    """Towns with their postal code, and the rows above them: streets and names."""
    for place, town in enumerate(page):
        if _is_town(town.words):
            yield place
            yield from islice(_above(page, place), _ADDRESS_ROWS)


def _above(page: Sequence[Segment], town: int) -> Iterator[int]:
    last = page[town]
    for place in range(town - 1, max(-1, town - _NEAR), -1):
        segment = page[place]
        if segment.row == last.row or abs(segment.x0 - last.x0) > _ALIGNED:
            continue
        far = last.y0 - segment.y1 > _ADDRESS_GAP * last.height
        if far or len(segment.words) > _ADDRESS_WORDS or any(":" in word for word in segment.words):
            return
        last = segment
        yield place


def _is_town(words: Sequence[str]) -> bool:
    if len(words) > _TOWN_WORDS:
        return False
    text = "".join(words)
    return bool(has_digit(text) and (_TOWN.match(text) or _TOWN_BEFORE.search(text)))


def _names(words: Sequence[str]) -> Iterator[str]:
    """Companies: the words before a legal form."""
    for place, word in enumerate(words):
        folded = fold(word)
        if place and folded in _LEGAL_FORMS and (not word[0].islower() or "." in word):
            name = fold_all(words[max(0, place - _NAME_WORDS) : place])
        elif len(folded) > 7 and folded.endswith(_LONG_FORMS):
            name = fold_all(words[max(0, place - 2) : place + 1])
        else:
            continue
        if len(name) > 1 and not name.isdigit():
            yield name


def _is_edge(segment: Segment) -> bool:
    return segment.y1 < _TOP or segment.y0 > _BOTTOM or segment.row < _TOP_ROWS


def _edge(words: Sequence[str]) -> Iterator[str]:
    """Without the words that have digits: numbers, dates, pages."""
    kept = [word for word in words if not has_digit(word)]
    text = fold_all(kept)
    if 2 * len(kept) >= len(words) and len(text) > 3:
        yield text


def _numbers(words: Sequence[str]) -> Iterator[str]:
    for place, word in enumerate(words):
        if "." in word and (domain := _domain(word.lower())):
            yield domain
        elif has_digit(word) and (number := _number(words, place)):
            yield number


def _domain(word: str) -> str:
    """Of an address of mail or web, folded; `shop.example.co.uk` is `example.co.uk`."""
    host = word.rpartition("@")[2].rpartition("//")[2].partition("/")[0].strip(".,;:()<>[]|")
    if not _DOMAIN.match(host):
        return ""
    parts = [fold(part) for part in host.split(".")]
    if parts[-1] not in _TOP_LEVEL or parts[-2] in _MAILERS:
        return ""
    short = len(parts[-2]) < 4 or parts[-2].isdigit()  # such as "e.g.in"
    if short and "@" not in word and "www" not in word and "//" not in word:
        return ""
    return ".".join(parts[-3:] if parts[-2] in _SECOND_LEVEL else parts[-2:])


def _number(words: Sequence[str], place: int) -> str:
    """The number that begins with this word, folded, if it is one that does not change."""
    label, _, value = words[place].rpartition(":")
    joined = _plain(value or label)
    for word in words[place + 1 : place + 9]:
        if len(word) > 5 or not has_digit(word):
            break
        joined += _plain(word)
    digits = sum(map(str.isdigit, joined))
    if _IBAN.match(joined) and digits >= 10:
        return fold(joined)
    if digits < 5 or len(joined) > 20:
        return ""
    if value.startswith("+"):
        return fold(joined)[:8]  # without the extension
    if (joined[:2] in _COUNTRIES and digits >= 7) or _is_labelled(words[max(0, place - 2) : place], label):
        return fold(joined)
    return ""


def _is_labelled(before: Sequence[str], glued: str) -> bool:
    return any(_NUMBER_LABEL.match(label.lstrip("(")) for label in (*before, glued) if label)


def _plain(text: str) -> str:
    return text if text.isalnum() else "".join(filter(str.isalnum, text))
