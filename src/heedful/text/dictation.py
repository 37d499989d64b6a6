"""What somebody gives the agent to write down: `add to your memory that staging runs Postgres 14`.

They name where the agent keeps what it knows, in a short order before what is to be kept, or after it. It is kept
without that order; an order that only points (`keep that in mind`) is about the sentence before.
"""

from __future__ import annotations

import re

from heedful.text.lasting import Lasting, lasting, lasting_in
from heedful.text.lasting import lasting_of as said_of
from heedful.text.orders import is_order
from heedful.text.own_words import is_role_play, own_words
from heedful.text.sentences import Span, spans
from heedful.text.words import FUNCTION_WORDS, words_of

_LEAST = 12  # characters that are worth writing down
_READ = 2_000  # characters of a message
_NEXT = 80  # characters after a sentence in which it is said
_WORDS = re.compile(r"[^\W\d_]+")
_EMPTY = FUNCTION_WORDS | words_of("please pls bitte dir euch down well bien now then too also always")
_KEPT_IN = (
    r"(?:\b(?:to|into|in|im|ins|à|a|en|na|à la) (?:(?:your|the|my|our|deine?[mn]?|das|ta|tu|la|tua|a) )?"
    r"(?:\w+ )?(?:memory|memories|mind|gedächtnis|hinterkopf|mémoire|memória|memoria|esprit|mente|tête|cabeza)\b|"
    r"\b(?:claude|agents|gemini|copilot-instructions|conventions)(?:\.\w+)?\.md\b|\.cursorrules\b|"
    r"\b(?:your|deine?[nr]?|tes|tus|(?:as )?tuas) (?:notes?|notizen|notas?|rules?|regeln?|règles?|reglas?|regras?)\b)"
)
_KEPT_FOR = (
    r"\b(?:future|next time|zukunft|nächstes mal|avenir|prochaine fois|futuro|próxima(?: vez)?)\b|"
    r"^\W*(?:note|notiz|nota)\s+(?:for|to|für|an|pour|à|para|a)\b"
)
_PLACE = re.compile(rf"{_KEPT_IN}|{_KEPT_FOR}", re.IGNORECASE)
_LEAD = re.compile(
    r"(?P<order>(?:[^.!?:;\n]|\.(?=\w)){4,70}?)"
    r"(?:\s?:\s+|\s+[-–—]{1,2}\s+|,?\s+(?:that|dass|daß|que)\s+|\s+qu['’])",
    re.IGNORECASE,
)
_LAST_CLAUSE = re.compile(r"(?:^|(?<=[,;:.!–—])\s|\s-\s)(?P<order>[^,;:.!?–—\n]{6,60})[.!]{0,3}\s*$")
_REMEMBERS = re.compile(
    r"\b(?:remember|note|merkt?|merken|denkt?|notiert?|retiens|retenez|souviens|notez?|recuerda|apunta|anota|"
    r"lembra|guarda)\b|\b(?:recuérd|anót|apúnt)a?lo\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:that|this|it|das|dies|daran|dran|ça|cela|le|lo|eso|esto|isso|isto|disso)\b|lo\b", re.IGNORECASE
)


def lasting_of(text: str, sentence: Span) -> Lasting:
    """Of a sentence of a message: what is dictated lasts, in whatever words."""
    if not own_words(text, sentence) or is_role_play(text):
        return lasting_in(text, sentence)
    kept = dictated(text[slice(*sentence)])
    if kept is not None and kept[0] == kept[1]:
        return Lasting.UNSAID
    if kept is None and not _is_pointed_at(text, sentence[1]):
        return lasting_in(text, sentence)
    return Lasting.PASSING if lasting(text[slice(*kept_of(text, sentence))]) is Lasting.PASSING else Lasting.EXPLICIT


def message_lasting(text: str) -> Lasting:
    """Of a whole message: also what it dictates lasts."""
    is_dictated = any(lasting_of(text, sentence) is Lasting.EXPLICIT for sentence in spans(text[:_READ]))
    return Lasting.EXPLICIT if is_dictated else said_of(text)


def kept_of(text: str, sentence: Span) -> Span:
    """The part of a sentence of a message that says what is to be kept: all of it, unless it is dictated."""
    kept = dictated(text[slice(*sentence)])
    return sentence if kept is None else (sentence[0] + kept[0], sentence[0] + kept[1])


def _is_pointed_at(text: str, end: int) -> bool:
    """Whether the next sentence on the line only says that this one is to be kept."""
    following = text[end : end + _NEXT].partition("\n")[0]
    start, stop = next(spans(following), (0, 0))
    kept = dictated(following[start:stop].strip())
    return kept is not None and kept[0] == kept[1]


def dictated(sentence: str) -> Span | None:
    """Where in a sentence the words stand that are to be kept; None if it does not say so. They are empty in an order
    that only points."""
    lead, end = _LEAD.match(sentence), len(sentence.rstrip())
    if lead is not None and _PLACE.search(lead["order"]) and is_order(lead["order"]):
        return (lead.end(), end) if end - lead.end() >= _LEAST else None
    last = _LAST_CLAUSE.search(sentence)
    if last is None or not _is_reminder(last["order"]):
        return None
    kept = sentence[: last.start("order")].rstrip(" ,;–—-")
    return (0, len(kept)) if len(kept) >= _LEAST else (0, 0)


def _is_reminder(clause: str) -> bool:
    """It says nothing but that something is to be kept."""
    kept_in = _PLACE.search(clause)
    remembers = kept_in or _REMEMBERS.search(clause)
    if remembers is None or not is_order(clause) or not _POINTS.search(clause):
        return False
    others = _POINTS.sub(" ", f"{clause[: remembers.start()]} {clause[remembers.end() :]}").casefold()
    return len(frozenset(_WORDS.findall(others)) - _EMPTY) <= (1 if kept_in else 0)  # the verb
