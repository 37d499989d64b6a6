"""Notes for coding agents: what matters for a prompt, by words and meaning."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from heedful.learnings.audience import owner
from heedful.learnings.composing import as_notes, composed
from heedful.learnings.relevance import Retrieval
from heedful.learnings.table import OWN_OR_NO_OWNER, OWN_OR_NO_SCOPE, LearningTable
from heedful.records.context import Composed
from heedful.records.learning import Status
from heedful.records.learnings import MATCHED, Match
from heedful.records.outside import Outside
from heedful.store import Store

WISHES = 3
"""How many standing wishes are given, whatever the question."""
_SEARCHED = 10  # of each kind, for notes
NOTES_TOKENS = 2_000
"""Agents cut long contexts off."""


def with_wishes(wishes: Sequence[Match], found: Sequence[Match]) -> list[Match]:
    """Standing wishes, and what was found besides."""
    known = {match.learning.id for match in wishes}
    return [*wishes, *(match for match in found if match.learning.id not in known)]


def notes(
    store: Store,
    outside: Outside,
    prompt: str,
    about: str | None,
    actor: str | None,
    besides: Collection[str],
    always: Sequence[Match],
) -> Composed:
    """What an agent gets with a prompt: what always holds, as far as it is passed, and what matters for this prompt.
    Nothing is recorded, because the agent gets it whether it is useful or not."""
    if LearningTable(store).count() <= len(besides):
        return Composed("", (), 0)  # loading the model takes longer than all the rest
    wanted = {"status": Status.ACTIVE.value, OWN_OR_NO_SCOPE: about, OWN_OR_NO_OWNER: owner(store, actor)}
    found = Retrieval(store, outside).mattering(prompt, _SEARCHED, wanted)
    store.notify(MATCHED, found)
    standing = [match for match in always if match.learning.id not in besides]
    told = {*besides, *(match.learning.id for match in standing)}
    return composed([*standing, *as_notes(found, told)], NOTES_TOKENS)
