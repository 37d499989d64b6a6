"""Whether a message can be read sentence by sentence: not one that is shouted, that is mostly a list of fragments, or
that is written in letters which the reader has not learned. It is heard all the same, and believed less."""

from __future__ import annotations

import unicodedata

_READ = 2_000  # characters
_LETTERS = 20  # of which too few tell nothing
_SHOUTED, _FOREIGN = 0.7, 0.3  # shares of the letters
_LINES, _LINE = 6, 40  # lines, and characters of the middle one


def is_hard_to_read(text: str) -> bool:
    letters = [letter for letter in text[:_READ] if letter.isalpha()]
    if _is_a_list(text[:_READ]):
        return True
    if len(letters) < _LETTERS:
        return any(map(_is_foreign, letters))
    shouted = sum(letter.isupper() for letter in letters) >= _SHOUTED * len(letters)
    return shouted or sum(map(_is_foreign, letters)) >= _FOREIGN * len(letters)


def _is_a_list(text: str) -> bool:
    lines = sorted(len(line.strip()) for line in text.splitlines() if line.strip())
    return len(lines) >= _LINES and lines[len(lines) // 2] < _LINE


def _is_foreign(letter: str) -> bool:
    return letter > "\u024f" and "LATIN" not in unicodedata.name(letter, "")
