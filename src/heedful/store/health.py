"""The state of the whole store: database, schema, queue, projections, subscribers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from shlex import quote

from heedful.errors import StoreError
from heedful.records.health import CheckResult, failure, ok, warning
from heedful.records.job import JobState
from heedful.store import migrations
from heedful.store.projection import Progress
from heedful.store.store import Store
from heedful.store.verification import verify

_LONG_WAIT = timedelta(minutes=5)


def inspect(store: Store, *, quick: bool = False, progress: Progress = lambda _: None) -> Iterator[CheckResult]:
    """Unless `quick`, read and derive everything again. `progress` is called with the number of events read."""
    yield ok("database", store.database.describe())
    yield from store.database.inspect()
    yield store.database.check(thoroughly=not quick)
    yield from _schema(store)
    yield from _queue(store)
    orgs = store.organisations()
    yield ok("organisations", f"{len(orgs):,}")
    for org in orgs:
        yield from _organisation(store.of(org))
        if not quick:
            yield verify(store.of(org), progress)


def events(store: Store) -> int:
    return sum(store.of(org).log.head() for org in store.organisations())


def _schema(store: Store) -> Iterator[CheckResult]:
    version, known = store.database.schema_version(), migrations.latest(store.database.dialect)
    if version != known:
        yield failure("schema", f"Version {version} of {known}.", "Run: heedful init")
        return
    missing = [table for table in migrations.tables(store.database.dialect) if not _is_there(store, table)]
    if missing:
        yield failure("schema", f"Tables are missing: {', '.join(missing)}.", "Restore the database from a backup.")
    else:
        yield ok("schema", f"version {version}, up to date")


def _is_there(store: Store, table: str) -> bool:
    try:
        store.database.query(None, f"select 1 from {table} limit 1")
    except StoreError:
        return False
    return True


def _queue(store: Store) -> Iterator[CheckResult]:
    due, oldest, later = store.workbench().waiting()
    if oldest > _LONG_WAIT:
        yield warning(
            "queue",
            f"{due:,} jobs are due, the oldest since {_human(oldest)}.",
            "Run: heedful work, with the HEEDFUL_EXTENSIONS that handle them",
        )
    else:
        yield ok("queue", f"{due:,} jobs due, {later:,} for later")


def _organisation(store: Store) -> Iterator[CheckResult]:
    given_up = store.jobs.count_by_state()[JobState.DEAD_LETTER]
    if given_up:
        yield warning(
            "jobs",
            f"{given_up:,} jobs of {store.org} were given up.",
            f"See why: heedful --org {quote(store.org)} jobs --state dead_letter; then the same with --retry ID",
        )
    head = store.log.head()
    states = store.projections.states()
    for name, projection in store.projections.known.items():
        state = states.get(name)
        if head and (state is None or state.version != projection.version or not state.live):
            yield warning(
                "projections",
                f"{name} of {store.org} is behind its log.",
                f"Run: heedful work, or heedful --org {quote(store.org)} rebuild",
            )
    for subscription in store.subscriptions.all().values():
        if subscription.failures:
            yield warning(
                "subscribers",
                f"{subscription.name} of {store.org} fails since event {subscription.position + 1:,} of {head:,}.",
                "Look at the logs of the program that subscribes.",
            )


def _human(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} seconds"


def readiness(store: Store) -> dict[str, str]:
    """Whether each part that a server needs is "ok", or what is wrong; fast enough to be called every second.

    Waiting jobs are no problem here: they are no reason to send requests elsewhere.
    """
    version, known = store.database.schema_version(), migrations.latest(store.database.dialect)
    return {
        "database": "ok",
        "schema": "ok" if version == known else f"version {version} of {known}",
        "queue": "ok" if _is_there(store, "job") else "cannot be read",
    }
