"""What a person takes back: later in the session (`scratch that`, `no wait, not tenacity`), or in another one (`we no
longer deploy with make ship`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from heedful.learn.conversations.sessions import HeardRetraction, ReadTurn, Stated
from heedful.learnings.retracted import MAY_END
from heedful.records.reading import Bearing, Reader
from heedful.text.dictation import lasting_of
from heedful.text.lasting import Lasting
from heedful.text.prose import prose
from heedful.text.sentences import Span
from heedful.text.terms import terms

_TAKEN_BACK = 0.6  # the chance from which on a later message takes back what was said before in the same session
_READ = 600  # characters of a message: people take back first
_TYPED = 2_000  # characters; what is longer was mostly pasted
_ALL_OF_IT = re.compile(
    r"\b(?:scratch|strike|forget|ignore|disregard|vergiss|oublie|olvida|esquece)\s+(?:about\s+)?"
    r"(?:that|it|this|what i(?: just)? said|das|es|ça|eso|isso)(?=\s*(?:$|[.,;:!—–-]|and\b|for\b))"
    r"|\bnever ?mind(?=\s*(?:$|[.,;:!—–-]))|\btake (?:that|it) back\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:scratch|forget|ignore|disregard|never ?mind)\b[^.!?\n]{0,30}\b(?:thing|rule|part|bit|said|about)\b"
    r"|\b(?:changed (?:my|our) minds?|i was wrong|on second thoughts?|no,? wait|wait,? no|actually,? no)\b",
    re.IGNORECASE,
)


def is_retraction(text: str) -> bool:
    """Whether it says that something said before does not hold, and nothing else."""
    return _ALL_OF_IT.search(text) is not None or _NAMED.search(text) is not None


def retractions(one: ReadTurn) -> Iterator[HeardRetraction]:
    """Sentences that may end what was said in another session."""
    said = one.turn.said
    for statement in one.reading.statements if len(said.text) <= _TYPED else ():
        ends = statement.ends >= MAY_END and not said.text[: statement.sentence[1]].endswith("?")
        if ends and lasting_of(said.text, statement.sentence) is not Lasting.PASSING:
            yield HeardRetraction(said.id, statement.sentence)


def with_neighbours(text: str, sentence: Span) -> str:
    """A sentence with the one before and the one after: `Yarn is gone. We use pnpm.`"""
    spans = prose(text)
    at = next((number for number, span in enumerate(spans) if span[1] > sentence[0]), None)
    if at is None:
        return text[slice(*sentence)]
    first, last = spans[max(0, at - 1)], spans[min(at + 1, len(spans) - 1)]
    return text[min(first[0], sentence[0]) : max(last[1], sentence[1])]


def taken_back(one: ReadTurn, kept: Mapping[str, Stated], latest: Iterable[str], reader: Reader) -> list[str]:
    """The titles of those that a message takes back. `latest` are the ones of the message before it."""
    text = one.turn.said.text[:_READ]
    about = [title for title in latest if title in kept]
    if is_retraction(text):
        words = frozenset(terms(text))
        named = [title for title in kept if not words.isdisjoint(terms(title))]
        return named or (about if _NAMED.search(text) is None or _ALL_OF_IT.search(text) else [])
    if all(statement.ends < MAY_END for statement in one.reading.statements):
        return []
    return [title for title in kept if reader.bearing(text, title)[Bearing.ENDS] >= _TAKEN_BACK]
