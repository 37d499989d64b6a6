"""Redaction: removes secrets and personal data from arguments before they are processed or stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from heedful.operations.operation import Operation


class Redactor(Protocol):
    """Redacts secrets in texts, and personal data if the organisation's privacy options say so."""

    def arguments(self, operation: Operation, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments of an operation, redacted. Rejects an identifier that contains a secret."""
        ...

    def is_harmless(self, values: Sequence[object]) -> bool:
        """Whether nothing in them needs a closer look: checking many at once is hardly slower than one."""
        ...

    def texts(self, *texts: str) -> tuple[str, ...]:
        """Redacts texts that belong together."""
        ...

    def without(self, text: str, secret: str) -> str:
        """The text with a placeholder in the place of what is known to be a secret, whatever it looks like."""
        ...

    def refuse(self, value: object, name: str) -> None:
        """Rejects an identifier that contains a secret: two of them could be equal after redaction."""
        ...
