"""How well a correction is heard, kept, given back at the right moment and applied, on cases that nobody tuned on.

    python benchmarks/correct_it_once.py [--cases benchmarks/cases] [--only a] [--show]

The cases were written by people who had seen neither the code nor the training data. Everything is recorded in one
database, so that each later question competes with all other corrections. Look at single cases (--show) only when they
are about to be replaced by new ones.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table

import heedful
from heedful.records.correction import Detection

Case = dict[str, Any]
_BUDGET = 600  # tokens of a context


@dataclass(slots=True)
class Share:
    """How often something held."""

    held: int = 0
    of: int = 0

    def add(self, holds: bool) -> None:
        self.held += holds
        self.of += 1

    def __str__(self) -> str:
        return f"{self.held / self.of:.2f}  ({self.held} of {self.of})" if self.of else "–"


@dataclass(slots=True)
class Figures:
    heard: Share = field(default_factory=Share)
    false: Share = field(default_factory=Share)
    always: Share = field(default_factory=Share)
    exact: Share = field(default_factory=Share)
    wrong_pairs: Share = field(default_factory=Share)
    recall: Share = field(default_factory=Share)
    precision: Share = field(default_factory=Share)
    identical: Share = field(default_factory=Share)
    other: Share = field(default_factory=Share)
    touched: Share = field(default_factory=Share)
    seconds: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, default=Path(__file__).parent / "cases")
    parser.add_argument("--only", default="*", help="the name of one file of cases")
    parser.add_argument("--show", action="store_true", help="print what was read of each case")
    options = parser.parse_args()
    cases = [
        orjson.loads(line) for file in sorted(options.cases.glob(f"{options.only}.jsonl")) for line in file.open("rb")
    ]
    console = Console()
    with TemporaryDirectory() as folder, heedful.open(f"{folder}/cases.db") as loop:
        figures, found = Figures(), []
        for number, case in enumerate(cases):
            found.append(record(loop, figures, case, f"case-{number}"))
        for case, (detection, id) in zip(cases, found, strict=True):
            judge(figures, case, detection)
            later(loop, figures, case, id)
            if options.show:
                console.print(case["message"], detection, sep="\n  ")
    apply(figures, cases)
    console.print(table(figures, len(cases)))


def record(loop: heedful.Loop, figures: Figures, case: Case, id: str) -> tuple[Detection, str | None]:
    started = time.perf_counter()
    result = loop.capture.message(case["message"], last_output=case["output"], query=case["question"] or None, id=id)
    figures.seconds.append(time.perf_counter() - started)
    return result.detection, None if result.correction is None else result.correction.id


def judge(figures: Figures, case: Case, detection: Detection) -> None:
    (figures.heard if case["correction"] else figures.false).add(detection.is_correction)
    if case["correction"] and detection.is_correction:
        figures.always.add(detection.always == case["always"])
    right = (detection.wrong.casefold(), detection.right.casefold()) == (
        case["wrong"].casefold(), case["right"].casefold(),
    )  # fmt: skip
    if case["wrong"] and case["right"]:
        figures.exact.add(right)
    if detection.wrong and detection.right:
        figures.wrong_pairs.add(not right)


def later(loop: heedful.Loop, figures: Figures, case: Case, id: str | None) -> None:
    if case["later_question"]:
        pieces = loop.apply.context(case["later_question"], tokens=_BUDGET).pieces
        figures.recall.add(id is not None and any(piece.id == id for piece in pieces))
        for piece in pieces:
            figures.precision.add(piece.id == id)
    if case["near_question"]:
        for _ in loop.apply.context(case["near_question"], tokens=_BUDGET).pieces:
            figures.precision.add(False)


def apply(figures: Figures, cases: Iterable[Case]) -> None:
    """Each case alone: what one correction does to later texts."""
    for case in cases:
        if not case["correction"]:
            continue
        with TemporaryDirectory() as folder, heedful.open(f"{folder}/case.db") as loop:
            loop.capture.message(case["message"], last_output=case["output"], query=case["question"] or None)
            if case["fixed"]:
                figures.identical.add(improved(loop, case["output"]) == case["fixed"])
            for text, fixed in zip(case["later_outputs"], case["later_fixed"], strict=True):
                figures.other.add(improved(loop, text) == fixed)
            for text in case["untouched"]:
                figures.touched.add(improved(loop, text) != text)


def improved(loop: heedful.Loop, text: str) -> str:
    return loop.apply.improve(text).text


def table(figures: Figures, cases: int) -> Table:
    shown = Table(title=f"Correct it once: {cases} unseen cases", title_justify="left")
    shown.add_column("")
    shown.add_column("")
    p50, p99 = (1_000 * value for value in percentiles(figures.seconds))
    for name, value in (
        ("corrections heard and kept (goal 0.90)", figures.heard),
        ("of what corrects nothing, taken for a correction (goal 0.05)", figures.false),
        ("always or only here, right (goal 0.90)", figures.always),
        ("wrong and right words exact (goal 0.40)", figures.exact),
        ("of the pairs given, wrong ones (goal 0.03)", figures.wrong_pairs),
        ("later context: recall (goal 0.90)", figures.recall),
        ("later context: precision (goal 0.50)", figures.precision),
        ("identical output put right (goal 0.50)", figures.identical),
        ("same mistake in another sentence put right (goal 0.30)", figures.other),
        ("near misses and unrelated texts changed (goal 0.01)", figures.touched),
    ):
        shown.add_row(name, str(value))
    shown.add_row("one message read and recorded, p50 / p99", f"{p50:.0f} / {p99:.0f} ms")
    return shown


def percentiles(seconds: Sequence[float]) -> tuple[float, float]:
    return median(seconds), quantiles(seconds, n=100)[98]


if __name__ == "__main__":
    main()
