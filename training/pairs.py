"""Train the judge of wrong and right words, and print how good it is.

    python -m training.pairs [--folds 4]

It learns how much each piece of evidence counts (`capture/corrections/pairs/evidence.py`) from exchanges that the
reader was not trained on, because the reader is too sure of what it has seen: the tenth of `exchanges/` that was held
out, plain forms made from it, a third of `short/`, `said.jsonl` (what people say of a wrong answer), and cases that
were looked at (`cases.py`). Of all pairs that could be meant, and none at all, one is right: the weights make that one
as probable as they can. With --folds, each part is judged by weights that were learned from the others, and nothing is
written. Needs only numpy.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from heedful.capture.corrections.detection import PAIR_CORRECTION
from heedful.capture.corrections.pairs.evidence import Evidence, ExchangeWords, evidence_for_none
from heedful.capture.corrections.pairs.judge import WEIGHTS, candidates, looked_at, weighed
from heedful.providers.correction_reader import LocalReader
from heedful.records.reading import Exchange
from training import cases
from training.plain_forms import PlainForms
from training.rows import exchanges, is_for_pairs, is_held_out, short

HERE = Path(__file__).parent
PLAIN, SHORT, TALK, FORMS = 1.5, 1.0, 0.7, 0.7
"""What a plain correction counts, a short one, one as people really talk, and one that is made."""
MADE = 600
DECAY, STEPS, RATE = 1.0, 400, 0.05
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)


class Example(NamedTuple):
    name: str
    weight: float
    pairs: list[Evidence]
    none: Evidence
    results: list[str]
    """What each pair makes of the output."""
    right: Any
    """Which pairs make the right thing of it; none does where no pair is meant."""
    wanted: bool
    """A pair is meant, be it among these or not."""
    fold: int


class Course(NamedTuple):
    """The evidence of all examples, as one table."""

    pairs: Any
    of: Any
    """The example of each pair."""
    right: Any
    none: Any
    none_right: Any
    weights: Any


def rows() -> Iterator[tuple[str, float, Mapping[str, Any], set[str]]]:
    """Each with what the output should have been, in any of the ways that count."""
    held_out = [row for row in exchanges() if is_held_out(row)]
    for row in held_out:
        if row["act"] == "correction":
            put_right = row["output"].replace(row["about"], row["fixed"], 1) if row["about"] and row["fixed"] else ""
            yield "held out", TALK, row, {put_right, _replaced(row)}
    forms, chance = PlainForms(held_out), random.Random(7)
    for row in chance.choices(held_out, k=MADE):
        if (made := forms.made(row, chance)) is not None and made["act"] == "correction":
            yield "forms", FORMS, made, {_replaced(made)}
    for row in filter(is_for_pairs, short()):
        put_right = row["output"].replace(row["about"], row["fixed"], 1) if row["wrong"] else ""
        yield "short", SHORT, row, {put_right, _replaced(row)}
    said = map(orjson.loads, (HERE / "said.jsonl").open("rb"))
    for name, weight, some in (("plain", PLAIN, chain(said, cases.plain())), ("talk", TALK, cases.as_people_talk())):
        for one in some:
            yield name, weight, one, {one["fixed"], _replaced(one)}


def _replaced(row: Mapping[str, Any]) -> str:
    if not (row["wrong"] and row["right"]):
        return ""
    at = row["output"].find(row["wrong"], max(0, row["output"].find(row.get("about", ""))))
    return "" if at < 0 else row["output"][:at] + row["right"] + row["output"][at + len(row["wrong"]) :]


def examples(reader: LocalReader, folds: int) -> Iterator[Example]:
    for name, weight, row, goals in rows():
        exchange = Exchange(row["question"], row["output"], row["message"])
        reading = reader.read(exchange)
        if reading.correction < PAIR_CORRECTION:
            continue
        part, reading = looked_at(exchange, reading)
        words = ExchangeWords(part, reading)
        found = list(candidates(words, reading))
        results = [exchange.output.replace(part.output, one.applied(part.output), 1) for one in found]
        right = np.array([bool(row["wrong"]) and result in goals for result in results], bool)
        pairs, none = [one.evidence for one in found], evidence_for_none(words, reading)
        fold = int(hashlib.md5(row["output"].encode()).hexdigest(), 16) % max(1, folds)
        yield Example(name, weight, pairs, none, results, right, bool(row["wrong"] and row["right"]), fold)


def learned(chosen: Sequence[Example]) -> dict[str, Evidence]:
    """The weights of the evidence for a pair, and for none."""
    names, none_names = list(next(one.pairs[0] for one in chosen if one.pairs)), list(chosen[0].none)
    pairs = np.array([[found[name] for name in names] for one in chosen for found in one.pairs], float)
    none = np.array([[one.none[name] for name in none_names] for one in chosen], float)
    mean, spread = pairs.mean(0), pairs.std(0) + 1e-9
    none_mean, none_spread = none.mean(0), none.std(0)
    none_mean[0], none_spread[0] = 0.0, 1.0  # the constant stays 1
    course = Course(
        (pairs - mean) / spread,
        np.repeat(np.arange(len(chosen)), [len(one.pairs) for one in chosen]),
        np.concatenate([one.right for one in chosen]),
        (none - none_mean) / none_spread,
        np.array([not one.right.any() for one in chosen]),
        np.array([one.weight for one in chosen]),
    )
    values = np.zeros(len(names) + len(none_names))
    momentum, scale = values.copy(), values.copy()
    for step in range(1, STEPS + 1):
        slope = gradient(course, values)
        momentum, scale = 0.9 * momentum + 0.1 * slope, 0.99 * scale + 0.01 * slope**2
        rate = RATE if step < 0.6 * STEPS else RATE / 4
        values -= rate * momentum / (1 - 0.9**step) / (np.sqrt(scale / (1 - 0.99**step)) + 1e-8)
    for_pair, for_none = values[: len(names)] / spread, values[len(names) :] / none_spread
    for_none[0] += mean @ for_pair - none_mean @ for_none
    return {
        "pair": dict(zip(names, for_pair.round(3).tolist(), strict=True)),
        "none": dict(zip(none_names, for_none.round(3).tolist(), strict=True)),
    }


def gradient(course: Course, values: Any) -> Any:
    count, names = len(course.none), course.pairs.shape[1]
    pair, none = course.pairs @ values[:names], course.none @ values[names:]
    top = none.copy()
    np.maximum.at(top, course.of, pair)
    pair, none = np.exp(pair - top[course.of]), np.exp(none - top)
    all_ = np.bincount(course.of, pair, count) + none
    right = np.bincount(course.of, pair * course.right, count) + none * course.none_right
    share = course.weights / course.weights.sum()
    by_pair = (pair / all_[course.of] - pair * course.right / right[course.of]) * share[course.of]
    by_none = (none / all_ - none * course.none_right / right) * share
    return np.concatenate([course.pairs.T @ by_pair, course.none.T @ by_none]) + DECAY * values / course.weights.sum()


def judged(one: Example, weights: Mapping[str, Evidence]) -> tuple[float, bool]:
    """The chance of the pair that is chosen, and whether it is right."""
    if not one.pairs:
        return 0.0, False
    sums: dict[str, float] = {}
    for result, found in zip(one.results, one.pairs, strict=True):
        sums[result] = sums.get(result, 0.0) + weighed(weights["pair"], found)
    best = max(sums, key=lambda result: sums[result])
    chance = sums[best] / (sum(sums.values()) + weighed(weights["none"], one.none))
    return chance, bool(one.right[one.results.index(best)])


def report(found: Sequence[tuple[Example, float, bool]]) -> None:
    for name in dict.fromkeys(one.name for one, _, _ in found):
        own = [row for row in found if row[0].name == name]
        parts = []
        for threshold in THRESHOLDS:
            given = [right for _, chance, right in own if chance >= threshold]
            parts.append(f"{threshold}: {sum(given)} right of {len(given)}")
        print(f"{name}, {sum(one.wanted for one, _, _ in own)} pairs; from {'; '.join(parts)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=0, help="judge each part by what the others taught")
    folds = parser.parse_args().folds
    known = list(examples(LocalReader(), folds))
    found = []
    for fold in range(folds):
        weights = learned([one for one in known if one.fold != fold])
        found += [(one, *judged(one, weights)) for one in known if one.fold == fold]
    if not folds:
        weights = learned(known)
        WEIGHTS.write_bytes(orjson.dumps(weights, option=orjson.OPT_INDENT_2) + b"\n")
        found = [(one, *judged(one, weights)) for one in known]
    report(found)


if __name__ == "__main__":
    main()
