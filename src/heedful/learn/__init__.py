"""Learn: events become learnings: projections that derive state from the log, and what conversations taught."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from heedful.errors import NotFound
from heedful.learnings.embedding import embed_missing
from heedful.learnings.patterns.learner import PatternLearner
from heedful.operations import caller, policy
from heedful.operations.operation import operation
from heedful.records.event import EventFilter
from heedful.records.mining import MINED, Mined, mined_of, request_of
from heedful.records.names import Name, identifier
from heedful.records.outside import Outside
from heedful.records.proposal import Proposal
from heedful.store import Store
from heedful.store.projection import Projection, ProjectionState

if TYPE_CHECKING:
    from heedful.learn.conversations.miner import Miner

_PAGE = 500

Progress = Callable[[int], None]
"""Told how many events were read since the last time."""


class Learn:
    """`loop.learn`"""

    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside

    def rebuild(self, names: Iterable[str] | None = None, *, progress: Progress = lambda _: None) -> list[str]:
        """Derive everything (or only the named projections) anew from the log; return their names.

        Until one is finished, readers see its old state; recording goes on meanwhile.
        """
        wanted = [self._projection(name) for name in (self._store.projections.known if names is None else names)]
        for projection in wanted:
            projection.rebuild(self._store, from_scratch=True, progress=progress)
        return [projection.name for projection in wanted]

    def embed(self, *, progress: Progress = lambda _: None) -> int:
        """Give vectors to learnings that lack one, as after a change of embedder; return how many got one."""
        return embed_missing(self._store, self._outside.embedder, progress)

    @operation(
        "POST /conversations/{conversation}/mining",
        policy.ConversationPolicy.mine,
        example={"conversation": "chat-17"},
        errors=(NotFound,),
    )
    def mine(self, conversation: Name) -> Mined:
        """Look now for what a conversation taught, and tell what came of it, step by step.

        Workers do it for every conversation that is complete. What was mined before, as far as it goes, is not mined
        again.
        """
        identifier(conversation, "conversation")
        return self._miner.mine(conversation)

    def mine_again(self) -> int:
        """Queue the mining of what an older extraction has mined, or another model than now; return how many.

        Whatever is found again stays as it is, what is found newly comes along, and what nobody cared about and is not
        found any more goes.
        """
        caller.owner_only("have everything mined again")
        queued: dict[str, None] = {}
        for mined in self._mined():
            if mined.conversation not in queued and not self._miner.is_done(mined):
                queued[mined.conversation] = None
                self._store.jobs.put(request_of(mined.conversation))
        return len(queued)

    def _mined(self) -> Iterator[Mined]:
        place: int | None = None
        while page := self._store.log.page(EventFilter(kind=MINED, newest_first=True), place, _PAGE):
            yield from map(mined_of, page)
            place = page[-1].seq

    def patterns(self, rule: str) -> list[str]:
        """Bring the patterns of a rule up to date with people's decisions; returns the ids of those that are new.

        Workers do it after decisions about suggestions.
        """
        return PatternLearner(self._store).update(identifier(rule, "rule"))

    @operation("POST /curations", policy.ProposalPolicy.make)
    def curate(self) -> list[Proposal]:
        """Look through what was learned for what should be merged, retired or said better; tell what is proposed newly.

        Nothing is changed: proposals wait for a person (`govern.proposals`).
        """
        from heedful.learnings.curation import Curator  # noqa: PLC0415 - for those who curate

        return Curator(self._store, self._outside.embedder).curate()

    @property
    def _miner(self) -> Miner:
        from heedful.learn.conversations.miner import Miner  # noqa: PLC0415 - only those who mine pay for it

        return Miner(self._store, self._outside.embedder, self._outside.language, self._outside.prompts)

    def catch_up(self, name: str) -> int:
        """Bring a projection that fell behind up to date; return how many events it took."""
        taken = 0

        def note(events: int) -> None:
            nonlocal taken
            taken += events

        self._projection(name).rebuild(self._store, from_scratch=False, progress=note)
        return taken

    @operation("GET /projections", policy.ProjectionPolicy.read)
    def projections(self) -> list[ProjectionState]:
        """Tell how far each projection has come: a live one to the end of the log, as always."""
        head = self._store.log.head()
        never = {
            name: ProjectionState(name, projection.version, 0, live=False)
            for name, projection in self._store.projections.known.items()
        }
        states = (never if head else {}) | self._store.projections.states()
        return [replace(state, position=head) if state.live else state for state in states.values()]

    def _projection(self, name: str) -> Projection:
        try:
            return self._store.projections.known[name]
        except KeyError:
            known = ", ".join(self._store.projections.known)
            raise NotFound(
                f"There is no projection {name!r} here.",
                hint=f"There are: {known}. Those of your own come with HEEDFUL_EXTENSIONS.",
            ) from None
