"""How often the pairs found in real feedback are borne out by what the output was corrected to, and how long it takes.

    HEEDFUL_DATA=… python benchmarks/spans.py [--show]

Reads `c_learning_from_edits/splash_corrections.jsonl`: explained queries, feedback in free text, corrected queries. A
pair is borne out when the corrected query holds more of the words that are right than the first one did. That is a
lower bound: a table may be named in other words than it has. `--show` prints every pair, to be judged by eye.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import json
import os
import re
import statistics
from pathlib import Path
from time import perf_counter
from typing import Any

from heedful.capture.corrections.detection.spans import Spans, spans

_LONG = 100_000  # characters


def main() -> None:
    folder = os.environ.get("HEEDFUL_DATA")
    path = Path(folder or ".") / "c_learning_from_edits" / "splash_corrections.jsonl"
    if not folder or not path.exists():
        sys.exit("set HEEDFUL_DATA to the folder that holds c_learning_from_edits/splash_corrections.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = borne_out = 0
    for row in rows:
        found = spans(row["user_feedback"], " ".join(row["explanation"]))
        if "--show" in sys.argv:
            print(f"{row['user_feedback']}\n    {found.wrong!r} -> {found.right!r}")
        if found.wrong and found.right:
            pairs += 1
            borne_out += _is_borne_out(found, row)
    print(f"{len(rows)} messages, {pairs} pairs, {borne_out} borne out by the corrected query")
    _time(rows)


def _is_borne_out(found: Spans, row: dict[str, Any]) -> bool:
    before, after = (re.sub(r"\W|_", " ", row[side]).lower() for side in ("original", "corrected"))
    joined = before.replace(" ", ""), after.replace(" ", "")
    words = [word.removesuffix("s") for word in re.findall(r"[a-z]+", found.right.lower())]
    words = [
        {"smallest": "asc", "largest": "desc", "descending": "desc", "destination": "dest"}.get(w, w) for w in words
    ]
    return any(joined[1].count(word) > joined[0].count(word) for word in words)


def _time(rows: list[dict[str, Any]]) -> None:
    taken = []
    for row in rows:
        output = (" ".join(row["explanation"]) + "\n") * (_LONG // 50)
        start = perf_counter()
        spans(row["user_feedback"], output[:_LONG])
        taken.append((perf_counter() - start) * 1e3)
    print(f"output of {_LONG:,} characters: median {statistics.median(taken):.2f} ms, longest {max(taken):.2f} ms")


if __name__ == "__main__":
    main()
