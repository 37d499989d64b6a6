"""The exchanges that the reader and the embedder are trained on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from heedful.learnings.kinds.correction import CorrectionWording
from heedful.records.reading import CorrectedMistake, Exchange
from training.plain_forms import minimal

Row = Mapping[str, Any]

_FOLDER = Path(__file__).parent / "exchanges"


def exchanges(first: int = 1) -> list[dict[str, Any]]:
    """Those in the files from this number on."""
    files = sorted(file for file in _FOLDER.glob("*.jsonl") if int(file.stem) >= first)
    return [minimal(orjson.loads(line)) for file in files for line in file.open("rb")]


def is_held_out(row: Row) -> bool:
    """A tenth, not trained on, gives the figures."""
    return int(hashlib.md5(f"{row['message']}{row['output']}".encode()).hexdigest(), 16) % 10 == 0


def exchange(row: Row) -> Exchange:
    return Exchange(row["question"], row["output"], row["message"])


def mistake(row: Row) -> CorrectedMistake:
    return CorrectedMistake(row["question"], row["about"], row["message"], row["wrong"])


def gist(row: Row) -> str:
    """As heedful embeds a correction."""
    return CorrectionWording(query=row["question"], context=row["about"], said=row["message"]).gist()
