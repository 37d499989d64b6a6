"""Evidence: quotes that stand in the messages they name, to the letter, and a summary. No proof, no insight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from heedful.records.insight import QUOTE_LIMIT, QUOTES_LEAST, QUOTES_MOST, SUMMARY_LIMIT, InsightCandidate, Quote
from heedful.records.transcript import Message, Speaker, Transcript
from heedful.text.checks import clipped
from heedful.text.prose import prose
from heedful.text.terms import terms

_SHORTEST = 8  # characters; less proves nothing
_OPENING = 2_000  # characters of a message in which a further sentence is looked for
_AROUND = 7  # messages to either side


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
    """What belongs to it most: of the same message, then of what it answers, then of what is farther away."""
    messages = transcript.messages
    place = next(number for number, message in enumerate(messages) if message.id == quote.message)
    around = [*messages[place::-1][:_AROUND], *messages[place + 1 :][:_AROUND]]
    for message in around:
        if message.role in {Speaker.USER, Speaker.ASSISTANT} and (text := _nearest(message, quote.text)):
            yield from proven([Quote(message.id, message.role, text)], transcript)


def _nearest(message: Message, quote: str) -> str:
    """The sentence that shares most words with the quote, and is not the quote itself; the first of equals."""
    words = frozenset(terms(quote))
    others = [one for one in _told(message.text[:_OPENING]) if one[0] not in quote and quote not in one[0]]
    return max(others, key=lambda one: len(words & one[1]), default=("", words))[0]


@lru_cache(maxsize=32)  # the candidates of a conversation have the same neighbours
def _told(opening: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The sentences with their terms."""
    told = (opening[start:end] for start, end in prose(opening))
    return tuple((text, frozenset(terms(text))) for text in told)
