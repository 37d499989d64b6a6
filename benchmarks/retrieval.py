"""How well learnings are found again: terms, meaning and both, on real conversations and on names.

    python benchmarks/retrieval.py [--bare] [--pooled] [--cache FILE]
    python benchmarks/retrieval.py --floor

Each turn of a conversation stands for a learning: who said it and when belongs to its text (`--bare`: only what was
said). Constants were tuned on every other conversation; the halves are told apart. Questions are asked of their own
conversation, with `--pooled` of all conversations at once: there the narrowing of vectors by their signs shows.
A name in a question draws vectors to turns that call that name; speakers of some conversations do it all the time, of
others seldom. So the halves differ for meaning alone, most of all with `--bare`.
Recall is of evidence turns, first without the questions that are meant to mislead, then of all.
`--floor` asks each question of LoCoMo of its own conversation and of another one of the same half, where nothing
answers it: how often is nothing shown, and what is lost where there is something? Only what was said counts (as
`--bare`): names of speakers would give strangers away. Of samples of 5, 20 and 100 turns, then of whole conversations
by heedful itself.
The data are not part of heedful: HEEDFUL_DATA names the folder they are in. Vectors are kept in `--cache`.
Chroma and LangGraph take part when they are installed, with the same embedder.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import hashlib
import os
import random
import re
import sqlite3
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import orjson
from rich.console import Console
from rich.progress import track
from rich.table import Table

import heedful
from heedful.learnings.score_fusion import (
    UNPACKED_IMPACT,
    floor,
    floor_of_the_rest,
    fuse,
    idf,
    impact,
    nearness,
    pack_impact,
)
from heedful.learnings.search import Search as LearningSearch
from heedful.providers.embedder import LocalEmbedder
from heedful.records.embedding import Meaning
from heedful.text.terms import terms

FOLDER = "b_memory_retrieval"
CANDIDATES = 400  # vectors that are compared, the nearest by their signs
VENDORS = 200

console = Console(highlight=False)

Texts = tuple[str, ...]
Search = Callable[[Texts, str, int], list[int]]
"""The texts of one organisation, a question, how many: the places of the texts found, best first."""


class Question(NamedTuple):
    text: str
    evidence: frozenset[int]  # places of turns
    wanted: int  # turns; some are not part of the conversation
    adversarial: bool


class Conversation(NamedTuple):
    texts: Texts
    questions: list[Question]
    tuned: bool


# What is compared


def ours(texts: Texts, query: str, limit: int) -> list[int]:
    """heedful itself, on SQLite."""
    return [int(found.learning.id) for found in _heedful(texts).apply.search(query, limit=limit)]


def terms_alone(texts: Texts, query: str, limit: int) -> list[int]:
    return [key for key, _ in _postings(texts).search(query, limit)]


def meaning_alone(texts: Texts, query: str, limit: int) -> list[int]:
    return [key for key, _ in _stored(texts).search(query, limit)]


def meaning_exact(texts: Texts, query: str, limit: int) -> list[int]:
    return [int(place) for place in np.argsort(-(_exact(texts) @ _vector(query)), kind="stable")[:limit]]


def plain_bm25(texts: Texts, query: str, limit: int) -> list[int]:
    """The textbook's: lower-cased words, k1 1.2, b 0.75, the length that texts here have on average."""
    documents = _plain_words(texts)
    scores: dict[int, float] = defaultdict(float)
    for word in set(re.findall(r"\w+", query.lower())):
        having = documents.having.get(word, [])
        for place, count, length in having:
            scores[place] += (
                idf(len(texts), len(having)) * count * 2.2 / (count + 0.3 + 0.9 * length / documents.average)
            )
    return [place for place, _ in sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:limit]]


def chroma(texts: Texts, query: str, limit: int) -> list[int]:
    found = _chroma(texts).query(query_embeddings=_vector(query)[None], n_results=limit)
    return [int(key) for key in found["ids"][0]]


def langgraph(texts: Texts, query: str, limit: int) -> list[int]:
    return [int(item.key) for item in _langgraph(texts).search(("learnings",), query=query, limit=limit)]


SYSTEMS: dict[str, Search] = {
    "textbook BM25": plain_bm25,
    "terms alone": terms_alone,
    "meaning alone, float32, exact": meaning_exact,
    "meaning alone, as stored": meaning_alone,
    "heedful: terms and meaning": ours,
}
PEERS: dict[str, tuple[str, Search]] = {
    "Chroma": ("chromadb", chroma),
    "LangGraph InMemoryStore": ("langgraph", langgraph),
}


class Postings:
    """Texts by their terms, with impacts as bytes."""

    def __init__(self, texts: Texts) -> None:
        self._rows = len(texts)
        self._having: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, text in enumerate(texts):
            counts = Counter(terms(text))
            for term, count in counts.items():
                self._having[term].append((place, pack_impact(impact(count, counts.total()))))

    def search(self, query: str, limit: int) -> list[tuple[int, float]]:
        scores: dict[int, float] = defaultdict(float)
        for term in dict.fromkeys(terms(query)):
            having = self._having.get(term, [])
            rarity = idf(self._rows, len(having))
            for place, byte in having:
                scores[place] += rarity * UNPACKED_IMPACT[byte]
        return sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:limit]

    def coverage(self, query: str) -> dict[int, float]:
        """How much of the question's words each text has, by what they tell."""
        telling = {term: idf(self._rows, len(self._having.get(term, []))) for term in terms(query)}
        covered: dict[int, float] = defaultdict(float)
        for term, weight in telling.items():
            for place, _ in self._having.get(term, []):
                covered[place] += weight / sum(telling.values())
        return covered


class Vectors:
    """Vectors of eight bits, of which only the nearest by their signs are compared."""

    def __init__(self, texts: Texts) -> None:
        exact = _exact(texts)
        self._signs = np.packbits(exact > 0, axis=1)
        rounded = np.round(127 * exact).astype(np.int8).astype(np.float32)
        self._rounded = rounded / np.linalg.norm(rounded, axis=1, keepdims=True)

    def search(self, query: str, limit: int) -> list[tuple[int, float]]:
        vector = _vector(query)
        apart = np.bitwise_count(self._signs ^ np.packbits(vector > 0)).sum(axis=1)
        near = np.argsort(apart, kind="stable")[:CANDIDATES]
        cosines = self._rounded[near] @ vector
        return [(int(near[at]), float(cosines[at])) for at in np.argsort(-cosines, kind="stable")[:limit]]


class PlainWords(NamedTuple):
    having: dict[str, list[tuple[int, int, int]]]
    average: float


_postings = lru_cache(2)(Postings)
_stored = lru_cache(2)(Vectors)


@lru_cache(2)
def _plain_words(texts: Texts) -> PlainWords:
    having: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    documents = [re.findall(r"\w+", text.lower()) for text in texts]
    for place, words in enumerate(documents):
        for word, count in Counter(words).items():
            having[word].append((place, count, len(words)))
    return PlainWords(having, fmean(len(words) for words in documents))


class _Cached:
    """The local embedder, with vectors from earlier runs."""

    name, dimensions = LocalEmbedder.name, LocalEmbedder.dimensions

    def embed(self, texts: Sequence[str]) -> Any:
        return np.stack([_vector(text) for text in texts])


@lru_cache(2)
def _heedful(texts: Texts) -> heedful.Loop:
    folder = tempfile.mkdtemp(prefix="heedful-retrieval-")
    loop = heedful.open(Path(folder, "heedful.db"), embedder=_Cached())
    loop.capture.events(
        {"kind": "CORRECTION_REPORTED", "after": {"right": text}, "id": str(place)} for place, text in enumerate(texts)
    )
    loop.learn.embed()
    return loop


@lru_cache(2)
def _chroma(texts: Texts) -> Any:
    client = import_module("chromadb").EphemeralClient()
    name = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:40]
    collection = client.get_or_create_collection(
        name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    for start in range(0, len(texts), 1_000):
        places = range(start, min(start + 1_000, len(texts)))
        collection.upsert(ids=[str(place) for place in places], embeddings=_exact(texts)[places.start : places.stop])
    return collection


@lru_cache(2)
def _langgraph(texts: Texts) -> Any:
    def embed(asked: Sequence[str]) -> list[list[float]]:
        return [[float(x) for x in _vector(text)] for text in asked]

    index = {"dims": LocalEmbedder.dimensions, "embed": embed, "fields": ["text"]}
    store = import_module("langgraph.store.memory").InMemoryStore(index=index)
    for place, text in enumerate(texts):  # one by one: a batch with the same text twice is refused
        store.put(("learnings",), str(place), {"text": text})
    return store


# Vectors, kept from run to run


class Cache:
    def __init__(self, file: Path) -> None:
        self._embedder = LocalEmbedder()
        self._rows = sqlite3.connect(file)
        self._rows.execute("CREATE TABLE IF NOT EXISTS vector (sum BLOB PRIMARY KEY, x BLOB) WITHOUT ROWID")

    def vector(self, text: str) -> Any:
        sum = hashlib.sha256(f"{LocalEmbedder.name}\0{text}".encode(errors="replace")).digest()
        row = self._rows.execute("SELECT x FROM vector WHERE sum = ?", (sum,)).fetchone()
        if row:
            return np.frombuffer(row[0], np.float32)
        x = self._embedder.embed([text])[0]
        self._rows.execute("INSERT INTO vector VALUES (?, ?)", (sum, x.tobytes()))
        return x

    def keep(self) -> None:
        self._rows.commit()


_CACHES: list[Cache] = []


@lru_cache(40_000)
def _vector(text: str) -> Any:
    return _CACHES[0].vector(text)


@lru_cache(2)
def _exact(texts: Texts) -> Any:
    return np.stack([_vector(text) for text in texts])


# Questions about conversations


def read(name: str, bare: bool) -> list[Conversation]:
    if not (data := os.environ.get("HEEDFUL_DATA")) or not (folder := Path(data, FOLDER)).is_dir():
        raise SystemExit(f"HEEDFUL_DATA names no folder that has {FOLDER}; it is not part of heedful.")
    asked = defaultdict(list)
    for question in _lines(folder / f"{name}_questions.jsonl"):
        asked[question["conversation_id"]].append(question)
    found = []
    for number, conversation in enumerate(_lines(folder / f"{name}_conversations.jsonl")):
        places = {turn["turn_id"]: place for place, turn in enumerate(conversation["turns"])}
        texts = tuple(turn["text"] if bare else _told(turn) for turn in conversation["turns"])
        questions = [_question(one, places) for one in asked[conversation["conversation_id"]] if one["evidence"]]
        found.append(Conversation(texts, questions, tuned=number % 2 == 0))
    return found


def _lines(file: Path) -> Iterable[dict[str, Any]]:
    return [orjson.loads(line) for line in file.read_bytes().splitlines()]


def _told(turn: dict[str, Any]) -> str:
    when = f"({turn['session_time']}) " if turn.get("session_time") else ""
    shown = f" [{turn['image_caption']}]" if turn.get("image_caption") else ""
    return f"{when}{turn['speaker']}: {turn['text']}{shown}"


def _question(one: dict[str, Any], places: dict[str, int]) -> Question:
    evidence = frozenset(places[turn] for turn in one["evidence"] if turn in places)
    return Question(one["question"], evidence, len(set(one["evidence"])), one["category"] == "adversarial")


def pooled(conversations: list[Conversation]) -> list[Conversation]:
    """All turns in one place; the questions are still about one conversation each."""
    texts = tuple(text for conversation in conversations for text in conversation.texts)
    moved, start = [], 0
    for conversation in conversations:
        questions = [
            one._replace(evidence=frozenset(place + start for place in one.evidence)) for one in conversation.questions
        ]
        moved.append(Conversation(texts, questions, conversation.tuned))
        start += len(conversation.texts)
    return moved


class Marks(NamedTuple):
    """Of one question: the share of the evidence, whether there is any, and how much of what was found is."""

    recall_5: float
    recall_10: float
    hit_5: bool
    hit_10: bool
    precision_5: float
    adversarial: bool
    tuned: bool


def marked(search: Search, conversations: list[Conversation]) -> list[Marks]:
    marks = []
    for conversation in conversations:
        for question in conversation.questions:
            right = [key in question.evidence for key in search(conversation.texts, question.text, 10)]
            five, ten = sum(right[:5]), sum(right)
            marks.append(
                Marks(
                    five / question.wanted, ten / question.wanted, five > 0, ten > 0, five / 5,
                    question.adversarial, conversation.tuned,
                )
            )  # fmt: skip
    return marks


def halves(title: str, locomo: dict[str, list[Marks]], qmsum: dict[str, list[Marks]]) -> None:
    for half, kept in (("tuning half", (True,)), ("held back half", (False,)), ("all", (True, False))):
        table = Table("", title=f"{title}: {half}")
        for column in ("LoCoMo R@5", "R@10", "all R@5", "R@10", "QMSum hit@5", "hit@10", "P@5"):
            table.add_column(column, justify="right")
        for system, marks in locomo.items():
            talks = [one for one in marks if one.tuned in kept]
            plain = [one for one in talks if not one.adversarial]
            meetings = [one for one in qmsum[system] if one.tuned in kept]
            table.add_row(
                system,
                *(f"{fmean(one[place] for one in rows):.3f}" for rows in (plain, talks) for place in (0, 1)),
                *(f"{fmean(one[place] for one in meetings):.3f}" for place in (2, 3, 4)),
            )
        console.print(table)


# The floor: questions about something else


class Silence(NamedTuple):
    """Of one question: the share of the evidence among the first ten, without the floor and with it; and whether
    anything is shown, of the conversation it is about and of another."""

    recall: float
    kept: float
    shown: bool
    shown_elsewhere: bool
    tuned: bool


def silences(conversations: list[Conversation], size: int | None) -> list[Silence]:
    """Each half has two conversations: a question about one is asked of the other as well."""
    found, chance = [], random.Random(1)
    for number, conversation in enumerate(conversations):
        other = conversations[(number + 2) % len(conversations)]
        for question in conversation.questions:
            if question.adversarial or not question.evidence:
                continue
            here, places = _sample(conversation.texts, question.evidence, size, chance)
            there, _ = _sample(other.texts, frozenset(), size, chance)
            nearest, near = _near(here, question.text)
            kept = {places[place] for place in near}
            found.append(
                Silence(
                    len({places[place] for place in nearest} & question.evidence) / question.wanted,
                    len(kept & question.evidence) / question.wanted,
                    bool(near),
                    bool(_near(there, question.text)[1]),
                    conversation.tuned,
                )
            )
    return found


def _sample(texts: Texts, must: frozenset[int], size: int | None, chance: random.Random) -> tuple[Texts, list[int]]:
    """Some turns, those with evidence among them; and where each comes from."""
    if size is None:
        return texts, list(range(len(texts)))
    evidence = sorted(must)[:size]
    others = chance.sample([place for place in range(len(texts)) if place not in must], size - len(evidence))
    places = [*evidence, *others]
    return tuple(texts[place] for place in places), places


def _near(texts: Texts, query: str) -> tuple[list[int], list[int]]:
    """The first ten without the floor, and those above it."""
    if len(texts) > 100:
        found = LearningSearch(_heedful(texts).store).find(query, Meaning(LocalEmbedder.name, _vector(query)), 10)
        near = [int(one.row.state.id) for one in found]
        return near, ours(texts, query, 10)
    words, vectors = Postings(texts), Vectors(texts).search(query, 10)
    cosines = dict(vectors)
    coverage = words.coverage(query)
    ranked = [place for place, _ in fuse(words.search(query, 10), vectors)[:10]]
    least = min(cosines.values())
    close = {place: nearness(cosines.get(place, least), coverage.get(place, 0.0)) for place in ranked}
    if max(close.values()) < floor(len(texts)):
        return ranked, []
    return ranked, [place for place in ranked if close[place] >= floor_of_the_rest(len(texts))]


def floors(conversations: list[Conversation]) -> None:
    table = Table("", title="Questions of LoCoMo, asked of their own conversation and of another one")
    for column in ("R@10 before", "with floor", "nothing, own", "nothing, other"):
        table.add_column(column, justify="right")
    for size in (5, 20, 100, None):
        asked = silences(conversations, size)
        for half, tuned in (("tuning half", True), ("held back half", False)):
            rows = [one for one in asked if one.tuned is tuned]
            table.add_row(
                f"{'all' if size is None else size} turns, {half} ({len(rows)} questions)",
                f"{fmean(one.recall for one in rows):.3f}",
                f"{fmean(one.kept for one in rows):.3f}",
                f"{fmean(not one.shown for one in rows):.1%}",
                f"{fmean(not one.shown_elsewhere for one in rows):.1%}",
            )
    console.print(table)


# Names: a rule for each vendor, which only its number tells from the others

_RULES = (
    "For vendor {} map field Total to amount_due",
    "Invoices of {} state dates as day/month/year",
    "Vendor {} sends credit notes without a minus sign: make the amount negative",
    "Ask the buyer when an order of vendor {} has no cost centre",
    "{} rounds the tax on every line, not on the sum",
)
_LONG = (
    "You are an assistant in accounts payable. Read the attached document and fill in the fields of the form: number, "
    "date, currency, net amount, tax, total and the account to book it to. The document came by mail this morning "
    "from vendor {} and is an invoice for office chairs, delivered in March to the branch in Porto. Check that the sum "
    "of the lines is the total, and tell what is missing. Answer with the fields alone and do not explain them."
)
ASKED = {"vendor V7": "vendor {}", "V7?": "{}", "a question": "what is special about vendor {}?", "a prompt": _LONG}


def names(systems: dict[str, Search]) -> None:
    vendors = [f"V{number}" for number in range(1, VENDORS + 1)]
    texts = tuple(_RULES[place % len(_RULES)].format(vendor) for place, vendor in enumerate(vendors))
    table = Table("", title=f"Names: {VENDORS} rules, each for one vendor; hit@1")
    for column in ASKED:
        table.add_column(column, justify="right")
    for system, search in systems.items():
        hits = [
            fmean(search(texts, form.format(vendor), 1) == [place] for place, vendor in enumerate(vendors))
            for form in ASKED.values()
        ]
        table.add_row(system, *(f"{share:.3f}" for share in hits))
    console.print(table)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--bare", action="store_true", help="only what was said, without who and when")
    options.add_argument("--pooled", action="store_true", help="ask all conversations at once")
    options.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir(), "heedful-retrieval.db"))
    options.add_argument("--floor", action="store_true", help="ask for what is not there")
    chosen = options.parse_args()
    if chosen.floor:
        _CACHES.append(Cache(chosen.cache))
        floors(read("locomo", bare=True))
        _CACHES[0].keep()
        return
    locomo, qmsum = read("locomo", chosen.bare), read("qmsum", chosen.bare)
    _CACHES.append(Cache(chosen.cache))
    for conversation in track([*locomo, *qmsum], "Vectors", console=Console(stderr=True)):
        for text in conversation.texts:
            _vector(text)
        _CACHES[0].keep()
    if chosen.pooled:
        together = pooled([*locomo, *qmsum])
        locomo, qmsum = together[: len(locomo)], together[len(locomo) :]
    systems = SYSTEMS | {name: search for name, (package, search) in PEERS.items() if find_spec(package)}
    for name, (package, _) in PEERS.items():
        if not find_spec(package):
            console.print(f"{name}: not installed")
    talks, meetings = {}, {}
    for system, search in systems.items():
        started = time.perf_counter()
        talks[system], meetings[system] = marked(search, locomo), marked(search, qmsum)
        console.print(f"{system}: {time.perf_counter() - started:.1f} s", style="dim")
    halves("All conversations at once" if chosen.pooled else "Each conversation by itself", talks, meetings)
    names(systems)
    _CACHES[0].keep()


if __name__ == "__main__":
    main()
