"""Adapts the capitals of a replacement to the text it replaces."""

from __future__ import annotations

_ACRONYM = 4  # letters; longer words in capitals are shouted, shorter ones may be names of their own


def match_case(typed: str, new: str, found: str, *, shouted: bool) -> str | None:
    """`new` in the capitals of `found`, where `typed` is the correction's spelling; None if unclear.

    `shouted`: the words around are in capitals, too.
    """
    if found == typed or not _is_plain(new):
        return new
    if found == found.lower():
        return new[:1].lower() + new[1:] if _is_titled(typed) else new
    letters = [letter for letter in found if letter.isalpha()]
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        is_acronym = len(letters) <= _ACRONYM and not shouted
        return None if is_acronym and len(new) > _ACRONYM else new.upper()
    first, *others = found.split()
    if others and all(_is_titled(word) for word in (first, *others)):
        return _titled(new)
    return _capitalised(new) if _is_titled(first) and all(word == word.lower() for word in others) else None


def is_capitalised(word: str) -> bool:
    return word[:1].isupper()


def _is_plain(new: str) -> bool:
    """No capitals but those of a name or the start of a sentence."""
    return all(word == word.lower() or _is_titled(word) for word in new.split()) and "_" not in new


def _is_titled(word: str) -> bool:
    return word[:1].isupper() and word[1:] == word[1:].lower()


def _capitalised(new: str) -> str:
    return new[:1].upper() + new[1:]


def _titled(new: str) -> str:
    return " ".join(map(_capitalised, new.split(" ")))
