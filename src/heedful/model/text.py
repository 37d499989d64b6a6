"""Texts that are handed in: that they are text, and not too long."""

from __future__ import annotations

from heedful.errors import InvalidInput, InvalidPayload
from heedful.model.json import encode


def checked_text(value: object, name: str, most: int, *, hint: str = "Send the passage that it is about.") -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be text, not {type(value).__name__}.", hint=f"Pass {name} as a string.")
    if len(value) > most:
        raise InvalidInput(f"{name} has {len(value):,} characters; {most:,} are allowed.", hint=hint)
    try:
        encode([value], name)
    except InvalidPayload:
        raise InvalidInput(f"{name} holds broken Unicode.", hint="Send valid text.") from None
    return value


def clipped(text: str, most: int) -> str:
    """Its beginning, on one line."""
    text = " ".join(text[: 4 * most].split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
