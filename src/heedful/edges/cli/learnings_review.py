"""learnings review: new learnings at a terminal, one per screen, one key for each decision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import click

from heedful.edges.cli import inbox
from heedful.edges.cli import learnings_view as view
from heedful.edges.cli.ids import short
from heedful.edges.cli.inbox import Inbox, edited_line, footer
from heedful.edges.cli.learning_words import Reviewed, edit_back, edit_of, words_of
from heedful.edges.cli.person import named
from heedful.edges.cli.proposals import show_list as show_proposals
from heedful.edges.cli.review import ProposalInbox
from heedful.edges.cli.terminal import DONE, Part, Terminal, command, counted, limit_option
from heedful.errors import NotFound
from heedful.learnings.content import label
from heedful.learnings.kinds import record_of
from heedful.learnings.overlaps import told_once
from heedful.learnings.repetition import repetitions
from heedful.learnings.table import LearningTable
from heedful.records.correction import Correction
from heedful.records.insight import Insight
from heedful.records.learning import Status
from heedful.records.proposal import Act
from heedful.records.transcript import Speaker

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.learnings import AnyLearning, Repetition
    from heedful.records.proposal import Proposal

_UNDECIDED = (Status.ACTIVE, Status.POSSIBLE)
_MOST = 20  # in one go: about two minutes
_LOOKED_AT = 1_000  # corrections that were heard, the newest
_HEARD = 4
"""One in so many may be a correction however many other learnings wait."""
_KEYS = {"k": "keep", "e": "edit", "d": "drop", "s": "skip", "u": "undo", "?": "help", "q": "quit"}
_HELP = (
    "k  keep: approved, so that agents get it and `heedful learnings write` writes it",
    "e  edit its words, and keep it",
    "d  drop: retired, and not learned again; D asks for the reason, too",
    "s  skip: it waits for the next time",
    "u  undo the last decision; again for the one before",
    "q  quit; what you decided stays decided",
)


@command(
    "heedful learnings review\nheedful learnings review --about shop",
    name="review",
)
@click.option("--about", metavar="PROJECT", help="Only of this project.")
@limit_option(_MOST, ", surest first")
def review_command(terminal: Terminal, about: str | None, limit: int) -> None:
    """Go through new learnings, and keep, edit or drop them.

    Shows what was learned from conversations and is not approved yet, with what people said, and what may be worth
    keeping, which nothing uses before you decide; then corrections that were heard in messages, the newest of them,
    which are in use. Keys: k keep, e edit,
    d drop, s skip, u undo, q quit, ? help. Then comes what a newer conversation contradicts or may take back.
    Without a terminal, lists them. With --json, prints one learning per line.
    """
    with terminal.existing() as loop:
        with terminal.notices.status("reading learnings"):
            waiting: list[Reviewed] = [*_all_waiting(loop, about), *islice(_heard(loop, about), _LOOKED_AT)]
            asked, contrary = _asked(loop, waiting), _contrary(loop, about)
            found = [one for one in asked if isinstance(one.first, Insight)]
            heard = [one for one in asked if isinstance(one.first, Correction)]
            room = max(limit - len(found), limit // _HEARD)
        shown = [*found[: limit - len(heard[:room])], *heard[:room]]
        _review(terminal, loop, shown, len(asked), contrary)


def review(terminal: Terminal, loop: Loop, ids: Sequence[str], proposals: Sequence[str]) -> None:
    """Those of these learnings and proposals that wait for a person."""
    found = _asked(loop, _waiting(map(loop.govern.learnings.get, dict.fromkeys(ids))))
    _review(terminal, loop, found, len(found), [one for one in _contrary(loop) if one.id in proposals])


class _Asked(NamedTuple):
    """A learning that a person is asked about, and others for which the answer holds as well: they say the same."""

    first: Reviewed
    others: tuple[Reviewed, ...] = ()


def _asked(loop: Loop, waiting: Sequence[Reviewed]) -> list[_Asked]:
    """Each statement once, however often it was recorded: what was heard as a correction is mined from the same session
    again. What says the same as one that was approved is answered."""
    approved = [
        one
        for row in LearningTable(loop.store).approved({"status": Status.ACTIVE.value})
        if isinstance(one := record_of(row), Insight | Correction)
    ]
    groups = told_once([*approved, *waiting])
    return [_Asked(first, tuple(others)) for first, *others in groups if not first.approved]


def _all_waiting(loop: Loop, about: str | None = None) -> list[Insight]:
    """Also what nothing uses before somebody decides."""
    all_ = loop.govern.learnings.all
    return _waiting(one for status in _UNDECIDED for one in all_(kind="insight", about=about, status=status))


def _waiting(learnings: Iterable[AnyLearning]) -> list[Insight]:
    """The surest first."""
    found = [one for one in learnings if isinstance(one, Insight) and _waits(one)]
    return sorted(found, key=lambda one: (-one.confidence, -one.confirmed, one.at, one.id))


def _waits(one: Reviewed) -> bool:
    """What was reported on purpose as a correction needs no second look."""
    is_heard = isinstance(one, Insight) or bool(one.said)
    return is_heard and one.status in _UNDECIDED and not one.approved


def _heard(loop: Loop, about: str | None) -> Iterator[Correction]:
    """Corrections that were heard in messages, newest first. They are used without approval, and there are many."""
    return filter(_waits, loop.govern.learnings.all(kind="correction", about=about))


def _contrary(loop: Loop, about: str | None = None) -> list[Proposal]:
    """What asks whether a learning still holds that something newer contradicts, or may take back."""
    found = [one for one in loop.govern.proposals.all() if one.act in (Act.REPLACE, Act.RETIRE)]
    first = {one.id: loop.govern.learnings.get(one.learnings[0]) for one in found}
    kinds = (Insight, Correction)
    return [one for one in found if isinstance(learning := first[one.id], kinds) and about in (None, learning.about)]


def _review(terminal: Terminal, loop: Loop, asked: Sequence[_Asked], total: int, contrary: Sequence[Proposal]) -> None:
    found = [one.first for one in asked]
    said = repetitions(loop.store, found)
    if terminal.json:
        terminal.lines(view.described(said[one.id]) for one in found)
    elif not (found or contrary):
        terminal.say(("No learnings wait for a review.", "green"))
    elif inbox.attended():
        learnings = _LearningInbox(terminal, loop, asked, said, total)
        if found:
            learnings.run()
        if contrary and learnings.at >= len(found):
            ProposalInbox(terminal, loop, named(None), [one.id for one in contrary]).run()
    else:
        _list(terminal, loop, found, said, total)
        if contrary:
            show_proposals(terminal, loop, contrary)


def _list(
    terminal: Terminal, loop: Loop, found: Sequence[Reviewed], said: Mapping[str, Repetition], total: int
) -> None:
    if not found:
        return
    place = terminal.same_place(loop)
    view.show_list(terminal, found, loop.store.clock(), said)
    if total > len(found):
        terminal.say((f"There are more: add --limit {total}", "dim"))
    terminal.say((f"Keep some: heedful learnings approve{place} ID...", "dim"))
    terminal.say((f"Drop one:  heedful learnings retire{place} ID", "dim"))


def _for_each(act: Callable[[str], AnyLearning], learnings: Sequence[Reviewed]) -> Callable[[], AnyLearning]:
    """Does it to all of them, and answers with the last."""
    return lambda: [act(one.id) for one in learnings][-1]


class _Decision(NamedTuple):
    at: int
    """The place in the queue."""
    did: str
    undo: Callable[[], AnyLearning] | None
    """None if nothing was changed."""


class _LearningInbox(Inbox[Reviewed]):
    def __init__(
        self, terminal: Terminal, loop: Loop, asked: Sequence[_Asked], said: Mapping[str, Repetition], total: int
    ) -> None:
        super().__init__(terminal, loop, list(said))
        self._said = said
        self._same = {one.first.id: [other.id for other in one.others] for one in asked}
        """The ids of those for which the answer holds as well."""
        self._total = total
        self._decisions: list[_Decision] = []
        self._drafts: dict[str, dict[str, str]] = {}
        """What was typed and could not be saved: the next edit begins with it."""

    @property
    def keys(self) -> Mapping[str, Callable[[Reviewed], None]]:
        return {
            "k": self._keep,
            "e": self._edit,
            "d": self._drop,
            "D": self._drop_for_a_reason,
            "s": lambda found: self._finish(found, "skipped", None),
            "u": lambda _: self._undo(),
            "?": lambda _: self.messages.extend([line] for line in _HELP),
        }

    def current(self, id: str) -> Reviewed | None:
        try:
            found = self.loop.govern.learnings.get(id)
        except NotFound:
            self.note(id, [("Deleted meanwhile: ", "yellow"), id])
            return None
        if isinstance(found, Insight | Correction) and _waits(found):
            return found
        did = "approved" if found.status is Status.ACTIVE else found.status.value
        self.note(id, [(f"Meanwhile {did}: ", "yellow"), view.title(found)])
        return None

    def show(self, found: Reviewed) -> None:
        self.terminal.console.clear()
        self.terminal.say((f"{self.at + 1} of {len(self.queue)}", "bold"), "  ", *view.in_short(found))
        self.terminal.say()
        said = replace(self._said[found.id], learning=found)
        if isinstance(found, Correction):
            view.show_heard(self.terminal, said)
        else:
            quote = next((one for one in found.quotes if one.role is Speaker.USER), next(iter(found.quotes), None))
            message = None if quote is None else self.loop.store.log.get(quote.message)
            view.show_said(self.terminal, said, quote, found.at if message is None else message.at)
        if same := self._same[found.id]:
            self.terminal.say((f"recorded as {', '.join(map(short, same))}, too: your answer holds for all", "dim"))
        self.terminal.say()
        self.say_messages()
        self.terminal.say(*footer(_KEYS))

    def goes_on(self) -> bool:
        """After the last one, its decision can still be undone."""
        while self._decisions:
            self.terminal.console.clear()
            self.say_messages()
            self.terminal.say("That was the last one.")
            self.terminal.say(*footer({"u": "undo", "q": "quit"}))
            if self.pressed() not in ("u", "U"):
                return False
            self._undo()
            if self.at < len(self.queue):
                return True
        return False

    # Decisions

    def _keep(self, found: Reviewed) -> None:
        learnings = self.loop.govern.learnings

        def kept() -> AnyLearning:
            for other in self._still_waiting(found):
                learnings.approve(other.id, digest=other.digest)
            return learnings.approve(found.id, digest=found.digest)

        with_others = self._still_waiting(found)
        if self.attempt(kept) is not None:
            self._finish(found, "kept", _for_each(learnings.unapprove, [*with_others, found]))

    def _drop(self, found: Reviewed, why: str | None = None) -> None:
        learnings = self.loop.govern.learnings
        all_ = [*self._still_waiting(found), found]
        if self.attempt(_for_each(partial(learnings.retire, why=why), all_)) is not None:
            self._finish(found, "dropped", _for_each(learnings.restore, all_))

    def _still_waiting(self, found: Reviewed) -> list[Reviewed]:
        """Those that say the same, as they are now."""
        others = (self._found(id) for id in self._same[found.id])
        return [one for one in others if one is not None and _waits(one)]

    def _found(self, id: str) -> Reviewed | None:
        try:
            found = self.loop.govern.learnings.get(id)
        except NotFound:
            return None
        return found if isinstance(found, Insight | Correction) else None

    def _drop_for_a_reason(self, found: Reviewed) -> None:
        try:
            why = click.prompt("Why (or nothing)", default="", show_default=False)
        except click.Abort:
            self.messages.append([("Not dropped.", "dim")])
            return
        self._drop(found, why.strip() or None)

    def _edit(self, found: Reviewed) -> None:
        words = words_of(found)
        try:
            typed = {
                name: edited_line(label(name), text) for name, text in (self._drafts.get(found.id) or words).items()
            }
        except click.Abort:
            typed = words
        changed = {name: text.strip() for name, text in typed.items() if text != words[name]}
        if not changed:
            self.messages.append([("Nothing was changed.", "dim")])
            return
        self._drafts[found.id] = typed
        learnings = self.loop.govern.learnings

        others = self._still_waiting(found)

        def edited() -> AnyLearning:
            for other in others:  # they say it in the words of before
                learnings.retire(other.id, why=f"What {found.id} says, which was edited.")
            made = learnings.edit(found.id, **edit_of(found, changed))
            return learnings.approve(found.id, digest=made.digest)

        if (kept := self.attempt(edited)) is not None:
            del self._drafts[found.id]
            self._finish(kept, "edited", partial(self._take_back, found, others))

    def _take_back(self, found: Reviewed, others: Sequence[Reviewed]) -> AnyLearning:
        """Back to the words of before, not approved."""
        for other in others:
            self.loop.govern.learnings.restore(other.id)
        now = self.loop.govern.learnings.unapprove(found.id)
        return self.loop.govern.learnings.edit(found.id, **edit_back(found, now))

    def _finish(self, found: AnyLearning, did: str, undo: Callable[[], AnyLearning] | None) -> None:
        self._decisions.append(_Decision(self.at, did, undo))
        if undo is not None:
            self.done[found.id] = did
            self.messages.append([DONE, f"{did}: {view.title(found)}"])
        self.move(1)

    def _undo(self) -> None:
        if not self._decisions:
            self.messages.append([("There is nothing to undo.", "dim")])
            return
        last = self._decisions.pop()
        if last.undo is not None and self.attempt(last.undo) is None:
            return
        self.done.pop(self.queue[last.at], None)
        self.at = last.at
        self.messages.append([(f"Undone: {last.did}", "dim")])

    def say_what_was_done(self) -> None:
        mine, place = self.say_counts(), self.terminal.same_place(self.loop)
        if mine["kept"] or mine["edited"]:
            self.terminal.say((f"  Write them to AGENTS.md: heedful learnings write{place} --to AGENTS.md", "dim"))
        if left := self._total - len(self.done):
            waiting: Part = (f"  {counted(left, 'learning')} still waiting: heedful learnings review{place}", "dim")
            self.terminal.say(waiting)
