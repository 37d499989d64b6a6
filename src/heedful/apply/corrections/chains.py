"""Corrections of corrections: after Anna → Bea and Bea → Carla, an output that still says Anna gets Carla."""

from __future__ import annotations

from dataclasses import replace

from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.table import LearningTable
from heedful.records.correction import Correction
from heedful.records.learning import Status
from heedful.store import Store
from heedful.text.normalize import normal

_LONGEST = 10  # corrections that follow each other


def followed(store: Store, old: Correction) -> Correction | None:
    """The correction that holds now, with the words that were wrong at first; None if there is none."""
    table, last = LearningTable(store), old
    for _ in range(_LONGEST):
        row = None if last.superseded_by is None else table.get(last.superseded_by)
        heir = None if row is None else CORRECTION.record(row)
        if heir is None or not heir.right or normal(heir.wrong) != normal(last.right):
            return None
        if heir.status is Status.ACTIVE:
            is_back = normal(heir.right) == normal(old.wrong)
            if is_back:
                return None
            return replace(heir, wrong=old.wrong, sentence=old.sentence, said=old.said, fixed="", understood="")
        last = heir
    return None
