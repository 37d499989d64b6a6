"""Contexts that somebody was given, whatever would have been relevant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import heedful
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.event import Entity, noted


def give(
    loop: heedful.Loop,
    *shown: str,
    unit: str | None = None,
    withheld: Sequence[str] = (),
    id: str | None = None,
    share: float | None = 0.1,
    **told: Any,
) -> str:
    """Records a context with these learnings; returns its id. Without a share, nothing could have been withheld."""
    compared = {} if share is None else {"measured": list(shown), "share": share}
    meta = {"learnings": list(shown), "withheld": list(withheld), "tokens": 9, **compared, **told}
    draft = noted(CONTEXT_GIVEN, loop.store.clock(), actor="local", meta=meta)
    named = draft._replace(id=id or draft.id, own_id=id is not None)
    return loop.store.record([named._replace(entity=Entity("unit", unit or named.id))])[0].id
