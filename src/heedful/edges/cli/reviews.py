"""reviews: record what reviewers decided about agents' outputs, and make rules of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from heedful.capture.items import check_item
from heedful.capture.reviews import checked
from heedful.edges.cli import reviews_view as view
from heedful.edges.cli.events import item, record_lines
from heedful.edges.cli.ids import IdLookup, short
from heedful.edges.cli.proposals import show_list as show_proposals
from heedful.edges.cli.terminal import DONE, Terminal, command, counted, group, limit_option
from heedful.edges.cli.text_file import read_input
from heedful.errors import Conflict, HeedfulError, InvalidInput
from heedful.operations.operation import operation_of
from heedful.records.review import ReviewDecision

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.review import Review

_DECISIONS = click.Choice([decision.value for decision in ReviewDecision], case_sensitive=False)
_FILE = click.Path(dir_okay=False, allow_dash=True)
_HINT = 'Write {"agent": "…", "decision": "REJECTED", "comment": "…", …}.'
_OTHER_NAMES = {
    "decision_id": "id",
    "gate_id": "gate",
    "epic_id": "epic",
    "task_id": "task",
    "reviewer_id": "reviewer",
    "timestamp": "at",
    "review_duration_seconds": "seconds",
    "agent_output_sha": "output_sha",
    "approved_output_sha": "approved_sha",
    "correction_diff_path": "diff_path",
    "reviewer_comment": "comment",
}
"""What other systems call the arguments of a review."""


@group(
    "heedful reviews add --agent coder --decision APPROVED_WITH_CHANGES --output made.py --approved fixed.py\n"
    "heedful reviews list --agent coder\n"
    "heedful reviews propose"
)
def reviews() -> None:
    """Record reviews of agents' outputs, and make rules of them.

    Abbreviate an id to six or more characters if that is unambiguous.
    """


def _register(loop: Loop) -> IdLookup[Review]:
    reviews = loop.learn.reviews
    return IdLookup("review", reviews.get, reviews.all, lambda one: one.id, view.plain)


@command(
    "heedful reviews add --agent coder --decision APPROVED_WITH_CHANGES --output made.py --approved fixed.py"
    ' --comment "Validate input at the boundary." --reviewer lee\n'
    'heedful reviews add --agent coder --decision REJECTED --comment "It has no tests."\n'
    "git diff | heedful reviews add --agent coder --decision approved_with_changes --diff -",
    within=reviews,
)
@click.option("--agent", required=True, help="The agent that made the output.")
@click.option("--decision", type=_DECISIONS, required=True, help="What the reviewer decided.")
@click.option("--output", type=_FILE, metavar="FILE", help="What the agent made; - is stdin.")
@click.option("--approved", type=_FILE, metavar="FILE", help="What the reviewer let through.")
@click.option("--diff", type=_FILE, metavar="FILE", help="What the reviewer changed, as a unified diff.")
@click.option("--comment", help="What the reviewer said.")
@click.option("--reviewer", metavar="NAME", help="Who reviewed.")
@click.option("--gate", help="The gate where people look at outputs.")
@click.option("--epic", help="Your id of the epic.")
@click.option("--task", help="Your id of the task.")
@click.option("--tag", "tags", multiple=True, help="A tag; repeatable.")
@click.option("--seconds", type=click.IntRange(min=0), help="How long the review took.")
@click.option("--at", metavar="TIME", help="Time of the review, with time zone: 2026-01-05T09:00:00Z. [now]")
@click.option("--id", help="Your own id; adding it twice changes nothing.")
def add(terminal: Terminal, **options: Any) -> None:
    """Record a reviewer's decision about an output.

    Pass what the agent made and what the reviewer let through, or a diff, or only a comment.
    """
    given = {name: value for name, value in options.items() if value not in (None, ())}
    files = [name for name in ("output", "approved", "diff") if name in given]
    if sum(given[name] == "-" for name in files) > 1:
        raise InvalidInput("Only one file can be read from stdin.", hint="Name the others.")
    given |= {name: read_input(given[name]) for name in files}
    with terminal.loop() as loop:
        one = loop.capture.review(**given)
        if terminal.json:
            terminal.line(one)
            return
        terminal.say(DONE, f"recorded: {view.plain(one)}")
        terminal.say((f"  as {one.id}", "dim"))
        if one.evaluation is None:
            _say_how_to_evaluate(terminal, loop, one)


def _say_how_to_evaluate(terminal: Terminal, loop: Loop, one: Review) -> None:
    place = terminal.same_place(loop)
    terminal.say(
        (f"  Workers evaluate it (heedful work{place}), or: heedful reviews evaluate{place} {short(one.id)}", "dim")
    )


@command("heedful reviews list --agent coder\nheedful reviews list --json -n 100", name="list", within=reviews)
@click.option("--agent", help="Only of this agent.")
@limit_option(20, ", newest first")
def list_reviews(terminal: Terminal, agent: str | None, limit: int) -> None:
    """List reviews, newest first.

    With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        found = list(loop.learn.reviews.all(agent=agent, limit=limit + 1))
        if terminal.json:
            terminal.lines(found[:limit])
        elif found:
            view.show_list(terminal, found[:limit], loop.store.clock())
            if len(found) > limit:
                terminal.say((f"There are more: add --limit {10 * limit}", "dim"))
        elif agent is not None:
            terminal.say(("No reviews match.", "dim"))
        else:
            terminal.say(("There are no reviews yet. Record one:", "dim"))
            terminal.say('  heedful reviews add --agent coder --decision REJECTED --comment "what should be different"')


@command("heedful reviews show 7f3a9c0e21d4", within=reviews)
@click.argument("id")
def show(terminal: Terminal, id: str) -> None:
    """Show a review, what was changed, and its evaluation."""
    with terminal.existing() as loop:
        one = _register(loop).find(id)
        if terminal.json:
            terminal.line(one)
            return
        view.show(terminal, one, loop.store.clock())
        if one.evaluation is None:
            _say_how_to_evaluate(terminal, loop, one)


@command("heedful reviews similar 7f3a9c0e21d4 --threshold 0.7", within=reviews)
@click.argument("id")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.8,
    show_default=True,
    help="The least similarity, as a cosine.",
)
@limit_option(20, ", most similar first", 1_000)
def similar(terminal: Terminal, id: str, threshold: float, limit: int) -> None:
    """Find reviews that say something similar.

    With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        found = loop.learn.reviews.similar(_register(loop).find(id).id, threshold=threshold, limit=limit)
        if terminal.json:
            terminal.lines(found)
        elif found:
            view.show_list(terminal, found, loop.store.clock())
        else:
            terminal.say(("No other review is that similar. Lower the threshold to see more.", "dim"))


@command("heedful reviews evaluate 7f3a9c0e21d4", within=reviews)
@click.argument("id")
def evaluate(terminal: Terminal, id: str) -> None:
    """Evaluate a review now.

    Its class, why, the reviews that say the same, and what should follow. Workers evaluate every review by themselves.
    """
    with terminal.existing() as loop:
        one = _register(loop).find(id)
        with terminal.notices.status("evaluating"):
            found = loop.learn.reviews.evaluate(one.id)
        if terminal.json:
            terminal.line(found)
            return
        terminal.say((view.plain(one), "dim"))
        view.show_evaluation(terminal, found)


@command("heedful reviews propose\nheedful review", within=reviews)
def propose(terminal: Terminal) -> None:
    """Propose rules that several reviewers asked for.

    Changes nothing: proposals wait for `heedful review`. With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        with terminal.progress() as progress:
            task = progress.add_task("comparing reviews", total=None)
            made = loop.learn.reviews.proposed(progress=lambda count: progress.advance(task, count))
        if terminal.json:
            terminal.lines(made)
        elif made:
            terminal.say(DONE, f"{counted(len(made), 'proposal')}, new or with more evidence")
            show_proposals(terminal, loop, [loop.govern.proposals.get(one.id) for one in made])
        else:
            _say_none_proposed(terminal, loop)


def _say_none_proposed(terminal: Terminal, loop: Loop) -> None:
    from heedful.records.review import ENOUGH, PEOPLE  # noqa: PLC0415

    terminal.say(("No new proposals.", "dim"))
    terminal.say((f"A rule needs {ENOUGH} reviews by {PEOPLE} people that ask for the same.", "dim"))
    if waits := sum(1 for _ in loop.govern.proposals.all()):
        terminal.say((f"{counted(waits, 'proposal')} made before: heedful review{terminal.same_place(loop)}", "dim"))


@command(
    "heedful reviews import reviews.jsonl\ncat reviews.jsonl | heedful reviews import -", name="import", within=reviews
)
@click.argument("file", type=_FILE)
def import_(terminal: Terminal, file: str) -> None:
    """Record a file of reviews, one JSON object per line.

    The fields are the options of `heedful reviews add`, with texts instead of files, and output_sha, approved_sha and
    diff_path; or decision_id, gate_id, epic_id, task_id, reviewer_id, timestamp, review_duration_seconds,
    agent_output_sha, approved_output_sha, correction_diff_path and reviewer_comment. The file is validated completely
    before anything is recorded. Lines with an id are not recorded twice, so you can run it again.
    """
    with terminal.loop() as loop:
        redacted = partial(operation_of(loop.capture.review).redacted, loop.store)
        numbers: list[int] = []

        def check(line: bytes, number: int) -> object:
            numbers.append(number)
            return check_item(checked, _HINT, _arguments(line), number, redacted)

        record_lines(terminal, file, "review", check, lambda lines: _record(loop, lines, numbers))


def _arguments(line: bytes) -> dict[str, Any]:
    given = item(line, hint=_HINT)
    found = {_OTHER_NAMES.get(name, name): value for name, value in given.items()}
    if len(found) < len(given):
        raise InvalidInput("The line says something under two names.", hint="Drop one, such as id or decision_id.")
    return found


def _record(loop: Loop, lines: Iterator[bytes], numbers: list[int]) -> int:
    """Each by itself, so that what was recorded before one that fails stays."""
    for number, line in zip(numbers, lines, strict=False):
        try:
            loop.capture.review(**_arguments(line))
        except Conflict as error:
            raise Conflict(f"Line {number:,}: {error.message}", hint=error.hint) from None
        except HeedfulError as error:
            error.message = f"Line {number:,}: {error.message} The lines before it were recorded."
            raise
    return len(numbers)
