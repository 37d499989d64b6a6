"""The built-in embedder: a small English model that runs on one core, without network or account."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heedful.providers.onnx import once, session, verified
from heedful.providers.wordpiece import WordPiece

if TYPE_CHECKING:
    from heedful.records.embedding import Vectors

_FOLDER = Path(__file__).parent / "minilm"
_MODEL, _VOCABULARY = "model.onnx", "vocab.txt"
_SUMS = {  # a file with another checksum gives other vectors, and needs another name
    _MODEL: "c43d3ee5b2d47a44c14a930cce6d438882f9e93cec88acea27d2492ab5478aad",
    _VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
_DIMENSIONS = 384
_RECENT = 1_024  # texts; a new learning is looked up and stored, a query is asked again: 4 MB at most


class LocalEmbedder:
    """all-MiniLM-L6-v2 with 8-bit weights; reads the first 256 tokens of a text, about 200 words.

    Thread-safe. The model is loaded with the first text, once per process.
    """

    name = "minilm-moments-3"
    dimensions = _DIMENSIONS

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._folder = folder

    def embed(self, texts: Sequence[str]) -> Vectors:
        model = once(self._folder, _loaded)
        import numpy as np

        vectors = np.empty((len(texts), _DIMENSIONS), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = model.vector(text)
        return vectors


class _Model:
    """Embeds one text at a time: activations share one scale, so a batch would change the vector of a text."""

    def __init__(self, session: Any, words: WordPiece) -> None:
        self._session = session
        self._words = words
        self._recent = lru_cache(_RECENT)(self._run)

    def vector(self, text: str) -> Any:
        import numpy as np

        # The cache key is the beginning that the model sees, so that a long text takes no more memory.
        return self._recent(np.array(self._words.pieces(text), np.int64).tobytes())

    def _run(self, pieces: bytes) -> Any:
        import numpy as np

        ids = np.frombuffer(pieces, np.int64)[np.newaxis]
        (vectors,) = self._session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return vectors[0]


def _loaded(folder: Path) -> _Model:
    vocabulary = verified(folder / _VOCABULARY, _SUMS[_VOCABULARY]).read_text(encoding="utf-8")
    model = session(verified(folder / _MODEL, _SUMS[_MODEL]))
    return _Model(model, WordPiece(vocabulary.rstrip("\n").split("\n")))
