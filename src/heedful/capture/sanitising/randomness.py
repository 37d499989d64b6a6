"""Whether a string looks drawn at random, as secrets are, or made of words, as names in code are."""

from __future__ import annotations

import math
import re
from collections import Counter

_DUMMY = re.compile(
    r"(?i)x{5,}|([^A])\1{7,}|example|sample|dummy|placeholder|redacted|your[-_ ]?|changeme|change[-_]me"
    r"|012345|123456|654321|543210|abcdefg|deadbeef|insert|replace"
)
_WORDS = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}")
_PARTS = re.compile(r"[-_./:, ]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
_LOOKED_AT = 400  # characters


def is_dummy(value: str) -> bool:
    """Made up to stand for a value."""
    value = value[:_LOOKED_AT]
    return len(set(value)) < min(5, len(value)) or _DUMMY.search(value) is not None


def is_hex(value: str) -> bool:
    return _HEX.fullmatch(value) is not None


def is_uuid(value: str) -> bool:
    return _UUID.fullmatch(value) is not None


def entropy(value: str) -> float:
    """Bits a character, as far as the string itself tells."""
    value = value[:_LOOKED_AT]
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def is_random(value: str, least: int) -> bool:
    """At least so long, letters and digits in a mix that no words make."""
    value = value[:_LOOKED_AT]
    if len(value) < least or not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    return entropy(value) >= (3.0 if len(value) >= 16 else 2.5) and not is_wordy(value)


def is_wordy(value: str) -> bool:
    """Words and numbers strung together: `claude-3-5-sonnet-20241022`, `AccessToken1Response`, `2024-01-31`."""
    value = value[:_LOOKED_AT]
    if is_uuid(value):
        return False
    parts = [part for part in _PARTS.split(value) if part]
    if len(parts) > 1 and all(_is_plain(part) for part in parts):
        return True
    words = "".join(_WORDS.findall(value))
    if len(words) < 0.6 * len(value):
        return False
    return sum(letter in "aeiouAEIOU" for letter in words) >= 0.28 * len(words)


def _is_plain(part: str) -> bool:
    """A word, a number, or a short one with the other at its end: `v2`, `sha256`, `3rd`."""
    if part.isalpha():
        return part.islower() or part.isupper() or part.istitle() or len(part) < 8
    return part.isdigit() or re.fullmatch(r"[A-Za-z]{1,12}\d{1,4}|\d{1,4}[A-Za-z]{1,4}", part) is not None
