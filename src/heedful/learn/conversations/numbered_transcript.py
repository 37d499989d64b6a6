"""A conversation as a language model is shown it: what tells most, numbered, within a budget, and only as data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from heedful.learn.conversations.evidence_quotes import quoted
from heedful.records.insight import Quote
from heedful.records.language import estimate
from heedful.records.transcript import Message, Speaker, Transcript
from heedful.text.fence import data

_GAP = " […] "
_TOOLS = 4
_TOOL_INPUT = 100
_WEIGHED = 1_000  # characters of a message that are looked at for what it tells
_TRIED = 500  # messages; by then there is hardly any room left

_WORD = re.compile(r"[a-z']+")
_TELLING_LIST = """
    error errors fail fails failed failing failure bug broken wrong crash cause caused causes because since reason turns
    fix fixed fixes solved works instead rather decide decided decision chose choice prefer always never don't
    dont stop remember should must faster slower seconds memory option options convention
"""
_TELLING = frozenset(_TELLING_LIST.split())


class Shown(NamedTuple):
    message: Message
    parts: tuple[str, ...]
    """What is shown of its text: all of it, or beginning and end."""


class NumberedTranscript(NamedTuple):
    passages: tuple[Shown, ...]
    text: str

    def quote(self, number: int, words: str) -> Quote | None:
        """The words as they stand in the passage of that number; None if they do not."""
        if not 0 <= number < len(self.passages):
            return None
        message, parts = self.passages[number]
        found = quoted(words, parts)
        return Quote(message.id, message.role, found) if found else None

    def has(self, quote: Quote) -> bool:
        """Whether these words are shown."""
        return any(message.id == quote.message and quoted(quote.text, parts) for message, parts in self.passages)


def numbered(transcript: Transcript, tokens: int, cut: Mapping[Speaker, int]) -> NumberedTranscript:
    """As much as fits, the most telling messages first, in the order in which they were said.

    `cut` has the characters shown of a message by who wrote it; others are not shown.
    """
    acts = Speaker.TOOL in cut
    messages = [one for one in transcript.messages if one.role in cut and (one.text.strip() or (acts and one.tools))]
    weights = [*_weights(messages)]
    left, taken = tokens, dict[int, Shown]()
    for place in sorted(range(len(messages)), key=lambda place: (-weights[place], -place))[:_TRIED]:
        shown = Shown(messages[place], _parts(messages[place].text, cut[messages[place].role]))
        cost = estimate(_line(place, shown))
        if cost <= left:
            left -= cost
            taken[place] = shown
    passages = tuple(taken[place] for place in sorted(taken))
    return NumberedTranscript(passages, "\n".join(_line(number, shown) for number, shown in enumerate(passages)))


def _weights(messages: Sequence[Message]) -> Iterator[float]:
    """People tell most; then what was said last before they spoke or left, and what speaks of causes and results."""
    begun = False
    for message, following in zip_longest(messages, messages[1:]):
        weight = {Speaker.USER: 3.0, Speaker.ASSISTANT: 1.0}.get(message.role, 0.0)
        if message.role is Speaker.USER and not begun:
            begun, weight = True, weight + 3
        if message.role is Speaker.ASSISTANT and (following is None or following.role is Speaker.USER):
            weight += 1.5
        looked_at = message.text[:_WEIGHED]
        weight += 0.5 * min(len(_TELLING.intersection(_WORD.findall(looked_at.lower()))), 4)
        yield weight + 0.5 * ("```" in looked_at) + 0.5 * message.failed


def _parts(text: str, most: int) -> tuple[str, ...]:
    if len(text) <= most:
        return (text,)
    end = most // 3
    return text[: most - end], text[-end:]


def _line(number: int, shown: Shown) -> str:
    message = shown.message
    who = message.role.value
    if message.failed:
        who += ", interrupting" if message.role is Speaker.USER else ", failed"
    used = ", ".join(f"{data(tool.name[:40])} {data(tool.input[:_TOOL_INPUT])}" for tool in message.tools[:_TOOLS])
    return f"[{number}] {who}: {data(_GAP.join(shown.parts))}" + (f" (used {used})" if used else "")
