"""Validation of ids, kinds, organisations and other short texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from heedful.errors import InvalidId, InvalidInput, InvalidKind

CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
"""Line breaks and terminal control characters."""

UNSEEN = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Invisible characters: zero-width, bidirectional, and those that hide others."""

ID_LIMIT = 200
PAGE_LIMIT = 1_000
DAYS_LIMIT = 36_500
WEEKS_LIMIT = 520
RATE_LIMIT = 10_000_000
LIMIT_LIMIT = 2**31 - 1
PEOPLE_LIMIT = 1_000
TOKENS_LIMIT = 8_000
_KIND = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_LABEL = r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_ADDRESS = rf"^https://({_LABEL}\.)+[A-Za-z]([A-Za-z0-9_-]{{0,61}}[A-Za-z0-9_])?(:[1-9][0-9]{{0,3}})?(/[!-\"$-~]*)?$"
_PRINTABLE = rf"^[^{CONTROL}{UNSEEN}]*[^\s{CONTROL}{UNSEEN}][^{CONTROL}{UNSEEN}]*$"
_PLACE = re.compile(r"[0-9]{1,18}")
_CHANGE = re.compile(r"[0-9]{1,18}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HIDDEN = re.compile(f"[{CONTROL}{UNSEEN}]")


@dataclass(frozen=True, slots=True, eq=False)
class ArgumentRule:
    """The constraints of an argument as a JSON schema. The functions below enforce them."""

    schema: Mapping[str, Any]
    in_text: Mapping[str, Any] | None = None
    """The schema in a URL, if it differs."""
    parse: Callable[[object], Any] | None = None
    """Parses it from JSON or text, if it is another type."""
    holds_text: bool = False
    """It is not a name, and may be free text."""


Kind = Annotated[str, ArgumentRule({"type": "string", "pattern": f"^{_KIND.pattern}$"})]
Name = Annotated[str, ArgumentRule({"type": "string", "minLength": 1, "maxLength": ID_LIMIT, "pattern": _PRINTABLE})]
Url = Annotated[str, ArgumentRule({"type": "string", "maxLength": 2_000, "pattern": _ADDRESS})]
Days = Annotated[int, ArgumentRule({"type": "integer", "minimum": 1, "maximum": DAYS_LIMIT})]
Weeks = Annotated[int, ArgumentRule({"type": "integer", "minimum": 1, "maximum": WEEKS_LIMIT})]
Rate = Annotated[int, ArgumentRule({"type": "integer", "minimum": 1, "maximum": RATE_LIMIT})]
Count = Annotated[int, ArgumentRule({"type": "integer", "minimum": 0, "maximum": LIMIT_LIMIT})]
People = Annotated[int, ArgumentRule({"type": "integer", "minimum": 1, "maximum": PEOPLE_LIMIT})]
Tokens = Annotated[int, ArgumentRule({"type": "integer", "minimum": 1, "maximum": TOKENS_LIMIT})]
Limit = Annotated[int, ArgumentRule({"type": "integer", "minimum": 1, "maximum": PAGE_LIMIT})]
Share = Annotated[float, ArgumentRule({"type": "number", "minimum": 0, "maximum": 1})]
Step = Annotated[float, ArgumentRule({"type": "number", "minimum": -1, "maximum": 1})]
Span = Annotated[str, ArgumentRule({"type": "string", "pattern": "^([1-9][0-9]{0,3}d|[1-9][0-9]{0,2}w|all)$"})]
"""A period in days or weeks, such as 30d or 4w; or all."""
Place = Annotated[str, ArgumentRule({"type": "string", "pattern": f"^{_PLACE.pattern}$"})]
"""A cursor into the log."""
Change = Annotated[str, ArgumentRule({"type": "string", "pattern": f"^{_CHANGE.pattern}$"})]
"""A cursor into a list ordered by last change."""


def kind(value: object) -> str:
    if isinstance(value, str) and _is_kind(value):
        return value
    raise InvalidKind(f"{value!r} is not a kind of event.", hint=_kind_hint(value))


@lru_cache(maxsize=1024)
def _is_kind(value: str) -> bool:
    return _KIND.fullmatch(value) is not None


def identifier(value: object, name: str) -> str:
    """An id that the caller chose: any short printable text, but not empty."""
    if isinstance(value, str) and value.isascii() and is_visible(value) and 0 < len(value) <= ID_LIMIT:
        return value
    return _odd_identifier(value, name)


def is_visible(value: str) -> bool:
    """Whether a name is fully visible, on one line and in writing order, so that two that look alike are equal."""
    return not value.isspace() and _HIDDEN.search(value) is None


def whole(value: object, name: str, most: int, least: int = 1) -> int:
    if type(value) is int and least <= value <= most:
        return value
    raise InvalidInput(f"{name} is {value!r}.", hint=f"Pass a whole number from {least:,} to {most:,}.")


def listed(values: object, name: str) -> frozenset[str]:
    """Several ids or names, in any order."""
    if isinstance(values, str | bytes) or not isinstance(values, Collection):
        raise InvalidInput(f"{name} must be a list, not {values!r}.", hint=f"Pass {name}=['one', 'another'].")
    return frozenset(identifier(value, name) for value in values)


def page_limit(value: object) -> int:
    return whole(value, "limit", PAGE_LIMIT)


def place(cursor: object) -> int:
    if isinstance(cursor, str) and _PLACE.fullmatch(cursor):
        return int(cursor)
    raise InvalidInput("Invalid cursor.", hint="Pass the `next` of the previous page unchanged.")


def change(cursor: object) -> tuple[int, str]:
    if isinstance(cursor, str) and _CHANGE.fullmatch(cursor):
        when, _, id = cursor.partition(".")
        return int(when), id
    raise InvalidInput("Invalid cursor.", hint="Pass the `next` of the previous page unchanged.")


def limit(value: object) -> int:
    return whole(value, "limit", LIMIT_LIMIT, least=0)


def _odd_identifier(value: object, name: str) -> str:
    """Raises the error that applies; or accepts it, because non-ASCII text needs a closer look."""
    if not isinstance(value, str):
        raise InvalidId(f"{name} must be text, not {type(value).__name__}.", hint=f"Pass str({name}).")
    if not value.strip():
        raise InvalidId(f"{name} is empty.", hint=f"Pass the {name} as text, or leave it out.")
    if len(value) > ID_LIMIT:
        raise InvalidId(
            f"{name} has {len(value):,} characters; {ID_LIMIT} are allowed.",
            hint="Use an id or a short name here and put long text into before, after or meta.",
        )
    if (hidden := _HIDDEN.search(value)) is not None:
        raise InvalidId(
            f"{name} contains an invisible character, U+{ord(hidden[0]):04X}: {value!a}.",
            hint="Remove line breaks, control, zero-width and bidirectional characters.",
        )
    if not _is_utf8(value):
        raise InvalidId(f"{name} contains invalid Unicode: {value!a}.", hint="Send valid text.")
    return value


def _is_utf8(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind_hint(value: object) -> str:
    rule = "A kind is upper case with underscores, at most 64 characters"
    suggestion = re.sub(r"[^A-Z0-9]+", "_", str(value).upper()).strip("_")[:64]
    if _KIND.fullmatch(suggestion):
        return f"{rule}: {suggestion}."
    return f"{rule}, such as MAPPING_CONFIRMED."
