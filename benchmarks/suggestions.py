"""What learning from suggestions costs: recording feedback, the context of a rule, statistics, and forgetting.

    python benchmarks/suggestions.py [--records 1000000] [--rules 1000] [--recent] [--all] [--postgres URL]

Each size has a database of its own. The feedback is made up, from a seed: rules that are liked and disliked, phrases
that recur in different sentences, sentences that recur, comments, and times spread evenly over the last 365 days
(`--recent`: all of them within the 90 days that statistics are asked for). `--all` also clears a rule and derives
everything anew, at the largest size. Goals stand beside what was measured; what is compared takes turns.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import multiprocessing
import random
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import heedful
from heedful.records.clock import to_micros
from heedful.records.event import Event
from heedful.testing import FrozenClock

console = Console(highlight=False)
aside = Console(stderr=True)  # for progress: it does not end up in what is kept of the tables

_SIZES = (1_000, 10_000, 100_000)
_POSTGRES_RECORDS = 100_000
_CHUNK = 10_000
_USERS = 40
_CATEGORIES = (
    "style", "grammar", "terminology", "tone", "inclusive", "clarity", "legal", "formatting", "spelling", "units",
)  # fmt: skip
_REPLACEMENTS = """
    in order to|to; utilise|use; due to the fact that|because; at this point in time|now; in the event that|if;
    a number of|several; prior to|before; subsequent to|after; with regard to|about; make a decision|decide;
    leverage|use; commence|begin; terminate|end; facilitate|help; endeavour|try; in spite of|despite; whilst|while;
    is able to|can; has the ability to|can; for the purpose of|for; on a daily basis|daily; in the near future|soon;
    the majority of|most; a large amount of|much; in close proximity to|near; until such time as|until; very|;
    in addition to|besides; take into consideration|consider; is required to|must; perform an analysis of|analyse;
    provide assistance to|help; whitelist|allow list; blacklist|block list; e-mail|email; log-in|login; setup|set up;
    please note that|; basically|; click on|click; and/or|or; etc.|and so on; data is|data are; less|fewer; which|that;
    can not|cannot; alot|a lot; seperate|separate; occured|occurred; recieve|receive; it's|its; should of|should have;
    10km|10 km; per cent|%; end user|user; going forward|from now on; reach out to|ask; best of breed|good
"""
_WORD_LIST = """
    the a this every our their new old first last customer order invoice report team service account contract page
    list table figure system office manager driver order line price item product region quarter budget plan meeting
    request ticket answer question document section release version server network module feature setting option
    window button file folder record entry field value number total average result change problem cause effect
    is was are were has had will would may should must can shows tells needs wants gives takes makes keeps finds
    sends reads writes opens closes moves starts stops checks counts sorts builds tests ships pays buys sells
    quickly slowly often never always again today tomorrow here there together only also still already soon well
    small large early late clear simple hard easy common rare final open safe local public red green blue
    of in on at by for from with without over under between through during after before and or but because while
"""
_WORDS = _WORD_LIST.split()
_REASONS = (
    "This changes the meaning.", "We always write it this way.", "Legal asked for this wording.", "It is a quote.",
    "too informal for customers", "Too formal for our readers.", "The name of the product is spelled like this.",
    "not a mistake", "It reads worse than before.", "That is the customer's own term.", "Our style guide says no.",
)  # fmt: skip

Fix = dict[str, Any]


class Replacement(NamedTuple):
    old: str
    new: str
    liking: float
    """The share of people who take it."""


@dataclass(frozen=True, slots=True)
class Rule:
    id: str
    name: str
    category: str
    replacements: Sequence[Replacement]
    stock: Sequence[tuple[Replacement, str, str]]
    """Sentences that come again and again, before and after."""
    reasons: Sequence[str]


class Feedback:
    """Feedback as a style checker gathers it. Some rules come up often and most seldom; the same goes for phrases."""

    def __init__(self, rules: int, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._known = [_replacement(pair) for pair in _REPLACEMENTS.split(";")]
        self.rules = [self._rule(number) for number in range(rules)]
        self._weights = list(accumulate(1 / (place + 10) for place in range(rules)))
        self._users = [f"user-{number:02}@example.org" for number in range(_USERS)]
        self._busy = list(accumulate(1 / (place + 5) for place in range(_USERS)))

    def rule(self) -> Rule:
        """Any of them, the frequent ones more often."""
        return self._random.choices(self.rules, cum_weights=self._weights)[0]

    def over(self, count: int, end: datetime, days: int) -> Iterator[Fix]:
        """So many, spread evenly over the days before `end`."""
        for number in range(count):
            yield {**self.one(), "at": end - timedelta(days=days) * ((count - number) / count)}

    def one(self, rule: Rule | None = None) -> Fix:
        random_ = self._random
        rule = rule or self.rule()
        if random_.random() < 0.25:
            replacement, original, suggested = rule.stock[_early(random_, len(rule.stock))]
        else:
            replacement = rule.replacements[_early(random_, len(rule.replacements))]
            if random_.random() < 0.15:  # seen once and never again
                old, new = (" ".join(random_.choices(_WORDS, k=2)) for _ in range(2))
                replacement = Replacement(old, new, replacement.liking)
            original, suggested = self._sentence(replacement)
        fix: Fix = {
            "rule": rule.id,
            "category": rule.category,
            "original": original,
            "suggested": suggested,
            "actor": random_.choices(self._users, cum_weights=self._busy)[0],
            **self._decision(rule, replacement, suggested),
        }
        if random_.random() < 0.85:
            fix["confidence"] = round(min(max(random_.gauss(0.4 + replacement.liking / 2, 0.15), 0.0), 1.0), 2)
        if random_.random() < 0.5:
            fix["rule_name"] = rule.name
        if random_.random() < 0.05:
            fix["bulk"] = True
        return fix

    def _decision(self, rule: Rule, replacement: Replacement, suggested: str) -> Fix:
        random_ = self._random
        if random_.random() < 0.08:
            return {"decision": "skipped"}
        if random_.random() > replacement.liking:
            comment = random_.choice(rule.reasons) if random_.random() < 0.4 else None
            return {"decision": "rejected", "comment": comment}
        if random_.random() < 0.2:
            words = suggested.split()
            if random_.random() < 0.5:
                words.insert(random_.randrange(len(words)), random_.choice(rule.reasons).split()[-1])
            else:
                words[random_.randrange(len(words))] = random_.choice(_WORDS)
            return {"decision": "modified", "final": " ".join(words)}
        return {"decision": "accepted", "final": suggested}

    def _rule(self, number: int) -> Rule:
        random_ = self._random
        liking = random_.betavariate(2.5, 1.5)
        replacements = [
            pair._replace(liking=min(max(random_.gauss(liking, 0.25), 0.02), 0.98))
            for pair in random_.sample(self._known, 12)
        ]
        stock = [(pair, *self._sentence(pair)) for pair in random_.choices(replacements, k=20)]
        return Rule(
            id=f"rule-{number:04}",
            name=f"Prefer {replacements[0].new or 'nothing'} ({number})",
            category=random_.choice(_CATEGORIES),
            replacements=replacements,
            stock=stock,
            reasons=random_.sample(_REASONS, 4),
        )

    def _sentence(self, replacement: Replacement) -> tuple[str, str]:
        words = self._random.choices(_WORDS, k=self._random.randrange(6, 15))
        place = self._random.randrange(1, len(words))
        before, after = " ".join(words[:place]).capitalize(), " ".join(words[place:])
        return f"{before} {replacement.old} {after}.", " ".join(f"{before} {replacement.new} {after}.".split())


def _replacement(pair: str) -> Replacement:
    old, new = pair.strip().split("|")
    return Replacement(" ".join(old.split()), " ".join(new.split()), 0.5)


def _early(random_: random.Random, count: int) -> int:
    """A place; the first ones most often."""
    return int(count * random_.random() ** 2)


@dataclass
class Measured:
    """What was measured at one size, in seconds."""

    records: int
    rules: int
    load: float = 0.0
    bytes: int = 0
    contexts: dict[str, list[float]] = field(default_factory=dict)
    statistics: list[float] = field(default_factory=list)
    singles: dict[str, tuple[list[float], list[float]]] = field(default_factory=dict)
    """heedful, and the raw driver."""


class Calls(NamedTuple):
    """How many of each are timed."""

    contexts: int
    stale: int
    singles: int


RawInsert = Callable[[Event], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000, help="the largest size; smaller ones come before it")
    parser.add_argument("--rules", type=int, default=1_000, help="at most one for ten records")
    parser.add_argument("--recent", action="store_true", help="all feedback within the last 90 days")
    parser.add_argument("--all", action="store_true", help="also clear a rule and rebuild, at the largest size")
    parser.add_argument("--postgres", metavar="URL", help="an empty PostgreSQL database to measure as well")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="a new folder to leave the databases in, to look into"
    )
    arguments = parser.parse_args()
    days = 90 if arguments.recent else 365
    calls = Calls(5_000, 500, 2_000) if arguments.records >= _CHUNK else Calls(1_000, 100, 200)
    with tempfile.TemporaryDirectory() as folder:
        place = arguments.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=place == Path(folder))  # nothing may be in there yet
        measured = []
        for records in [*(size for size in _SIZES if size < arguments.records), arguments.records]:
            file = place / f"{records}.db"
            raw = partial(_raw_sqlite, file, place / f"{records}-raw.db")
            rules = max(1, min(arguments.rules, records // 10))
            measured.append(measure(str(file), records, rules, days, calls, raw, partial(_size, file)))
        show("SQLite", measured, days)
        if arguments.all:
            forgetting(file, measured[-1])
    if arguments.postgres:
        records = min(arguments.records, _POSTGRES_RECORDS)
        url = arguments.postgres
        rules = max(1, min(arguments.rules, records // 10))
        raw, size = partial(_raw_postgres, url), partial(_size_postgres, url)
        show("PostgreSQL", [measure(url, records, rules, days, calls, raw, size)], days)


def measure(
    address: str,
    records: int,
    rules: int,
    days: int,
    calls: Calls,
    raw: Callable[[], RawInsert],
    size: Callable[[], int],
) -> Measured:
    """Everything at one size. What records comes last, and least first: a small database grows by it."""
    clock, feedback = FrozenClock(), Feedback(rules)
    found = Measured(records, rules)
    with heedful.open(address, org="acme", clock=clock) as loop:
        found.load = load(loop, feedback.over(records, clock.now, days), records)
        found.bytes = size()
        with aside.status(f"{records:,} records: reading"):
            found.contexts = contexts(loop, feedback, calls)
            found.statistics = [_timed(partial(loop.measure.statistics, period="90d")) for _ in range(10)]
        with aside.status(f"{records:,} records: reading between recordings"):
            found.contexts |= stale_contexts(loop, feedback, calls)
        with aside.status(f"{records:,} records: recording one by one"):
            insert = raw()
            for texts in (True, False):
                loop.govern.set_privacy(store_original_text=texts)
                found.singles["texts kept" if texts else "texts not kept"] = singles(loop, feedback, calls, insert)
            loop.govern.set_privacy(store_original_text=True)
    return found


def load(loop: heedful.Loop, fixes: Iterator[Fix], records: int) -> float:
    """Seconds of recording, without those of making it up."""
    seconds = 0.0
    with Progress(console=aside, transient=True) as progress:
        task = progress.add_task(f"{records:,} records: recording", total=records)
        while chunk := list(islice(fixes, _CHUNK)):
            seconds += _timed(partial(loop.capture.fixes, chunk))
            progress.advance(task, len(chunk))
    return seconds


def contexts(loop: heedful.Loop, feedback: Feedback, calls: Calls) -> dict[str, list[float]]:
    """The context of a rule: asked for the first time, and again."""
    first = [_timed(partial(loop.apply.rule_context, rule.id)) for rule in feedback.rules]
    again = [_timed(partial(loop.apply.rule_context, feedback.rule().id)) for _ in range(calls.contexts)]
    return {"first time": first, "again": again}


def stale_contexts(loop: heedful.Loop, feedback: Feedback, calls: Calls) -> dict[str, list[float]]:
    """The same when something was recorded since: about another rule, and about the same."""
    times: dict[str, list[float]] = {"after feedback on another": [], "after feedback on the same": []}
    for _ in range(calls.stale):
        for other, samples in zip((True, False), times.values(), strict=True):
            rule = feedback.rule()
            loop.capture.fix(**feedback.one(None if other else rule))
            samples.append(_timed(partial(loop.apply.rule_context, rule.id)))
    return times


def singles(loop: heedful.Loop, feedback: Feedback, calls: Calls, insert: RawInsert) -> tuple[list[float], list[float]]:
    """One decision, durably: a transaction each; and the driver alone with the same event, taking turns."""
    ours, raws = [], []
    for _ in range(calls.singles):
        fix = feedback.one()
        start = time.perf_counter()
        event = loop.capture.fix(**fix)
        ours.append(time.perf_counter() - start)
        raws.append(_timed(partial(insert, event)))
    return ours, raws


def forgetting(file: Path, found: Measured) -> None:
    """Clearing a rule, and deriving everything anew; each in a process of its own, for its memory."""
    table = _table(f"Forgetting and rebuilding at {found.records:,} records", "", "time", "per record", "peak memory")
    for name, call in (("clear of a frequent rule", _clear), ('rebuild(["suggestions"])', _rebuild)):
        with (
            aside.status(name),
            ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as alone,
        ):
            records, seconds, memory = alone.submit(call, str(file)).result()
        each = f"{seconds / records * 1e6:,.0f} µs"
        table.add_row(f"{name} ({records:,} records)", f"{seconds:,.1f} s", each, f"{memory:,.0f} MB")
    console.print(table)


def _clear(address: str) -> tuple[int, float, float]:
    with heedful.open(address, org="acme", clock=FrozenClock()) as loop:
        clearing = loop.govern.clearing(rules=["rule-0001"])
        seconds = _timed(partial(loop.govern.clear, clearing.token))
    return clearing.records, seconds, _peak_memory()


def _rebuild(address: str) -> tuple[int, float, float]:
    read: list[int] = []
    with heedful.open(address, org="acme", clock=FrozenClock()) as loop:
        seconds = _timed(partial(loop.learn.rebuild, ["suggestions"], progress=read.append))
    return sum(read), seconds, _peak_memory()


def show(database: str, measured: Sequence[Measured], days: int) -> None:
    console.print(f"\n{database}: feedback of the last {days} days, {_USERS} people\n")
    _show_load(measured)
    _show_contexts(measured)
    _show_statistics(measured)
    _show_singles(measured)


def _show_load(measured: Sequence[Measured]) -> None:
    table = _table("Recording many, in chunks of 10,000", "records", "rules", "records/s", "bytes a record")
    for found in measured:
        speed, each = found.records / found.load, found.bytes / found.records
        table.add_row(f"{found.records:,}", f"{found.rules:,}", f"{speed:,.0f}", f"{each:,.0f}")
    console.print(table)


def _show_contexts(measured: Sequence[Measured]) -> None:
    title = "The context of a rule (goal: p99 below 2 ms, and within 2x of the smallest)"
    table = _table(title, "asked for", "records", "p50", "p99", "ratio of p50", "of p99")
    for name in measured[0].contexts:
        base = _percentiles(measured[0].contexts[name])
        for found in measured:
            cells = _percentiles(found.contexts[name])
            table.add_row(name, f"{found.records:,}", *map(_ms, cells), *_ratios(base, cells))
        table.add_section()
    console.print(table)


def _show_statistics(measured: Sequence[Measured]) -> None:
    table = _table("Statistics of 90 days (goal: below 100 ms)", "records", "median", "worst")
    for found in measured:
        median, worst = statistics.median(found.statistics), max(found.statistics)
        table.add_row(f"{found.records:,}", f"{median * 1e3:,.1f} ms", f"{worst * 1e3:,.1f} ms")
    console.print(table)


def _show_singles(measured: Sequence[Measured]) -> None:
    title = "One decision, durable (goal: p99 below 1 ms)"
    table = _table(title, "records", "recorded by", "p50", "p99", "ratio of p50", "of p99")
    for found in measured:
        for name, (ours, raws) in found.singles.items():
            base = _percentiles(raws)
            for who, cells in (("raw insert, the same event", base), (f"heedful, {name}", _percentiles(ours))):
                table.add_row(f"{found.records:,}", who, *map(_ms, cells), *_ratios(base, cells))
        table.add_section()
    console.print(table)


def _percentiles(samples: Sequence[float]) -> tuple[float, float]:
    return statistics.median(samples), statistics.quantiles(samples, n=100)[98]


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms"


def _ratios(base: tuple[float, float], other: tuple[float, float]) -> Iterator[str]:
    return (f"{b / a:.2f}x" for a, b in zip(base, other, strict=True))


def _raw_sqlite(file: Path, raw: Path) -> RawInsert:
    """Inserts into a log of the same length, with the same indexes, in a file of its own."""
    connection = sqlite3.connect(raw, isolation_level=None)
    for pragma in ("page_size = 8192", "journal_mode = wal", "synchronous = full", "cache_size = -32768"):
        connection.execute(f"pragma {pragma}")
    connection.execute("attach ? as source", (str(file),))
    schema = connection.execute("select sql from source.sqlite_master where tbl_name = 'feedback_event' and sql <> ''")
    for (statement,) in schema.fetchall():
        connection.execute(statement)
    connection.execute("insert into main.feedback_event select * from source.feedback_event")
    connection.execute("detach source")
    connection.execute("pragma wal_checkpoint(truncate)")
    sql = f"insert into feedback_event values ({','.join('?' * 13)})"

    def insert(event: Event) -> None:
        connection.execute("begin immediate")
        connection.execute(sql, _row(event))
        connection.execute("commit")

    return insert


def _raw_postgres(url: str) -> RawInsert:
    import psycopg  # noqa: PLC0415 - an extra

    connection = psycopg.connect(url, autocommit=True)
    connection.execute("select set_config('heedful.org', 'acme', false)")
    connection.execute("create schema if not exists raw")
    connection.execute("create table raw.feedback_event (like heedful.feedback_event including all)")
    connection.execute("insert into raw.feedback_event select * from heedful.feedback_event")
    sql = f"insert into raw.feedback_event values ({','.join(['%s'] * 13)})"

    def insert(event: Event) -> None:
        connection.execute(sql, _row(event))

    return insert


def _row(event: Event) -> tuple[Any, ...]:
    entity = event.entity or (None, None)
    texts = event.before_json, event.after_json, event.meta_json, None
    return (event.org, event.seq, event.id, event.kind, to_micros(event.at), event.actor, *entity, event.layout, *texts)


def _size(file: Path) -> int:
    with sqlite3.connect(file) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    return file.stat().st_size


def _size_postgres(url: str) -> int:
    import psycopg  # noqa: PLC0415 - an extra

    with psycopg.connect(url) as connection:
        row = connection.execute("select pg_database_size(current_database())").fetchone()
    assert row is not None
    return int(row[0])


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _peak_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    return table


if __name__ == "__main__":
    main()
