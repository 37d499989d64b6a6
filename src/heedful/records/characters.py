"""Characters that no name may hold, as classes of a regular expression."""

from __future__ import annotations

CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
"""Characters that break lines and steer terminals, as a class of a regular expression has them."""

UNSEEN = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters that nobody sees: of no width, or turning the direction round, or made to hide others."""
