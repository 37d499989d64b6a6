"""Whether the words of one text are backed by others: what a language model wrote must come from what it was given.

Numbers, addresses, paths, codes, signs of currency and negations must be there exactly; `seventy` is 70, and 1330 is
13:30. Of other words an inflection is enough, and small words of grammar may be added. In doubt a word has no support.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from unicodedata import normalize

from heedful.text.lexicon import NUMBER_WORDS
from heedful.text.stems import stem
from heedful.text.words import FUNCTION_WORDS, NEGATIONS, SPACELESS, VOWEL_SIGNS, words_of

_LETTER = rf"(?:[^\W\d_{SPACELESS}]|[{VOWEL_SIGNS}])"
_NAME = r"[\w\-]++"
# Runs are possessive and every alternative begins with another character or fails at once: time is linear in the text.
_TOKEN = re.compile(
    rf"""
    (?P<address>
        \b[a-z]{{2,10}}://[^\s<>"'`()\[\]]++
      | \b[\w.+\-]{{1,64}}@{_NAME}(?:\.{_NAME})*+
      | (?<![\w./\\~\-])[.~]{{0,2}}(?:{_NAME}(?:\.{_NAME})*+)?+(?:[/\\]{_NAME}(?:\.{_NAME})*+)++[/\\]?+
      | \b(?=[^\W\d])\w{{1,40}}(?:\.(?=[^\W\d])\w{{2,40}})++
    )
  | (?P<code> \b(?:{_LETTER}{{1,40}}+\d\w*+ | \w*?_\w++) )
  | (?P<number> (?<!\w)\d++(?:[.,:]\d++)*+ )
  | (?P<sign> [%‰°€$£¥] )
  | (?P<character> [{SPACELESS}] )
  | (?P<word> {_LETTER}++(?:['’]{_LETTER}++)*+ )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SAID_NUMBERS = {word: number for word, number in NUMBER_WORDS.items() if word != "one"}  # which is a pronoun, too
_TENS = frozenset(map(str, range(20, 100, 10)))
_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}(?:\D|$))")
_SHORTEST = 4  # letters of a word that are left without its ending
_ENDINGS = ("en", "es", "er", "em", "as", "os", "e", "s", "n", "a", "o")
NEGATED = "not"
# Function words that say how much or when, so that adding one says something else.
_TELLING = words_of(
    "over under until since during between within only all both more most such unless than per nur ohne"
)
_FREE = FUNCTION_WORDS - _TELLING


class WordSet(NamedTuple):
    """The words of texts."""

    exact: frozenset[str] = frozenset()
    """Numbers, addresses, paths, codes, signs; and `not` for any negation."""
    words: frozenset[str] = frozenset()
    """All others, without those of grammar."""

    def __or__(self, other: WordSet) -> WordSet:
        return WordSet(self.exact | other.exact, self.words | other.words)

    def lacks(self, other: WordSet) -> frozenset[str]:
        """The words of another set that are not in this one, also not with another ending."""
        forms = {form for word in self.words for form in _forms(word)}
        return other.exact - self.exact | {word for word in other.words if forms.isdisjoint(_forms(word))}


def word_set(*texts: str) -> WordSet:
    exact: set[str] = set()
    words: set[str] = set()
    for text in texts:
        tens = None
        for token in _TOKEN.finditer(normalize("NFC", text)):
            word = token[0].casefold().replace("’", "'")
            number = _SAID_NUMBERS.get(word.removesuffix("'s")) if token["word"] else None
            if number is not None:
                exact.add(number)
                if tens is not None and len(number) == 1:  # such as twenty-five
                    exact.add(str(int(tens) + int(number)))
            elif token["word"] or token["character"]:
                _add_word(word, exact, words)
            else:
                exact.add(_exactly(token))
            tens = number if number in _TENS else None
    return WordSet(frozenset(exact), frozenset(words))


def _add_word(word: str, exact: set[str], words: set[str]) -> None:
    if word.endswith("n't") or word in NEGATIONS:
        exact.add(NEGATED)
    else:
        # What an apostrophe joins is two words in many languages, such as `l'école` and `it's`.
        words.update(part for part in word.split("'") if part not in _FREE and (len(part) > 1 or not part.isascii()))


def _exactly(token: re.Match[str]) -> str:
    if token["number"]:
        return _THOUSANDS.sub("", token[0]).replace(":", "")  # 1,250 is 1250
    if token["code"]:
        return token[0].casefold()
    return token[0].rstrip(".,;:!?")


def _forms(word: str) -> frozenset[str]:
    ending = next((one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) >= _SHORTEST), "")
    return frozenset((f"{stem(word)}-", word.removesuffix(ending)))  # the two are not compared with each other
