"""A small PDF writer for sample documents: text in the standard fonts, lines and filled areas.

The same input gives the same bytes: there are no times and no random ids in a file.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from unicodedata import normalize

Align = Literal["left", "right", "centre"]
Colour = float | tuple[float, float, float]
"""A grey from 0 (black) to 1 (white), or red, green and blue."""

A4 = (595.0, 842.0)
LETTER = (612.0, 792.0)

# The standard fonts are not embedded, so a writer must know how wide their letters are, in thousandths of the size.
# Letters with accents are as wide as those without, except the i.
_WIDTHS = {
    "Helvetica": {
        191: "'", 222: "ijl‘’‚", 260: "|", 278: " !,./:;I[\\]ft·ìíîï", 333: '()-`r“”„', 334: "{}", 350: "•", 355: '"',
        389: "*", 400: "°", 469: "^", 500: "Jcksvxyz", 556: "#$0123456789?L_abdeghnopqu€£§–«»", 584: "+<=>~×",
        611: "FTZßø", 667: "&ABEKPSVXY", 722: "CDHNRUw", 778: "GOQØ", 833: "Mm", 889: "%æ", 944: "Wœ", 1000: "—…",
        1015: "@",
    },
    "Helvetica-Bold": {
        238: "'", 278: " ,./I\\ijl·ìíîï‘’‚", 280: "|", 333: "!()-:;[]`ft", 350: "•", 389: "*r{}", 400: "°", 474: '"',
        500: "z“”„", 556: "#$0123456789J_aceksvxy€£§–«»", 584: "+<=>^~×", 611: "?FLTZbdghnopqußø", 667: "EPSVXY",
        722: "&ABCDHKNRU", 778: "GOQwØ", 833: "M", 889: "%mæ", 944: "Wœ", 975: "@", 1000: "—…",
    },
    "Times-Roman": {
        180: "'", 200: "|", 250: " ,.·", 278: "/:;\\ijltìíîï", 333: "!()-I[]`fr‘’‚", 350: "•", 389: "Js", 400: "°",
        408: '"', 444: "?acez“”„", 469: "^", 480: "{}", 500: "#$*0123456789_bdghknopquvxyßø€£§–«»", 541: "~",
        556: "FPS", 564: "+<=>×", 611: "ELTZ", 667: "BCRæ", 722: "ADGHKNOQUVXYwØœ", 778: "&m", 833: "%", 889: "M",
        921: "@", 944: "W", 1000: "—…",
    },
    "Times-Bold": {
        220: "|", 250: " ,.·", 278: "'/\\ilìíîï", 333: "!()-:;[]`fjt‘’‚", 350: "•", 389: "Is", 394: "{}", 400: "°",
        444: "cerz", 500: "#$*0123456789?J_agovxyø€£§–«»“”„", 520: "~", 555: '"', 556: "Sbdhknpquß", 570: "+<=>×",
        581: "^", 611: "FP", 667: "BELTZ", 722: "ACDNRUVXYwæœ", 778: "GHKOQØ", 833: "&m", 930: "@", 944: "M",
        1000: "%W—…",
    },
    "Courier": {},
    "Courier-Bold": {},
}  # fmt: skip
_WIDTH_OF = {
    font: {letter: width for width, letters in groups.items() for letter in letters} for font, groups in _WIDTHS.items()
}
FONTS = tuple(_WIDTHS)


def width_of(text: str, font: str = "Helvetica", size: float = 9) -> float:
    """How wide a text is, in points."""
    if font.startswith("Courier"):
        return len(text) * 0.6 * size
    widths = _WIDTH_OF[font]
    return sum(widths.get(letter) or widths.get(normalize("NFKD", letter)[0], 500) for letter in text) * size / 1000


class Column(NamedTuple):
    """Of a table: where it starts, or ends if it is aligned right."""

    title: str
    x: float
    align: Align = "left"


class Page:
    """One page. Positions are in points from its top left corner; text stands on its y."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.drawing: list[str] = []

    def text(
        self, x: float, y: float, text: str, *, font: str = "Helvetica", size: float = 9, align: Align = "left",
        colour: Colour = 0.0,
    ) -> None:  # fmt: skip
        """`x` is where the text starts, ends or has its middle, as it is aligned."""
        if not text:
            return
        x -= {"left": 0.0, "centre": 0.5, "right": 1.0}[align] * width_of(text, font, size)
        escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        self.drawing.append(
            f"BT /F{FONTS.index(font)} {_number(size)} Tf {_colour(colour)} "
            f"{_number(x)} {_number(self.height - y)} Td ({escaped}) Tj ET"
        )

    def texts(
        self, x: float, y: float, texts: Sequence[str], *, leading: float = 12, font: str = "Helvetica",
        size: float = 9, align: Align = "left", colour: Colour = 0.0,
    ) -> None:  # fmt: skip
        """Several lines of text below one another."""
        for number, text in enumerate(texts):
            self.text(x, y + number * leading, text, font=font, size=size, align=align, colour=colour)

    def row(
        self, y: float, columns: Sequence[Column], texts: Sequence[str] | None = None, *, font: str = "Helvetica",
        size: float = 9, colour: Colour = 0.0,
    ) -> None:  # fmt: skip
        """A row of a table; without texts the titles of its columns."""
        for column, text in zip(columns, texts or [column.title for column in columns], strict=True):
            self.text(column.x, y, text, font=font, size=size, align=column.align, colour=colour)

    def line(
        self, x0: float, y0: float, x1: float, y1: float, *, width: float = 0.5, colour: Colour = 0.0
    ) -> None:  # fmt: skip
        start, end = self._points([(x0, y0), (x1, y1)])
        self.drawing.append(f"{_colour(colour, stroke=True)} {_number(width)} w {start} m {end} l S")

    def rectangle(
        self, x: float, y: float, width: float, height: float, *, fill: Colour | None = None, border: float = 0.0
    ) -> None:
        """From its top left corner; `border` is the thickness of the line around it."""
        self.polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], fill=fill, border=border)

    def polygon(
        self, points: Sequence[tuple[float, float]], *, fill: Colour | None = None, border: float = 0.0
    ) -> None:  # fmt: skip
        first, *others = self._points(points)
        how = {(True, True): "b", (True, False): "f", (False, True): "s", (False, False): "n"}[
            fill is not None, border > 0
        ]
        colours = [_colour(0.0 if fill is None else fill), _colour(0.0, stroke=True)]
        path = " ".join([f"{first} m", *(f"{point} l" for point in others), how])
        self.drawing.append(f"{' '.join(colours)} {_number(border)} w {path}")

    def _points(self, points: Sequence[tuple[float, float]]) -> list[str]:
        return [f"{_number(x)} {_number(self.height - y)}" for x, y in points]


class Pdf:
    """A document. `compress` makes it smaller; its bytes then depend on the version of zlib."""

    def __init__(self, title: str = "", author: str = "", *, compress: bool = False) -> None:
        self.title, self.author, self.compress = title, author, compress
        self.pages: list[Page] = []

    def page(self, size: tuple[float, float] = A4) -> Page:
        """Adds a page of that width and height."""
        self.pages.append(Page(*size))
        return self.pages[-1]

    def content(self) -> bytes:
        """The file."""
        written, offsets = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
        for number, content in enumerate(self._objects(), start=1):
            offsets.append(len(written))
            written += b"%d 0 obj\n%b\nendobj\n" % (number, content)
        table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
        written += (
            f"xref\n0 {len(offsets) + 1}\n0000000000 65535 f \n{table}"
            f"trailer\n<< /Size {len(offsets) + 1} /Root 1 0 R /Info 3 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
        ).encode()
        return bytes(written)

    def _objects(self) -> Iterator[bytes]:
        """In the order of their numbers: catalog, pages, information, fonts, then each page and its drawing."""
        first = 4 + len(FONTS)
        kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(self.pages)))
        fonts = " ".join(f"/F{number} {4 + number} 0 R" for number in range(len(FONTS)))
        yield b"<< /Type /Catalog /Pages 2 0 R >>"
        yield f"<< /Type /Pages /Count {len(self.pages)} /Kids [{kids}] >>".encode()
        yield f"<< /Title {_string(self.title)} /Author {_string(self.author)} >>".encode()
        for font in FONTS:
            yield f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding >>".encode()
        for number, page in enumerate(self.pages):
            size = f"{_number(page.width)} {_number(page.height)}"
            yield (
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size}] /Resources << /Font << {fonts} >> >> "
                f"/Contents {first + 2 * number + 1} 0 R >>"
            ).encode()
            yield self._stream("\n".join(page.drawing).encode("cp1252"))

    def _stream(self, drawing: bytes) -> bytes:
        how = b""
        if self.compress:
            drawing, how = zlib.compress(drawing), b" /Filter /FlateDecode"
        return b"<< /Length %d%b >>\nstream\n%b\nendstream" % (len(drawing), how, drawing)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _colour(colour: Colour, *, stroke: bool = False) -> str:
    parts = colour if isinstance(colour, tuple) else (colour, colour, colour)
    return " ".join([*map(_number, parts), "RG" if stroke else "rg"])


def _string(text: str) -> str:
    """In UTF-16 with a byte order mark, as hexadecimal digits."""
    return f"<feff{text.encode('utf-16-be').hex()}>"
