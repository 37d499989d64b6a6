"""One thing among many, told by its id or by a part of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from heedful.errors import InvalidInput, NotFound

_PART = 6  # characters of an id at least
_CANDIDATES = 5
_WHOLE, _END = 16, 12  # up to here an id is shown whole; of a longer one its end, as ours begin with the time
_T = TypeVar("_T")


def short(id: str) -> str:
    return id if len(id) <= _WHOLE else id[-_END:]


@dataclass(frozen=True, slots=True)
class IdLookup(Generic[_T]):
    """Things that have ids."""

    noun: str
    """One of them, and in the plural the command that lists them: learning, heedful learnings list."""
    get: Callable[[str], _T]
    each: Callable[[], Iterable[_T]]
    id: Callable[[_T], str]
    line: Callable[[_T], str]
    """One of them in a line."""

    def find(self, id: str) -> _T:
        """The one of that id, or the only one whose id begins or ends like that."""
        try:
            return self.get(id)
        except NotFound as error:
            if len(id) < _PART:
                hint = f"Give {_PART} characters of its id or more, as `heedful {self.noun}s list` shows it."
                raise NotFound(error.message, hint=hint) from None
            fitting = (one for one in self.each() if self.id(one).startswith(id) or self.id(one).endswith(id))
            candidates = list(islice(fitting, _CANDIDATES + 1))
            if not candidates:
                raise
        if len(candidates) > 1:
            told = "\n".join(f"  {self.id(one)}  {self.line(one)}" for one in candidates[:_CANDIDATES])
            more = "\n  and more" if len(candidates) > _CANDIDATES else ""
            raise InvalidInput(f"{id} fits more than one {self.noun}:\n{told}{more}", hint="Give more of the id.")
        return candidates[0]
