"""Characters that names must not contain, as regular expression classes."""

from __future__ import annotations

CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
"""Line breaks and terminal control characters."""

UNSEEN = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Invisible characters: zero-width, bidirectional, and those that hide others."""
