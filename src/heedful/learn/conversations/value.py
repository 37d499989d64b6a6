"""Whether a conversation is worth mining: a few cheap signs, before anything is read closely.

The signs are counted on what people and assistants said. System prompts, boot files and text that a program put into a
message do not count, keywords are whole words, and a block of code is one that was opened and closed. Sessions of
coding agents pass nearly always, for they use tools by nature; so what makes a conversation worthless is told as well:
nobody asked for anything, or it was broken off before the assistant said something. A short question with a reasoned
answer shows none of the usual signs and may be worth most; so a reason given in technical words is a sign of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from heedful.learn.conversations.tags import technologies
from heedful.records.transcript import Message, Speaker, Transcript

THRESHOLD: Final = 0.3
_FEWEST_MESSAGES = 3
_CODE, _TOOLS, _LENGTH, _KEYWORDS, _EXPLAINED = 0.3, 0.25, 0.2, 0.25, 0.3
_CODE_BLOCKS = 2
_TOOL_CALLS = 3
_TOKENS = 2_000
_TECHNICAL_MESSAGES = 2
_CHARACTERS_PER_TOKEN = 4
_LEAST_SAID = 100  # characters of all that the assistant said
_READ = 50_000  # characters of a message

_INJECTED = (  # by the tools that people work with, and by heedful itself
    "system-reminder", "command-name", "command-message", "command-args", "command-contents", "local-command-stdout",
    "local-command-stderr", "local-command-caveat", "environment_context", "user_instructions", "heedful",
)  # fmt: skip
_FENCE = re.compile(r"^\s{0,3}(?:```|~~~)", re.MULTILINE)
_TECHNICAL = re.compile(
    r"\b(?:errors?|exceptions?|bugs?|fix(?:e[sd]|ing)?|implement(?:s|ed|ing|ation)?|optimi[sz](?:e[sd]?|ing|ation)|"
    r"patterns?|architectures?|designs?|tests?|tested|testing|refactor(?:s|ed|ing)?|compil\w{1,6}|deploy(?:s|ed|ing|"
    r"ment)?|database|functions?|api|stack ?trace|regress\w{1,6}|migrations?|dependency|dependencies|"
    r"config(?:uration)?|quer(?:y|ies)|scripts?|endpoints?|index(?:es)?|caches?|threads?|middleware|repo(?:sitory)?|"
    r"commit messages?|rebas(?:e[sd]?|ing)|pull requests?|lint(?:s|er|ers|ing)?|docstrings?|codebase|backend|"
    r"frontend)\b",
    re.IGNORECASE,
)
_REASONED = re.compile(
    r"\b(?:because|root cause|caused by|turns out|the reason|recommend|otherwise|so that|the fix|trade-?off|instead|"
    r"rather than|recommendation|(?:went|dropped|down) from)\b|, so |^\s{0,3}3[.)]\s",
    re.IGNORECASE | re.MULTILINE,
)
_GREETING = re.compile(
    r"\W*(?:(?:hi|hello|hey|yo|good (?:morning|evening|afternoon)|thanks?|thank you|test|testing|ping|ok(?:ay)?|bye|"
    r"exit|quit|continue|there|claude|codex|gemini|chatgpt|how are you|what'?s up|are you there|/\w+)\W*)*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Value:
    score: float
    """From 0 to 1."""
    reasons: tuple[str, ...]
    worth: bool
    empty: bool = False
    """Nobody could learn anything from it, unless a person stated something in it."""


def analysed(transcript: Transcript) -> Value:
    said = [(message, _own(message)) for message in transcript.messages if message.role != Speaker.SYSTEM]
    said = [(message, text) for message, text in said if text or message.tools]
    worthless = _worthless(said)
    if worthless:
        return Value(0.0, (worthless,), worth=False, empty=True)
    score, reasons = 0.0, []
    for found, weight, reason in (
        (_blocks(said) >= _CODE_BLOCKS, _CODE, "it shows code"),
        (sum(len(message.tools) for message, _ in said) >= _TOOL_CALLS, _TOOLS, "tools were used"),
        (_spoken(said) >= _TOKENS * _CHARACTERS_PER_TOKEN, _LENGTH, "it is long"),
        (_technical(said) >= _TECHNICAL_MESSAGES, _KEYWORDS, "it is about a technical problem"),
        (_explained(said), _EXPLAINED, "it gives reasons"),
    ):
        if found:
            score += weight
            reasons.append(reason)
    return Value(min(1.0, score), tuple(reasons), worth=score >= THRESHOLD)


def _own(message: Message) -> str:
    """What was really said in it."""
    text = message.text[:_READ]
    if "</" in text:
        for tag in _INJECTED:
            text = _without(text, tag)
    return text.strip()


def _without(text: str, tag: str) -> str:
    kept, start, closing = [], 0, f"</{tag}>"
    while (opened := text.find(f"<{tag}", start)) >= 0 and (closed := text.find(closing, opened)) >= 0:
        kept.append(text[start:opened])
        start = closed + len(closing)
    return "".join(kept) + text[start:]


def _worthless(said: list[tuple[Message, str]]) -> str:
    if len(said) < _FEWEST_MESSAGES:
        return "too few messages"
    asked = [text for message, text in said if message.role == Speaker.USER]
    if all(len(text) < 200 and _GREETING.fullmatch(text) for text in asked):
        return "nobody asked for anything"
    answered = sum(len(text) for message, text in said if message.role == Speaker.ASSISTANT)
    if answered < _LEAST_SAID:
        return "the assistant said next to nothing"
    return ""


def _blocks(said: list[tuple[Message, str]]) -> int:
    return sum(len(_FENCE.findall(text)) // 2 for message, text in said if message.role != Speaker.TOOL)


def _spoken(said: list[tuple[Message, str]]) -> int:
    return sum(len(text) for message, text in said if message.role != Speaker.TOOL)


def _technical(said: list[tuple[Message, str]]) -> int:
    return sum(1 for message, text in said if message.role != Speaker.TOOL and is_technical(text))


def _explained(said: list[tuple[Message, str]]) -> bool:
    spoken = (text for message, text in said if message.role == Speaker.ASSISTANT)
    return any(_REASONED.search(text) and is_technical(text) for text in spoken)


def is_technical(text: str) -> bool:
    """Whether it names something of the trade."""
    return bool(_TECHNICAL.search(text)) or bool(technologies(text))
