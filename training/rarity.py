"""Counts how many exchanges have a word, and writes src/heedful/text/common_words.txt.

    python -m training.rarity

In a store of a few learnings, how often a word occurs there says little about how rare it is. A line of the file has
the words that occur about half as often as those of the line before it, without those that few exchanges have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import log2

from heedful.text.rarity import WORDS
from heedful.text.terms import terms
from training.rows import exchanges

FEWEST = 6  # exchanges; a rarer word is as rare as one that none has


def main() -> None:
    rows = exchanges()
    counts = Counter(one for row in rows for one in {*terms(f"{row['question']}\n{row['output']}\n{row['message']}")})
    levels: dict[int, list[str]] = defaultdict(list)
    for word, count in counts.items():
        if count >= FEWEST and word.isalpha():
            levels[round(log2(len(rows) / count))].append(word)
    lines = (" ".join(sorted(levels[level])) for level in range(max(levels) + 1))
    WORDS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{sum(map(len, levels.values())):,} words, {len(levels)} levels, {WORDS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
