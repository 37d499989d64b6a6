"""Numbers that identify people: cards, bank accounts, social security, telephones, IP addresses.

Each needs evidence: a check digit, an unambiguous format, or a word near it that says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address

from heedful.text.redaction.phones import phone
from heedful.text.redaction.spans import SensitiveSpan, offsets

_RUN = re.compile(r"[0-9](?<![0-9A-Za-z_][0-9])[0-9 ().\-/\xa0]{5,48}")
_CARD = re.compile(r"(?<![\d.])(?:\d{12,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5})(?![\d.]\d|\d)")
_ISSUER = re.compile(
    r"3[47]\d{13}|3(?:0[0-5]|[689])\d{11,16}|35\d{14}|4\d{15}|(?:5[1-5]|2[2-7])\d{14}|6(?:011|4[4-9]|5)\d{12,13}|(?:1800|2131)\d{11}"
)
_CARD_WORD = re.compile(r"(?i)card|visa|master|amex|maestro|discover|\bpan\b|credit|debit|\bcc\b")
_OTHER_NUMBER = re.compile(
    r"(?i)(?:\bid|_id|\bids?|time|stamp|snowflake|hash|size|offset|build|order|seed)[\"']?\s?[:=#]\s?[\"'\[]?$"
)
_SSN = re.compile(r"(?<![\d-])(?!000|666|9\d\d)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])")
_SSN_BARE = re.compile(r"(?<!\d)(?!000|666|9\d\d)\d{9}(?!\d)")
_SSN_WORD = re.compile(r"(?i)\bssn\b|social\s+security")
_IPV4 = re.compile(
    r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\d]|\.\d)"
)
_VERSION_BEFORE = re.compile(
    r"(?i)(?:version|release|\bver|\brev|build|assembly|section|chapter|§|\bv|upgrade|bump|python|node|chrome|firmware)\W{0,12}$|(?:[=~<>^]=|[~^]|[A-Za-z)][/@-])\s?[\"']?$"
)
_IP_WORD = re.compile(
    r"(?i)\bip|addr|host|server|ping|ssh|https?:|peer|client|remote|dns|listen|connect|inet|from|proxy|gateway|@"
)
_RESOLVERS = frozenset({"8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "1.2.3.4"})
_IBAN = re.compile(r"[A-Z](?<![A-Za-z0-9][A-Z])[A-Z]\d\d(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])")
_IBAN_LOWER = re.compile(r"[a-z](?<![A-Za-z0-9][a-z])[a-z]\d\d[a-z0-9]{11,30}(?![A-Za-z0-9])")
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18,
    "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24,
    "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24,
    "XK": 20,
}  # fmt: skip
_ACCOUNT_HINTS = ("iban", "transfer")  # near them an account may be written small
_NEAR = 40  # characters


def numbers(text: str, lowered: str) -> Iterator[SensitiveSpan]:
    for run in _RUN.finditer(text):
        yield from _in_run(text, *run.span())
    for found in _IBAN.finditer(text):
        yield from _account(found.start(), found.group())
    for hint in _ACCOUNT_HINTS:
        for at in offsets(hint, lowered):
            if small := _IBAN_LOWER.search(text, at, at + 80):
                yield from _account(small.start(), small.group())


def _in_run(text: str, start: int, end: int) -> Iterator[SensitiveSpan]:
    run = text[start:end]
    if run.count(".") >= 3 and (found := _computer(text, start, end)):
        yield found
    elif sum(map(str.isdigit, run)) >= 7:
        for find in (_card, _social, phone):
            if found := find(text, start, end):
                yield found
                return


def _card(text: str, start: int, end: int) -> SensitiveSpan | None:
    found = _CARD.search(text, start, min(len(text), end + 2))
    if found is None:
        return None
    number = re.sub(r"\D", "", found.group())
    if not _luhn(number) or len(set(number)) < 2:
        return None
    if not _ISSUER.fullmatch(number) or _is_glued(text, *found.span()):
        before = text[max(0, found.start() - _NEAR) : found.start()]
        if not _CARD_WORD.search(before) or _is_glued(text, *found.span()):
            return None
    elif _OTHER_NUMBER.search(text[max(0, found.start() - 16) : found.start()]):
        return None
    return SensitiveSpan(*found.span(), "CARD", number)


def _luhn(number: str) -> bool:
    doubled = [sum(divmod(2 * int(digit), 10)) for digit in number[-2::-2]]
    return (sum(doubled) + sum(map(int, number[-1::-2]))) % 10 == 0


def _is_glued(text: str, start: int, end: int) -> bool:
    """Whether it is part of a name, a path or a decimal number."""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    return before.isalnum() or before in {"_", ".", "-", "/", "$"} or after.isalnum() or after in {"_", "/"}


def _social(text: str, start: int, end: int) -> SensitiveSpan | None:
    found = _SSN.search(text, start, min(len(text), end + 1))
    before = text[max(0, start - _NEAR) : start]
    if found is None and _SSN_WORD.search(before):
        found = _SSN_BARE.search(text, start, min(len(text), end + 1))
    elif found is not None and found[1] == " " and not _SSN_WORD.search(before):
        found = None
    if found is None or _is_glued(text, *found.span()):
        return None
    return SensitiveSpan(*found.span(), "SSN", re.sub(r"\D", "", found.group()))


def _computer(text: str, start: int, end: int) -> SensitiveSpan | None:
    found = _IPV4.search(text, start, min(len(text), end + 2))
    if found is None or found.group() in _RESOLVERS:
        return None
    octets = [int(octet) for octet in found.group().split(".")]
    address = ip_address(found.group())
    if octets[0] in {0, 127, 255} or octets[2:] == [0, 0] or address.is_multicast or _is_private(octets):
        return None
    before, after = text[max(0, found.start() - 24) : found.start()], text[found.end() : found.end() + 1]
    if _VERSION_BEFORE.search(before) or before[-1:].isalnum() or after.isalpha() or after in {"_", "-"}:
        return None
    if max(octets) < 20 and not _IP_WORD.search(before):
        return None
    return SensitiveSpan(*found.span(), "IP", found.group())


def _is_private(octets: list[int]) -> bool:
    """Private addresses identify nobody."""
    match octets:
        case [10, *_] | [192, 168, *_] | [169, 254, *_]:
            return True
        case [172, second, *_]:
            return 16 <= second < 32
    return False


def _account(start: int, written: str) -> Iterator[SensitiveSpan]:
    """Checks the length for its country and the check digits; words after it may have been included."""
    country = written[:2].upper()
    length = _IBAN_LENGTHS.get(country)
    if length is None:
        return
    signs = [place for place, sign in enumerate(written, 1) if sign != " "]
    if len(signs) < length:
        return
    end = signs[length - 1]
    if written[end : end + 1].isalnum():
        return
    value = written[:end].replace(" ", "").upper()
    if int("".join(str(int(sign, 36)) for sign in value[4:] + value[:4])) % 97 == 1:
        yield SensitiveSpan(start, start + end, "IBAN", value)
