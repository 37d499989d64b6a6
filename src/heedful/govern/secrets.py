"""Secrets: 256 random bits behind a prefix that tells what it is, kept as a hash where a hash will do."""

from __future__ import annotations

import hashlib
import secrets

KEY = "hf_"
SIGN_IN = "hfs_"


def new(prefix: str = "") -> str:
    return prefix + secrets.token_urlsafe(32)


def hashed(secret: str) -> str:
    """Nobody can guess 256 bits, however fast the hash: so no salt, and finding a key takes one look."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
