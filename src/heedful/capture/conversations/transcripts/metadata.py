"""Ids, names and times from other programs, validated."""

from __future__ import annotations

import hashlib
import math
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts.decoding import decode_json
from heedful.records.names import is_visible
from heedful.text.checks import clipped

_ID_CHARACTERS = 120
_TITLE_CHARACTERS = 200
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_OBJECT_BYTES = 1024 * 1024
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?\s?(Z|UTC|[+-]\d\d:?\d\d)?")
_TIME_CHARACTERS = 200
_LATEST = 253_402_300_799  # the last second of the year 9999
_MILLISECONDS, _MICROSECONDS = 1e11, 1e14  # as seconds, the first would lie 3,000 years ahead


def clean_id(value: object) -> str | None:
    """A usable id, or None. Integers are accepted; ids that are too long or not printable are hashed."""
    if type(value) is int:
        value = str(value) if abs(value) < 10**18 else None
    if not isinstance(value, str) or not value.strip():
        return None
    return value if len(value) <= _ID_CHARACTERS and value.isprintable() and is_visible(value) else digest(value)


def digest(*parts: object) -> str:
    joined = "\x1f".join(map(str, parts))
    return hashlib.sha256(joined.encode(errors="replace")).hexdigest()[:32]


def file_id(path: Path, *parts: object) -> str:
    """An id for a conversation without one, from a digest of its path."""
    return digest(path.resolve(), *parts)


def uuid_in_name(path: Path) -> str | None:
    """The UUID in a file name, if any."""
    found = _UUID.search(path.name)
    return found[0] if found else None


def read_object(path: Path) -> dict[str, Any]:
    """A small JSON file that says something of the transcript beside it; empty if there is none."""
    try:
        with path.open("rb") as file:
            value = decode_json(file.read(_OBJECT_BYTES))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def clean_title(value: object, most: int = _TITLE_CHARACTERS) -> str | None:
    if not isinstance(value, str):
        return None
    shown = "".join(c if c.isprintable() and is_visible(c) else " " for c in value[: 4 * most])
    return clipped(shown, most) or None


def parse_time(value: object) -> datetime | None:
    """A time in UTC; one without a zone is taken as UTC."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _since_epoch(value)
    if not isinstance(value, str):
        return None
    found = _TIME.search(value[:_TIME_CHARACTERS])
    if found is None:
        return None
    day, hours, fraction, zone = found.groups()
    zone = "+00:00" if zone in {None, "Z", "UTC"} else zone
    try:
        parsed = datetime.fromisoformat(f"{day}T{hours}{'.' + fraction[:6].ljust(6, '0') if fraction else ''}{zone}")
        return parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _since_epoch(value: float) -> datetime | None:
    try:
        seconds = float(value)
    except OverflowError:
        return None
    if seconds >= _MILLISECONDS:
        seconds /= 1e6 if seconds >= _MICROSECONDS else 1e3
    if not math.isfinite(seconds) or not 0 < seconds <= _LATEST:
        return None
    return datetime.fromtimestamp(seconds, UTC)
