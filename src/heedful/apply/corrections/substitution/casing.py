"""The capitals of a place, carried over to what is put there."""

from __future__ import annotations

_ACRONYM = 4  # letters; longer words in capitals are shouted, shorter ones may be names of their own


def carried(typed: str, come: str, found: str, *, shouted: bool) -> str | None:
    """`come` in the capitals of `found`, where `typed` is how the correction wrote it; None when there is no telling.

    `shouted` says that the words around are in capitals, too.
    """
    if found == typed or not _is_plain(come):
        return come
    if found == found.lower():
        return come[:1].lower() + come[1:] if _is_titled(typed) else come
    letters = [letter for letter in found if letter.isalpha()]
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        is_acronym = len(letters) <= _ACRONYM and not shouted
        return None if is_acronym and len(come) > _ACRONYM else come.upper()
    first, *others = found.split()
    if others and all(_is_titled(word) for word in (first, *others)):
        return _titled(come)
    return _capitalised(come) if _is_titled(first) and all(word == word.lower() for word in others) else None


def is_capitalised(word: str) -> bool:
    return word[:1].isupper()


def _is_plain(come: str) -> bool:
    """No capitals of its own, but for those of a name or the start of a sentence."""
    return all(word == word.lower() or _is_titled(word) for word in come.split()) and "_" not in come


def _is_titled(word: str) -> bool:
    return word[:1].isupper() and word[1:] == word[1:].lower()


def _capitalised(come: str) -> str:
    return come[:1].upper() + come[1:]


def _titled(come: str) -> str:
    return " ".join(map(_capitalised, come.split(" ")))
