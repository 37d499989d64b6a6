"""What the agent did about a cause that it found: the sentence of the same turn that tells it.

A cause that was mended is over, and would be read as if it still held. So it is kept with what was done, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from heedful.learn.conversations.turns import Turn
from heedful.records.transcript import Message
from heedful.text.prose import prose
from heedful.text.sentences import Span
from heedful.text.terms import terms

_NEXT = 2  # sentences after a cause in which it is told what was done about it
_FIXES = (
    r"(?<!not )(?<!to )(?<!be )(?<!would )\b(?:fix(?:es|ed)|solve[sd]|resolve[sd]|repair(?:s|ed))\b|\bfix (?:is|was)\b"
)
_DID = re.compile(
    r"^\W*(?:[^:.]{1,30}: )?(?:(?:then|so|now|therefore|and) )?(?:I|we)(?:['’]ve| have)? "
    r"(?:(?:now|also|just|then|simply|\w+ly) )*"
    r"(?!(?:saw|seen?|ran|run|(?:can|could|may|might|would|should|do|did|have|had|am|was)n?)\b|"
    r"(?:think|thought|notice|find|found|look|check|test|try|tried|suspect|believe|guess|recommend|suggest|propose|read|"
    r"search|need|confirm|verif|reproduc|wonder|want|hope)\w{0,5}\b)\w"
    rf"|{_FIXES}|^\W*fix\W*:"
    r"|(?<!right )(?<!for )(?<!until )(?<!by )\bnow\b"
    r"|^\W*(?!(?:look|runn|test|check|read|search|go|try|be|hav|do|consider|assum|noth|someth|dur|follow)ing\b)"
    r"\w{2,}ing (?:it|the|them|that|this|its|each|every|all|both|an?|`)"
    r"|\b(?:jetzt|nun|behoben|gefixt|repariert|maintenant|corrigé\w*|réparé\w*|ahora|corregid\w+|arreglad\w+|agora|"
    r"corrigid\w+)\b|^\W*(?:ich habe|j['’]ai|nous avons) ",
    re.IGNORECASE,
)
_MENDED = re.compile(_FIXES, re.IGNORECASE)
_THEREFORE = re.compile(
    r"\W*(?:(?:that|this|which)(?:['’]s| is| was) why\b|(?:this|that) (?:made|caused|meant|broke|led)\b|"
    r"deshalb\b|darum\b|c['’]est pourquoi\b|por eso\b|por isso\b)",
    re.IGNORECASE,
)
_NO_DEED = re.compile(
    r"\b(?:(?:tests?|suite|everything|all|checks?|lint|build) .{0,30}?\b(?:pass|passes|passed|green|clean)|\d+ passed|"
    r"let me|let['’]s|I['’]ll|I will|I['’]m going|(?:we|you|I) (?:can|could|should)|want me|shall)\b|\?\W*$",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"\b(?:fail\w*|errors?|exceptions?|crash\w*|bugs?|broken?|breaks|fix\w*|slow\w*|wrong|hangs?|hung|stuck|flak\w+|"
    r"leak\w*|time[sd]? out|problems?|regress\w*|why|chokes?|deadlock\w*|corrupt\w*|(?:not|n['’]t) work\w*|"
    r"fehler\w*|kaputt|langsam|hängt|warum|schl(?:ägt|ug|agen) fehl|erreurs?|lente?|pourquoi|plant(?:e|ait)|échou\w+|"
    r"falla\w*|lent[oa]|por qué|falha\w*|erros?)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|did(?:n['’]t)?|had|came|went|got|took|gave|lost|sent|kept|\w{3,}ed|war(?:en)?|wurden?|hatten?|kamen?|"
    r"étai\w+|avai\w+|\w{3,}ai(?:t|ent)|estab\w+|era[nm]?|\w{3,}aba[nm]?|estav\w+|\w{3,}avam?)\b",
    re.IGNORECASE,
)
_SAME_BREATH = re.compile(r"(?:[;—–]|,\s+and|(?<=\s)-)\s+(?=I\b)")
_NAMES = re.compile(r"`([^`\n]{2,80})`|\b(\w+(?:[/._-]\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)")
_PARTS = re.compile(r"[\s/()]+")
_MOST = 20_000  # characters


class Mending(NamedTuple):
    cause: Span
    """Without what was done, if both are told in one sentence."""
    message: Message | None
    """The one that tells what was done; None if none does."""
    fix: Span = (0, 0)


def mending(turn: Turn, message: Message, told: Sequence[Span], at: int) -> Mending | None:
    """What was done about the cause that a sentence tells; None if nothing was mended. What the agent changed is in
    the calls of its tools, if there are any; how a new thing is made is no trouble."""
    start, end = told[at]
    may_have_changed = turn.changed or not turn.used_tools
    if not (may_have_changed and _is_trouble(turn, message.text[start:end])):
        return None
    if (breath := _SAME_BREATH.search(message.text, start, end)) and _did(message, (breath.end(), end)):
        cause = message.text[start : breath.start()].rstrip()
        return Mending((start, start + len(cause)), message, (breath.end(), end))
    if _did(message, told[at]):
        return None
    following = [span for span in told[at + 1 : at + 1 + _NEXT] if _did(message, span)]
    if not following and names(message.text[start:end]).isdisjoint(_changed(turn)):
        return None
    later = ((message, span) for span in following)
    done = next(chain(later, _told_later(turn, message), _told_before(message, told[:at])), None)
    return Mending((start, end), *(done or (None,)))


def _is_trouble(turn: Turn, told: str) -> bool:
    """Whether somebody asked about trouble, or what is told is over."""
    return _TROUBLE.search(f"{turn.said.text}\n{told}") is not None or _PAST.search(told) is not None


def mended_by(turn: Turn, message: Message, cause: Span) -> Mending | None:
    """What a later turn did about a cause: many let the agent look first, and mend then. What it did must speak of the
    same thing, for it may have done something else."""
    blamed_for = set(terms(message.text[slice(*cause)]))
    for later in turn.written:
        for span in prose(later.text):
            if _did(later, span) and not blamed_for.isdisjoint(terms(later.text[slice(*span)])):
                return Mending(cause, later, span)
    return None


def asks_about_trouble(turn: Turn) -> bool:
    return _TROUBLE.search(turn.said.text) is not None


def told_first(turn: Turn, message: Message, told: Sequence[Span]) -> Iterator[int]:
    """Who was asked about some trouble tells what it was, then what they did: the sentence before the first deed."""
    if not (turn.changed and asks_about_trouble(turn)):
        return
    first = next((at for at, span in enumerate(told) if _did(message, span)), 0)
    if first and _NO_DEED.search(message.text[slice(*told[first - 1])]) is None:
        yield first - 1


def blamed(message: Message, told: Sequence[Span]) -> Iterator[int]:
    """The sentences that the next one calls a cause, or says that it was mended: `That is why …`, `… fixes it`."""
    for at, span in enumerate(told[1:]):
        following = message.text[slice(*span)]
        if (_THEREFORE.match(following) or _MENDED.search(following)) and not _did(message, told[at]):
            yield at


def with_mending(message: Message, told: Sequence[Span], at: int) -> str:
    """A sentence, with the next one if that tells what was done."""
    end = at + 1 if at + 1 < len(told) and _did(message, told[at + 1]) else at
    return message.text[told[at][0] : told[end][1]]


def _told_later(turn: Turn, message: Message) -> Iterator[tuple[Message, Span]]:
    after = turn.written[turn.written.index(message) + 1 :]
    return ((one, span) for one in reversed(after) for span in prose(one.text) if _did(one, span))


def _told_before(message: Message, told: Sequence[Span]) -> Iterator[tuple[Message, Span]]:
    return ((message, span) for span in reversed(told) if _did(message, span))


def _did(message: Message, span: Span) -> bool:
    told = message.text[slice(*span)]
    return _DID.search(told) is not None and _NO_DEED.search(told) is None


def _changed(turn: Turn) -> frozenset[str]:
    return frozenset(name for one in turn.changed for name in names(one))


def names(text: str) -> frozenset[str]:
    """Of files, functions and the like."""
    return frozenset(_names(text))


def _names(text: str) -> Iterator[str]:
    for match in _NAMES.finditer(text[:_MOST]):
        for part in _PARTS.split(match[1] or match[2]):
            name = part.strip(".,:;`'\"").casefold()
            if len(name) > 3:
                yield name
