"""Spans of a text that hold a secret or personal data, and their types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class SensitiveType(NamedTuple):
    """A type of sensitive data."""

    name: str
    """As in placeholders."""
    meaning: str


TYPES = (
    SensitiveType("PRIVATE_KEY", "a private key, whole or cut off"),
    SensitiveType("TOKEN", "a key or token recognised by its own shape"),
    SensitiveType("PASSWORD", "what stands where a password stands: assigned, in an address, after a flag"),
    SensitiveType("SECRET", "a random value whose name says that it is secret"),
    SensitiveType("EMAIL", "an e-mail address"),
    SensitiveType("CARD", "the number of a payment card"),
    SensitiveType("IBAN", "the number of a bank account"),
    SensitiveType("SSN", "a US social security number"),
    SensitiveType("PHONE", "a telephone number"),
    SensitiveType("IP", "an address of a computer on the internet"),
    SensitiveType("MAC", "the address of a network card"),
    SensitiveType("NAME", "the name of a person, or of their account in a path"),
    SensitiveType("ADDRESS", "a street address or post box"),
    SensitiveType("BIRTHDATE", "a date of birth"),
)
_RANK = {kind.name: place for place, kind in enumerate(TYPES)}


class SensitiveSpan(NamedTuple):
    start: int
    end: int
    type: str
    value: str
    """Normalised: all spellings of a value get the same placeholder."""

    def __repr__(self) -> str:
        """Without the value: it must not reach a log."""
        return f"SensitiveSpan({self.start}, {self.end}, {self.type})"


def merge_overlaps(found: list[SensitiveSpan], text: str) -> list[SensitiveSpan]:
    """Sorts spans, and merges those that overlap, so that no end of any is left over."""
    kept: list[SensitiveSpan] = []
    for one in sorted(found, key=lambda finding: (finding.start, -finding.end, _RANK[finding.type])):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
            continue
        last = kept[-1]
        if (one.start, one.end) == (last.start, last.end) or one.end <= last.end:
            continue
        type = min(one.type, last.type, key=_RANK.__getitem__)
        kept[-1] = SensitiveSpan(last.start, one.end, type, text[last.start : one.end])
    return kept


def offsets(mark: str, text: str) -> Iterator[int]:
    """Positions of a substring. Far faster than a regular expression."""
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + len(mark))
