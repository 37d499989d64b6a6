"""Capture: what people did and said becomes events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from uuid_utils import uuid7

from heedful.capture.payload import bounded
from heedful.errors import InvalidInput
from heedful.model import names
from heedful.model.clock import aware
from heedful.model.event import Draft, Entity, Event
from heedful.model.json import Json
from heedful.model.names import identifier
from heedful.store import Store

_CHUNK = 10_000


class Capture:
    """`loop.capture`: record what happened. What was acknowledged is on disk."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def event(
        self,
        kind: str,
        *,
        actor: str | None = None,
        entity: Sequence[str] | None = None,
        layout: str | None = None,
        before: Json | None = None,
        after: Json | None = None,
        meta: Json | None = None,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Event:
        """Record one act, with the counters it changes and the jobs it causes, in one transaction.

        With an `id` of your own, recording the same act again changes nothing and answers with the first.
        """
        draft = self.draft(
            kind, actor=actor, entity=entity, layout=layout, before=before, after=after, meta=meta, at=at, id=id
        )
        return self._store.log.append([draft])[0]

    def events(self, items: Iterable[Mapping[str, Any]]) -> int:
        """Record many acts, each a mapping with the arguments of `event`; return how many there were.

        They are written in chunks of some thousands, each all or nothing, so a million take no more
        memory than one chunk. If an item is refused, the chunks before it stay recorded.
        """
        iterator, total = iter(items), 0
        while chunk := [self._draft_of(item) for item in islice(iterator, _CHUNK)]:
            self._store.log.append(chunk)
            total += len(chunk)
        return total

    def _draft_of(self, item: Mapping[str, Any]) -> Draft:
        try:
            return self.draft(**item)
        except TypeError as error:
            raise InvalidInput(
                f"An item cannot be recorded: {error}.".replace("Capture.draft() ", ""),
                hint="Each item is a dict with a kind and any other arguments of `event`.",
            ) from None

    def draft(
        self,
        kind: str,
        *,
        actor: str | None = None,
        entity: Sequence[str] | None = None,
        layout: str | None = None,
        before: Json | None = None,
        after: Json | None = None,
        meta: Json | None = None,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Draft:
        """Check an act without recording it."""
        return Draft(
            str(uuid7()) if id is None else identifier(id, "id"),
            names.kind(kind),
            aware(self._store.clock()) if at is None else aware(at),
            None if actor is None else identifier(actor, "actor"),
            None if entity is None else Entity.of(entity),
            None if layout is None else identifier(layout, "layout"),
            *bounded(before, after, meta),
            id is not None,
            at is not None,
        )
