"""Cases that overrule the trained model: named wrong words, a plain verdict, mere praise."""

from __future__ import annotations

import re

from heedful.capture.corrections.detection.detector import THRESHOLD
from heedful.capture.corrections.detection.pattern import LazyPattern
from heedful.capture.corrections.detection.spans import Spans, spans

_PAIR = 0.8  # the wrong words are in the output, and the right ones in the message
_VERDICT = 0.75
_PROTEST = 0.6
_PRAISE = 0.3
_SHORT = 300  # characters
_LOOKED_AT = 400  # characters of a message

_WRONG = (
    r"not (?:right|correct|true)|wrong|incorrect|false|falsch|nicht (?:richtig|korrekt)|faux|incorrecte?|inexacte?"
    r"|pas (?:correcte?|juste|bon)|incorrecto|falso|equivocado|errado|incorreto"
)
_IS = (
    r"(?:that|this|it)(?:['’]s| is| was)|(?:das|dies|es) (?:ist|war)|c['’](?:est|était)|(?:eso|esto) (?:es|está)"
    r"|isso (?:é|está)|est[áa]"
)
_VERDICTS = LazyPattern(
    rf"^(?:(?:no|nope|nein|non|não|nao|sorry|wait|hmm+)\b[,.!\s]*)*(?:but\s+)?(?:{_IS})\s+"
    rf"(?:still\s+|immer noch\s+|toujours\s+|just\s+)?(?:{_WRONG})\b"
    r"|\b(?:stimmt nicht|n['’]est pas (?:correct|juste|vrai)|no es (?:correcto|cierto|verdad)"
    r"|não (?:está|é) (?:certo|correto|verdade)|you(?:['’]re| are) wrong)\b",
    re.IGNORECASE,
)
_PROTESTS = LazyPattern(
    r"\b(?:what the (?:hell|heck|f\w*)|wtf|wth)\b"
    r"|\bi (?:don['’]?t|do not|didn['’]?t|did not) (?:want|ask for|ask you|mean|say) "
    r"(?:that|this|it|you|to|a|the|any)\b"
    r"|^(?:no|nope|nein|non|não)\b(?!\s*(?:problem|worries|need|thanks|thank|idea|issue|rush|one|more|further|way))",
    re.IGNORECASE,
)  # after a question it would be an answer
_PRAISES = LazyPattern(
    r"\b(?:thanks|thank you|thx|nice|great|perfect|awesome|excellent|lovely|well done|good job|looks good|lgtm|fast"
    r"|danke|super|prima|perfekt|merci|parfait|gracias|perfecto|obrigad[oa]|perfeito)\b",
    re.IGNORECASE,
)
_RESERVATIONS = LazyPattern(
    r"\b(?:but|however|although|except|still|instead|should|only|now|please|aber|jedoch|bitte|mais|pourtant|pero|mas"
    r"|porém)\b|\?",
    re.IGNORECASE,
)


def weighed(probability: float, message: str, last_output: str) -> tuple[float, Spans]:
    """The model's probability, adjusted by what the message names; and the spans it names.

    A long message that is no correction does not become one by a phrase within it.
    """
    if probability < THRESHOLD and len(message) > _SHORT:
        return settled(probability, message, last_output, Spans("", "", "")), Spans("", "", "")
    found = spans(message, last_output)
    return settled(probability, message, last_output, found), found


def settled(probability: float, message: str, last_output: str, found: Spans) -> float:
    """The probability, within the bounds that certain cases set."""
    head = message[:_LOOKED_AT].strip()
    if found.wrong and found.right and found.wrong.casefold() in last_output.casefold():
        return max(probability, _PAIR)
    if _VERDICTS.search(head) and not head.endswith("?"):
        return max(probability, _VERDICT)
    if _PROTESTS.search(head) and not last_output.rstrip().endswith("?"):
        return max(probability, _PROTEST)
    if _PRAISES.search(head) and not _RESERVATIONS.search(head) and len(message) < _LOOKED_AT:
        return min(probability, _PRAISE)
    return probability
