"""What may be an id, a kind, an organisation: the rules for short texts, once."""

from __future__ import annotations

import re
from functools import lru_cache

from heedful.errors import InvalidId, InvalidKind

ID_LIMIT = 200
_KIND = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@lru_cache(maxsize=1024)
def kind(value: str) -> str:
    if not isinstance(value, str) or not _KIND.fullmatch(value):
        raise InvalidKind(f"{value!r} is not a kind of event.", hint=_kind_hint(value))
    return value


def identifier(value: str, name: str) -> str:
    """An id someone else chose: any short printable text will do, but it must be there."""
    if isinstance(value, str) and value.isprintable() and not value.isspace() and 0 < len(value) <= ID_LIMIT:
        return value
    _refuse_bad_identifier(value, name)
    return value


def _refuse_bad_identifier(value: object, name: str) -> None:
    if not isinstance(value, str):
        raise InvalidId(f"{name} must be text, not {type(value).__name__}.", hint=f"Pass str({name}).")
    if not value.strip():
        raise InvalidId(f"{name} is empty.", hint=f"Pass the {name} as text, or leave it out.")
    if len(value) > ID_LIMIT:
        raise InvalidId(
            f"{name} has {len(value):,} characters; {ID_LIMIT} are allowed.",
            hint="Use an id or a short name here and put long text into before, after or meta.",
        )
    if _CONTROL.search(value) or not _is_utf8(value):
        raise InvalidId(
            f"{name} holds characters that are not text: {value!r}.",
            hint="Remove line breaks, control characters and broken Unicode.",
        )


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
