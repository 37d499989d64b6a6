"""Secrets: 256 random bits behind a prefix that tells what it is, kept as a hash where a hash will do.

What people handle (keys, links) ends in a checksum, as scanners for leaked secrets like it: one that was mistyped or
made up is told from a real one without asking anybody.
"""

from __future__ import annotations

import hashlib
import secrets
from string import ascii_letters, digits
from zlib import crc32

KEY = "heedful_key_"
SIGN_IN = "heedful_link_"
_ALPHABET = digits + ascii_letters
_RANDOM = 43  # letters and digits, which are 256 bits
_CHECKSUM = 6


def new(prefix: str) -> str:
    """Something for people to keep: `heedful_key_`, 43 random letters and digits, and six that check them."""
    random = prefix + "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM))
    return random + _checksum(random)


def shared() -> str:
    """Something for servers alone."""
    return secrets.token_urlsafe(32)


def is_sound(secret: str, prefix: str) -> bool:
    """Whether it may be one of ours, as far as it tells itself."""
    if not secret.startswith(prefix) or len(secret) != len(prefix) + _RANDOM + _CHECKSUM or not secret.isascii():
        return False
    return secret.endswith(_checksum(secret[:-_CHECKSUM]))


def hashed(secret: str) -> str:
    """Nobody can guess 256 bits, however fast the hash: so no salt, and finding a key takes one look."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _checksum(text: str) -> str:
    number, found = crc32(text.encode()), ""
    for _ in range(_CHECKSUM):
        number, digit = divmod(number, len(_ALPHABET))
        found = _ALPHABET[digit] + found
    return found
