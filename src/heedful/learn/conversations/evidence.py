"""Evidence: quotes that stand in the messages they name, to the letter, and a summary. No proof, no insight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from heedful.records.insight import QUOTE_LIMIT, QUOTES_MOST, SUMMARY_LIMIT, InsightCandidate, Quote
from heedful.records.transcript import Message, Speaker, Transcript
from heedful.text.checks import clipped
from heedful.text.commands import commands
from heedful.text.lexicon import LIGHT_WORDS, NEGATIONS
from heedful.text.prose import prose
from heedful.text.stems import stem
from heedful.text.terms import terms

_SHORTEST = 8  # characters; less proves nothing
_OPENING = 2_000  # characters of a message in which a further sentence is looked for
_AROUND = 7  # messages to either side
_EMPTY = frozenset(map(stem, LIGHT_WORDS | NEGATIONS.keys()))
_SHARED = 3  # terms that two sentences about one thing have in common, or all of a shorter one


def verified(candidate: InsightCandidate, transcript: Transcript) -> InsightCandidate | None:
    """With one to four quotes that hold; with none, None. A single one is joined by what was said around it about the
    same thing, if anything was."""
    quotes = proven(candidate.quotes, transcript)[:QUOTES_MOST]
    if not quotes:
        return None
    if len(quotes) == 1:
        quotes += islice(_further(quotes[0], transcript), 1)
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
    """The sentence that has most in common with the quote, and is not the quote itself; the first of equals. Empty if
    none is about the same thing."""
    about = _about(quote)
    others = [one for one in _told(message.text[:_OPENING]) if one[0] not in quote and quote not in one[0]]
    text, shared = max(((text, about.shared(other)) for text, other in others), key=lambda one: one[1], default=("", 0))
    return text if shared >= min(_SHARED, max(2, len(about.terms))) else ""


class _About(NamedTuple):
    terms: frozenset[str]
    names: frozenset[str]

    def shared(self, other: _About) -> int:
        """A name in common is enough."""
        return len(self.terms & other.terms) + _SHARED * len(self.names & other.names)


def _about(text: str) -> _About:
    return _About(frozenset(terms(text)) - _EMPTY, frozenset(one.text for one in commands(text)))


@lru_cache(maxsize=32)  # the candidates of a conversation have the same neighbours
def _told(opening: str) -> tuple[tuple[str, _About], ...]:
    """The sentences, and what they are about."""
    told = (opening[start:end] for start, end in prose(opening))
    return tuple((text, _about(text)) for text in told)
