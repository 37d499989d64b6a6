"""review: the inbox at a terminal. One proposal per screen, one key for each decision."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import click

from heedful.edges.cli import proposals_view as view
from heedful.edges.cli.person import by_option, named
from heedful.edges.cli.proposals import details, outcome, plain, waiting
from heedful.edges.cli.terminal import DONE, Part, Terminal, command, counted
from heedful.errors import Conflict, HeedfulError, InvalidInput, NotFound
from heedful.records.people import one_person
from heedful.records.proposal import Act, ProposalStatus

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.proposal import Proposal

Line = list[Part]

_FOOTER = 4  # lines below a proposal: the keys, and room for a message
_SCISSORS = "# ---- Only what is above this line becomes the rule. Empty it, or do not save, to change nothing. ----"
_VERBS = {Act.RENEW: ("still true", "retire it"), Act.REPLACE: ("take the second", "keep the first")}
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
    if terminal.json or not _attended():
        raise InvalidInput(
            "The inbox needs a terminal.", hint="Use `heedful proposals list`, `approve` and `reject` instead."
        )
    who = named(by)
    with terminal.existing() as loop:
        with terminal.notices.status("reading proposals"):
            pending = list(waiting(loop))
        queue = [one.id for one in pending if _waits_for(one, who)]
        if queue:
            _Inbox(terminal, loop, who, queue).run()
            return
        terminal.say(("Nothing waits for you.", "green"))
        if pending:
            place = terminal.same_place(loop)
            terminal.say((f"{counted(len(pending), 'proposal')} of others: heedful proposals list{place}", "dim"))


def _attended() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _waits_for(one: Proposal, who: str) -> bool:
    """Neither written nor approved by this person, whose word would not count."""
    spoken = {one_person(approval.by) for approval in one.approvals}
    return one_person(who) not in spoken | ({one_person(one.made_by)} if one.made_by is not None else set())


class _Inbox:
    def __init__(self, terminal: Terminal, loop: Loop, by: str, queue: list[str]) -> None:
        self._terminal = terminal
        self._loop = loop
        self._by = by
        self._queue = queue
        self._at, self._step = 0, 1
        self._messages: list[Line] = []
        self._shown: dict[str, str] = {}
        """The digests of the words that were read, by proposal."""
        self._drafts: dict[str, str] = {}
        """What was typed and could not be saved: the next edit begins with it."""
        self._done: dict[str, str] = {}
        """What became of each proposal."""
        self._keys: Mapping[str, Callable[[Proposal], None]] = {
            "a": self._approve,
            "r": self._reject,
            "e": self._edit,
            "s": lambda _: self._move(1),
            "b": lambda _: self._move(-1),
            "?": lambda _: self._messages.extend([line] for line in _HELP),
        }

    def run(self) -> None:
        try:
            self._walk()
        except KeyboardInterrupt:
            self._say_what_was_done()
            raise click.exceptions.Exit(130) from None
        self._say_what_was_done()

    def _walk(self) -> None:
        while self._at < len(self._queue):
            if self._at < 0:
                self._messages.append([("There is nothing before it.", "dim")])
                self._move(1)
            elif (found := self._current()) is None:
                self._at += self._step
            else:
                self._show(found)
                if (key := self._key()) in ("q", ""):
                    return
                self._keys.get(key, self._say_keys)(found)

    def _move(self, step: int) -> None:
        self._step = step
        self._at += step

    def _current(self) -> Proposal | None:
        """The proposal as it is now; None if it waits no longer. Tells what others did meanwhile."""
        id = self._queue[self._at]
        try:
            found = self._loop.govern.proposals.get(id)
        except NotFound:
            self._note(id, [("Deleted meanwhile: ", "yellow"), id])
            return None
        if found.status is not ProposalStatus.PENDING:
            by = found.decided_by or "heedful"
            self._note(id, [(f"Meanwhile {found.status.value} by {by}: ", "yellow"), plain(self._loop, found)])
            return None
        if self._shown.get(id, found.digest) != found.digest:
            by = found.made_by or "heedful"
            self._messages.append([(f"Meanwhile edited by {by}: read it again.", "yellow")])
        self._shown[id] = found.digest
        return found

    def _note(self, id: str, line: Line) -> None:
        """Once, and not about what was decided here."""
        if id not in self._done:
            self._done[id] = "others"
            self._messages.append(line)

    # The screen

    def _show(self, found: Proposal) -> None:
        console = self._terminal.console
        console.clear()
        self._terminal.say((f"{self._at + 1} of {len(self._queue)}", "bold"), (f"  you are {self._by}", "dim"))
        room = console.height - _FOOTER - len(self._messages)
        view.show(self._terminal, details(self._loop, found), self._loop.store.clock(), room=room)
        self._terminal.say()
        self._say_messages()
        self._terminal.say(*_keys(found))

    def _say_messages(self) -> None:
        for line in self._messages:
            self._terminal.say(*line)
        self._messages.clear()

    def _key(self) -> str:
        """Several characters at once were pasted, not pressed, and decide nothing."""
        try:
            return click.getchar().lower()
        except EOFError:
            return ""

    def _say_keys(self, _: Proposal) -> None:
        self._messages.append([("Press a, r, e, s, b, q, or ? for help.", "yellow")])

    # Decisions

    def _approve(self, found: Proposal) -> None:
        approve = self._loop.govern.proposals.approve
        self._decide(found, lambda: approve(found.id, by=self._by, digest=found.digest))

    def _reject(self, found: Proposal) -> None:
        try:
            why = click.prompt("Why" if found.rule is not None else "Why (or nothing)", default="", show_default=False)
        except click.Abort:
            self._messages.append([("Not rejected.", "dim")])
            return
        self._decide(found, lambda: self._loop.govern.proposals.reject(found.id, by=self._by, why=why))

    def _decide(self, found: Proposal, decide: Callable[[], Proposal]) -> None:
        if (decided := self._do(found, decide)) is not None:
            self._finish(found, outcome(decided, self._by))

    def _edit(self, found: Proposal) -> None:
        if found.rule is None:
            self._messages.append([("Only rules can be edited. Approve or reject it.", "yellow")])
            return
        text = self._edited_text(self._drafts.get(found.id, found.rule.text))
        if text is None or text == found.rule.text:
            self._messages.append([("Nothing was changed.", "dim")])
            return
        self._drafts[found.id] = text
        edited = self._do(found, lambda: self._loop.govern.proposals.edit(found.id, rule=text, by=self._by))
        if edited is not None:
            del self._drafts[found.id]
            self._shown[found.id] = edited.digest
            self._finish(edited, "edited")

    def _edited_text(self, text: str) -> str | None:
        try:
            edited = click.edit(f"{text}\n\n{_SCISSORS}\n")
        except click.ClickException as error:
            self._messages.append([("✗ ", "red"), error.format_message()])
            return None
        return (edited or "").partition(_SCISSORS)[0].strip() or None

    def _do(self, found: Proposal, act: Callable[[], Proposal]) -> Proposal | None:
        """In one transaction with a look at whether it is still what was read; None if not, or if it is refused."""
        try:
            with self._loop.transaction():
                now = self._loop.govern.proposals.get(found.id)
                same = now.status is ProposalStatus.PENDING and now.digest == found.digest
                return act() if same else None
        except (Conflict, InvalidInput, NotFound) as error:
            self._messages.append(_refusal(error))
            return None

    def _finish(self, found: Proposal, did: str) -> None:
        self._done[found.id] = did.partition(",")[0]
        self._messages.append([DONE, f"{did}: {plain(self._loop, found)}"])
        self._move(1)

    def _say_what_was_done(self) -> None:
        self._terminal.console.clear()
        self._say_messages()
        mine = Counter(did for did in self._done.values() if did != "others")
        shown = ", ".join(f"{count} {did}" for did, count in mine.items())
        self._terminal.say(DONE, f"Done: {shown}." if shown else "Nothing was decided.")
        if "agreed" in mine:
            self._terminal.say(("  What you agreed to takes effect when enough others agree.", "dim"))
        if left := len(self._queue) - len(self._done):
            place = self._terminal.same_place(self._loop)
            self._terminal.say((f"  {counted(left, 'proposal')} still waiting: heedful review{place}", "dim"))


def _keys(found: Proposal) -> Line:
    approve, reject = _VERBS.get(found.act, ("approve", "reject"))
    words = {"a": approve, "r": reject, **({"e": "edit"} if found.rule else {}), "s": "skip", "b": "back", "?": "help"}
    return [part for key, word in {**words, "q": "quit"}.items() for part in ((f" {key} ", "reverse"), f" {word}  ")]


def _refusal(error: HeedfulError) -> Line:
    return [("✗ ", "red"), error.message, (f" {error.hint}" if error.hint else "", "dim")]
