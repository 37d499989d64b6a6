"""What the reader learns from, as tokens: exchanges, and later passages."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from heedful.providers.exchange_encoding import (
    EncodedExchange,
    EncodedPassage,
    encoded,
    encoded_passage,
)
from heedful.providers.wordpiece import TextToken, WordPiece
from heedful.records.reading import Exchange
from training.rows import Row, exchange, mistake

HERE = Path(__file__).parent
TURNS = Path("a_correction_detection", "feedback_turns.jsonl")
LICENCES = frozenset({"Apache-2.0", "CC0-1.0"})


class Example(NamedTuple):
    encoded: EncodedExchange
    row: Mapping[str, Any] | None
    """None for a turn of which only `correction` is known."""
    correction: bool
    spans: tuple[tuple[int, int], ...]
    """Start and end of wrong, right and named; (0, 0) for none."""
    sentence: tuple[int, ...]
    """The tokens of the corrected sentence."""


class PassageExample(NamedTuple):
    """A later passage beside a corrected mistake."""

    encoded: EncodedPassage
    repeats: bool
    """It makes the mistake again."""


def example(words: WordPiece, row: Row) -> Example:
    made = encoded(words, exchange(row))
    about = row["output"].find(row["about"]) if row["about"] else -1
    wrong = row["output"].find(row["wrong"], max(about, 0)) if row["wrong"] else -1
    sentence = _tokens(made.output, made.output_start, about, len(row["about"]))
    found = (
        _tokens(made.output, made.output_start, wrong, len(row["wrong"])),
        *(
            _tokens(made.message, 1, row["message"].find(row[name]) if row[name] else -1, len(row[name]))
            for name in ("right_in_message", "wrong_in_message")
        ),
    )
    ends = tuple((tokens[0], tokens[-1]) for tokens in found)
    return Example(made, row if row["act"] else None, row["act"] == "correction", ends, tuple(sentence))


def _tokens(pieces: Sequence[TextToken], first: int, at: int, length: int) -> list[int]:
    """The indexes of the tokens of a passage; [0] if there is none."""
    if at < 0:
        return [0]
    inside = [first + number for number, piece in enumerate(pieces) if piece.start < at + length and piece.end > at]
    return inside or [0]


class Repetitions:
    """Texts that make a corrected mistake again, and texts in which the same words are right."""

    def __init__(self, words: WordPiece, rows: Sequence[Row], share: float) -> None:
        self._share = share
        self._all = [
            PassageExample(encoded_passage(words, text, mistake(row)), name == "again")
            for row in rows
            for name in ("again", "other")
            for text in row.get(name, ())
        ]

    def examples(self, chance: random.Random) -> list[PassageExample]:
        return chance.sample(self._all, int(self._share * len(self._all)))


def turns(words: WordPiece, folder: Path) -> list[Example]:
    """Labelled turns of public conversations."""
    found = []
    for line in (folder / TURNS).open("rb"):
        row = orjson.loads(line)
        if row["label"] is not None and row["licence"] in LICENCES:
            exchange = Exchange(row.get("prev_user") or "", row["prev_assistant"] or "", row["user"] or "")
            found.append(Example(encoded(words, exchange), None, bool(row["label"]), ((0, 0),) * 3, (0,)))
    return found


def sentences(words: WordPiece) -> list[Example]:
    """The outputs and messages that the detector was trained on."""
    chance, found = random.Random(5), []
    for block in orjson.loads((HERE / "sentences.json").read_bytes()):
        for kind in ("corrections", "others"):
            for message in block[kind]:
                exchange = Exchange("", chance.choice(block["outputs"]), message)
                found.append(Example(encoded(words, exchange), None, kind == "corrections", ((0, 0),) * 3, (0,)))
    return found
