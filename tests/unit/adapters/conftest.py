"""A loop that was corrected once, and a server in the place of a language model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import heedful
from tests.contract.correcting import WordEmbedder, report
from tests.llm_server import LlmServer, llm_server

ASKED = "what does parse() return?"
FOLLOWING = "parse() returns nil on bad input"
BREAKING = "parse() returns an error on bad input"


@pytest.fixture
def acme(tmp_path: Path) -> Iterator[heedful.Loop]:
    with heedful.open(str(tmp_path / "heedful.db"), org="acme", embedder=WordEmbedder()) as loop:
        report(loop, "an error", "nil", query=ASKED)
        yield loop


@pytest.fixture
def llm() -> Iterator[LlmServer]:
    with llm_server() as server:
        yield server


def outcomes(loop: heedful.Loop) -> list[dict[str, Any]]:
    """What was reported, oldest first: the context, the value, and how many learnings the output follows and breaks."""
    return [
        {
            "context": event.meta["context"],
            "value": event.meta.get("value"),
            "followed": len(event.meta.get("followed", ())),
            "broken": len(event.meta.get("broken", ())),
        }
        for event in loop.events(kind="OUTCOME_REPORTED")
    ]


def checks(loop: heedful.Loop) -> list[tuple[int, int]]:
    return [(one["followed"], one["broken"]) for one in outcomes(loop)]


def docs_example(module: str) -> str:
    """The example of the docs that uses a module."""
    blocks: list[str] = [
        block
        for page in sorted((Path(__file__).parents[3] / "docs").glob("*.md"))
        for block in re.findall(r"^```py\n(.*?)^```", page.read_text(), re.M | re.S)
    ]
    return next(block for block in blocks if f"from {module} import" in block)
