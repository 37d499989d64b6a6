"""The weights of files that ship, to go on from: as exact as eight bits can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from training.encoder import NAMES

_KERNELS = frozenset({"MatMul", "MatMulInteger"})


def shipped(file: Path) -> dict[str, NDArray[Any]]:
    """Under their names in the graph, linear layers as torch has them."""
    graph = onnx.load(file).graph
    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    kernels = {
        name.removesuffix("_quantized") for node in graph.node if node.op_type in _KERNELS for name in node.input
    }
    found = {}
    for name, kept in stored.items():
        if name.endswith(("_scale", "_zero_point")):
            continue
        plain = name.removesuffix("_quantized")
        value = _unrounded(stored, plain) if plain != name else kept
        found[plain] = np.ascontiguousarray(value.T if plain in kernels else value, np.float32)
    return found


def _unrounded(stored: dict[str, NDArray[Any]], name: str) -> NDArray[Any]:
    rounded, zero = (stored[f"{name}_{part}"].astype(np.float32) for part in ("quantized", "zero_point"))
    scale: NDArray[Any] = stored[f"{name}_scale"]
    return np.asarray((rounded - zero) * scale)


def state(weights: dict[str, NDArray[Any]], layers: str = "encoder.layer") -> dict[str, NDArray[Any]]:
    """The same under the names of `Network`, or of a branch of it, whose `layers` have other names in the graph."""
    theirs = {f"{theirs}.{part}": f"{own}.{part}" for own, theirs in NAMES.items() for part in ("weight", "bias")}
    found = {}
    for name, value in weights.items():
        number, _, part = name.removeprefix(f"{layers}.").partition(".")
        found[f"layers.{number}.{theirs[part]}" if name.startswith(f"{layers}.") else name] = value
    return found
