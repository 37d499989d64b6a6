"""Damage: how what was written is told from what became of it, and what to do then."""

from __future__ import annotations

from zlib import crc32

from heedful.errors import StoreDamaged

WHAT_TO_DO = (
    "See how much: heedful doctor. Then move the file away and restore a backup: heedful restore PATH;"
    " or what can still be read: heedful restore --salvage PATH"
)


def checksum(*columns: str | int | None, blob: bytes = b"") -> int:
    """Tells any change of a few bits, or of a stretch of 32, for certain, and any other but for one in four billion."""
    return crc32(blob, crc32("\x1f".join(map(str, columns)).encode("utf-8", "surrogatepass")))


def damaged(what: str) -> StoreDamaged:
    """Names no more than a place: what is stored is nobody's business who reads an error."""
    return StoreDamaged(f"The database is damaged: {what} is not what was written.", hint=WHAT_TO_DO)
