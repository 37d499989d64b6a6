"""A backup of a SQLite database: one verified file with a consistent copy of it, and the installation's secret."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from heedful import errors
from heedful.records.backup import Backup
from heedful.store import migrations
from heedful.store.secret import fits, make_durable, write_durably

APPLICATION_ID = 0x68656562  # "heeb"
DATABASE_ID = 0x68656564  # "heed", in the file's header
_PAGES = 1_024  # copied between two reports of progress
_FILES = ("", "-wal", "-shm", "-journal")

MAKE_NOTE = "create table backup (secret text)"
WRITE_NOTE = "insert into backup (secret) values (?)"
DROP_NOTE = "drop table backup"
COUNT_EVENTS = "select org_id, count(*), max(seq) from feedback_event group by org_id order by org_id"
SELECT_FINGERPRINTS = "select org_id, secret_fingerprint from org where secret_fingerprint is not null"

Progress = Callable[[int, int], None]
"""Called with how many pages are copied, and how many there are."""


def back_up(source: sqlite3.Connection, path: Path, secret: str | None, progress: Progress) -> Backup:
    """Copy the database as of now, while others go on writing: a read transaction pins the moment."""
    with _made_safely(path, (path,)) as part:
        with closing(sqlite3.connect(part, isolation_level=None)) as copy:
            source.execute("begin")
            try:
                counted = source.execute(COUNT_EVENTS).fetchall()
                source.backup(copy, pages=_PAGES, progress=lambda _, left, total: progress(total - left, total))
            finally:
                source.rollback()
            copy.execute("pragma journal_mode = delete")  # one file, without a journal
            copy.execute(MAKE_NOTE)
            copy.execute(WRITE_NOTE, (secret,))
            copy.execute(f"pragma application_id = {APPLICATION_ID}")
        with _opened(part) as written:
            _require_sound(written, path)
            if written.execute(COUNT_EVENTS).fetchall() != counted:
                raise errors.StoreError("The backup does not hold what the database holds.", hint="Try again.")
            version = int(written.execute("pragma user_version").fetchone()[0])
        size = part.stat().st_size
    events = sum(count for _, count, _ in counted)
    return Backup(str(path), len(counted), events, version, size, secret is not None)


def restore(backup: Path, database: Path, given: str | None, progress: Progress) -> Backup:
    """Verify a backup and make it the database, with its secret. `given` is the secret of this installation, if any."""
    secret_file = database.with_name(database.name + ".secret")
    with _opened(backup) as source:
        found = _checked(source, backup, given)
        (secret,) = source.execute("select secret from backup").fetchone()
        with _made_safely(database, [database.with_name(database.name + end) for end in _FILES]) as part:
            with closing(sqlite3.connect(part, isolation_level=None)) as copy:
                copy.execute("pragma secure_delete = on")  # the secret is not to stay in the file
                source.backup(copy, pages=_PAGES, progress=lambda _, left, total: progress(total - left, total))
                copy.execute(DROP_NOTE)
                copy.execute(f"pragma application_id = {DATABASE_ID}")
                copy.execute("pragma journal_mode = wal")
            if secret is not None:
                _put_secret(secret_file, secret)
    return found


def _checked(source: sqlite3.Connection, backup: Path, given: str | None) -> Backup:
    (application,) = source.execute("pragma application_id").fetchone()
    if application == DATABASE_ID:
        raise errors.InvalidInput(
            f"{backup} is a database, and not a backup of one.",
            hint="Use it where it is, with --database; make backups with: heedful backup PATH",
        )
    if application != APPLICATION_ID:
        raise errors.NotHeedful(f"{backup} is no backup of heedful.", hint="Name a file that `heedful backup` wrote.")
    (version,) = source.execute("pragma user_version").fetchone()
    if version > migrations.latest("sqlite"):
        raise migrations.too_new(str(backup), version, migrations.latest("sqlite"))
    _require_sound(source, backup)
    counted = source.execute(COUNT_EVENTS).fetchall()
    (secret,) = source.execute("select secret from backup").fetchone()
    _require_fitting(source, given or secret)
    events = sum(count for _, count, _ in counted)
    return Backup(str(backup), len(counted), events, version, backup.stat().st_size, secret is not None)


def _require_fitting(source: sqlite3.Connection, secret: str | None) -> None:
    for org, fingerprint in source.execute(SELECT_FINGERPRINTS):
        if secret is None or not fits(secret, org, fingerprint):
            raise errors.Misconfigured(
                "The secret of this installation is not the one that the backup's feedback was recorded with.",
                hint="Set HEEDFUL_SECRET as it was when the backup was made, or unset it if there was none.",
            )


def _require_sound(copy: sqlite3.Connection, path: Path) -> None:
    if copy.execute("pragma integrity_check(1)").fetchone()[0] != "ok":
        raise errors.StoreDamaged(f"What {path} would hold, or holds, is damaged.", hint="Run: heedful doctor")


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    """Open read-only: nothing is written, no journal either."""
    if not file.is_file():
        raise errors.InvalidInput(f"{file} is not there.", hint="Check the name of the file.")
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            yield connection
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorname", "").startswith("SQLITE_FULL"):
            raise errors.StoreFull(
                "There is no room left for the copy.", hint="Free some disk space, and try again."
            ) from None
        raise errors.StoreDamaged(f"{file} is damaged, or no database.", hint="Take another backup.") from None


@contextmanager
def _made_safely(path: Path, taken: Sequence[Path]) -> Iterator[Path]:
    """A temporary file that gets the name `path` when all went well, and never overwrites another."""
    for other in taken:
        if other.exists():
            raise errors.InvalidInput(f"{other} exists already.", hint="Move it away first, or name another place.")
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield part
        _give_name(part, path)
    except OSError as error:
        raise errors.StoreDenied(f"{path} cannot be written: {error.strerror}.", hint="Choose another place.") from None
    finally:
        for end in _FILES:
            with suppress(OSError):
                part.with_name(part.name + end).unlink(missing_ok=True)


def _give_name(part: Path, path: Path) -> None:
    handle = os.open(part, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    try:
        os.link(part, path)  # unlike renaming, it never overwrites
    except FileExistsError:
        raise errors.InvalidInput(f"{path} exists already.", hint="Name another file.") from None
    make_durable(path.parent)


def _put_secret(file: Path, secret: str) -> None:
    if file.exists():
        if file.read_text().strip() == secret:
            return
        raise errors.InvalidInput(f"{file} holds another secret.", hint="Move it away first, or name another place.")
    write_durably(file, secret + "\n")


def refuse_directly(path: Path) -> errors.HeedfulError:
    """The error for a backup that is opened as if it were a database."""
    return errors.NotHeedful(
        f"{path} is a backup.", hint=f"Put it in place first: heedful --database NEW restore {path}"
    )
