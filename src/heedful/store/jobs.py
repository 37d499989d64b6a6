"""The queue: a table of jobs with leases, for one process on SQLite or many machines on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import timedelta
from typing import Any, NamedTuple

from uuid_utils import uuid7

from heedful.errors import Conflict, LeaseLost, NotFound
from heedful.records import names
from heedful.records.clock import Clock, from_micros, to_micros
from heedful.records.job import Job, JobRequest, JobState, pause_after
from heedful.records.json import Json, decode, encode
from heedful.records.page import Page
from heedful.store import orgs
from heedful.store.database import Database, OrgTable, Row, Transaction

_FIELDS = tuple(field.name for field in fields(Job))
_PAGE = 1_000
_COLUMNS = ", ".join("org_id" if name == "org" else name for name in _FIELDS)

ADD = """
insert into job (org_id, id, name, payload, key, about, state, priority, attempts, max_attempts, again,
                 run_at, created_at, updated_at)
values (:org, :id, :name, :payload, :key, :about, 'queued', :priority, 0, :max_attempts, 0, :run_at, :now, :now)
on conflict (org_id, name, key) where key is not null and state in ('queued', 'failed', 'in_progress')
do update set
    payload = excluded.payload,
    again = case when job.state = 'in_progress' then 1 else job.again end,
    priority = case when excluded.priority > job.priority then excluded.priority else job.priority end,
    run_at = case when job.state = 'queued' and excluded.run_at < job.run_at then excluded.run_at else job.run_at end
"""
"""Queue a job. If the same one is unfinished, merge them: the newer payload, the earlier time, the higher priority; if
it is running, it runs once more."""

SELECT_READY = """
select org_id, id from job where state in ('queued', 'failed') and run_at <= :now and name in ({names})
and (about is null or not exists (
    select 1 from job busy where busy.org_id = job.org_id and busy.name = job.name and busy.about = job.about
    and busy.state = 'in_progress') and (
    select count(*) from job busy where busy.org_id = job.org_id and busy.name = job.name and busy.about is not null
    and busy.state = 'in_progress') < 2)
order by priority desc, run_at, id limit 1
"""
"""A worker takes only jobs that it has a handler for. Of the jobs about one thing, one runs at a time, and two of an
organisation, so that slow ones keep few workers busy, not all."""

TAKE = """
update job set state = 'in_progress', attempts = attempts + 1, worker = :worker, lease_until = :lease_until,
               again = 0, updated_at = :now
where org_id = :org and id = :id
"""

EXTEND_LEASE = """
update job set lease_until = :lease_until
where org_id = :org and id = :id and worker = :worker and state = 'in_progress'
"""

FINISH = """
update job set state = case when again = 1 then 'queued' else 'completed' end,
               attempts = case when again = 1 then 0 else attempts end,
               result = :result, error = null, worker = null, lease_until = null, run_at = :now, updated_at = :now
where org_id = :org and id = :id and worker = :worker and state = 'in_progress'
"""

_AFTER_FAILURE = """
    state = case when attempts < max_attempts then 'failed' when again = 1 then 'queued' else 'dead_letter' end,
    attempts = case when attempts >= max_attempts and again = 1 then 0 else attempts end
"""
"""Retry it, or give it up; if it was queued again while it ran, it starts over."""

FAIL = f"""
update job set {_AFTER_FAILURE},
               error = :error, worker = null, lease_until = null, run_at = :run_at, updated_at = :now
where org_id = :org and id = :id and worker = :worker and state = 'in_progress'
"""

SELECT_EXPIRED = "select org_id, id from job where state = 'in_progress' and lease_until < :now"

RECLAIM = f"""
update job set {_AFTER_FAILURE},
               error = :error, worker = null, lease_until = null, run_at = :now, updated_at = :now
where org_id = :org and id = :id and state = 'in_progress' and lease_until < :now
"""
"""When a worker dies, the lease of its job runs out: the job is queued again, or given up."""

RETRY = """
update job set state = 'queued', attempts = 0, error = null, run_at = :now, updated_at = :now
where org_id = :org and id = :id and (state = 'failed' or state = 'dead_letter' and not exists (
    select 1 from job same where same.org_id = job.org_id and same.name = job.name and same.key = job.key
    and same.state in ('queued', 'failed', 'in_progress')))
"""

PURGE = "delete from job where state = 'completed' and updated_at < :before"

SELECT_IDLE = """
select id, payload, key, result from job
where org_id = :org and state <> 'in_progress' and id > :after order by id limit :limit
"""
ERASE = "delete from job where org_id = :org and id = :id"

COUNT_BY_STATE = "select state, count(*) from job where org_id = :org group by state"

COUNT_UNFINISHED = """
select count(*) from job where org_id = :org and name = :name and about = :about
and state in ('queued', 'failed', 'in_progress')
"""

COUNT_NAMED = "select state, count(*) from job where org_id = :org and name = :name group by state"

COUNT_ALL_BY_STATE = "select state, count(*) from job group by state"

COUNT_READY = "select count(*), min(run_at) from job where state in ('queued', 'failed') and run_at <= :now"
COUNT_LATER = "select count(*) from job where state in ('queued', 'failed') and run_at > :now"


class IdleJob(NamedTuple):
    id: str
    payload: Json
    key: str | None
    result: Json | None


class JobTable(OrgTable):
    def add(self, transaction: Transaction, requests: Iterable[JobRequest]) -> list[str]:
        now = self._clock()
        rows = [
            {
                "org": self._org,
                "id": str(uuid7()),
                "name": request.name,
                "payload": encode(request.payload, "the payload of a job"),
                "key": request.key,
                "about": request.about,
                "priority": request.priority,
                "max_attempts": request.max_attempts,
                "run_at": to_micros(now + request.delay),
                "now": to_micros(now),
            }
            for request in requests
        ]
        transaction.execute_many(ADD, rows)
        return [str(row["id"]) for row in rows]

    def put(self, request: JobRequest) -> Job:
        """Queue a job, or find the unfinished one that does this work already."""
        with self._database.write(self._org) as transaction:
            orgs.lock(transaction, self._database, self._org, self._clock)
            (id,) = self.add(transaction, [request])
            if request.key is None:
                return self.get(id)
            same = "name = :name and key = :key and state in ('queued', 'failed', 'in_progress')"
            return self._select(same, {"name": request.name, "key": request.key})[0]

    def get(self, id: str) -> Job:
        found = self._select("id = :id", {"id": id})
        if not found:
            raise NotFound(f"There is no job {id!r} here.", hint="List jobs with `heedful jobs`.")
        return found[0]

    def page(
        self,
        state: JobState | None = None,
        *,
        name: str | None = None,
        about: str | None = None,
        limit: int,
        cursor: str | None = None,
    ) -> Page[Job]:
        """The jobs that changed last, newest first."""
        wanted: dict[str, Any] = {"state": state and state.value, "name": name, "about": about}
        conditions = [f"{column} = :{column}" for column, value in wanted.items() if value is not None] or ["true"]
        if cursor is not None:
            wanted["changed"], wanted["last"] = names.change(cursor)
            conditions.append("(updated_at < :changed or updated_at = :changed and id < :last)")
        order = " order by updated_at desc, id desc limit :limit"
        jobs = self._select(" and ".join(conditions) + order, {**wanted, "limit": limit + 1})
        more = len(jobs) > limit
        last = jobs[limit - 1] if more else None
        return Page(jobs[:limit], None if last is None else f"{to_micros(last.updated_at)}.{last.id}")

    def _select(self, condition: str, params: Mapping[str, Any]) -> list[Job]:
        sql = f"select {_COLUMNS} from job where org_id = :org and {condition}"
        return [_job(row) for row in self._query(sql, **params)]

    def count_by_state(self) -> dict[JobState, int]:
        return _by_state(self._query(COUNT_BY_STATE))

    def count_named(self, name: str) -> dict[JobState, int]:
        return _by_state(self._query(COUNT_NAMED, name=name))

    def count_unfinished(self, name: str, about: str) -> int:
        return int(self._query(COUNT_UNFINISHED, name=name, about=about)[0][0])

    def idle(self, transaction: Transaction) -> Iterator[IdleJob]:
        """All that do not run now, finished ones too."""
        after = ""
        while rows := transaction.query(SELECT_IDLE, {"org": self._org, "after": after, "limit": _PAGE}):
            for id, payload, key, result in rows:
                yield IdleJob(id, decode(payload), key, None if result is None else decode(result))
            after = rows[-1][0]

    def erase(self, transaction: Transaction, ids: Iterable[str]) -> None:
        transaction.execute_many(ERASE, [{"org": self._org, "id": id} for id in ids])

    def retry(self, id: str) -> Job:
        """Give a job that failed or was given up all its attempts again, now."""
        with self._database.write(self._org) as transaction:
            orgs.lock(transaction, self._database, self._org, self._clock)
            touched = transaction.execute(RETRY, {"org": self._org, "id": id, "now": to_micros(self._clock())})
        job = self.get(id)
        if not touched:
            raise Conflict(
                f"Job {id!r} is {job.state.value} and needs no retry.",
                hint="Only jobs that are failed or dead_letter, and not queued anew already, can be retried.",
            )
        return job


class Workbench:
    """The jobs of all organisations, for workers."""

    def __init__(self, database: Database, clock: Clock, lease: timedelta) -> None:
        self._database = database
        self._clock = clock
        self.lease = lease

    def claim(self, worker: str, known: Iterable[str]) -> Job | None:
        """Take the most urgent job of these names that is due, for the length of a lease."""
        now = to_micros(self._clock())
        wanted = {f"name{number}": name for number, name in enumerate(known)}
        ready = SELECT_READY.format(names=", ".join(f":{name}" for name in wanted) or "null")
        if not self._database.query(None, ready, now=now, **wanted):
            return None  # an idle worker only reads, and blocks no writer
        with self._database.write(None) as transaction:
            found = transaction.query(ready + self._database.skip_locked, {"now": now, **wanted})
            if not found:
                return None
            org, id = found[0]
            claim = f"{worker}/{uuid7()}"  # unlike the name of a worker, never the same twice
            transaction.execute(
                TAKE, {"org": org, "id": id, "worker": claim, "now": now, "lease_until": self._lease_end()}
            )
            rows = transaction.query(
                f"select {_COLUMNS} from job where org_id = :org and id = :id", {"org": org, "id": id}
            )
        return _job(rows[0])

    def extend(self, job: Job) -> None:
        self._own(EXTEND_LEASE, job, lease_until=self._lease_end())

    def finish(self, job: Job, result: Mapping[str, Any] | None = None) -> None:
        text = None if result is None else encode(result, "the result of a job")
        self._own(FINISH, job, result=text, now=to_micros(self._clock()))

    def fail(self, job: Job, error: str) -> None:
        now = self._clock()
        self._own(FAIL, job, error=error, now=to_micros(now), run_at=to_micros(now + pause_after(job.attempts)))

    def _own(self, sql: str, job: Job, **values: Any) -> None:
        """Change a job if it is still this worker's; in its organisation, so that a handler's transaction can
        include it."""
        own = {"org": job.org, "id": job.id, "worker": job.worker}
        if not self._database.execute(job.org, sql, **own, **values):
            raise LeaseLost(
                f"Job {job.id} was taken over by another worker.",
                hint="Its lease ran out: let handlers finish sooner, or give workers a longer lease.",
            )

    def reclaim(self) -> int:
        """Free the jobs of workers that died; return how many."""
        now = to_micros(self._clock())
        error = "The worker stopped without finishing (its lease ran out)."
        expired = self._database.query(None, SELECT_EXPIRED, now=now)
        return sum(self._database.execute(None, RECLAIM, org=org, id=id, now=now, error=error) for org, id in expired)

    def purge(self, older_than: timedelta) -> int:
        return self._database.execute(None, PURGE, before=to_micros(self._clock() - older_than))

    def waiting(self) -> tuple[int, timedelta, int]:
        """How many jobs are due, how long the oldest has been, and how many are for later."""
        now = self._clock()
        with self._database.read(None) as transaction:
            due, oldest = transaction.query(COUNT_READY, {"now": to_micros(now)})[0]
            (later,) = transaction.query(COUNT_LATER, {"now": to_micros(now)})[0]
        return due, timedelta(0) if oldest is None else now - from_micros(oldest), later

    def count_by_state(self) -> dict[JobState, int]:
        return _by_state(self._database.query(None, COUNT_ALL_BY_STATE))

    def wait(self, seen: int, seconds: float) -> None:
        """Wait until this process commits again after `seen` commits, or that long."""
        self._database.commit_signal.wait(seen, seconds)

    @property
    def commits(self) -> int:
        return self._database.commit_signal.count

    def _lease_end(self) -> int:
        return to_micros(self._clock() + self.lease)


def _by_state(rows: list[Row]) -> dict[JobState, int]:
    found: dict[str, int] = dict(rows)
    return {state: found.get(state.value, 0) for state in JobState}


def _job(row: Row) -> Job:
    values: dict[str, Any] = dict(zip(_FIELDS, row, strict=True))
    for name in ("run_at", "created_at", "updated_at", "lease_until"):
        values[name] = None if values[name] is None else from_micros(values[name])
    for name in ("payload", "result"):
        values[name] = None if values[name] is None else decode(values[name])
    return Job(**{**values, "state": JobState(values["state"])})
