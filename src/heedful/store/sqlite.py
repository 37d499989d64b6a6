"""SQLite: one file, many readers, one writer at a time, several processes at once."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import NoneType
from typing import TypeVar

from heedful import errors
from heedful.records.backup import Backup
from heedful.records.health import CheckResult, failure, ok, warning
from heedful.settings import Durability
from heedful.store import backup, migrations
from heedful.store.damage import WHAT_TO_DO
from heedful.store.database import Database, Params, Row, Transaction
from heedful.store.pool import Pool

T = TypeVar("T")

APPLICATION_ID = backup.DATABASE_ID
_CONNECTIONS = 64
_LITTLE_ROOM = 512 * 1024 * 1024
_OLDEST_SQLITE = (3, 24, 0)  # upserts
_BUSY_TIMEOUT = 60.0
_WRONG = 100
_CHECKPOINT_TIMEOUT = 500  # milliseconds, during which writers wait
_PRAGMAS = {
    "page_size": 8_192,  # for new files; a tenth faster in batches than 4096, and no slower for one event
    "cache_size": -32_768,  # KiB: a batch touches the same index pages again and again
    "temp_store": "memory",
    "wal_autocheckpoint": 4_000,  # pages; copying them into the file should meet fewer than one writer in a hundred
    "secure_delete": "on",  # what was erased is overwritten; it costs only those who delete
}


_STORED_AS: Mapping[str, tuple[type, ...]] = {
    "text": (str, NoneType),
    "integer": (int, NoneType),
    "bigint": (int, NoneType),
    "real": (float, int, NoneType),
    "double precision": (float, int, NoneType),
    "blob": (bytes, NoneType),
    "bytea": (bytes, NoneType),
}

SELECT_TABLES = "select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name"


class SqliteDatabase(Database):
    dialect = "sqlite"
    for_update = ""  # a writer is alone in the file
    skip_locked = ""
    one_writer = True

    def __init__(
        self,
        path: str | Path,
        *,
        durability: Durability = "full",
        busy_timeout: float = _BUSY_TIMEOUT,
        pragmas: Mapping[str, int | str] | None = None,
    ) -> None:
        super().__init__(Pool(self._connect, usable=_usable, limit=_CONNECTIONS))
        self.path = _absolute(path)
        self.secret_file = self.path.with_name(self.path.name + ".secret")
        self._busy_timeout = busy_timeout
        self._pragmas = {**_PRAGMAS, "synchronous": durability, **(pragmas or {})}

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                self.path,
                timeout=self._busy_timeout,
                isolation_level=None,
                check_same_thread=False,  # the pool lends a connection to one thread at a time
                cached_statements=256,
            )
            for name, value in self._pragmas.items():
                connection.execute(f"pragma {name} = {value}")
        except sqlite3.Error as error:
            raise self._explain(error) from error
        return connection

    @contextmanager
    def _begin(self, org: str | None) -> Iterator[Transaction]:
        with self._writing(org), self._lent() as connection:
            # IMMEDIATE: a transaction that upgrades from reading to writing could not wait for its turn.
            with self._waiting(connection):
                _SqliteTransaction(connection, self._explain).execute("begin immediate", {})
            transaction = _SqliteTransaction(connection, self._explain, writing=True)
            try:
                yield transaction
                transaction.execute("commit", {})
            except BaseException:
                if connection.in_transaction:
                    connection.rollback()
                raise

    @contextmanager
    def _waiting(self, connection: sqlite3.Connection) -> Iterator[None]:
        if self.timeout is None:
            yield
            return
        connection.execute(f"pragma busy_timeout = {int(self.timeout * 1_000)}")
        try:
            yield
        finally:
            connection.execute(f"pragma busy_timeout = {int(self._busy_timeout * 1_000)}")

    @contextmanager
    def _writing(self, org: str | None) -> Iterator[None]:
        seconds = self._busy_timeout if self.timeout is None else self.timeout
        if not self._pool.write_lock.acquire(org, seconds):
            raise errors.StoreBusy(
                f"{self.path} is being written by others for {seconds:g} s.", hint="Try again later."
            )
        try:
            yield
        finally:
            self._pool.write_lock.release(org)

    @contextmanager
    def _look(self, org: str | None) -> Iterator[Transaction]:  # noqa: ARG002
        with self._lent() as connection:
            yield _SqliteTransaction(connection, self._explain)

    @contextmanager
    def snapshot(self, org: str | None) -> Iterator[Transaction]:  # noqa: ARG002
        with self._lent() as connection:
            transaction = _SqliteTransaction(connection, self._explain)
            transaction.execute("begin", {})
            try:
                yield transaction
            finally:
                if connection.in_transaction:
                    connection.rollback()

    def migrate(self) -> None:
        known = migrations.latest(self.dialect)
        self._make_file()
        version = self.schema_version()
        if version > known:
            raise migrations.too_new(self.describe(), version, known)
        if version == known:
            return
        self._use_wal()
        for step in migrations.steps(self.dialect):
            with self.write(None) as transaction:
                (found,) = transaction.query("pragma user_version", {})[0]
                if found >= step.version:
                    continue  # another process was faster
                for statement in migrations.statements(step.sql):
                    transaction.execute(statement, {})
                transaction.execute(f"pragma application_id = {APPLICATION_ID}", {})
                transaction.execute(f"pragma user_version = {step.version}", {})
        self._pool.close_idle()  # new connections read the planner's statistics

    def schema_version(self) -> int:
        if not os.path.exists(self.path):
            return 0  # looking must not create it
        with self.read(None) as transaction:
            # In this order: a process that is just migrating creates tables and signs the file in one commit.
            if not transaction.query("select 1 from sqlite_master limit 1", {}):
                return 0
            (application,) = transaction.query("pragma application_id", {})[0]
            (version,) = transaction.query("pragma user_version", {})[0]
        if application == backup.APPLICATION_ID:
            raise backup.refuse_directly(self.path)
        if application != APPLICATION_ID:
            raise errors.NotHeedful(
                f"{self.path} is a database of another program.", hint="Give heedful a file of its own."
            )
        return int(version)

    def _use_wal(self) -> None:
        """WAL: readers do not block the writer. Switching needs the file alone, so processes take turns here."""
        deadline = time.monotonic() + self._busy_timeout
        while True:
            try:
                with self._look(None) as transaction:
                    transaction.query("pragma journal_mode = wal", {})
            except errors.StoreBusy:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)
            else:
                return

    def _make_file(self) -> None:
        """Only the owner may read the file, and those that SQLite makes next to it."""
        try:
            if not self.path.exists():
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.touch(mode=0o600)
        except OSError as error:
            raise errors.StoreDenied(
                f"{self.path} cannot be made: {error.strerror}.",
                hint="Choose another place with --database or HEEDFUL_DATABASE.",
            ) from None

    def inspect(self) -> Iterator[CheckResult]:
        version = sqlite3.sqlite_version
        if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
            needed = ".".join(map(str, _OLDEST_SQLITE))
            yield warning("sqlite", f"SQLite {version} is too old.", f"Use a Python with SQLite {needed} or newer.")
        else:
            yield ok("sqlite", f"SQLite {version}, durability {self._pragmas['synchronous']}")
        yield self._inspect_permissions()
        free = shutil.disk_usage(self.path.parent).free
        if free < _LITTLE_ROOM:
            yield warning("disk", f"Only {free >> 20:,} MB are free beside {self.path}.", "Free some disk space.")
        else:
            yield ok("disk", f"{free >> 30:,} GB free; the database takes {self._size() >> 20:,} MB")

    def check(self, *, thoroughly: bool) -> CheckResult:
        """Thoroughly, indexes are compared with their tables and every value is read; else pages are looked at."""
        look = "integrity_check" if thoroughly else "quick_check"
        with self._lent() as connection:
            try:
                wrong = sum(row[0] != "ok" for row in connection.execute(f"pragma {look}({_WRONG})"))
                wrong += len(connection.execute("pragma foreign_key_check").fetchall())
                wrong = wrong or (_odd_rows(connection) if thoroughly else 0)
            except sqlite3.Error as error:
                raise self._explain(error) from None
        if not wrong:
            return ok("integrity", "pages, rows and indexes are sound" if thoroughly else "pages are sound")
        # What is wrong is not quoted: it may hold what the damage brought to light.
        return failure(
            "integrity", f"{self.path} is damaged in {wrong} places{' or more' if wrong >= _WRONG else ''}.", WHAT_TO_DO
        )

    def _inspect_permissions(self) -> CheckResult:
        for place in (self.path, self.path.parent):
            if not os.access(place, os.W_OK):
                return failure("permissions", f"You may not write to {place}.", f"Run: chmod u+w {place}")
        if os.name == "posix" and self.path.stat().st_mode & 0o077:
            return warning(
                "permissions",
                "Other users of this computer can read the database.",
                f"If that is not meant: chmod 600 {self.path}",
            )
        return ok("permissions", "yours alone, and writable")

    def _size(self) -> int:
        return sum(part.stat().st_size for part in self.path.parent.glob(self.path.name + "*"))

    def scrub(self, *, thoroughly: bool) -> bool:
        """`secure_delete` overwrites a deleted row, but not what copies of it are left over when pages are rearranged;
        only a fresh copy of the file is sure to hold none. The write-ahead log is emptied if there are no readers."""
        if thoroughly:
            with self._writing(None), self._lent() as connection:
                transaction = _SqliteTransaction(connection, self._explain)
                transaction.query("pragma temp_store = file", {})  # the copy may be larger than memory
                try:
                    transaction.execute("vacuum", {})
                finally:
                    transaction.query(f"pragma temp_store = {self._pragmas['temp_store']}", {})
        with self._lent() as connection:
            transaction = _SqliteTransaction(connection, self._explain)
            transaction.query(f"pragma busy_timeout = {_CHECKPOINT_TIMEOUT}", {})
            ((busy, _, _),) = transaction.query("pragma wal_checkpoint(truncate)", {})
            transaction.query(f"pragma busy_timeout = {int(self._busy_timeout * 1_000)}", {})
        return not busy

    def back_up(self, path: Path, secret: str | None, progress: Callable[[int, int], None]) -> Backup:
        with self._lent() as connection:
            try:
                return backup.back_up(connection, path, secret, progress)
            except sqlite3.Error as error:
                raise self._explain(error) from None

    def describe(self) -> str:
        return str(self.path)

    def _explain(self, error: sqlite3.Error) -> errors.HeedfulError:
        name = getattr(error, "sqlite_errorname", None) or type(error).__name__
        if _is_damage(error):
            return errors.StoreDamaged(f"{self.path} is damaged ({name}).", hint=WHAT_TO_DO)
        for names, kind, says, hint in _MEANINGS:
            if name.startswith(names):
                return kind(f"{self.path} {says}: {error}.", hint=hint)
        if name.startswith("SQLITE_CANTOPEN"):
            return errors.StoreDenied(f"{self.path} cannot be opened.", hint=self._why_closed())
        return errors.StoreError(f"{self.path} answered: {error} ({name}).", hint="Run `heedful doctor`.")

    def _why_closed(self) -> str:
        if self.path.is_dir():
            return "It is a folder: name a file, such as heedful.db, inside it."
        if not self.path.parent.exists():
            return f"The folder {self.path.parent} does not exist: make it, or choose another place."
        if not os.access(self.path.parent, os.W_OK):
            return f"You may not write in {self.path.parent}: change its permissions, or choose another place."
        return "Check the permissions of the file."


def _absolute(path: str | Path) -> Path:
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:
        raise errors.Misconfigured(f"There is no home folder for {path}.", hint="Write the path in full.") from None


def _odd_rows(connection: sqlite3.Connection) -> int:
    """How many rows hold values of another type than their columns: every value of every table is read for it."""
    odd = 0
    for (table,) in connection.execute(SELECT_TABLES).fetchall():
        columns = connection.execute(f"pragma table_info({table})").fetchall()
        fitting = tuple(_STORED_AS.get(str(type).lower(), (object,)) for _, _, type, *_ in columns)
        for row in connection.execute(f"select * from {table}"):
            odd += not all(map(isinstance, row, fitting))
    return odd


def _usable(connection: sqlite3.Connection) -> bool:
    return not connection.in_transaction


_MEANINGS: tuple[tuple[tuple[str, ...], type[errors.StoreError], str, str], ...] = (
    (
        ("SQLITE_BUSY", "SQLITE_LOCKED"),
        errors.StoreBusy,
        "was held by another program for too long",
        "Look for a program that has it open (a database browser, a backup) and close it.",
    ),
    (
        ("SQLITE_READONLY",),
        errors.StoreReadOnly,
        "is read-only",
        "Give yourself write permission on the file and its folder, or choose another with --database.",
    ),
    (
        ("SQLITE_FULL",),
        errors.StoreFull,
        "has no room left",
        "Free some disk space; nothing of the last write was kept.",
    ),
    (
        ("SQLITE_NOTADB",),
        errors.StoreDamaged,
        "is not a readable SQLite database",
        f"{WHAT_TO_DO}. Or let heedful start a new one.",
    ),
)


_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_FORMAT", "SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR_CORRUPTFS", "SQLITE_IOERR_DATA")


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether its message may quote the file: Python quotes invalid UTF-8, SQLite the schema."""
    name = getattr(error, "sqlite_errorname", None)
    if name is None:
        return "decode" in str(error)
    return str(name).startswith(_DAMAGE) or str(error).startswith(("no such table", "no such column"))


class _SqliteTransaction:
    def __init__(
        self,
        connection: sqlite3.Connection,
        explain: Callable[[sqlite3.Error], errors.HeedfulError],
        *,
        writing: bool = False,
    ) -> None:
        self._connection = connection
        self._explain = explain
        self._writing = writing

    def execute(self, sql: str, params: Params) -> int:
        return self._run(lambda: self._connection.execute(sql, params)).rowcount

    def execute_many(self, sql: str, rows: Sequence[Params]) -> None:
        self._run(lambda: self._connection.executemany(sql, rows))

    def query(self, sql: str, params: Params) -> list[Row]:
        return self._run(lambda: self._connection.execute(sql, params).fetchall())

    def append(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        places = ",".join("?" * len(columns))
        sql = f"insert into {table} ({','.join(columns)}) values ({places})"
        self._run(lambda: self._connection.executemany(sql, rows))

    def _run(self, call: Callable[[], T]) -> T:
        """Fetch every row here, so that errors are raised as ours."""
        if self._writing and not self._connection.in_transaction:
            # After a full disk, say, SQLite undoes everything; what follows must not be kept on its own.
            raise errors.StoreError(
                "This transaction was undone by an earlier error.", hint="Let the block end, and try again."
            )
        try:
            return call()
        except sqlite3.Error as error:
            raise self._explain(error) from (None if _is_damage(error) else error)
