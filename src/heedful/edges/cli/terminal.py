"""What all commands share: opening the database, and output for people and for scripts."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from shlex import quote
from typing import TYPE_CHECKING, Any

import click
import orjson

from heedful.edges.cli.commands import CommandGroup, epilog
from heedful.errors import HeedfulError, InvalidInput
from heedful.settings import Settings

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.text import Text

    from heedful.loop import Loop

Part = str | tuple[str, str]
"""Plain text, or text with a style. Never markup: user data may contain brackets."""

_WORD = re.compile(r"\S+\s*")
_NARROW = 20  # columns that a text has at least

DONE: Part = ("✓ ", "green")

SKIPPED = 1
"""Exit code: some files or conversations were skipped."""
UNANSWERED = 5
"""Exit code: a language model or an embedder was unavailable."""


class Terminal:
    def __init__(self, *, database: str | None = None, org: str | None = None, json: bool = False) -> None:
        self.database = database
        self.org = org
        self.json = json

    def loop(self, *, migrate: bool = True) -> Loop:
        from heedful.loop import open  # noqa: PLC0415 - only commands that need it pay for it

        return open(self.database, org=self.org, migrate=migrate)

    def existing(self) -> Loop:
        """Opens the loop for read-only commands, which must not create a database for a mistyped path."""
        return self.loop(migrate=self._has_database())

    @contextmanager
    def existing_or_temporary(self) -> Iterator[Loop]:
        """For commands that neither read nor store anything, and need no database for it."""
        if self._has_database():
            with self.existing() as loop:
                yield loop
            return
        from tempfile import TemporaryDirectory  # noqa: PLC0415 - few commands need it

        from heedful.loop import open  # noqa: PLC0415

        with TemporaryDirectory() as folder, open(os.path.join(folder, "heedful.db"), org=self.org) as loop:
            yield loop

    def _has_database(self) -> bool:
        place = self.database or Settings.read().database
        return "://" in place or os.path.exists(os.path.expanduser(place))

    def is_damaged(self) -> bool:
        """Whether `heedful doctor` would report damage."""
        from heedful.store.health import inspect  # noqa: PLC0415

        try:
            with self.loop(migrate=False) as loop:
                return any(found.status == "failure" for found in inspect(loop.store))
        except HeedfulError as error:
            return error.code == "store_damaged"
        except Exception:  # noqa: BLE001 - the outer edge: called after an unexpected error
            return False

    def same_place(self, loop: Loop) -> str:
        """The options that make a suggested command use the same database and organisation."""
        database = f" --database {quote(self.database)}" if self.database else ""
        return f"{database} --org {quote(loop.name)}" if self.org else database

    @cached_property
    def console(self) -> Console:
        from rich.console import Console

        return Console(highlight=False, markup=False, emoji=False)

    @cached_property
    def notices(self) -> Console:
        """Stderr, for progress and errors; stdout is for results."""
        from rich.console import Console

        return Console(stderr=True, highlight=False, markup=False, emoji=False)

    def answer(self, document: Any, *people: Part) -> None:
        if self.json:
            self.line(document)
        else:
            self.say(*people)

    def say(self, *parts: Part, to: Console | None = None) -> None:
        self._print(assembled(parts), to or self.console)

    def _print(self, text: Text, console: Console) -> None:
        """Wraps between words at a terminal, keeping the indentation. Pipes and commands to copy get long lines."""
        for line in text.split("\n", allow_blank=True):
            plain = line.plain.lstrip()
            if not console.is_terminal or plain.startswith("heedful "):
                console.print(line, soft_wrap=True)
                continue
            indent = len(line.plain) - len(plain)
            room = max(console.width - indent, _NARROW)
            for part in line[indent:].divide(_breaks(plain, room)):
                part.rstrip()
                console.print(line[:indent] + part, soft_wrap=True)

    def rows(self, entries: Iterable[tuple[Part, Sequence[Sequence[Part]]]]) -> None:
        """Prints a list: an id on the left, and lines of any length beside it."""
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        for mark, shown in entries:
            grid.add_row(assembled([mark]), Text("\n").join(assembled(line) for line in shown))
        self.console.print(grid)

    def lines(self, documents: Iterable[Any]) -> None:
        for document in documents:
            self.line(document)

    def line(self, document: Any) -> None:
        sys.stdout.buffer.write(orjson.dumps(document, default=str, option=orjson.OPT_UTC_Z) + b"\n")
        sys.stdout.flush()

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[Part]]) -> None:
        """Prints a table whose last column may wrap. On a narrow terminal, the last two columns get their own line."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(
            title=title or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
        )
        kept = [[assembled([cell]) for cell in row] for row in rows]
        longest = max((len(word) for row in kept for word in row[-1].plain.split()), default=0)
        for number, column in enumerate(columns):
            last = number == len(columns) - 1
            widths = [Text(column).cell_len, *(row[number].cell_len for row in kept)]  # rich counts the longest word
            table.add_column(
                column,
                justify="right" if column == "number" else "left",
                no_wrap=not last,
                min_width=(max(longest, _NARROW) if longest else None) if last else max(widths),
            )
        for row in kept:
            table.add_row(*row)
        if self.console.measure(table, options=self.console.options.update(width=1_000)).minimum <= self.console.width:
            self.console.print(table)
            return
        if title:
            self.say((title, "bold"))
        for *facts, about, said in kept:
            self._print(Text("  ").join(fact for fact in facts if fact), self.console)
            shown = Text("  ").join(part for part in (about, said) if part)
            if shown:
                self._print(Text("    ") + shown, self.console)

    def progress(self) -> Progress:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        what = TextColumn("{task.description}", markup=False)
        return Progress(
            what,
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self.notices,
            transient=True,
            disable=not self.notices.is_terminal,  # in a file, each update would leave an empty line
        )

    def show_error(self, error: HeedfulError) -> None:
        if self.json:
            self.line({"error": error.code, "message": error.message, "hint": error.hint})
            return
        self.say(("✗ ", "red"), error.message, to=self.notices)
        if error.hint:
            self.say((f"  {error.hint}", "dim"), to=self.notices)

    def confirms_deletion(self, what: str, *, more: str = "") -> bool:
        """Asks at a terminal whether to delete it; elsewhere --yes is required."""
        if self.json or not sys.stdin.isatty():
            raise InvalidInput(f"Deleting needs confirmation: {what}", hint="Add --yes to delete it.")
        self.say(("! ", "yellow"), f"{what}{more}")
        if click.confirm("  Delete it for good?", default=False):
            return True
        self.say(("  Nothing was deleted.", "dim"))
        return False

    def warn_unanswered(self, code: str | None) -> None:
        """Warns that a language model did not answer, for the reason of this error code."""
        from heedful.records.language import why_unanswered  # noqa: PLC0415

        if code is not None:
            said = f"The language model did not answer: {why_unanswered(code)}. This is the local result."
            self.say(("! ", "yellow"), said, to=self.notices)


def assembled(parts: Iterable[Part]) -> Text:
    from rich.text import Text

    return Text.assemble(*(visible(part) if isinstance(part, str) else (visible(part[0]), part[1]) for part in parts))


def _breaks(text: str, width: int) -> list[int]:
    """The offsets at which to wrap a text to this width, between words."""
    from rich.cells import cell_len

    found, taken = [], 0
    for word in _WORD.finditer(text):
        if taken and taken + cell_len(word[0].rstrip()) > width:
            found.append(word.start())
            taken = 0
        taken += cell_len(word[0])
    return found


def visible(text: str) -> str:
    """Replaces control characters: user data must not control the terminal."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in "\n\u200c\u200d" else "�" for letter in text)


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def command(
    example: str,
    *,
    name: str | None = None,
    within: click.Group | None = None,
    cls: type[click.Command] = click.Command,
) -> Callable[[Callable[..., None]], click.Command]:
    def decorate(function: Callable[..., None]) -> click.Command:
        def run(ctx: click.Context, /, json: bool, org: str | None, database: str | None, **options: Any) -> None:
            terminal = ctx.ensure_object(Terminal)
            terminal.json = json
            terminal.org = org or terminal.org
            terminal.database = database or terminal.database
            function(terminal, **options)

        run.__doc__ = function.__doc__
        run.__click_params__ = getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
        decorated = click.pass_context(run)
        for option in (
            click.option("--json", is_flag=True, help="Print JSON."),
            click.option("--org", metavar="NAME", help="The organisation."),
            click.option("--database", metavar="PATH|URL", hidden=True),
        ):
            decorated = option(decorated)
        made = click.command(name or function.__name__, cls=cls, epilog=epilog(example))(decorated)
        if within is not None:
            within.add_command(made)
        return made

    return decorate


def limit_option(default: int, says: str, most: int | None = None) -> Callable[[Any], Any]:
    return click.option(
        "-n", "--limit", type=click.IntRange(1, most), default=default, show_default=True, help=f"How many{says}."
    )


def group(example: str) -> Callable[[Callable[..., None]], click.Group]:
    return click.group(cls=CommandGroup, epilog=epilog(example))
