"""The built-in reader of corrections: a small model that runs on one core, without network or account."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from heedful.providers.exchange_encoding import EncodedExchange, encoded
from heedful.providers.onnx import session, verified
from heedful.providers.wordpiece import TextToken, WordPiece
from heedful.records.reading import Exchange, MessageAct, Reading
from heedful.text.sentences import spans

_FOLDER = Path(__file__).parent / "reader_model"
_VOCABULARY = Path(__file__).parent / "minilm" / "vocab.txt"
_SUMS = {
    "model.onnx": "0bd223bb359421d2f13065625d19be3ab0d969ea02c0fe1eb30a9f02f605868d",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
_ACTS = tuple(MessageAct)
_NONE = 0  # the token that a pointer chooses for "nowhere"
_LEAST_START = 0.01  # probability from which a span may start at a token
_LONGEST_SPAN = 25  # tokens
_NO_SENTENCE = 0.5  # probability
_LEAST_PAIR = 0.05  # a less probable pair is not reported at all


class LocalReader:
    """Thread-safe. The model is loaded with the first exchange, once per process."""

    name = "reader-1"

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._folder = folder

    def read(self, exchange: Exchange) -> Reading:
        words, model = _loaded(self._folder)
        made = encoded(words, exchange)
        acts, always, pointers = _run(model, made)
        wrong = _span(pointers[1], pointers[2], made.output)
        right = _span(pointers[3], pointers[4], made.message)
        pair = wrong[0] * right[0]
        is_pair = pair >= _LEAST_PAIR
        return Reading(
            act=_ACTS[int(acts.argmax())],
            correction=float(acts[_ACTS.index(MessageAct.CORRECTION)]),
            always=float(always),
            sentence=_sentence(pointers[0], made, exchange.output),
            wrong=exchange.output[wrong[1] : wrong[2]] if is_pair else "",
            right=exchange.message[right[1] : right[2]] if is_pair else "",
            pair=pair,
        )


def _inputs(made: EncodedExchange) -> dict[str, Any]:
    import numpy as np

    named = {"ids": made.ids, "segments": made.segments, "shared": made.shared}
    return {name: np.array([values], np.int64) for name, values in named.items()}


def _run(model: Any, made: EncodedExchange) -> tuple[Any, float, list[Any]]:
    """The probabilities of the acts, of `always`, and for each pointer those of its tokens: first none, then those of
    the output or the message."""
    acts, always, pointers = model.run(["acts", "always", "pointers"], _inputs(made))
    output = [_NONE, *range(made.output_start, made.output_start + len(made.output))]
    message = [_NONE, *range(1, 1 + len(made.message))]
    scores = [pointers[0, output if number < 3 else message, number] for number in range(pointers.shape[2])]
    return acts[0], always[0, 0], [_softmax(values) for values in scores]


def _softmax(scores: Any) -> Any:
    import numpy as np

    raised = np.exp(scores - scores.max())
    return raised / raised.sum()


def _span(starts: Any, ends: Any, pieces: Sequence[TextToken]) -> tuple[float, int, int]:
    """The most probable span: its probability, and its first and last position in the text."""
    best = (0.0, 0, 0)
    for start, piece in enumerate(pieces):
        if starts[start + 1] < _LEAST_START:
            continue
        for end in range(start, min(len(pieces), start + _LONGEST_SPAN)):
            chance = float(starts[start + 1] * ends[end + 1])
            if chance > best[0]:
                best = (chance, piece.start, pieces[end].end)
    return best


def _sentence(chances: Any, made: EncodedExchange, output: str) -> str:
    """The most probable sentence; empty if it is more probable that none is meant than that one is."""
    if chances[_NONE] > _NO_SENTENCE:
        return ""
    best, found = 0.0, ""
    for start, end in spans(output):
        inside = [number for number, piece in enumerate(made.output, 1) if start <= piece.start < end]
        chance = float(chances[inside].sum()) if inside else 0.0
        if chance > best:
            best, found = chance, output[start:end].strip()
    return found


_LOADED: dict[Path, tuple[WordPiece, Any]] = {}
_LOADING = threading.RLock()


def _loaded(folder: Path) -> tuple[WordPiece, Any]:
    if folder in _LOADED:
        return _LOADED[folder]
    with _LOADING:
        if folder not in _LOADED:
            vocabulary = verified(_VOCABULARY, _SUMS["vocab.txt"]).read_text(encoding="utf-8")
            words = WordPiece(vocabulary.rstrip("\n").split("\n"))
            _LOADED[folder] = words, session(verified(folder / "model.onnx", _SUMS["model.onnx"]))
        return _LOADED[folder]


def _in_child() -> None:
    _LOADED.clear()  # a lock held by a thread of the parent would stay locked forever
    _LOADING.release()


if hasattr(os, "register_at_fork"):
    # A fork waits until a model is loaded: a child cannot finish an import that a thread of its parent had begun.
    os.register_at_fork(before=_LOADING.acquire, after_in_parent=_LOADING.release, after_in_child=_in_child)
