"""PostgreSQL: many machines; row-level security separates organisations even if our own code is wrong."""

from __future__ import annotations

import re
import select
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import orjson

from heedful import errors
from heedful.records.backup import Backup
from heedful.records.health import CheckResult, failure, ok, warning
from heedful.store import migrations
from heedful.store.damage import damaged
from heedful.store.database import Database, Params, Row, Transaction
from heedful.store.pool import Pool

if TYPE_CHECKING:
    import psycopg

_CONNECTIONS = 32
_CONNECT_SECONDS = 10
_CLOCK_DRIFT_SECONDS = 5
_SCHEMA = "heedful"
_CONFINED = "heedful_confined"
# Without samples (see KEEP_NO_SAMPLES) the planner takes short queries for long ones: to start workers or to compile
# would take longer than to answer.
_PLANNING = "set local max_parallel_workers_per_gather = 0; set local jit = off; "
_NAMED = re.compile(r"(?<![:\w]):([a-z_]\w*)")
_MIGRATION_LOCK = 0x68656564
_OWN_NAMES = ("org_id", "kind", "state", "status", "role", "tier", "generation", "embedder")
"""Columns of text whose values are chosen by heedful, or by those who run it."""

# A superuser is above row-level security, and many databases are reached as one. Such a connection
# steps down to this role for each transaction, so that the policies bind it as well.
MAKE_CONFINED_ROLE = f"""
do $$ begin
    create role {_CONFINED} nologin;
exception when duplicate_object or unique_violation then null;
end $$;
grant usage on schema {_SCHEMA} to {_CONFINED};
grant select, insert, update, delete on all tables in schema {_SCHEMA} to {_CONFINED};
revoke insert, update, delete on {_SCHEMA}.migration from {_CONFINED};
do $$ begin
    -- A superuser may become anyone; another role that is above row-level security must be let in.
    if current_setting('server_version_num')::int >= 160000 then
        execute 'grant {_CONFINED} to current_user with set true';
    else
        execute 'grant {_CONFINED} to current_user';
    end if;
end $$;
"""

# The planner keeps samples of what columns hold, which outlive it: most common values, and a histogram. Of what people
# wrote it shall keep none; of names that heedful chooses it may.
KEEP_NO_SAMPLES = f"""
do $$ declare found record; begin
    for found in
        select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = '{_SCHEMA}'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
            and a.atttypid in ('text'::regtype, 'bytea'::regtype) and a.attstattarget is distinct from 0
            and c.relname <> 'migration' and a.attname not in ({", ".join(f"'{name}'" for name in _OWN_NAMES)})
    loop
        execute format('alter table {_SCHEMA}.%I alter column %I set statistics 0', found.relname, found.attname);
    end loop;
end $$;
"""

ABOVE_SECURITY = "select rolsuper or rolbypassrls from pg_roles where rolname = current_user"

CONFINED_ROLE_IS_READY = f"""
select 1 from pg_roles where rolname = '{_CONFINED}' and not exists (
    select 1 from pg_class where relnamespace = '{_SCHEMA}'::regnamespace and relkind = 'r' and relname <> 'migration'
    and not has_table_privilege(pg_roles.oid, pg_class.oid, 'insert'))
"""


SELECT_TABLES = f"select tablename from pg_tables where schemaname = '{_SCHEMA}' order by tablename"

COUNT_READERS = """
select count(*) from pg_stat_activity
where backend_xmin is not null and pid <> pg_backend_pid() and datname = current_database()
"""
"""Sessions that may still see what others have deleted, so that it must be kept for them."""


class PostgresDatabase(Database):
    dialect = "postgresql"
    for_update = " for update"
    skip_locked = " for update skip locked"
    one_writer = False

    def __init__(self, url: str) -> None:
        super().__init__(Pool(self._connect, usable=_usable, limit=_CONNECTIONS))
        self._psycopg = _driver()
        self._url = url
        self._step_down = ""

    def _connect(self) -> psycopg.Connection[Row]:
        try:
            connection: psycopg.Connection[Row] = self._psycopg.connect(
                self._url,
                autocommit=True,  # transactions are opened by hand, with their organisation, in one round trip
                connect_timeout=_CONNECT_SECONDS,
                application_name="heedful",
            )
        except self._psycopg.Error as error:
            raise self._explain_connecting(error) from None
        return connection

    @contextmanager
    def _begin(self, org: str | None, isolation: str = "read committed") -> Iterator[Transaction]:
        connection = self._pool.take()
        transaction = _PostgresTransaction(connection, self._explain)
        try:
            transaction.script(self._opening(connection, org, isolation))
            yield transaction
            self._commit(transaction)
        except BaseException:
            if not connection.closed:
                with suppress(errors.StoreError):  # the first error counts; the pool drops a broken connection
                    transaction.script("rollback")
            raise
        finally:
            self._pool.give(connection)

    def _commit(self, transaction: _PostgresTransaction) -> None:
        """A server answers the commit of a failed transaction with a rollback, and calls that a success."""
        if transaction.script("commit") != "COMMIT":
            raise errors.StoreError(
                "This transaction was undone, because a statement in it had failed.", hint="Try it again."
            )

    def _look(self, org: str | None) -> Any:
        return self._begin(org)

    @contextmanager
    def snapshot(self, org: str | None) -> Iterator[Transaction]:
        with self._begin(org, isolation="repeatable read") as transaction:
            yield transaction

    def _opening(self, connection: psycopg.Connection[Row], org: str | None, isolation: str) -> str:
        """Begin a transaction and set what it needs, in one round trip."""
        scope = (
            "set local heedful.system = 'on'"
            if org is None
            else "set local heedful.org = " + self._psycopg.sql.Literal(org).as_string(connection)
        )
        # READ COMMITTED whatever the server's default: who waited for a lock must see what was committed meanwhile.
        waits = "" if self.timeout is None else f"set local lock_timeout = {int(self.timeout * 1_000)}; "
        return (
            f"begin isolation level {isolation}; set local search_path = {_SCHEMA}, public; {_PLANNING}{waits}"
            f"{self._step_down}{scope}"
        )

    def migrate(self) -> None:
        known = migrations.latest(self.dialect)
        version = self.schema_version()
        if version > known:
            raise migrations.too_new(self.describe(), version, known)
        if version < known:
            self._apply_steps()
        self._confine()

    def _apply_steps(self) -> None:
        with self.write(None) as transaction:
            # Locks until the end of the transaction: processes that start together take turns.
            transaction.execute("select pg_advisory_xact_lock(:lock)", {"lock": _MIGRATION_LOCK})
            if not transaction.query(f"select 1 from pg_namespace where nspname = '{_SCHEMA}'", {}):
                transaction.execute(f"create schema {_SCHEMA}", {})
            transaction.execute(
                "create table if not exists migration (version integer primary key, name text not null,"
                " applied_at timestamptz not null default now())",
                {},
            )
            (found,) = transaction.query("select coalesce(max(version), 0) from migration", {})[0]
            for step in migrations.steps(self.dialect):
                if step.version > found:
                    cast("_PostgresTransaction", transaction).script(step.sql)
                    transaction.execute(
                        "insert into migration (version, name) values (:version, :name)",
                        {"version": step.version, "name": step.name},
                    )
            cast("_PostgresTransaction", transaction).script(KEEP_NO_SAMPLES)

    def require_current(self) -> None:
        super().require_current()
        self._confine()

    def _confine(self) -> None:
        with self.write(None) as transaction:
            (above,) = transaction.query(ABOVE_SECURITY, {})[0]
            if not above:
                return
            transaction.execute("select pg_advisory_xact_lock(:lock)", {"lock": _MIGRATION_LOCK})
            if not transaction.query(CONFINED_ROLE_IS_READY, {}):
                cast("_PostgresTransaction", transaction).script(MAKE_CONFINED_ROLE)
        self._step_down = f"set local role {_CONFINED}; "

    def schema_version(self) -> int:
        with self.read(None) as transaction:
            (exists,) = transaction.query(f"select to_regclass('{_SCHEMA}.migration') is not null", {})[0]
            if not exists:
                return 0
            (version,) = transaction.query("select coalesce(max(version), 0) from migration", {})[0]
            return int(version)

    def inspect(self) -> Iterator[CheckResult]:
        with self.read(None) as transaction:
            (version, offset) = transaction.query(
                "select current_setting('server_version'), extract(epoch from clock_timestamp())", {}
            )[0]
            (size,) = transaction.query("select pg_database_size(current_database())", {})[0]
            (open_tables,) = transaction.query(
                f"select count(*) from pg_tables where schemaname = '{_SCHEMA}' and tablename <> 'migration'"
                " and not rowsecurity", {},
            )[0]  # fmt: skip
            (above,) = transaction.query(ABOVE_SECURITY, {})[0]
        yield ok("server", f"PostgreSQL {version}, the database takes {size >> 20:,} MB")
        if open_tables or above:
            yield failure(
                "isolation",
                "Row-level security does not bind this connection.",
                "Restore the policies of the schema `heedful`, or connect as a role without BYPASSRLS.",
            )
        else:
            yield ok("isolation", "row-level security keeps organisations apart")
        drift = abs(float(offset) - time.time())
        if drift > _CLOCK_DRIFT_SECONDS:
            yield warning("clock", f"This machine and the server differ by {drift:.0f} s.", "Synchronise with NTP.")
        else:
            yield ok("clock", "in step with the server")

    def check(self, *, thoroughly: bool) -> CheckResult:  # noqa: ARG002
        """The server looks at each page as it reads it, if its cluster was made with checksums."""
        ((checksums,),) = self.query(None, "select current_setting('data_checksums')")
        if checksums == "on":
            return ok("integrity", "the server checks every page it reads; pg_amcheck looks at all of them")
        return warning(
            "integrity",
            "The server does not notice damaged pages.",
            "With the server stopped: pg_checksums --enable; and look at all tables now and then with pg_amcheck.",
        )

    def describe(self) -> str:
        from psycopg.conninfo import conninfo_to_dict

        try:
            parts = conninfo_to_dict(self._url)
        except self._psycopg.Error:
            return "postgresql://…"
        user = f"{parts['user']}@" if parts.get("user") else ""
        port = f":{parts['port']}" if parts.get("port") else ""
        return f"postgresql://{user}{parts.get('host') or 'localhost'}{port}/{parts.get('dbname') or ''}"

    def back_up(self, path: Path, secret: str | None, progress: Callable[[int, int], None]) -> Backup:  # noqa: ARG002
        address, file = shlex.quote(self.describe()), shlex.quote(str(path))
        raise errors.NotOffered(
            "PostgreSQL makes its backups itself.",
            hint=f"As a superuser: pg_dump --format=custom --schema={_SCHEMA} --file={file} {address}",
        )

    def scrub(self, *, thoroughly: bool) -> bool:
        """Vacuum deleted rows out of tables and indexes; False if a transaction can still see them."""
        if not thoroughly:
            return True  # the server vacuums by itself
        with self._lent() as connection:
            transaction = _PostgresTransaction(connection, self._explain)
            ((readers,),) = transaction.query(COUNT_READERS, {})
            for (table,) in transaction.query(SELECT_TABLES, {}):
                transaction.script(f"vacuum {_SCHEMA}.{table}")
        return not readers

    def _explain_connecting(self, error: psycopg.Error) -> errors.HeedfulError:
        where, said = self.describe(), _first_line(error)
        lower = said.lower()
        if isinstance(error, self._psycopg.ProgrammingError):
            return errors.Misconfigured(
                f"The database address cannot be read: {said}.",
                hint="Write it as postgresql://user:password@host:5432/database.",
            )
        if "password" in lower or "authentication failed" in lower or "pg_hba" in lower:
            return errors.StoreDenied(
                f"{where} refused the sign-in: {said}.",
                hint="Check user and password in the address, or set PGPASSWORD or a ~/.pgpass file.",
            )
        if "does not exist" in lower and ("database" in lower or "role" in lower):
            return errors.StoreDenied(
                f"{where} was reached, but {said.rsplit('FATAL:', 1)[-1].strip()}.",
                hint="Create it (createdb, createuser), or correct the address.",
            )
        return errors.StoreUnreachable(
            f"{where} cannot be reached: {said}.",
            hint="Check that the server runs and that host and port are right.",
        )

    def _explain(self, error: psycopg.Error) -> errors.HeedfulError:
        where, said, state = self.describe(), _first_line(error), error.sqlstate or ""
        for states, kind, hint in _MEANINGS:
            if state in states:
                return kind(f"{where} answered: {said}.", hint=hint)
        if state.startswith(("08", "57P")) or isinstance(error, self._psycopg.OperationalError):
            self._pool.close_idle()  # the other idle connections have most likely gone the same way
            return errors.StoreUnreachable(
                f"The connection to {where} was lost: {said}.",
                hint="Try again; an event that carries your own id is never recorded twice.",
            )
        return errors.StoreError(f"{where} answered: {said} ({state}).", hint="Run `heedful doctor`.")


_MEANINGS: tuple[tuple[tuple[str, ...], type[errors.StoreError], str], ...] = (
    (("53100",), errors.StoreFull, "Free some disk space on the server; nothing of the last write was kept."),
    (("25006",), errors.StoreReadOnly, "Connect to the primary server, not to a replica, or allow writing."),
    (("42501",), errors.StoreDenied, "Let the user of this address create schemas, or own the schema `heedful`."),
    (("55P03", "40P01", "40001", "57014"), errors.StoreBusy, "Try again in a moment."),
    (("XX001", "XX002", "42P01", "42703"), errors.StoreDamaged, "Restore the database from a backup."),
)


def _driver() -> Any:
    try:
        import psycopg
        import psycopg.sql
    except ImportError:
        raise errors.MissingExtra(
            "PostgreSQL needs a driver that is not installed.", hint="Run: pip install 'heedful[postgres]'"
        ) from None
    return psycopg


def _usable(connection: psycopg.Connection[Row]) -> bool:
    """Idle, and with nothing to read: a server that went away has closed the socket."""
    if connection.closed or connection.pgconn.transaction_status != 0:
        return False
    if not hasattr(select, "poll"):
        return not select.select([connection.pgconn.socket], [], [], 0)[0]
    poll = select.poll()  # unlike select, it knows no largest file number
    poll.register(connection.pgconn.socket, select.POLLIN)
    return not poll.poll(0)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


@lru_cache(maxsize=512)
def _pyformat(sql: str) -> str:
    """`:name` in the syntax of psycopg."""
    return _NAMED.sub(r"%(\1)s", sql.replace("%", "%%"))


class _PostgresTransaction:
    def __init__(
        self, connection: psycopg.Connection[Row], explain: Callable[[psycopg.Error], errors.HeedfulError]
    ) -> None:
        self._connection = connection
        self._explain = explain

    def execute(self, sql: str, params: Params) -> int:
        return self._run(_pyformat(sql), params).rowcount

    def execute_many(self, sql: str, rows: Sequence[Params]) -> None:
        with self._translated(), self._connection.cursor() as cursor:
            cursor.executemany(cast("Any", _pyformat(sql)), rows)

    def query(self, sql: str, params: Params) -> list[Row]:
        with self._translated():
            return self._run(_pyformat(sql), params).fetchall()

    def append(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        # One statement with one parameter; COPY would be the usual way, but row-level security forbids it.
        listed = ",".join(columns)
        sql = f"insert into {table} ({listed}) select {listed} from json_populate_recordset(null::{table}, %s)"
        objects = [dict(zip(columns, row, strict=True)) for row in rows]
        self._run(sql, (orjson.dumps(objects).decode(),))

    def script(self, sql: str) -> str | None:
        """Several statements without parameters; what the server says to the last of them."""
        return self._run(sql, None, prepare=False).statusmessage

    def _run(self, sql: str, params: Any, *, prepare: bool | None = None) -> psycopg.Cursor[Row]:
        with self._translated():
            return self._connection.execute(cast("Any", sql), params, prepare=prepare)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except UnicodeDecodeError:
            raise damaged("a text") from None
        except Exception as error:
            if isinstance(error, _driver().Error):
                raise self._explain(error) from error
            raise
