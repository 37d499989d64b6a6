"""Validates the fields of learnings from outside: their types and lengths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heedful.errors import InvalidInput
from heedful.learnings.content import checked_content
from heedful.records.correction import TEXT_LIMIT, share
from heedful.records.insight import TAGS_MOST, TITLE_LIMIT
from heedful.records.names import listed
from heedful.text.checks import checked_text

_TEXTS = {
    "wrong": TEXT_LIMIT,
    "right": TEXT_LIMIT,
    "why": TEXT_LIMIT,
    "fixed": TEXT_LIMIT,
    "understood": TEXT_LIMIT,
    "title": TITLE_LIMIT,
}


def checked_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same fields, validated and trimmed. Unknown fields are left unchanged."""
    return {name: _checked(name, value) for name, value in given.items()}


def _checked(name: str, value: Any) -> Any:
    if name in _TEXTS:
        return checked_text(value, name, _TEXTS[name]).strip()
    if name == "content":
        return checked_content(value)
    if name == "always":
        if not isinstance(value, bool):
            raise InvalidInput(f"always is {value!r}.", hint="Pass True or False.")
        return value
    if name == "severity":
        return round(share(value, "severity"), 3)
    return tuple(sorted(listed(value, "tags")))[:TAGS_MOST] if name == "tags" else value
