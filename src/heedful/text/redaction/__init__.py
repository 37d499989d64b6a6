"""Replaces secrets and personal data with placeholders before a text is stored.

A placeholder such as `[EMAIL:3f2a]` has the type and four digits of a keyed digest that differs by conversation, so the
same address has the same placeholder within one. Passwords have no format of their own, so those found are remembered
while a conversation is read, and redacted wherever they recur.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from heedful.text.redaction.prefilter import may_hold_secret
from heedful.text.redaction.spans import TYPES, SensitiveSpan, SensitiveType

__all__ = ["PLACEHOLDER", "SECRETS", "TYPES", "Sanitiser", "SensitiveType", "may_hold_secret", "secret_types"]

SECRETS = frozenset({"PRIVATE_KEY", "TOKEN", "PASSWORD", "SECRET"})
"""Types that give access to something; all others are personal data."""

_DIGITS = 4
_ROUNDS = 6  # what was hidden by a neighbour shows once that is gone; hardly ever more than once
_LOOKED_AT = 400_000  # characters in all the rounds of a short text: each of many in a row may hide the next one
_REMEMBERED = frozenset({"PASSWORD", "SECRET"})
_MOST_REMEMBERED = 64
_UNMISTAKABLE = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9])[^\s\[\]]{8,200}")  # no word that a sentence may hold
PLACEHOLDER = re.compile(rf"\[({'|'.join(kind.name for kind in TYPES)}):[0-9a-f]{{{_DIGITS}}}\]")


def secret_types(text: str) -> list[str]:
    """The types of secrets in a text."""
    if not may_hold_secret(text):
        return []
    return sorted({one.type for one in _outside_placeholders(text, personal=False)})


class Sanitiser:
    """Redacts texts that belong together, as those of one conversation. It never writes or shows a value."""

    def __init__(self, digest: Callable[[str], str], *, personal: bool = True) -> None:
        """`digest` returns keyed hexadecimal digits of a value. Without `personal`, only secrets are replaced."""
        self._digest = digest
        self._personal = personal
        self.found: Counter[str] = Counter()
        """How many of each type were replaced."""
        self._passwords = _KnownPasswords()

    def __repr__(self) -> str:
        return f"Sanitiser({self.found.total()} replaced)"

    @property
    def knows_passwords(self) -> bool:
        """Whether a password was found, which is redacted in every later text."""
        return bool(self._passwords)

    def clean(self, text: str) -> str:
        """The text with placeholders. Existing placeholders stay."""
        if not (self._personal or self._passwords or may_hold_secret(text)):
            return text
        for _ in range(max(_ROUNDS, _LOOKED_AT // (len(text) + 1))):
            before = text
            if found := _outside_placeholders(text, personal=self._personal):
                text = self._replaced(text, found)
            for value, placeholder in self._passwords.items():
                text = text.replace(value, placeholder)
            if text == before:
                break  # what is gone may have hidden something: so it is looked until nothing changes
        return text

    def placeholder(self, type: str, value: str) -> str:
        # Half of a character of two units cannot be encoded, and so not digested.
        return f"[{type}:{self._digest(value.encode('utf-8', 'replace').decode())[:_DIGITS].lower()}]"

    def _replaced(self, text: str, found: list[SensitiveSpan]) -> str:
        pieces: list[str] = []
        end = 0
        for one in found:
            value = one.value.encode("utf-8", "replace").decode()
            placeholder = self.placeholder(one.type, value)
            if one.type in _REMEMBERED and len(self._passwords) < _MOST_REMEMBERED and _UNMISTAKABLE.fullmatch(value):
                self._passwords[value] = placeholder
            pieces += (text[end : one.start], placeholder)
            end = one.end
            self.found[one.type] += 1
        return "".join((*pieces, text[end:]))


class _KnownPasswords(dict[str, str]):
    """Passwords found so far, and their placeholders."""

    def __repr__(self) -> str:
        """Without the values: they must not reach a log."""
        return f"{len(self)} passwords"


def _outside_placeholders(text: str, *, personal: bool) -> list[SensitiveSpan]:
    # Its patterns take 40 ms to compile, and most commands clean nothing.
    from heedful.text.redaction.search import find_spans  # noqa: PLC0415

    found = find_spans(text, personal=personal)
    if not found or "[" not in text:
        return found
    kept = [match.span() for match in PLACEHOLDER.finditer(text)]
    outside, place = [], 0
    for one in found:
        while place < len(kept) and kept[place][1] <= one.start:
            place += 1
        if place == len(kept) or kept[place][0] >= one.end:
            outside.append(one)
    return outside
