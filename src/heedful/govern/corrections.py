"""Looking after corrections: see them, put them right, trust them more or less, and have them forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from heedful.errors import InvalidInput, NotFound
from heedful.learnings.table import Kept, LearningTable
from heedful.operations import caller, policy
from heedful.operations.operation import UNCHANGED, Unchanged, operation
from heedful.records.correction import TEXT_LIMIT, AnyCategory, Category, Correction, correction, share
from heedful.records.embedding import Embedder
from heedful.records.event import Entity, Event, noted
from heedful.records.learning import ADJUSTED, EDITED, ENTITY, SUPERSEDED, AnyStatus, Corrected, Kind, Status
from heedful.records.meaning import meaning
from heedful.records.names import Limit, Name, Place, Share, Step, identifier, page_limit, place
from heedful.records.page import Page, every
from heedful.records.suggestion import SCRUB
from heedful.store import Store
from heedful.store.audit import audit
from heedful.store.vectors import packed
from heedful.text.checks import checked_text

_SAMPLE = "0198c0de-0000-7000-8000-000000000017"
_RIGHT_AFTER = 100  # events, of which those that supersede come first


class Corrections:
    """`loop.govern.corrections`"""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._table = LearningTable(store)
        self._embedder = embedder

    @operation("GET /corrections", policy.Corrections.read, example={"category": "code", "limit": 20})
    def page(
        self,
        *,
        category: AnyCategory | None = None,
        status: AnyStatus | None = None,
        about: Name | None = None,
        limit: Limit = 100,
        cursor: Place | None = None,
    ) -> Page[Correction]:
        """List corrections, a page at a time, the newest first."""
        size = page_limit(limit)
        previous = None if cursor is None else place(cursor)
        wanted = {
            "kind": Kind.CORRECTION.value,
            "category": None if category is None else Category.of(category).value,
            "status": None if status is None else Status.of(status).value,
            "scope": None if about is None else identifier(about, "about"),
        }
        found = self._table.page(wanted, previous, size + 1)
        more = str(found[size - 1].state.no) if len(found) > size else None
        return Page([correction(*kept) for kept in found[:size]], more)

    def all(
        self,
        *,
        category: AnyCategory | None = None,
        status: AnyStatus | None = None,
        about: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Iterator[Correction]:
        """All of them, or so many, read page by page as they are taken."""
        return every(self.page, limit, cursor, category=category, status=status, about=about)

    @operation("GET /corrections/{id}", policy.Corrections.read, example={"id": _SAMPLE}, errors=(NotFound,))
    def get(self, id: Name) -> Correction:
        """Look at one correction."""
        return correction(*self._kept(id))

    @operation("GET /corrections/{id}/evidence", policy.Events.read, example={"id": _SAMPLE}, errors=(NotFound,))
    def evidence(self, id: Name) -> list[Event]:
        """Tell why heedful believes a correction: the events that it is made of, in their order."""
        return self._table.history(self._kept(id).state.id)

    @operation(
        "PATCH /corrections/{id}",
        policy.Corrections.change,
        example={"id": _SAMPLE, "right": "Deploy with `make release`."},
        errors=(InvalidInput, NotFound),
    )
    def edit(
        self,
        id: Name,
        *,
        wrong: str | Unchanged = UNCHANGED,
        right: str | Unchanged = UNCHANGED,
        why: str | Unchanged = UNCHANGED,
        category: AnyCategory | Unchanged = UNCHANGED,
        severity: Share | Unchanged = UNCHANGED,
    ) -> Correction:
        """Put a correction right: what is not given stays as it is, and what is given empty is emptied."""
        words = {"wrong": wrong, "right": right, "why": why}
        given = {name: checked_text(text, name, TEXT_LIMIT) for name, text in words.items() if text is not UNCHANGED}
        told: dict[str, Any] = {} if category is UNCHANGED else {"category": Category.of(category).value}
        told |= {} if severity is UNCHANGED else {"severity": round(share(severity, "severity"), 3)}
        if not (given or told):
            raise InvalidInput("Nothing is to be changed.", hint="Pass wrong, right, why, category or severity.")
        ready = self._edited(self._kept(id), given)
        if (made := meaning(self._embedder, ready.gist())) is not None:
            self._table.prepare(made.embedder, ready.gist(), packed(made.vector))
        with self._store.transaction() as transaction:
            self._store.log.hold(transaction)
            kept = self._kept(id)  # again: somebody may have edited it meanwhile
            edited = self._edited(kept, given)
            if not (edited.wrong or edited.right):
                raise InvalidInput("A correction would say nothing.", hint="To be rid of it, delete it.")
            meta = {**kept.last.meta, "why": edited.why, "query": edited.query, **told}
            self._append(
                EDITED,
                kept.state.id,
                before={"wrong": edited.wrong} if edited.wrong else {},
                after={"right": edited.right} if edited.right else {},
                meta={name: value for name, value in meta.items() if value not in (None, "")},
            )
        return self.get(id)

    def _edited(self, kept: Kept, given: Mapping[str, str]) -> Corrected:
        old = correction(*kept)
        words = Corrected(old.wrong, old.right, old.why, old.query)
        return words._replace(**{name: text.strip() for name, text in given.items()})

    @operation(
        "POST /corrections/{id}/confidence",
        policy.Corrections.change,
        example={"id": _SAMPLE, "by": -0.2},
        errors=(NotFound,),
    )
    def adjust(self, id: Name, *, by: Step) -> Correction:
        """Trust a correction more or less: its confidence changes by so much, and stays between 0 and 1."""
        by = _step(by)
        with self._store.transaction() as transaction:
            self._store.log.hold(transaction)
            self._append(ADJUSTED, self._kept(id).state.id, meta={"by": round(by, 6)})
            return self.get(id)

    @operation("DELETE /corrections/{id}", policy.Corrections.delete, example={"id": _SAMPLE}, errors=(NotFound,))
    def delete(self, id: Name) -> Correction:
        """Have a correction forgotten: it is erased with all events about it, and shown this last time.

        What it had superseded counts again.
        """
        with self._store.transaction() as transaction:
            self._store.log.hold(transaction)
            kept = self._kept(id)
            links = self._links(kept)
            revived = [event.entity.id for event in links if event.entity is not None]
            self._store.log.erase(transaction, [*self._table.history(kept.state.id), *links])
            if kept.state.superseded_by is not None:
                for other in revived:  # what replaced this one replaces what this one had replaced
                    self._append(SUPERSEDED, other, meta={"by": kept.state.superseded_by})
            audit(self._store, "AUDIT_CORRECTION_DELETED", Entity(ENTITY, kept.state.id))
        if self._store.database.in_transaction() or not self._store.database.scrub(thoroughly=False):
            self._store.jobs.put(SCRUB)
        return correction(*kept)

    def _links(self, kept: Kept) -> list[Event]:
        """The events by which it superseded others: right after the one that began it, or recorded when another one
        between them was deleted. The log is asked as well, for the table may be behind it."""
        after = self._store.log.after(kept.state.no, _RIGHT_AFTER)
        superseded = self._table.superseded_by(kept.state.id)
        known = [event for other in superseded for event in self._table.history(other)]
        return list({event.id: event for event in [*after, *known] if _links(event, kept)}.values())

    def _kept(self, id: str) -> Kept:
        found = self._table.get(identifier(id, "id")) or self._table.folded(id)
        if found is None or found.state.kind != Kind.CORRECTION:
            raise NotFound(f"There is no correction {id!r} here.", hint="List them with `heedful corrections list`.")
        return found

    def _append(
        self,
        kind: str,
        id: str,
        *,
        meta: dict[str, Any],
        before: dict[str, Any] | None = None,
        after: dict[str, Any] | None = None,
    ) -> None:
        at, actor = self._store.clock(), caller.actor()
        draft = noted(kind, at, actor=actor, entity=Entity(ENTITY, id), before=before, after=after, meta=meta)
        self._store.log.append([draft])


def _links(event: Event, kept: Kept) -> bool:
    return event.kind == SUPERSEDED and event.meta.get("by") == kept.state.id


def _step(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
        raise InvalidInput(f"by is {value!r}.", hint="Pass a number from -1 to 1.")
    return float(value)
