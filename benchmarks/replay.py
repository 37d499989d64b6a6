"""How often people have to repeat a correction, in a replay of real feedback: without heedful, and with it.

    HEEDFUL_DATA=… python benchmarks/replay.py [--orders 3]

Feedback comes in one by one, as it was given; no model is used. Before each decision it is checked whether heedful
would have had it right by then; after it, the decision is recorded. A correction that had been made before is a
repetition, unless heedful prevented it:

- Invoices of real suppliers. An operator puts right every field that was extracted wrongly. The same field of the same
  supplier, corrected again, is a repetition. Without heedful, the extraction stays as it was on the first day.
- Decisions about suggestions: edits of texts by three reviewers, and completions of code. The same change, rejected
  again for the same purpose, is a repetition. heedful prevents it if the context for the next suggestion of this kind
  tells that people reject it. The other side is shown, too: what people accepted although the context says so.

The data are not part of heedful: HEEDFUL_DATA names the folder they are in.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import os
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import orjson
from rich.console import Console
from rich.progress import track
from rich.table import Table

import heedful
from heedful.records.document import DocumentDraft, Value
from heedful.records.interval import wilson
from heedful.settings import Settings
from heedful.text.fence import quoted
from heedful.text.printed_values import same

INVOICES = Path("f_invoice_layouts", "invoices.jsonl")
EDITS = Path("c_learning_from_edits", "r3_edit_decisions.jsonl")
COMPLETIONS = Path("i_confidence_calibration", "copilot_suggestions.jsonl")
SETTINGS = Settings("", llm=())
BUDGET = 800
_QUOTED = 160  # characters of a text that a context quotes


@dataclass(slots=True)
class Count:
    corrections: int = 0
    again: int = 0
    """Of them, those that had been made before."""

    def add(self, again: bool) -> None:
        self.corrections += 1
        self.again += again

    def __str__(self) -> str:
        interval = wilson(self.again, self.corrections)
        rate = self.again / max(1, self.corrections)
        return f"{self.again} of {self.corrections}: {rate:.2f} ({interval.low:.2f} to {interval.high:.2f})"


def rows(path: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


# Invoices


class Invoice(NamedTuple):
    supplier: str
    pages: list[dict[str, Any]]
    fields: dict[str, Value]


def invoices(folder: Path) -> list[Invoice]:
    return [Invoice(row["supplier"], pages(row["words"]), dict(fields(row["gold"]))) for row in rows(folder / INVOICES)]


def pages(words: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    by_page = defaultdict[int, list[Any]](list)
    for page, *word in words:
        by_page[page].append(word)
    return [{"width": 595, "height": 842, "words": by_page[page]} for page in sorted(by_page)]


def fields(gold: dict[str, Any]) -> Iterator[tuple[str, Value]]:
    for name in ("invoice_number", "seller", "buyer"):
        if gold.get(name):
            yield name, str(gold[name])
    if date := str(gold.get("issue_date") or ""):
        yield "issue_date", date if "-" in date else f"{date[:4]}-{date[4:6]}-{date[6:8]}"
    if gold.get("grand_total"):
        yield "grand_total", float(gold["grand_total"])


def wrong(draft: DocumentDraft, truth: dict[str, Value]) -> list[str]:
    found = {name: draft.fields.get(name) for name in truth}
    return [name for name, one in found.items() if one is None or not same(one.value, truth[name])]


def operated(given: Sequence[Invoice], *, learning: bool) -> Count:
    """An operator works through the invoices. Without learning, each is extracted in a new database."""
    count, said = Count(), set[tuple[str, str]]()
    with TemporaryDirectory() as folder, heedful.open(f"{folder}/heedful.db", settings=SETTINGS) as loop:
        for number, invoice in enumerate(given):
            org = loop if learning else loop.org(f"day-one-{number}")
            draft = org.apply.extract(org.capture.document_words(invoice.pages))
            for name in wrong(draft, invoice.fields):
                count.add((invoice.supplier, name) in said)
                said.add((invoice.supplier, name))
                org.capture.field_corrected(draft, name, invoice.fields[name], by="dana")
            org.capture.draft_confirmed(draft, by="dana")
    return count


def replay_invoices(folder: Path, orders: int, table: Table) -> None:
    given, without, having = invoices(folder), Count(), Count()
    for seed in track(range(orders), "invoices", transient=True):
        shuffled = list(given)
        random.Random(seed).shuffle(shuffled)
        for total, learning in ((without, False), (having, True)):
            one = operated(shuffled, learning=learning)
            total.corrections += one.corrections
            total.again += one.again
    prevented = f"{without.again - having.again} of {without.again}"
    table.add_row(f"fields of {len(given)} invoices, {orders} orders", str(without), str(having), prevented, "–")


# Suggestions


class Decision(NamedTuple):
    rule: str
    before: str
    after: str
    original: str
    suggested: str
    accepted: bool
    actor: str

    @property
    def change(self) -> tuple[str, str, str]:
        return self.rule, self.before.strip().casefold(), self.after.strip().casefold()


def edits(folder: Path) -> Iterator[Decision]:
    for row in rows(folder / EDITS):
        before, after = row["before"] or "", row["after"] or ""
        texts = (row["sentence"] or before, row["sentence_after"] or after)
        yield Decision(row["intent"], before, after, *texts, row["decision"] == "accept", row["reviewer"])


def completions(folder: Path) -> Iterator[Decision]:
    for row in rows(folder / COMPLETIONS):
        text = row["suggestion"].strip()
        yield Decision(row["task"], "", text, "", text, bool(row["accepted"]), row["user"])


def warned(loop: heedful.Loop, decision: Decision) -> bool:
    """Whether the context for this suggestion tells that people reject the change, or what is changed in it."""
    given = loop.apply.context(decision.original[:2_000], rule=decision.rule, budget=BUDGET)
    shown = {piece.id for piece in given.pieces}
    unwanted = [one for one in loop.apply.rule_context(decision.rule).rejected_patterns if one.id in shown]
    if any(one.original_pattern in decision.before and one.suggested_pattern in decision.after for one in unwanted):
        return True
    once = [piece.text for piece in given.pieces if piece.kind == "decision" and "was rejected" in piece.text]
    return any(quoted(decision.suggested, _QUOTED) in text for text in once)


def replay_decisions(name: str, decisions: Sequence[Decision], table: Table) -> None:
    without, having = Count(), Count()
    spared, accepted, said = 0, 0, set[tuple[str, str, str]]()
    with TemporaryDirectory() as folder, heedful.open(f"{folder}/heedful.db", settings=SETTINGS) as loop:
        for decision in track(decisions, name, transient=True):
            known = warned(loop, decision)
            if decision.accepted:
                accepted += 1
                spared += known
            else:
                again = decision.change in said
                without.add(again)
                if not known:
                    having.add(again)
                said.add(decision.change)
            loop.capture.fix(
                decision.rule,
                "accepted" if decision.accepted else "rejected",
                original=decision.original,
                suggested=decision.suggested,
                actor=decision.actor,
            )
            loop.learn.patterns(decision.rule)
    prevented = f"{without.again - having.again} of {without.again}"
    table.add_row(f"{len(decisions)} {name}", str(without), str(having), prevented, f"{spared} of {accepted}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=int, default=3, help="how often invoices are replayed, each time shuffled")
    options = parser.parse_args()
    console = Console()
    data = os.environ.get("HEEDFUL_DATA")
    if not data:
        console.print("Skipped: HEEDFUL_DATA is not set. It names the folder of the data sets.")
        return
    folder = Path(data)
    table = Table(title="Corrections that had been made before, of all corrections", title_justify="left")
    for heading in ("", "without heedful", "with heedful", "prevented", "accepted in spite of the context"):
        table.add_column(heading)
    replay_invoices(folder, options.orders, table)
    replay_decisions("edits of texts", list(edits(folder)), table)
    replay_decisions("completions of code", list(completions(folder)), table)
    console.print(table)


if __name__ == "__main__":
    main()
