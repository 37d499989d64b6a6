"""The interface of a database. SQL above it uses what SQLite and PostgreSQL have in common, with `:name` parameters."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat
from pathlib import Path
from typing import Any, Protocol

from heedful.errors import HeedfulError, InvalidInput, NotFound, StoreBusy
from heedful.records.backup import Backup
from heedful.records.clock import Clock
from heedful.records.health import CheckResult
from heedful.records.watching import unfailing
from heedful.store import migrations
from heedful.store.cache import Cache
from heedful.store.commit_signal import CommitSignal
from heedful.store.nearest import Indexes
from heedful.store.pool import Pool

Row = tuple[Any, ...]
Params = Mapping[str, Any]


class Transaction(Protocol):
    def execute(self, sql: str, params: Params) -> int:
        """Run a statement; return how many rows it touched."""

    def execute_many(self, sql: str, rows: Sequence[Params]) -> None: ...

    def query(self, sql: str, params: Params) -> list[Row]: ...

    def append(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Insert many new rows as fast as this database can."""


@dataclass(slots=True)
class _Open:
    """A transaction that is open: other writes of the same thread and context join it."""

    database: Database
    org: str | None
    transaction: Transaction
    thread: int
    outer: _Open | None
    depth: int = 0
    afterwards: list[Callable[[], object]] = field(default_factory=list)


_TIMEOUT: ContextVar[float | None] = ContextVar("heedful_lock_timeout", default=None)
_OPEN: ContextVar[_Open | None] = ContextVar("heedful_open_transaction", default=None)


class Database(ABC):
    """Opens transactions. A transaction belongs to an organisation, or to none (`org=None`): then it
    sees the queue and the names of organisations, and on PostgreSQL nothing else."""

    dialect: str
    for_update: str
    """Appended to a SELECT whose rows will be changed."""
    skip_locked: str
    """Appended to a SELECT that should skip rows that another worker has locked."""
    one_writer: bool
    """Whether only one transaction can write at a time, of all organisations."""
    secret_file: Path | None = None
    """The file of the installation's secret, if the database is a file too."""
    secret: str | None = None

    def __init__(self, pool: Pool[Any]) -> None:
        self.commit_signal = CommitSignal()
        self.cache = Cache()
        self.indexes = Indexes()
        self._pool = pool
        self._thread = threading.local()

    @contextmanager
    def write(self, org: str | None) -> Iterator[Transaction]:
        """All or nothing. Inside another `write` of the same thread it joins in, and undoes only its own part."""
        self._pool.check()
        current = self._current()
        if current is not None:
            with self._joined(current, org) as transaction:
                yield transaction
            return
        with self._alone_in_thread(), self._begin(org) as transaction:
            own = _Open(self, org, transaction, threading.get_ident(), _OPEN.get())
            token = _OPEN.set(own)
            try:
                yield transaction
            finally:
                _OPEN.reset(token)
        self.commit_signal.send()
        for call in own.afterwards:
            unfailing(call)

    def after_commit(self, call: Callable[[], object]) -> None:
        """Call it when what was written so far is on disk; not at all if it is rolled back."""
        current = self._current()
        assert current is not None, "only inside a write"
        current.afterwards.append(call)

    @contextmanager
    def read(self, org: str | None) -> Iterator[Transaction]:
        """What has been committed, and inside a `write` of the same thread what it has written so far."""
        self._pool.check()
        current = self._current()
        if current is not None and current.org == org:
            yield current.transaction
            return
        with self._look(org) as transaction:
            yield transaction

    def query(self, scope: str | None, sql: str, /, **params: object) -> list[Row]:
        """One query in a transaction of its own."""
        with self.read(scope) as transaction:
            return transaction.query(sql, params)

    def execute(self, scope: str | None, sql: str, /, **params: object) -> int:
        """One statement in a transaction of its own; returns how many rows it touched."""
        with self.write(scope) as transaction:
            return transaction.execute(sql, params)

    @abstractmethod
    def snapshot(self, org: str | None) -> AbstractContextManager[Transaction]:
        """A transaction that reads the state of one moment, however long it takes."""

    @contextmanager
    def lock_timeout(self, seconds: float) -> Iterator[None]:
        """Inside, a `write` that has to wait for a lock longer than this raises StoreBusy."""
        token = _TIMEOUT.set(seconds)
        try:
            yield
        finally:
            _TIMEOUT.reset(token)

    @property
    def timeout(self) -> float | None:
        """How many seconds to wait for locks, if not as long as usual."""
        return _TIMEOUT.get()

    def in_transaction(self) -> bool:
        return self._current() is not None

    @contextmanager
    def _alone_in_thread(self) -> Iterator[None]:
        """A task that waited for another task of its own thread would deadlock."""
        if getattr(self._thread, "writing", False):
            raise StoreBusy(
                "Another task of this thread is in the middle of a transaction.",
                hint="Do not await inside a transaction, or run each in a thread of its own.",
            )
        self._thread.writing = True
        try:
            yield
        finally:
            self._thread.writing = False

    def _current(self) -> _Open | None:
        found = _OPEN.get()
        while found is not None and (found.database is not self or found.thread != threading.get_ident()):
            found = found.outer
        return found

    @contextmanager
    def _joined(self, current: _Open, org: str | None) -> Iterator[Transaction]:
        if current.org != org:
            raise InvalidInput(
                f"A transaction of {current.org!r} cannot write for {org!r}.",
                hint="Use a transaction of its own for each organisation.",
            )
        name, known = f"inner_{current.depth}", len(current.afterwards)
        current.depth += 1
        current.transaction.execute(f"savepoint {name}", {})
        try:
            yield current.transaction
        except BaseException:
            del current.afterwards[known:]
            with suppress(HeedfulError):  # the database may have undone everything already; the first error counts
                current.transaction.execute(f"rollback to savepoint {name}", {})
            raise
        else:
            current.transaction.execute(f"release savepoint {name}", {})
        finally:
            current.depth -= 1

    @contextmanager
    def _lent(self) -> Iterator[Any]:
        connection = self._pool.take()
        try:
            yield connection
        finally:
            self._pool.give(connection)

    @abstractmethod
    def _begin(self, org: str | None) -> AbstractContextManager[Transaction]:
        """A transaction that commits at the end, or rolls back when an error leaves it."""

    @abstractmethod
    def _look(self, org: str | None) -> AbstractContextManager[Transaction]:
        """A transaction that only reads."""

    @abstractmethod
    def migrate(self) -> None:
        """Bring the schema up to date; refuse one that is newer than this code."""

    def require_current(self) -> None:
        """Refuse a schema that is not exactly the one this code knows, and change nothing."""
        version, known = self.schema_version(), migrations.latest(self.dialect)
        if version > known:
            raise migrations.too_new(self.describe(), version, known)
        if version < known:
            what = f"has schema version {version} of {known}" if version else "holds no heedful database yet"
            raise NotFound(f"{self.describe()} {what}.", hint="Run: heedful init")

    @abstractmethod
    def schema_version(self) -> int: ...

    @abstractmethod
    def inspect(self) -> Iterator[CheckResult]:
        """Findings about permissions, free space and safety, for `heedful doctor`."""

    @abstractmethod
    def check(self, *, thoroughly: bool) -> CheckResult:
        """Run the database's own integrity check."""

    @abstractmethod
    def describe(self) -> str:
        """The address without its password."""

    def scrub(self, *, thoroughly: bool) -> bool:  # noqa: ARG002 - most have nothing to do
        """Remove deleted rows from the disk too, as far as possible; False if it must be tried again."""
        return True

    @abstractmethod
    def back_up(self, path: Path, secret: str | None, progress: Callable[[int, int], None]) -> Backup:
        """Write a consistent copy to one file while others go on writing. `progress` gets the part done and the
        total."""

    def close(self) -> None:
        self._pool.close()


class OrgTable:
    def __init__(self, database: Database, org: str, clock: Clock) -> None:
        self._database = database
        self._org = org
        self._clock = clock

    def _query(self, sql: str, **params: object) -> list[Row]:
        return self._database.query(self._org, sql, **{"org": self._org, **params})


def in_parts(values: Sequence[object], size: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Values for `in (…)`, some at a time, because a query takes only so many: their placeholders and parameters.

    There is room for 1, 2, 4, 8 … values, and the last one fills what is left of it: a database plans a query once for
    each number of placeholders, which takes as long as to find some rows.
    """
    for start in range(0, len(values), size):
        part = values[start : start + size]
        names = _names(1 << (len(part) - 1).bit_length())
        filled = [*part, *repeat(part[-1], len(names) - len(part))]
        yield ", ".join(f":{name}" for name in names), dict(zip(names, filled, strict=True))


@lru_cache(maxsize=32)
def _names(count: int) -> tuple[str, ...]:
    return tuple(f"value{number}" for number in range(count))
