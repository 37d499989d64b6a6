"""layouts: list the layouts of documents, and what people corrected in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from heedful.edges.cli import layouts_view as view
from heedful.edges.cli.commands import CommandGroup, epilog
from heedful.edges.cli.document_ids import find_layout, name_of
from heedful.edges.cli.documents_view import FINGERPRINT
from heedful.edges.cli.ids import short
from heedful.edges.cli.terminal import Terminal, command, limit_option

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.document import LayoutProfile

_LIST = "list"


class _ListsByDefault(CommandGroup):
    """`heedful layouts --limit 5` is `heedful layouts list --limit 5`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        wants_help = any(word in self.get_help_option_names(ctx) for word in args[:1])
        if not wants_help and (not args or args[0].startswith("-")):
            args = [_LIST, *args]
        return super().parse_args(ctx, args)


@click.group(cls=_ListsByDefault, epilog=epilog("heedful layouts\nheedful layouts show 9f86d081"))
def layouts() -> None:
    """List layouts of documents, and what they were taught.

    Abbreviate a fingerprint to six or more characters if that is unambiguous.
    """


@command("heedful layouts list\nheedful layouts --limit 5", name=_LIST, within=layouts)
@limit_option(20, ", most seen first", 1_000)
def list_layouts(terminal: Terminal, limit: int) -> None:
    """List layouts, most seen first.

    How often each was seen, what people did about it, and the share of extractions that they had to correct. With
    --json, prints one object per line.
    """
    with terminal.existing() as loop:
        found = loop.learn.layouts.list(limit=limit)
        if terminal.json:
            terminal.lines(one.to_dict() | {"correction_rate": one.correction_rate} for one in found)
        elif found:
            view.show_list(terminal, [(one, _family(loop, one)) for one in found], loop.store.clock())
            place = terminal.same_place(loop)
            terminal.say((f"Its corrections: heedful layouts show{place} {found[0].layout[:FINGERPRINT]}", "dim"))
        else:
            terminal.say(("There are no layouts yet. Take in documents:", "dim"))
            terminal.say(f"  heedful documents add{terminal.same_place(loop)} order.pdf")


def _family(loop: Loop, profile: LayoutProfile) -> str:
    """The name of the first document of its family."""
    return "" if profile.family is None else name_of(loop, profile.family) or short(profile.family)


@command("heedful layouts show 9f86d081\nheedful layouts show 9f86d081 --json", within=layouts)
@click.argument("fingerprint")
@limit_option(50, " events, newest first", 1_000)
def show(terminal: Terminal, fingerprint: str, limit: int) -> None:
    """Show a layout, and what people corrected in it.

    Each act with before and after, newest first.
    """
    with terminal.existing() as loop:
        profile = loop.learn.layouts.get(find_layout(loop, fingerprint))
        events = list(loop.learn.layouts.all(profile.layout, limit=limit + 1))
        if terminal.json:
            terminal.line(
                profile.to_dict()
                | {"correction_rate": profile.correction_rate, "events": [one.to_dict() for one in events[:limit]]}
            )
            return
        view.show(terminal, profile, _family(loop, profile), loop.store.clock())
        if not events:
            terminal.say(("Nobody corrected a document of this layout yet.", "dim"))
            return
        view.show_events(terminal, events[:limit])
        if len(events) > limit:
            terminal.say((f"There are more: add --limit {10 * limit}", "dim"))
