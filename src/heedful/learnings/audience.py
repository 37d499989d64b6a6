"""Whom a learning is for: everyone in the organisation, or only the person who taught it."""

from __future__ import annotations

from collections.abc import Collection

from heedful.errors import InvalidInput
from heedful.learnings.row import LearningRow
from heedful.learnings.table import NONE
from heedful.operations import caller
from heedful.records.names import identifier
from heedful.store import Store
from heedful.store.secret import PSEUDONYM


def owner(store: Store, actor: str | None, name: str = "actor") -> str:
    """The pseudonym of whoever asks or teaches: the named person, or else the caller's key. NONE if it is not known."""
    if actor is None and caller.current() is None:
        return NONE
    return store.secret.person(caller.actor() if actor is None else identifier(actor, name))


def is_taught_by(store: Store, row: LearningRow, owner: str, people: Collection[str]) -> bool:
    """Whether somebody said it: its teacher, or one of the `people` who said it again. Where nobody is named, it is who
    works here."""
    voice = row.first.meta.get("voice")
    said = {_pseudonym(store, one) for one in (row.first.actor, *people)} | {voice if isinstance(voice, str) else None}
    return owner in said if owner != NONE else said == {None}


def teacher(store: Store, row: LearningRow) -> str:
    """The pseudonym of whoever taught a learning: the person, or else their key."""
    first = row.first
    known = (first.meta.get("owner"), _pseudonym(store, first.actor), first.meta.get("voice"))
    found = next((one for one in known if isinstance(one, str)), None)
    if found is None:
        raise InvalidInput(
            f"Nobody knows who taught {row.state.id}, so it can be for the team only.",
            hint="Report it again with an actor and the audience 'me'.",
        )
    return found


def _pseudonym(store: Store, actor: str | None) -> str | None:
    return actor if actor is None or actor.startswith(PSEUDONYM) else store.secret.person(actor)
