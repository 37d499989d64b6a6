"""Whether a string looks random, as secrets do, or made of words, as names in code are."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from importlib.resources import files
from itertools import pairwise

_DUMMY = re.compile(
    r"(?i)x{5,}|([^A])\1{7,}|example|sample|dummy|placeholder|redacted|your[-_ ]?|changeme|change[-_]me"
    r"|012345|123456|654321|543210|abcdefg|deadbeef|insert|replace"
)
_WORDS = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
_PARTS = re.compile(r"[-_./:, ]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
_LOOKED_AT = 400  # characters
_LANGUAGE = 5.0  # words of English have 6.8 in the middle and 5.4 at the twentieth; 16 drawn letters 2.8, rarely 4.5


def is_dummy(value: str) -> bool:
    """Made up as an example."""
    value = value[:_LOOKED_AT]
    return len(set(value)) < min(5, len(value)) or _DUMMY.search(value) is not None


def is_hex(value: str) -> bool:
    return _HEX.fullmatch(value) is not None


def is_uuid(value: str) -> bool:
    return _UUID.fullmatch(value) is not None


def entropy(value: str) -> float:
    """Bits per character."""
    value = value[:_LOOKED_AT]
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def is_random(value: str, least: int) -> bool:
    """At least `least` characters, letters and digits mixed as no words are; or letters that form no words."""
    value = value[:_LOOKED_AT]
    if len(value) < least or not any(map(str.isalpha, value)):
        return False
    if not any(map(str.isdigit, value)):
        return (
            len(value) >= 16 and value.isascii() and value.isalpha() and entropy(value) >= 3.2 and not is_wordy(value)
        )
    return entropy(value) >= (3.0 if len(value) >= 16 else 2.5) and not is_wordy(value)


def is_wordy(value: str) -> bool:
    """Words and numbers joined: `claude-3-5-sonnet-20241022`, `AccessToken1Response`, `2024-01-31`."""
    value = value[:_LOOKED_AT]
    if is_uuid(value):
        return False
    parts = [part for part in _PARTS.split(value) if part]
    if len(parts) > 1 and all(_is_plain(part) for part in parts):
        return True
    words = _WORDS.findall(value)
    return sum(map(len, words)) >= 0.6 * len(value) and _language(words) >= _LANGUAGE


def _language(words: list[str]) -> float:
    """How much like words these are, from 0 to 9, by the frequency of their letter pairs."""
    levels = [_levels().get(first + second, 0) for word in words for first, second in pairwise(word.lower())]
    return sum(levels) / len(levels) if levels else 0.0


@cache
def _levels() -> dict[str, int]:
    rows = files(__package__).joinpath("letters.txt").read_text(encoding="ascii").split()
    return {
        chr(97 + first) + chr(97 + second): int(level)
        for first, row in enumerate(rows)
        for second, level in enumerate(row)
    }


def _is_plain(part: str) -> bool:
    """A word, a number, or a short mix of both: `v2`, `sha256`, `3rd`."""
    if part.isalpha():
        return len(part) < 6 or (
            (part.islower() or part.isupper() or part.istitle()) and _language([part]) >= _LANGUAGE - 1
        )
    return part.isdigit() or re.fullmatch(r"[A-Za-z]{1,12}\d{1,4}|\d{1,4}[A-Za-z]{1,4}", part) is not None
