"""Writes the files of the reader that ship."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from heedful.providers.reader_parts import BEARINGS, CORRECTIONS, EMBEDDINGS, FOLDER, STATEMENTS
from training.minilm import digest, quantised
from training.network import bearings_graph, corrections_graph, embeddings_graph, statements_graph

INTO = FOLDER
PARTS = {
    EMBEDDINGS: embeddings_graph,
    CORRECTIONS: corrections_graph,
    STATEMENTS: statements_graph,
    BEARINGS: bearings_graph,
}
NOTICE = """\
# Notice

The `.onnx` files here read exchanges between people and AIs. Their weights began as those of
[all-MiniLM-L6-v2](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2) (Apache License 2.0, see
`../minilm/NOTICE.md`). In the sources of heedful,
`training/reader.py` trained them on the exchanges in `training/exchanges/` and `training/short/`, which were written
for it, and on labelled turns of public conversations under Apache-2.0 and CC0-1.0;
`training/statements.py` what reads sessions with coding agents, on `training/sessions/`, written for it, and on
labelled messages of public sessions in repositories under MIT, Apache-2.0, BSD, CC0 and similar licences
(`training/session_labels.jsonl` names them);
`training/bearings.py` what tells whether a message ends something that is remembered, on `training/bearings/`, written
for it. Weights are rounded to eight bits.

| file | sha256 |
|---|---|
{sums}
"""


def write(weights: Mapping[str, Any], into: Path, parts: Collection[str] = PARTS) -> None:
    """Those `parts`; the others stay as they are, because rounding them again makes them worse."""
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        for file in parts:
            (into / file).write_bytes(quantised(PARTS[file](weights), Path(name)))
    sums = {file: digest((into / file).read_bytes()) for file in PARTS if (into / file).is_file()}
    for file, sum_ in sums.items():
        print(f"{sum_}  {file}  {(into / file).stat().st_size:,} bytes")
    rows = "\n".join(f"| `{file}` | `{sum_}` |" for file, sum_ in sums.items())
    (into / "NOTICE.md").write_text(NOTICE.format(sums=rows), encoding="utf-8")
    print("heedful/providers/reader_parts.py needs these sums.")
