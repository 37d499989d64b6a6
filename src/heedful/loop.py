"""The loop: open a store, and have the stages as attributes. This is the one place where everything is put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from heedful.capture import Capture
from heedful.errors import InvalidInput, Misconfigured, NotFound
from heedful.learn import Learn
from heedful.measure import ACTIVITY, Measure
from heedful.model import names
from heedful.model.clock import Clock, aware, utc_now
from heedful.model.event import Entity, Event, EventFilter
from heedful.model.extension import Extension
from heedful.model.job import Job, JobRequest, JobState
from heedful.settings import Settings
from heedful.store import Store
from heedful.store.derivation import DERIVE_JOB

if TYPE_CHECKING:
    from os import PathLike

    from heedful.store.database import Database
    from heedful.store.subscription import Subscription

_PAGE = 500


def _derive(loop: Loop, job: Job) -> Mapping[str, Any]:
    name = job.payload["projection"]
    if name not in loop.store.derivation.projections:
        return {"unknown_here": name}  # a worker with the extension will be asked by whoever records next
    return {"events": loop.learn.catch_up(name)}


OWN = Extension("heedful", projections=(ACTIVITY,), handlers={DERIVE_JOB: _derive})
"""What heedful's own stages hook into the loop."""


def open(
    database: str | PathLike[str] | None = None,
    *,
    org: str | None = None,
    settings: Settings | None = None,
    extensions: Sequence[Extension] = (),
    clock: Clock = utc_now,
    migrate: bool = True,
) -> Loop:
    """Open a loop on a SQLite file or a postgresql:// address, and bring its schema up to date.

    Without arguments it is the database of HEEDFUL_DATABASE, or a file in the user's data folder, and the
    organisation of HEEDFUL_ORG, or `default`. With `migrate=False`, a database that is missing or out of
    date is refused instead of changed.
    """
    settings = settings or Settings.read()
    if database is not None:
        settings = replace(settings, database=str(database))
    name = names.identifier(settings.org if org is None else org, "org")
    named = [_load_extension(name) for name in settings.extensions]
    opened = _database(settings)
    try:
        opened.migrate() if migrate else opened.require_current()
        return Loop(Store(opened, name, clock, [OWN, *named, *extensions]))
    except BaseException:
        opened.close()
        raise


def organisations(database: str | PathLike[str] | None = None) -> list[str]:
    """The names of all organisations in a database: for operators, who look after all of them."""
    with open(database) as loop:
        return loop.store.organisations()


class Loop:
    """The learning loop of one organisation. Nothing it does reads or writes another's data."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @property
    def name(self) -> str:
        """The organisation this loop is bound to."""
        return self.store.org

    def org(self, name: str) -> Loop:
        """The loop of another organisation in the same database. Closing either closes both."""
        return Loop(self.store.of(names.identifier(name, "org")))

    @cached_property
    def capture(self) -> Capture:
        return Capture(self.store)

    @cached_property
    def learn(self) -> Learn:
        return Learn(self.store)

    @cached_property
    def measure(self) -> Measure:
        return Measure(self.store)

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self.store)

    def event(self, id: str) -> Event:
        """One event by its id."""
        found = self.store.log.get(names.identifier(id, "id"))
        if found is None:
            raise NotFound(f"There is no event {id!r} here.", hint="List events with `heedful events`.")
        return found

    def events(
        self,
        *,
        kind: str | None = None,
        actor: str | None = None,
        entity: Sequence[str] | None = None,
        layout: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Event]:
        """The events that fit, in the order they were recorded; read page by page, so take as many as you need.

        `since` and `until` are about when they happened; `since` is included, `until` is not.
        """
        wanted = EventFilter(
            kind=None if kind is None else names.kind(kind),
            actor=None if actor is None else names.identifier(actor, "actor"),
            entity=None if entity is None else Entity.of(entity),
            layout=None if layout is None else names.identifier(layout, "layout"),
            since=None if since is None else aware(since, "since"),
            until=None if until is None else aware(until, "until"),
            newest_first=newest_first,
        )
        return self._pages(wanted, None if limit is None else names.limit(limit))

    def _pages(self, wanted: EventFilter, limit: int | None) -> Iterator[Event]:
        previous: int | None = None
        remaining = limit
        while remaining is None or remaining > 0:
            size = _PAGE if remaining is None else min(_PAGE, remaining)
            page = self.store.log.page(wanted, previous, size)
            yield from page
            if len(page) < size:
                return
            previous = page[-1].seq
            remaining = None if remaining is None else remaining - size

    def subscribe(
        self, deliver: Callable[[Event], object], *, name: str | None = None, kind: str | None = None
    ) -> Subscription:
        """Have every event handed to a callable, from a thread of its own, until `close()`.

        With a name it begins at the first event ever, and after a restart where it stopped; without one,
        at what is recorded from now on. See `Subscription` for what happens when the callable fails.
        """
        return self.subscription(deliver, name=name, kind=kind).start()

    def subscription(
        self, deliver: Callable[[Event], object], *, name: str | None = None, kind: str | None = None
    ) -> Subscription:
        """Like `subscribe`, without the thread: call `deliver_pending()` when it suits you."""
        if name is not None:
            names.identifier(name, "subscription name")
        if kind is not None:
            names.kind(kind)
        return self.store.subscribe(deliver, name=name, kind=kind)

    def transaction(self) -> AbstractContextManager[object]:
        """Everything recorded or queued inside the block is kept together, or not at all."""
        return self.store.transaction()

    def close(self) -> None:
        self.store.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<heedful.Loop of {self.name!r} on {self.store.database.describe()}>"


class Jobs:
    """`loop.jobs`: work for later. `heedful work` does it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, request: JobRequest) -> Job:
        """Queue a job, or find the unfinished one that does this work already."""
        if not isinstance(request, JobRequest):
            raise InvalidInput(f"A {type(request).__name__} cannot be queued.", hint="Pass heedful.JobRequest(name).")
        return self._store.jobs.put(request)

    def get(self, id: str) -> Job:
        return self._store.jobs.get(names.identifier(id, "job id"))

    def find(self, state: JobState | str | None = None, *, name: str | None = None, limit: int = 100) -> list[Job]:
        """The jobs that changed last, newest first."""
        if name is not None:
            names.identifier(name, "job name")
        try:
            wanted = None if state is None else JobState(state)
        except ValueError:
            known = ", ".join(known.value for known in JobState)
            raise InvalidInput(f"{state!r} is not a state of jobs.", hint=f"There are: {known}.") from None
        return self._store.jobs.find(wanted, name=name, limit=names.limit(limit))

    def count_by_state(self) -> dict[JobState, int]:
        return self._store.jobs.count_by_state()

    def retry(self, id: str) -> Job:
        """Give a job that failed or was given up all its attempts again, now."""
        return self._store.jobs.retry(names.identifier(id, "job id"))


def _database(settings: Settings) -> Database:
    address = settings.database
    if address.startswith(("postgresql://", "postgres://")):
        from heedful.store.postgres import PostgresDatabase  # noqa: PLC0415 - an extra

        return PostgresDatabase(address)
    if "://" in address:
        raise Misconfigured(
            f"heedful cannot use a database at {address.split('://')[0]}://…",
            hint="Give a file path for SQLite, or postgresql://user:password@host/database.",
        )
    from heedful.store.sqlite import SqliteDatabase  # noqa: PLC0415 - keeps `heedful --help` fast

    return SqliteDatabase(address, durability=settings.durability)


def _load_extension(name: str) -> Extension:
    module, _, attribute = name.partition(":")
    try:
        found = getattr(import_module(module), attribute or "extension")
    except Exception as error:
        raise Misconfigured(
            f"The extension {name!r} cannot be loaded: {error}.",
            hint="HEEDFUL_EXTENSIONS holds names like mypackage.learning:extension, importable from here.",
        ) from error
    if not isinstance(found, Extension):
        raise Misconfigured(
            f"{name!r} is a {type(found).__name__}, not a heedful.Extension.",
            hint="Name the variable that holds the extension after the colon.",
        )
    return found
