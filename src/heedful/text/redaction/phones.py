"""Telephone numbers: international, North American, or announced by a word."""

from __future__ import annotations

import re

from heedful.text.redaction.spans import SensitiveSpan

_ABROAD = re.compile(r"(?<![\w.)])(?:\+|00)[1-9][\d ().\-/\xa0]{6,24}\d(?![\w.]?\w)")
_AMERICAN = re.compile(
    r"(?<![\d.\-/])(?<!\d )(?:\+?1[ .-]?)?(?:\(\d{3}\) ?|\d{3}([-. ]))\d{3}[-. ]\d{4}(?![\d-]|\.\d| \d)"
)
_LOCAL = re.compile(r"(?<![\d.\-/])\(?\d[\d ().\-/\xa0]{5,18}\d(?![\d-]|\.\d)")
_SURE = re.compile(
    r"(?i)(?:\b(?:tele)?phone|\btel\b|\bmobile|\bmob\b|\bcell\b|\bfax\b|whats ?app|\bhandy\b"
    r"|téléphone|teléfono|telefon|电话)"
    r"[^\d\n]{0,24}\n?[^\d\n]{0,3}\(?\+?$"
)
_LIKELY = re.compile(
    r"(?i)\b(?:call|phoned?|dial|reach|answer(?:ing|ed)?|text me|ring me|number|contact)\b[ :,#A-Za-z]{0,16}\(?$"
)
_AFTER = re.compile(r"(?i)[ \t]{1,3}\(?(?:office|fax|mobile|home|cell|tel|work|phone)\b")
_DATE = re.compile(r"(?:19|20)\d\d[-/. ](?:0?[1-9]|1[0-2])[-/. ]\d{1,2}\b|\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)\d\d")
_REGIONS = "US GB DE FR ES IT NL BE CH AT SE NO DK FI PL CZ PT IE HU"
_MORE_REGIONS = "AU NZ IN BR JP IL ZA CN KR MX SG GR CY SI HR IS EE TN UY"


def phone(text: str, start: int, end: int) -> SensitiveSpan | None:
    """Searches a run of digits and separators, with a plus or bracket just before it."""
    while start > 0 and text[start - 1] in "+(":
        start -= 1
    limit = min(len(text), end + 2)
    if (found := _ABROAD.search(text, start, limit)) and (
        number := _valid("+" + re.sub(r"\(0\)|\D", "", found.group()).removeprefix("00"), None)
    ):
        return _span(found, number)
    if (found := _AMERICAN.search(text, start, limit)) and not _is_glued(text, found):
        number = _known(re.sub(r"\D", "", found.group()), "US")
        if number:
            return _span(found, number)
    found = _LOCAL.search(text, start, limit)
    if found is None or _DATE.search(found.group()):
        return None
    return _said(text, found)


def _said(text: str, found: re.Match[str]) -> SensitiveSpan | None:
    """A number that only the words around it make a telephone number."""
    digits = re.sub(r"\D", "", found.group())
    if not 7 <= len(digits) <= 13:
        return None
    before = text[max(0, found.start() - 40) : found.start()]
    if _SURE.search(before) or _AFTER.match(text, found.end()):
        return _span(found, digits)
    if _LIKELY.search(before) and len(digits) < len(found.group()) and _known(digits, f"{_REGIONS} {_MORE_REGIONS}"):
        return _span(found, digits)
    return None


def _span(found: re.Match[str], number: str) -> SensitiveSpan:
    return SensitiveSpan(found.start(), found.start() + len(found.group().rstrip(" .-/(")), "PHONE", number)


def _is_glued(text: str, found: re.Match[str]) -> bool:
    before, after = text[max(0, found.start() - 1) : found.start()], text[found.end() : found.end() + 1]
    return before.isalnum() or before in {"_", "=", "#", "$"} or after.isalnum() or after == "_"


def _known(digits: str, regions: str) -> str | None:
    for region in regions.split():
        if number := _valid(digits, region):
            return number
    return None


def _valid(written: str, region: str | None) -> str | None:
    # 30 ms to import, and most texts hold no number that could be one.
    import phonenumbers

    try:
        number = phonenumbers.parse(written, region)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_valid_number(number):
        return None
    return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))
