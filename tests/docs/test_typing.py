"""What we show people passes their type checker: every example of the docs, and every operation with its example."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from heedful.wire import Wire, wires
from tests.docs.test_documentation import PAGES, ROOT

_EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
_CACHE = ROOT / ".mypy_cache" / "examples"  # kept: eight seconds become one


@pytest.mark.slow
@pytest.mark.xdist_group("mypy")
def test_examples_and_operations_pass_a_strict_type_checker(tmp_path: Path) -> None:
    for page in PAGES:
        (tmp_path / f"{page.stem.lower().replace('-', '_')}.py").write_text("\n".join(_examples(page)), "utf-8")
    calls = "\n".join(_call(wire) for wire in wires())
    (tmp_path / "operations.py").write_text(f"import heedful\n\n\ndef call(loop: heedful.Loop) -> None:\n{calls}\n")
    # Pages use a name again for something else, as sessions of a person do.
    options = ["--strict", "--allow-redefinition-new", "--local-partial-types", "--config-file=", "--no-error-summary"]
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *options, f"--cache-dir={_CACHE}", "."],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (checked.returncode, checked.stdout) == (0, ""), checked.stdout + checked.stderr


def _examples(page: Path) -> list[str]:
    found: list[str] = _EXAMPLE.findall(page.read_text("utf-8"))
    return found


def _call(wire: Wire) -> str:
    """A call as people write it: words for enums, text for times, a pair for an entity."""
    example = dict(wire.operation.example)
    if isinstance(entity := example.get("entity"), dict):
        example["entity"] = (entity["kind"], entity["id"])
    if wire.operation.streams:
        example = {"items": [{"kind": "FIELD_SET"}]}
    given = ", ".join(f"{name}={value!r}" for name, value in example.items())
    return f"    loop.{wire.id}({given})"
