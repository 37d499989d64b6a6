"""documents: take in PDF orders and invoices, extract them, and correct what was extracted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from heedful.edges.cli import documents_view as view
from heedful.edges.cli.document_ids import family_name, find_document, find_draft, find_layout, name_of
from heedful.edges.cli.documents_analytics import analytics
from heedful.edges.cli.documents_correct import correct
from heedful.edges.cli.drafts_view import show_draft
from heedful.edges.cli.ids import short
from heedful.edges.cli.person import by_option, named
from heedful.edges.cli.terminal import DONE, SKIPPED, Terminal, command, counted, group, limit_option
from heedful.errors import HeedfulError, InvalidInput, NotFound
from heedful.records.names import identifier

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.document import Document, DocumentDraft

_PDF = ".pdf"
_DRAFTS = 20


@group(
    "heedful documents add orders/ --customer C-9\n"
    "heedful documents extract 7f3a9c0e21d4\n"
    "heedful documents correct 7f3a9c0e21d4 invoice_number=RE-17 --line 2 qty=12\n"
    "heedful documents analytics"
)
def documents() -> None:
    """Take in orders and invoices, extract and correct them.

    Correct it once per layout, not once per page: the next document of the same layout comes out right.

    Abbreviate an id to six or more characters if that is unambiguous. Where a draft is wanted, a document stands for
    its newest draft.
    """


class _Added(NamedTuple):
    document: Document
    draft: DocumentDraft | None


class _Refused(NamedTuple):
    file: Path
    error: HeedfulError


@command(
    "heedful documents add order.pdf --customer C-9 --by dana\nheedful documents add inbox/ --extract", within=documents
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILES")
@click.option("--customer", metavar="ID", help="Whose documents they are.")
@click.option("--extract", is_flag=True, help="Extract each at once, and show the drafts.")
@by_option("Who sends them.")
def add(terminal: Terminal, files: tuple[Path, ...], customer: str | None, extract: bool, by: str | None) -> None:
    """Take in PDF files, and recognise their layouts.

    FILES are PDF files, and folders of them. Each is read in a process of its own, with limits on time and memory.
    Files that cannot be read are named with the reason; the others are taken all the same.

    With --json, prints one object per line: documents, with --extract drafts, and files that cannot be read.

    \b
    Exit codes: 0 success · 1 some files cannot be read
    """
    who, whose = named(by), None if customer is None else identifier(customer, "customer")
    paths = list(_found(files))
    with terminal.loop() as loop:
        added: list[_Added] = []
        refused: list[_Refused] = []
        with terminal.progress() as bar:
            task = bar.add_task("reading", total=len(paths))
            for path in paths:
                bar.update(task, description=f"reading {path.name}")
                try:
                    document = loop.capture.document(path, customer=whose, by=who)
                    added.append(_Added(document, loop.apply.extract(document) if extract else None))
                except InvalidInput as error:
                    refused.append(_Refused(path, error))
                bar.advance(task)
        _report(terminal, loop, added, refused)
    if refused:
        raise click.exceptions.Exit(SKIPPED)


def _found(files: Sequence[Path]) -> Iterator[Path]:
    for file in files:
        if not file.is_dir():
            yield file
            continue
        pdfs = (path for path in file.rglob("*") if path.suffix.lower() == _PDF and path.is_file())
        inside = sorted(pdfs, key=lambda path: path.with_suffix("").parts)
        if not inside:
            raise InvalidInput(f"There are no PDF files in {file}.", hint="Name files that end with .pdf, or a folder.")
        yield from inside


def _report(terminal: Terminal, loop: Loop, added: Sequence[_Added], refused: Sequence[_Refused]) -> None:
    if terminal.json:
        terminal.lines((one.document if one.draft is None else one.draft).to_dict() for one in added)
        for file, error in refused:
            terminal.line({"file": str(file), "error": error.code, "message": error.message, "hint": error.hint})
        return
    if added:
        view.show_added(terminal, [view.DocumentRow(one.document, family_name(loop, one.document)) for one in added])
    for one in added:
        if one.draft is not None:
            _show_draft(terminal, loop, one.draft)
            terminal.say()
    for file, error in refused:
        said = error.message if error.message.startswith(file.name) else f"{file}: {error.message}"
        terminal.say(("✗ ", "red"), said, to=terminal.notices)
        if error.hint:
            terminal.say((f"  {error.hint}", "dim"), to=terminal.notices)
    if refused:
        terminal.say((f"{counted(len(added), 'file')} taken, {len(refused):,} not", "dim"), to=terminal.notices)
    elif added[0].draft is None:
        place = terminal.same_place(loop)
        terminal.say((f"Extract: heedful documents extract{place} {short(added[-1].document.id)}", "dim"))


@command(
    "heedful documents list\nheedful documents list --layout 9f86d081 --json -n 100", name="list", within=documents
)
@click.option("--layout", metavar="FINGERPRINT", help="Only of this layout; its beginning will do.")
@limit_option(20, ", newest first")
def list_documents(terminal: Terminal, layout: str | None, limit: int) -> None:
    """List documents, newest first.

    With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        whole = None if layout is None else find_layout(loop, layout)
        found = list(loop.learn.documents.all(layout=whole, limit=limit + 1))
        if terminal.json:
            terminal.lines(one.to_dict() for one in found[:limit])
        elif found:
            view.show_list(terminal, [_row(loop, one) for one in found[:limit]], loop.store.clock())
            if len(found) > limit:
                terminal.say((f"There are more: add --limit {10 * limit}", "dim"))
        else:
            terminal.say(("There are no documents yet. Take in some:", "dim"))
            terminal.say(f"  heedful documents add{terminal.same_place(loop)} order.pdf --customer C-9 --extract")


def _row(loop: Loop, document: Document) -> view.DocumentRow:
    newest = next(_drafts(loop, document), None)
    return view.DocumentRow(document, family_name(loop, document), newest)


def _drafts(loop: Loop, document: Document) -> Iterator[DocumentDraft]:
    """Newest first; without those that were erased meanwhile."""
    for id in reversed(document.drafts):
        try:
            yield loop.learn.documents.draft(id)
        except NotFound:
            continue


@command("heedful documents show 7f3a9c0e21d4", within=documents)
@click.argument("id")
def show(terminal: Terminal, id: str) -> None:
    """Show a document: pages, layout, text and drafts."""
    with terminal.existing() as loop:
        one = find_document(loop, id)
        if terminal.json:
            terminal.line(one.to_dict())
            return
        drafts = list(islice(_drafts(loop, one), _DRAFTS))
        view.show(terminal, _row(loop, one), drafts, loop.store.clock())
        if not drafts and not one.deleted:
            terminal.say((f"Extract: heedful documents extract{terminal.same_place(loop)} {short(one.id)}", "dim"))


@command("heedful documents extract 7f3a9c0e21d4", within=documents)
@click.argument("id")
def extract(terminal: Terminal, id: str) -> None:
    """Extract a document into a new draft, and show it.

    What people corrected in earlier documents of the same layout is applied, and confirmed mappings of the customer.
    """
    with terminal.existing() as loop:
        document = find_document(loop, id)
        with terminal.notices.status(f"extracting {document.name}"):
            one = loop.apply.extract(document)
        _answer(terminal, loop, one)


@command("heedful documents draft 7f3a9c0e21d4", within=documents)
@click.argument("id")
def draft(terminal: Terminal, id: str) -> None:
    """Show a draft as it is now.

    Extracted values, corrections of people, and mappings. ID is that of a draft, or of a document: then its newest one.
    """
    with terminal.existing() as loop:
        _answer(terminal, loop, find_draft(loop, id))


def _answer(terminal: Terminal, loop: Loop, one: DocumentDraft) -> None:
    if terminal.json:
        terminal.line(one.to_dict())
        return
    _show_draft(terminal, loop, one)
    if one.status.value == "open":
        place = terminal.same_place(loop)
        terminal.say((f"Correct: heedful documents correct{place} {short(one.id)} NAME=VALUE", "dim"))
        terminal.say((f"Confirm: heedful documents confirm{place} {short(one.id)}", "dim"))


def _show_draft(terminal: Terminal, loop: Loop, one: DocumentDraft) -> None:
    show_draft(terminal, one, name_of(loop, one.document))
    terminal.warn_unanswered(loop.event(one.id).meta.get("unanswered"))


@command("heedful documents confirm 7f3a9c0e21d4 --by dana", within=documents)
@click.argument("id", metavar="DRAFT")
@by_option("Who confirms it.")
def confirm(terminal: Terminal, id: str, by: str | None) -> None:
    """Confirm that a draft is right as it is now.

    Every value in it then is an example for the next document of its layout.
    """
    with terminal.existing() as loop:
        one = loop.capture.draft_confirmed(find_draft(loop, id), by=named(by))
        values = counted(len(one.fields), "field")
        lines = f" and {counted(len(one.lines), 'line')}" if one.lines else ""
        terminal.answer(one.to_dict(), DONE, f"confirmed: {name_of(loop, one.document)}, {values}{lines}")


@command("heedful documents delete 7f3a9c0e21d4", within=documents)
@click.argument("id")
def delete(terminal: Terminal, id: str) -> None:
    """Delete a document and its drafts.

    What people corrected in it stays until it is too old, but teaches nothing any more. To erase everything at once,
    use `heedful documents erase`.
    """
    with terminal.existing() as loop:
        one = loop.govern.documents.delete(find_document(loop, id))
        terminal.answer(one.to_dict(), DONE, f"deleted: {one.name}")


@command("heedful documents erase 7f3a9c0e21d4\nheedful documents erase 7f3a9c0e21d4 --yes", within=documents)
@click.argument("id")
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
def erase(terminal: Terminal, id: str, yes: bool) -> None:
    """Erase a document for good.

    The file, its words, its drafts, and what people corrected in them.
    """
    with terminal.existing() as loop:
        one = find_document(loop, id)
        more = f", with {counted(len(one.drafts), 'draft')} and all corrections" if one.drafts else ""
        if not yes and not terminal.confirms_deletion(one.name, more=more):
            return
        gone = loop.govern.documents.erase(one)
        terminal.answer(gone, DONE, f"erased: {one.name}{more}")


for command_ in (correct, analytics):
    documents.add_command(command_)
