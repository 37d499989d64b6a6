"""People use heedful in every way there is, and ways to look at all that is derived of it."""

from __future__ import annotations

import re
from typing import Any

import heedful
from heedful.learnings.events import APPLIED, ENTITY
from heedful.learnings.person import person
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.event import Entity, noted
from heedful.records.outcome import UNIT
from heedful.records.reading import CorrectedMistake, Exchange, MessageAct, Pointing, Reading
from tests.contract.correcting import rows
from tests.contract.deciding import derived_rows
from tests.contract.mining import PlainReader

_PAIR = re.compile(r"No, it is (\S+), not (\S+)\.")


def pointing(words: str, text: str) -> Pointing:
    """At these words, where they first stand in a text; nowhere if they do not."""
    start = text.find(words) if words else -1
    return Pointing({}, {}, 1.0) if start < 0 else Pointing({start: 1.0}, {start + len(words): 1.0}, 0.0)


class QuickReader(PlainReader):
    """Hears what is said in one form only: no model is loaded."""

    name = "quick-1"

    def read(self, exchange: Exchange) -> Reading:
        found = _PAIR.search(exchange.message)
        act = MessageAct.CORRECTION if found else MessageAct.REQUEST
        right, wrong = found.groups() if found else ("", "")
        return Reading(
            act, float(bool(found)), 0.0, 0.0, exchange.output, pointing(wrong, exchange.output),
            pointing(right, exchange.message), pointing(wrong, exchange.message), lambda *_: 1.0,
        )  # fmt: skip

    def repeats(self, passage: str, mistake: CorrectedMistake) -> float:  # noqa: ARG002
        return 1.0


def give_context(loop: heedful.Loop, learnings: list[str], who: str, unit: str) -> str:
    """A context with these learnings, as if they had been found for a task."""
    meta = {"learnings": learnings, "tokens": 10, "user": loop.store.secret.person(who)}
    given = noted(CONTEXT_GIVEN, loop.store.clock(), actor="local", entity=Entity(UNIT, unit), meta=meta)
    used = [
        noted(APPLIED, given.at, actor="local", entity=Entity(ENTITY, id), meta={"context": given.id})
        for id in learnings
    ]
    return loop.store.record([given, *used])[0].id


def derived(loop: heedful.Loop) -> list[Any]:
    """All that a rebuild makes again, row by row."""
    tables = {"learning": "*", "learning_signature": "*", "posting": "term, block, entries", "org": "learnings"}
    return [derived_rows(loop), *(rows(loop, table, columns) for table, columns in tables.items())]


def is_known(loop: heedful.Loop, who: str) -> bool:
    """Whether any event is by or for a person."""
    return any(person(loop.store, who).is_theirs(event) for event in loop.events())
