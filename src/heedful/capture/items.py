"""Checks the items of a batch; an error has the number of its item."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from heedful.errors import HeedfulError, InvalidInput

T = TypeVar("T")


def check_item(
    check: Callable[..., T],
    hint: str,
    item: Mapping[str, Any],
    number: int,
    redacted: Callable[[Mapping[str, Any]], Mapping[str, Any]],
) -> T:
    try:
        return check(**redacted(item))
    except HeedfulError as error:
        error.item = number
        raise
    except TypeError as error:
        why = str(error).replace(f"{check.__name__}() ", "")
        refused = InvalidInput(f"An item cannot be recorded: {why}.", hint=hint)
        refused.item = number
        raise refused from None
