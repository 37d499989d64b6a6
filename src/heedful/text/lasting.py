"""Whether somebody says in so many words that a thing holds beyond this time. Few do; those who do mean it."""

from __future__ import annotations

import re
from enum import IntEnum

from heedful.text.contribution import contributes, is_about_failure
from heedful.text.own_words import is_role_play, own_words
from heedful.text.sentences import Span, spans
from heedful.text.standing_orders import is_order
from heedful.text.words import FUNCTION_WORDS


class Lasting(IntEnum):
    PASSING = -1
    """`for now`, `this time`, `not yet`."""
    UNSAID = 0
    CORRECTED = 1
    """Not said; but it corrects what the agent did, and the reader understands that it holds beyond that."""
    IMPLIED = 2
    """`Whenever`, `in this repo`, `DO NOT`: also said of what is being built. `I told you`: also said of the task."""
    EXPLICIT = 3
    """`from now on`, `remember that`, or an order that begins with `always` or `never`."""


FROM_NOW_ON = (
    r"(?:from (?:now|here|today|this point) on(?:wards?)?|henceforth|(?:going|moving) forward|"
    r"künftig|zukünftig|fortan|in zukunft|ab (?:jetzt|sofort|heute)|von (?:jetzt|nun|heute) an|für die zukunft|"
    r"désormais|dorénavant|(?:à|pour) l['’]avenir|à partir (?:de maintenant|d['’]aujourd['’]hui)|"
    r"a partir de (?:ahora|agora|hoy|hoje)|(?:de (?:ahora|hoy) )?en adelante|para el futuro|para o futuro|"
    r"doravante|da(?:qui|gora) (?:em diante|(?:para|pra) (?:a )?frente))"
)
_FROM_NOW_ON = re.compile(rf"\b{FROM_NOW_ON}\b", re.IGNORECASE)
REMINDER = (
    r"(?:remember(?:\s*[:,]|\s+that\b)|merke? dir\b|denke? dar?an\b|"
    r"(?:retiens|souviens-toi|rappelle-toi|n['’]oublie pas) que\b|(?:recuerda|acuérdate de|ten en cuenta) que\b|"
    r"lembre(?:-se)?(?: de)? que\b)"
)
WISH = (
    r"(?:i(?:['’]d like| would like| want| need| expect) you to|you (?:must|should|have to|need to)|"
    r"(?:make|be) sure (?:to|(?:that )?you))"
)
_READ = 2_000  # characters of a message
_GERMAN = frozenset({"immer", "nie", "niemals"})
_POLITE = (
    r"\W{0,3}(?:(?:please|pls|also|and|but|so|no|nope|yes|ok|okay|well|just|btw|hey|bitte|also|und|por favor|"
    r"s['’]il te plaît)\b\W{1,3}){0,3}"
)
_BEGINS = re.compile(
    rf"(?:(?:[^.!?:\n]|\.(?=\w)){{2,60}}:\s+)?{_POLITE}(?:remember\W{{1,3}})?(?:(?:{WISH}|we)\s+)?"
    r"(?P<adverb>always|never|don['’]?t ever|do not ever|immer|nie(?:mals)?|(?:ne )?(?:toujours|jamais)|siempre|nunca|"
    r"jamás|sempre)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_SAID = re.compile(
    rf"\b(?!(?:going|moving|für die|pour|para) ){FROM_NOW_ON}\b|\bin future\W*$|(?<!\bi )\bremember that\b|"
    rf"\bevery time you\b|\beach time you\b(?!['’])|\b(?:going|moving) forward\s*(?:[,.!:]|$)|"
    rf"^{_POLITE}(?:{FROM_NOW_ON}\b|{REMINDER}|"
    r"(?:for|in) (?:the )?future(?: reference)?\s*(?::|(?:,\s*)?(?:please|always|never|do|don['’]?t|use|just)\b))|"
    rf"^{_POLITE}(?:ne |n['’])[^\W\d_]+ (?:plus )?jamais\b",
    re.IGNORECASE,
)
_REMEMBERED = re.compile(
    rf"{_POLITE}remember (?:(?:we|you|it|they)\s+(?P<rest>.*)|(?:the|our|all|every|any) .{{2,60}}? "
    r"(?:is|are|has|have|needs?|must|should|cannot|can['’]?t|do(?:es)?n['’]?t|runs?|lives?|uses?)\b)",
    re.IGNORECASE,
)
_THAT_THING = re.compile(
    r"\bremember that (?!(?:if|when|whenever|while|once|after|before|until|unless|because)\b)"
    r"(?:(?:\w+ ){1,2}(?:you|we|i|he|she|they|from|yesterday)\b|(?:time|one|day|thing|bug)\b)",
    re.IGNORECASE,
)  # which they remind the agent of
_IMPLIED = re.compile(
    r"\b(?:(?:like|as) i said|i(?:['’]ve| have)? (?:already |just )?(?:said|told you)|"
    r"(?-i:DO NOT|MUST NOT|DON'T)|always|never|every time|each time|whenever|ever again|before you|i'?d? prefer|"
    r"after (?:each|every)|we use|we don'?t|(?:in|for) (?:this|our) (?:repo|repository|project|codebase)|immer|"
    r"in future|remember to|keep in mind|next time|nie(?:mals)?|toujours|jamais|siempre|nunca|sempre)\b|\bever\W{0,3}$|"
    r"^\W{0,3}(?:(?:please|also|and|but|just)\b\W{1,3}){0,2}(?:remember|stop \w{2,30}ing)\b",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\b(?:for (?:now|the moment|the time being)|this (?:one )?time|this once|temporarily|right now|not now|"
    r"yet(?! another)|(?:for|in) (?:the rest of )?(?:this|our) (?:chat|conversation|session|game)|"
    r"(?<!as of )(?<!since )(?<!starting )(?:today(?!['’]s)|tonight)|this (?:week|weekend|month|sprint|morning|"
    r"afternoon|evening)|as an exception|"
    r"vorerst|diesmal|jetzt (?:gerade )?nicht|nicht jetzt|(?<!\bab )(?<!\bseit )heute(?! (?:auf|und))|diese woche|"
    r"diesen monat|ausnahmsweise|(?:im|für den) moment|momentan|"
    r"pour (?:l['’]instant|le moment)|(?<!aujourd['’]hui )cette (?:fois|semaine)|pas maintenant|"
    r"(?<!dès )aujourd['’]hui|exceptionnellement|"
    r"por ahora|(?:por |de )(?:el )?momento|esta (?:vez|semana)|ahora no|(?<!desde )hoy(?! en día)|"
    r"por (?:enquanto|ora)|desta vez|(?:n?esta|essa) semana|agora não|(?<!desde )hoje(?! em dia)|excep?cionalmente)\b|"
    r"(?:^|[,;:]|\b(?:please|just|so|and|but|no))\s*(?:don['’]?t|do not)\b[^.,;:!?\n]{0,60}\bnow\b(?! on\b)|"
    r"(?:^|[,;:])\s*(?:não|no|ne|n['’])\b[^.,;:!?\n]{0,60}\b(?:ahora|agora|maintenant)\b",
    re.IGNORECASE,
)
_HERE_TO_STAY = (
    r"(?!(?:repo|repository|monorepo|project|codebase|code\s?base|team|company|machine|box|server|host|laptop|computer|workspace|app|application|service|"
    r"kind|sort|type|way|projekt|projet|dépôt|proyecto|repositorio|projeto|repositório|firma|empresa|entreprise|"
    r"country|language|business|shop|office|house|school|building|region|land|sprache|pays|país|"
    r"point|moment|respect)s?\b)"
)
"""`In this project` is no single thing at hand."""
_AT_HAND = re.compile(
    rf"\b(?:this\s+(?!\w+[^aius]s\b)|(?:these|those|dies(?:e[rsmn]?)?|ce|cette|ces|est[ae]s?|estos)\s+){_HERE_TO_STAY}"
    r"(?!(?:is|are|was|were|will|would|can|could|must|should|has|have|and|or|to|in|on|for|when|if|so)\b)"
    r"[^\W\d_]{3,}",
    re.IGNORECASE,
)  # `this button`: for one thing
_FOR_ONE_THING = re.compile(
    r"\b(?:(?:for|in|on|with) (?:just |only )?(?:this|these|those|that(?= (?:one|case)\b))|"
    r"(?:für|bei|in|auf|mit) (?:nur )?dies(?:e[rsmn]?)?|(?:pour|dans|sur|avec) (?:cet?|cette|ces)|"
    rf"(?:(?:para|pra|en|con|com) |n)(?:est[aeo]s?|ess[ae]s?))\s+{_HERE_TO_STAY}[^\W\d_]{{3,}}|"
    r"\b(?:pour|avec|dans) cel(?:ui|le)-(?:ci|là)",
    re.IGNORECASE,
)  # `for this one, use …`
_VERB_FIRST = re.compile(
    rf"{_POLITE}(?P<verb>[^\W\d_]{{3,}})(?:-moi|-nous)?\s(?:(?P<next>\w+)\s(?:\w+\s){{0,3}}?)?"
    r"(?P<adverb>immer|nie(?:mals)?|toujours|jamais|siempre|nunca|jamás|sempre)\s"
    r"(?!(?:noch|wieder|mehr|pas|no|não|igual|lo mismo)\b)\w",
    re.IGNORECASE,
)  # `réponds toujours en français`: elsewhere than in English, the adverb follows the verb


def lasting_of(message: str) -> Lasting:
    """What a message says in so many words: that it lasts, or that it is for now, or for the one thing at hand."""
    found = {lasting_in(message, sentence) for sentence in spans(message[:_READ])}
    if Lasting.EXPLICIT in found:
        return Lasting.EXPLICIT
    passes = Lasting.PASSING in found or _FOR_ONE_THING.search(message[:_READ]) is not None
    return Lasting.PASSING if passes else Lasting.UNSAID


def lasting_in(text: str, sentence: Span) -> Lasting:
    """Of a sentence of a message. What is asked of a part that the agent plays holds for this conversation."""
    found = lasting(own_words(text, sentence))
    return Lasting.PASSING if found is Lasting.EXPLICIT and is_role_play(text) else found


def lasting(sentence: str) -> Lasting:
    if _PASSING.search(sentence) and not _FROM_NOW_ON.search(sentence):
        return Lasting.PASSING
    begins = _BEGINS.match(sentence)
    if (begins and _is_order(begins)) or _is_explicit(sentence) or _tells_to(sentence):
        return Lasting.UNSAID if _AT_HAND.search(sentence) else Lasting.EXPLICIT
    # `Always the same error` says `always`, too.
    return Lasting.IMPLIED if begins is None and _IMPLIED.search(sentence) else Lasting.UNSAID


def _is_order(begins: re.Match[str]) -> bool:
    return is_order(begins["adverb"].casefold().removeprefix("ne "), begins["rest"])


def _tells_to(sentence: str) -> bool:
    """`Fehlt immer`, in the third person, and `falla siempre`, of an error, report."""
    found = _VERB_FIRST.match(sentence)
    if found is None or not contributes(found["verb"]) or is_about_failure(sentence):
        return False
    if found["next"] and found["next"].casefold() not in FUNCTION_WORDS | {"bitte", "mir", "me", "moi"}:
        return False
    return not (found["adverb"].casefold() in _GERMAN and found["verb"].endswith("t"))


def _is_explicit(sentence: str) -> bool:
    if _THAT_THING.search(sentence):
        return False
    if _SAID.search(sentence):
        return True
    remembered = _REMEMBERED.match(sentence)
    return remembered is not None and (remembered["rest"] is None or is_order("", remembered["rest"]))
