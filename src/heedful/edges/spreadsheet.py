"""Tables as CSV files that are safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def spreadsheet(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A CSV file. It begins with a byte order mark, without which spreadsheets misread letters such as ü."""
    return table_text(columns, rows, newline="\r\n").encode("utf-8-sig")


def table_text(columns: Sequence[str], rows: Iterable[Sequence[object]], *, newline: str = "\n") -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=newline)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    """Texts come from documents and people: none of them may act as a formula where the file is opened."""
    if isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA):
        return f"'{value}"
    return value.isoformat() if isinstance(value, date) else value
