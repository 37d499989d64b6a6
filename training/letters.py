"""Counts which letters follow which in words and writes src/heedful/capture/sanitising/letters.txt.

The words are those of the standard library's sources: names, comments and docstrings, each word once a file. A line of
the file is a letter, a digit in it how often the letter at that place follows: 0 is 16 times less often than if letters
were drawn, 9 is 8 times more often.
"""

from __future__ import annotations

import re
import string
import sysconfig
from collections import Counter
from itertools import pairwise
from math import log2
from pathlib import Path

TABLE = Path(__file__).parent.parent / "src" / "heedful" / "capture" / "sanitising" / "letters.txt"
WORD = re.compile(r"[A-Z]?[a-z]{3,20}")
LOWEST, HIGHEST = -4.0, 3.0


def main() -> None:
    pairs: Counter[tuple[str, str]] = Counter()
    for source in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        words = {word.lower() for word in WORD.findall(source.read_text(encoding="utf-8", errors="replace"))}
        pairs.update(pair for word in words for pair in pairwise(word))
    letters = string.ascii_lowercase
    rows = []
    for first in letters:
        total = sum(pairs[first, second] for second in letters) + 26
        shares = (log2(26 * (pairs[first, second] + 1) / total) for second in letters)
        rows.append("".join(str(_level(share)) for share in shares))
    TABLE.write_text("\n".join(rows) + "\n", encoding="utf-8")


def _level(share: float) -> int:
    return round((min(max(share, LOWEST), HIGHEST) - LOWEST) / (HIGHEST - LOWEST) * 9)


if __name__ == "__main__":
    main()
