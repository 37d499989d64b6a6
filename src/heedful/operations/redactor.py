"""Redaction: what must not be stored is taken out of whatever is handed in, before any of it is looked at or kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from heedful.operations.operation import Operation


class Redactor(Protocol):
    """Takes secrets out of texts, and personal data where the organisation's privacy says so."""

    def arguments(self, operation: Operation, told: Mapping[str, Any]) -> Mapping[str, Any]:
        """What an operation is called with, redacted. An identifier that holds a secret is refused."""
        ...

    def is_harmless(self, told: Sequence[object]) -> bool:
        """Whether nothing in them needs a closer look: many at once take little more time than one."""
        ...

    def texts(self, *texts: str) -> tuple[str, ...]:
        """Texts that belong together, redacted."""
        ...

    def refuse(self, value: object, name: str) -> None:
        """Refuse an identifier that holds a secret: two of them, redacted, might be the same."""
        ...
