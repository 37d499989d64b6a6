"""Messages of people to coding agents, each with remembered statements that it ends, says again, or leaves alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

WRITTEN = Path(__file__).parent / "bearings"
_BLOCK, _BLOCKS = 10, 8  # of the blocks of ten lines, one in eight is held out

Row = dict[str, Any]


def bearing_rows(folder: Path = WRITTEN) -> tuple[list[Row], list[Row]]:
    """To learn from, and held out."""
    seen: list[Row] = []
    unseen: list[Row] = []
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.open("rb")):
            (unseen if number // _BLOCK % _BLOCKS == _BLOCKS - 1 else seen).append(orjson.loads(line))
    return seen, unseen
