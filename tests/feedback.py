"""Feedback on suggestions for tests, and ways to look at everything that a database keeps of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unicodedata import normalize

import psycopg

import heedful
from heedful import Job, JobState
from heedful.learn.suggestions import SUGGESTIONS
from heedful.learnings.said import SAID
from heedful.store.counting import TALLY_COLUMNS

RETENTION = "learning.retention"
NAMES = ("Ann", "Bob", "Cleo", "Dirk", "Ella", "Finn", "Gus", "Hanna", "Ivo", "Jan", "Kai", "Lea", "Mo", "Nils", "Ole")
VALUES = ", ".join(TALLY_COLUMNS)


def fix(loop: heedful.Loop, n: int = 0, *, decision: str = "accepted", rule: str = "short", **told: Any) -> str:
    """The same edit in ever other sentences."""
    before, after = told.pop("edit", ("in order to", "to"))
    name = f"{NAMES[n % 15]}{n}"
    texts = {"original": f"We wrote {name} {before} settle it.", "suggested": f"We wrote {name} {after} settle it."}
    return loop.capture.fix(rule, decision, **{**texts, "actor": "dana", **told}).id  # type: ignore[arg-type]


def dump(database: str) -> bytes:
    """Every byte of a SQLite database and what lies beside it; or every row of a PostgreSQL database, as text."""
    if not database.startswith("postgresql"):
        path = Path(database)
        return b"\n".join(file.read_bytes() for file in sorted(path.parent.glob(path.name + "*")))
    with psycopg.connect(database) as connection:  # a superuser: no policy hides a row
        tables = connection.execute(
            "select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace"
            " where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')"
        ).fetchall()
        found = [connection.execute(f"select t::text from {name} t").fetchall() for (name,) in tables]
    assert sum(map(len, found)) > 3
    return "\n".join(sorted(row[0] for rows in found for row in rows)).encode()


def leaked(where: bytes, secrets: list[str]) -> list[str]:
    where = where.lower()
    return [secret for secret in secrets if any(form in where for form in _forms(secret))]


def _forms(secret: str) -> set[bytes]:
    texts = {case(normalize(form, secret)) for form in ("NFC", "NFD") for case in (str.lower, str.upper, str.casefold)}
    return {form.encode().lower() for text in texts for form in (text, json.dumps(text)[1:-1])}


def tally(loop: heedful.Loop) -> dict[tuple[Any, ...], list[int]]:
    with loop.store.transaction() as transaction:
        rows = transaction.query(
            f"select name, part, day, key, {VALUES} from tally where org_id = :org", {"org": loop.name}
        )
    assert len({tuple(row[:4]) for row in rows}) == len(rows)  # nothing is left beside it
    return {tuple(row[:4]): list(row[4:]) for row in rows}


def recount(loop: heedful.Loop) -> dict[tuple[Any, ...], list[int]]:
    events = list(loop.events())
    counts = SAID.counted(events, SUGGESTIONS.counted(events))
    return {tuple(key): counts.row(key) for key in counts.tallies}


def clear(loop: heedful.Loop, **what: Any) -> int:
    return loop.govern.clear(loop.govern.clearing(**what).token).records


def feedback(loop: heedful.Loop) -> list[str]:
    return [event.id for event in loop.events() if event.kind.startswith("FIX_")]


def shown(loop: heedful.Loop, rule: str = "short") -> list[str]:
    context = loop.apply.rule_context(rule)
    found: list[Any] = [*context.accepted_patterns, *context.rejected_patterns]
    return [pattern.original_pattern for pattern in found]


def queued(loop: heedful.Loop) -> list[Job]:
    return list(loop.jobs.all(state=JobState.QUEUED, name=RETENTION))
