"""Detecting damage: checksums, and the error with what to do."""

from __future__ import annotations

from zlib import crc32

from heedful.errors import StoreDamaged

WHAT_TO_DO = (
    "See how much: heedful doctor. Then move the file away and restore a backup: heedful restore PATH;"
    " or what can still be read: heedful restore --salvage PATH"
)


def checksum(*columns: str | int | None, blob: bytes = b"") -> int:
    """CRC-32: detects any change of a few bits, or within 32 bits; misses one in four billion others."""
    return crc32(blob, crc32("\x1f".join(map(str, columns)).encode("utf-8", "surrogatepass")))


def damaged(what: str) -> StoreDamaged:
    """The error names where, and never quotes what is stored."""
    return StoreDamaged(f"The database is damaged: {what} is not what was written.", hint=WHAT_TO_DO)
