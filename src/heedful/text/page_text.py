"""The words of pages as running text."""

from __future__ import annotations

from heedful.records.document import DocumentText
from heedful.text.rows import rows


def plain(text: DocumentText, most: int) -> str:
    """The beginning of a document's text, a row a line, an empty line between pages."""
    lines: list[str] = []
    size = 0
    for page in text.pages:
        for row in rows(page):
            lines.append(" ".join(word.text for word in row))
            size += len(lines[-1]) + 1
            if size > most:
                return "\n".join(lines)[:most]
        lines.append("")
    return "\n".join(lines).strip()[:most]
