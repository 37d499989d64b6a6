"""review: the inbox at a terminal. One proposal per screen, one key for each decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import click

from heedful.edges.cli import inbox
from heedful.edges.cli import proposals_view as view
from heedful.edges.cli.inbox import Inbox, Line, footer
from heedful.edges.cli.person import by_option, named
from heedful.edges.cli.proposals import details, outcome, plain, waiting
from heedful.edges.cli.terminal import DONE, Terminal, command, counted
from heedful.errors import InvalidInput, NotFound
from heedful.records.people import one_person
from heedful.records.proposal import Act, ProposalStatus

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.proposal import Proposal

_FOOTER = 4  # lines below a proposal: the keys, and room for a message
_SCISSORS = "# ---- Only what is above this line becomes the rule. Empty it, or do not save, to change nothing. ----"
_VERBS = {
    Act.RENEW: ("still true", "retire it"),
    Act.REPLACE: ("take the second", "keep the first"),
    Act.RETIRE: ("retire it", "keep it"),
}
_HELP = (
    "a  approve: rules take effect when enough people have",
    "r  reject, with a reason; it is not proposed again",
    "e  edit the words of a rule in your editor ($EDITOR); others must approve them then",
    "s  skip: it waits for the next time",
    "b  back to the one before",
    "q  quit; what you decided stays decided",
)


@command("heedful review\nheedful review --by lee")
@by_option("Who you are.")
def review(terminal: Terminal, by: str | None) -> None:
    """Go through what waits for you, one by one.

    Shows each proposal with its evidence, what it contradicts and who agreed. Those with much evidence come first,
    those that need care last. Keys: a approve, r reject, e edit, s skip, b back, q quit, ? help. What you wrote or have
    approved is left out. Scripts use `heedful proposals`.
    """
    if terminal.json or not inbox.attended():
        raise InvalidInput(
            "The inbox needs a terminal.", hint="Use `heedful proposals list`, `approve` and `reject` instead."
        )
    who = named(by)
    with terminal.existing() as loop:
        with terminal.notices.status("reading proposals"):
            pending = list(waiting(loop))
        queue = [one.id for one in pending if _waits_for(one, who)]
        if queue:
            ProposalInbox(terminal, loop, who, queue).run()
            return
        terminal.say(("Nothing waits for you.", "green"))
        if pending:
            place = terminal.same_place(loop)
            terminal.say((f"{counted(len(pending), 'proposal')} of others: heedful proposals list{place}", "dim"))


def _waits_for(one: Proposal, who: str) -> bool:
    """Neither written nor approved by this person, whose word would not count."""
    spoken = {one_person(approval.by) for approval in one.approvals}
    return one_person(who) not in spoken | ({one_person(one.made_by)} if one.made_by is not None else set())


class ProposalInbox(Inbox["Proposal"]):
    def __init__(self, terminal: Terminal, loop: Loop, by: str, queue: list[str]) -> None:
        super().__init__(terminal, loop, queue)
        self._by = by
        self._shown: dict[str, str] = {}
        """The digests of the words that were read, by proposal."""
        self._drafts: dict[str, str] = {}
        """What was typed and could not be saved: the next edit begins with it."""

    @property
    def keys(self) -> Mapping[str, Callable[[Proposal], None]]:
        return {
            "a": self._approve,
            "r": self._reject,
            "e": self._edit,
            "s": lambda _: self.move(1),
            "b": lambda _: self.move(-1),
            "?": lambda _: self.messages.extend([line] for line in _HELP),
        }

    def current(self, id: str) -> Proposal | None:
        """Tells what others did meanwhile."""
        try:
            found = self.loop.govern.proposals.get(id)
        except NotFound:
            self.note(id, [("Deleted meanwhile: ", "yellow"), id])
            return None
        if found.status is not ProposalStatus.PENDING:
            by = found.decided_by or "heedful"
            self.note(id, [(f"Meanwhile {found.status.value} by {by}: ", "yellow"), plain(self.loop, found)])
            return None
        if self._shown.get(id, found.digest) != found.digest:
            by = found.made_by or "heedful"
            self.messages.append([(f"Meanwhile edited by {by}: read it again.", "yellow")])
        self._shown[id] = found.digest
        return found

    def show(self, found: Proposal) -> None:
        console = self.terminal.console
        console.clear()
        self.terminal.say((f"{self.at + 1} of {len(self.queue)}", "bold"), (f"  you are {self._by}", "dim"))
        room = console.height - _FOOTER - len(self.messages)
        view.show(self.terminal, details(self.loop, found), self.loop.store.clock(), room=room)
        self.terminal.say()
        self.say_messages()
        self.terminal.say(*_keys(found))

    # Decisions

    def _approve(self, found: Proposal) -> None:
        approve = self.loop.govern.proposals.approve
        self._decide(found, lambda: approve(found.id, by=self._by, digest=found.digest))

    def _reject(self, found: Proposal) -> None:
        try:
            why = click.prompt("Why" if found.rule is not None else "Why (or nothing)", default="", show_default=False)
        except click.Abort:
            self.messages.append([("Not rejected.", "dim")])
            return
        self._decide(found, lambda: self.loop.govern.proposals.reject(found.id, by=self._by, why=why))

    def _decide(self, found: Proposal, decide: Callable[[], Proposal]) -> None:
        if (decided := self._do(found, decide)) is not None:
            self._finish(found, outcome(decided, self._by))

    def _edit(self, found: Proposal) -> None:
        if found.rule is None:
            self.messages.append([("Only rules can be edited. Approve or reject it.", "yellow")])
            return
        text = self._edited_text(self._drafts.get(found.id, found.rule.text))
        if text is None or text == found.rule.text:
            self.messages.append([("Nothing was changed.", "dim")])
            return
        self._drafts[found.id] = text
        edited = self._do(found, lambda: self.loop.govern.proposals.edit(found.id, rule=text, by=self._by))
        if edited is not None:
            del self._drafts[found.id]
            self._shown[found.id] = edited.digest
            self._finish(edited, "edited")

    def _edited_text(self, text: str) -> str | None:
        try:
            edited = click.edit(f"{text}\n\n{_SCISSORS}\n")
        except click.ClickException as error:
            self.messages.append([("✗ ", "red"), error.format_message()])
            return None
        return (edited or "").partition(_SCISSORS)[0].strip() or None

    def _do(self, found: Proposal, act: Callable[[], Proposal]) -> Proposal | None:
        """Together with a look at whether it is still what was read; None if not, or if it is refused."""

        def acted() -> Proposal | None:
            now = self.loop.govern.proposals.get(found.id)
            same = now.status is ProposalStatus.PENDING and now.digest == found.digest
            return act() if same else None

        return self.attempt(acted)

    def _finish(self, found: Proposal, did: str) -> None:
        self.done[found.id] = did.partition(",")[0]
        self.messages.append([DONE, f"{did}: {plain(self.loop, found)}"])
        self.move(1)

    def say_what_was_done(self) -> None:
        if "agreed" in self.say_counts():
            self.terminal.say(("  What you agreed to takes effect when enough others agree.", "dim"))
        if left := len(self.queue) - len(self.done):
            place = self.terminal.same_place(self.loop)
            self.terminal.say((f"  {counted(left, 'proposal')} still waiting: heedful review{place}", "dim"))


def _keys(found: Proposal) -> Line:
    approve, reject = _VERBS.get(found.act, ("approve", "reject"))
    words = {"a": approve, "r": reject, **({"e": "edit"} if found.rule else {}), "s": "skip", "b": "back", "?": "help"}
    return footer({**words, "q": "quit"})
