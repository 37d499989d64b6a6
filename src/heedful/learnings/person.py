"""A person, as the log knows them: by their names, and by the pseudonym of each name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from heedful.errors import InvalidInput
from heedful.operations import caller
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.event import Event
from heedful.records.json import encode
from heedful.records.names import identifier
from heedful.store import Store
from heedful.store.secret import PSEUDONYM
from heedful.text.normalize import normal

SOMEBODY = "forgotten"
"""The actor of what is kept of a person who was forgotten."""

_KEY = "key:"
ENTITIES = frozenset({"person", "user", "actor", "contributor", "reviewer", "operator", "employee"})
"""Kinds of entities that are people: events about one of them are theirs."""
_FIELDS = frozenset({
    "actor", "approved_by", "approver", "assignee", "author", "by", "contributor", "created_by", "decided_by",
    "made_by", "name", "operator", "owner", "people", "person", "reviewer", "updated_by", "user", "voice", "who",
})  # fmt: skip
"""Fields of payloads that name people. Elsewhere a text that equals a name may be anything."""


class Person(NamedTuple):
    names: frozenset[str]
    """As actors of events: each spelling that the log has, their pseudonyms, and the keys with their name."""
    pseudonyms: frozenset[str]
    keys: tuple[str, ...]
    """The ids of keys that have their name."""

    def is_theirs(self, event: Event) -> bool:
        """Whether they did it, it is for them only, or it is about them."""
        if event.actor in self.names:
            return True
        if event.entity is not None and event.entity.kind in ENTITIES and event.entity.id in self.names:
            return True
        meta = event.meta
        if meta.get("owner") in self.pseudonyms:
            return True
        if event.kind == CONTEXT_GIVEN and meta.get("user") in self.pseudonyms:
            return True
        # A voice is shared by people with similar names (`records/people.py`); the actor is not.
        learned = meta.get("learned")
        voices = {meta.get("voice"), learned.get("voice") if isinstance(learned, Mapping) else None}
        return event.actor is None and not self.pseudonyms.isdisjoint(voices)

    def redacted(self, event: Event) -> Event:
        """The event without their names where fields name people. What others wrote in free text is theirs."""
        before, after, meta = (encode(self._without(part)) for part in (event.before, event.after, event.meta))
        return event._replace(before_json=before, after_json=after, meta_json=meta)

    def _without(self, value: Any, field: str = "") -> Any:
        if isinstance(value, Mapping):
            return {name: self._without(one, name) for name, one in value.items() if not self._is_named(one, name)}
        if isinstance(value, list):
            return [self._without(one, field) for one in value if not self._is_named(one, field)]
        return value

    def _is_named(self, value: Any, field: str) -> bool:
        if not isinstance(value, str):
            return False
        return value in self.pseudonyms or (field in _FIELDS and value in self.names)

    def texts(self) -> list[str]:
        """What their names look like in payloads."""
        return [*sorted(self.pseudonyms), *(encode(name) for name in sorted(self.names - self.pseudonyms))]


def person(store: Store, name: str) -> Person:
    """By a name, or by the pseudonym that stands in the log for it."""
    given = identifier(name, "user")
    if given in (SOMEBODY, caller.LOCAL):
        raise InvalidInput(f"{given!r} is not a person.", hint="Pass the name that they act under.")
    store.secret.load()
    # A key for many people is nobody's, whatever it is called.
    keys = [key.id for key in store.keys.all() if not key.for_many and normal(given) in (normal(key.name), key.id)]
    same = {normal(given), *(normal(f"{_KEY}{key}") for key in (given, *keys))}
    names = {
        given,
        *(actor for actor in store.log.actors() if normal(actor) in same),
        *(f"{_KEY}{key}" for key in keys),
    }
    pseudonyms = {name if name.startswith(PSEUDONYM) else store.secret.person(name) for name in names}
    return Person(frozenset(names | pseudonyms), frozenset(pseudonyms), tuple(keys))
