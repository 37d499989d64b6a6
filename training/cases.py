"""Cases that were judged and then looked at, as exchanges.

Some teach the reader; the others teach what is learned with a reader that has not seen them (`pairs.py`,
`mattering.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from heedful.text.sentences import sentences
from training.rows import Row

CASES = Path(__file__).parents[1] / "benchmarks" / "cases"
FOR_READING = frozenset({"a", "b", "b1", "c", "d1", "d2", "d3", "d4"})


def for_reading() -> list[dict[str, Any]]:
    return [_exchange(case) for file in _talk() if file.stem in FOR_READING for case in _read(file)]


def plain() -> Iterator[Row]:
    """Cases that say plainly what is right, unknown to the reader."""
    for file in sorted((CASES / "plain" / "seen").glob("*.jsonl")):
        yield from _read(file)


def as_people_talk() -> Iterator[Row]:
    """Unknown to the reader."""
    for file in _talk():
        if file.stem not in FOR_READING:
            yield from _read(file)


def _talk() -> list[Path]:
    return sorted((CASES / "seen").glob("*.jsonl"))


def _read(file: Path) -> Iterator[Row]:
    yield from map(orjson.loads, file.open("rb"))


def _exchange(case: Row) -> dict[str, Any]:
    said, wrong, right = case["message"], case["wrong"] or "", case["right"] or ""
    at = said.lower().find(right.lower()) if right else -1
    named = said.lower().find(wrong.lower()) if wrong else -1
    return {
        "question": case["question"],
        "output": case["output"],
        "message": said,
        "act": "correction" if case["correction"] else None,
        "always": case["always"],
        "about": _corrected(case, wrong),
        "wrong": wrong,
        "right": right,
        "right_in_message": said[at : at + len(right)] if at >= 0 else "",
        "wrong_in_message": said[named : named + len(wrong)] if named >= 0 else "",
        "pointed": not right or at >= 0,
        "fixed": "",
        "later": [case["later_question"]] if case["later_question"] else [],
        "near": [case["near_question"]] if case.get("near_question") else [],
        "again": case["later_outputs"] or [],
        "other": case["untouched"] or [],
        "lang": case["lang"],
    }


def _corrected(case: Row, wrong: str) -> str:
    """The first sentence of the output that does not stand in what should have been said, or has the wrong words."""
    fixed = case["fixed"] or ""
    changed = [one for one in sentences(case["output"]) if fixed and one not in fixed]
    return next((one for one in changed if wrong in one), changed[0] if changed else "")
