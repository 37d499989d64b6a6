"""A finding: where in a text a secret or a piece of personal data stands, and of which type it is."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """A type of what is replaced."""

    name: str
    """As it stands in placeholders."""
    meaning: str


TYPES = (
    Kind("PRIVATE_KEY", "a private key, whole or cut off"),
    Kind("TOKEN", "a key or token recognised by its own shape"),
    Kind("PASSWORD", "what stands where a password stands: assigned, in an address, after a flag"),
    Kind("SECRET", "a random value whose name says that it is secret"),
    Kind("EMAIL", "an e-mail address"),
    Kind("CARD", "the number of a payment card"),
    Kind("IBAN", "the number of a bank account"),
    Kind("SSN", "a US social security number"),
    Kind("PHONE", "a telephone number"),
    Kind("IP", "an address of a computer on the internet"),
    Kind("MAC", "the address of a network card"),
    Kind("NAME", "the name of a person, or of their account in a path"),
    Kind("ADDRESS", "a street address or post box"),
    Kind("BIRTHDATE", "a date of birth"),
)
_RANK = {kind.name: place for place, kind in enumerate(TYPES)}


class Finding(NamedTuple):
    start: int
    end: int
    type: str
    value: str
    """Normalised: however it is written, the same thing gets the same placeholder."""

    def __repr__(self) -> str:
        """Without the value: it must not reach a log."""
        return f"Finding({self.start}, {self.end}, {self.type})"


def settled(found: list[Finding], text: str) -> list[Finding]:
    """In the order of the text; where some overlap, one that covers them all, so that no end of any is left over."""
    kept: list[Finding] = []
    for one in sorted(found, key=lambda finding: (finding.start, -finding.end, _RANK[finding.type])):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
            continue
        last = kept[-1]
        if (one.start, one.end) == (last.start, last.end) or one.end <= last.end:
            continue
        type = min(one.type, last.type, key=_RANK.__getitem__)
        kept[-1] = Finding(last.start, one.end, type, text[last.start : one.end])
    return kept
