"""The reader's network: in torch, to be trained, and as an ONNX file, to be shipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import torch
from onnx import TensorProto
from torch import nn
from torch.nn import functional

from heedful.records.reading import MessageAct
from training.encoder import Encoder
from training.minilm import LAYERS, WIDTH, Graph, transformed

ACTS = list(MessageAct)
POINTERS = ("sentence", "wrong_start", "wrong_end", "right_start", "right_end", "named_start", "named_end")
"""What each token is scored for; `named` are the wrong words as the message names them. Token 0 stands for none."""
PASSAGE_HEADS = ("repeats", "matters")
"""What a passage is scored for: it makes the mistake again; the correction matters for it."""


class Encoded(Protocol):
    """An example: `encoded` has the tokens."""

    @property
    def encoded(self) -> Any: ...


class Network(Encoder):
    """The encoder with embeddings of segments and shared tokens, and one head for each thing that is read."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        super().__init__(weights)
        self.segments, self.shared = nn.Embedding(4, WIDTH), nn.Embedding(3, WIDTH)
        nn.init.zeros_(self.segments.weight)
        nn.init.zeros_(self.shared.weight)
        self.act, self.always = nn.Linear(2 * WIDTH, len(ACTS)), nn.Linear(2 * WIDTH, 1)
        self.pointers = nn.Linear(WIDTH, len(POINTERS))
        self.repeats, self.matters = (nn.Linear(2 * WIDTH, 1) for _ in PASSAGE_HEADS)

    def pooled(self, ids: Any, segments: Any, shared: Any, mask: Any) -> tuple[Any, Any]:
        hidden = self.encoded(self.embedded(ids) + self.segments(segments) + self.shared(shared), mask)
        own = ((segments == segments[:, :1]) * mask).unsqueeze(-1)  # the message, or the later passage
        return hidden, self.drop(torch.cat([hidden[:, 0], (hidden * own).sum(1) / own.sum(1)], -1))

    def forward(self, *inputs: Any) -> tuple[Any, Any, Any]:
        hidden, pooled = self.pooled(*inputs)
        return self.act(pooled), self.always(pooled)[:, 0], self.pointers(hidden)

    def passage(self, head: str, inputs: Sequence[Any]) -> Any:
        return getattr(self, head)(self.pooled(*inputs)[1])[:, 0]

    def heads(self) -> list[Any]:
        parts = [self.act, self.always, self.pointers, self.segments, self.shared]
        parts += [getattr(self, head) for head in PASSAGE_HEADS]
        return [parameter for part in parts for parameter in part.parameters()]


class Batch(NamedTuple):
    inputs: tuple[Any, Any, Any, Any]
    message: Any
    """Which tokens a pointer into the message may choose."""
    output: Any


def padded(examples: Sequence[Encoded]) -> tuple[Any, Any, Any, Any]:
    lengths = [len(one.encoded.ids) for one in examples]
    longest = max(lengths)

    def filled(name: str) -> Any:
        return torch.tensor([getattr(one.encoded, name) + [0] * (longest - len(one.encoded.ids)) for one in examples])

    mask = torch.tensor([[1.0] * length + [0.0] * (longest - length) for length in lengths])
    return filled("ids"), filled("segments"), filled("shared"), mask


def batched(examples: Sequence[Encoded]) -> Batch:
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
        **{head: (graph.node("Sigmoid", graph.linear(head, pooled)), ["batch", 1]) for head in PASSAGE_HEADS},
    }
    return graph.finished("reader", ("ids", "segments", "shared"), outputs)
