"""When two names count as one person."""

from __future__ import annotations

import re

_MARKS = re.compile(r"[\W_\d]+")


def one_person(name: str) -> str:
    """Names that differ only in case, digits and punctuation count as one person: `lee`, `Lee.`, `lee2`.

    Keys stay apart: their ids are random.
    """
    if name.startswith("key:"):
        return name
    return _MARKS.sub("", name.split("@", maxsplit=1)[0].casefold()) or name
