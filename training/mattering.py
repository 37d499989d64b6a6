"""Learn how probable it is that a correction matters for a question, and print how good that is.

    python -m training.mattering [--folds 5]

It learns from corrections that the embedder was not trained on: the tenth of `exchanges/` that was held out, and the
cases that were looked at (`cases.py`). Each names later questions where it matters, and one that only sounds
alike. They are recorded in stores of several sizes, because among many corrections one is near by chance. With --folds,
each part is judged by what the others taught, and nothing is written. Needs only numpy.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import orjson

import heedful
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.moments import LEAST, WEIGHTS, evidence
from heedful.learnings.search import Search, SearchHit
from heedful.providers.embedder import LocalEmbedder
from heedful.records.embedding import Meaning
from training import cases
from training.rows import exchanges, is_held_out

STORES = {1: 60, 3: 100, 10: 60, 80: 20, 300: 4, 1_500: 1}  # how many of each size
OTHERS = 5  # for so many in a store, one who asks of something else
MOST_ASKED = 400  # questions of one store
HIDDEN, STEPS, RATE, DECAY = 16, 1_500, 0.01, 3e-4
SEED = 5


class Said(NamedTuple):
    """An exchange, with questions where it matters, and some where it only seems to."""

    question: str
    output: str
    message: str
    later: Sequence[str]
    near: Sequence[str]


class Asked(NamedTuple):
    store: int
    """The size of the store."""
    found: list[list[float]]
    right: list[bool]
    wanted: bool
    fold: int


def said() -> list[Said]:
    held_out = [row for row in exchanges() if is_held_out(row) and row["act"] == "correction" and row["near"]]
    found = [Said(row["question"], row["output"], row["message"], row["later"], row["near"]) for row in held_out]
    for row in chain(cases.as_people_talk(), cases.plain()):
        later, near = ([row[f"{name}_question"]] if row[f"{name}_question"] else [] for name in ("later", "near"))
        found.append(Said(row["question"], row["output"], row["message"], later, near))
    return found


def asked(chosen: Sequence[Said], others: Sequence[Said], size: int, folds: int) -> Iterator[Asked]:
    """What is near each question, in a store of these; for the questions of others nothing in it matters."""
    embedder = LocalEmbedder()
    with TemporaryDirectory() as folder, heedful.open(f"{folder}/some.db", embedder=embedder) as loop:
        ids = [_recorded(loop, one) for one in chosen]
        known = list(zip(chosen, ids, strict=True))[:MOST_ASKED]
        for one, id in [*known, *((one, None) for one in others[: len(known) // OTHERS + 1])]:
            fold = int(hashlib.md5(one.output.encode()).hexdigest(), 16) % max(1, folds)
            for questions, matters in ((one.later[:1], one in chosen), (one.near[:1], False)):
                for question in questions:
                    near = _near(loop, question, embedder)
                    right = [matters and hit.row.state.id == id for hit in near]
                    yield Asked(size, evidence(question, near) if near else [], right, matters, fold)


def _near(loop: heedful.Loop, question: str, embedder: LocalEmbedder) -> list[SearchHit]:
    asked = Meaning(embedder.name, embedder.embed([question])[0])
    return Search(loop.store).closest_and_others(question, asked, 1, CORRECTION.name, [], {})[0]


def _recorded(loop: heedful.Loop, one: Said) -> str | None:
    result = loop.capture.message(one.message, last_output=one.output, query=one.question or None)
    return result.correction.id if result.correction else None


def examples(folds: int) -> Iterator[Asked]:
    chance, all_ = random.Random(SEED), said()
    for size, count in STORES.items():
        for _ in range(count):
            some = chance.sample(all_, min(size + max(1, size // OTHERS), len(all_)))
            yield from asked(some[:size], some[size:], size, folds)
        print(f"{count} stores of {size}", flush=True)


def learned(chosen: Sequence[Asked]) -> Mapping[str, Any]:
    """One hidden layer, by gradient descent (Adam)."""
    found = np.array([one for each in chosen for one in each.found])
    wanted = np.array([one for each in chosen for one in each.right], float)
    mean, spread = found.mean(0), found.std(0) + 1e-9
    values, chance = (found - mean) / spread, np.random.default_rng(SEED)
    parts = [
        chance.normal(0, values.shape[1] ** -0.5, (values.shape[1], HIDDEN)),
        np.zeros(HIDDEN),
        chance.normal(0, HIDDEN**-0.5, HIDDEN),
        np.zeros(1),
    ]
    momentum, scale = [np.zeros_like(one) for one in parts], [np.zeros_like(one) for one in parts]
    for step in range(1, STEPS + 1):
        hidden = np.tanh(values @ parts[0] + parts[1])
        error = (1 / (1 + np.exp(-(hidden @ parts[2] + parts[3]))) - wanted) / len(wanted)
        back = np.outer(error, parts[2]) * (1 - hidden**2)
        slopes = [
            values.T @ back + DECAY * parts[0],
            back.sum(0),
            hidden.T @ error + DECAY * parts[2],
            error.sum(keepdims=True),
        ]
        rate = RATE * (1 - step / (STEPS + 1))
        for number, slope in enumerate(slopes):
            momentum[number] = 0.9 * momentum[number] + 0.1 * slope
            scale[number] = 0.999 * scale[number] + 0.001 * slope**2
            one = momentum[number] / (1 - 0.9**step)
            parts[number] -= rate * one / (np.sqrt(scale[number] / (1 - 0.999**step)) + 1e-8)
    hidden, bias = parts[0] / spread[:, None], parts[1] - (mean / spread) @ parts[0]
    return {
        "hidden": hidden.round(4).tolist(),
        "bias": bias.round(4).tolist(),
        "out": parts[2].round(4).tolist(),
        "last": round(float(parts[3][0]), 4),
    }


def judged(one: Asked, weights: Mapping[str, Any]) -> list[float]:
    if not one.found:
        return []
    hidden = np.tanh(np.array(one.found) @ np.array(weights["hidden"]) + np.array(weights["bias"]))
    return list(1 / (1 + np.exp(-(hidden @ np.array(weights["out"]) + weights["last"]))))


def report(found: Sequence[tuple[Asked, list[float]]]) -> None:
    for size in STORES:
        own = [one for one in found if one[0].store == size]
        wanted, parts = sum(one.wanted for one, _ in own), []
        for least in sorted({LEAST, 0.08, 0.1, 0.15, 0.2, 0.3}):
            given = [right for one, chances in own for right, p in zip(one.right, chances, strict=True) if p >= least]
            parts.append(f"{least}: {sum(given) / wanted:.2f}/{sum(given) / max(1, len(given)):.2f}")
        print(f"among {size}, {wanted} questions where one matters; recall/precision from {', '.join(parts)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=0, help="judge each part by what the others taught")
    folds = parser.parse_args().folds
    known = list(examples(folds))
    found = []
    for fold in range(folds):
        weights = learned([one for one in known if one.fold != fold])
        found += [(one, judged(one, weights)) for one in known if one.fold == fold]
    if not folds:
        weights = learned(known)
        WEIGHTS.write_bytes(orjson.dumps(weights) + b"\n")
        found = [(one, judged(one, weights)) for one in known]
    report(found)


if __name__ == "__main__":
    main()
