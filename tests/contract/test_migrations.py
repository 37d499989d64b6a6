"""The schema builds itself, from any earlier version, and a newer one is refused."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import pytest

import heedful
from heedful.errors import HeedfulError, NotFound, SchemaTooNew
from heedful.settings import Settings
from heedful.store import migrations
from heedful.store.database import Database
from heedful.store.opening import database_of
from heedful.testing import sample_acts
from tests.conftest import PostgresServer

LATEST = migrations.latest("sqlite")


@pytest.fixture
def next_version(monkeypatch: pytest.MonkeyPatch) -> int:
    """As a heedful that has one more step."""
    following = migrations.Step(LATEST + 1, "colour", "alter table org add column colour text;")
    steps = {dialect: (*migrations.steps(dialect), following) for dialect in ("sqlite", "postgresql")}
    monkeypatch.setattr(migrations, "steps", lambda dialect: steps[dialect])
    monkeypatch.setattr(migrations, "latest", lambda _: following.version)
    return following.version


def test_both_databases_have_the_same_steps() -> None:
    names = [[step[:2] for step in migrations.steps(dialect)] for dialect in ("sqlite", "postgresql")]

    assert names[0] == names[1]
    assert [version for version, _ in names[0]] == list(range(1, LATEST + 1))


def test_an_empty_database_is_built(empty_database: str) -> None:
    with heedful.open(empty_database, org="acme") as loop:
        assert loop.store.database.schema_version() == LATEST
        loop.capture.events(sample_acts(5))
        assert [event.seq for event in loop.events()] == [1, 2, 3, 4, 5]


@pytest.fixture
def older(database: str) -> str:
    """A database with five events, as this version leaves it."""
    with heedful.open(database, org="acme") as loop:
        loop.capture.events(sample_acts(5))
    return database


def test_an_older_database_is_brought_up_to_date_with_what_it_holds(older: str, next_version: int) -> None:
    with heedful.open(older, org="acme") as loop:
        assert loop.store.database.schema_version() == next_version
        loop.capture.events(sample_acts(5))
        assert [event.seq for event in loop.events()] == list(range(1, 11))
        assert sum(count.value for count in loop.measure.activity()) == 10
        with loop.store.transaction() as transaction:
            assert transaction.query("select org_id, colour from org", {}) == [("acme", None)]


def test_without_migrating_an_older_database_is_refused_and_left_alone(older: str, next_version: int) -> None:
    with pytest.raises(NotFound, match=f"has schema version {LATEST} of {next_version}") as caught:
        heedful.open(older, migrate=False)
    assert "heedful init" in caught.value.hint

    with closing(database_of(Settings(older))) as left:
        assert left.schema_version() == LATEST


def test_a_step_that_fails_leaves_the_database_at_a_whole_step(
    older: str, next_version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = migrations.Step(
        next_version + 1, "broken", "alter table org add column size text;\nalter table nowhere add x;"
    )
    steps = {dialect: (*migrations.steps(dialect), broken) for dialect in ("sqlite", "postgresql")}
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "steps", lambda dialect: steps[dialect])
        patch.setattr(migrations, "latest", lambda _: broken.version)
        with pytest.raises(HeedfulError):
            heedful.open(older)

    with heedful.open(older, org="acme") as loop:
        assert loop.store.database.schema_version() in (LATEST, next_version)
        assert len(list(loop.events())) == 5
        with pytest.raises(HeedfulError), loop.store.transaction() as transaction:
            transaction.query("select size from org", {})


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
