"""What a database keeps about its tables beside them: nothing of what people wrote, whatever is erased or not."""

from __future__ import annotations

from typing import Any

import psycopg

import heedful
from heedful.store.postgres import _OWN_NAMES
from heedful.testing import sample_acts, sample_fixes
from tests.conftest import PostgresServer

SAMPLES = """
select tablename, attname, coalesce(most_common_vals::text, '') || coalesce(histogram_bounds::text, '')
    || coalesce(most_common_elems::text, '')
from pg_stats where schemaname = 'heedful'
"""
TEXTS = """
select table_name, column_name from information_schema.columns
where table_schema = 'heedful' and data_type in ('text', 'bytea') and table_name <> 'migration'
"""


def _ask(url: str, sql: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(sql)
        return found.fetchall() if found.description else []


def test_the_planner_keeps_no_sample_of_what_people_wrote(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    with heedful.open(url, org="acme") as loop:
        loop.capture.events(sample_acts(300))
        loop.capture.fixes(sample_fixes(200))
        for number in range(20):
            loop.capture.correction(f"make ship {number}", "make release", about="deployment", actor="dana")
        _ask(url, "vacuum analyze")
        sampled = _ask(url, SAMPLES)

        texts = set(_ask(url, TEXTS))
        assert {column for table, column, _ in sampled if (table, column) in texts} <= set(_OWN_NAMES)
        kept = " ".join(sample for _, _, sample in sampled)
        for word in ("dana", "make ship", "deployment", "no-passive", "draft-0", "person-"):
            assert word not in kept
        assert "FIX_ACCEPTED" in kept  # so there are samples at all

        # And the planner still reads one organisation's log by its indexes.
        for condition in ("kind = 'FIX_SKIPPED' and seq > 3", "id = 'x'", "entity_id = 'x' and entity_kind = 'rule'"):
            asked = f"select * from heedful.feedback_event where org_id = 'acme' and {condition} order by seq limit 5"
            assert "Index" in "\n".join(row[0] for row in _ask(url, f"explain {asked}"))


def test_clearing_has_the_server_take_the_rows_out(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    with heedful.open(url, org="acme") as loop:
        loop.capture.fixes(sample_fixes(50))
        with psycopg.connect(url) as reader:
            reader.execute("set transaction isolation level repeatable read")
            reader.execute("select 1 from heedful.feedback_event")
            first = loop.govern.clear(loop.govern.clearing(everything=True).token)
        loop.capture.fixes(sample_fixes(50))
        second = loop.govern.clear(loop.govern.clearing(everything=True).token)

        assert (first.scrubbed, second.scrubbed) == (False, True)
        ((dead,),) = _ask(url, "select count(*) from heedful.feedback_event where kind like 'FIX%'")
        assert dead == 0
