"""Values as documents print them: dates, numbers, identifiers and currencies, read and compared.

Seven languages are read: English, German, French, Spanish, Italian, Dutch and Portuguese.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import NamedTuple
from unicodedata import combining, normalize

from heedful.records.document import Value

DATE, AMOUNT, IDENTIFIER, TEXT, VAT_ID, IBAN, CURRENCY = (
    "date", "amount", "identifier", "text", "vat_id", "iban", "currency",
)  # fmt: skip
KINDS = {
    "invoice_number": IDENTIFIER, "order_number": IDENTIFIER, "customer_number": IDENTIFIER,
    "issue_date": DATE, "due_date": DATE, "delivery_date": DATE, "date": DATE,
    "net_total": AMOUNT, "tax_total": AMOUNT, "grand_total": AMOUNT, "qty": AMOUNT, "price": AMOUNT, "amount": AMOUNT,
    "seller": TEXT, "buyer": TEXT, "description": TEXT, "uom": TEXT, "sku": IDENTIFIER,
    "currency": CURRENCY, "vat_id": VAT_ID, "iban": IBAN,
}  # fmt: skip
"""What a field holds. Fields that people add have the kind of the values they gave them."""

_MONTHS = (
    "january jan januar janner jaenner janvier janv enero ene gennaio gen januari janeiro",
    "february feb februar fevrier fevr fev febrero febbraio februari fevereiro",
    "march mar marz maerz mrz mars marzo maart mrt marco",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag mei maio",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug aout agosto ago augustus",
    "september sep sept septembre septiembre set settembre setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez decembre diciembre dic dicembre dezembro",
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
CURRENCIES = frozenset(
    [
        *("EUR", "USD", "GBP", "CHF", "JPY", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "BGN", "TRY"),
        *("CAD", "AUD", "NZD", "BRL", "MXN", "INR", "CNY", "SGD", "HKD", "ZAR", "AED"),
    ]
)
SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "zł": "PLN", "Kč": "CZK", "R$": "BRL"}
_VAT_ID = re.compile(
    r"(?:ATU\d{8}|BE[01]?\d{9}|BG\d{9,10}|CHE\d{9}|CY\d{8}[A-Z]|CZ\d{8,10}|DE\d{9}|DK\d{8}|EE\d{9}|EL\d{9}"
    r"|ES[A-Z0-9]\d{7}[A-Z0-9]|FI\d{8}|FR[A-Z0-9]{2}\d{9}|GB\d{9}|GB\d{12}|HR\d{11}|HU\d{8}|IE\d[A-Z0-9]\d{5}[A-Z]{1,2}"
    r"|IT\d{11}|LT\d{9}|LU\d{8}|LV\d{11}|MT\d{8}|NL\d{9}B\d{2}|PL\d{10}|PT\d{9}|RO\d{7,10}|SE\d{12}|SI\d{8}|SK\d{10})"
)
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")

_NUMERIC_DATE = re.compile(r"(?<![\d.,/-])(\d{1,4}) ?([./-]) ?(\d{1,2}) ?\2 ?(\d{4}|\d{2})(?![\d/-]|[.,]\d)")
_WRITTEN_DATE = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|°|\.)?[ -]?(?:de |of )?([^\W\d_]{3,10})[., -]{0,2}(?:de |del )?"
    r"(\d{4}|\d{2})(?!\d)"
)
_MONTH_FIRST = re.compile(r"(?<!\w)([^\W\d_]{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?[, ]{1,2}(\d{4})(?!\d)")
_NUMBER = re.compile(r"\d[\d.,'’]{0,24}")
_DIGITS_AFTER = re.compile(r"([.,'’])(\d{1,24})$")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LONGEST = 2_000  # characters of a text that are read


class PrintedDate(NamedTuple):
    """A date in a text, with both readings if day and month may be swapped."""

    start: int
    end: int
    day_first: str
    month_first: str

    def read(self, *, day_first: bool) -> str:
        return self.day_first if day_first else self.month_first


class PrintedNumber(NamedTuple):
    """A number in a text. Its value depends on the decimal sign if there is one sign with three digits after it."""

    start: int
    end: int
    digits: str
    negative: bool
    money: bool
    """Printed like an amount of money: with two decimals, or beside a currency."""

    def read(self, decimal: str) -> float:
        value = number(self.digits, decimal)
        return -value if self.negative else value


# Folding


@lru_cache(maxsize=4096)
def folded_letter(letter: str) -> str:
    """A letter without case and accent; nothing for signs."""
    letters = normalize("NFKD", letter.casefold()).casefold()  # what looks like a letter may turn into a capital
    return "".join(part for part in letters if part.isalnum() and not combining(part))


def compact(text: str) -> str:
    """Letters and digits alone, without case and accents."""
    if text.isascii():
        return "".join(filter(str.isalnum, text)).lower()
    return "".join(map(folded_letter, text))


ALIKE = str.maketrans("0158i6", "olsblb")


def lookalike(text: str) -> str:
    """Compact text in which letters and digits that recognition confuses are one."""
    return compact(text).translate(ALIKE)


def spaced(text: str) -> str:
    """The text with single spaces."""
    return " ".join(text.split())


# Dates


def dates(text: str) -> list[PrintedDate]:
    """The dates in a text, from left to right."""
    text = text[:_LONGEST]
    if not any(map(str.isdigit, text)):
        return []
    found = [*_numeric_dates(text), *_written_dates(text)]
    found.sort()
    return found


def _numeric_dates(text: str) -> Iterator[PrintedDate]:
    for match in _NUMERIC_DATE.finditer(text):
        first, _, second, third = match.groups()
        if len(first) == 4:
            both = _iso(int(first), int(second), int(third)) if len(third) == 2 else ""
            readings = both, both
        elif len(first) == 3:
            continue
        else:
            year = _year(third)
            readings = _iso(year, int(second), int(first)), _iso(year, int(first), int(second))
        day_first, month_first = readings[0] or readings[1], readings[1] or readings[0]
        if day_first:
            yield PrintedDate(match.start(), match.end(), day_first, month_first)


def _written_dates(text: str) -> Iterator[PrintedDate]:
    for match in _WRITTEN_DATE.finditer(text):
        day, month, year = match.groups()
        yield from _written(match, day, month, year)
    for match in _MONTH_FIRST.finditer(text):
        month, day, year = match.groups()
        yield from _written(match, day, month, year)


def _written(match: re.Match[str], day: str, month: str, year: str) -> Iterator[PrintedDate]:
    known = _MONTH.get(compact(month))
    value = _iso(_year(year), known, int(day)) if known else ""
    if value:
        yield PrintedDate(match.start(), match.end(), value, value)


def _year(digits: str) -> int:
    year = int(digits)
    if len(digits) == 4:
        return year
    return year + (2000 if year < 70 else 1900)


def _iso(year: int, month: int, day: int) -> str:
    if not (1900 <= year <= 2100 and 1 <= month <= 12 and 1 <= day <= 31):
        return ""
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def is_date(value: object) -> bool:
    return isinstance(value, str) and _ISO_DATE.fullmatch(value) is not None


# Numbers


def numbers(text: str) -> list[PrintedNumber]:
    """The numbers in a text, from left to right: those that are no part of a word, a date or an identifier."""
    text = text[:_LONGEST]
    found = []
    for match in _NUMBER.finditer(text):
        digits = match.group().rstrip(".,'’")
        end = match.start() + len(digits)
        before, after = text[max(0, match.start() - 4) : match.start()], text[end : end + 5]
        if _inside_word(before, after):
            continue
        negative = before.rstrip(" €$£").endswith(("-", "−", "(", "–")) and not _range(before)
        negative = negative or (after.startswith(("-", "−")) and not after[1:2].isalnum())
        found.append(PrintedNumber(match.start(), end, digits, negative, _money(digits, before, after)))
    return found


def _inside_word(before: str, after: str) -> bool:
    if before and (before[-1].isalpha() or before[-1] in "/_") and before[-3:] not in CURRENCIES:
        return True
    if before.endswith("-") and before[-2:-1].isalnum():
        return True
    if after and (after[0].isalpha() or after[0] == "_") and after[:3].upper() not in CURRENCIES:
        return True
    return after[:1] in ("/", "-", ":") and after[1:2].isdigit()


def _range(before: str) -> bool:
    return before.endswith(" - ") or before.endswith(" – ")


def _money(digits: str, before: str, after: str) -> bool:
    tail = _DIGITS_AFTER.search(digits)
    if tail is not None and len(tail.group(2)) == 2 and tail.group(1) in ".,":
        return not after.lstrip().startswith("%")
    before, after = before.rstrip(), after.lstrip()
    beside = (
        before[-1:] in ("€", "$", "£") or after[:1] in ("€", "$", "£") or after.startswith((",-", ",–", ".-", ".–"))
    )
    return beside or before[-3:] in CURRENCIES or after[:3] in CURRENCIES


@lru_cache(maxsize=8_192)
def number(digits: str, decimal: str = "") -> float:
    """The value of printed digits: 1.234,56 and 1,234.56 and 1'234.56. `decimal` decides what 1.234 is."""
    digits = digits.replace("'", "").replace("’", "").replace(" ", "")
    points, commas = digits.count("."), digits.count(",")
    if points and commas:
        sign = "," if digits.rfind(",") > digits.rfind(".") else "."
    elif points + commas == 1:
        sign = "." if points else ","
        whole, _, tail = digits.partition(sign)
        if len(tail) == 3 and 1 <= len(whole) <= 3 and not whole.startswith("0") and sign != decimal:
            sign = ""
    else:
        sign = ""
    other = "." if sign == "," else ","
    if sign:
        digits = digits.replace(other, "")
        head, _, tail = digits.rpartition(sign)
        digits = f"{head.replace(sign, '')}.{tail}"
    else:
        digits = digits.replace(".", "").replace(",", "")
    try:
        return float(digits or "0")
    except ValueError:  # other scripts have digits that are no decimals
        return 0.0


def decimal_vote(digits: str) -> str:
    """The decimal sign that this number shows beyond doubt, or nothing."""
    tail = _DIGITS_AFTER.search(digits)
    if tail is None or tail.group(1) not in ".," or len(tail.group(2)) == 3:
        return ""
    return tail.group(1)


def plain_number(value: float) -> int | float:
    """A whole number as int, anything else without the noise of floating point."""
    rounded = round(value, 6)
    return int(rounded) if rounded == int(rounded) else rounded


# Identifiers


def vat_id(text: str) -> str:
    """The VAT id that a text begins with, spaces aside, or nothing."""
    letters = "".join(filter(str.isalnum, text[:40])).upper()
    match = _VAT_ID.match(letters)
    if match is None or letters[match.end() : match.end() + 1].isdigit():
        return ""
    return match.group()


def iban(text: str) -> str:
    """The text as an IBAN without spaces, or nothing."""
    letters = "".join(text[:60].split()).upper()
    return letters if _IBAN.fullmatch(letters) else ""


def valid_iban(letters: str) -> bool:
    """Its check digits are right."""
    turned = letters[4:] + letters[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


def shape(text: str) -> str:
    """The pattern of a text: A for letters, 9 for digits, runs as one, other signs as they are."""
    signs: list[str] = []
    for letter in text[:_LONGEST]:
        sign = "9" if letter.isdigit() else "A" if letter.isalpha() else " " if letter.isspace() else letter
        if not signs or signs[-1] != sign or sign not in "9A ":
            signs.append(sign)
    return "".join(signs)


# Comparison


def kind_of(field: str, value: Value | None = None) -> str:
    """The kind of a field's values; of a field that is not known, the kind of this value."""
    known = KINDS.get(field)
    if known is not None:
        return known
    if isinstance(value, int | float):
        return AMOUNT
    if is_date(value):
        return DATE
    return IDENTIFIER if isinstance(value, str) and any(map(str.isdigit, value)) and " " not in value else TEXT


def same(one: Value | None, other: Value | None) -> bool:
    """Two values are the same: numbers by value, texts without case, spacing and punctuation."""
    if one is None or other is None:
        return one is other
    if isinstance(one, str) and isinstance(other, str):
        return compact(one) == compact(other) and bool(compact(one) or one == other)
    if isinstance(one, str) or isinstance(other, str):
        text, value = (one, other) if isinstance(one, str) else (other, one)
        return _same_number(str(text), float(value))
    return abs(one - other) < 0.005


def _same_number(text: str, value: float) -> bool:
    found = numbers(text)
    return len(found) == 1 and abs(abs(found[0].read("")) - abs(value)) < 0.005
