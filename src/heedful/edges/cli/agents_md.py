"""learnings write: updates the section of AGENTS.md between two markers. Text outside them is preserved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from heedful.edges.cli import text_file
from heedful.edges.cli.ids import short
from heedful.edges.cli.terminal import DONE, Part, Terminal, command, counted
from heedful.text.agents_file import has_section, updated
from heedful.text.project import project_name

if TYPE_CHECKING:
    from heedful.loop import Loop

_OTHERS = 5  # other projects that are named


@command(
    "heedful learnings write\nheedful learnings write --to CLAUDE.md --about shop\nheedful learnings write --check",
)
@click.option("--to", "file", type=click.Path(path_type=Path), default="AGENTS.md", show_default=True, help="The file.")
@click.option("--about", metavar="PROJECT", help="The project. [name of the repository folder]")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the file is out of date.")
def write(terminal: Terminal, file: Path, about: str | None, check: bool) -> None:
    """Write approved learnings to AGENTS.md.

    Updates one section with the learnings of the project and those that apply everywhere. Text outside its markers
    is unchanged.
    """
    project = about or _project(file)
    before = text_file.read(file)
    known = has_section(before)
    with terminal.existing() as loop:
        section = loop.apply.agents_md(about=project)
        count = len(section.learnings)
        after = updated(before, section.text) if count or known else before
        if after != before and not check:
            text_file.replace(file, after)
        listed = {"file": str(file), "project": project, "learnings": count, "changed": after != before}
        terminal.answer(
            {**listed, "left_out": list(section.left_out), "redacted": list(section.redacted)},
            *_written(file, project, count, changed=after != before, check=check),
        )
        if not terminal.json and section.left_out:
            _say_left_out(terminal, loop, section.left_out)
        if not terminal.json and section.redacted:
            _say_redacted(terminal, loop, section.redacted)
        if not terminal.json and not count:
            _say_how_to_approve(terminal, loop, section.elsewhere)
    if check and after != before:
        raise click.exceptions.Exit(1)


def _written(file: Path, project: str, count: int, *, changed: bool, check: bool) -> tuple[Part, ...]:
    what = counted(count, "approved learning") if count else "no approved learnings"
    if changed and check:
        return (
            ("! ", "yellow"),
            f"{file} is out of date: it should have {what} of {project}. Run this without --check.",
        )
    if changed:
        return (DONE, f"{file} now has {what} of {project}")
    if count:
        return (DONE, f"{file} is up to date: {what} of {project}")
    return ((f"No learnings are approved for {project} yet, so nothing was written.", "dim"),)


def _say_left_out(terminal: Terminal, loop: Loop, left_out: Sequence[str]) -> None:
    what = "1 approved learning is" if len(left_out) == 1 else f"{len(left_out):,} approved learnings are"
    terminal.say((f"  {what} left out: nobody understands it who was not there. Say in full what is right:", "dim"))
    terminal.say(f"  heedful corrections edit{terminal.same_place(loop)} {left_out[0]} --right TEXT")


def _say_redacted(terminal: Terminal, loop: Loop, redacted: Sequence[str]) -> None:
    what = "1 learning has" if len(redacted) == 1 else f"{len(redacted):,} learnings have"
    terminal.say((f"  {what} a gap where personal data was redacted. Say it in words that may be shared:", "dim"))
    terminal.say(f"  heedful learnings edit{terminal.same_place(loop)} {short(redacted[0])} --title TEXT")


def _say_how_to_approve(terminal: Terminal, loop: Loop, elsewhere: Sequence[str]) -> None:
    place = terminal.same_place(loop)
    terminal.say(("  Review learnings and approve them:", "dim"))
    terminal.say(f"  heedful learnings review{place}")
    terminal.say(f"  heedful learnings approve{place} ID")
    if elsewhere:
        named = ", ".join(elsewhere[:_OTHERS])
        terminal.say((f"  Other projects have approved learnings (--about): {named}", "dim"))


def _project(file: Path) -> str:
    """The project name that conversations use."""
    folder = file.absolute().parent.resolve()
    return project_name(str(folder)) or folder.name or "/"
