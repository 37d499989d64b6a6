"""Looking up records by an abbreviated id."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from heedful.errors import InvalidInput, NotFound

_PART = 6  # characters of an id at least
_CANDIDATES = 5
_WHOLE, _END = 16, 12  # longer ids are shown by their end, as they start with a timestamp
_T = TypeVar("_T")


def short(id: str) -> str:
    return id if len(id) <= _WHOLE else id[-_END:]


def _fits(id: str, part: str) -> bool:
    return id.startswith(part) or id.endswith(part) or short(id).startswith(part)


@dataclass(frozen=True, slots=True)
class IdLookup(Generic[_T]):
    noun: str
    """Singular; its plural is the command that lists them: `heedful learnings list`."""
    get: Callable[[str], _T]
    each: Callable[[], Iterable[_T]]
    id: Callable[[_T], str]
    line: Callable[[_T], str]
    listing: str = ""
    """The command that lists them, if it is another one."""

    def find(self, id: str) -> _T:
        """Returns the record with this id, or the only one whose id, as a whole or as it is shown, starts or ends with
        it."""
        try:
            return self.get(id)
        except NotFound as error:
            if len(id) < _PART:
                listing = self.listing or f"heedful {self.noun}s list"
                hint = f"Give at least {_PART} characters of an id from `{listing}`."
                raise NotFound(error.message, hint=hint) from None
            fitting = (one for one in self.each() if _fits(self.id(one), id))
            candidates = list(islice(fitting, _CANDIDATES + 1))
            if not candidates:
                raise
        if len(candidates) > 1:
            listed = "\n".join(f"  {self.id(one)}  {self.line(one)}" for one in candidates[:_CANDIDATES])
            more = "\n  and more" if len(candidates) > _CANDIDATES else ""
            raise InvalidInput(
                f"{id} is ambiguous. Matching {self.noun}s:\n{listed}{more}", hint="Give more characters."
            )
        return candidates[0]
