"""The exchanges that the reader and the embedder are trained on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from heedful.learnings.kinds.correction import CorrectionWording, opening_of
from heedful.records.embedding import ASPECTS
from heedful.records.reading import CorrectedMistake, Exchange
from training.plain_forms import minimal

Row = Mapping[str, Any]

_FOLDER, _SHORT = Path(__file__).parent / "exchanges", Path(__file__).parent / "short"


def exchanges(first: int = 1) -> list[dict[str, Any]]:
    """Those in the files from this number on."""
    files = sorted(file for file in _FOLDER.glob("*.jsonl") if int(file.stem) >= first)
    return [minimal(orjson.loads(line)) for file in files for line in file.open("rb")]


def short() -> list[dict[str, Any]]:
    """What people say of a short answer in a few words."""
    files = sorted(_SHORT.glob("*.jsonl"))
    return [minimal(orjson.loads(line)) for file in files for line in file.open("rb")]


def is_for_pairs(row: Row) -> bool:
    """A third of the short ones, unknown to the reader, teaches which words are meant."""
    return _digest(row) % 3 == 0


def is_held_out(row: Row) -> bool:
    """A tenth, not trained on, gives the figures."""
    return _digest(row) % 10 == 0


def _digest(row: Row) -> int:
    return int(hashlib.md5(f"{row['message']}{row['output']}".encode()).hexdigest(), 16)


def is_manner(row: Row) -> bool | None:
    """Whether a correction is about how the AI writes or works; None if it is not known. What always holds, and is
    about nothing in the output, mostly is."""
    if "manner" in row:
        return bool(row["manner"])
    if row["wrong"] or not row["always"]:
        return False
    return None if row["about"] else True


def exchange(row: Row) -> Exchange:
    return Exchange(row["question"], row["output"], row["message"])


def mistake(row: Row) -> CorrectedMistake:
    return CorrectedMistake(row["question"], row["about"], row["message"], row["wrong"])


def aspects(row: Row) -> list[str]:
    """What heedful embeds of a correction: its vector is the sum of their directions."""
    told = {"query": row["question"], "context": row["about"], "said": row["message"]}
    words = CorrectionWording(**told, opening=opening_of(row["output"], row["about"]))
    return words.gist().split(ASPECTS)
