"""Background jobs: queue, list, retry. `heedful work` runs them."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.errors import Conflict, InvalidInput, NotFound
from heedful.operations import caller, policy
from heedful.operations.operation import operation
from heedful.records import names
from heedful.records.event import Entity
from heedful.records.job import AnyJobState, Job, JobRequest, JobState
from heedful.records.names import Change, Limit, Name
from heedful.records.page import Page, every
from heedful.store import Store
from heedful.store.audit import audit

_SAMPLE = "01a1e111-623b-7104-bf51-3e9548d32c6a"


class Jobs:
    """`loop.jobs`"""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, request: JobRequest) -> Job:
        """Queue a job, or return the unfinished one with the same key."""
        caller.owner_only("queue jobs")
        if not isinstance(request, JobRequest):
            raise InvalidInput(f"A {type(request).__name__} cannot be queued.", hint="Pass heedful.JobRequest(name).")
        return self._store.jobs.put(request)

    @operation("GET /jobs/{id}", policy.JobPolicy.read, example={"id": _SAMPLE}, errors=(NotFound,))
    def get(self, id: Name) -> Job:
        """Show one job."""
        return self._store.jobs.get(names.identifier(id, "job id"))

    @operation("GET /jobs", policy.JobPolicy.read, example={"state": "dead_letter"})
    def page(
        self,
        *,
        state: AnyJobState | None = None,
        name: Name | None = None,
        limit: Limit = 100,
        cursor: Change | None = None,
    ) -> Page[Job]:
        """List jobs, a page at a time, last changed first."""
        if name is not None:
            names.identifier(name, "job name")
        wanted = None if state is None else JobState.of(state)
        return self._store.jobs.page(wanted, name=name, limit=names.page_limit(limit), cursor=cursor)

    def all(
        self,
        *,
        state: AnyJobState | None = None,
        name: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Iterator[Job]:
        """Iterates over all of them, or the first `limit`, reading page by page."""
        return every(self.page, limit, cursor, state=state, name=name)

    @operation("GET /jobs:count", policy.JobPolicy.read)
    def count_by_state(self) -> dict[JobState, int]:
        """Count the jobs in each state."""
        return self._store.jobs.count_by_state()

    @operation("POST /jobs/{id}/retry", policy.JobPolicy.retry, example={"id": _SAMPLE}, errors=(NotFound, Conflict))
    def retry(self, id: Name) -> Job:
        """Retry a failed or dead job now, with all its attempts."""
        with self._store.recording() as record:
            job = self._store.jobs.retry(names.identifier(id, "job id"))
            audit(record, "AUDIT_JOB_RETRIED", Entity("job", job.id), after={"name": job.name})
        return job
