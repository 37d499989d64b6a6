"""Validation of texts that callers pass in, and removal of invisible characters."""

from __future__ import annotations

import re
import unicodedata

from heedful.errors import InvalidInput, InvalidPayload
from heedful.records.json import encode
from heedful.records.names import UNSEEN

_UNSEEN = re.compile(f"[{UNSEEN}]")
_JOINING = re.compile(r"(?<=[^\x00-\x7f])[\u200c\u200d\ufe0e\ufe0f](?=[^\x00-\x7f]|$|\s)")


def checked_text(value: object, name: str, most: int, *, hint: str = "Send the passage that it is about.") -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be text, not {type(value).__name__}.", hint=f"Pass {name} as a string.")
    if len(value) > most:
        raise InvalidInput(f"{name} has {len(value):,} characters; {most:,} are allowed.", hint=hint)
    try:
        encode([value], name)
    except InvalidPayload:
        raise InvalidInput(f"{name} contains invalid Unicode.", hint="Send valid text.") from None
    return value


def visible(text: str) -> str:
    """Removes invisible characters. Joiners stay where scripts and emoji need them."""
    if text.isascii() and text.isprintable():
        return text
    joining = {found.start() for found in _JOINING.finditer(text)}
    return "".join(letter if place in joining else _seen(letter) for place, letter in enumerate(text))


def _seen(letter: str) -> str:
    if letter in "\n\t" or (letter.isprintable() and not _UNSEEN.match(letter)):
        return letter
    if letter.isspace() or letter < " " or "\x7f" <= letter <= "\x9f":
        return letter if unicodedata.category(letter) == "Zs" else " "
    return ""


def clipped(text: str, most: int) -> str:
    """The beginning of a text, on one line."""
    text = " ".join(text[: 4 * most].split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
