"""How a draft is printed: its fields and lines, how sure each is, and what was corrected and learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from heedful.edges.cli.ids import short
from heedful.edges.cli.layout_view import COME, GONE, table
from heedful.edges.cli.plots import meter
from heedful.edges.cli.terminal import Part, Terminal, assembled, counted, visible
from heedful.records.document import HEADER_FIELDS, LINE_FIELDS, MONEY_FIELDS, DraftStatus, Found, Value

if TYPE_CHECKING:
    from heedful.records.document import DocumentDraft, DraftLine, MappingMatch

_METER = 5
_HIGH, _LOW = 0.8, 0.6
_CENTS = 2
_MOST_LINES = 200
_GIVING_WAY = {"uom": 8, "description": 16}
"""The fields of lines that may wrap, with the width that they keep."""
_GAP = 2  # between columns
_NOTHING: Part = ("(none)", "dim")
_MEANS = "means"
_LEARNED, _CORRECTED = "✦", "✎"
_SOURCES = {
    "label": "by its label",
    "shape": "by its shape",
    "position": "by its place",
    "model": "by the model",
    "learned": "learned",
    "corrected": "corrected",
}
_MARKS = {"learned": (_LEARNED, "cyan"), "corrected": (_CORRECTED, "green")}
_LEGEND = {"learned": f"{_LEARNED} learned from corrections", "corrected": f"{_CORRECTED} corrected by a person"}
_STATUSES = {DraftStatus.OPEN: "yellow", DraftStatus.CONFIRMED: "green", DraftStatus.DELETED: "red"}
_DISPUTED = "disputed"
_HOW_MATCHED = {"other_customer": "of another customer", "similar_key": "of a similar number"}


def show_draft(terminal: Terminal, one: DocumentDraft, name: str, before: DocumentDraft | None = None) -> None:
    """A draft with its fields and lines; what differs from `before` is shown as old → new."""
    old = one if before is None else before
    facts: list[Part] = [(name, "bold"), (f"  draft {short(one.id)}  ", "dim"), draft_state(one)]
    terminal.say(*facts, (f"  by {method(one)}, sure {one.confidence:.2f}", "dim"))
    terminal.say(*_customer(one, old))
    terminal.console.print(_fields_table(one, old))
    _say_missing(terminal, one)
    _show_lines(terminal, one, old)
    _show_legend(terminal, one)


def draft_state(one: DocumentDraft) -> Part:
    more = f", {counted(len(one.corrections), 'correction')}" if one.corrections else ""
    return f"{one.status.value}{more}", _STATUSES[one.status]


def method(one: DocumentDraft) -> str:
    return "heedful" if one.method == "local" else one.method


def _customer(one: DocumentDraft, old: DocumentDraft) -> list[Part]:
    if one.customer != old.customer:
        return [("customer  ", "dim"), *_changed(old.customer, one.customer, "customer")]
    if one.customer is not None:
        return [("customer  ", "dim"), one.customer]
    known = ", ".join(f"{candidate.customer} ({candidate.documents})" for candidate in one.candidates)
    return [("customer  ", "dim"), ("not known", "yellow"), f"; may be {known}" if known else ""]


def _fields_table(one: DocumentDraft, old: DocumentDraft) -> Table:
    rows = table(("field", "value", "sure", "found"), wrapping=("value", "found"))
    for name in _ordered(one.fields, HEADER_FIELDS):
        found = one.fields[name]
        was = old.fields.get(name)
        cell = _value_cell(name, found, was.value if was is not None else None)
        rows.add_row(Text(visible(name)), cell, sure(found.confidence), _found(found))
    return rows


def _ordered(names: Iterable[str], known: Sequence[str]) -> list[str]:
    """The known ones in their order, then the others."""
    found = dict.fromkeys(names)
    return [*(name for name in known if name in found), *(name for name in found if name not in known)]


def _value_cell(name: str, found: Found, was: Value | None) -> Text:
    if found.value == was:
        return assembled([_shown(name, found.value)])
    return assembled(_changed(was, found.value, name))


def _changed(before: Value | None, after: Value | None, name: str) -> list[Part]:
    old, new = _shown(name, before), _shown(name, after)
    return [
        (old if isinstance(old, str) else old[0], GONE),
        (" → ", "dim"),
        (new if isinstance(new, str) else new[0], f"bold {COME}"),
    ]


def _shown(name: str, value: Value | None) -> Part:
    return _NOTHING if value is None else text_of(name, value)


def text_of(name: str, value: Value | None) -> str:
    """Money has two decimals."""
    if value is None:
        return "(none)"
    if name in MONEY_FIELDS and isinstance(value, int | float) and round(value, _CENTS) == value:
        return f"{value:.2f}"
    return str(value)


def sure(confidence: float) -> Text:
    return assembled([(meter(confidence, _METER), _confidence_style(confidence)), f" {confidence:.2f}"])


def _confidence_style(confidence: float) -> str:
    return "green" if confidence >= _HIGH else "yellow" if confidence >= _LOW else "red"


def _found(found: Found) -> Text:
    how = found.how or ("not printed" if found.source == "learned" and found.page is None else "")
    said = _SOURCES.get(found.source, found.source)
    if found.source not in _MARKS:
        return assembled([(how or said, "dim")])
    mark, style = _MARKS[found.source]
    return assembled([(f"{mark} {said}", style), (f", {how}" if how else "", "dim")])


def _say_missing(terminal: Terminal, one: DocumentDraft) -> None:
    missing = [name for name in HEADER_FIELDS if name not in one.fields]
    if missing:
        terminal.say((f"not found: {', '.join(missing)}", "dim"))


def _show_lines(terminal: Terminal, one: DocumentDraft, old: DocumentDraft) -> None:
    gone = [line for line in old.lines if one.line(line.number) is None]
    lines = sorted([*one.lines, *gone], key=lambda line: line.number)
    if not lines:
        return
    shown = lines[:_MOST_LINES]
    names = _ordered((name for line in shown for name in line.fields), LINE_FIELDS)
    columns, rows = ["line", *names, _MEANS, "sure"], [_line_cells(line, names, one, old) for line in shown]
    if not any(row[-2] for row in rows):
        columns, rows = [*columns[:-2], "sure"], [[*row[:-2], row[-1]] for row in rows]
    laid = _lines_table(columns, rows, terminal.console.width)
    if laid is not None:
        terminal.console.print(laid)
    else:
        _show_stacked(terminal, columns, rows)
    if len(lines) > _MOST_LINES:
        terminal.say((f"and {counted(len(lines) - _MOST_LINES, 'more line')}: see all with --json", "dim"))
    _say_suggestions(terminal, one)


def _lines_table(columns: Sequence[str], rows: Sequence[Sequence[Text]], room: int) -> Table | None:
    """None if there is no room for it. Only description and unit give way: rich would squeeze numbers."""
    widths = {name: max(len(name), *(row[place].cell_len for row in rows)) for place, name in enumerate(columns)}
    for name, least in _GIVING_WAY.items():
        missing = sum(widths.values()) + _GAP * len(columns) - room
        if name in widths and missing > 0:
            widths[name] = max(min(widths[name], least), widths[name] - missing)
    if sum(widths.values()) + _GAP * len(columns) > room:
        return None
    found = table(columns, wrapping=_GIVING_WAY, numbers=("line", "qty", "price", "amount"))
    for name, column in zip(columns, found.columns, strict=True):
        column.width = widths[name]
    for row in rows:
        found.add_row(*row)
    return found


def _show_stacked(terminal: Terminal, columns: Sequence[str], rows: Sequence[Sequence[Text]]) -> None:
    """On a narrow terminal, a line of the document takes several."""
    stacked = Table.grid(padding=(0, 2))
    stacked.add_column(no_wrap=True)
    for number, *cells in rows:
        named = zip(columns[1:], cells, strict=True)
        parts = [Text.assemble((f"{visible(name)} ", "dim"), cell) for name, cell in named if cell.plain]
        stacked.add_row(Text.assemble("line ", number), Text("  ").join(parts))
    terminal.console.print(stacked)


def _line_cells(line: DraftLine, names: Sequence[str], one: DocumentDraft, old: DocumentDraft) -> list[Text]:
    now, was = one.line(line.number), old.line(line.number)
    if now is None:
        gone = {
            name: Text(visible(text_of(name, found.value)), f"{GONE} strike") for name, found in line.fields.items()
        }
        cells = [gone.get(name, Text()) for name in names]
        return [Text(f"-{line.number}", GONE), *cells, Text(), Text()]
    added = was is None
    number = Text(f"+{line.number}" if added else f"{line.number}", COME if added else "")
    cells = [_line_cell(name, now, was, added=added) for name in names]
    return [number, *cells, _meaning(now), _least_sure(now)]


def _line_cell(name: str, now: DraftLine, was: DraftLine | None, *, added: bool) -> Text:
    found = now.fields.get(name)
    if found is None:
        return Text()
    before = was.fields.get(name) if was is not None else None
    old = None if before is None else before.value
    if not added and old != found.value:
        return assembled(_changed(old, found.value, name))
    mark, style = _MARKS.get(found.source, ("", ""))
    low = "" if found.confidence >= _HIGH else _confidence_style(found.confidence)
    shown = _shown(name, found.value)
    return assembled([(shown, style or low) if isinstance(shown, str) else shown, (mark, style)])


def _meaning(line: DraftLine) -> Text:
    """What its article number means, and its other words."""
    parts: list[list[Part]] = [_applied(name, match) for name, match in line.mappings.items()]
    if line.mapping is None and line.suggestions:
        parts.insert(0, [(f"{line.suggestions[0].value}?", "yellow")])
    return Text(", ").join(map(assembled, parts))


def _applied(name: str, match: MappingMatch) -> list[Part]:
    value: Part = (f"{match.value}!", "yellow") if match.contradicted else (match.value, "green")
    return [value] if name == "sku" else [(f"{name} ", "dim"), value]


def _least_sure(line: DraftLine) -> Text:
    if not line.fields:
        return Text()
    least = min(found.confidence for found in line.fields.values())
    return Text(f"{least:.2f}", _confidence_style(least))


def _say_suggestions(terminal: Terminal, one: DocumentDraft) -> None:
    """What waits for a person, each once: mappings that may fit, and those that people disagree about."""
    offered: dict[str, tuple[MappingMatch, ...]] = {}
    disputed: dict[str, MappingMatch] = {}
    for line in one.lines:
        disputed |= {match.key: match for match in line.mappings.values() if match.contradicted}
        if line.mapping is None and line.suggestions:
            offered.setdefault(str(line.values.get("sku")), line.suggestions)
    whose = f" --customer {quote(one.customer)}" if one.customer is not None else ""
    for key, (match, *others) in offered.items():
        if match.method == _DISPUTED:
            values = " or ".join(dict.fromkeys(each.value for each in (match, *others) if each.method == _DISPUTED))
            terminal.say(("! ", "yellow"), f"people disagree whether {key} is {values}")
            continue
        how = _HOW_MATCHED.get(match.method, match.method.replace("_", " "))
        terminal.say(("? ", "yellow"), f"{key} may be {match.value}", (f", {how}", "dim"))
        terminal.say((f"  heedful mappings confirm {quote(key)} {quote(match.value)}{whose}", "dim"))
    for key, match in disputed.items():
        terminal.say(("! ", "yellow"), f"people disagree about {key}; {match.value} has more support")


def _show_legend(terminal: Terminal, one: DocumentDraft) -> None:
    fields: list[Mapping[str, Found]] = [one.fields, *(line.fields for line in one.lines)]
    sources = {found.source for part in fields for found in part.values()}
    said = [text for source, text in _LEGEND.items() if source in sources]
    if said:
        terminal.say((" · ".join(said), "dim"))
