"""MiniLM in torch: what the reader and the embedder are trained from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from training.minilm import EPSILON, HEADS, LAYERS, WIDTH

DROPOUT = 0.1
NAMES = {  # of a layer's parts in the published weights
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "out": "attention.output.dense", "first": "attention.output.LayerNorm", "wide": "intermediate.dense",
    "narrow": "output.dense", "second": "output.LayerNorm",
}  # fmt: skip


class Layer(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.first, self.second = (nn.LayerNorm(WIDTH, eps=EPSILON) for _ in range(2))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, hidden: Any, bias: Any) -> Any:
        batch, length, _ = hidden.shape

        def heads(values: Any) -> Any:
            return values.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)

        scores = heads(self.query(hidden)) @ heads(self.key(hidden)).transpose(-1, -2) / (WIDTH // HEADS) ** 0.5
        mixed = self.drop(functional.softmax(scores + bias, -1)) @ heads(self.value(hidden))
        attended = self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH))
        hidden = self.first(hidden + self.drop(attended))
        return self.second(hidden + self.drop(self.narrow(functional.gelu(self.wide(hidden)))))


class Encoder(nn.Module):  # type: ignore[misc]
    """Tokens in, a vector for each out. The embeddings of words and places are not trained."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        super().__init__()
        first_type = weights["embeddings.token_type_embeddings.weight"][0]
        self.words = nn.Embedding.from_pretrained(torch.tensor(weights["embeddings.word_embeddings.weight"]))
        places = weights["embeddings.position_embeddings.weight"] + first_type
        self.places = nn.Embedding.from_pretrained(torch.tensor(places))
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.drop = nn.Dropout(DROPOUT)
        _copy(self.norm, weights, "embeddings.LayerNorm")
        for number, layer in enumerate(self.layers):
            for own, theirs in NAMES.items():
                _copy(getattr(layer, own), weights, f"encoder.layer.{number}.{theirs}")

    def embedded(self, ids: Any) -> Any:
        return self.words(ids) + self.places(torch.arange(ids.shape[1]))[None]

    def encoded(self, hidden: Any, mask: Any) -> Any:
        hidden = self.drop(self.norm(hidden))
        bias = (mask[:, None, None, :] - 1) * 1e9
        for layer in self.layers:
            hidden = layer(hidden, bias)
        return hidden

    def exported(self) -> dict[str, Any]:
        """The weights under the names that `minilm.py` builds layers from."""
        found = {name: value.detach().numpy() for name, value in self.state_dict().items()}
        return named_layers(found, "encoder.layer", LAYERS)


def named_layers(weights: dict[str, Any], name: str, layers: int) -> dict[str, Any]:
    for number in range(layers):
        for own, theirs in NAMES.items():
            for part in ("weight", "bias"):
                weights[f"{name}.{number}.{theirs}.{part}"] = weights.pop(f"layers.{number}.{own}.{part}")
    return weights


def _copy(part: Any, weights: Mapping[str, Any], name: str) -> None:
    with torch.no_grad():
        part.weight.copy_(torch.tensor(weights[f"{name}.weight"]))
        part.bias.copy_(torch.tensor(weights[f"{name}.bias"]))
