"""The reader's network: in torch, to be trained, and as an ONNX file, to be shipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple, Protocol

import torch
from onnx import TensorProto
from torch import nn
from torch.nn import functional

from heedful.records.insight import InsightCategory
from heedful.records.reading import Answer, Bearing, MessageAct, StatementKind
from training.encoder import DROPOUT, Encoder, named_layers
from training.minilm import LAYERS, WIDTH, Graph, Weights, transformed

ACTS = list(MessageAct)
POINTERS = ("sentence", "wrong_start", "wrong_end", "right_start", "right_end", "named_start", "named_end")
"""What each token is scored for; `named` are the wrong words as the message names them. Token 0 stands for none."""
KINDS = ["none", *StatementKind]
ANSWERS = list(Answer)
BEARINGS = list(Bearing)
LIKENESS_LAYERS = 3
"""The layers of corrections whose vectors tell how alike tokens are."""
EDGES, ALONE, CATEGORIES = 2, 1, list(InsightCategory)
"""What each token of a statement is scored for beside its kind: it is the first, it is the last, the statement stands
alone, and its category."""
_VECTORS: list[str | int] = ["batch", "sequence", WIDTH]
COLUMNS = len(KINDS) + EDGES + ALONE + len(CATEGORIES)


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
        self.act = nn.Linear(2 * WIDTH, len(ACTS))
        self.always, self.manner = nn.Linear(2 * WIDTH, 1), nn.Linear(2 * WIDTH, 1)
        self.pointers = nn.Linear(WIDTH, len(POINTERS))
        self.repeats = nn.Linear(2 * WIDTH, 1)

    def pooled(self, ids: Any, segments: Any, shared: Any, mask: Any) -> tuple[Any, Any]:
        hidden = self.encoded(self.embedded(ids) + self.segments(segments) + self.shared(shared), mask)
        return hidden, self.drop(means(hidden, segments, mask))

    def embed(self, ids: Any, segments: Any, shared: Any) -> Any:
        """A vector for each token, before all layers."""
        return self.norm(self.embedded(ids) + self.segments(segments) + self.shared(shared))

    def forward(self, *inputs: Any) -> tuple[Any, Any, Any, Any]:
        hidden, pooled = self.pooled(*inputs)
        return self.act(pooled), self.always(pooled)[:, 0], self.manner(pooled)[:, 0], self.pointers(hidden)

    def passage(self, inputs: Sequence[Any]) -> Any:
        """Whether a passage makes the mistake again."""
        return self.repeats(self.pooled(*inputs)[1])[:, 0]

    def heads(self) -> list[Any]:
        parts = [self.act, self.always, self.manner, self.pointers, self.segments, self.shared, self.repeats]
        return [parameter for part in parts for parameter in part.parameters()]


class StatementBranch(nn.Module):  # type: ignore[misc]
    """Layers of its own on the shared embeddings, and the heads for statements."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(layer) for layer in network.layers)
        self.statements = nn.Linear(WIDTH, COLUMNS)
        self.answers = nn.Linear(2 * WIDTH, len(ANSWERS))
        self.ends = nn.Linear(WIDTH, 1)
        """Whether a sentence ends something that was said before."""
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, hidden: Any, mask: Any, segments: Any) -> tuple[Any, Any, Any]:
        bias = (mask[:, None, None, :] - 1) * 1e9
        for layer in self.layers:
            hidden = layer(hidden, bias)
        own = self.drop(hidden)
        return self.statements(own), self.answers(self.drop(means(hidden, segments, mask))), self.ends(own)

    def exported(self) -> dict[str, Any]:
        found = {name: value.detach().numpy() for name, value in self.state_dict().items()}
        return named_layers(found, "statements.layer", len(self.layers))


class BearingBranch(nn.Module):  # type: ignore[misc]
    """Layers of its own on the shared embeddings, and the head for what a message does to what is remembered."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.layers = nn.ModuleList(deepcopy(layer) for layer in network.layers)
        self.bearings = nn.Linear(2 * WIDTH, len(BEARINGS))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, hidden: Any, mask: Any, segments: Any) -> Any:
        bias = (mask[:, None, None, :] - 1) * 1e9
        for layer in self.layers:
            hidden = layer(hidden, bias)
        return self.bearings(self.drop(means(hidden, segments, mask)))

    def exported(self) -> dict[str, Any]:
        found = {name: value.detach().numpy() for name, value in self.state_dict().items()}
        return named_layers(found, "bearings.layer", len(self.layers))


def means(hidden: Any, segments: Any, mask: Any) -> Any:
    """The first token, and the mean of the message or the later passage."""
    own = ((segments == segments[:, :1]) * mask).unsqueeze(-1)
    return torch.cat([hidden[:, 0], (hidden * own).sum(1) / own.sum(1)], -1)


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


def embeddings_graph(weights: Weights) -> Any:
    """A vector for each token, of token numbers, segments and marks."""
    graph = Graph(weights)
    places = graph.node(
        "Slice", graph.weight("places.weight"), graph.numbers(0), graph.node("Shape", "ids", start=1, end=2),
        graph.numbers(0),
    )  # fmt: skip
    hidden = graph.node("Add", graph.node("Gather", graph.weight("words.weight"), "ids"), places)
    for name in ("segments", "shared"):
        hidden = graph.node("Add", hidden, graph.node("Gather", graph.weight(f"{name}.weight"), name))
    outputs: dict[str, tuple[str, list[str | int]]] = {"hidden": (graph.normed("norm", hidden), _VECTORS)}
    return graph.finished("embeddings", ("ids", "segments", "shared"), outputs)


def corrections_graph(weights: Weights) -> Any:
    graph = Graph(weights)
    middle = _layers(graph, "encoder.layer", range(LIKENESS_LAYERS), "hidden")
    hidden = _layers(graph, "encoder.layer", range(LIKENESS_LAYERS, LAYERS), middle)
    pooled = pooled_graph(graph, hidden)
    outputs: dict[str, tuple[str, list[str | int]]] = {
        "acts": (graph.node("Softmax", graph.linear("act", pooled), axis=-1), ["batch", len(ACTS)]),
        "always": (graph.node("Sigmoid", graph.linear("always", pooled)), ["batch", 1]),
        "manner": (graph.node("Sigmoid", graph.linear("manner", pooled)), ["batch", 1]),
        "pointers": (graph.linear("pointers", hidden), ["batch", "sequence", len(POINTERS)]),
        "repeats": (graph.node("Sigmoid", graph.linear("repeats", pooled)), ["batch", 1]),
        "middle": (middle, _VECTORS),
    }
    return graph.finished("corrections", ("segments",), outputs, vectors=("hidden",))


def statements_graph(weights: Weights) -> Any:
    graph = Graph(weights)
    hidden = _layers(graph, "statements.layer", range(LAYERS), "hidden")
    answers = graph.node("Softmax", graph.linear("answers", pooled_graph(graph, hidden)), axis=-1)
    outputs: dict[str, tuple[str, list[str | int]]] = {
        "statements": (graph.linear("statements", hidden), ["batch", "sequence", COLUMNS]),
        "answers": (answers, ["batch", len(ANSWERS)]),
        "ends": (graph.linear("ends", hidden), ["batch", "sequence", 1]),
    }
    return graph.finished("statements", ("segments",), outputs, vectors=("hidden",))


def bearings_graph(weights: Weights) -> Any:
    graph = Graph(weights)
    hidden = _layers(graph, "bearings.layer", range(LAYERS), "hidden")
    chances = graph.node("Softmax", graph.linear("bearings", pooled_graph(graph, hidden)), axis=-1)
    outputs: dict[str, tuple[str, list[str | int]]] = {"bearings": (chances, ["batch", len(BEARINGS)])}
    return graph.finished("bearings", ("segments",), outputs, vectors=("hidden",))


def _layers(graph: Graph, name: str, numbers: range, hidden: str) -> str:
    bias = graph.scalar("none_masked", 0.0)
    for number in numbers:
        hidden = transformed(graph, f"{name}.{number}", hidden, bias)
    return hidden


def pooled_graph(graph: Graph, hidden: str) -> str:
    first_segment = graph.node("Slice", "segments", graph.numbers(0), graph.numbers(1), graph.numbers(1))
    own = graph.node("Cast", graph.node("Equal", "segments", first_segment), to=TensorProto.FLOAT)
    own = graph.node("Unsqueeze", own, graph.numbers(2))
    total = graph.node("ReduceSum", graph.node("Mul", hidden, own), graph.numbers(1), keepdims=0)
    mean = graph.node("Div", total, graph.node("ReduceSum", own, graph.numbers(1), keepdims=0))
    first = graph.node("Squeeze", graph.node("Slice", hidden, graph.numbers(0), graph.numbers(1), graph.numbers(1)),
                       graph.numbers(1))  # fmt: skip
    return graph.node("Concat", first, mean, axis=-1)
