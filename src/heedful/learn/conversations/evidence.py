"""Evidence: quotes that stand in the messages they name, to the letter, and a summary. No proof, no insight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from heedful.records.insight import QUOTE_LIMIT, QUOTES_LEAST, QUOTES_MOST, SUMMARY_LIMIT, InsightCandidate, Quote
from heedful.records.transcript import Message, Speaker, Transcript
from heedful.text.checks import clipped
from heedful.text.prose import prose

_SHORTEST = 8  # characters; less proves nothing
_OPENING = 2_000  # characters of a message that its first sentence is looked for in


def verified(candidate: InsightCandidate, transcript: Transcript) -> InsightCandidate | None:
    """With two to four quotes that hold. Too few are filled up with what was said around them; with none, None."""
    quotes = proven(candidate.quotes, transcript)[:QUOTES_MOST]
    if not quotes:
        return None
    if len(quotes) < QUOTES_LEAST:
        quotes += list(_further(quotes[0], transcript))[: QUOTES_LEAST - len(quotes)]
    summary = clipped(candidate.summary, SUMMARY_LIMIT) or clipped(quotes[0].text, SUMMARY_LIMIT)
    return replace(candidate, quotes=tuple(quotes), summary=summary)


def proven(quotes: Iterable[Quote], transcript: Transcript) -> list[Quote]:
    """Those that occur in their message, white space aside; cut to length, with the role of the message."""
    named = {quote.message for quote in quotes}
    said = {message.id: message for message in transcript.messages if message.id in named}
    held: dict[tuple[str, str], Quote] = {}
    for quote in quotes:
        message = said.get(quote.message)
        text = " ".join(quote.text.split())
        if message is None or len(text) < _SHORTEST:
            continue
        if text in _spaced(message.text):
            cut = shortened(text)
            held.setdefault((message.id, cut), Quote(message.id, message.role, cut))
    return list(held.values())


@lru_cache(maxsize=16)  # the candidates of a conversation quote the same few messages
def _spaced(text: str) -> str:
    return " ".join(text.split())


def shortened(text: str) -> str:
    """At most a quote's length, without half a word at its end."""
    if len(text) <= QUOTE_LIMIT:
        return text
    head = text[: QUOTE_LIMIT + 1]
    return (head.rsplit(" ", 1)[0] if " " in head else head[:QUOTE_LIMIT]).rstrip()


def _further(quote: Quote, transcript: Transcript) -> Iterator[Quote]:
    """First sentences: of the same message, of the ones before and after it that somebody said."""
    messages = transcript.messages
    place = next(number for number, message in enumerate(messages) if message.id == quote.message)
    around = [
        message
        for message in messages[max(0, place - 6) : place + 7]
        if message.role in {Speaker.USER, Speaker.ASSISTANT}
    ]
    around.sort(key=lambda message: message.id != quote.message)
    for message in around:
        for text in _first(message):
            if text not in quote.text and quote.text not in text:
                yield from proven([Quote(message.id, message.role, text)], transcript)
                break


def _first(message: Message) -> list[str]:
    opening = message.text[:_OPENING]
    return [opening[start:end] for start, end in prose(opening)[:3]]
