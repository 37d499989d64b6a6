"""Learn: derives learnings and other state from the log, and mines conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from heedful.errors import NotFound
from heedful.learn.documents import Documents, Layouts, Mappings
from heedful.learn.reviews import Reviews
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
"""Called with the number of events read since the last call."""


class Learn:
    """`loop.learn`"""

    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside

    def rebuild(self, names: Iterable[str] | None = None, *, progress: Progress = lambda _: None) -> list[str]:
        """Rebuild all projections, or only the named ones, from the log; returns their names.

        Readers see the old state of a projection until it is rebuilt. Recording continues meanwhile.
        """
        wanted = [self._projection(name) for name in (self._store.projections.known if names is None else names)]
        for projection in wanted:
            projection.rebuild(self._store, from_scratch=True, progress=progress)
        return [projection.name for projection in wanted]

    @cached_property
    def reviews(self) -> Reviews:
        return Reviews(self._store, self._outside)

    @cached_property
    def documents(self) -> Documents:
        return Documents(self._store, self._outside)

    @cached_property
    def layouts(self) -> Layouts:
        return Layouts(self._store)

    @cached_property
    def mappings(self) -> Mappings:
        return Mappings(self._store)

    def embed(self, *, progress: Progress = lambda _: None) -> int:
        """Embed learnings without a vector, for example after a change of embedder; returns how many."""
        return embed_missing(self._store, self._outside.embedder, progress)

    @operation(
        "POST /conversations/{conversation}/mining",
        policy.ConversationPolicy.mine,
        example={"conversation": "chat-17"},
        errors=(NotFound,),
    )
    def mine(self, conversation: Name) -> Mined:
        """Mine a conversation for insights now; returns the outcome of each step.

        Workers mine every complete conversation. One that was mined before and has no new messages is not mined again.
        """
        identifier(conversation, "conversation")
        return self._miner.mine(conversation)

    def mine_again(self) -> int:
        """Queue conversations that were mined by an older version or another model; returns how many.

        Insights that are found again stay unchanged. Those that are not found again are retired, unless somebody
        confirmed, rated, edited or approved them.
        """
        caller.owner_only("mine everything again")
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
        """Update the patterns of a rule from the decisions about its suggestions; returns the ids of new ones.

        Workers call it after decisions.
        """
        return PatternLearner(self._store).update(identifier(rule, "rule"))

    @operation("POST /curations", policy.ProposalPolicy.make)
    def curate(self) -> list[Proposal]:
        """Propose learnings to merge, retire, renew or reword; returns the new proposals.

        To renew is proposed what nobody confirmed or used for a half-life: is it still true? Changes nothing: proposals
        wait for a person (`govern.proposals`).
        """
        from heedful.learnings.curation import Curator  # noqa: PLC0415 - only for curation

        return Curator(self._store, self._outside.embedder).curate()

    @property
    def _miner(self) -> Miner:
        from heedful.learn.conversations.miner import Miner  # noqa: PLC0415 - only for mining

        return Miner(self._store, self._outside)

    def catch_up(self, name: str) -> int:
        """Bring a projection up to date; returns how many events it processed."""
        taken = 0

        def note(events: int) -> None:
            nonlocal taken
            taken += events

        self._projection(name).rebuild(self._store, from_scratch=False, progress=note)
        return taken

    @operation("GET /projections", policy.ProjectionPolicy.read)
    def projections(self) -> list[ProjectionState]:
        """The position of each projection in the log; a live one is always at the end."""
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
