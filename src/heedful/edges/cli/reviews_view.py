"""How reviews are printed: lists, one in full, as evidence, and what a reviewer changed, as a coloured diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import unified_diff
from itertools import chain, islice
from typing import TYPE_CHECKING

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from heedful.edges.cli.ids import short
from heedful.edges.cli.layout_view import COME, GONE, change, grid
from heedful.edges.cli.terminal import Part, Terminal, assembled, counted, visible
from heedful.edges.cli.times import age, local_time
from heedful.learnings.content import shortened
from heedful.records.review import Classification, ReviewDecision

if TYPE_CHECKING:
    from heedful.records.review import Evaluation, Review

_CONTEXT = 2  # unchanged lines around a change
_DIFF_LINES = 400
_DIFF_LINES_AS_EVIDENCE = 6
_SNIPPET = 160
_QUOTE = 400
_NAME = 16  # characters of a reviewer, who may be a pseudonym
_CUT = "…"
_DECISIONS = {
    ReviewDecision.APPROVED: "green",
    ReviewDecision.REJECTED: "red",
    ReviewDecision.APPROVED_WITH_CHANGES: "yellow",
}
_CLASSES = {
    Classification.GENERALIZABLE_HIGH: "green",
    Classification.POSITIVE: "green",
    Classification.AMBIGUOUS: "yellow",
}


def plain(one: Review) -> str:
    """One line that tells it from others."""
    return f"{one.agent}: {shortened(one.comment or one.summary, _SNIPPET) or _words(one.decision)}"


def show_list(terminal: Terminal, reviews: Sequence[Review], now: datetime) -> None:
    terminal.rows(((short(one.id), "cyan"), _lines(one, now)) for one in reviews)


def _lines(one: Review, now: datetime) -> list[list[Part]]:
    said = shortened(one.comment or one.summary, _SNIPPET)
    facts = (
        one.gate,
        one.task,
        _person(one),
        None if one.evaluation is None else _words(one.evaluation.classification),
        age(one.at, now),
    )
    head: list[Part] = [(f"{one.agent}  ", "bold"), (_words(one.decision), _DECISIONS[one.decision])]
    shown: list[list[Part]] = [[said]] if said else []
    return [head, *shown, [(" · ".join(fact for fact in facts if fact), "dim")]]


def show(terminal: Terminal, one: Review, now: datetime) -> None:
    """One review in full, with what was changed and what was made of it."""
    facts = grid("dim", ((name, parts) for name, *parts in _facts(one, now)))
    said = [Text(visible(one.comment)), Text()] if one.comment else []
    terminal.console.print(Panel(Group(*said, facts), title=Text(visible(one.id)), title_align="left"))
    changes = list(islice(diff(one), _DIFF_LINES + 1))
    if changes:
        terminal.say(("what was changed", "bold"))
        terminal.console.print(Text("\n").join(_cut(changes, _DIFF_LINES)))
    elif one.output:
        terminal.say(("output", "bold"))
        terminal.say(one.output)
    if one.evaluation is not None:
        terminal.say()
        show_evaluation(terminal, one.evaluation)


def show_evaluation(terminal: Terminal, found: Evaluation) -> None:
    style = _CLASSES.get(found.classification, "")
    terminal.say((_words(found.classification), f"bold {style}".strip()), f"  sure {found.confidence:.2f}")
    if found.rationale:
        terminal.say(f"  {found.rationale}")
    if found.similar:
        ids = ", ".join(map(short, found.similar))
        terminal.say((f"  {counted(len(found.similar), 'review')} like it: {ids}", "dim"))
    if found.action is not None:
        agent = f" for {found.action.agent}" if found.action.agent else ""
        waits = f", proposal {short(found.action.proposal)}" if found.action.proposal else ""
        terminal.say(("  → ", "green"), f"{_words(found.action.type)}{agent}{waits}")
    if found.by != "local":
        differs = f"; the criteria alone say {_words(found.local)}" if found.local != found.classification else ""
        terminal.say((f"  by {found.by}{differs}", "dim"))


def evidence(one: Review, now: datetime) -> Table:
    """A review that a rule was made of: who said it about what, in their words, and what they changed."""
    head: list[Part] = [
        (_person(one) or "somebody", "bold"),
        "  ",
        (_words(one.decision), _DECISIONS[one.decision]),
        ("  " + " · ".join(part for part in (one.agent, one.gate, one.task, age(one.at, now)) if part), "dim"),
    ]
    said = [assembled([f"“{shortened(one.comment, _QUOTE)}”"])] if one.comment else []
    changes = _cut(list(islice(diff(one, context=0), _DIFF_LINES_AS_EVIDENCE + 1)), _DIFF_LINES_AS_EVIDENCE)
    beside = Table.grid(padding=(0, 2))
    beside.add_column(no_wrap=True)
    beside.add_row(Text(visible(short(one.id)), "cyan"), Group(assembled(head), *said, *changes))
    return beside


def diff(one: Review, *, context: int = _CONTEXT) -> Iterator[Text]:
    """The lines of what the reviewer changed. A text that was cut for its length would show false changes, so then it
    is made of the single edits."""
    if one.output and one.approved and not one.output.endswith(_CUT) and not one.approved.endswith(_CUT):
        lines = unified_diff(one.output.splitlines(), one.approved.splitlines(), n=context, lineterm="")
        changes = islice(lines, 2, None)  # without the names of files
        return (Text(visible(line), _style(line)) for line in changes if context or not line.startswith("@@"))
    return chain.from_iterable(change(edit.before, edit.after) for edit in one.edits)


def _style(line: str) -> str:
    if line.startswith("@@"):
        return "cyan"
    return GONE if line.startswith("-") else COME if line.startswith("+") else "dim"


def _cut(lines: list[Text], most: int) -> list[Text]:
    return [*lines[:most], *([Text(_CUT, "dim")] if len(lines) > most else [])]


def _facts(one: Review, now: datetime) -> tuple[tuple[str, *tuple[Part, ...]], ...]:
    took = "" if one.seconds is None else f", took {counted(one.seconds, 'second')}"
    return (
        ("agent", one.agent),
        ("decision", (_words(one.decision), _DECISIONS[one.decision])),
        ("reviewer", one.reviewer or ""),
        ("when", f"{local_time(one.at)}, {age(one.at, now)}{took}"),
        ("gate", one.gate or ""),
        ("epic", one.epic or ""),
        ("task", one.task or ""),
        ("tags", ", ".join(one.tags)),
        ("changed", one.summary),
        ("diff", one.diff_path or ""),
        ("output", (f"sha {one.output_sha}", "dim") if one.output_sha else ""),
        ("approved", (f"sha {one.approved_sha}", "dim") if one.approved_sha else ""),
    )


def _person(one: Review) -> str:
    return (
        "" if one.reviewer is None else shortened(one.reviewer, _NAME) if " " in one.reviewer else one.reviewer[:_NAME]
    )


def _words(value: str) -> str:
    return str(value).replace("_", " ").lower()
