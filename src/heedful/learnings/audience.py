"""Whom a learning is for: everyone in the organisation, or only the person who taught it."""

from __future__ import annotations

from heedful.learnings.table import NONE
from heedful.operations import caller
from heedful.records.names import identifier
from heedful.store import Store


def owner(store: Store, actor: str | None, name: str = "actor") -> str:
    """The pseudonym of whoever asks or teaches: the named person, or else the caller's key. NONE if it is not known."""
    if actor is None and caller.current() is None:
        return NONE
    return store.secret.person(caller.actor() if actor is None else identifier(actor, name))
