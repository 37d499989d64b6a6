"""Draws a page with PDFium, and encodes it as PNG. Runs in the worker."""

from __future__ import annotations

import ctypes
import struct
import zlib
from typing import Any

from heedful.errors import InvalidInput
from heedful.providers.pdf.reading import loaded, opened, size

_PIXELS = 16_000_000  # of a picture: 2,000 by 8,000
_LEVEL = 3  # of compression: 5% larger than by default, in less than half of the time
_WHITE = 0xFFFFFFFF


def image(pdfium: Any, content: bytes, number: int, width: int) -> bytes:
    """The page, counted from 1, narrower than `width` only if it would have too many pixels."""
    with opened(pdfium, content) as document:
        count = pdfium.FPDF_GetPageCount(document)
        if not 1 <= number <= count:
            raise InvalidInput(f"There is no page {number}.", hint=f"Pass a page from 1 to {count}.")
        with loaded(pdfium, document, number - 1) as page:
            wide, high = size(pdfium, page, number - 1)
            width = max(1, min(width, int((_PIXELS * wide / high) ** 0.5)))
            height = max(1, min(round(width * high / wide), _PIXELS // width))
            return _png(width, height, _pixels(pdfium, page, width, height))


def _pixels(pdfium: Any, page: Any, width: int, height: int) -> bytes:
    """Red, green and blue of every pixel. Annotations are drawn as they are; their scripts and forms do not run."""
    buffer = ctypes.create_string_buffer(3 * width * height)
    bitmap = pdfium.FPDFBitmap_CreateEx(width, height, pdfium.FPDFBitmap_BGR, buffer, 3 * width)
    if not bitmap:
        raise MemoryError
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
        flags = pdfium.FPDF_ANNOT | pdfium.FPDF_REVERSE_BYTE_ORDER
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    return buffer.raw


def _png(width: int, height: int, pixels: bytes) -> bytes:
    row = 3 * width
    lines = b"".join(b"\0" + pixels[start : start + row] for start in range(0, len(pixels), row))  # 0: unfiltered
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits of each of red, green and blue
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, _LEVEL)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
