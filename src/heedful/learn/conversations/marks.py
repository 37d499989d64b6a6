"""What a language model is worth as a witness: how often it was right in the exam (`exam.py`)."""

from __future__ import annotations

from math import log
from typing import Final, NamedTuple

_UNSURE = 1.5  # messages: readers kept four of five things that a model without a fault in the exam named
_FOUND, _MISTAKEN = 0.75, 0.07  # the least and the most of a capable model


class Marks(NamedTuple):
    """Of the messages of the exam."""

    lasting: int
    """That say something lasting."""
    found: int
    """Of these, those that the model named."""
    others: int
    mistaken: int
    """Of the others, those that it named."""

    @property
    def claimed(self) -> float:
        """How much more likely something is worth keeping if the model names it; of the log-odds."""
        return log(_share(self.found, self.lasting) / _share(self.mistaken, self.others))

    @property
    def passed_over(self) -> float:
        """The same if it was shown the words, and does not name them."""
        missed, left_out = self.lasting - self.found, self.others - self.mistaken
        return log(_share(missed, self.lasting) / _share(left_out, self.others))

    @property
    def is_capable(self) -> bool:
        return 0 < _FOUND * self.lasting <= self.found and self.mistaken <= _MISTAKEN * self.others

    def __str__(self) -> str:
        return (
            f"it named {self.found} of {self.lasting} lasting things in the exam, "
            f"and {self.mistaken} of {self.others} others"
        )


UNEXAMINED: Final = Marks(0, 0, 0, 0)
"""It says nothing, whatever the model says."""


def _share(some: int, of_all: int) -> float:
    return (some + _UNSURE) / (of_all + 2 * _UNSURE)
