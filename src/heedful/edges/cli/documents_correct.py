"""documents correct: fields and lines of a draft, as people type them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from heedful.edges.cli import drafts_view as view
from heedful.edges.cli.document_ids import find_draft, name_of
from heedful.edges.cli.ids import short
from heedful.edges.cli.person import by_option, named
from heedful.edges.cli.terminal import DONE, Terminal, command, counted
from heedful.edges.cli.typed_values import pairs, read
from heedful.errors import InvalidInput, NotFound
from heedful.records.document import HEADER_FIELDS, LINE_FIELDS, DocumentDraft, DraftLine, Found, Value

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.text.typed_values import Notation

_JOIN = "\x1f"
_LINE, _ADD = "--line", "--add-line"

Values = Mapping[str, Value | None]


class _WithLines(click.Command):
    """A command whose words after --line 2 and --add-line are values of that line, up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(_joined(args)))


def _joined(words: Sequence[str]) -> Iterator[str]:
    """Makes one value of all words that belong to a line."""
    place = 0
    while place < len(words):
        option, sign, value = words[place].partition("=")
        place += 1
        if option not in (_LINE, _ADD):
            yield words[place - 1]
            continue
        taken = [value] if sign else []
        while place < len(words) and _belongs(words[place], first=not taken and option == _LINE):
            taken.append(words[place])
            place += 1
        yield option
        if taken:
            yield _JOIN.join(taken)


def _belongs(word: str, *, first: bool) -> bool:
    return not word.startswith("-") and (first or "=" in word)


class _Changes(NamedTuple):
    """What a person wants to be different in a draft; nothing of it is as it should be yet."""

    customer: str | None
    fields: Values
    lines: Mapping[int, Values]
    added: Sequence[Values]
    removed: Sequence[int]

    def __bool__(self) -> bool:
        return self.customer is not None or any(self[1:])


@command(
    "heedful documents correct 7f3a9c0e21d4 invoice_number=RE-17 vat_id=-\n"
    "heedful documents correct 7f3a9c0e21d4 --line 2 qty=12 price=4.50 --remove-line 4\n"
    "heedful documents correct 7f3a9c0e21d4 --add-line sku=A-7 qty=3 --customer C-9",
    cls=_WithLines,
)
@click.argument("id", metavar="DRAFT")
@click.argument("fields", nargs=-1, metavar="[FIELDS]")
@click.option("--line", "lines", multiple=True, metavar="N FIELDS", help="Correct fields of line N; repeatable.")
@click.option("--add-line", "added", multiple=True, metavar="FIELDS", help="Add a line; repeatable.")
@click.option(
    "--remove-line",
    "removed",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="N",
    help="Remove what is no line; repeatable.",
)
@click.option("--customer", metavar="ID", help="Whose document it is.")
@by_option("Who corrects it.")
def correct(
    terminal: Terminal,
    id: str,
    fields: tuple[str, ...],
    lines: tuple[str, ...],
    added: tuple[str, ...],
    removed: tuple[int, ...],
    customer: str | None,
    by: str | None,
) -> None:
    """Correct fields and lines of a draft.

    FIELDS are words NAME=VALUE. The value - says that the document has none. Any other name than those that are shown
    is a new field, which is looked for from then on. Nothing is recorded if a word cannot be understood.
    """
    who = named(by)
    with terminal.existing() as loop:
        before = find_draft(loop, id)
        wanted = _wanted(before, fields, lines, added, removed, customer)
        after = _record(loop, before, wanted, who)
        if terminal.json:
            terminal.line(after.to_dict())
            return
        if not wanted:
            terminal.say(("Nothing to correct: the draft says so already.", "dim"))
            return
        new = len(after.corrections) - len(before.corrections) + (wanted.customer is not None)
        terminal.say(DONE, f"recorded {counted(new, 'correction')}")
        view.show_draft(terminal, after, name_of(loop, after.document), before)
        _say_next(terminal, loop, after, wanted)


def _wanted(
    draft: DocumentDraft,
    fields: Sequence[str],
    lines: Sequence[str],
    added: Sequence[str],
    removed: Sequence[int],
    customer: str | None,
) -> _Changes:
    if not (fields or lines or added or removed or customer):
        raise InvalidInput("Nothing to correct was given.", hint="Pass NAME=VALUE, such as invoice_number=RE-17.")
    from heedful.text.typed_values import Notation  # noqa: PLC0415 - few commands need it

    notation = Notation.of(draft)
    for number in removed:
        _line_of(draft, number)
    changes: dict[int, Values] = {}
    for given in lines:
        number, values = _numbered(given)
        line = _line_of(draft, number)
        if number in changes or number in removed:
            raise InvalidInput(
                f"Line {number} is given twice.", hint=f"Write {_LINE} {number} once, with all its values."
            )
        changes[number] = _different(_read(notation, _line_pairs(values), line.fields), line.values)
    header = _header_pairs(fields, draft)
    return _Changes(
        None if customer == draft.customer else customer,
        _different(_read(notation, header, draft.fields), draft.values),
        {number: values for number, values in changes.items() if values},
        [_read(notation, _line_pairs(given.split(_JOIN)), {}) for given in added],
        list(dict.fromkeys(removed)),
    )


def _line_of(draft: DocumentDraft, number: int) -> DraftLine:
    line = draft.line(number)
    if line is None:
        known = ", ".join(str(one.number) for one in draft.lines)
        hint = f"Its lines: {known}." if known else f"It has no lines. Add one: {_ADD} sku=A-7 qty=3"
        raise NotFound(f"The draft has no line {number}.", hint=hint)
    return line


def _numbered(given: str) -> tuple[int, list[str]]:
    number, *values = given.split(_JOIN)
    if not number.isdecimal() or not values:
        raise InvalidInput(
            f"{_LINE} needs the number of a line and its values.", hint=f"Write {_LINE} 2 qty=12 price=4.50"
        )
    return int(number), values


def _header_pairs(words: Sequence[str], draft: DocumentDraft) -> dict[str, str]:
    """A column of lines is hardly ever meant as a field of the document."""
    found = pairs(words)
    for name, value in found.items():
        if name in LINE_FIELDS and name not in HEADER_FIELDS and name not in draft.fields:
            raise InvalidInput(f"{name} is a field of lines.", hint=f"Say of which one: {_LINE} 2 {name}={value}")
    return found


def _line_pairs(words: Sequence[str]) -> dict[str, str]:
    found = pairs(words)
    for name, value in found.items():
        if name in HEADER_FIELDS and name not in LINE_FIELDS:
            raise InvalidInput(f"{name} is no field of lines.", hint=f"Write {name}={value} before {_LINE} or {_ADD}.")
    return found


def _read(notation: Notation, given: Mapping[str, str], known: Mapping[str, Found]) -> Values:
    return {
        name: read(notation, name, text, known[name].value if name in known else None) for name, text in given.items()
    }


def _different(values: Values, known: Values) -> Values:
    """What is not so already. That there is none can be said of a value that was not found: then it is sure."""
    return {name: value for name, value in values.items() if name not in known or known[name] != value}


def _record(loop: Loop, draft: DocumentDraft, wanted: _Changes, by: str) -> DocumentDraft:
    capture = loop.capture
    if wanted.customer is not None:
        draft = capture.customer_selected(draft, wanted.customer, by=by)
    for field, value in wanted.fields.items():
        draft = capture.field_corrected(draft, field, value, by=by)
    for number, values in wanted.lines.items():
        draft = capture.line_corrected(draft, number, values=dict(values), by=by)
    for number in wanted.removed:
        draft = capture.line_removed(draft, number, by=by)
    for values in wanted.added:
        draft = capture.line_added(draft, values=dict(values), by=by)
    return draft


# What the corrections teach


def _say_next(terminal: Terminal, loop: Loop, draft: DocumentDraft, wanted: _Changes) -> None:
    """What the next document of this layout will do: the same document, extracted again, tells it."""
    if not (wanted.fields or wanted.lines or wanted.added or wanted.removed):
        return
    terminal.say()
    terminal.say(("the next document of this layout", "bold"))
    if draft.method != "local":
        count = len(loop.apply.hint_examples(draft.layout))
        terminal.say(f"  {draft.method} gets {counted(count, 'correction')} as examples")
    else:
        again = loop.apply.preview(draft.document)
        for name, value in wanted.fields.items():
            _say_field(terminal, name, value, again.fields.get(name))
        if wanted.lines or wanted.added or wanted.removed:
            _say_lines(terminal, draft, again)
    place = terminal.same_place(loop)
    terminal.say((f"All right now? heedful documents confirm{place} {short(draft.id)}", "dim"))


def _say_field(terminal: Terminal, name: str, value: Value | None, found: Found | None) -> None:
    again = None if found is None else found.value
    if not _same(again, value):
        unclear = "is left as it is extracted" if value is None else "has to be corrected again: its place is not clear"
        terminal.say(("· ", "yellow"), f"{name} {unclear}")
    elif found is None or value is None:
        terminal.say(DONE, f"{name} is left out")
    elif found.page is None:
        terminal.say(
            ("· ", "yellow"), f"{name} will be {view.text_of(name, value)} again: it is not printed in this one"
        )
    else:
        terminal.say(DONE, f"{name} is found", (f" {found.how}" if found.how else "", "dim"))


def _say_lines(terminal: Terminal, draft: DocumentDraft, again: DocumentDraft) -> None:
    right = [line.values for line in draft.lines]
    found = [line.values for line in again.lines]
    hits = sum(any(_alike(line, other) for other in found) for line in right)
    if hits == len(right) == len(found):
        terminal.say(DONE, "lines come out as they are now")
    else:
        terminal.say(("· ", "yellow"), f"lines: {hits:,} of {len(right):,} would come out as they are now")


def _alike(one: Values, other: Values) -> bool:
    names = {name for name, value in (*one.items(), *other.items()) if value is not None}
    return all(_same(one.get(name), other.get(name)) for name in names)


def _same(one: Value | None, other: Value | None) -> bool:
    from heedful.text.printed_values import same  # noqa: PLC0415 - few commands need it

    return same(one, other)
