"""Contexts by an abbreviated id."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from heedful.edges.cli.ids import IdLookup
from heedful.errors import NotFound
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.names import identifier

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.event import Event

_LISTING = f"heedful events --kind {CONTEXT_GIVEN}"


def find_context(loop: Loop, id: str) -> str:
    def each() -> list[Event]:
        return list(loop.events(kind=CONTEXT_GIVEN, newest_first=True))

    known = IdLookup("context", partial(_event, loop), each, lambda one: one.id, lambda one: f"{one.at}", _LISTING)
    return known.find(id).id


def _event(loop: Loop, id: str) -> Event:
    event = loop.store.log.get(identifier(id, "id"))
    if event is None or event.kind != CONTEXT_GIVEN:
        raise NotFound(f"There is no context {id!r} here.", hint=f"List them with `{_LISTING}`.")
    return event
