"""What capturing costs: the raw driver beside heedful, in one run, as ratios.

    python benchmarks/capture.py [--events 1000000] [--postgres URL]

Times are medians, and what is compared alternates, so a noisy neighbour disturbs both sides.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import gc
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table

import heedful
from heedful.testing import sample_acts

console = Console(highlight=False)
_BARE = """
create table feedback_event (
    org_id text not null, seq integer not null, id text not null, kind text not null, at integer not null,
    actor text, entity_kind text, entity_id text, layout text,
    before text not null, after text not null, meta text not null,
    primary key (org_id, seq)
) without rowid
"""
_INDEXES = (
    "create unique index i1 on feedback_event (org_id, id)",
    "create index i2 on feedback_event (org_id, kind, seq)",
    "create index i3 on feedback_event (org_id, actor, seq) where actor is not null",
    "create index i4 on feedback_event (org_id, entity_id, entity_kind, seq) where entity_id is not null",
    "create index i5 on feedback_event (org_id, layout, seq) where layout is not null",
)
_INSERT = f"insert into feedback_event values ({','.join('?' * 12)})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000, help="size of the large log")
    parser.add_argument("--postgres", metavar="URL", help="an empty PostgreSQL database to measure as well")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        growth(place, arguments.events)
        one_event(place)
        batch(place)
    if arguments.postgres:
        postgres(arguments.postgres)


def one_event(place: Path, count: int = 2_000) -> None:
    """One event, durably: a transaction with its fsync each time."""
    acts = list(sample_acts(count))
    bare, indexed = _raw(place / "bare.db", ()), _raw(place / "indexed.db", _INDEXES)
    loop = heedful.open(place / "one.db", org="acme")
    times: dict[str, list[float]] = {"raw sqlite3, bare table": [], "raw sqlite3, same indexes": [], "heedful": []}
    for number, act in enumerate(acts):
        row = _row(number, act)
        times["raw sqlite3, bare table"].append(_timed(partial(_insert, bare, row)))
        times["raw sqlite3, same indexes"].append(_timed(partial(_insert, indexed, row)))
        times["heedful"].append(_timed(partial(loop.capture.event, **act)))
    loop.close()
    table = _table("One event, durable (fsync), with its counters", "", "median", "p99", "ratio to bare raw")
    base = statistics.median(times["raw sqlite3, bare table"])
    for name, samples in times.items():
        median = statistics.median(samples)
        p99 = statistics.quantiles(samples, n=100)[98]
        table.add_row(name, f"{median * 1e6:,.0f} µs", f"{p99 * 1e6:,.0f} µs", f"{median / base:.2f}x")
    console.print(table)


def batch(place: Path, count: int = 200_000, chunk: int = 10_000) -> None:
    """Many events: chunks of 10,000, each a durable transaction. CPU time is what remains on a quiet machine."""
    acts = list(sample_acts(count))
    rows = [_row(number, act) for number, act in enumerate(acts)]
    gc.freeze()  # a program that hands over what it reads does not hold it all, so neither should the collector
    names = ("raw sqlite3, bare table", "raw sqlite3, same indexes", "heedful")
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for turn in range(5):
        for name, indexes in zip(names[:2], ((), _INDEXES), strict=True):
            connection = _raw(place / f"{name[-7:]}{turn}.db", indexes)
            costs[name].append(_cost(partial(_insert_many, connection, rows, chunk)))
            connection.close()
        with heedful.open(place / f"batch{turn}.db", org="acme") as loop:
            costs["heedful"].append(_cost(partial(loop.capture.events, acts)))
    table = _table(f"A batch of {count:,} events", "", "median events/s", "best", "CPU per event", "ratio of time")
    base = statistics.median(seconds for seconds, _ in costs[names[1]])
    for name, samples in costs.items():
        median = statistics.median(seconds for seconds, _ in samples)
        best = min(seconds for seconds, _ in samples)
        cpu = statistics.median(cpu for _, cpu in samples) / count * 1e6
        table.add_row(name, f"{count / median:,.0f}", f"{count / best:,.0f}", f"{cpu:.1f} µs", f"{median / base:.2f}x")
    console.print(table)


def growth(place: Path, large: int) -> None:
    """Listing, counters and memory: a small log beside a large one."""
    small = 1_000
    with heedful.open(place / "growth.db", org="small") as small_loop:
        small_loop.capture.events(sample_acts(small))
        large_loop = small_loop.org("large")
        tenth = large // 10
        large_loop.capture.events(sample_acts(tenth))
        peaks = [_peak_memory()]
        large_loop.capture.events(
            _with_progress(sample_acts(large - tenth, seed=2, start=_end(large_loop)), large - tenth)
        )
        peaks.append(_peak_memory())
        for _ in large_loop.events():
            pass
        peaks.append(_peak_memory())
        table = _table(f"{small:,} events beside {large:,}", "", f"at {small:,}", f"at {large:,}", "ratio")
        for name, call in _questions().items():
            a, b = _compare(partial(call, small_loop), partial(call, large_loop))
            table.add_row(name, f"{a * 1e6:,.0f} µs", f"{b * 1e6:,.0f} µs", f"{b / a:.2f}x")
        console.print(table)
        console.print(
            f"Peak memory: {peaks[0]:,.0f} MB at {tenth:,} events, {peaks[1]:,.0f} MB at {large:,}, "
            f"{peaks[2]:,.0f} MB after listing them all.\n"
        )


def _end(loop: heedful.Loop) -> datetime:
    (latest,) = loop.events(newest_first=True, limit=1)
    return latest.at


def _questions() -> dict[str, Callable[[heedful.Loop], object]]:
    def newest(**wanted: Any) -> Callable[[heedful.Loop], object]:
        return lambda loop: list(loop.events(newest_first=True, limit=10, **wanted))

    def last_hour(loop: heedful.Loop) -> object:
        (latest,) = loop.events(newest_first=True, limit=1)
        return list(loop.events(since=latest.at - timedelta(hours=1), kind="MAPPING_CONFIRMED", limit=10))

    def one_day(loop: heedful.Loop) -> object:
        (latest,) = loop.events(newest_first=True, limit=1)
        return loop.measure.activity(since=latest.at.date())

    return {
        "newest 10": newest(),
        "newest 10 of a kind": newest(kind="MAPPING_CONFIRMED"),
        "newest 10 of a person": newest(actor="dana"),
        "newest 10 of a layout": newest(layout="layout-07"),
        "all of one entity": lambda loop: list(loop.events(entity=("draft_line", "draft-000007-line-1"))),
        "a kind in the last hour": last_hour,
        "counters of a day": one_day,
        "recording one event": lambda loop: loop.capture.event("MAPPING_CONFIRMED", actor="dana"),
    }


def postgres(url: str, count: int = 1_000) -> None:
    """The same on PostgreSQL, as reached from here."""
    acts = list(sample_acts(50_000))
    with heedful.open(url, org="acme") as loop:
        single = statistics.median(_timed(partial(loop.capture.event, **act)) for act in acts[:count])
        rate = len(acts) / _timed(partial(loop.capture.events, acts))
    console.print(f"PostgreSQL: one event {single * 1e6:,.0f} µs, a batch {rate:,.0f} events/s\n")


def _raw(path: Path, indexes: Iterable[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = full")
    for statement in (_BARE, *indexes):
        connection.execute(statement)
    return connection


def _row(number: int, act: dict[str, Any]) -> tuple[Any, ...]:
    payloads = [orjson.dumps(act.get(name) or {}).decode() for name in ("before", "after", "meta")]
    at = int(act["at"].timestamp() * 1e6)
    identity = (f"01a1e111-623b-7104-bf51-{number:012d}", act["kind"], at, act["actor"])
    return ("acme", number, *identity, *act["entity"], act.get("layout"), *payloads)


def _insert(connection: sqlite3.Connection, row: tuple[Any, ...]) -> None:
    connection.execute("begin immediate")
    connection.execute(_INSERT, row)
    connection.execute("commit")


def _insert_many(connection: sqlite3.Connection, rows: list[tuple[Any, ...]], chunk: int) -> None:
    for start in range(0, len(rows), chunk):
        connection.execute("begin immediate")
        connection.executemany(_INSERT, rows[start : start + chunk])
        connection.execute("commit")


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _cost(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and seconds of computing."""
    cpu = time.process_time()
    seconds = _timed(call)
    return seconds, time.process_time() - cpu


def _compare(first: Callable[[], object], second: Callable[[], object], rounds: int = 300) -> tuple[float, float]:
    """Medians of two calls that take turns."""
    times = [(_timed(first), _timed(second)) for _ in range(rounds)]
    return statistics.median(t[0] for t in times), statistics.median(t[1] for t in times)


def _with_progress(acts: Iterator[dict[str, Any]], total: int) -> Iterator[dict[str, Any]]:
    """Shows how far it is, without a bar that would cost as much as recording."""
    done = 0
    while chunk := list(islice(acts, 10_000)):
        yield from chunk
        done += len(chunk)
        print(f"\rrecording {done:,} of {total:,}", end="" if done < total else "\r" + " " * 50 + "\r", file=sys.stderr)


def _peak_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    return table


if __name__ == "__main__":
    main()
