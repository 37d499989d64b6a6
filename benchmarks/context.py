"""How fast a context is composed from all kinds of learnings, beside peers, and how much of what is returned matters.

    python benchmarks/context.py                   10,000 learnings on SQLite, beside mem0, LangGraph's store and Chroma
    python benchmarks/context.py --large URL       also a million on the empty PostgreSQL at that address, without peers

All have the same data and the same embedder, the one that heedful brings along, and take turns with every question.
The time of the embedder is shown apart; nothing is remembered from one call to the next. heedful also records what was
given, so that outcomes can be measured; the others only search. Peers that are not installed are skipped. To have them,
make an environment of its own:

    python -m venv /tmp/peers && /tmp/peers/bin/pip install . rich mem0ai langgraph chromadb
    /tmp/peers/bin/python benchmarks/context.py

The questions are those of the cases in `benchmarks/cases`, whose corrections are recorded among the learnings. Peers
get the raw exchanges and return the five nearest. The cases were seen while heedful was written.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

import numpy as np
import orjson
from rich.console import Console
from rich.progress import track
from rich.table import Table

import heedful
from heedful.learnings.embedding import embed_missing
from heedful.learnings.table import LearningTable
from heedful.providers import embedder as embedders
from heedful.providers import onnx
from heedful.records.context import Context
from heedful.records.language import estimate
from heedful.settings import Settings
from heedful.store.vectors import NewVector, packed

CASES = Path(__file__).parent / "cases"
FILES = (CASES / "seen" / "a.jsonl", CASES / "plain" / "seen" / "p.jsonl")
SHARES = (0.60, 0.15, 0.10, 0.15)  # of corrections, insights, patterns and mappings; and some rules
RULES = 60
AGENTS = ("coder", "tester", "writer")
STYLES = 40  # rules of suggestions, each with patterns
NEAREST = 5
BUDGET = 800
WARM = 5  # calls that are not counted
VERBS = ("use", "call", "return", "write", "name", "check", "load", "send", "round", "format", "deploy", "test")
_NOUNS = """
    invoice date total vendor customer endpoint client retry timeout branch migration table column query cache token
    header footer button label colour margin summary report greeting address currency discount order shipment
"""
NOUNS = _NOUNS.split()
ABOUT = ("billing", "web", "agents", "docs")


Clock = Callable[[], float]


class Question(NamedTuple):
    asked: str
    case: int | None
    """The case that matters for it; None if none does."""


class Found(NamedTuple):
    cases: list[int | None]
    """Of each thing returned, the case that it is from; None for another learning."""
    tokens: int


# Learnings of all kinds


def learnings(count: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """As events: nobody has the time to say so much."""
    dice = random.Random(seed)
    makers = (correction, insight, pattern, mapping)
    for number, made in enumerate(dice.choices(makers, SHARES, k=count)):
        yield made(number, dice)


def correction(number: int, dice: random.Random) -> dict[str, Any]:
    first, second, third = dice.sample(NOUNS, 3)
    right = f"{dice.choice(VERBS)} the {second} of {third}_{number} with {dice.choice(NOUNS)} V{number}"
    return {
        "kind": "CORRECTION_REPORTED",
        "entity": ("topic", dice.choice(ABOUT)),
        "before": {"wrong": f"the {first} {second} is {dice.randrange(1, 5_000)}"},
        "after": {"right": right},
        "meta": {"query": f"what about the {first} of the {third}?", "category": "code", "confidence": 0.8},
    }


def insight(number: int, dice: random.Random) -> dict[str, Any]:
    first, second, third = dice.sample(NOUNS, 3)
    statement = f"{dice.choice(VERBS)} the {first} before the {second} of step {number}, because the {third} needs it"
    return {
        "kind": "INSIGHT_EXTRACTED",
        "entity": ("conversation", f"talk-{number}"),
        "after": {"title": f"The {first} and the {second}", "content": {"description": statement}, "tags": [third]},
        "meta": {"category": "best_practice", "confidence": 0.8, "project": dice.choice(ABOUT)},
    }


def pattern(number: int, dice: random.Random) -> dict[str, Any]:
    first, second = dice.sample(NOUNS, 2)
    counts = {"accepted": dice.randrange(3, 30), "modified": 0, "rejected": 0, "people": 3}
    return {
        "kind": "PATTERN_COUNTED",
        "entity": ("rule", f"style-{number % STYLES}"),
        "before": {"text": f"{dice.choice(VERBS)} the {first} number {number}"},
        "after": {"text": f"{dice.choice(VERBS)} {second} {number}"},
        "meta": {"category": "wanted", "confidence": 0.7, "counts": counts, "pattern": f"pattern-{number}"},
    }


def mapping(number: int, dice: random.Random) -> dict[str, Any]:
    customer = f"C-{number % 200}"
    key = f"{dice.choice(NOUNS)}-{number}"
    return {
        "kind": "MAPPING_LEARNED",
        "entity": ("mapping_key", f"key-{number}"),
        "after": {"type": "sku", "customer": customer, "key": key, "value": f"SKU {number} {dice.choice(NOUNS)}"},
        "meta": {"category": "sku"},
    }


def adopt_rules(loop: heedful.Loop) -> None:
    dice = random.Random(5)
    for number in range(RULES):
        first, second = dice.sample(NOUNS, 2)
        words = f"{dice.choice(VERBS).capitalize()} the {first} of number {number} together with its {second}."
        made = loop.govern.proposals.propose(words, agents=[AGENTS[number % len(AGENTS)]], by="lee")
        for person in ("kim", "mara"):
            loop.govern.proposals.approve(made.id, by=person)


def embed_quickly(loop: heedful.Loop, embedder: TimedEmbedder) -> None:
    """Noisy mixtures of real vectors: a million would take an hour to embed."""
    table, after, dice = LearningTable(loop.store), 0, np.random.default_rng(3)
    some = [one.text for one in table.unembedded(embedder.name, 0, 2_000)]
    real = embedder.embed(some)
    while found := table.unembedded(embedder.name, after, 2_000):
        mixed = real[dice.integers(0, len(real), len(found))] + 0.06 * dice.standard_normal((len(found), 384))
        written = [NewVector(one.no, one.said, packed(row)) for one, row in zip(found, mixed, strict=True)]
        with loop.store.recording() as record:
            table.put_vectors(record.transaction, embedder.name, written)
        after = found[-1].no


# Watches


@dataclass(slots=True)
class Stopwatch:
    now: Clock
    seconds: float = 0.0
    _depth: int = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        self._depth += 1
        started = self.now()
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self.seconds += self.now() - started

    def taken(self) -> float:
        """The seconds since the last time it was asked."""
        seconds, self.seconds = self.seconds, 0.0
        return seconds


class TimedEmbedder:
    """heedful's own, for all. It remembers texts that were given to it while the stores were filled."""

    name, dimensions = embedders.LocalEmbedder.name, embedders.LocalEmbedder.dimensions

    def __init__(self, now: Clock) -> None:
        self.watch = Stopwatch(now)
        self.known: dict[str, Any] = {}
        self.filling = True
        self._own = embedders.LocalEmbedder()

    def embed(self, texts: Sequence[str]) -> Any:
        with self.watch.running():
            if not self.filling:
                return self._own.embed(texts)
            new = [text for text in texts if text not in self.known]
            self.known.update(zip(new, self._own.embed(new), strict=True))
            return np.stack([self.known[text] for text in texts])

    def forget(self) -> None:
        """Otherwise only the first store that is asked would pay for a question."""
        onnx.once(embedders._FOLDER, embedders._loaded)._recent.cache_clear()


def time_recording(loop: heedful.Loop, now: Clock) -> Stopwatch:
    watch, recording = Stopwatch(now), loop.store.recording

    @contextmanager
    def timed() -> Iterator[Any]:
        with watch.running(), recording() as record:
            yield record

    loop.store.recording = timed  # type: ignore[method-assign]
    return watch


# Peers


class Peer(Protocol):
    name: str

    def fill(self, texts: Sequence[str]) -> None: ...

    def search(self, asked: str) -> list[str]:
        """The texts returned."""


class Mem0:
    name = "mem0"

    def __init__(self, embedder: TimedEmbedder, folder: Path) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ.setdefault("MEM0_DIR", str(folder / "mem0"))
        from mem0 import Memory  # type: ignore[import-not-found]  # noqa: PLC0415

        store = {"path": str(folder / "qdrant"), "collection_name": "c", "embedding_model_dims": 384, "on_disk": True}
        no_key = {"provider": "openai", "config": {"api_key": "unused"}}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "llm": no_key,
                "embedder": no_key,
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _AsMem0(embedder)

    def fill(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._memory.add(text, user_id="dana", infer=False)

    def search(self, asked: str) -> list[str]:
        found = self._memory.search(asked, filters={"user_id": "dana"}, top_k=NEAREST)
        return [one["memory"] for one in found["results"]]


class _AsMem0:
    class config:  # noqa: N801 - as mem0 reads it
        embedding_dims = 384

    def __init__(self, embedder: TimedEmbedder) -> None:
        self._embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        return [*map(float, self._embedder.embed([text])[0])]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:  # noqa: ARG002
        return [[*map(float, row)] for row in self._embedder.embed(texts)]


class LangGraph:
    name = "LangGraph's store"

    def __init__(self, embedder: TimedEmbedder, folder: Path) -> None:  # noqa: ARG002
        from langgraph.store.memory import InMemoryStore  # type: ignore[import-not-found]  # noqa: PLC0415

        def embed(texts: Sequence[str]) -> list[list[float]]:
            return [[*map(float, row)] for row in embedder.embed(texts)]

        self._store = InMemoryStore(index={"dims": 384, "embed": embed, "fields": ["text"]})

    def fill(self, texts: Sequence[str]) -> None:
        for number, text in enumerate(texts):
            self._store.put(("dana",), str(number), {"text": text})

    def search(self, asked: str) -> list[str]:
        return [one.value["text"] for one in self._store.search(("dana",), query=asked, limit=NEAREST)]


class Chroma:
    name = "Chroma"

    def __init__(self, embedder: TimedEmbedder, folder: Path) -> None:
        os.environ["ANONYMIZED_TELEMETRY"] = "False"
        import chromadb  # type: ignore[import-not-found]  # noqa: PLC0415

        space: Any = {"hnsw": {"space": "cosine"}}
        client = chromadb.PersistentClient(path=str(folder / "chroma"))
        self._texts = client.create_collection("learnings", embedding_function=None, configuration=space)
        self._embedder = embedder

    def fill(self, texts: Sequence[str]) -> None:
        for start in range(0, len(texts), 1_000):
            some = list(texts[start : start + 1_000])
            ids = [str(start + number) for number in range(len(some))]
            whose: Any = [{"user": "dana"}] * len(some)
            self._texts.add(ids=ids, documents=some, embeddings=self._embedder.embed(some), metadatas=whose)

    def search(self, asked: str) -> list[str]:
        vector = self._embedder.embed([asked])
        found = self._texts.query(query_embeddings=vector, n_results=NEAREST, where={"user": "dana"})
        return list((found["documents"] or [[]])[0])


def installed(console: Console, embedder: TimedEmbedder, folder: Path) -> list[Peer]:
    peers: list[Peer] = []
    for made in (Mem0, LangGraph, Chroma):
        try:
            peers.append(made(embedder, folder))
        except ImportError as error:
            console.print(f"Skipped: {made.name}, because {error.name} is not installed. See --help.")
    return peers


# Measuring


@dataclass(slots=True)
class Measured:
    name: str
    seconds: list[float] = field(default_factory=list)
    embedding: list[float] = field(default_factory=list)
    parts: dict[str, list[float]] = field(default_factory=dict)
    found: list[tuple[Question, Found]] = field(default_factory=list)

    @property
    def rest(self) -> list[float]:
        return [whole - part for whole, part in zip(self.seconds, self.embedding, strict=True)]


def ms(seconds: Sequence[float], share: float) -> float:
    return 1_000 * float(np.quantile(seconds, share))


class Bench:
    """Asks everybody the same questions, in turns."""

    def __init__(self, loop: heedful.Loop, embedder: TimedEmbedder) -> None:
        self._loop, self._embedder, self._now = loop, embedder, embedder.watch.now
        recording = time_recording(loop, self._now)
        self._watches = {"embedding": embedder.watch, "recording": recording}

    def run(self, ways: dict[str, Callable[[str], Found]], questions: Sequence[Question]) -> list[Measured]:
        measured = {name: Measured(name) for name in ways}
        warm = min(WARM, len(questions) // 2)
        for number, question in enumerate(track(questions, "asking", transient=True)):
            for name, way in ways.items():
                self._one(measured[name], way, question, counts=number >= warm)
        return list(measured.values())

    def _one(self, result: Measured, way: Callable[[str], Found], question: Question, *, counts: bool) -> None:
        self._embedder.forget()
        for watch in self._watches.values():
            watch.taken()
        started = self._now()
        found = way(question.asked)
        seconds = self._now() - started
        result.found.append((question, found))
        if counts:
            result.seconds.append(seconds)
            for part, watch in self._watches.items():
                result.parts.setdefault(part, []).append(watch.taken())
            result.embedding.append(result.parts["embedding"][-1])

    def contexts(self, cases: dict[str, int]) -> dict[str, Callable[[str], Found]]:
        context = self._loop.apply.context

        def found(given: Context) -> Found:
            return Found([cases.get(piece.id) for piece in given.pieces], given.tokens)

        def all_kinds(asked: str) -> Found:
            return found(context(asked, agent="coder", user="dana", about="billing", rule="style-3", budget=BUDGET))

        return {
            "heedful": lambda asked: found(context(asked, budget=BUDGET)),
            "heedful, for agent, user, topic and rule": all_kinds,
        }


def searching(peer: Peer, cases: dict[str, int]) -> Callable[[str], Found]:
    def search(asked: str) -> Found:
        texts = peer.search(asked)
        return Found([cases.get(text) for text in texts], sum(map(estimate, texts)))

    return search


def speeds(title: str, measured: Sequence[Measured]) -> Table:
    shown = Table(title=title, title_justify="left")
    for name in ("ms per question", "p50", "p95", "p99", "without embedding: p50", "p95", "p99", "p50 by heedful's"):
        shown.add_column(name, justify="left" if name == "ms per question" else "right")
    first = ms(measured[0].rest, 0.5)
    for one in measured:
        whole = [f"{ms(one.seconds, share):.1f}" for share in (0.5, 0.95, 0.99)]
        rest = [f"{ms(one.rest, share):.1f}" for share in (0.5, 0.95, 0.99)]
        shown.add_row(one.name, *whole, *rest, f"{ms(one.rest, 0.5) / first:.2f}")
    return shown


def parts(measured: Sequence[Measured]) -> Table:
    shown = Table(title="Where heedful's time goes: mean and p99, ms", title_justify="left")
    for name in ("", "embedding", "recording", "search and composing"):
        shown.add_column(name, justify="left" if not name else "right")
    for one in measured:
        known = [one.parts[part] for part in ("embedding", "recording")]
        other = [whole - sum(some) for whole, *some in zip(one.seconds, *known, strict=True)]
        shown.add_row(one.name, *(f"{1_000 * mean(part):.1f}, {ms(part, 0.99):.1f}" for part in (*known, other)))
    return shown


def returned(measured: Sequence[Measured]) -> Table:
    shown = Table(title="What is returned", title_justify="left")
    headings = ("", "the one that matters (recall)", "of what is returned, it matters (precision)")
    for name in (*headings, "returned where nothing matters", "tokens"):
        shown.add_column(name, justify="left" if not name else "right")
    for one in measured:
        mattering = [(question.case, found) for question, found in one.found if question.case is not None]
        nothing = [found for question, found in one.found if question.case is None]
        recall = mean(case in found.cases for case, found in mattering)
        right = sum(found.cases.count(case) for case, found in mattering)
        precision = right / max(1, sum(len(found.cases) for _, found in one.found))
        shown.add_row(
            one.name,
            f"{recall:.2f}",
            f"{precision:.2f}",
            f"{mean(len(found.cases) for found in nothing):.1f}",
            f"{mean(found.tokens for _, found in one.found):.0f}",
        )
    return shown


# The run


def said(loop: heedful.Loop) -> tuple[list[Question], dict[str, int], dict[str, int]]:
    """The questions of the cases, and their corrections by id and by exchange."""
    questions, by_id, by_exchange = list[Question](), dict[str, int](), dict[str, int]()
    cases = [orjson.loads(line) for file in FILES for line in file.read_bytes().splitlines()]
    for number, case in enumerate(cases):
        result = loop.capture.message(
            case["message"], last_output=case["output"], query=case["question"] or None, id=f"case-{number}"
        )
        if result.correction is not None:
            by_id[result.correction.id] = number
        by_exchange["\n".join(filter(None, (case["question"], case["output"], case["message"])))] = number
        if case["correction"] and case["later_question"]:
            questions.append(Question(case["later_question"], number))
        if case["near_question"]:
            questions.append(Question(case["near_question"], None))
    random.Random(2).shuffle(questions)
    return questions, by_id, by_exchange


def measure(console: Console, address: str, count: int, options: argparse.Namespace, *, large: bool) -> None:
    now = time.process_time if options.cpu else time.perf_counter
    embedder = TimedEmbedder(now)
    settings = Settings("", llm=())
    with (
        TemporaryDirectory() as folder,
        heedful.open(address, org="bench", settings=settings, embedder=embedder) as loop,
    ):
        with console.status(f"recording {count:,} learnings"):
            loop.capture.events(learnings(count))
            embed_quickly(loop, embedder) if large else embed_missing(loop.store, embedder)
            texts = list(embedder.known)
            adopt_rules(loop)
            questions, by_id, by_exchange = said(loop)
        bench = Bench(loop, embedder)
        ways = bench.contexts(by_id)
        for peer in () if large else installed(console, embedder, Path(folder)):
            with console.status(f"filling {peer.name}"):
                started = time.perf_counter()
                peer.fill([*texts, *by_exchange])
            console.print(f"{peer.name} was filled in {time.perf_counter() - started:.0f} s.")
            ways[peer.name] = searching(peer, by_exchange)
        embedder.filling = False
        measured = bench.run(ways, questions[: options.questions])
    where = "PostgreSQL" if large else "SQLite"
    goal = "p99 60 ms" if large else "p50 10 ms, p99 30 ms"
    timed = "processor time" if options.cpu else "time"
    title = f"{count:,} learnings of all kinds on {where}, {len(measured[0].seconds)} questions, {timed} (goal: {goal})"
    console.print(speeds(title, measured), parts(measured[:2]), returned([measured[0], *measured[2:]]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="learnings on SQLite; 0 for none")
    parser.add_argument("--questions", type=int, help="the number of questions, the first ones")
    parser.add_argument("--cpu", action="store_true", help="processor time, on a machine that others use as well")
    parser.add_argument("--large", metavar="URL", help="an empty PostgreSQL database to fill with a million")
    parser.add_argument("--large-count", type=int, default=1_000_000, help="of these, if not a million")
    options = parser.parse_args()
    console = Console()
    if options.count:
        with TemporaryDirectory() as folder:
            measure(console, f"{folder}/bench.db", options.count, options, large=False)
    if options.large:
        measure(console, options.large, options.large_count, options, large=True)


if __name__ == "__main__":
    main()
