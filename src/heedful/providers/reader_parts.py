"""The model of the reader: layers that all reading shares, and one part for corrections and one for statements.

They are files of their own because onnxruntime computes all of a file, whichever output is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from heedful.providers.onnx import once, session, verified
from heedful.providers.wordpiece import WordPiece

SHARED: Final = "shared.onnx"
CORRECTIONS: Final = "corrections.onnx"
STATEMENTS: Final = "statements.onnx"
FOLDER: Final = Path(__file__).parent / "reader_model"
_VOCABULARY = Path(__file__).parent / "minilm" / "vocab.txt"
_VOCABULARY_SUM = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
_SUMS = {
    SHARED: "39f4607790bcc0381a36cc60cd07efceeae9b514f1040ab0651e1c51b953d1f8",
    CORRECTIONS: "3ddce3fac237a775f086fdd0d0c64925062e51dc490bbf5b74a46142d3bff650",
    STATEMENTS: "1d6d13559fe976957178884d0bcafa1fdd9817b35052db0a3943d04643c298db",
}


def run(folder: Path, part: str, outputs: Sequence[str], inputs: Mapping[str, Any]) -> list[Any]:
    """What a part makes of token numbers, segments and marks, each of one row."""
    return run_part(folder, part, outputs, inputs, run_shared(folder, inputs))


def run_shared(folder: Path, inputs: Mapping[str, Any]) -> Any:
    """A vector for each token, by the shared layers."""
    (hidden,) = _session(folder / SHARED).run(["hidden"], inputs)
    return hidden


def run_part(folder: Path, part: str, outputs: Sequence[str], inputs: Mapping[str, Any], hidden: Any) -> list[Any]:
    made: list[Any] = _session(folder / part).run(outputs, {"hidden": hidden, "segments": inputs["segments"]})
    return made


def vocabulary() -> WordPiece:
    return once(_VOCABULARY, _words)


def _words(path: Path) -> WordPiece:
    return WordPiece(verified(path, _VOCABULARY_SUM).read_text(encoding="utf-8").rstrip("\n").split("\n"))


def _session(path: Path) -> Any:
    return once(path, lambda path: session(verified(path, _SUMS[path.name])))
