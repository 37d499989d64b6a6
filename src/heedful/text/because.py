"""The reason that a sentence gives for what it says."""

from __future__ import annotations

import re

_BECAUSE = re.compile(
    r"[\s,;(–—-](?:because|weil|denn|parce que|puisque|porque)\s+(?P<why>[^.!?\n]{6,300})"
    r"|,\s*(?:since|as|da|car|ya que|já que)\s+(?P<since>(?!\d)[^.!?\n]{6,300})",
    re.IGNORECASE,
)


def reason_in(text: str) -> str:
    """In the words of the text; empty if it gives none."""
    found = _BECAUSE.search(text)
    return "" if found is None else (found["why"] or found["since"]).strip(" ,;:)–—-")
