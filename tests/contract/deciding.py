"""People decide about suggestions, many at a time."""

from __future__ import annotations

from typing import Any

import heedful
from heedful.records.sharing import LearningExport
from heedful.records.suggestion import DECISIONS
from heedful.store.counting import TALLY_COLUMNS

RULES = ("no-passive", "plain-words", "units")
SENTENCES = ("We met {} agree.", "They called {} complain about it.", "She left {} catch the train.", "{} win, play.")


def decide(loop: heedful.Loop, rule: str, decision: str, times: int = 1, **given: Any) -> None:
    """The same decision so many times, each by somebody else."""
    loop.capture.fixes({"actor": f"p{n}", **given, "rule": rule, "decision": decision} for n in range(times))


def shorten(loop: heedful.Loop, rule: str, decision: str, times: int = 1, **given: Any) -> None:
    """Decisions about `in order to` → `to`, each in another sentence than the one before."""
    for number in range(times):
        texts = (SENTENCES[number % len(SENTENCES)].format(phrase) for phrase in ("in order to", "to"))
        original, suggested = texts
        decide(loop, rule, decision, original=original, suggested=suggested, **{"actor": f"p{number}", **given})


def learnings(loop: heedful.Loop) -> LearningExport:
    """What another organisation in the same database learned and exports; always the same."""
    source = loop.org("source")
    if not fixes(source):
        shorten(source, "plain-words", "accepted", 4)
        decide(source, "units", "rejected", 3, original="5km", suggested="5 km", rule_name="Units")
    return source.govern.export()


def fixes(loop: heedful.Loop) -> list[heedful.Event]:
    """All decisions in the log."""
    return [event for event in loop.events() if event.kind in DECISIONS]


def derived_rows(loop: heedful.Loop) -> list[tuple[Any, ...]]:
    """All that is derived for an organisation, row by row, whatever its generation."""
    columns = {"tally": f"name, part, day, key, {', '.join(TALLY_COLUMNS)}", "counter": "name, '', day, key, value"}
    with loop.store.database.read(loop.name) as transaction:
        return sorted(
            (table, generation.partition("~")[0], *rest)
            for table, wanted in columns.items()
            for generation, *rest in transaction.query(
                f"select generation, {wanted} from {table} where org_id = :org", {"org": loop.name}
            )
        )
