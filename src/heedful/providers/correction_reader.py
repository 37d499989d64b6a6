"""The built-in reader of corrections: a small model that runs on one core, without network or account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from heedful.providers import pointers
from heedful.providers.bearing_encoding import EncodedBearing, encoded_bearing
from heedful.providers.exchange_encoding import (
    EncodedExchange,
    EncodedPassage,
    encoded,
    encoded_passage,
)
from heedful.providers.reader_parts import BEARINGS, CORRECTIONS, FOLDER, STATEMENTS, run, vocabulary
from heedful.providers.stated import stated
from heedful.providers.statement_encoding import EncodedStatements, encoded_statements, person_sentences
from heedful.providers.token_likeness import TokenLikeness
from heedful.records.reading import (
    Answer,
    Bearing,
    CorrectedMistake,
    Exchange,
    LikelyStatement,
    MessageAct,
    MessageReading,
    Reading,
)
from heedful.text.sentences import Span

_RECENT = 1_024  # passages and questions: the same is asked again
_ACTS, _ANSWERS, _BEARINGS = tuple(MessageAct), tuple(Answer), tuple(Bearing)


class LocalReader:
    """Thread-safe. The model is loaded with the first exchange, once per process."""

    name = "reader-7"

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder

    def read(self, exchange: Exchange) -> Reading:
        made = encoded(vocabulary(), exchange)
        inputs = _inputs(made)
        wanted = ["acts", "always", "manner", "pointers", "middle"]
        acts, always, manner, scores, middle = run(self._folder, CORRECTIONS, wanted, inputs)
        found = pointers.pointed(scores[0], made)
        return Reading(
            act=_ACTS[int(acts[0].argmax())],
            correction=float(acts[0, _ACTS.index(MessageAct.CORRECTION)]),
            always=float(always[0, 0]),
            manner=float(manner[0, 0]),
            sentence=pointers.sentence(found, made, exchange.output),
            wrong=pointers.wrong(found, made, exchange.output),
            right=pointers.right(found, made, exchange.message),
            named=pointers.named(found, made, exchange.message),
            likeness=TokenLikeness(middle[0], made),
        )

    def repeats(self, passage: str, mistake: CorrectedMistake) -> float:
        return _recent(self._folder, CORRECTIONS, "repeats", encoded_passage(vocabulary(), passage, mistake))[0]

    def message(self, text: str, before: str) -> MessageReading:
        found: list[LikelyStatement] = []
        answers: Any = None
        for made in encoded_statements(vocabulary(), text, person_sentences(text), before):
            scores, replies, ends = run(self._folder, STATEMENTS, ["statements", "answers", "ends"], _inputs(made))
            found += stated(scores[0], made, ends=ends[0])
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
        found: list[LikelyStatement] = []
        for made in encoded_statements(vocabulary(), text, sentences, task, by_agent=True):
            (scores,) = run(self._folder, STATEMENTS, ["statements"], _inputs(made))
            found += stated(scores[0], made)
        return tuple(found)

    def bearing(self, message: str, remembered: str) -> Mapping[Bearing, float]:
        made = encoded_bearing(vocabulary(), message, remembered)
        return dict(zip(_BEARINGS, _recent(self._folder, BEARINGS, "bearings", made), strict=True))


def _recent(folder: Path, part: str, output: str, made: EncodedPassage | EncodedBearing) -> tuple[float, ...]:
    import numpy as np

    return _remembered(folder, part, output, *(np.array(values, np.int64).tobytes() for values in made))


@lru_cache(_RECENT)
def _remembered(folder: Path, part: str, output: str, *encoded: bytes) -> tuple[float, ...]:
    import numpy as np

    ids, segments, shared = (np.frombuffer(values, np.int64)[np.newaxis] for values in encoded)
    (chances,) = run(folder, part, [output], {"ids": ids, "segments": segments, "shared": shared})
    return tuple(map(float, chances[0]))


def _inputs(made: EncodedExchange | EncodedStatements) -> dict[str, Any]:
    import numpy as np

    named = {"ids": made.ids, "segments": made.segments, "shared": made.shared}
    return {name: np.array([values], np.int64) for name, values in named.items()}
