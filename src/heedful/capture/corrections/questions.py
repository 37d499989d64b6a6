"""Whether a message asks for something else, and so blames nothing: `and the tests?`, `what about the tests`.

Such a question is a lead and a thing with its article. Who doubts what was said uses a verb, a negation or a tag
(`isn't that`, `are you sure`), or names what they hold to be right (`29, no?`, `and Lisbon?`).
"""

from __future__ import annotations

import re

from heedful.text.contribution import contributes
from heedful.text.lexicon import NUMBER_WORDS
from heedful.text.terms import terms
from heedful.text.words import DETERMINERS, NEGATIONS, words_of

_LONGEST = 80  # characters
_MOST = 4  # words of a thing
_LINES = 2
_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LEAD = re.compile(
    r"(?P<fillers>(?:[^\W\d_]{1,12}\W{1,5}){0,2}?)(?:what about|how about|was ist mit|wie (?:steht|sieht) es mit|"
    r"qu['’]en est-il|qué (?:hay|pasa) con|e quanto a)\s+",
    re.IGNORECASE,
)
_AND = re.compile(
    r"(?P<fillers>(?:[^\W\d_]{1,12}\W{1,5}){0,2}?)(?:and|so|und|also|et|y|e|alors|donc)\b\W{1,5}", re.IGNORECASE
)
_HESITATION = re.compile(r"\b[aehmru]{2,6}\b", re.IGNORECASE)
_DEFINITE = DETERMINERS - words_of("a an ein eine einen einem einer eines un une una uno uma um this that")
_DOUBTING = words_of("""
    right wrong correct real true false sure really actual falsch richtig falsche richtige sicher vrai faux sûr vraie
    fausse verdad falso correcto correcta seguro certo certa errado errada
""")


def asks_for_more(message: str, output: str) -> bool:
    message = message.strip().lstrip("¿ ")
    if len(message) > _LONGEST or len(output.splitlines()) > _LINES:
        return False  # what a list or a letter lacks is its mistake
    asked = _LEAD.match(message)
    lead = asked or (_AND.match(message) if message.endswith("?") else None)
    if lead is None:
        return False
    thing, ahead = message[lead.end() :], _lowered(message[: lead.end()])
    if ahead & (NEGATIONS | _DOUBTING) or contributes(_HESITATION.sub("", lead["fillers"])):
        return False
    if not _is_thing(f"o{thing[1:]}" if "e" in ahead and thing[:2].casefold() == "a " else thing):
        return False
    return asked is not None or not set(terms(thing)) <= set(terms(output))


def _is_thing(text: str) -> bool:
    """A definite article, and what it belongs to."""
    said = _WORDS.findall(text.strip(" .?!").removeprefix("à ").replace("l'", "le ").replace("l’", "le "))
    if not 1 < len(said) <= _MOST or re.search(r"[\d,;:`\"“„«]", text):
        return False
    first, rest = said[0].casefold(), {word.casefold() for word in said[1:]}
    if first not in _GERMAN and any(word[:1].isupper() for word in said[1:]):
        return False  # a name
    return first in _DEFINITE and rest.isdisjoint(_NO_THING) and bool(terms(" ".join(said[1:])))


def _lowered(text: str) -> set[str]:
    return {word.casefold() for word in _WORDS.findall(text)}


_VERBS = words_of("""
    is are was were be has have had do does did can could should would will must ist sind war waren hat est sont était
    es son era são foi
""")
_NO_THING = _VERBS | NEGATIONS | _DOUBTING | NUMBER_WORDS.keys()
_GERMAN = words_of("der die das den dem des")
