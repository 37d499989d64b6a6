"""Whether a text that is meant as a rule reads like an attempt to take over the agent that gets it.

It asks for a closer look, and forbids nothing: people decide.
"""

from __future__ import annotations

import re

from heedful.text.checks import visible
from heedful.text.words import words_of

_REACH = 8  # words between which two words belong together

_TOGETHER = (
    (
        "It tells the agent to disregard other instructions.",
        "ignore ignoring disregard forget override bypass vergiss ignoriere oublie oubliez ignorez olvida ignora",
        "instruction instructions prompt prompts guideline guidelines policy policies safety previous anweisung"
        " anweisungen regel regeln consignes consigne règles instrucciones reglas rules",
    ),
    (
        "It asks for what must stay inside: secrets, keys or the prompt itself.",
        "reveal print show output leak send post upload forward email include append exfiltrate disclose",
        "secret secrets password passwords credential credentials token tokens key keys env prompt",
    ),
    ("It changes who the agent is.", "you act pretend", "now persona jailbreak jailbroken unrestricted"),
    (
        "It hides something from people.",
        "not don't never without",
        "tell telling inform informing notify disclose",
    ),
    (
        "It turns off a safeguard.",
        "disable skip deactivate bypass suppress",
        "review reviews approval audit logging safety security verification sandbox checks",
    ),
    (
        "It approves without looking.",
        "approve approved accept grant",
        "automatically everything anything anyone regardless unconditionally",
    ),
)
"""Signs, as words that stand near each other: one of the first list, and soon one of the second."""
_WORD = re.compile(r"[\w'’]+")
_ADDRESS = re.compile(r"\b(?:https?://|www\.)")
_UNREADABLE = re.compile(r"[A-Za-z0-9+/=_-]{48}")
_SPEAKER = re.compile(
    r"(?:^|\s)(?:system|assistant|user|human) ?: |<\|?(?:im_start|system|assistant|user)", re.IGNORECASE
)


def suspicions(text: str) -> tuple[str, ...]:
    """The signs, in sentences; none for an ordinary rule."""
    words = [word.replace("’", "'") for word in _WORD.findall(text.casefold())]
    found = [says for says, first, second in _TOGETHER if _near(words, words_of(first), words_of(second))]
    if _ADDRESS.search(text):
        found.append("It has an address to send something to.")
    if _UNREADABLE.search(text):
        found.append("It has a long run of characters that nobody can read.")
    if _SPEAKER.search(text):
        found.append("It imitates a speaker of a conversation.")
    if visible(text) != text:
        found.append("It has characters that cannot be seen.")
    return tuple(found)


def _near(words: list[str], first: frozenset[str], second: frozenset[str]) -> bool:
    return any(
        word in first and not second.isdisjoint(words[at + 1 : at + 1 + _REACH]) for at, word in enumerate(words)
    )
