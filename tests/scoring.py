"""Heuristics are judged by a score over sentences, not sentence by sentence: one more that is read right may cost
another, and what counts is that the share does not fall."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

_DATA = Path(__file__).parent / "data"


def scored(dataset: str, *, at_least: float) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """One test over all cases of `tests/data/<dataset>.jsonl`, each a list of arguments. A case is right if no
    assertion of the function fails."""

    def decorate(check: Callable[..., None]) -> Callable[[], None]:
        @wraps(check)
        def test() -> None:
            cases = [json.loads(line) for line in (_DATA / f"{dataset}.jsonl").read_text().splitlines()]
            missed = [case for case in cases if not _holds(check, case)]
            share = 1 - len(missed) / len(cases)
            listed = "\n".join(map(json.dumps, missed))
            assert share >= at_least, f"{share:.2f} of {len(cases)} are right, not {at_least}:\n{listed}"

        del test.__wrapped__  # pytest would look for fixtures of these names
        return test

    return decorate


def _holds(check: Callable[..., None], case: list[Any]) -> bool:
    try:
        check(*case)
    except AssertionError:
        return False
    return True
