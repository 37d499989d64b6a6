"""How often learnings are merged that are not the same, and how often the same is kept twice.

    python benchmarks/duplicates.py [--sample N]

Pairs of sentences that people called the same or not, requests of a bank's customers in groups, pairs of sentences that
contradict each other, and rules for coding assistants as people wrote them. The last have no labels: a sample of what
was called the same and the contrary is printed to be judged by eye. Thresholds were chosen on the tuning part, six in
ten by a hash of the id; the rest was left alone. Sentences are shorter than learnings, and `contradiction` there is
mostly a `no`. The data are not part of heedful: HEEDFUL_DATA names the folder they are in.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import hashlib
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

from heedful.learnings.dedupe import Statement, compared
from heedful.learnings.kind import LearningComparison, Relation
from heedful.providers.embedder import LocalEmbedder

NEIGHBOURS = 20  # that a new learning is compared with
SHOWN = 160  # characters
PARTS: dict[str, tuple[bool, ...]] = {"tuning part": (True,), "held back": (False,), "all": (True, False)}

console = Console(highlight=False)


class Pair(NamedTuple):
    one: str
    other: str
    label: Any
    tuned: bool


class Judged(NamedTuple):
    pair: Pair
    verdict: LearningComparison
    bare: LearningComparison
    """Without vectors."""
    cosine: float


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--sample", type=int, default=25, help="pairs of rules to print of each kind")
    chosen = options.parse_args()
    duplicates(judged(_pairs("d_duplicate_text/pairs.jsonl"), "Pairs"))
    requests()
    contradictions(judged(_pairs("e_contradiction/sick_pairs.jsonl"), "Contradictions"))
    rules(chosen.sample)


# What people called the same


def duplicates(pairs: list[Judged]) -> None:
    labelled = [one for one in pairs if one.pair.label is not None]
    table = _table("Pairs that people called the same", "P", "R", "F1", "AP", "false merges", "missed")
    for part, kept in PARTS.items():
        rows = [one for one in labelled if one.pair.tuned in kept]
        truth = [one.pair.label == 1 for one in rows]
        ap = average_precision([one.cosine for one in rows], truth)
        table.add_row(part, *_marks([one.verdict.relation is Relation.SAME for one in rows], truth, ap))
        plain = [one.cosine > 0.85 for one in rows]
        table.add_row("  cosine above 0.85 alone", *_marks(plain, truth, ap), style="dim")
        plain = [one.bare.relation is Relation.SAME for one in rows]
        table.add_row("  without vectors", *_marks(plain, truth, None), style="dim")
    console.print(table)
    layers(labelled)


def layers(rows: list[Judged]) -> None:
    table = _table("By layer", "same", "of these not", "error", "told apart", "of these the same")
    for layer in ("canonical", "simhash", "meaning", "phrases"):
        merged = [one for one in rows if one.verdict.layer == layer and one.verdict.relation is Relation.SAME]
        apart = [one for one in rows if one.verdict.layer == layer and one.verdict.relation is not Relation.SAME]
        wrong = sum(one.pair.label != 1 for one in merged)
        table.add_row(
            layer, str(len(merged)), str(wrong), f"{wrong / max(1, len(merged)):.1%}",
            str(len(apart)), str(sum(one.pair.label == 1 for one in apart)),
        )  # fmt: skip
    console.print(table)


def _marks(said: Sequence[bool], truth: Sequence[bool], ap: float | None) -> list[str]:
    right = sum(a and b for a, b in zip(said, truth, strict=True))
    wrong, missed = sum(said) - right, sum(truth) - right
    precision, recall, f1 = right / max(1, sum(said)), right / max(1, sum(truth)), 2 * right / (sum(said) + sum(truth))
    false_merges, missing = wrong / max(1, len(truth) - sum(truth)), missed / max(1, sum(truth))
    found = [f"{precision:.3f}", f"{recall:.3f}", f"{f1:.3f}", "" if ap is None else f"{ap:.3f}"]
    return [*found, f"{wrong} ({false_merges:.1%})", f"{missed} ({missing:.1%})"]


def average_precision(scores: Sequence[float], truth: Sequence[bool]) -> float:
    right, total = 0, 0.0
    for rank, place in enumerate(sorted(range(len(scores)), key=lambda at: -scores[at]), start=1):
        if truth[place]:
            right += 1
            total += right / rank
    return total / max(1, right)


# Requests of a bank's customers


def requests() -> None:
    """Merged in their order, each into the first group that has one like it."""
    rows = _lines("d_duplicate_text/banking77_groups.jsonl")
    texts, labels = [row["text"] for row in rows], [row["group_label"] for row in rows]
    cosines = _cosines(texts)

    def same(one: int, other: int) -> bool:
        return (
            compared(_statement(texts[one]), _statement(texts[other]), float(cosines[one, other])).relation
            is Relation.SAME
        )

    table = _table("Requests of a bank's customers", "groups", "P", "R", "pairwise F1", "ARI")
    for name, clusters in (
        ("merged in order", merged(cosines, same)),
        ("cosine above 0.85", merged(cosines, lambda one, other: bool(cosines[one, other] > 0.85))),
        ("cosine above 0.70", merged(cosines, lambda one, other: bool(cosines[one, other] > 0.70))),
    ):
        table.add_row(name, str(len(set(clusters))), *(f"{mark:.3f}" for mark in agreement(clusters, labels)))
    console.print(table)


def merged(cosines: Any, same: Callable[[int, int], bool]) -> list[int]:
    clusters: list[int] = []
    for at in range(len(cosines)):
        near = np.argsort(-cosines[at, :at], kind="stable")[:NEIGHBOURS]
        clusters.append(next((clusters[other] for other in map(int, near) if same(at, other)), at))
    return clusters


def agreement(clusters: Sequence[int], labels: Sequence[str]) -> tuple[float, float, float, float]:
    """Precision, recall and F1 of pairs in one group, and the adjusted Rand index."""

    def within(counts: Iterable[int]) -> float:
        return sum(count * (count - 1) / 2 for count in counts)

    both = within(Counter(zip(clusters, labels, strict=True)).values())
    found, wanted = within(Counter(clusters).values()), within(Counter(labels).values())
    chance = found * wanted / within([len(labels)])
    f1 = 2 * both / (found + wanted)
    return both / max(1, found), both / wanted, f1, (both - chance) / ((found + wanted) / 2 - chance)


# What contradicts


def contradictions(pairs: list[Judged]) -> None:
    table = _table("Contradictions", "P", "R", "F1", "entailed", "neutral", "merged though contrary")
    for part, kept in PARTS.items():
        rows = [one for one in pairs if one.pair.tuned in kept]
        said = Counter(one.pair.label for one in rows if one.verdict.relation is Relation.CONTRARY)
        wanted = [one for one in rows if one.pair.label == "contradiction"]
        right = said["contradiction"]
        precision, recall = right / max(1, said.total()), right / len(wanted)
        swallowed = sum(one.verdict.relation is Relation.SAME for one in wanted)
        table.add_row(
            part, f"{precision:.3f}", f"{recall:.3f}", f"{2 * right / (said.total() + len(wanted)):.3f}",
            str(said["entailment"]), str(said["neutral"]), f"{swallowed} ({swallowed / len(wanted):.1%})",
        )  # fmt: skip
    console.print(table)


# Rules, without labels


def rules(sample: int) -> None:
    texts = [row["text"] for row in _lines("e_contradiction/cursor_rules_unlabelled.jsonl")]
    cosines = _cosines(texts)
    np.fill_diagonal(cosines, -1)
    near = np.argsort(-cosines, axis=1, kind="stable")[:, :NEIGHBOURS]
    pairs = sorted({(min(at, int(to)), max(at, int(to))) for at in range(len(texts)) for to in near[at]})
    started = time.perf_counter()
    found = [(compared(_statement(texts[a]), _statement(texts[b]), float(cosines[a, b])), a, b) for a, b in pairs]
    took = 1e6 * (time.perf_counter() - started) / len(pairs)
    counts = Counter((verdict.relation.value, verdict.layer) for verdict, _, _ in found)
    table = _table(f"{len(texts)} rules, {len(pairs)} pairs of neighbours, {took:.0f} µs each", "pairs")
    for (relation, layer), count in sorted(counts.items()):
        table.add_row(f"{relation} ({layer})", str(count))
    console.print(table)
    for called in (Relation.SAME, Relation.CONTRARY):
        told = [one for one in found if one[0].relation is called and one[0].layer != "canonical"]
        shown = random.Random(1).sample(told, min(sample, len(told)))
        table = Table("cosine", "why", "one", "other", title=f"Called {called.value}", show_lines=True)
        for verdict, a, b in shown:
            why = escape(verdict.reason)
            table.add_row(f"{cosines[a, b]:.2f}", why, escape(texts[a][:SHOWN]), escape(texts[b][:SHOWN]))
        console.print(table)


# Reading


def judged(pairs: list[Pair], what: str) -> list[Judged]:
    embedder = LocalEmbedder()
    found = []
    for pair in track(pairs, what, console=Console(stderr=True)):
        first, second = embedder.embed([pair.one, pair.other])
        one, other, cosine = _statement(pair.one), _statement(pair.other), float(first @ second)
        found.append(Judged(pair, compared(one, other, cosine), compared(one, other, None), cosine))
    return found


def _pairs(file: str) -> list[Pair]:
    return [Pair(row["a"], row["b"], row["label"], _tuned(row["id"])) for row in _lines(file)]


def _tuned(id: str) -> bool:
    return int(hashlib.sha256(id.encode()).hexdigest(), 16) % 10 < 6


def _statement(text: str) -> Statement:
    return Statement("", "", text)


def _cosines(texts: Sequence[str]) -> Any:
    embedder = LocalEmbedder()
    vectors = np.concatenate([embedder.embed([text]) for text in track(texts, "Vectors", console=Console(stderr=True))])
    return vectors @ vectors.T


def _lines(file: str) -> list[dict[str, Any]]:
    data = os.environ.get("HEEDFUL_DATA")
    if not data or not (path := Path(data, file)).is_file():
        raise SystemExit(f"HEEDFUL_DATA names no folder that has {file}; it is not part of heedful.")
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def _table(title: str, *columns: str) -> Table:
    table = Table("", title=title)
    for column in columns:
        table.add_column(column, justify="right")
    return table


if __name__ == "__main__":
    main()
