"""Trains the detector of corrections, writes its detector.json and tells how good it is.

It learns from public conversations that are not part of heedful (HEEDFUL_DATA names the folder they are in), from
turns of unlabelled sessions (labels.json) and from sentences written for it (sentences.json). Rows under a licence
that asks for more than a mention are left out. The quality is that of detectors trained without the conversations
they are tested on, and without the sentences marked `echo`: whoever wrote these had read similar ones in the data.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import orjson
from rich.console import Console
from rich.table import Table

from heedful.capture.corrections.detection.detector import THRESHOLD, Detector
from heedful.capture.corrections.detection.signals import Signals, signals

HERE = Path(__file__).parent
MODEL = HERE.parent / "src" / "heedful" / "capture" / "corrections" / "detection" / "detector.json"
TURNS = Path("a_correction_detection", "feedback_turns.jsonl")
SESSIONS = Path("g_dev_conversations", "specstory_sessions.jsonl")
SOURCES = ("msdc", "ukp_eurtad", "specstory_dev_chat")  # those with both classes
LICENCES = frozenset({"Apache-2.0", "CC0-1.0"})
ONE_SUBJECT = frozenset({"msdc"})  # people who build with blocks: words of theirs alone tell of blocks
WRITTEN = frozenset({"written", "written abroad"})  # the second in other languages than English

FOLDS = 5
SEEDS = 5
STRENGTH = 0.3  # of the fit against the penalty on weights
FEWEST = 2  # rows a signal must be seen in
SOURCE_SHARE = 0.5  # 0: every row counts alike, 1: every source does
CLASS_SHARE = 0.6  # the same for corrections and the rest
WRITTEN_SHARE = 0.75  # of a written row beside one that was found
SMALLEST = 0.02  # weights below are not kept


class Row(NamedTuple):
    source: str
    group: str  # the conversation: never on both sides of a split
    message: str
    output: str
    corrects: bool
    seen: Signals
    licence: str = "Apache-2.0"
    echo: bool = False


class Score(NamedTuple):
    precision: float
    recall: float
    f1: float


def read_lines(path: Path) -> Iterator[Any]:
    return map(orjson.loads, path.read_bytes().splitlines())


def row(source: str, group: str, message: str, output: str, corrects: bool, **more: Any) -> Row:
    return Row(source, group, message, output, corrects, signals(message, output), **more)


def found(folder: Path) -> list[Row]:
    """The labelled turns; those nobody was sure about are left out."""
    return [
        row(one["source"], one["group"], one["user"], one["prev_assistant"], one["label"] == 1, licence=one["licence"])
        for one in read_lines(folder / TURNS)
        if one["label"] is not None
    ]


def labelled(folder: Path) -> list[Row]:
    """Turns labelled for this training, all of conversations that are among the labelled turns as well."""
    sessions = {one["session_id"]: one["turns"] for one in read_lines(folder / SESSIONS)}
    rows = []
    for label in orjson.loads((HERE / "labels.json").read_bytes()):
        turns = sessions[label["session"]]
        before = [turn["text"] for turn in turns[: label["turn"]] if turn["role"] != "user" and turn["text"].strip()]
        message = turns[label["turn"]]["text"]
        rows.append(row("specstory_dev_chat", f"ss:{label['session']}", message, before[-1], label["correction"]))
    return rows


def written(name: str) -> list[Row]:
    rows = []
    for part in orjson.loads((HERE / name).read_bytes()):
        source = "written" if part["language"] == "en" else "written abroad"
        for side in ("corrections", "others"):
            for at, message in enumerate(part[side]):
                output = part["outputs"][at % len(part["outputs"])]
                echo = part.get("echo", False)
                rows.append(row(source, part["language"], message, output, side == "corrections", echo=echo))
    return rows


def fit(rows: Sequence[Row]) -> Detector:
    from sklearn.feature_extraction import DictVectorizer  # noqa: PLC0415 - the benchmarks are read without it
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    rows = [one for one in rows if one.licence in LICENCES]
    known = _known(rows)
    vectors = DictVectorizer()
    table = vectors.fit_transform([{name: 1.0 for name in sorted(_copies(one.seen)) if name in known} for one in rows])
    table.indices, table.indptr = table.indices.astype("int32"), table.indptr.astype("int32")  # liblinear needs these
    model = LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=300)
    model.fit(table, [one.corrects for one in rows], sample_weight=_shares(rows))
    weights: dict[str, dict[str, float]] = {"any": {}}
    for copy, weight in zip(vectors.get_feature_names_out(), model.coef_[0], strict=True):
        kind, name = copy.split("\t", 1)
        if abs(weight) >= SMALLEST:
            weights.setdefault(kind, {})[name] = round(float(weight), 2)
    return Detector(round(float(model.intercept_[0]), 3), weights)


def _known(rows: Sequence[Row]) -> frozenset[str]:
    """Signals that may carry weight: seen often enough, and not only where everybody speaks of one subject."""
    seen = Counter(copy for one in rows for copy in _copies(one.seen))
    general = {name for one in rows if one.source not in ONE_SUBJECT for name in one.seen.names}
    return frozenset(copy for copy, times in seen.items() if times >= FEWEST and copy.split("\t", 1)[1] in general)


def _copies(seen: Signals) -> Iterator[str]:
    for name in seen.names:
        yield f"any\t{name}"
        yield f"{seen.kind}\t{name}"


def _shares(rows: Sequence[Row]) -> list[float]:
    sources = Counter(one.source for one in rows)
    classes = Counter((one.source, one.corrects) for one in rows)
    shares = []
    for one in rows:
        size = sources[one.source]
        share = (len(rows) / size) ** SOURCE_SHARE * (size / (2 * classes[one.source, one.corrects])) ** CLASS_SHARE
        shares.append(share * (WRITTEN_SHARE if one.source in WRITTEN else 1))
    mean = sum(shares) / len(shares)
    return [share / mean for share in shares]


def folds(rows: Sequence[Row], seed: int) -> dict[str, int]:
    """The fold of every conversation; each source is spread over all folds."""
    placed: dict[str, int] = {}
    for source in SOURCES:
        groups = sorted({one.group for one in rows if one.source == source})
        Random(seed).shuffle(groups)
        placed |= {group: at % FOLDS for at, group in enumerate(groups)}
    return placed


def score(judged: Sequence[tuple[bool, bool]]) -> Score:
    """Of pairs: what was said, and what is true."""
    right = sum(said and true for said, true in judged)
    precision = right / max(1, sum(said for said, _ in judged))
    recall = right / max(1, sum(true for _, true in judged))
    return Score(precision, recall, 2 * precision * recall / max(1e-9, precision + recall))


def cross_validated(rows: Sequence[Row], more: Sequence[Row], seed: int) -> dict[str, Score]:
    """Per source, by detectors that saw no conversation of the fold they judge."""
    placed = folds(rows, seed)
    judged: dict[str, list[tuple[bool, bool]]] = {source: [] for source in SOURCES}
    for fold in range(FOLDS):
        learnt = [one for one in (*rows, *more) if placed.get(one.group) != fold and not one.echo]
        detector = fit(learnt)
        for one in rows:
            if one.source in SOURCES and placed[one.group] == fold:
                judged[one.source].append((detector.probability(one.seen) >= THRESHOLD, one.corrects))
    return {source: score(pairs) for source, pairs in judged.items()}


def macro(scores: dict[str, Score]) -> float:
    return sum(scores[source].f1 for source in SOURCES) / len(SOURCES)


def data_folder() -> Path:
    folder = os.environ.get("HEEDFUL_DATA")
    if not folder or not all((Path(folder) / file).is_file() for file in (TURNS, SESSIONS)):
        sys.exit(f"Set HEEDFUL_DATA to the folder that holds {TURNS} and {SESSIONS}.")
    return Path(folder)


def show(console: Console, runs: Sequence[dict[str, Score]]) -> None:
    table = Table("", title=f"Held-out conversations, {FOLDS} folds, the mean of {len(runs)} seeds")
    for heading in ("precision", "recall", "F1", "F1, least to most"):
        table.add_column(heading, justify="right")
    for source in SOURCES:
        means = (sum(values) / len(runs) for values in zip(*(run[source] for run in runs), strict=True))
        ones = sorted(run[source].f1 for run in runs)
        table.add_row(source, *(f"{value:.3f}" for value in means), f"{ones[0]:.3f} to {ones[-1]:.3f}")
    ones = sorted(map(macro, runs))
    table.add_row("macro", "", "", f"{sum(ones) / len(ones):.3f}", f"{ones[0]:.3f} to {ones[-1]:.3f}")
    console.print(table)


def main() -> None:
    folder = data_folder()
    rows, more = found(folder), [*labelled(folder), *written("sentences.json")]
    console = Console()
    show(console, [cross_validated(rows, more, seed) for seed in range(SEEDS)])
    detector = fit([*rows, *more])
    kept = {"bias": detector.bias, "weights": detector.weights}
    MODEL.write_bytes(orjson.dumps(kept, option=orjson.OPT_SORT_KEYS) + b"\n")
    console.print(f"{sum(map(len, detector.weights.values()))} weights, {MODEL.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
