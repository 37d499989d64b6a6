"""Values of documents as people type them, understood as the document writes them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from heedful.errors import InvalidInput
from heedful.records.document import DocumentDraft, Found, Value
from heedful.text.printed_values import (
    AMOUNT,
    DATE,
    KINDS,
    dates,
    decimal_vote,
    is_date,
    kind_of,
    number,
    numbers,
    plain_number,
)

_CORRECTED = "corrected"
_PLAIN = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,6})?")
_SPACE_IN_NUMBER = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")
"""Between digit groups, as in 1 234,50."""
_TWO_WAYS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")


@dataclass(frozen=True, slots=True)
class Notation:
    """How a document writes numbers and dates, so that 1.000 and 02/03/2025 are understood as they are meant."""

    decimal: str = ""
    """The decimal sign; empty if it is not known."""
    day_first: bool | None = None
    """Whether 02/03 is in March; None if it is not known."""

    @classmethod
    def of(cls, draft: DocumentDraft) -> Notation:
        found = [one for fields in (draft.fields, *(line.fields for line in draft.lines)) for one in fields.values()]
        printed = [one for one in found if one.source != _CORRECTED and one.text]
        return cls(_decimal(printed), _day_first(printed))

    def understood(self, text: str, field: str, before: Value | None = None, called: str = "") -> Value | None:
        """What somebody means by what they typed into a field, which has the value `before` now; None if it is empty.

        `called` names the field in errors.
        """
        said, name = " ".join(text.split()), called or field
        if not said:
            return None
        kind = kind_of(field, before)
        if kind == AMOUNT:
            return self._number(said, name)
        if kind == DATE:
            return self._date(said, name)
        return plain_number(float(said)) if before is None and field not in KINDS and _is_plain(said) else said

    def _number(self, said: str, name: str) -> int | float:
        found = numbers(_SPACE_IN_NUMBER.sub("", said))
        if len(found) != 1:
            raise InvalidInput(f"{name} is a number; “{said}” is not.", hint="Type it as 1234.50.")
        one = found[0]
        if not self.decimal and _TWO_WAYS.fullmatch(one.digits):
            whole, part = (plain_number(number(one.digits, sign)) for sign in ("", one.digits[-4]))
            raise InvalidInput(f"{name}: “{said}” can be read in two ways.", hint=f"Type {whole}, or {part:.4f}.")
        value = number(one.digits, self.decimal or ".")
        return plain_number(-value if one.negative else value)

    def _date(self, said: str, name: str) -> str:
        if is_date(said) and dates(said):
            return said
        found = dates(said)
        if len(found) != 1:
            raise InvalidInput(f"{name} is a date; “{said}” is not.", hint="Type it as 2025-12-31.")
        one = found[0]
        if self.day_first is None and one.day_first != one.month_first:
            hint = f"Type {one.day_first}, or {one.month_first}."
            raise InvalidInput(f"{name}: “{said}” can be read in two ways.", hint=hint)
        return one.read(day_first=self.day_first is not False)


def _is_plain(said: str) -> bool:
    """Not 007, which is an identifier."""
    return _PLAIN.fullmatch(said) is not None


def _decimal(printed: Iterable[Found]) -> str:
    numeric = [one for one in printed if isinstance(one.value, int | float)]
    votes = Counter(vote for one in numeric for part in numbers(one.text) if (vote := decimal_vote(part.digits)))
    return votes.most_common(1)[0][0] if votes else ""


def _day_first(printed: Iterable[Found]) -> bool | None:
    """As this document's dates were read."""
    read = [(one.value, part) for one in printed if is_date(one.value) for part in dates(one.text)]
    doubtful = [(value, part) for value, part in read if part.day_first != part.month_first]
    return not any(value == part.month_first for value, part in doubtful) if doubtful else None
