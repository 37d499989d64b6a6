"""Values of documents as people type them on the command line: NAME=VALUE."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from heedful.errors import InvalidInput

if TYPE_CHECKING:
    from heedful.records.document import Value
    from heedful.text.typed_values import Notation

NONE = "-"
"""What is typed for: the document has no such value."""


def pairs(words: Iterable[str]) -> dict[str, str]:
    """The words NAME=VALUE by name."""
    found: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name.strip():
            raise InvalidInput(
                f"{word!r} is not NAME=VALUE.", hint="Write invoice_number=RE-17, or invoice_number=- if there is none."
            )
        if name.strip() in found:
            raise InvalidInput(f"{name.strip()} is given twice.", hint="Drop one of them.")
        found[name.strip()] = value.strip()
    return found


def read(notation: Notation, name: str, text: str, known: Value | None) -> Value | None:
    """The value that a person typed for a field, which has the value `known` now."""
    return None if text == NONE else notation.understood(text, name, known)
