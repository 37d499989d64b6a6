"""The built-in reader of corrections: a small model that runs on one core, without network or account."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from heedful.providers import pointers
from heedful.providers.exchange_encoding import (
    EncodedExchange,
    EncodedPassage,
    encoded,
    encoded_passage,
    encoded_question,
)
from heedful.providers.onnx import session, verified
from heedful.providers.stated import stated
from heedful.providers.statement_encoding import EncodedStatements, encoded_statements, person_sentences
from heedful.providers.wordpiece import WordPiece
from heedful.records.reading import (
    Answer,
    CorrectedMistake,
    Exchange,
    LikelyStatement,
    MessageAct,
    MessageReading,
    Reading,
)
from heedful.text.sentences import Span

_FOLDER = Path(__file__).parent / "reader_model"
_VOCABULARY = Path(__file__).parent / "minilm" / "vocab.txt"
_SUMS = {
    "model.onnx": "b26d6b9e94056aca94f83d3964c554851c65164b96636fd5dc05fe8b8a37d150",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
_RECENT = 1_024  # passages and questions: the same is asked again
_ACTS, _ANSWERS = tuple(MessageAct), tuple(Answer)


class LocalReader:
    """Thread-safe. The model is loaded with the first exchange, once per process."""

    name = "reader-2"

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._folder = folder

    def read(self, exchange: Exchange) -> Reading:
        words, model = _loaded(self._folder)
        made = encoded(words, exchange)
        acts, always, scores = model.run(["acts", "always", "pointers"], _inputs(made))
        found = pointers.pointed(scores[0], made)
        wrong, right = pointers.wrong(found, made, exchange.output), pointers.right(found, made, exchange.message)
        return Reading(
            act=_ACTS[int(acts[0].argmax())],
            correction=float(acts[0, _ACTS.index(MessageAct.CORRECTION)]),
            always=float(always[0, 0]),
            sentence=pointers.sentence(found, made, exchange.output),
            wrong=exchange.output[wrong.start : wrong.end],
            right=exchange.message[right.start : right.end],
            pair=wrong.chance * right.chance,
        )

    def repeats(self, passage: str, mistake: CorrectedMistake) -> float:
        words, model = _loaded(self._folder)
        return _chance(model, "repeats", encoded_passage(words, passage, mistake))

    def matters(self, question: str, mistake: CorrectedMistake) -> float:
        words, model = _loaded(self._folder)
        return _chance(model, "matters", encoded_question(words, question, mistake))

    def message(self, text: str, before: str) -> MessageReading:
        words, model = _loaded(self._folder)
        found: list[LikelyStatement] = []
        answers: Any = None
        for made in encoded_statements(words, text, person_sentences(text), before):
            scores, replies = model.run(["statements", "answers"], _inputs(made))
            found += stated(scores[0], made, by_agent=False)
            answers = replies[0] if answers is None else answers  # people say first how they take it
        if answers is None:
            return MessageReading((), Answer.NONE, 0.0, 0.0)
        return MessageReading(
            tuple(found),
            _ANSWERS[int(answers.argmax())],
            refused=float(answers[_ANSWERS.index(Answer.REFUSES)]),
            accepted=float(answers[_ANSWERS.index(Answer.ACCEPTS)]),
        )

    def findings(self, text: str, sentences: Sequence[Span], task: str) -> tuple[LikelyStatement, ...]:
        words, model = _loaded(self._folder)
        found: list[LikelyStatement] = []
        for made in encoded_statements(words, text, sentences, task, by_agent=True):
            (scores,) = model.run(["statements"], _inputs(made))
            found += stated(scores[0], made, by_agent=True)
        return tuple(found)


def _chance(model: Any, head: str, made: EncodedPassage) -> float:
    import numpy as np

    return _recent(model, head, *(np.array(values, np.int64).tobytes() for values in made))


@lru_cache(_RECENT)
def _recent(model: Any, head: str, *encoded: bytes) -> float:
    import numpy as np

    ids, segments, shared = (np.frombuffer(values, np.int64)[np.newaxis] for values in encoded)
    (chance,) = model.run([head], {"ids": ids, "segments": segments, "shared": shared})
    return float(chance[0, 0])


def _inputs(made: EncodedExchange | EncodedPassage | EncodedStatements) -> dict[str, Any]:
    import numpy as np

    named = {"ids": made.ids, "segments": made.segments, "shared": made.shared}
    return {name: np.array([values], np.int64) for name, values in named.items()}


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
