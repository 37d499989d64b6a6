"""What of a message somebody says themselves. The rest is a text that they hand over: to be translated, reviewed or
published, quoted, or pasted code with its comments. What it asks for, it does not ask of the agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from heedful.text.sentences import Span

_READ = 40_000  # characters of a message
_INTRODUCTION = re.compile(
    r"(?:^|(?<=[.!?;\n]))(?P<says>(?:[^.!?;:\n]|\.(?=\w)){2,200}?)\s?:(?=[\s\"“„«]|$)[^\S\n]*(?P<line>[^\n]*)"
)
_ASKS = (
    r"^\W{0,3}(?:(?:please|pls|now|then|and|ok|okay|so|also|next|first|hi|hey|just|bitte|can you|could you|would you|"
    r"will you|i (?:want|need) you to|help me(?: to)?|let['’]?s)\b\W{0,3}){0,3}"
)
_WORKED_ON = re.compile(
    _ASKS + r"(?:translat|(?:re)?writ|draft|compos|proof-?read|review|correct|summari[sz]|shorten|paraphras|rephras|"
    r"reword|polish|publish|post|tweet|reply|respond|email|spell-?check|analy[sz]|classif|explain|convert|generat|"
    r"übersetz|schreib|verfass|formulier|korrigier|fass|erklär|veröffentlich|"
    r"tradu|écri[st]|rédige|corrig|résume|reli[st]|explique|publie|"
    r"escrib|redact|corrij|resum|revis|public|escrev|redij)\w*(?!\s+(?:of|von|de|del|du)\b|\w)",
    re.IGNORECASE,
)
_PUT_SOMEWHERE = re.compile(
    _ASKS + r"(?:add|put|insert|append|paste|include|set|change|display|show|print|render|create|make|turn|format|"
    r"check|say|send|give|read|füg|setz|zeig|mach|erstell|prüf|lies|ajoute|mets|affiche|añad|agreg|pon|muestra|"
    r"adicion|coloqu|mostr)(?:e|es|en|er|ing)?\s+\S",
    re.IGNORECASE,
)
_FOR_THE_AGENT = re.compile(
    r"\b(?:remember|memor\w+|mind|rules?|conventions?|guidelines?|preferences?|from now on|regeln?|règles?|reglas?|"
    r"regras?|(?:claude|agents|gemini|copilot|cursor)\b[\w.-]*)",
    re.IGNORECASE,
)  # `Put this in AGENTS.md: …`
_QUOTES = re.compile(
    r"(?:\b(?:says?|said|reads|states?|stated|wrote|writes|complains|prints|outputs|told (?:me|us)|sagt|schreibt|meint|"
    r"steht|lautet|dit|affiche|dice|pone|diz)"
    r"|^\W*(?:the|this|that|here(?:['’]s| is)|i got)\b.{0,60}\b"
    r"(?:error|message|text|docs?|documentation|e-?mail|prompt|quote|output|log|vendor)(?: (?:is|was))?)\s*$",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:i|we|ich|wir|je|j['’]ai|nous)\W+(?:\w+\W+)?(?:said|told|wrote|sagte|schrieb|dit)\b", re.IGNORECASE
)
_MARKED = re.compile(
    r"(?<![\w\"])(?:\"{3}(?:(?!\"{3}).){2,4000}\"{3}|\"(?=[^\s\"])[^\"]{1,4000}\"(?!\w))"
    r"|“[^“”]{2,4000}”|„[^„“”]{2,4000}[“”]|«[^«»]{2,4000}»|(?<![\w'])'(?=[A-Z])[^'\n]{8,400}'(?!\w)",
    re.DOTALL,
)
_LINE = re.compile(r"[^\n]+")
_COMMENT = re.compile(r"[^\S\n]*(?:#(?!#)|//|--(?!-)|/\*)")
_CODE = re.compile(
    r".*[;{}]\s*$|\s*[\w.\[\]'\"]+\s*(?:[-+*/|]?=|:=)\s*\S|\s*[\w.]+\([^)]*\)\s*(?:[:;{]|$)|\s*@\w|"
    r"\s*(?:async |export |public |private |static )*(?:def|class|func|fn|function|import|from|const|let|var|return|if|"
    r"for|while|struct|impl|type)\b.*[:({;=)\"']\s*$"
)
_PART = re.compile(
    r"\b(?:(?:act|behave|speak|talk|answer|respond|reply) (?:as|like) (?:if you|an?\b|the\b)|pretend\b|role-?play|"
    r"imagine (?:that )?you|let['’]?s play|"
    r"du bist (?:jetzt |nun )?eine?\b|spiel(?:e|st)? (?:jetzt )?(?:eine?n?|die rolle)\b|"
    r"tu es (?:maintenant )?une?\b|(?:agis|comporte-toi) comme\b|joue le rôle\b|eres un[ao]?\b|actúa como\b|"
    r"aja como\b|(?:você é|finja)\b)"
    r"|^\W{0,3}(?:(?:from now on|hi|hey|ok|now|so)\W{1,3})?you(?: are|['’]re)(?: now)? an?\b",
    re.IGNORECASE,
)
_OPENING = 400  # characters in which a part is given


def own_words(text: str, sentence: Span) -> str:
    """A sentence of a message without what of it is handed over."""
    start, end = sentence
    for first, last in _handed_over(text):
        if first <= start < last:
            return ""
        if start < first < end:
            return f"{text[start:first]}… {text[last:end]}"
    return text[start:end]


@lru_cache(maxsize=64)  # asked for every sentence of a message
def is_role_play(text: str) -> bool:
    """Whether it gives the agent a part to play: what it asks of that part, it asks for this conversation."""
    return _PART.search(text[:_OPENING]) is not None


@lru_cache(maxsize=64)
def _handed_over(text: str) -> tuple[Span, ...]:
    text = text[:_READ]
    return (*_introduced(text), *(found.span() for found in _MARKED.finditer(text)), *_comments(text))


def _introduced(text: str) -> Iterator[Span]:
    """`Translate this: …`: to the end of the paragraph; if it stands on lines of its own, to the end."""
    for found in _INTRODUCTION.finditer(text):
        if _hands_over(found["says"].strip()):
            end = text.find("\n\n", found.end()) if found["line"].strip() else -1
            yield found.start("line"), len(text) if end < 0 else end


def _hands_over(says: str) -> bool:
    if _QUOTES.search(says):
        return _OWN.search(says) is None
    placed = _PUT_SOMEWHERE.search(says) is not None and _FOR_THE_AGENT.search(says) is None
    return placed or _WORKED_ON.search(says) is not None


def _comments(text: str) -> Iterator[Span]:
    """Comments that stand at code. What stands alone behind a `#` is a heading, or meant for the agent."""
    lines = _LINE.finditer(text)
    blocks = [
        (is_comment, [*block]) for is_comment, block in groupby(lines, lambda line: bool(_COMMENT.match(line[0])))
    ]
    for number, (is_comment, block) in enumerate(blocks):
        beside = (*(one[-1] for _, one in blocks[:number][-1:]), *(one[0] for _, one in blocks[number + 1 :][:1]))
        if is_comment and any(_CODE.match(line[0]) for line in beside):
            yield block[0].start(), block[-1].end()
