"""The model of the reader: embeddings that all reading shares, and a part for each thing that is read.

They are files of their own because onnxruntime computes all of a file, whichever output is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from heedful.providers.onnx import once, session, verified
from heedful.providers.wordpiece import WordPiece

EMBEDDINGS: Final = "embeddings.onnx"
CORRECTIONS: Final = "corrections.onnx"
STATEMENTS: Final = "statements.onnx"
BEARINGS: Final = "bearings.onnx"
FOLDER: Final = Path(__file__).parent / "reader_model"
_VOCABULARY = Path(__file__).parent / "minilm" / "vocab.txt"
_VOCABULARY_SUM = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
_SUMS = {
    EMBEDDINGS: "cc06dc9197eedf0fe8becb6ce354a86974a222f3359e9cc2215a9133caa79429",
    CORRECTIONS: "aced3fa9d027351cdfc89a48f347a669d139276f43d63e6a0bddf3ad78aa10ee",
    BEARINGS: "55e07dca97f776d0edc99c3f342fa06b0fd88f92de00aff04db17430521625ad",
    STATEMENTS: "9dff623913efd37e9e7325599720c46fa4806d955e160e0ed54a3ddb52e3a8e3",
}


def run(folder: Path, part: str, outputs: Sequence[str], inputs: Mapping[str, Any]) -> list[Any]:
    """What a part makes of token numbers, segments and marks, each of one row."""
    (hidden,) = _session(folder / EMBEDDINGS).run(["hidden"], inputs)
    made: list[Any] = _session(folder / part).run(outputs, {"hidden": hidden, "segments": inputs["segments"]})
    return made


def vocabulary() -> WordPiece:
    return once(_VOCABULARY, _words)


def _words(path: Path) -> WordPiece:
    return WordPiece(verified(path, _VOCABULARY_SUM).read_text(encoding="utf-8").rstrip("\n").split("\n"))


def _session(path: Path) -> Any:
    return once(path, lambda path: session(verified(path, _SUMS[path.name])))
