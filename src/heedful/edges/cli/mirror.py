"""mirror: keep decisions, rules and edge cases in a Git repository."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from heedful.edges.cli.ids import short
from heedful.edges.cli.person import by_option, named
from heedful.edges.cli.terminal import DONE, Part, Terminal, command, counted

if TYPE_CHECKING:
    from heedful.edges.git.mirror import MirrorReport
    from heedful.loop import Loop

_TITLE = 160
_WARNING: Part = ("! ", "yellow")


@command("heedful mirror ../decisions\nheedful mirror ../decisions --push")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--rebuild", is_flag=True, help="Compare every file with the log, and write those that differ.")
@click.option("--push", is_flag=True, help="Push the branch afterwards.")
@by_option("Who edited files in the work tree.")
def mirror(terminal: Terminal, path: Path, rebuild: bool, push: bool, by: str | None) -> None:
    """Mirror decisions and rules into a Git repository.

    Writes Markdown to decisions/, rules/ and edge_cases/ of the repository PATH, which is created if needed, and
    commits to the current branch: each approval of a rule by itself, with its reviewers. Run again, it continues.

    A rule whose file you edit becomes a proposal.
    """
    from heedful.edges.git.mirror import Mirror  # noqa: PLC0415 - only this command needs it

    with terminal.existing() as loop:
        mirror = Mirror(loop, path, user=lambda: named(by))
        report = mirror.run(rebuild=rebuild)
        if not terminal.json:
            _show(terminal, loop, report)
        pushed = mirror.repository.push() if push and report.head is not None else None
        if terminal.json:
            terminal.line({**report.to_dict(), "pushed": pushed})
        elif pushed is not None:
            terminal.say(DONE, f"pushed {report.branch} to {pushed}")


def _show(terminal: Terminal, loop: Loop, report: MirrorReport) -> None:
    kinds = {"decision": report.decisions, "rule": report.rules, "edge case": report.edge_cases}
    files = ", ".join(counted(count, noun) for noun, count in kinds.items() if count)
    branch = report.branch or f"no branch, after {(report.head or '')[:12]}"
    what = f"{counted(report.commits, 'commit')} on {branch}" if report.commits else f"{branch} is up to date"
    terminal.say(DONE, f"{what}{f': {files}' if files else ''}", (f"  {report.path}", "dim"))
    for edit in report.edits:
        did = "proposed" if edit.new else "waits for approval"
        terminal.say(_WARNING, f"{edit.path} was edited; {did}: {edit.text[:_TITLE]}")
        terminal.say((f"  Approve: heedful proposals approve{terminal.same_place(loop)} {short(edit.proposal)}", "dim"))
    for notice in report.notices:
        terminal.say(_WARNING, notice)
