"""Writes small PDF files, good and bad."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Sequence

A4 = (0, 0, 595, 842)
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_IDENTIFIER = b"0123456789abcdef"


def line(x: float, y: float, text: str, *, size: int = 12) -> bytes:
    """Draws a text that begins at x and stands on y, counted from the bottom left corner in points."""
    shown = text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    return b"BT /F1 %d Tf 1 0 0 1 %.10g %.10g Tm (%s) Tj ET\n" % (size, x, y, shown)


def pdf(
    *contents: bytes,
    box: Sequence[float] = A4,
    page: str = "",
    resources: bytes = b"",
    more: Sequence[bytes] = (),
    catalog: bytes = b"",
    user_password: str | None = None,
) -> bytes:
    """A file with a page for each of the contents. `more` are objects from number 4 on; the pages follow."""
    first = 4 + len(more)
    kids = b" ".join(b"%d 0 R" % (first + 2 * index) for index in range(len(contents)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog,
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(contents), kids),
        FONT,
        *more,
    ]
    encrypt, trailer = _encryption(user_password)
    for content in contents:
        number = len(objects) + 1
        size = " ".join(f"{edge:.10g}" for edge in box)
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[{size}]{page}/Contents {number + 1} 0 R".encode()
            + b"/Resources<</Font<</F1 3 0 R>>%s>>>>" % resources
        )
        objects.append(stream(encrypt(number + 1, content)))
    return _file(objects, trailer)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(content), content)


def bomb(megabytes: int) -> bytes:
    """A page whose content is small in the file only."""
    packer = zlib.compressobj(9)
    part = b"0 0 m\n" * 174_763
    packed = b"".join(packer.compress(part) for _ in range(megabytes)) + packer.flush()
    return _file(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>",
            stream(packed, b"/Filter/FlateDecode"),
        ]
    )


def slow() -> bytes:
    """Ten forms, each of which draws the next one ten times."""
    forms = [
        stream(
            b"/X Do\n" * 10 if level < 9 else line(9, 9, "x"),
            b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>" % (5 + level),
        )
        for level in range(10)
    ]
    return pdf(b"/X Do", resources=b"/XObject<</X 4 0 R>>", more=forms)


def _file(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    written, places = b"%PDF-1.7\n", []
    parts = [written]
    length = len(written)
    for number, content in enumerate(objects, 1):
        places.append(length)
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
        length += len(parts[-1])
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    parts += [b"%010d 00000 n \n" % place for place in places]
    parts.append(b"trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, length))
    return b"".join(parts)


def _encryption(password: str | None) -> tuple[Callable[[int, bytes], bytes], bytes]:
    """RC4 with 40 bits, the oldest of the standard: how to encrypt a stream, and the entries of the trailer."""
    if password is None:
        return (lambda _, content: content), b""
    padded = (password.encode() + _PADDING)[:32]
    owner = _rc4(hashlib.md5((b"owner" + _PADDING)[:32]).digest()[:5], padded)
    rights = (-4).to_bytes(4, "little", signed=True)
    key = hashlib.md5(padded + owner + rights + _IDENTIFIER).digest()[:5]

    def encrypt(number: int, content: bytes) -> bytes:
        return _rc4(hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10], content)

    standard = b"/Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>" % (
        owner.hex().encode(),
        _rc4(key, _PADDING).hex().encode(),
    )
    identifier = _IDENTIFIER.hex().encode()
    return encrypt, b"/Encrypt<<%s>>/ID[<%s><%s>]" % (standard, identifier, identifier)


def _rc4(key: bytes, content: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    result = bytearray()
    i = j = 0
    for byte in content:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        result.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(result)
