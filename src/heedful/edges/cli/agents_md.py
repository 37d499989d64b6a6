"""learnings write: keeps a section of approved learnings up to date in the file that agents read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from heedful.edges.cli import agents_md_section, text_file
from heedful.edges.cli.terminal import DONE, Part, Terminal, command, counted

if TYPE_CHECKING:
    from heedful.loop import Loop

_OTHERS = 5  # other projects that are named


@command(
    "heedful learnings write\nheedful learnings write --to CLAUDE.md --about shop\nheedful learnings write --check",
)
@click.option("--to", "file", type=click.Path(path_type=Path), default="AGENTS.md", show_default=True, help="The file.")
@click.option("--about", metavar="PROJECT", help="The project. [the name of the repository's folder]")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the file would change.")
def write(terminal: Terminal, file: Path, about: str | None, check: bool) -> None:
    """Keep approved learnings up to date in AGENTS.md.

    It holds what was approved for the project, and what holds everywhere. All that stands outside of the section's
    markers stays as it is.
    """
    project = about or _project(file)
    before = text_file.read(file)
    known = agents_md_section.has_section(before)
    with terminal.existing() as loop:
        section = loop.apply.agents_md(about=project)
        count = len(section.learnings)
        after = agents_md_section.updated(before, section.text) if count or known else before
        if after != before and not check:
            text_file.replace(file, after)
        told = {"file": str(file), "project": project, "learnings": count, "changed": after != before}
        terminal.answer(told, *_written(file, project, count, changed=after != before, check=check))
        if not terminal.json and not count:
            _say_how_to_approve(terminal, loop, section.elsewhere)
    if check and after != before:
        raise click.exceptions.Exit(1)


def _written(file: Path, project: str, count: int, *, changed: bool, check: bool) -> tuple[Part, ...]:
    what = counted(count, "approved learning") if count else "no approved learnings"
    if changed and check:
        return (
            ("! ", "yellow"),
            f"{file} is out of date: it should have {what} of {project}. Run the same without --check.",
        )
    if changed:
        return (DONE, f"{file} has {what} of {project} now")
    if count:
        return (DONE, f"{file} is up to date: {what} of {project}")
    return ((f"Nothing is approved for {project} yet, so there is nothing to write.", "dim"),)


def _say_how_to_approve(terminal: Terminal, loop: Loop, elsewhere: Sequence[str]) -> None:
    place = terminal.same_place(loop)
    terminal.say(("  See what was learned, and approve what agents should heed:", "dim"))
    terminal.say(f"  heedful learnings list{place}")
    terminal.say(f"  heedful learnings approve{place} ID")
    if elsewhere:
        named = ", ".join(elsewhere[:_OTHERS])
        terminal.say((f"  There are approved ones of other projects (--about): {named}", "dim"))


def _project(file: Path) -> str:
    """What conversations call it: the name of the folder that the repository lies in."""
    folder = file.absolute().parent.resolve()
    top = next((above for above in (folder, *folder.parents) if (above / ".git").exists()), folder)
    return top.name or "/"
