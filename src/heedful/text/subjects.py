"""What a text is about: the timeout of the client is not the timeout of the server."""

from __future__ import annotations

import re
from collections.abc import Collection

from heedful.text.terms import terms

_MOST = 2  # words that stand for a thing; more are another way of putting it
_CODE_NAME = re.compile(r"\b\w++(?=\(\))|\b[a-z]++_\w+|\b[a-z]++[A-Z]\w*|\b\w++(?:\.\w+)+")


def is_other_subject(text: str, other: str, apart_from: Collection[str] = ()) -> bool:
    """Whether one has words in the place of others, besides those that it may differ by."""
    ours, theirs = (set(terms(one)).difference(apart_from) for one in (text, other))
    own, foreign, shared = ours - theirs, theirs - ours, ours & theirs
    return bool(shared) and len(own) == len(foreign) and 0 < len(own) <= _MOST


def is_other_code(text: str, other: str) -> bool:
    """Whether both name code, such as `parse()`, and not the same."""
    ours, theirs = (set(_CODE_NAME.findall(one)) for one in (text, other))
    return bool(ours) and bool(theirs) and ours.isdisjoint(theirs)


def is_wording(wrong: str, right: str) -> bool:
    """Whether a pair is about plain words, such as `guests` and not `clients`: these are about no thing in particular,
    as names and numbers are."""
    return all(text.islower() and not any(map(str.isdigit, text)) for text in (wrong, right) if text)
