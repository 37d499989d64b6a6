"""Whether words stand by themselves in a command or in code: not in a longer name, a path, a file name or a domain."""

from __future__ import annotations

import re
from functools import lru_cache

_KEPT = 512
# `.npmrc`, `lib/npm`, `@npm`, `--npm`, `pnpm`
_BEFORE = r"(?<![\w./\\@-])"
# `npm/lib`, `npm-check`, `npm.md`; but `moment.utc()` calls it
_AFTER = r"(?![\w/\\-])(?!\.\w++(?![\w.]*+\())"


def lines_with(words: str, text: str) -> list[str]:
    """The lines of a text in which these words stand by themselves."""
    found = _pattern(words)
    return [line for line in text.splitlines() if found.search(line)]


@lru_cache(_KEPT)
def _pattern(words: str) -> re.Pattern[str]:
    """A capital may be that of a sentence; `ID` and `parseDate` are names as they are."""
    first, rest = words[:1], words[1:]
    plain = rest == rest.lower() and (bool(rest) or first == first.lower())
    return re.compile(
        _BEFORE + r"\s+".join(map(re.escape, words.split())) + _AFTER, re.IGNORECASE if plain else re.NOFLAG
    )
