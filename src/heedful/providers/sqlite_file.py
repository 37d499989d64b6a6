"""Reads tables of another program's SQLite file. Nothing is written, and a program that has it open goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

MAGIC = b"SQLite format 3\x00"


class UnreadableDatabase(ValueError):
    """Its only argument is the reason."""


class SqliteFile:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, query: str, *values: object) -> Iterator[Mapping[str, Any]]:
        """One row after the other."""
        try:
            with closing(self._connection.execute(query, values)) as cursor:
                names = [column[0] for column in cursor.description]
                for row in cursor:
                    yield dict(zip(names, row, strict=True))
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
            raise UnreadableDatabase("damaged database") from error

    def columns(self, table: str) -> set[str]:
        """Empty if there is no such table."""
        return {row["name"] for row in self.rows("SELECT name FROM pragma_table_info(?)", table)}


@contextmanager
def open_sqlite_file(path: Path) -> Iterator[SqliteFile]:
    """Opens the file read-only. Without a write-ahead log beside it, no file is created either."""
    log = path.with_name(f"{path.name}-wal")
    mode = "mode=ro" if log.is_file() and log.stat().st_size else "mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, timeout=2)
    except (sqlite3.Error, ValueError) as error:
        raise UnreadableDatabase("damaged database") from error
    try:
        yield SqliteFile(connection)
    finally:
        connection.close()
