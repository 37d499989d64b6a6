"""Splits a message into sentences, without courtesies, complaints and reasons.

Quotations and code are replaced by private characters while it is split, because they may contain anything.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from heedful.text.lazy_pattern import LazyPattern
from heedful.text.sentences import sentences

_MESSAGE = 2_000  # characters; corrections come early
_SENTENCES = 12
_SENTENCE = 400  # characters that are looked at
_QUOTES = 100
_FIRST = 0xE000  # private use: no text has a meaning for these
_PRIVATE = LazyPattern(r"[\ue000-\uf8ff\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_MARKS = "|".join(
    (
        r"```[^\n`]*\n(?P<block>.{1,1500}?)\n?```",
        r"`(?P<code>[^`\n]{1,300})`",
        r"(?<!\w)\"(?=\S)(?P<double>[^\"\n]{1,300})(?<=\S)\"(?!\w)",
        r"[“„](?P<curly>[^“”„\n]{1,300})[”“]",
        r"«\s?(?P<guillemets>[^«»\n]{1,300}?)\s?»",
        r"‘(?P<single>[^‘’\n]{1,200})’(?!\w)",
        r"(?<![\w'])'(?=\S)(?P<straight>[^'\n]{1,200})(?<=\S)'(?!\w)",
    )
)
_QUOTED = LazyPattern(_MARKS, re.DOTALL)
_BREAKS = LazyPattern(r";\s+|(?<!\s)\s++[—–]\s+|(?:(?<!\.)\.{2,}+|…)\s*+(?=\S)")
_BLANKS = LazyPattern(r"[^\S\n]{2,}")
_SPACED = LazyPattern(r" (?=[.,;:!?](?:\s|$))|\s(?='s\b)")
_BULLET = LazyPattern(r"^(?:[-*•>#]+|\d{1,2}[.)])\s+")

# Said before what matters. Those that can begin a sentence in earnest (`no emojis`) need a comma.
_COURTESY = LazyPattern(
    r"(?:(?:no|nope|nah|wrong|not quite|incorrect|not right|sorry|so|and|but|also|well|ok|okay|right|man|dude|hey|wait"
    r"|again|true|yes|yeah|almost|close|nearly|falsch|doch|nicht ganz|fast|und|aber|faux|mais|et|incorrecto|mal|casi"
    r"|pero|errado|quase|mas|sim|não|nao|non|nein|nm|no man|hmm+|u[hm]+|uh+m*|oh+|actually|wrong \w+|(?:the )?wrong one"
    r"|falsche[rs]? \w+|mauvaise? \w+|\w+ (?:equivocad[oa]|errad[oa]|incorrect[oa]))\s*(?:[,.!:;…-]+)\s*"
    r"|(?:please|pls|plz|actually|hmm+|u[hm]+|ok|okay|well|oh|sorry but|i think|i guess|i believe|in fact|as i said"
    r"|nein"
    r"|bitte|eigentlich|tatsächlich|entschuldigung|doch nicht|also bitte|non|en fait|s['’]il (?:te|vous) pla[iî]t"
    r"|désolée?|por favor|en realidad|perdón|de hecho|lo siento|na verdade|desculpe|desculpa|de fato|por gentileza"
    r"|can you|could you|would you|kannst du|können sie|peux[- ]tu|pouvez[- ]vous|puedes|podrías|pode|poderia)"
    r"(?=[\s,.:!…])[\s,.:!…-]*)",
    re.IGNORECASE,
)
_CLOSING = LazyPattern(
    r"(?<![\s,.!;:…-])[\s,.!;:…-]*+(?:(?<=[\s,.!;:…-])(?:please|pls|plz|thanks(?: a lot| so much)?"
    r"|thank you(?: very much)?|thx|sorry"
    r"|ok|okay"
    r"|cheers|bitte|danke(?: dir| schön)?|merci(?: beaucoup)?|svp|stp|s['’]il (?:te|vous) pla[iî]t|gracias|por favor"
    r"|perdón"
    r"|obrigad[oa]|desculpe|wth|wtf|lol|(?<=, )(?:right|no|man|dude|though|again|as well))\s*+[.!?…]*+)?[\s,.!;:…]*+$",
    re.IGNORECASE,
)
_DISPLEASED = LazyPattern(  # says that something is wrong, and nothing more
    r"(?:(?:hm++|no|well|sorry|and|but|so|wow|ugh|ok)[\s,.!]++)*+"
    r"(?:(?:that|this|it|the (?:answer|output|result)|everything|das|dies|es|c['’]|ça|cela|eso|esto|isso|isto|está"
    r"|é)\W{0,2}"
    r"(?:s|is|was|are|looks?|seems?|ist|war|stimmt|est|es|está|é|n['’]est)?\s*"
    r"(?:(?:still|just|completely|totally|simply|all|also|so|very|not|plain|nicht|noch|immer|total|pas|complètement"
    r"|no|não|completamente|totalmente|a bit|quite|really|at all)\s+)*"
    r"(?:wrong|incorrect|false|not (?:right|correct|true)|right|correct|true|inaccurate|bad|nonsense|off|broken"
    r"|confusing"
    r"|falsch|richtig|korrekt|stimmt|nicht|unsinn|quatsch|faux|fausse|juste|correcte?|vrai|mal|incorrecto|correcto"
    r"|cierto|verdad|falso|errado|incorreto|certo|verdade|what (?:i|we)(?:['’]re| are)? (?:asked|wanted|meant|said"
    r"|need|talking)(?: for| about)?)"
    r"(?: again| anymore| at all| here)?"
    r"|(?:that|this|it)?\s*(?:does ?n[o'’`]?t|do not|did ?n[o'’]?t|makes?|made) (?:make )?(?:any "
    r"|no )?sense\s*(?:sorry)?"
    r"|(?:no|nope|wrong|incorrect|nein|falsch|non|faux|não|errado|incorrecto|you(?:['’]re| are) wrong|try again|what"
    r"|huh"
    r"|eh|hä|quoi|qué|o quê|what the hell(?: man)?|wth|wtf|dude|no idea what you(?:['’]re| are) talking about"
    r"|(?:what|why) (?:do|are|did) you (?:mean|talking about|say(?:ing)?)(?: (?:again|that|by that|there))*"
    r"|(?:i )?do ?n[o'’]?t think so|no,? thanks?(?: you)?|(?:no,? )?(?:that|it) did (?:nothing|not help|n['’]t (?:help"
    r"|work))"
    r"|(?:that|it|this) (?:does ?n[o'’]?t|did ?n[o'’]?t|does not|did not) work"
    r"|you did ?n[o'’]?t answer (?:me|my question|that)|(?:no,? )?you sure did ?n[o'’]?t))[\s.!?…,/]*",
    re.IGNORECASE,
)
_BEFORE_COMMA = LazyPattern(r"^([^,:]{2,60}?)\s*[,:]\s+(?=\S)")
_REASON = LazyPattern(
    r"(?:^|[\s,(–—-])\s?(?:because|['’]cause|cuz|given that|seeing that|so that|since(?! (?:\d|last|then|yesterday"
    r"|january))"
    r"|weil|parce qu(?:e\s|['’])|puisqu(?:e\s|['’])|afin qu(?:e\s|['’])|porque|ya que|dado que|já que|uma vez que"
    r"|visto que)"
    r"\s*(?!of\b)(?P<why>\S.*)$"
    r"|,\s*(?:denn|da|damit|car|pues|pois|as (?=(?:the|it|we|i|our|this|that|there)\b))\s+(?P<comma>\S.*)$"
    r"|\s(?:because of|due to|wegen|à cause de|a causa de|por causa de)\s+(?P<noun>\S.*)$",
    re.IGNORECASE,
)


class Clauses(NamedTuple):
    """Sentences with quotations replaced by private characters, the quotations, and the first reason given."""

    sentences: list[str]
    quotes: list[tuple[str, str]]  # with marks, without
    reason: str

    def shown(self, text: str) -> str:
        """With quotations put back, marks included."""
        return "".join(self._quote(char, 0) for char in text)

    def bare(self, text: str) -> str:
        """With quotations put back; without marks if it is nothing but a quotation."""
        return self._quote(text, 1) if len(text) == 1 else self.shown(text)

    def _quote(self, char: str, form: int) -> str:
        at = ord(char) - _FIRST
        return self.quotes[at][form] if 0 <= at < len(self.quotes) else char


def clauses(message: str) -> Clauses:
    masked, quotes = _masked(message[:_MESSAGE])
    found: list[str] = []
    reason = ""
    parts = (part for sentence in sentences(masked) for part in _BREAKS.split(sentence))
    for raw in islice(parts, _SENTENCES):
        sentence, why = _without_reason(_core(raw[:_SENTENCE]))
        reason = reason or why
        if sentence:
            found.append(sentence)
    taken = Clauses(found, quotes, "")
    return taken._replace(reason=taken.shown(reason))


def is_quote(text: str) -> bool:
    return len(text) == 1 and _FIRST <= ord(text) < _FIRST + _QUOTES


def _masked(message: str) -> tuple[str, list[tuple[str, str]]]:
    quotes: list[tuple[str, str]] = []

    def keep(match: re.Match[str]) -> str:
        quotes.append((match.group(), match.group(match.lastgroup or 0).strip()))
        return chr(_FIRST + len(quotes) - 1)

    masked = _QUOTED.sub(keep, _BLANKS.sub(" ", _PRIVATE.sub(" ", message)), count=_QUOTES)
    return _SPACED.sub("", masked), quotes


def _core(sentence: str) -> str:
    """A sentence reduced to its point; empty if it only complains."""
    sentence = _BULLET.sub("", " ".join(sentence.split()))
    while sentence and not _DISPLEASED.fullmatch(sentence):
        opening = _COURTESY.match(sentence)
        if opening and opening.end():
            sentence = sentence[opening.end() :]
            continue
        head = _BEFORE_COMMA.match(sentence)
        if head is None or not _DISPLEASED.fullmatch(head[1]):
            sentence = trimmed(sentence)
            return "" if _DISPLEASED.fullmatch(sentence) or _COURTESY.fullmatch(f"{sentence}, ") else sentence
        sentence = sentence[head.end() :]
    return ""


def trimmed(text: str) -> str:
    """Without closing courtesies and stray punctuation, but with a question mark."""
    asks = text.rstrip().endswith("?")
    text = _CLOSING.sub("", text.rstrip(" ?")).strip(" ,;:")
    return f"{text}?" if asks and text else text


def _without_reason(sentence: str) -> tuple[str, str]:
    match = _REASON.search(sentence)
    if match is None:
        return sentence, ""
    why = match["why"] or match["comma"] or match["noun"]
    return trimmed(sentence[: match.start()]), trimmed(why)
