"""What a sentence states at its head, before it goes on with a reason or another sentence."""

from __future__ import annotations

import re

from heedful.text.orders import is_order
from heedful.text.words import DETERMINERS, PRONOUNS, words_of

_PAUSE = re.compile(
    r"(?P<end>[.!?…])(?=\s)|;(?=\s)|(?<=\s)[–—-]{1,2}(?=\s)|,(?=\s)"
    r"|(?<=\s)(?=(?:because|weil|parce que|porque|otherwise|sonst|sinon)\b)"
)
_WORD = re.compile(r"[\w'’]+")
_REASONS = words_of("""
    because since as so otherwise therefore weil denn da sonst damit parce car sinon porque ya pues así pois senão
""")
_EXCEPTIONS = words_of("""
    but except unless only if aber außer nur falls mais sauf seulement si pero salvo excepto solo mas exceto só se
""")
_LIMITS = _EXCEPTIONS | words_of("""
    when whenever where until till while before after or and nor in on at for not never
    wenn bis solange bevor nachdem oder und nicht nie quand jusqu avant après ou et ni
    cuando hasta mientras antes después o y quando até enquanto depois e
""")
_JOINING = words_of("and or und oder et ou y o e")
_LEAST = 2  # words of a head
_CLAUSE = 3  # words of a reason


def head(sentence: str) -> str:
    """Without the reason and without further sentences; the whole if what follows may limit what it says: a condition,
    an exception, the next item of a list."""
    for pause in _PAUSE.finditer(sentence):
        first = sentence[: pause.start()].strip()
        rest = [word.casefold() for word in _WORD.findall(sentence[pause.end() :])]
        if len(first.split()) >= _LEAST and rest and _is_over(first, pause, rest):
            return first
    return sentence


def has_exception(sentence: str) -> bool:
    """Whether it takes back a part of what it says: `…, unless they are YAML`, `… Only Dana may`."""
    following = (_WORD.search(sentence, pause.end()) for pause in _PAUSE.finditer(sentence))
    return any(word is not None and word[0].casefold() in _EXCEPTIONS for word in following)


def _is_over(first: str, pause: re.Match[str], rest: list[str]) -> bool:
    if rest[0] in _LIMITS:
        return False
    if pause["end"]:
        return True
    if not is_order(first):
        return False
    if pause[0] != ",":
        return bool(pause[0]) or len(rest) >= _CLAUSE
    opens = rest[0] in _REASONS or rest[0] in DETERMINERS | PRONOUNS
    return opens and len(rest) >= _CLAUSE and (rest[0] in _REASONS or _JOINING.isdisjoint(rest))
