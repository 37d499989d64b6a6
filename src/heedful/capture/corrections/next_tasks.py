"""Whether a message changes the task, and so blames nothing: `now Paris instead of Rome`, after an answer about Rome.

It says `instead of` as corrections do. But what is to be replaced was in the task, so the answer was as wanted; and the
task is given again with something else in its place, or the message begins with `now` or `next`.
"""

from __future__ import annotations

import re
from itertools import pairwise

from heedful.records.reading import Exchange
from heedful.text.lazy_pattern import LazyPattern
from heedful.text.normalize import normal
from heedful.text.terms import terms

_LOOKED_AT = 400  # characters; a task is given again in few words
_OPENING = 2  # words that both tasks begin with
_LEAD = 4  # words that may come before: `ok, can you`
_WORD = LazyPattern(r"[\w'’]+")
_REPLACED = LazyPattern(
    r"[\s,](?:instead of|rather than|in place of|(?:and )?not(?: just| only)?|(?:an)?statt|(?:und )?nicht(?: nur)?"
    r"|au lieu d(?:e |u |es |['’])|plutôt qu(?:e |['’])|en (?:vez|lugar) del? |em (?:vez|lugar) d[eoa]s? "
    r"|ao invés d[eoa]s? )"
    r"(?P<old>[^,.;:!?\n]{1,80})",
    re.IGNORECASE,
)
_NEXT = LazyPattern(
    r"(?:^|[,.!;:–—-]\s*)(?:(?:ok|okay|so|and|then|und|dann|et|puis|y|e)\s+)*"
    r"(?:now|next|this time|jetzt|nun|diesmal|maintenant|cette fois|ahora|esta vez|agora|desta vez)\b"
    r"(?!['’]|[\s,]+(?:it|we|they|he|she|i|you|that|this|there|es|wir|sie|er|ist|sind|on|nous|c['’]est|est|son|é|são)\b)",
    re.IGNORECASE,
)


def is_next_task(exchange: Exchange) -> bool:
    message = exchange.message.strip()
    found = _REPLACED.search(message[:_LOOKED_AT])
    if found is None or len(message) > _LOOKED_AT:
        return False
    task, said = exchange.question, message[: found.start()]
    old = terms(found["old"])[:1]  # what follows may say when, where, or please
    if not set(old) & set(terms(task)) or set(terms(said)) <= set(terms(task)):
        return False
    return _NEXT.search(message) is not None or _opens_alike(task, said, set(old))


def _opens_alike(task: str, message: str, old: set[str]) -> bool:
    """Whether the message begins as the task did, and both name their object after the same word: `about Rome`."""
    asked, said = _words(task), _words(message)
    opening = asked[:_OPENING]
    if len(opening) < _OPENING or all(said[at : at + _OPENING] != opening for at in range(_LEAD)):
        return False
    before = {one for one, word in pairwise(asked) if old.intersection(terms(word))}
    return not before.isdisjoint(said[_OPENING - 1 :])


def _words(text: str) -> list[str]:
    return [word.group() for word in _WORD.finditer(normal(text[:_LOOKED_AT]))]
