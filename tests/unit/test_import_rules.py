"""The import rules that import-linter checks name every room they are about."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULES = {
    rule["name"]: rule
    for rule in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}
ROOMS = {path.stem for path in (ROOT / "src" / "heedful").iterdir() if path.suffix == ".py" or path.is_dir()}
"""Every module and package at the root."""
NOT_ROOMS = {"__init__", "__pycache__", "py"}


BESIDE = {"loop", "store", "providers", "settings", "errors", "__main__"}
"""The composition root, and what it composes."""
OUTSIDE = {"edges", "adapters", "wire", "client", "aio", "testing"}


@pytest.mark.parametrize(
    ("rule", "exempt"),
    [
        ("Only the loop chooses a database", BESIDE),
        ("Stages and what they stand on know no driver, no terminal, no web", BESIDE | OUTSIDE),
    ],
)
def test_a_new_room_is_bound_by_the_rules(rule: str, exempt: set[str]) -> None:
    named = {module.removeprefix("heedful.") for module in RULES[rule]["source_modules"]}

    assert named | exempt == ROOMS - NOT_ROOMS
    assert not named & exempt
