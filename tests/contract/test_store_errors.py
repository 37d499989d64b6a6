"""When a database cannot do what is asked, the error says why and what to do, and nothing half-written stays."""

from __future__ import annotations

import os
import pickle
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import heedful
from heedful import errors
from heedful.loop import OWN, Providers
from heedful.records.clock import utc_now
from heedful.settings import Settings
from heedful.store import Store
from heedful.store.redaction import Redaction
from heedful.store.sqlite import SqliteDatabase
from heedful.testing import sample_acts
from tests.conftest import PostgresServer


def _loop(database: SqliteDatabase) -> heedful.Loop:
    database.migrate()
    return heedful.Loop(Store(database, "acme", utc_now, [OWN], redactor=Redaction), Providers(Settings("")))


def test_a_locked_file(tmp_path: Path) -> None:
    loop = _loop(SqliteDatabase(tmp_path / "a.db", busy_timeout=0.05))
    holder = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    holder.execute("begin immediate")

    with pytest.raises(errors.StoreBusy, match="held by another program") as caught:
        loop.capture.event("FIELD_SET")
    assert "close it" in caught.value.hint
    assert list(loop.events()) == []

    holder.execute("rollback")
    holder.close()
    loop.capture.event("FIELD_SET")
    loop.close()


def test_a_full_disk(tmp_path: Path) -> None:
    with heedful.open(tmp_path / "a.db") as loop:
        loop.capture.event("FIELD_SET")
    loop = _loop(SqliteDatabase(tmp_path / "a.db", pragmas={"max_page_count": 60}))
    with pytest.raises(errors.StoreFull, match="no room left") as caught:
        for _ in range(50):
            loop.org("default").capture.events(sample_acts(100))
    assert "disk space" in caught.value.hint
    recorded = len(list(loop.org("default").events()))
    assert recorded % 100 == 1
    assert sum(count.value for count in loop.org("default").measure.activity()) == recorded
    loop.close()


READ_ONLY = """
import os, sys
import heedful
with heedful.open(sys.argv[2]) as other:   # whatever is imported late is imported now, while it can be read
    other.capture.event("FIELD_SET")
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)   # to root, nothing is read-only
from heedful import errors
loop = heedful.open(sys.argv[1], org="acme")
assert len(list(loop.events())) == 1
try:
    loop.capture.event("FIELD_SET")
except errors.StoreReadOnly as error:
    print(error.code, error)
"""


def test_a_read_only_file_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    with heedful.open(folder / "a.db", org="acme") as loop:
        loop.capture.event("FIELD_SET")
        _make_readable(folder)
        (folder / "a.db").chmod(0o444)
        for beside in folder.glob("a.db-*"):
            beside.chmod(0o666)
        result = subprocess.run(
            [sys.executable, "-c", READ_ONLY, folder / "a.db", tmp_path / "b.db"],
            capture_output=True,
            text=True,
            check=False,
        )
    assert result.stdout.startswith("store_read_only"), result.stderr
    assert "write permission" in result.stdout


def _make_readable(folder: Path) -> None:
    """For a test that steps down from root to nobody."""
    if os.getuid() == 0:
        while folder != folder.parent and folder.name != "tmp":
            folder.chmod(0o777)
            folder = folder.parent


def test_a_file_of_another_program(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as other:
        other.execute("create table precious (x)")
    other.close()

    with pytest.raises(errors.NotHeedful, match="another program"):
        heedful.open(tmp_path / "a.db")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("Dear diary, " * 1000)

    with pytest.raises(errors.StoreDamaged, match="not a readable SQLite database") as caught:
        heedful.open(tmp_path / "a.db")
    assert "backup" in caught.value.hint


def test_a_folder_instead_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(errors.StoreDenied) as caught:
        heedful.open(tmp_path)
    assert "name a file" in caught.value.hint


def test_a_place_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(errors.StoreDenied, match="cannot be made"):
        heedful.open(tmp_path / "file" / "a.db")


def test_an_address_of_an_unknown_kind() -> None:
    with pytest.raises(errors.Misconfigured, match="mysql://"):
        heedful.open("mysql://localhost/x")


def test_a_server_that_does_not_answer() -> None:
    with pytest.raises(errors.StoreUnreachable, match="cannot be reached") as caught:
        heedful.open("postgresql://dana:secret@127.0.0.1:1/x")
    assert "host and port" in caught.value.hint
    assert "secret" not in str(caught.value)


def test_an_address_that_cannot_be_read() -> None:
    with pytest.raises(errors.Misconfigured, match="cannot be read") as caught:
        heedful.open("postgresql://localhost/x?nonsense=1")
    assert "postgresql://user:password@host" in caught.value.hint


def test_a_wrong_password(postgres: PostgresServer) -> None:
    postgres.run(
        "do $$ begin create role guarded login password 'right'; exception when duplicate_object then null; end $$"
    )
    rules = postgres.folder / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text("local all guarded scram-sha-256\n" + before)
    postgres.run("select pg_reload_conf()")
    try:
        url = postgres.url("postgres", "guarded:wrong")
        with pytest.raises(errors.StoreDenied, match="refused the sign-in") as caught:
            heedful.open(url)
        assert "password" in caught.value.hint
        assert "wrong" not in str(caught.value)
    finally:
        rules.write_text(before)
        postgres.run("select pg_reload_conf()")


def test_a_database_that_does_not_exist(postgres: PostgresServer) -> None:
    with pytest.raises(errors.StoreDenied, match='database "nowhere" does not exist') as caught:
        heedful.open(postgres.url("nowhere"))
    assert "createdb" in caught.value.hint


def test_a_user_who_may_not_create_the_schema(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    postgres.run("do $$ begin create role stranger login; exception when duplicate_object then null; end $$")
    with pytest.raises(errors.StoreDenied, match="permission denied") as caught:
        heedful.open(url.replace("postgres@", "stranger@"))
    assert "create schemas" in caught.value.hint


@pytest.mark.parametrize(
    ("sqlstate", "error"),
    [
        ("53100", errors.StoreFull),
        ("25006", errors.StoreReadOnly),
        ("XX001", errors.StoreDamaged),
        ("55P03", errors.StoreBusy),
    ],
)
def test_what_the_server_reports(postgres: PostgresServer, sqlstate: str, error: type[errors.StoreError]) -> None:
    with heedful.open(postgres.new_database()) as loop:
        with (
            pytest.raises(error) as caught,
            loop.transaction(),
            loop.store.transaction() as transaction,
        ):
            loop.capture.event("FIELD_SET")
            transaction.execute(f"do $$ begin raise exception 'as reported' using errcode = '{sqlstate}'; end $$", {})
        assert "as reported" in caught.value.message
        assert caught.value.hint
        assert list(loop.events()) == []
        loop.capture.event("FIELD_SET")


def test_a_connection_that_was_lost_is_replaced(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    name = url.split("/")[3].split("?")[0]
    with heedful.open(url) as loop:
        loop.capture.event("FIELD_SET")
        postgres.run(f"select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = '{name}'")
        loop.capture.event("FIELD_SET")
        assert len(list(loop.events())) == 2


def test_a_connection_lost_in_the_middle_of_a_write_keeps_nothing(postgres: PostgresServer) -> None:
    with heedful.open(postgres.new_database()) as loop:
        loop.capture.event("FIELD_SET")
        with pytest.raises(errors.StoreUnreachable, match="was lost"), loop.store.transaction() as transaction:
            loop.capture.event("FIELD_SET")
            ((pid,),) = transaction.query("select pg_backend_pid()", {})
            postgres.run(f"select pg_terminate_backend({pid}, 30000)")
            loop.capture.event("FIELD_SET")
        assert len(list(loop.events())) == 1


def test_an_error_survives_a_process_border() -> None:
    error = pickle.loads(pickle.dumps(errors.Conflict("taken", hint="use another")))

    assert (type(error), error.message, error.hint) == (errors.Conflict, "taken", "use another")
