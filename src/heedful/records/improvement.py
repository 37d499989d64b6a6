"""How a person improved a suggestion, in words."""

from __future__ import annotations

from typing import NamedTuple

_SENTENCES = {
    "concise": "Made it more concise",
    "detail": "Added more detail",
    "replaced": "Replaced '{removed}' with '{added}'",
    "added": "Added '{added}'",
    "removed": "Removed '{removed}'",
    "reordered": "Changed the order of words",
    "case": "Changed the capitals",
    "punctuation": "Changed the punctuation",
}
IMPROVEMENTS = frozenset(_SENTENCES)
_QUOTING = frozenset({"replaced", "added", "removed"})


class Improvement(NamedTuple):
    kind: str
    removed: str = ""
    added: str = ""

    @property
    def text(self) -> str:
        return _SENTENCES[self.kind].format(removed=self.removed, added=self.added)

    @property
    def quotes(self) -> bool:
        """Whether it means nothing without quoting the words."""
        return self.kind in _QUOTING
