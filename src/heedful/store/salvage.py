"""Salvage copies what can still be read of a damaged SQLite database to a new one. The rest is derived again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from heedful.errors import InvalidInput, StoreDamaged
from heedful.records.event import Event
from heedful.store.database import Row
from heedful.store.event_rows import EVENT_COLUMNS, event_of
from heedful.store.secret import write_durably
from heedful.store.store import Store

_CHUNK = 200
_FAR = 5_000  # positions in a row without an event, after which there is most likely no more

SELECT_ORGS = ("select org_id from org", "select distinct org_id from feedback_event")
SELECT_HEADS = (
    "select floor from org where org_id = :org",
    "select max(seq) from feedback_event where org_id = :org",
    "select max(last_seq) from log_hour where org_id = :org",
)
_COLUMNS = ", ".join(EVENT_COLUMNS)
SELECT_SOME = f"select {_COLUMNS} from feedback_event where org_id = :org and seq between :first and :last order by seq"

ORG_COLUMNS = ("tier", "privacy", "secret_fingerprint", "has_webhooks")
TABLES = ("api_key", "webhook", "subscription", "server_secret", "spending", "file")
"""Tables that are neither the log nor derived from it. Readings and jobs are not among them: files are read again, and
what was read before is known."""

Progress = Callable[[int], None]


class Wreck:
    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
        self._connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        self.lost = 0

    def close(self) -> None:
        self._connection.close()

    def organisations(self) -> list[str]:
        return sorted({row[0] for sql in SELECT_ORGS for row in self._read(sql) if isinstance(row[0], str)})

    def events(self, org: str) -> Iterator[list[Event]]:
        """The events whose checksums match, in order."""
        surely, perhaps = self._heads(org)
        position, newest, found = 0, 0, 0
        while position < perhaps and position - newest < _FAR:
            last = min(position + _CHUNK, perhaps)
            rows = self._read(SELECT_SOME, org=org, first=position + 1, last=last)
            if len(rows) < last - position:  # erased, or unreadable together
                rows = [row for seq in range(position + 1, last + 1) for row in self._at(org, seq)]
            events = [event for row in rows if (event := _sound(row)) is not None and event.org == org]
            position, newest, found = last, events[-1].seq if events else newest, found + len(events)
            yield events
        self.lost += max(surely, newest) - found

    def _heads(self, org: str) -> tuple[int, int]:
        """Up to which position there were events, and up to which there may have been some: hours are rounded up."""
        heads = [[row[0] for row in self._read(sql, org=org) if isinstance(row[0], int)] for sql in SELECT_HEADS]
        floor, newest, hours = (max(found, default=0) for found in heads)
        return max(floor, newest), max(floor, newest, hours)

    def _at(self, org: str, seq: int) -> list[Row]:
        return self._read(SELECT_SOME, org=org, first=seq, last=seq)

    def settings(self, org: str) -> dict[str, object]:
        rows = self._read(f"select {', '.join(ORG_COLUMNS)} from org where org_id = :org", org=org)
        return dict(zip(ORG_COLUMNS, rows[0], strict=True)) if rows else {}

    def rows(self, table: str) -> tuple[list[str], list[Row]]:
        columns = [row[1] for row in self._read(f"pragma table_info({table})")]
        return columns, self._read(f"select {', '.join(columns)} from {table}") if columns else []

    def _read(self, sql: str, **params: object) -> list[Row]:
        """The rows before the damage."""
        found: list[Row] = []
        with suppress(sqlite3.DatabaseError):
            for row in self._connection.execute(sql, params):
                found.append(row)
        return found


def _sound(row: Row) -> Event | None:
    try:
        event = event_of(row)
        _ = event.before, event.after, event.meta
    except StoreDamaged:
        return None
    return event


def prepare(file: Path, target: Path) -> None:
    """Before the new database is made: refuse to overwrite anything, and copy the secret of the old one."""
    if not file.is_file():
        raise InvalidInput(f"{file} is not there.", hint="Check the name of the file.")
    secret, copy = (one.with_name(one.name + ".secret") for one in (file, target))
    for other in (target, copy):
        if other.exists():
            raise InvalidInput(f"{other} exists already.", hint="Name a new position with --database.")
    if secret.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        write_durably(copy, secret.read_text())


def salvage(file: Path, store: Store, progress: Progress) -> tuple[int, int]:
    """Copy what can be read to an empty store; returns how many events, and how many positions without one."""
    taken = 0
    with closing(Wreck(file)) as wreck:
        for org in wreck.organisations():
            own = store.of(org)
            for events in wreck.events(org):
                with own.recording() as record:
                    record.put_back(events)
                taken += len(events)
                progress(len(events))
            with suppress(StoreDamaged), own.recording() as record:
                record.put_back([])
                for name, value in wreck.settings(org).items():
                    record.transaction.execute(
                        f"update org set {name} = :value where org_id = :org", {"org": org, "value": value}
                    )
        for table in TABLES:
            columns, rows = wreck.rows(table)
            with suppress(StoreDamaged), store.database.write(None) as transaction:
                values = ", ".join(f":{column}" for column in columns)
                sql = f"insert or replace into {table} ({', '.join(columns)}) values ({values})"
                for row in rows:
                    transaction.execute(sql, dict(zip(columns, row, strict=True)))
        return taken, wreck.lost
