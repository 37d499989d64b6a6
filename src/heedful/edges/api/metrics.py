"""Prometheus metrics. All names start with heedful_; event kinds are the only labels that callers choose."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import partial

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from heedful.learnings.events import APPLIED, CONFIRMED, EXTRACTED, MERGED, REPORTED
from heedful.loop import Loop
from heedful.records.correction import Category
from heedful.records.event import Event
from heedful.records.insight import InsightCategory
from heedful.records.job import Job
from heedful.records.learnings import Match
from heedful.records.mining import MINED, MiningOutcome

MEDIA_TYPE = CONTENT_TYPE_LATEST
_KINDS = 200  # callers choose kinds: beyond this many, they are counted together
_LATENCIES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)


class Metrics:
    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each counter, which nobody reads
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        count, measure = partial(Counter, registry=registry), partial(Histogram, registry=registry)
        tenths = [tenth / 10 for tenth in range(1, 16)]  # success can raise relevance above 1
        self._requests = count("heedful_http_requests", "Requests answered", ["method", "route", "status"])
        self._latency = measure("heedful_http_request_seconds", "Time to answer", ["route"], buckets=_LATENCIES)
        self._errors = count("heedful_errors", "Errors returned to callers", ["code"])
        self._sign_ins = count("heedful_sign_in_failures", "Wrong keys and links")
        self._events = count("heedful_events_recorded", "Events recorded here", ["kind"])
        self._jobs = count("heedful_jobs_done", "Jobs done by this process", ["name", "outcome"])
        self._job_seconds = measure("heedful_job_seconds", "Time a job took", ["name"])
        self._detected = count("heedful_corrections_detected", "Corrections detected in messages", ["category"])
        self._applied = count("heedful_corrections_applied", "Corrections applied to outputs")
        relevance = "Relevance of corrections that were found for a question or an output"
        self._relevance = measure("heedful_correction_relevance", relevance, buckets=tenths)
        failed_calls = "Failed calls of a language model or an embedder"
        self._unanswered = count("heedful_models_unanswered", failed_calls, ["model", "code"])
        self._mined = count("heedful_conversations_mined", "Conversations mined, by outcome", ["outcome"])
        self._mining = measure("heedful_mining_seconds", "Time to mine a conversation")
        taught = "Learnings that are new, of conversations that were mined"
        self._taught = measure("heedful_learnings_per_conversation", taught, buckets=(0, 1, 2, 3, 5, 8))
        self._extracted = count("heedful_learnings_extracted", "Learnings found in conversations", ["category"])
        self._duplicates = count("heedful_learning_duplicates", "Learnings that were known already", ["layer"])
        confidence = "Confidence of learnings when they are found"
        self._confidence = measure("heedful_learning_confidence", confidence, buckets=tenths[:10])
        self._kinds: set[str] = set()

    def watch(self, loop: Loop) -> None:
        self._registry.register(_QueueCollector(loop))

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._latency.labels(route).observe(seconds)

    def problem(self, code: str) -> None:
        self._errors.labels(code).inc()

    def sign_in_failed(self) -> None:
        self._sign_ins.inc()

    def recorded(self, events: Sequence[Event]) -> None:
        for kind, count in Tally(event.kind for event in events).items():
            if kind not in self._kinds and len(self._kinds) < _KINDS:
                self._kinds.add(kind)
            self._events.labels(kind if kind in self._kinds else "other").inc(count)
        for event in events:
            if event.kind in (REPORTED, CONFIRMED) and "detected" in (meta := event.meta):
                self._detected.labels(_known(meta.get("category"), Category)).inc()
            elif event.kind == APPLIED and "context" not in event.meta:  # in a context it is only shown
                self._applied.inc()
            elif event.kind in (MINED, EXTRACTED, MERGED):
                self._note_mining(event)

    def _note_mining(self, event: Event) -> None:
        meta = event.meta
        if event.kind == MINED:
            self._mined.labels(MiningOutcome.of(meta.get("outcome")).value).inc()
            self._mining.observe(float(meta.get("seconds", 0.0)))
            self._taught.observe(len(meta.get("learned", ())))
        elif event.kind == EXTRACTED:
            self._extracted.labels(_known(meta.get("category"), InsightCategory)).inc()
            self._confidence.observe(float(meta.get("confidence", 0.0)))
        else:
            self._duplicates.labels(str(meta.get("layer", "other"))).inc()

    def matched(self, matches: Sequence[Match]) -> None:
        for match in matches:
            self._relevance.observe(match.relevance)

    def unanswered(self, model: str, code: str) -> None:
        self._unanswered.labels(model, code).inc()

    def job(self, job: Job, outcome: str, seconds: float) -> None:
        self._jobs.labels(job.name, outcome).inc()
        self._job_seconds.labels(job.name).observe(seconds)

    def text(self) -> bytes:
        return generate_latest(self._registry)


class _QueueCollector(Collector):
    def __init__(self, loop: Loop) -> None:
        self._bench = loop.store.workbench()

    def describe(self) -> Iterator[GaugeMetricFamily]:
        return iter(())  # registering must not query the database

    def collect(self) -> Iterator[GaugeMetricFamily]:
        due, oldest, later = self._bench.waiting()
        waited = "How long the oldest of them has waited"
        yield GaugeMetricFamily("heedful_queue_due_jobs", "Jobs that could be done now", value=due)
        yield GaugeMetricFamily("heedful_queue_oldest_seconds", waited, value=oldest.total_seconds())
        yield GaugeMetricFamily("heedful_queue_later_jobs", "Jobs for later", value=later)
        states = GaugeMetricFamily("heedful_jobs", "Jobs by state", labels=["state"])
        for state, count in self._bench.count_by_state().items():
            states.add_metric([state.value], count)
        yield states


def _known(label: object, labels: type[StrEnum]) -> str:
    """Unknown categories are counted together: each would be a time series."""
    return label if isinstance(label, str) and label in set(labels) else "other"
