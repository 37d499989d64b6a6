"""Signed exports (Ed25519): verifies the author, and that the file was not changed since."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from heedful.errors import InvalidLearnings, Misconfigured, MissingExtra
from heedful.records.sharing import FileSignature

_ALGORITHM = "ed25519"


def sign(checksum: str, private_key: bytes) -> FileSignature:
    serialization, ed25519 = _library()
    try:
        key = serialization.load_pem_private_key(private_key, password=None)
    except (ValueError, TypeError) as error:
        raise Misconfigured(f"The private key cannot be read: {error}.", hint=_MAKE) from None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise Misconfigured("The private key is not an Ed25519 key.", hint=_MAKE)
    public = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return FileSignature(_ALGORITHM, _text(public), _text(key.sign(checksum.encode())))


def require_genuine(checksum: str, signature: FileSignature) -> None:
    """Rejects a file that another key signed, or that was changed after it was signed."""
    _, ed25519 = _library()
    try:
        if signature.algorithm != _ALGORITHM:
            raise ValueError(signature.algorithm)  # noqa: TRY301
        key = ed25519.Ed25519PublicKey.from_public_bytes(_bytes(signature.public_key))
        key.verify(_bytes(signature.value), checksum.encode())
    except Exception as error:
        from cryptography.exceptions import InvalidSignature

        if not isinstance(error, InvalidSignature | ValueError):
            raise
        raise InvalidLearnings(
            "The signature does not match: the file was changed after it was signed.",
            hint="Ask its author for the file again.",
        ) from None


_MAKE = "Make one with: openssl genpkey -algorithm ed25519 -out heedful-key.pem"


def _library() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtra(
            "Signatures need a library that is not installed.", hint="Run: pip install 'heedful[signing]'"
        ) from None
    return serialization, ed25519


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None
