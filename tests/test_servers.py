"""The servers that tests bring along are real ones."""

from __future__ import annotations

from typing import Any

import redis

from tests.conftest import PostgresServer


def test_redis_has_streams_with_consumer_groups(redis_url: str) -> None:
    client: Any = redis.Redis.from_url(redis_url, decode_responses=True)
    client.xgroup_create("decisions", "heedful", id="0", mkstream=True)
    client.xadd("decisions", {"decision": "APPROVED"})
    client.xreadgroup("heedful", "one", {"decisions": ">"})

    claimed = client.xautoclaim("decisions", "heedful", "two", min_idle_time=0)

    assert [fields for _, fields in claimed[1]] == [{"decision": "APPROVED"}]
    client.close()


def test_postgresql_has_vectors(postgres: PostgresServer) -> None:
    import psycopg

    with psycopg.connect(postgres.new_database()) as connection:
        connection.execute("create extension vector")
        row = connection.execute("select '[1,2]'::vector <-> '[1,4]'::vector").fetchone()
    assert row == (2.0,)
