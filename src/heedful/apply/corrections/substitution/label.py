"""The field a value stands in: `Total: 1,250.00` is about the total, and only about the total."""

from __future__ import annotations

import re
from collections.abc import Sequence

from heedful.apply.corrections.substitution.tokens import Token, tokens
from heedful.text.stems import stem
from heedful.text.words import words_of

_LABEL_WORDS = 6
_CELL = re.compile(r"[|\t;{},]|[^\S\n]{3,}")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_UNITS = words_of("eur usd gbp chf jpy euro euros dollar dollars approx ca circa")


def label(before: str) -> list[str] | None:
    """The words of the label that a line has before a value; None when this is a sentence rather than a field."""
    cells = [cell for cell in _CELL.split(before) if any(map(str.isalnum, cell))]
    if not cells:
        return []
    words = meant(tokens(_CAMEL.sub(" ", cells[-1]).replace("_", " ")))
    return words if len(cells[-1].split()) <= _LABEL_WORDS else None


def meant(found: Sequence[Token]) -> list[str]:
    """The stems that count in a label."""
    return [stem(one.normal.strip(".'")) for one in found if not one.is_small and one.normal not in _UNITS]


def agree(one: Sequence[str], other: Sequence[str]) -> bool:
    return bool(one) and sorted(one) == sorted(other)
