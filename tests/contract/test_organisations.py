"""Nothing reads across organisations, on every database."""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful import Decision, JobRequest
from heedful.errors import InvalidId, NotFound
from heedful.records.language import Limits
from heedful.records.role import Role
from heedful.store.readings import ReadPosition
from tests.conftest import OpenLoop, PostgresServer
from tests.contract.correcting import WordEmbedder
from tests.contract.mining import LINT, teach
from tests.examples import examples

ORGS = ["acme", "globex", "ACME", "acme ", "a%", "'; drop table org; --"]
CALLS = st.lists(
    st.tuples(
        st.sampled_from(ORGS),
        st.sampled_from(["event", "batch", "job", "subscribe", "rebuild"]),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=25,
)


@examples(25)
@given(calls=CALLS)
def test_an_organisation_sees_exactly_its_own(open_loop: OpenLoop, calls: list[Any]) -> None:
    run = uuid.uuid4()  # every example has organisations of its own
    with open_loop() as root:
        loops = {org: root.org(f"{org}{run}") for org in ORGS}
        mine: dict[str, list[str]] = {org: [] for org in ORGS}
        jobs: dict[str, list[str]] = {org: [] for org in ORGS}
        delivered: dict[str, list[str]] = {org: [] for org in ORGS}
        for org, call, number in calls:
            loop = loops[org]
            if call == "event":
                act: dict[str, Any] = {
                    "kind": "FIELD_SET",
                    "actor": "dana",
                    "id": f"id-{len(mine[org])}",
                    "entity": ("field", str(number)),
                }
                mine[org].append(loop.capture.event(**act).id)
            elif call == "batch":
                acts = [{"kind": "FIELD_SET", "id": f"id-{len(mine[org]) + n}"} for n in range(number)]
                loop.capture.events(acts)
                mine[org].extend(act["id"] for act in acts)
            elif call == "job":
                jobs[org].append(loop.jobs.put(JobRequest("work", {"org": org})).id)
            elif call == "subscribe":
                loop.subscription(partial(_note, delivered[org]), name="s").deliver_pending()
            else:
                loop.learn.rebuild()
        for org, loop in loops.items():
            _sees_only(loop, mine[org], jobs[org])
            assert delivered[org] == mine[org][: len(delivered[org])]


def _note(ids: list[str], event: heedful.Event) -> None:
    ids.append(event.id)


def _sees_only(loop: heedful.Loop, mine: list[str], jobs: list[str]) -> None:
    assert [event.id for event in loop.events()] == mine
    assert [event.id for event in loop.events(kind="FIELD_SET", newest_first=True)] == mine[::-1]
    assert {event.org for event in loop.events()} <= {loop.name}
    assert sum(count.value for count in loop.measure.activity()) == len(mine)
    assert {job.id for job in loop.jobs.all()} == set(jobs)
    assert sum(loop.jobs.count_by_state().values()) == len(jobs)


def test_ids_of_another_organisation_are_not_found(loop: heedful.Loop) -> None:
    event = loop.capture.event("FIELD_SET")
    job = loop.jobs.put(JobRequest("work"))
    other = loop.org("globex")

    with pytest.raises(NotFound):
        other.event(event.id)
    with pytest.raises(NotFound):
        other.jobs.get(job.id)
    with pytest.raises(NotFound):
        other.jobs.retry(job.id)


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 201, None])
def test_an_organisation_needs_a_name(loop: heedful.Loop, name: Any) -> None:
    with pytest.raises(InvalidId):
        loop.org(name)


def test_operators_can_list_organisations(loop: heedful.Loop, database: str) -> None:
    for name in ("globex", "acme"):
        loop.org(name).capture.event("FIELD_SET")

    assert heedful.organisations(database) == ["acme", "globex"]


TABLES = [
    "org", "feedback_event", "log_hour", "counter", "projection", "job", "subscription",
    "api_key", "sign_in", "ended_session", "webhook", "tally", "spending",
    "learning", "posting", "learning_vector", "learning_signature", "reading",
]  # fmt: skip


@pytest.mark.parametrize("user", ["postgres", "plain_user"])
@pytest.mark.parametrize("table", TABLES)
def test_postgresql_refuses_to_cross_even_if_a_query_forgets(postgres: PostgresServer, user: str, table: str) -> None:
    url = _database_owned_by(postgres, user)
    with heedful.open(url, org="acme", embedder=WordEmbedder()) as acme:
        globex = acme.org("globex")
        for loop in (acme, globex):
            loop.capture.event("FIELD_SET")
            loop.capture.fix("no-passive", Decision.ACCEPTED)
            loop.jobs.put(JobRequest("work"))
            loop.subscription(print, name="s").deliver_pending()
            key = loop.govern.keys.create("desk", role=Role.ADMIN)
            access = loop.govern.access
            caller = access.use_link(access.sign_in_link(key.id))
            assert caller is not None
            access.end(access.begin(caller)[0])
            access.sign_in_link(key.id)
            loop.govern.webhooks.create("https://example.com/")
            loop.store.spending.reserve(1, 1, Limits(1, 1))
            teach(loop, "chat", LINT)
            with loop.store.transaction() as transaction:
                loop.store.readings.put(transaction, "file", ReadPosition(1, "digest"))
        with acme.store.transaction() as transaction:
            seen = transaction.query(f"select org_id from {table}", {})
            assert seen
            assert {row[0] for row in seen} == {"acme"}
            assert transaction.execute(f"delete from {table} where org_id = 'globex'", {}) == 0
        with pytest.raises(heedful.HeedfulError, match="row-level security"), acme.store.transaction() as transaction:
            transaction.execute(
                f'insert into {table} select (jsonb_populate_record(t, \'{{"org_id": "globex"}}\')).* from {table} t',
                {},
            )


def test_postgresql_shows_workers_only_the_queue(postgres: PostgresServer) -> None:
    with heedful.open(postgres.new_database()) as loop:
        loop.capture.event("FIELD_SET")
        with loop.store.database.read(None) as transaction:
            assert transaction.query("select * from feedback_event", {}) == []
            assert transaction.query("select * from counter", {}) == []


def _database_owned_by(postgres: PostgresServer, user: str) -> str:
    name = postgres.new_database(migrated=False).split("/")[3].split("?")[0]
    if user != "postgres":
        postgres.run(f"do $$ begin create role {user} login; exception when duplicate_object then null; end $$")
        postgres.run(f"alter database {name} owner to {user}")
    return postgres.url(name, user)
