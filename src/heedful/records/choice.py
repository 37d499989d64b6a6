"""Enumerations whose values users pass as text."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from heedful.errors import InvalidInput


class Choice(StrEnum):
    def __init_subclass__(cls, noun: str) -> None:
        """`noun` names a value in errors: "'red' is not a category." """
        cls._noun = noun  # type: ignore[attr-defined]

    @classmethod
    def of(cls, value: object) -> Self:
        try:
            return cls(str(value))
        except ValueError:
            known = ", ".join(known.value for known in cls)
            raise InvalidInput(f"{value!r} is not a {cls._noun}.", hint=f"There are: {known}.") from None  # type: ignore[attr-defined]
