"""The canonical text of a learning, for exact dedupe.

Case, white space, dates, issue numbers, placeholders and URL queries do not count. Every other number does: `retry 3`
is not `retry 5`. A colour such as #333 is not an issue number in a text about colours.
"""

from __future__ import annotations

import re
from hashlib import sha256
from unicodedata import normalize

_LONGEST = 16_384  # characters; a learning has 2,000

_QUERY = re.compile(r"(\b[a-z][a-z0-9+.\-]{1,9}://[^\s?#<>\"')\]]{1,2000})\?[^\s#<>\"')\]]*")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:z|[+-]\d{2}:?\d{2})?)?\b")
_ISSUE = re.compile(r"(?<![\w&/#])#\d{1,7}\b")
_COLOURED = re.compile(r"\b(?:colou?rs?|background|css|hex|fill|border)\b")
_PLACEHOLDER = re.compile(r"([\[<{]{1,2}[a-z][a-z0-9_]{1,30}?)(?::[0-9a-f]{4}|[_\-]\d{1,6})([\]>}]{1,2})")


def canonical(topic: str, title: str, content: str) -> str:
    """The SHA-256 of the canonical text, in hexadecimal."""
    text = f"{topic}:{canonical_text(title)} {canonical_text(content)}"
    return sha256(text.encode(errors="replace")).hexdigest()


def canonical_text(text: str) -> str:
    text = " ".join(_composed(text[:_LONGEST]).lower().split())
    text = _PLACEHOLDER.sub(r"\1\2", _DATE.sub("DATE", _QUERY.sub(r"\1", text)))
    return text if _COLOURED.search(text) else _ISSUE.sub("ISSUE", text)


def _composed(text: str) -> str:
    if text.isascii():
        return text
    # Sorting a run of accents takes quadratic time, so long words are cut.
    words = (word[start : start + 256] for word in text.split() for start in range(0, len(word), 256))
    return " ".join(normalize("NFC", word) for word in words)
