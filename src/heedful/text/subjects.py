"""What a text is about: the timeout of the client is not the timeout of the server."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import takewhile

from heedful.text.sentences import sentences
from heedful.text.terms import terms

_MOST = 2  # words that stand for a thing; more are another way of putting it
_BEGINS, _ALIKE = 3, 75.0  # letters that two names begin with, or how alike both are, of 100
_SAME_WORD = 85.0  # how alike two spellings of it are
_CODE_NAME = re.compile(r"\b\w++(?=\(\))|\b[a-z]++_\w++|\b[a-z]++[A-Z]\w*+|\b\w++(?:\.\w++)++")
_NAMED = re.compile(
    r"`([^`\n]{2,80})`|\b(\w++\(\)|[A-Za-z]\w*+(?:\.\w++)++|[A-Za-z0-9]++_\w++|[a-z]++[A-Z]\w*+|[A-Z]++[a-z]++[A-Z]\w*+)"
)
_PARTS_OF_CODE = re.compile(r"\w+(?:[._-]\w+)*")
_LEAST_NAME = 5  # characters; a shorter one may be anything


def names_of_code(text: str) -> frozenset[str]:
    """What is named as code names it: `client_max_body_size`, parseFloat, orders.customer_id."""
    named = " ".join(code or name for code, name in _NAMED.findall(text))
    return frozenset(one.casefold() for one in _PARTS_OF_CODE.findall(named) if len(one) >= _LEAST_NAME)


def is_other_subject(text: str, other: str, apart_from: Collection[str] = ()) -> bool:
    """Whether one has words in the place of others, besides those that it may differ by."""
    ours, theirs = (set(terms(one)).difference(apart_from) for one in (text, other))
    own, foreign, shared = ours - theirs, theirs - ours, ours & theirs
    return bool(shared) and len(own) == len(foreign) and 0 < len(own) <= _MOST


def is_other_code(text: str, other: str) -> bool:
    """Whether both name code, such as `parse()`, and not the same."""
    ours, theirs = code_names(text), code_names(other)
    return bool(ours) and bool(theirs) and ours.isdisjoint(theirs)


def code_names(text: str) -> set[str]:
    return set(_CODE_NAME.findall(text))


def told_of(wrong: str, right: str, message: str) -> set[str]:
    """What a message says of the wrong words besides that they are wrong: `14 days is the other one, Oculen`."""
    number = re.match(r"[\d.,:]*\d", wrong)
    words = "|".join(re.escape(one) for one in (wrong, *([number[0]] if number else ())))
    begins = re.compile(rf"(?:(?:the|a|an|our)\s+)?(?:{words})(?:e?s)?\s+[^\W\d]", re.IGNORECASE)
    found = set[str]()
    for sentence in sentences(message):
        clauses = re.split("[,;] ", sentence)
        at = next((at for at, clause in enumerate(clauses) if begins.match(clause)), len(clauses))
        said = takewhile(lambda clause: right.lower() not in clause.lower(), clauses[at:])
        found |= set(terms(" ".join(said))) - set(terms(wrong))
    return found


def is_respelled(wrong: str, right: str) -> bool:
    """Whether a name is only spelled otherwise, or shortened: `Karen` and `Karin`, `Samantha Webb` and `Sam Webb`."""
    from rapidfuzz import fuzz

    old, new = (
        [one for one in text.split() if one not in other.split()] for text, other in ((wrong, right), (right, wrong))
    )
    if len(old) != 1 or len(new) != 1 or not all(one.isalpha() and one[0].isupper() for one in (*old, *new)):
        return False
    return old[0][:_BEGINS] == new[0][:_BEGINS] or fuzz.ratio(old[0], new[0]) >= _ALIKE


def is_spelling(wrong: str, right: str) -> bool:
    """Whether a word is only spelled otherwise, in compounds, too: `catalog` and `catalogue`, `percent`, `per cent`."""
    from rapidfuzz import fuzz

    return wrong[:1] == right[:1] and fuzz.ratio(wrong, right) >= _SAME_WORD


def is_wording(wrong: str, right: str) -> bool:
    """Whether a pair is about plain words, such as `guests` and not `clients`: these are about no thing in particular,
    as names and numbers are."""
    return all(text.islower() and not any(map(str.isdigit, text)) for text in (wrong, right) if text)
