"""How rare a word is in what people and AIs say to each other, wherever it stands."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

WORDS: Final = Path(__file__).with_name("common_words.txt")
"""The words of a line occur half as often as those of the line before it (`training/rarity.py`)."""


def rarity(term: str) -> float:
    """From 0 for a word that stands in nearly every text to 1 for one that hardly any has."""
    levels, rarest = _levels()
    return levels.get(term, rarest) / rarest


@cache
def _levels() -> tuple[dict[str, int], int]:
    lines = WORDS.read_text(encoding="utf-8").splitlines()
    return {word: level for level, line in enumerate(lines) for word in line.split()}, len(lines)
