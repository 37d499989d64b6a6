"""Train the embedder that heedful ships: which question brings back which correction.

    python -m training.moments [--wheel …] [--seed 1] [--epochs 3] [--go-on] [--into src/heedful/providers/minilm]

It starts from the weights of all-MiniLM-L6-v2. The exchanges name later questions where a correction matters, and some
that sound alike where it does not: the vectors of the former come near to that of the correction, those of the latter
move away. How near two statements are to each other stays as it was, because thresholds elsewhere rely on it. A tenth
of the exchanges is not trained on and gives the figures. With --go-on it starts from the file that ships. Needs the
extra `training`, and torch.
"""

from __future__ import annotations

import argparse
import logging
import math
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.numpy import load
from torch import nn
from torch.nn import functional

from heedful.providers.wordpiece import WordPiece
from training.encoder import Encoder
from training.minilm import FOLDER, PUBLISHED, digest, fetched, network, published, quantised
from training.rows import Row, aspects, exchanges, is_held_out
from training.shipped import shipped

BATCH = 48
RATE, SCALE_RATE = 3e-5, 1e-2
MOST = {"query": 48, "learning": 128, "statement": 64}  # tokens
SHARPNESS = 20  # of the choice among the corrections of a batch
NEAR_WEIGHT = 6  # of the question that only sounds alike
KEPT_WEIGHT = 20  # of the distances between statements
FIRST_SCALE, FIRST_BIAS = 15.0, -8.0


class Moments(Encoder):
    """Vectors of texts. `scale` and `bias` turn a cosine into a probability."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        super().__init__(weights)
        self.scale, self.bias = (nn.Parameter(torch.tensor(value)) for value in (math.log(FIRST_SCALE), FIRST_BIAS))

    def forward(self, ids: Any, mask: Any) -> Any:
        hidden, counted = self.encoded(self.embedded(ids), mask), mask.unsqueeze(-1)
        return functional.normalize((hidden * counted).sum(1), dim=-1)


class Texts(NamedTuple):
    """Turns texts into batches."""

    words: WordPiece

    def batch(self, texts: Sequence[str], most: int) -> tuple[Any, Any]:
        tokens = [[101, *[piece.id for piece in self.words.located(text)][: most - 2], 102] for text in texts]
        longest = max(map(len, tokens))
        ids = torch.tensor([one + [0] * (longest - len(one)) for one in tokens])
        return ids, torch.tensor([[1.0] * len(one) + [0.0] * (longest - len(one)) for one in tokens])

    def learnings(self, model: Moments, rows: Sequence[Row]) -> Any:
        """Vectors of corrections: sums of the directions of their aspects."""
        parts = [aspects(row) for row in rows]
        found = model(*self.batch([part for one in parts for part in one], MOST["learning"]))
        of = torch.repeat_interleave(torch.arange(len(rows)), torch.tensor([len(one) for one in parts]))
        return functional.normalize(torch.zeros(len(rows), found.shape[1]).index_add(0, of, found), dim=-1)

    def all_learnings(self, model: Moments, rows: Sequence[Row]) -> Any:
        model.eval()
        with torch.no_grad():
            return torch.cat([self.learnings(model, rows[at : at + BATCH]) for at in range(0, len(rows), BATCH)])

    def vectors(self, model: Moments, texts: Sequence[str], most: int) -> Any:
        model.eval()
        with torch.no_grad():
            parts = [model(*self.batch(texts[at : at + BATCH], most)) for at in range(0, len(texts), BATCH)]
        return torch.cat(parts)


def statements(row: Row) -> tuple[str, str]:
    """Two whose distance is kept."""
    if row["fixed"] and row["about"]:
        return row["about"], row["fixed"]
    return row["message"], row["about"] or row["output"]


def loss(
    model: Moments, texts: Texts, rows: Sequence[Row], kept: tuple[Sequence[str], Any], chance: random.Random
) -> Any:
    """One of the later questions of each correction, and one that only sounds alike."""
    learnings = texts.learnings(model, rows)
    asked = [(chance.choice(row["later"]), at) for at, row in enumerate(rows) if row["later"]]
    alike = [(chance.choice(row["near"]), at) for at, row in enumerate(rows)]
    queries = model(*texts.batch([text for text, _ in (*asked, *alike)], MOST["query"]))
    cosines = queries @ learnings.T
    wanted, weight = torch.zeros_like(cosines), torch.ones_like(cosines)
    for number, (_, at) in enumerate(asked):
        wanted[number, at] = 1
    for number, (_, at) in enumerate(alike, len(asked)):
        weight[number, at] = NEAR_WEIGHT
    logits = cosines * model.scale.exp() + model.bias
    matters = functional.binary_cross_entropy_with_logits(logits, wanted, weight, reduction="sum") / len(rows)
    chosen = functional.cross_entropy(cosines[: len(asked)] * SHARPNESS, torch.tensor([at for _, at in asked]))
    return matters + chosen + KEPT_WEIGHT * drift(model, texts, *kept)


def batches(learnings: Any, chance: random.Random) -> Iterator[list[int]]:
    """Half of them of corrections about alike things, as one person makes them: there it is harder to tell which one a
    question needs."""
    order = chance.sample(range(len(learnings)), len(learnings))
    for number, begin in enumerate(range(0, len(learnings) - BATCH + 1, BATCH)):
        if number % 2:
            yield order[begin : begin + BATCH]
        else:
            yield (learnings @ learnings[order[begin]]).topk(BATCH).indices.tolist()


def drift(model: Moments, texts: Texts, said: Sequence[str], before: Any) -> Any:
    """How much the cosines between statements have changed: of all, and of those that belong together."""
    now = model(*texts.batch(said, MOST["statement"]))
    others = 1 - torch.eye(len(said))
    everywhere = (((now @ now.T - before @ before.T) ** 2) * others).sum() / others.sum()
    together = ((now[::2] * now[1::2]).sum(1) - (before[::2] * before[1::2]).sum(1)).pow(2).mean()
    return everywhere + together


def train(
    weights: Mapping[str, Any],
    first: Mapping[str, Any],
    texts: Texts,
    rows: Sequence[Row],
    *,
    seed: int,
    epochs: int,
    unseen: Any,
) -> Any:
    """From the weights `first`; distances stay as they are with the published ones."""
    torch.manual_seed(seed)
    chance, model = random.Random(seed), Moments(first)
    said = [text for row in rows for text in statements(row)]
    before = texts.vectors(Moments(weights), said, MOST["statement"])
    free = [model.scale, model.bias]
    body = [one for name, one in model.named_parameters() if one.requires_grad and name not in ("scale", "bias")]
    optimizer = torch.optim.AdamW([{"params": body, "lr": RATE}, {"params": free, "lr": SCALE_RATE}], weight_decay=0.01)
    learnings = texts.all_learnings(model, rows)
    steps = epochs * (len(rows) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / (0.1 * steps)) * max(0.02, 1 - step / steps)
    )
    started = time.monotonic()
    for number in range(1, epochs + 1):
        model.train()
        for places in batches(learnings, chance):
            pairs = [at for place in places[: BATCH // 2] for at in (2 * place, 2 * place + 1)]
            value = loss(model, texts, [rows[at] for at in places], ([said[at] for at in pairs], before[pairs]), chance)
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        print(f"epoch {number}: {time.monotonic() - started:.0f} s", flush=True)
        report(model, texts, unseen)
        torch.save(model.state_dict(), Path(tempfile.gettempdir()) / f"moments-{seed}.pt")
    return model


def report(model: Moments, texts: Texts, rows: Sequence[Row]) -> None:
    """Each later question among the corrections of all unseen exchanges."""
    rows = [row for row in rows if row["later"]]
    learnings = texts.all_learnings(model, rows)
    asked = [(one, at) for at, row in enumerate(rows) for one in row["later"]]
    near = texts.vectors(model, [row["near"][0] for row in rows], MOST["query"])
    cosines = texts.vectors(model, [one for one, _ in asked], MOST["query"]) @ learnings.T
    alike = (near @ learnings.T)[[at for _, at in asked]]
    places = torch.tensor([at for _, at in asked])
    own = cosines.gather(1, places[:, None])[:, 0]
    rank = (cosines > own[:, None]).sum(1)
    parts = [f"among the first {count}: {(rank < count).float().mean():.2f}" for count in (1, 5, 10)]
    parts.append(f"above its near question: {(own > alike.gather(1, places[:, None])[:, 0]).float().mean():.2f}")
    for least in (0.1, 0.2, 0.3, 0.4, 0.5):
        cut = (math.log(least / (1 - least)) - model.bias.item()) / math.exp(model.scale.item())
        given, right = ((cosines >= cut).sum() + (alike >= cut).sum()).item(), (own >= cut).sum().item()
        shares = f"recall {right / len(asked):.2f}, precision {right / max(1, given):.2f}"
        parts.append(f"from {least} (cosine {cut:.2f}): {shares}")
    parts.append(f"scale {math.exp(model.scale.item()):.2f}, bias {model.bias.item():.2f}")
    print(f"  {len(asked)} questions, {len(rows)} corrections: {'; '.join(parts)}", flush=True)


NOTICE = """\
# Notice

`model.onnx` and `vocab.txt` are made from the sentence embedding model
[all-MiniLM-L6-v2](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2) of the Sentence Transformers project
(https://www.sbert.net), which was trained from nreimers/MiniLM-L6-H384-uncased, a smaller version of Microsoft's
MiniLM. It is licensed under the Apache License 2.0, whose text is in the file LICENSE of heedful.

Changed: the published weights were trained further by `training/moments.py` in the sources of heedful, on the exchanges
in `training/exchanges/`, which were written for it, and put into an ONNX graph, with mean pooling and normalisation
inside; weights of linear layers and word embeddings were rounded to eight bits. `vocab.txt` is unchanged.

| file | sha256 |
|---|---|
| published `model.safetensors` | `{published}` |
| `model.onnx` | `{model}` |
| `vocab.txt` | `{vocabulary}` |
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="the wheel with the published weights")
    parser.add_argument("--into", type=Path, default=FOLDER, help="where the files go")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--go-on", action="store_true", help="go on from the file that is there, not from the start")
    options = parser.parse_args()
    logging.getLogger().setLevel(logging.ERROR)
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as name:
        files = published(options.wheel or fetched(Path(name)))
        weights = load(files["model.safetensors"])
        texts = Texts(WordPiece(files["vocab.txt"].decode().rstrip("\n").split("\n")))
        rows = [row for row in exchanges() if row["act"] == "correction" and row["near"]]
        unseen, seen = ([row for row in rows if is_held_out(row) is wanted] for wanted in (True, False))
        first = {**weights, **shipped(options.into / "model.onnx")} if options.go_on else weights
        report(Moments(first), texts, unseen)
        model = train(weights, first, texts, seen, seed=options.seed, epochs=options.epochs, unseen=unseen)
        model.eval()
        made = quantised(network({**weights, **_published_names(model)}), Path(name))
    options.into.mkdir(parents=True, exist_ok=True)
    (options.into / "model.onnx").write_bytes(made)
    (options.into / "vocab.txt").write_bytes(files["vocab.txt"])
    notice = NOTICE.format(
        published=PUBLISHED["model.safetensors"], model=digest(made), vocabulary=PUBLISHED["vocab.txt"]
    )
    (options.into / "NOTICE.md").write_text(notice, encoding="utf-8")
    print(f"{digest(made)}  model.onnx  {len(made):,} bytes")
    print("heedful/providers/embedder.py needs this sum, and a new name: vectors differ.")


def _published_names(model: Moments) -> dict[str, Any]:
    """What was trained, under its published names; the embeddings of words and places were not."""
    found = model.exported()
    norm = {f"embeddings.LayerNorm.{part}": found[f"norm.{part}"] for part in ("weight", "bias")}
    return norm | {name: value for name, value in found.items() if name.startswith("encoder.")}


if __name__ == "__main__":
    main()
