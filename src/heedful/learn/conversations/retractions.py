"""What a person takes back: later in the session (`scratch that`, `no wait, not tenacity`), or in another one (`we no
longer deploy with make ship`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from heedful.learn.conversations.sessions import HeardRetraction, ReadTurn, Stated
from heedful.learn.conversations.turns import Turn
from heedful.learn.conversations.verdicts import is_worth_a_look
from heedful.records.reading import Exchange, MessageAct, Reader
from heedful.text.contradictions import negates
from heedful.text.lasting import Lasting, lasting
from heedful.text.prose import prose
from heedful.text.retractions import Form, Retraction, denials
from heedful.text.retractions import retractions as said_to_end
from heedful.text.terms import terms

_READ = 600  # characters of a message: people take back first
_TYPED = 2_000  # characters; what is longer was mostly pasted
_CLOSE, _FEW = 2, 6  # terms that a message shares with what was said before, to be about it; one of so few is enough
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
_NOT_THAT = re.compile(r"\s*(?:no+\W{1,3})?not (?:the |an? )?([\w./-]{2,60})", re.IGNORECASE)


def is_retraction(text: str) -> bool:
    """Whether it says that something said before does not hold, and nothing else."""
    if _ALL_OF_IT.search(text) is not None or _NAMED.search(text) is not None:
        return True
    return any(found.form is Form.DROPPED for found in said_to_end(text))


def retractions(one: ReadTurn) -> Iterator[HeardRetraction]:
    """What may take back what was said in another session. What the agent said is denied by who refuses its work."""
    said = one.turn.said
    spans = list(prose(said.text)) if len(said.text) <= _TYPED else []
    for (start, end), (_, after) in zip(spans, [*spans[1:], *spans[-1:]], strict=True):
        sentence, both = said.text[start:end], said.text[start:after]
        found = said_to_end(sentence) or (denials(sentence) if one.refuses else ())
        replaced = () if found else _replaced(both)
        if (found or replaced) and lasting(both if replaced else sentence) is not Lasting.PASSING:
            yield HeardRetraction(said.id, (start, after if replaced else end), found or replaced)


def _replaced(sentences: str) -> tuple[Retraction, ...]:
    """`Yarn is gone. We use pnpm now.`"""
    return tuple(one for one in said_to_end(sentences) if one.form is Form.REPLACED)


def taken_back(turn: Turn, kept: Mapping[str, Stated], latest: Iterable[str], reader: Reader) -> list[str]:
    """The titles of those that it takes back. `latest` are the ones of the message before it."""
    text = turn.said.text[:_READ]
    words = frozenset(terms(text))
    named = [title for title in kept if not words.isdisjoint(terms(title))]
    about = [title for title in latest if title in kept]
    if not (named or about):
        return []
    least = 1 if len(words) <= _FEW else _CLOSE
    close = [title for title in named if len(words.intersection(terms(title))) >= least]
    if is_retraction(text) or _corrects_themselves(turn, kept, close, reader):
        return named or (about if _NAMED.search(text) is None or _ALL_OF_IT.search(text) else [])
    return list(_denied(text, named))


def _corrects_themselves(turn: Turn, kept: Mapping[str, Stated], titles: Iterable[str], reader: Reader) -> bool:
    said = " ".join(kept[title].candidate.quotes[0].text for title in titles if _counts(kept[title]))
    return bool(said) and reader.read(Exchange(said, turn.before, turn.said.text[:_READ])).act is MessageAct.SELF


def _counts(one: Stated) -> bool:
    return is_worth_a_look(one.chance, one.candidate.category, one.backing)


def _denied(text: str, titles: Iterable[str]) -> Iterator[str]:
    """`Not tenacity` takes back `use tenacity`, and repeats `use retry, not tenacity`."""
    denied = _NOT_THAT.match(text)
    if denied is not None:
        what = frozenset(terms(denied[1]))
        yield from (title for title in titles if not (what.isdisjoint(terms(title)) or negates(title)))
