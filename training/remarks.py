"""Messages to coding agents, made from single remarks (`remarks/`): alone, side by side, or within a real message."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from heedful.text.prose import prose

FOLDER = Path(__file__).parent / "remarks"
ALONE = 0.3  # of the remarks are a message of their own
LONGEST = 1_500  # characters of a message that takes one in
MARKS = (".", ".", "", "!", "\n")  # between sentences, as people type

Row = dict[str, Any]


def remarks() -> list[Row]:
    return [orjson.loads(line) for file in sorted(FOLDER.glob("*.jsonl")) for line in file.open("rb")]


class Messages:
    """Makes them, other ones each time. Real messages that take one in have nothing to keep of their own."""

    def __init__(self, some: Sequence[Row], real: Sequence[Row]) -> None:
        self._kept = [one for one in some if one["kept"]]
        self._others = [one for one in some if not one["kept"]]
        self._hosts = [
            row for row in real if row["row"] == "said" and not row["kept"] and 0 < len(row["message"]) <= LONGEST
        ]

    def made(self, share: float, chance: random.Random) -> Iterator[Row]:
        for one in chance.sample(self._kept, int(share * len(self._kept))):
            yield self._around(one, chance)
        for one in chance.sample(self._others, int(share * len(self._others))):
            yield self._around(one, chance)

    def _around(self, one: Row, chance: random.Random) -> Row:
        host = chance.choice(self._hosts) if self._hosts else None
        if host is None or chance.random() < ALONE:
            parts = [one["words"]]
            if chance.random() < ALONE:
                parts.insert(chance.randint(0, 1), chance.choice(self._others)["words"])
            return _row(_joined(parts, chance), "", one)
        text, cuts = host["message"], [0, *(end for _, end in prose(host["message"])), len(host["message"])]
        at = chance.choice(cuts)
        return _row(_joined([text[:at].rstrip(), one["words"], text[at:].lstrip()], chance), host["before"], one)


def _joined(parts: Sequence[str], chance: random.Random) -> str:
    made = ""
    for part in filter(None, parts):
        if made and made[-1] not in ".!?:\n":
            made += chance.choice(MARKS) or ","
        made += part if not made or made[-1] == "\n" else f" {part}"
    return made


def _row(message: str, before: str, one: Row) -> Row:
    kept = [{name: one[name] for name in ("words", "kind", "alone", "category")}] if one["kept"] else []
    return {"row": "said", "message": message, "before": before, "kept": kept, "answer": None}
