"""Numbered steps that build the schema, one file per step and database. A released step is never edited."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from heedful.errors import SchemaTooNew


class Step(NamedTuple):
    version: int
    name: str
    sql: str


@cache
def steps(dialect: str) -> tuple[Step, ...]:
    """All steps for a database, in order: 0001_first.sqlite.sql is step 1."""
    suffix = f".{dialect}.sql"
    found = [
        Step(int(file.name[:4]), file.name[5 : -len(suffix)], file.read_text(encoding="utf-8"))
        for file in files(__name__).iterdir()
        if file.name.endswith(suffix)
    ]
    return tuple(sorted(found))


def latest(dialect: str) -> int:
    return steps(dialect)[-1].version


def tables(dialect: str) -> list[str]:
    return [name for step in steps(dialect) for name in re.findall(r"^create table (\w+)", step.sql, re.MULTILINE)]


def statements(sql: str) -> Iterator[str]:
    """The single statements of a script; SQLite itself knows where a trigger ends."""
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def too_new(database: str, version: int, known: int) -> SchemaTooNew:
    return SchemaTooNew(
        f"{database} has schema version {version}; this heedful knows versions up to {known}.",
        hint="Upgrade heedful (pip install -U heedful), or open another database.",
    )
