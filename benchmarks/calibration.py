"""How well calibrated confidences foretell the decisions of people who were not seen, beside simpler ways.

Real decisions about code suggestions are left out of the fit three people at a time, for every such group, and scored
by a fit on all the others. The data are not part of heedful: HEEDFUL_DATA names the folder they are in.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import os
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import orjson
from rich.console import Console
from rich.table import Table

from heedful.learnings.patterns.calibration import fit, tally

FILE = Path("i_confidence_calibration", "copilot_suggestions.jsonl")
ROWS = 10


class Decision(NamedTuple):
    user: str
    confidence: float
    accepted: bool


class Foretold(NamedTuple):
    share: float
    accepted: bool


Curve = Callable[[float], float]
Way = Callable[[Sequence[Decision]], Curve]


def raw(_: Sequence[Decision]) -> Curve:
    return lambda confidence: confidence


def base_rate(seen: Sequence[Decision]) -> Curve:
    rate = sum(one.accepted for one in seen) / len(seen)
    return lambda _: rate


def isotonic(seen: Sequence[Decision]) -> Curve:
    """Pool adjacent violators, straight between the confidences that were seen."""
    pools: list[tuple[float, list[float]]] = []
    for one in sorted(seen, key=lambda one: one.confidence):
        mean, places = float(one.accepted), [one.confidence]
        while pools and (pools[-1][0] >= mean or pools[-1][1][-1] == places[0]):
            before, others = pools.pop()
            mean = (before * len(others) + mean * len(places)) / (len(others) + len(places))
            places = others + places
        pools.append((mean, places))
    xs = [place for _, places in pools for place in places]
    ys = [mean for mean, places in pools for _ in places]

    def curve(confidence: float) -> float:
        right = bisect_left(xs, confidence)
        if right in (0, len(xs)):
            return ys[0] if right == 0 else ys[-1]
        share = (confidence - xs[right - 1]) / (xs[right] - xs[right - 1])
        return ys[right - 1] + (ys[right] - ys[right - 1]) * share

    return curve


def heedful(seen: Sequence[Decision]) -> Curve:
    calibration = fit([tally((one.confidence, one.accepted) for one in seen)])
    return lambda confidence: calibration.at(confidence).value


WAYS: dict[str, Way] = {"raw": raw, "base rate": base_rate, "plain isotonic": isotonic, "heedful": heedful}


def left_out(way: Way, decisions: Sequence[Decision], size: int) -> list[list[Foretold]]:
    """For every group of that many people, what a fit on the others foretold of them."""
    groups: list[list[Foretold]] = []
    for people in combinations(sorted({one.user for one in decisions}), size):
        curve = way([one for one in decisions if one.user not in people])
        unseen = [one for one in decisions if one.user in people]
        groups.append([Foretold(curve(one.confidence), one.accepted) for one in unseen])
    return groups


def brier(foretold: Sequence[Foretold]) -> float:
    return sum((one.share - one.accepted) ** 2 for one in foretold) / len(foretold)


def ece(foretold: Sequence[Foretold]) -> float:
    gaps = [0.0] * ROWS
    for one in foretold:
        gaps[min(int(one.share * ROWS), ROWS - 1)] += one.share - one.accepted
    return sum(map(abs, gaps)) / len(foretold)


def auc(foretold: Sequence[Foretold]) -> float:
    """How often an accepted suggestion was ranked above a rejected one of the same group."""
    taken = [one.share for one in foretold if one.accepted]
    refused = [one.share for one in foretold if not one.accepted]
    won = sum((high > low) + 0.5 * (high == low) for high in taken for low in refused)
    return won / (len(taken) * len(refused)) if taken and refused else 0.5


def read(path: Path) -> list[Decision]:
    rows = map(orjson.loads, path.read_bytes().splitlines())
    return [
        Decision(row["user"], row["confidence"], row["accepted"] == 1) for row in rows if row["confidence"] is not None
    ]


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def show(console: Console, decisions: Sequence[Decision], size: int) -> None:
    people = "one person" if size == 1 else f"{size} people"
    table = Table("", title=f"{people} left out at a time; the mean over all groups, and the ECE of all together")
    for heading in ("Brier", "ECE", "ECE together", "AUC"):
        table.add_column(heading, justify="right")
    for name, way in WAYS.items():
        groups = left_out(way, decisions, size)
        together = [one for group in groups for one in group]
        scored = (mean(list(map(brier, groups))), mean(list(map(ece, groups))), ece(together))
        table.add_row(name, *(f"{score:.3f}" for score in (*scored, mean(list(map(auc, groups))))))
    console.print(table)


def speed(decisions: Sequence[Decision], passes: int = 200) -> float:
    bins = tally((one.confidence, one.accepted) for one in decisions)
    begun = time.perf_counter()
    for _ in range(passes):
        fit([bins, bins])
    return (time.perf_counter() - begun) / passes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--left-out", type=int, nargs="*", default=[1, 3], help="sizes of the groups left out")
    chosen = parser.parse_args()
    folder = os.environ.get("HEEDFUL_DATA")
    if not folder:
        print(f"Skipped: HEEDFUL_DATA is not set. Set it to the folder that holds {FILE}.")
        return
    path = Path(folder) / FILE
    if not path.is_file():
        print(f"Skipped: there is no {FILE} in HEEDFUL_DATA.")
        return
    decisions = read(path)
    console = Console()
    console.print(f"{len(decisions)} decisions of {len({one.user for one in decisions})} people")
    for size in chosen.left_out:
        show(console, decisions, size)
    console.print(f"A fit of two levels takes {speed(decisions) * 1e6:.0f} µs.")


if __name__ == "__main__":
    main()
