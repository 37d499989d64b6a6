"""How fast learnings are found and applied, and how much room they take.

    python benchmarks/learnings.py                        SQLite, 1,000 and 10,000 corrections
    python benchmarks/learnings.py --million URL          also a million on the PostgreSQL at that address

The texts are made up of words as real corrections have them; beyond some thousands, vectors are noisy mixtures of real
ones. With HEEDFUL_DATA, the room is measured on real corrections and rules.
"""

from __future__ import annotations

import sys

from heedful.learnings.table import LearningTable

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import heedful
from heedful.store.vectors import NewVector, packed

VERBS = ("use", "call", "return", "write", "name", "check", "load", "send", "round", "format", "deploy", "test")
_NOUNS = """
    invoice date total vendor customer endpoint client retry timeout branch migration table column query cache token
    header footer button label colour margin summary report greeting address currency discount order shipment
"""
NOUNS = _NOUNS.split()
QUERIES = 200


def corrections(count: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    dice = random.Random(seed)
    for number in range(count):
        verb, first, second, third = dice.choice(VERBS), *dice.sample(NOUNS, 3)
        yield {
            "wrong": f"the {first} {second} is {dice.randrange(1, 5_000)}",
            "right": f"{verb} the {second} of {third}_{number} with {dice.choice(NOUNS)} V{number}",
            "query": f"what about the {first} of the {third}?",
            "about": dice.choice(("billing", "web", "agents", "docs")),
        }


def timed(call: Callable[[int], object], count: int = QUERIES) -> tuple[float, float]:
    """Median and 99th percentile, in milliseconds."""
    took = []
    for number in range(count):
        start = time.perf_counter()
        call(number)
        took.append((time.perf_counter() - start) * 1_000)
    took.sort()
    return statistics.median(took), took[int(len(took) * 0.99)]


def speeds(loop: heedful.Loop, count: int, title: str, console: Console) -> None:
    dice = random.Random(7)
    asked = [
        f"{dice.choice(VERBS)} {dice.choice(NOUNS)} of {dice.choice(NOUNS)} number {n}" for n in range(2 * QUERIES)
    ]
    start = time.perf_counter()
    loop.apply.search("the first search reads all vectors")
    table = Table(title=f"{title}: {count:,} corrections; the first search took {time.perf_counter() - start:.2f} s")
    for column in ("what", "p50 ms", "p99 ms"):
        table.add_column(column, justify="left" if column == "what" else "right")
    chat = loop.conversation(session="bench")

    def turn(number: int) -> None:
        said = f"The {NOUNS[number % 30]} is {number}, and the {NOUNS[(number + 3) % 30]} is kept."
        chat.output(said, query=asked[number])
        chat.message(f"Thanks! Now look at the {NOUNS[number % 29]}, number {number}.")

    def improved(number: int) -> None:
        chat.improve(f"In short: the {NOUNS[number % 30]} total is {number}.", query=asked[number])

    rows: list[tuple[str, Callable[[int], object]]] = [
        ("search, with its vector", lambda n: loop.apply.search(asked[n])),
        ("search again (the text was embedded before)", lambda n: loop.apply.search(asked[n])),
        ("an identifier: V123", lambda n: loop.apply.search(f"V{n * 37 % count}")),
        ("a message that is no correction", turn),
        ("an output improved", improved),
        ("a correction reported", lambda n: loop.capture.correction(f"the fee is {n}", f"the fee is {n}.50, see F{n}")),
    ]
    for name, call in rows:
        median, worst = timed(call)
        table.add_row(name, f"{median:.2f}", f"{worst:.2f}")
    console.print(table)


def filled(loop: heedful.Loop, count: int, console: Console) -> None:
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(f"{count:,} corrections", total=count)

        def watched() -> Iterator[dict[str, Any]]:
            for one in corrections(count):
                progress.advance(task)
                yield one

        loop.capture.corrections(watched())


def filled_quickly(loop: heedful.Loop, count: int, console: Console) -> None:
    """As plain events, with made-up vectors: a million would take an hour to embed."""
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("events", total=count)

        def events() -> Iterator[dict[str, Any]]:
            for one in corrections(count):
                progress.advance(task)
                yield {
                    "kind": "CORRECTION_REPORTED",
                    "entity": ("topic", one["about"]),
                    "before": {"wrong": one["wrong"]},
                    "after": {"right": one["right"]},
                    "meta": {"query": one["query"], "category": "code", "confidence": 0.8, "severity": 0.5},
                }

        loop.capture.events(events())
        task = progress.add_task("vectors", total=count)
        texts = [f"{one['query']} {one['right']}" for one in corrections(500)]
        embedder = loop.learn._outside.embedder
        real = embedder.embed(texts)
        dice, after = np.random.default_rng(3), 0
        while found := LearningTable(loop.store).unembedded(embedder.name, after, 2_000):
            mixed = real[dice.integers(0, len(real), len(found))] + 0.06 * dice.standard_normal((len(found), 384))
            written = [NewVector(one.no, one.said, packed(row)) for one, row in zip(found, mixed, strict=True)]
            with loop.store.recording() as record:
                LearningTable(loop.store).put_vectors(record.transaction, embedder.name, written)
            after = found[-1].no
            progress.advance(task, len(found))


def room(console: Console) -> None:
    folder = os.environ.get("HEEDFUL_DATA")
    if not folder:
        console.print("Room: skipped, because HEEDFUL_DATA is not set.")
        return
    turns = map(orjson.loads, Path(folder, "a_correction_detection", "feedback_turns.jsonl").read_bytes().splitlines())
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "room.db"
        with heedful.open(path, org="acme") as loop:
            chat = loop.conversation(session="bench-17")
            loop.capture.event("WARM_UP")
            loop.store.database.scrub(thoroughly=True)
            before, count = path.stat().st_size, 0
            for turn in turns:
                if turn["label"] != 1:
                    continue
                chat.output(turn["prev_assistant"], query=turn.get("prev_user") or "")
                found = chat.message(turn["user"])
                count += found is not None and not (chat.heard and chat.heard.known)
            loop.store.database.scrub(thoroughly=True)
            _tell_room(loop, count, path.stat().st_size - before, console)


def _tell_room(loop: heedful.Loop, count: int, grown: int, console: Console) -> None:
    parts = {
        "the event, with its words": "select sum(length(id) + length(kind) + coalesce(length(actor), 0) + 24"
        " + length(before) + length(after) + length(meta)) from feedback_event where kind = 'CORRECTION_REPORTED'",
        "the learning's row": "select sum(length(id) + 80) from learning",
        "its vector": "select sum(length(vector) + 40) from learning_vector",
        "its full text": "select sum(length(entries) + length(term) + 12) from posting",
    }
    table = Table(title=f"Room of {count:,} real corrections")
    table.add_column("part")
    table.add_column("bytes each", justify="right")
    with loop.store.database.read("acme") as transaction:
        sizes = {name: transaction.query(sql, {})[0][0] / max(count, 1) for name, sql in parts.items()}
    for name, size in sizes.items():
        table.add_row(name, f"{size:,.0f}")
    table.add_row("together", f"{sum(sizes.values()):,.0f}")
    table.add_row("the file grew by", f"{grown / max(count, 1):,.0f}")
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--million", metavar="URL", help="an empty PostgreSQL database to fill with a million")
    parser.add_argument("--count", type=int, default=1_000_000, help="of these, if not a million")
    given = parser.parse_args()
    console = Console()
    room(console)
    for count in (1_000, 10_000):
        with tempfile.TemporaryDirectory() as made, heedful.open(Path(made) / "bench.db", org="acme") as loop:
            filled(loop, count, console)
            speeds(loop, count, "SQLite", console)
    if given.million:
        with heedful.open(given.million, org="acme") as loop:
            filled_quickly(loop, given.count, console)
            speeds(loop, given.count, "PostgreSQL", console)


if __name__ == "__main__":
    main()
