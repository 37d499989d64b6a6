"""How well corrections are told from other messages, beside seven patterns and beside TF-IDF.

Every score is of detectors trained, by the code of training/detector.py, without what they judge: conversations, whole
sources, a source whose licence keeps it out of the training, and sentences in other languages. The one that ships is
only timed. The data are not part of heedful: HEEDFUL_DATA names the folder they are in.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import argparse
import time
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table
from training.detector import (
    FOLDS,
    SOURCES,
    WRITTEN,
    Row,
    Score,
    data_folder,
    fit,
    folds,
    found,
    labelled,
    macro,
    score,
    written,
)

from heedful.capture.corrections.detection import detect
from heedful.capture.corrections.detection.certainty import weighed
from heedful.capture.corrections.detection.detector import THRESHOLD
from heedful.capture.corrections.detection.signals import folded, patterns

Judge = Callable[[Row], bool]
Way = Callable[[Sequence[Row]], Judge]


def seven_patterns(_: Sequence[Row]) -> Judge:
    return lambda one: any(patterns(folded(one.message).strip()))


def tf_idf(learnt: Sequence[Row]) -> Judge:
    """Words and pairs of words of the message; from the sources alone, as it would be done in an afternoon."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    learnt = [one for one in learnt if one.source in SOURCES]
    vectors = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    table = vectors.fit_transform([one.message for one in learnt])
    model = LogisticRegression(C=10, class_weight="balanced", max_iter=1_000)
    model.fit(table, [one.corrects for one in learnt])
    return lambda one: bool(model.predict(vectors.transform([one.message]))[0])


def heedful(learnt: Sequence[Row]) -> Judge:
    detector = fit([one for one in learnt if not one.echo])
    return lambda one: weighed(detector.probability(one.seen), one.message, one.output)[0] >= THRESHOLD


def without_written(learnt: Sequence[Row]) -> Judge:
    return heedful([one for one in learnt if one.source not in WRITTEN])


WAYS: dict[str, Way] = {
    "seven patterns": seven_patterns,
    "TF-IDF": tf_idf,
    "heedful, no written sentences": without_written,
    "heedful": heedful,
}


def held_out(way: Way, rows: Sequence[Row], more: Sequence[Row], seed: int) -> dict[str, Score]:
    placed = folds(rows, seed)
    judged: dict[str, list[tuple[bool, bool]]] = {source: [] for source in SOURCES}
    for fold in range(FOLDS):
        judge = way([one for one in (*rows, *more) if placed.get(one.group) != fold])
        for one in rows:
            if one.source in SOURCES and placed[one.group] == fold:
                judged[one.source].append((judge(one), one.corrects))
    return {source: score(pairs) for source, pairs in judged.items()}


def unseen_source(rows: Sequence[Row], more: Sequence[Row], source: str) -> Score:
    judge = heedful([one for one in (*rows, *more) if one.source != source])
    return score([(judge(one), one.corrects) for one in rows if one.source == source])


def cells(scores: Sequence[Score]) -> list[str]:
    return [f"{sum(values) / len(scores):.3f}" for values in zip(*scores, strict=True)]


def compare(console: Console, rows: Sequence[Row], more: Sequence[Row], seeds: int) -> None:
    table = Table("", "source", title=f"Held-out conversations, {FOLDS} folds, the mean of {seeds} seeds")
    for heading in ("precision", "recall", "F1", "least to most"):
        table.add_column(heading, justify="right")
    for name, way in WAYS.items():
        runs = [held_out(way, rows, more, seed) for seed in range(seeds)]
        for source in SOURCES:
            table.add_row(name, source, *cells([run[source] for run in runs]), "")
        ones = sorted(map(macro, runs))
        table.add_row("", "macro", "", "", f"{sum(ones) / seeds:.3f}", f"{ones[0]:.3f} to {ones[-1]:.3f}")
        table.add_section()
    console.print(table)


def elsewhere(console: Console, rows: Sequence[Row], more: Sequence[Row]) -> None:
    table = Table("", title="Sources and languages that were not learnt from")
    for heading in ("precision", "recall", "F1", "messages"):
        table.add_column(heading, justify="right")
    for source in SOURCES:
        size = sum(one.source == source for one in rows)
        table.add_row(f"trained without {source}", *cells([unseen_source(rows, more, source)]), str(size))
    judge = heedful([*rows, *more])
    queries = [one for one in rows if one.source == "splash_editsql"]
    caught = score([(judge(one), one.corrects) for one in queries])
    table.add_row("splash_editsql, corrections only", "", f"{caught.recall:.3f}", "", str(len(queries)))
    unseen = written("unseen.json")
    for language in sorted({one.group for one in unseen}):
        own = [one for one in unseen if one.group == language]
        table.add_row(
            f"sentences in {language}", *cells([score([(judge(one), one.corrects) for one in own])]), str(len(own))
        )
    console.print(table)


def speed(console: Console, rows: Sequence[Row]) -> None:
    detect("x", "y", None)  # the model is read once
    long = (
        "This is wrong, `read_rows` should not be called here. " * 400,
        "Done, see `read_rows`. All tests pass.\n" * 2_600,
    )
    table = Table("", "p50 ms", "p99 ms", title="One detection: time on the processor")
    for name, pairs in (
        ("messages of the sources", [(one.message, one.output) for one in rows]),
        ("20 KB after 100 KB", [long] * 300),
    ):
        took = []
        for message, output in pairs:
            begun = time.thread_time()
            detect(message, output, None)
            took.append(time.thread_time() - begun)
        took.sort()
        table.add_row(name, *(f"{took[int(len(took) * share)] * 1e3:.2f}" for share in (0.5, 0.99)))
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="ways to split the conversations into folds")
    chosen = parser.parse_args()
    folder = data_folder()
    rows, more = found(folder), [*labelled(folder), *written("sentences.json")]
    console = Console()
    console.print(f"{len(rows)} labelled messages; a correction from a probability of {THRESHOLD}")
    compare(console, rows, more, chosen.seeds)
    elsewhere(console, rows, more)
    speed(console, rows)


if __name__ == "__main__":
    main()
