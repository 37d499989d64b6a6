"""The WordPiece tokeniser of BERT models: lower case, no accents, longest match first, at most 256 tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from unicodedata import category, normalize

_MOST_PIECES = 256  # as in training, including the two special tokens
_MOST_CHARACTERS = 10_000  # eight times what 256 pieces of English take
_LONGEST_WORD = 100  # characters; a longer one was unknown in training, too
_MOST_REMEMBERED = 10_000  # characters: the scripts a person writes, not all there are
_WORDS_REMEMBERED = 8_192  # words that people use again and again

# Ideographs stand alone. The other scripts of East Asia are words like any other here.
_IDEOGRAPHS = (
    range(0x4E00, 0xA000),
    range(0x3400, 0x4DC0),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B820, 0x2CEB0),
    range(0xF900, 0xFB00),
    range(0x2F800, 0x2FA20),
)
_DROPPED = frozenset({"Cc", "Cf", "Co", "Cs"})
_SPACES = frozenset("\t\n\r")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class TextToken(NamedTuple):
    """A token and the characters of the text that it covers."""

    id: int
    start: int
    end: int


class WordPiece:
    """Thread-safe. `vocabulary` has a token at each index; `##` marks those that continue a word."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown, self._start, self._end = (numbers[mark] for mark in ("[UNK]", "[CLS]", "[SEP]"))
        self._first = {piece: number for piece, number in numbers.items() if not piece.startswith("##")}
        self._next = {piece[2:]: number for piece, number in numbers.items() if piece.startswith("##")}
        self._longest = max(map(len, numbers))
        self._lengths = [len(piece.removeprefix("##")) for piece in vocabulary]
        self._characters = _Characters()
        self._of_word = lru_cache(_WORDS_REMEMBERED)(self._matched)

    def pieces(self, text: str) -> list[int]:
        """The token ids, between the two special tokens; of a long text, its beginning."""
        found = [self._start]
        plain = "".join(map(self._characters.__getitem__, text[:_MOST_CHARACTERS]))
        for word in plain.split():
            found += self._of_word(word)
            if len(found) >= _MOST_PIECES:
                break
        return [*found[: _MOST_PIECES - 1], self._end]

    def located(self, text: str) -> list[TextToken]:
        """All tokens of a text with their positions, without special tokens."""
        found: list[TextToken] = []
        for word, at in self._words(text):
            ids = self._of_word(word)
            if ids == (self._unknown,):
                found.append(TextToken(self._unknown, at[0], at[-1] + 1))
                continue
            start = 0
            for id in ids:
                end = start + self._lengths[id]
                found.append(TextToken(id, at[start], at[end - 1] + 1))
                start = end
        return found

    def _words(self, text: str) -> Iterator[tuple[str, list[int]]]:
        """Each word, and the position in the text of each of its characters."""
        word, at = "", list[int]()
        for position, character in enumerate(text[:_MOST_CHARACTERS]):
            for part in self._characters[character]:
                if not part.isspace():
                    word += part
                    at.append(position)
                elif word:
                    yield word, at
                    word, at = "", []
        if word:
            yield word, at

    def _matched(self, word: str) -> tuple[int, ...]:
        """The longest tokens that match, from the left; a word with any unknown part is unknown."""
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        found: list[int] = []
        start, known = 0, self._first
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                number = known.get(word[start:end])
                if number is not None:
                    break
            else:
                return (self._unknown,)
            found.append(number)
            start, known = end, self._next
        return tuple(found)


class _Characters(dict[str, str]):
    """Normalises a character. Punctuation and ideographs are surrounded by spaces: they are words of their own."""

    def __missing__(self, character: str) -> str:
        turned = _turned(character)
        if len(self) < _MOST_REMEMBERED:
            self[character] = turned
        return turned


def _turned(character: str) -> str:
    if character in _SPACES:
        return " "
    if character == _REPLACEMENT or category(character) in _DROPPED:
        return ""
    plain = "".join(part.lower() for part in normalize("NFD", character) if category(part) != "Mn")
    if any(ord(character) in block for block in _IDEOGRAPHS):
        return f" {plain} "
    return "".join(f" {part} " if _is_mark(part) else part for part in plain)


def _is_mark(character: str) -> bool:
    """Punctuation, and other ASCII symbols."""
    if character.isascii():
        return not character.isalnum() and character != " "
    return category(character).startswith("P")
