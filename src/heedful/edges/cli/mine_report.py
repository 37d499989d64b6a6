"""The report of mine: what was read, what was skipped and why, and what was learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from heedful.edges.cli.learnings_view import show_list
from heedful.edges.cli.proposals import details
from heedful.edges.cli.proposals_view import show_list as show_proposals
from heedful.edges.cli.terminal import DONE, Terminal, counted
from heedful.records.insight import Insight
from heedful.records.job import JobState
from heedful.records.language import why_unanswered
from heedful.records.learning import Status
from heedful.records.mining import EXAM, LOCAL, Mined, MiningOutcome

if TYPE_CHECKING:
    from heedful.capture.conversations.importing import ImportResult
    from heedful.capture.conversations.transcripts import UnreadableFile
    from heedful.loop import Loop
    from heedful.records.job import Job

_SHOWN = 12
_REPEATED = 3  # paths in a suggested command
_WHY_NOTHING = {
    MiningOutcome.KNOWN: "taught nothing new",
    MiningOutcome.DISPUTED: "contradict, or take back, what people stand behind",
    MiningOutcome.TAKEN_BACK: "take back what was said before",
    MiningOutcome.LOW_VALUE: "too little said",
    MiningOutcome.NOTHING_FOUND: "nothing said that should be remembered",
    MiningOutcome.LOW_QUALITY: "nothing sure enough to be used",
}


class MiningRunReport(NamedTuple):
    paths: tuple[Path, ...]
    read: ImportResult
    unreadable: Sequence[UnreadableFile]
    mined: Sequence[Mined]
    learned: Sequence[Insight]
    possible: Sequence[Insight]
    proposals: Sequence[str]
    """The ids of those that ask about what was learned before."""
    failed: Sequence[Job]
    unanswered: Counter[str]

    def document(self) -> dict[str, Any]:
        read = self.read
        outcomes = self._outcomes()
        return {
            "files": read.files,
            "unchanged": read.unchanged,
            "conversations": len(read.conversations),
            "messages": read.messages,
            "read": {
                "conversations": len(read.read),
                "files": read.files - read.unchanged,
                "tools": dict(self._tools()),
            },
            "skipped": dict(self._skipped()),
            "damaged": [{"path": str(path), "why": dict(why)} for path, why in read.damaged.items()],
            "unreadable": [{"path": str(one.path), "why": one.why} for one in self.unreadable],
            "mined": len(self.mined),
            "outcomes": {outcome.value: outcomes[outcome] for outcome in MiningOutcome},
            "failed": [{"conversation": _conversation(job), "why": _why(job)} for job in self.failed],
            "unanswered": dict(self.unanswered),
            "models": self._models(),
            "learned": list(self.learned),
            "possible": list(self.possible),
            "confirmed": sorted({id for one in self.mined for id in one.confirmed}),
            "taken_back": self._taken_back(),
            "proposals": list(self.proposals),
        }

    def show(self, terminal: Terminal, loop: Loop) -> None:
        self._say_read(terminal)
        if self.mined:
            self._say_mined(terminal)
        if self.learned:
            self._show_learned(terminal, loop)
        if self.possible:
            self._show_possible(terminal, loop)
        self._say_taken_back(terminal, loop)
        self._show_proposals(terminal, loop)
        self._say_unanswered(terminal, loop)
        self._say_damaged(terminal)
        self._say_failed(terminal, loop)
        if any(path.is_dir() for path in self.paths):
            terminal.say(self.summary())

    def summary(self) -> str:
        """What was read of the folders, and what was not."""
        read = self.read
        tools = ", ".join(f"{name} {count:,}" for name, count in self._tools().most_common())
        told = f"Read {counted(len(read.read), 'conversation')} of {counted(read.files - read.unchanged, 'file')}"
        told += f" ({tools})" if tools else ""
        told += f"; {counted(read.unchanged, 'file')} unchanged since the last time" if read.unchanged else ""
        if read.files and read.files == read.unchanged:
            told = f"Read nothing: {counted(read.files, 'file')}, unchanged since the last time"
        skipped = self._skipped()
        if skipped:
            why = ", ".join(f"{count:,} {reason}" for reason, count in skipped.items())
            named = " (named above)" if self.unreadable else ""
            told += f"; skipped {counted(skipped.total(), 'file')}: {why}{named}"
        return f"{told}."

    def _taken_back(self) -> list[str]:
        return sorted({id for one in self.mined for id in one.taken_back})

    def _outcomes(self) -> Counter[MiningOutcome]:
        return Counter(one.outcome for one in self.mined)

    def _models(self) -> dict[str, str]:
        """What each language model made of the exam."""
        return {
            one.by: step.says for one in self.mined for step in one.findings if step.step == EXAM and one.by != LOCAL
        }

    def _tools(self) -> Counter[str]:
        """Number of files that were read by what people call the tool."""
        from heedful.capture.conversations.transcripts.places import title  # noqa: PLC0415

        tools: Counter[str] = Counter()
        for reader, count in self.read.readers.items():
            tools[title(reader)] += count
        return tools

    def _skipped(self) -> Counter[str]:
        """Number of files by the reason, the unreadable last: they are named."""
        return Counter(dict(self.read.passed_over.most_common())) + Counter({"unreadable": len(self.unreadable)})

    def _say_read(self, terminal: Terminal) -> None:
        read = self.read
        if read.files:
            news = f"{counted(len(read.conversations), 'conversation')}, {counted(read.messages, 'message')}"
            unchanged = f"; {read.unchanged:,} unchanged" if read.unchanged else ""
            changed = f"{news} new in {counted(read.files - read.unchanged, 'file')}{unchanged}"
            nothing = f"nothing new: {counted(read.files, 'file')} unchanged since the last time"
            terminal.say(DONE, changed if read.files > read.unchanged else nothing)
        elif self.paths:
            terminal.say(("! ", "yellow"), f"No conversations were recognised in {', '.join(map(str, self.paths))}.")

    def _say_mined(self, terminal: Terminal) -> None:
        outcomes = self._outcomes()
        fruitful, confirmed = outcomes[MiningOutcome.LEARNED], sum(len(one.confirmed) for one in self.mined)
        again = f", {counted(confirmed, 'known learning')} confirmed" if confirmed else ""
        terminal.say(
            DONE,
            (f"{counted(len(self.learned), 'learning')}", "bold"),
            f" from {fruitful:,} of {counted(len(self.mined), 'conversation')}{again}",
        )
        for outcome, says in _WHY_NOTHING.items():
            if outcomes[outcome]:
                terminal.say((f"  {outcomes[outcome]:,} {says}", "dim"))
        for model, marks in self._models().items():
            terminal.say((f"  {model} is believed as far as it proved itself: {marks}", "dim"))
        found = (self.learned, self.possible, confirmed, self.proposals, self._taken_back())
        if not any(found):
            terminal.say(("  That is a fine result: most conversations state no rule to remember.", "dim"))

    def _show_learned(self, terminal: Terminal, loop: Loop) -> None:
        place = terminal.same_place(loop)
        best = _mixed(self.learned)
        terminal.console.print()
        if len(best) > _SHOWN:
            terminal.say((f"Some of them. All: heedful learnings list -n {len(best)}{place}", "dim"))
        show_list(terminal, best[:_SHOWN], loop.store.clock())
        terminal.say((f"Show one:   heedful learnings show {best[0].id}{place}", "dim"))
        terminal.say((f"Evidence:   heedful why {best[0].id}{place}", "dim"))
        terminal.say((f"Approve it: heedful learnings approve {best[0].id}{place}", "dim"))

    def _show_possible(self, terminal: Terminal, loop: Loop) -> None:
        """Nothing uses them until somebody decides, or they are said again."""
        surest = sorted(self.possible, key=lambda one: (-one.confidence, one.title))
        said, them = counted(len(surest), "thing"), "it" if len(surest) == 1 else "them"
        waiting = f"{said} that people said may be worth keeping. Nothing uses {them} yet:"
        terminal.console.print()
        terminal.say((waiting, "bold"))
        show_list(terminal, surest[:_SHOWN], loop.store.clock())
        terminal.say((f"Decide: heedful learnings review{terminal.same_place(loop)}", "dim"))

    def _say_taken_back(self, terminal: Terminal, loop: Loop) -> None:
        gone = [loop.govern.learnings.get(id) for id in self._taken_back()]
        gone = [one for one in gone if one.status is Status.SUPERSEDED]
        if gone:
            place, them = terminal.same_place(loop), "it" if len(gone) == 1 else "them"
            terminal.console.print()
            terminal.say((f"{counted(len(gone), 'learning')} taken back or replaced. Nothing uses {them} now:", "bold"))
            show_list(terminal, gone[:_SHOWN], loop.store.clock())
            terminal.say((f"Why: heedful why {gone[0].id}{place}", "dim"))
            terminal.say((f"Use it again: heedful learnings restore {gone[0].id}{place}", "dim"))

    def _show_proposals(self, terminal: Terminal, loop: Loop) -> None:
        """What people stand behind is contradicted, or perhaps taken back; or a bug has a cause that is known."""
        if self.proposals:
            terminal.console.print()
            made = counted(len(self.proposals), "proposal")
            why = "it is contradicted, may be taken back, or was found again"
            terminal.say((f"{made} about what was learned before: {why}.", "bold"))
            found = [details(loop, loop.govern.proposals.get(id), reviews=False) for id in self.proposals[:_SHOWN]]
            show_proposals(terminal, found, loop.store.clock())
            terminal.say((f"Decide: heedful learnings review{terminal.same_place(loop)}", "dim"))

    def _say_unanswered(self, terminal: Terminal, loop: Loop) -> None:
        for code, count in self.unanswered.most_common():
            terminal.say(
                ("! ", "yellow"),
                f"{counted(count, 'conversation')} mined without the language model: {why_unanswered(code)}.",
            )
        if self.unanswered:
            place = terminal.same_place(loop)
            terminal.say((f"  Diagnose: heedful doctor{place}", "dim"))
            terminal.say((f"  Then retry: heedful mine --again{place}", "dim"))

    def _say_damaged(self, terminal: Terminal) -> None:
        """Near the end, so that it is seen."""
        damaged = self.read.damaged
        if damaged:
            total = sum(reasons.total() for reasons in damaged.values())
            terminal.say(("! ", "yellow"), f"{counted(total, 'record')} could not be read:")
            terminal.table("", ("file", "why"), [(str(path), _reasons(why)) for path, why in damaged.items()])
        if self.unreadable:
            terminal.say(("! ", "yellow"), f"{counted(len(self.unreadable), 'file')} could not be read:")
            terminal.table("", ("file", "why"), [(str(one.path), one.why) for one in self.unreadable])

    def _say_failed(self, terminal: Terminal, loop: Loop) -> None:
        if self.failed:
            terminal.say(("! ", "yellow"), f"{counted(len(self.failed), 'conversation')} could not be mined:")
            terminal.table("", ("conversation", "why"), [(_conversation(job), _why(job)) for job in self.failed])
            place = terminal.same_place(loop)
            same = " ".join(quote(str(path)) for path in self.paths) if len(self.paths) <= _REPEATED else "--yes"
            terminal.say((f"Retry: heedful mine {same}{place}; failed jobs: heedful jobs{place}", "dim"))


def _reasons(why: Counter[str]) -> str:
    return ", ".join(f"{reason} {count:,}" for reason, count in why.most_common())


def _conversation(job: Job) -> str:
    return str(job.payload.get("conversation", job.id))


def _why(job: Job) -> str:
    again = "gave up" if job.state is JobState.DEAD_LETTER else "will be retried"
    return f"{(job.error or 'unknown reason').strip().splitlines()[-1]} ({again})"


def _mixed(learned: Sequence[Insight]) -> list[Insight]:
    """Highest confidence first, alternating rules and other insights."""
    surest = sorted(learned, key=lambda one: (-one.confidence, one.title))
    rules, others = [one for one in surest if one.rule], [one for one in surest if not one.rule]
    return [one for pair in zip_longest(rules, others) for one in pair if one is not None]
