"""How documents are printed: lists, and one in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from rich.panel import Panel
from rich.text import Text

from heedful.edges.cli.drafts_view import draft_state, method, sure
from heedful.edges.cli.ids import short
from heedful.edges.cli.layout_view import grid, table
from heedful.edges.cli.plots import meter
from heedful.edges.cli.terminal import Part, Terminal, assembled, counted, visible
from heedful.edges.cli.times import age, local_time

if TYPE_CHECKING:
    from heedful.records.document import Document, DocumentDraft

FINGERPRINT = 8
"""Characters of a layout's fingerprint."""
_METER = 5
_EXCERPT = 14  # lines of a document's text


class DocumentRow(NamedTuple):
    """A document with what a list says about it."""

    document: Document
    family: str
    """The name of the document that its layout was recognised from; empty if it is the first."""
    draft: DocumentDraft | None = None
    """The newest one."""


# Documents


def show_added(terminal: Terminal, rows: Sequence[DocumentRow]) -> None:
    found = table(
        ("id", "name", "pages", "layout", "seen", "looks like"), wrapping=("name", "looks like"), numbers=("pages",)
    )
    for row in rows:
        one = row.document
        found.add_row(
            Text(short(one.id), "cyan"),
            Text(visible(one.name), "bold"),
            f"{one.page_count:,}",
            one.layout[:FINGERPRINT],
            assembled([_seen(one.profile.seen_count)]),
            assembled([_family(row)]),
        )
    terminal.console.print(found)


def show_list(terminal: Terminal, rows: Sequence[DocumentRow], now: datetime) -> None:
    found = table(("id", "received", "layout", "customer", "draft", "name"), wrapping=("customer", "draft", "name"))
    for row in rows:
        one = row.document
        found.add_row(
            Text(short(one.id), "cyan"),
            Text(age(one.at, now), "dim"),
            one.layout[:FINGERPRINT],
            Text(visible(_customer_of(row))),
            assembled([_newest(row)]),
            Text(visible(one.name), "bold"),
        )
    terminal.console.print(found)


def _customer_of(row: DocumentRow) -> str:
    """As a person chose it in the draft, or as it was received."""
    return (row.draft.customer if row.draft is not None else None) or row.document.customer or ""


def _seen(count: int) -> Part:
    return (f"{count:,} times", "green") if count > 1 else ("first", "dim")


def _family(row: DocumentRow) -> Part:
    if not row.family:
        return "nothing before", "dim"
    return f"{row.family.removesuffix('.pdf')}, {row.document.similarity:.0%}", "green"


def _newest(row: DocumentRow) -> Part:
    if row.document.deleted:
        return "deleted", "red"
    return ("none", "dim") if row.draft is None else draft_state(row.draft)


def show(terminal: Terminal, row: DocumentRow, drafts: Sequence[DocumentDraft], now: datetime) -> None:
    """One document in full, with the beginning of its text and its drafts."""
    one = row.document
    facts = grid("dim", ((name, parts) for name, *parts in _facts(row, now)))
    heading = assembled([(one.name, "bold"), f"  {one.id}"])
    terminal.console.print(Panel(facts, title=heading, title_align="left"))
    if one.text:
        lines = [line for line in one.text.splitlines() if line.strip()]
        terminal.say(("text", "bold"))
        for line in lines[:_EXCERPT]:
            shown = Text(f"  {visible(line)}", "dim")
            shown.truncate(terminal.console.width, overflow="ellipsis")
            terminal.console.print(shown, soft_wrap=True)
        if len(lines) > _EXCERPT:
            terminal.say((f"  and {counted(len(lines) - _EXCERPT, 'more line')}", "dim"))
    if drafts:
        terminal.say()
        show_drafts(terminal, drafts, now)


def _facts(row: DocumentRow, now: datetime) -> Iterator[tuple[str, *tuple[Part, ...]]]:
    one, profile = row.document, row.document.profile
    sizes = ", ".join(f"{width} x {height}" for width, height in dict.fromkeys(one.page_dimensions))
    yield "state", ("deleted", "red") if one.deleted else ""
    yield "received", f"{local_time(one.at)}, {age(one.at, now)}", (f" from {one.actor}" if one.actor else "", "dim")
    yield "customer", one.customer or ""
    yield "pages", f"{one.page_count:,}", (f"  {sizes} points" if sizes else "", "dim")
    yield "tables", f"{one.table_count:,}", (f"  text covers {one.text_coverage_ratio:.0%} of the pages", "dim")
    yield "file", "PDF" if one.is_pdf else "only its words", (f"  sha256 {one.sha256[:12]}", "dim")
    seen = f"seen {profile.seen_count:,} times" if profile.seen_count > 1 else "the first of this layout"
    yield "layout", one.layout[:FINGERPRINT], (f"  {seen}", "dim")
    yield "looks like", _family(row)
    yield (
        "corrections",
        f"{counted(profile.example_count, 'act')} of people teach this layout" if profile.example_count else "none yet",
    )
    yield "corrected", *corrected_share(profile.corrected, profile.extractions)


def corrected_share(corrected: int, extractions: int) -> tuple[Part, ...]:
    """How many extractions people had to correct."""
    if not extractions:
        return (("not extracted yet", "dim"),)
    share = corrected / extractions
    return (
        (meter(share, _METER), rate_style(share)),
        f" {share:.0%}",
        (f" of {counted(extractions, 'extraction')}", "dim"),
    )


def rate_style(share: float) -> str:
    """The colour of a share of extractions that were corrected."""
    return "red" if share > 0.5 else "yellow" if share > 0.1 else "green"


def show_drafts(terminal: Terminal, drafts: Sequence[DocumentDraft], now: datetime) -> None:
    terminal.say(("drafts", "bold"), ("  newest first", "dim"))
    found = table(("id", "made", "by", "state", "sure"), wrapping=("by", "state"))
    for one in drafts:
        found.add_row(
            Text(short(one.id), "cyan"),
            Text(age(one.at, now), "dim"),
            Text(visible(method(one))),
            assembled([draft_state(one)]),
            sure(one.confidence),
        )
    terminal.console.print(found)
