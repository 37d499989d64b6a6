"""Articles that go with a name or noun in languages in which they differ from one to the next: `o Porto`, but `Lisboa`.

What the person wrote tells them; of Spanish and Portuguese nouns the ending does, too.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from heedful.text.languages import is_english, is_portuguese
from heedful.text.replacements import Replacement
from heedful.text.words import words_of

_ARTICLES = words_of("""
    der die das den dem ein eine einen einem einer le la les un une el los las una o a os as um uma il lo gli
""")
_WORDS_BEFORE = re.compile(r"(?:(?<!\w)(\w+)[^\S\n]+)?(?<!\w)(\w+)[^\S\n]+\Z")
_REACH = 60  # characters
_PORTUGUESE = "o:a os:as um:uma uns:umas do:da dos:das no:na nos:nas ao:à aos:às pelo:pela nosso:nossa nossos:nossas"
_SPANISH = "el:la los:las un:una unos:unas nuestro:nuestra nuestros:nuestras"
_FEMALE = re.compile(r"(?:a|ção|ções|ción|ciones|dad|dades?|gem|gens)s?\Z")
_MALE = re.compile(r"(?:o|or|ores|aje|ajes)s?\Z")
_OTHERS = re.compile(
    r"(?:ema|grama|ioma|clima|drama|ista|poeta|atleta|planeta|mapa|día|dia)s?\Z"
    r"|\A(?:mano|mão|foto|moto|tribo|flor|cor|dor)s?\Z"
)
_SOUNDS_MALE = re.compile(r"h?[aá]\w*(?<!s)(?!\w)")  # `el aula`
_ONE_BEFORE = re.compile(r"(?<!\w)(\w+)[^\S\n]+\Z")


class _Article(NamedTuple):
    is_female: bool
    other: str
    """The one of the other gender."""


def _genders(listed: str) -> dict[str, _Article]:
    pairs = [pair.split(":") for pair in listed.split()]
    males = {male: _Article(is_female=False, other=female) for male, female in pairs}
    return males | {female: _Article(is_female=True, other=male) for male, female in pairs}


_OF_PORTUGUESE, _OF_SPANISH = _genders(_PORTUGUESE), _genders(_SPANISH)


class NamedPair(NamedTuple):
    wrong: str
    right: str


def with_articles(wrong: str, right: str, sentence: str, said: str) -> NamedPair:
    """A pair with the article that only one of both has, or each has its own: who corrects `é o Porto` by `é Lisboa` or
    `é a Ana` says so."""
    at, told = sentence.find(wrong), said.find(right)
    if at < 0 or told < 0 or not (wrong and right) or is_english(sentence, at, at + len(wrong)):
        return NamedPair(wrong, right)
    (before, ours), (_, theirs) = _before(sentence, at), _before(said, told)
    if ours.lower() not in _ARTICLES or ours == theirs:
        return NamedPair(wrong, right)
    if theirs.lower() in _ARTICLES:
        return NamedPair(f"{ours} {wrong}", f"{theirs} {right}")
    if theirs and theirs.lower() == before.lower():
        return NamedPair(f"{ours} {wrong}", right)
    return NamedPair(wrong, right)


def with_gender(text: str, change: Replacement) -> Replacement:
    """`o cliente` becomes `a visita`, in Portuguese and Spanish."""
    low = max(0, change.start - _REACH)
    before = _ONE_BEFORE.search(text[low : change.start])
    portuguese = is_portuguese(text, change.start, change.end)
    if before is None or portuguese is None or (not portuguese and _SOUNDS_MALE.match(change.after)):
        return change
    article = (_OF_PORTUGUESE if portuguese else _OF_SPANISH).get(before[1].lower())
    if article is None or not _takes_the_other(before[1], article, change):
        return change
    other = article.other.capitalize() if before[1][0].isupper() else article.other
    start, gap = low + before.start(), text[low + before.end(1) : change.start]
    return Replacement(start, text[start : change.end], f"{other}{gap}{change.after}")


def _takes_the_other(word: str, article: _Article, change: Replacement) -> bool:
    """What does not go with the noun before, or has another number, is no article: `vendido a cliente`."""
    was, now = _is_female(change.before), _is_female(change.after)
    goes_with_it = was in (None, article.is_female) and word.endswith("s") == _noun(change.after).endswith("s")
    return goes_with_it and now is not None and now != article.is_female


def _is_female(words: str) -> bool | None:
    """By the ending of the first word, a plain noun; None if it does not tell."""
    noun = _noun(words)
    if not noun.isalpha() or not noun.islower() or _OTHERS.search(noun):
        return None
    return True if _FEMALE.search(noun) else False if _MALE.search(noun) else None


def _noun(words: str) -> str:
    return words.split(maxsplit=1)[0] if words.strip() else ""


def _before(text: str, at: int) -> tuple[str, str]:
    """The two words before a place."""
    found = _WORDS_BEFORE.search(text[max(0, at - _REACH) : at])
    return (found[1] or "", found[2]) if found is not None else ("", "")
