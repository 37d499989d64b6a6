"""The schema builds itself, from any earlier version, and a newer one is refused."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import heedful
from heedful.errors import NotFound, SchemaTooNew
from heedful.loop import _database
from heedful.settings import Settings
from heedful.store import migrations
from heedful.store.database import Database
from heedful.testing import sample_acts
from tests.conftest import PostgresServer

LATEST = migrations.latest("sqlite")
EARLIER = range(LATEST)

ACT_OF_VERSION_1 = """
insert into feedback_event (org_id, seq, id, kind, at, before, after, meta)
values ('acme', 1, 'old', 'FIELD_SET', 1767603600000000, '{}', '{"x":1}', '{}')
"""


def _at_version(address: str, version: int, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A database as the heedful of that version left it."""
    database = _database(Settings(address))
    with monkeypatch.context() as patch:
        known = {dialect: migrations.steps(dialect)[:version] for dialect in ("sqlite", "postgresql")}
        patch.setattr(migrations, "steps", lambda dialect: known[dialect])
        patch.setattr(migrations, "latest", lambda _: version)
        database.migrate()
    return database


def test_both_databases_have_the_same_steps() -> None:
    names = [[step[:2] for step in migrations.steps(dialect)] for dialect in ("sqlite", "postgresql")]

    assert names[0] == names[1]
    assert [version for version, _ in names[0]] == list(range(1, LATEST + 1))


@pytest.mark.parametrize("version", EARLIER)
def test_every_earlier_version_is_brought_up_to_date(
    empty_database: str, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if version:
        old = _at_version(empty_database, version, monkeypatch)
        assert old.schema_version() == version
        with old.write("acme") as transaction:
            transaction.execute("insert into org (org_id, floor, created_at) values ('acme', 0, 0)", {})
            transaction.execute(ACT_OF_VERSION_1, {})
            transaction.execute("insert into log_hour values ('acme', 491000, 1, 1)", {})
        old.close()

    with heedful.open(empty_database, org="acme") as loop:
        assert loop.store.database.schema_version() == LATEST
        loop.capture.events(sample_acts(5))
        loop.learn.catch_up("activity")
        events = list(loop.events())
        assert [event.seq for event in events] == list(range(1, 6 + bool(version)))
        assert events[0].after == ({"x": 1} if version else events[0].after)
        assert sum(count.value for count in loop.measure.activity()) == len(events)


def test_a_newer_database_is_refused_and_left_alone(database: str) -> None:
    with heedful.open(database) as loop:
        _pretend_newer(loop.store.database)

    for migrate in (True, False):
        with pytest.raises(SchemaTooNew, match=f"version 99; this heedful knows versions up to {LATEST}") as caught:
            heedful.open(database, migrate=migrate)
        assert "pip install -U heedful" in caught.value.hint


def _pretend_newer(database: Database) -> None:
    if database.dialect == "sqlite":
        with database.write(None) as transaction:
            transaction.execute("pragma user_version = 99", {})
    else:
        database._step_down = ""  # type: ignore[attr-defined]  # the confined role may not write this table
        with database.write(None) as transaction:
            transaction.execute("insert into migration (version, name) values (99, 'future')", {})


def test_without_migrating_an_empty_database_is_refused_and_left_alone(empty_database: str) -> None:
    with pytest.raises(NotFound, match="no heedful database yet") as caught:
        heedful.open(empty_database, migrate=False)

    assert "heedful init" in caught.value.hint
    assert empty_database.startswith("postgresql") or not Path(empty_database).exists()


def test_step_down_again_changes_nothing(database: str) -> None:
    for _ in range(3):
        with heedful.open(database) as loop:
            loop.capture.event("FIELD_SET")
    with heedful.open(database, migrate=False) as loop:
        assert len(list(loop.events())) == 3


def test_many_may_open_an_empty_database_at_once(empty_database: str) -> None:
    failures: list[Exception] = []

    def open_and_record() -> None:
        try:
            with heedful.open(empty_database) as loop:
                loop.capture.event("FIELD_SET")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=open_and_record) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    with heedful.open(empty_database) as loop:
        assert len(list(loop.events())) == 8


def test_both_databases_have_the_same_tables_and_columns(postgres: PostgresServer, tmp_path: Path) -> None:
    with heedful.open(tmp_path / "a.db") as loop, loop.store.database.read(None) as transaction:
        tables = [
            row[0]
            for row in transaction.query(
                "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'", {}
            )
        ]
        sqlite = {t: {row[1] for row in transaction.query(f"pragma table_info({t})", {})} for t in tables}
    with heedful.open(postgres.new_database()) as loop, loop.store.database.read(None) as transaction:
        rows = transaction.query(
            "select table_name, column_name from information_schema.columns where table_schema = 'heedful'", {}
        )
    postgresql: dict[str, set[str]] = {}
    for table, column in rows:
        postgresql.setdefault(table, set()).add(column)
    postgresql.pop("migration", None)

    assert sqlite == postgresql
