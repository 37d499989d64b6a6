"""proposals: decide about rules for agents, and about changes to learnings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import click

from heedful.edges.cli import proposals_view as view
from heedful.edges.cli.ids import IdLookup, short
from heedful.edges.cli.person import by_option, named
from heedful.edges.cli.proposals_view import ProposalDetails
from heedful.edges.cli.terminal import DONE, Terminal, command, counted, group, limit_option
from heedful.errors import Conflict, HeedfulError, InvalidInput, NotFound
from heedful.records.people import one_person
from heedful.records.proposal import Lane, ProposalStatus, voices
from heedful.records.rule import RuleType

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.proposal import Proposal

_T = TypeVar("_T")
_TYPES = click.Choice([type.value for type in RuleType], case_sensitive=False)
_LANES = list(Lane)


@group(
    "heedful proposals list\n"
    "heedful proposals approve 5f0c1a9be27d --by lee\n"
    'heedful proposals propose "Validate input at the boundary." --agent coder'
)
def proposals() -> None:
    """Decide about rules for agents and changes to learnings.

    heedful proposes rules that several reviewers asked for; two people must approve one. It also proposes to merge,
    retire, replace or rewrite learnings, and asks whether old ones are still true: approve to confirm one, reject to
    retire it. `heedful review` shows them one by one.

    Abbreviate an id to six or more characters if that is unambiguous.
    """


def waiting(loop: Loop) -> Iterator[Proposal]:
    """All that is pending, by lane: expedited first, slow last."""
    return iter(sorted(loop.govern.proposals.all(), key=lambda one: _LANES.index(one.lane)))


def details(loop: Loop, one: Proposal, *, reviews: bool = True) -> ProposalDetails:
    """What a proposal names; reviews only on demand, because there may be many."""
    found = (_found(loop.learn.reviews.get, id) for id in one.evidence) if reviews else ()
    return ProposalDetails(
        proposal=one,
        learnings=tuple(_found(loop.govern.learnings.get, id) for id in one.learnings),
        reviews=tuple(review for review in found if review is not None),
    )


def _found(get: Callable[[str], _T], id: str) -> _T | None:
    try:
        return get(id)
    except NotFound:
        return None


def plain(loop: Loop, one: Proposal) -> str:
    return view.plain(details(loop, one, reviews=False))


def _register(loop: Loop) -> IdLookup[Proposal]:
    every = partial(loop.govern.proposals.all, status=None)
    return IdLookup("proposal", loop.govern.proposals.get, every, lambda one: one.id, partial(plain, loop))


@command("heedful proposals list\nheedful proposals list --all --json", name="list", within=proposals)
@click.option("--all", "everything", is_flag=True, help="Include decided proposals, newest first.")
@limit_option(20, "")
def list_proposals(terminal: Terminal, everything: bool, limit: int) -> None:
    """List pending proposals, expedited ones first.

    Expedited ones have much evidence and no conflict. Slow ones are constraints, contradict other rules, or read like
    an attack on the agent. With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        each = loop.govern.proposals.all(status=None) if everything else waiting(loop)
        found = list(islice(each, limit + 1))
        if terminal.json:
            terminal.lines(found[:limit])
        elif found:
            show_list(terminal, loop, found[:limit])
            if len(found) > limit:
                terminal.say((f"There are more: add --limit {10 * limit}", "dim"))
        else:
            terminal.say(("There are no pending proposals. Make some:", "dim"))
            terminal.say(f"  heedful learnings curate{terminal.same_place(loop)}")
            terminal.say(f"  heedful reviews propose{terminal.same_place(loop)}")


def show_list(terminal: Terminal, loop: Loop, found: Sequence[Proposal]) -> None:
    view.show_list(terminal, [details(loop, one, reviews=False) for one in found], loop.store.clock())
    if pending := next((one for one in found if one.status is ProposalStatus.PENDING), None):
        _say_how_to_decide(terminal, loop, pending)


def _say_how_to_decide(terminal: Terminal, loop: Loop, one: Proposal) -> None:
    place = terminal.same_place(loop)
    terminal.say((f"Approve: heedful proposals approve{place} {short(one.id)}", "dim"))
    why = ' --why "…"' if one.rule is not None else ""
    terminal.say((f"Reject:  heedful proposals reject{place} {short(one.id)}{why}", "dim"))


@command("heedful proposals show 5f0c1a9be27d", within=proposals)
@click.argument("id")
def show(terminal: Terminal, id: str) -> None:
    """Show a proposal with its evidence and conflicts.

    The rule or the change, what reviewers said and changed, rules that it may contradict, and who agreed.
    """
    with terminal.existing() as loop:
        one = details(loop, _register(loop).find(id))
        if terminal.json:
            about = [learning for learning in one.learnings if learning is not None]
            terminal.line({"proposal": one.proposal, "learnings": about, "reviews": one.reviews})
            return
        view.show(terminal, one, loop.store.clock())
        if one.proposal.status is ProposalStatus.PENDING:
            terminal.say()
            _say_how_to_decide(terminal, loop, one.proposal)


@command(
    "heedful proposals approve 5f0c1a9be27d 91b2c4e07a6d\nheedful proposals approve 5f0c1a9be27d --by lee",
    within=proposals,
)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@by_option("Who approves.")
@click.option("--why", help="The reason.")
def approve(terminal: Terminal, ids: tuple[str, ...], by: str | None, why: str | None) -> None:
    """Approve proposals.

    A rule takes effect when two people have approved it, three if it reads like an attack on the agent; the word of who
    wrote it does not count. Other changes need one. Proposals in the slow lane must be approved one at a time.

    With --json, prints one object per line.
    """
    _decide(terminal, ids, approve=True, by=named(by), why=why)


@command('heedful proposals reject 5f0c1a9be27d --why "they are about different tools"', within=proposals)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@by_option("Who rejects.")
@click.option("--why", help="The reason; rules need one.")
def reject(terminal: Terminal, ids: tuple[str, ...], by: str | None, why: str | None) -> None:
    """Reject proposals; they are not made again.

    With --json, prints one object per line.
    """
    _decide(terminal, ids, approve=False, by=named(by), why=why)


def _decide(terminal: Terminal, ids: Sequence[str], *, approve: bool, by: str, why: str | None) -> None:
    """Decides each separately: a failure does not stop the others."""
    failed = False
    with terminal.existing() as loop:
        chosen = {one.id: one for one in map(_register(loop).find, ids)}  # a mistyped id changes nothing
        shown = {id: plain(loop, one) for id, one in chosen.items()}
        for id, decided in _decided(loop, list(chosen), approve=approve, by=by, why=why):
            if isinstance(decided, HeedfulError):
                terminal.show_error(type(decided)(f"{short(id)}: {decided.message}", hint=decided.hint))
                failed = True
            else:
                terminal.answer(decided, DONE, f"{outcome(decided, by)}: {shown[id]}")
    if failed:
        raise click.exceptions.Exit(1)


def _decided(
    loop: Loop, ids: list[str], *, approve: bool, by: str, why: str | None
) -> Iterator[tuple[str, Proposal | HeedfulError]]:
    if len(ids) > 1:
        for one in loop.govern.proposals.decide(ids, approve=approve, by=by, why=why):
            yield one.id, one.proposal if one.proposal is not None else Conflict(one.error or "It failed.")
        return
    decide = loop.govern.proposals.approve if approve else loop.govern.proposals.reject
    try:
        yield ids[0], decide(ids[0], by=by, why=why)
    except (Conflict, NotFound) as error:
        yield ids[0], error


def outcome(decided: Proposal, by: str) -> str:
    """What a decision of this person has led to."""
    if decided.status is ProposalStatus.PENDING:
        return f"agreed, {len(voices(decided))} of {decided.needed}"
    people = [approval.by for approval in decided.approvals] if decided.status is ProposalStatus.APPROVED else []
    mine = one_person(by) in map(one_person, [*people, decided.decided_by or ""])
    return decided.status.value if mine else f"already {decided.status.value}"


_RULE_OPTIONS = (
    click.option("--type", type=_TYPES, help="The type of the rule."),
    click.option("--agent", "agents", multiple=True, help="An agent that gets it; repeatable."),
    click.option("--before", help="An example of what is wrong."),
    click.option("--after", help="The same example, put right."),
    click.option("--insertion-point", metavar="NAME", help="A heading or {{rules:NAME}} mark of the prompt."),
    click.option("--replaces", multiple=True, metavar="RULE", help="A rule in force that it replaces; repeatable."),
)


def _rule_options(function: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_RULE_OPTIONS):
        function = option(function)
    return function


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value not in (None, ())}


@command(
    'heedful proposals propose "Validate input at the boundary." --agent coder\n'
    'heedful proposals propose "Answer in German." --type CONSTRAINT --why "our customers are German"',
    within=proposals,
)
@click.argument("rule")
@_rule_options
@click.option("--why", help="The reason.")
@by_option("Who proposes it.")
@click.option("--id", help="Your own id; proposing it twice changes nothing.")
def propose(terminal: Terminal, rule: str, by: str | None, **options: Any) -> None:
    """Propose a rule for agents.

    For all agents, if none is named. Two people other than you must approve it.
    """
    with terminal.loop() as loop:
        one = loop.govern.proposals.propose(rule, by=named(by), **_given(options))
        _report(terminal, loop, one, "proposed")


@command(
    'heedful proposals edit 5f0c1a9be27d --text "Validate all input where it enters."\n'
    "heedful proposals edit 5f0c1a9be27d --agent coder --agent tester --type CONSTRAINT",
    within=proposals,
)
@click.argument("id")
@click.option("--text", "rule", help="The rule.")
@_rule_options
@click.option("--all-agents", is_flag=True, help="For all agents.")
@by_option("Who edits it.")
def edit(terminal: Terminal, id: str, by: str | None, all_agents: bool, **options: Any) -> None:
    """Edit a proposed rule.

    Omitted fields keep their values. Who agreed before must agree again, and others than you must approve it.
    """
    given = {**_given(options), **({"agents": ()} if all_agents else {})}
    if not given:
        raise InvalidInput("No changes were given.", hint="Pass --text, --type, --agent or another option.")
    if all_agents and options["agents"]:
        raise InvalidInput("--agent cannot be combined with --all-agents.", hint="Drop one of them.")
    with terminal.existing() as loop:
        one = loop.govern.proposals.edit(_register(loop).find(id).id, by=named(by), **given)
        _report(terminal, loop, one, "edited")


def _report(terminal: Terminal, loop: Loop, one: Proposal, did: str) -> None:
    if terminal.json:
        terminal.line(one)
        return
    terminal.say(DONE, f"{did}, as {one.id}")
    view.show_list(terminal, [details(loop, one, reviews=False)], loop.store.clock())
    left = one.needed - len(voices(one))
    terminal.say(
        (f"{counted(left, 'person')} must approve it." if left == 1 else f"{left} people must approve it.", "dim")
    )
