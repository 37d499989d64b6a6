"""Secrets: 256 random bits behind a prefix, with a checksum, so that a mistyped one is rejected without a query."""

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
    """A secret for people: `heedful_key_`, 43 random letters and digits, and six of checksum."""
    random = prefix + "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM))
    return random + _checksum(random)


def shared() -> str:
    return secrets.token_urlsafe(32)


def is_sound(secret: str, prefix: str) -> bool:
    if not secret.startswith(prefix) or len(secret) != len(prefix) + _RANDOM + _CHECKSUM or not secret.isascii():
        return False
    return secret.endswith(_checksum(secret[:-_CHECKSUM]))


def hashed(secret: str) -> str:
    """256 random bits cannot be guessed, however fast the hash: so no salt, and a key is found by one lookup."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _checksum(text: str) -> str:
    number, found = crc32(text.encode()), ""
    for _ in range(_CHECKSUM):
        number, digit = divmod(number, len(_ALPHABET))
        found = _ALPHABET[digit] + found
    return found
