"""The hold-out: a share of learnings is withheld, by a stable hash, to measure whether they help."""

from __future__ import annotations

from hashlib import blake2b

from heedful.errors import InvalidInput

MOST = 0.5
"""The largest share that can be withheld."""
_BYTES = 8
_HASHES = float(256**_BYTES)


def checked_share(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST:
        return float(value)
    raise InvalidInput(f"hold_out is {value!r}.", hint=f"Pass a share from 0 to {MOST}; 0 withholds nothing.")


def is_withheld(learning: str, unit: str, share: float) -> bool:
    """The same learning is always withheld from the same unit, and independently of other learnings."""
    if not share:
        return False
    named = f"{len(learning)}:{learning}{unit}".encode("utf-8", "replace")
    place = int.from_bytes(blake2b(named, digest_size=_BYTES).digest())
    return place < share * _HASHES
