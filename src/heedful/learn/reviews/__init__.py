"""Reviews of agents' outputs: read, evaluated, clustered, and made into proposals of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from heedful.errors import NotFound
from heedful.learnings.reviews import ReviewLog
from heedful.operations import policy
from heedful.operations.operation import operation
from heedful.records.correction import share
from heedful.records.names import Limit, Name, Place, Share, identifier, page_limit, place
from heedful.records.outside import Outside
from heedful.records.page import Page, every
from heedful.records.proposal import Proposal
from heedful.records.review import Evaluation, Review
from heedful.store import Store

_SAMPLE = "review-4711"
SIMILAR = 0.8
"""The cosine from which reviews are similar, unless told."""


class Reviews:
    """`loop.learn.reviews`"""

    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside

    @operation("GET /reviews/{id}", policy.ReviewPolicy.read, example={"id": _SAMPLE}, errors=(NotFound,))
    def get(self, id: Name) -> Review:
        """Show one review, with its evaluation."""
        return ReviewLog(self._store).get(id)

    @operation("GET /reviews", policy.ReviewPolicy.read, example={"agent": "coder", "limit": 20})
    def page(self, *, agent: Name | None = None, limit: Limit = 100, cursor: Place | None = None) -> Page[Review]:
        """List reviews, newest first: of one agent, or of all."""
        size, reviews = page_limit(limit), ReviewLog(self._store)
        previous = None if cursor is None else place(cursor)
        found = reviews.recent(None if agent is None else identifier(agent, "agent"), previous, size + 1)
        more = str(found[size - 1].seq) if len(found) > size else None
        return Page([reviews.of(event) for event in found[:size]], more)

    def all(self, *, agent: str | None = None, limit: int | None = None, cursor: str | None = None) -> Iterator[Review]:
        """Iterates over all of them, or the first `limit`, reading page by page."""
        return every(self.page, limit, cursor, agent=agent)

    def recent(self, agent: str, limit: int = 100) -> list[Review]:
        """The newest reviews of an agent, newest first."""
        return list(self.all(agent=agent, limit=limit))

    @operation("GET /reviews/{id}/similar", policy.ReviewPolicy.read, example={"id": _SAMPLE}, errors=(NotFound,))
    def similar(self, id: Name, *, threshold: Share = SIMILAR, limit: Limit = 20) -> list[Review]:
        """Find reviews that say something similar, the most similar first."""
        from heedful.learn.reviews.evaluation import Evaluator  # noqa: PLC0415 - it loads the models

        reviews, least, most = ReviewLog(self._store), share(threshold, "threshold"), page_limit(limit)
        found = Evaluator(self._store, self._outside).similar(reviews.event(id), least, most)
        return [reviews.of(event) for event, _ in found]

    @operation(
        "POST /reviews/{id}/evaluation", policy.ReviewPolicy.evaluate, example={"id": _SAMPLE}, errors=(NotFound,)
    )
    def evaluate(self, id: Name) -> Evaluation:
        """Evaluate a review now: its class, why, those similar to it, and what should follow.

        Workers evaluate every review."""
        from heedful.learn.reviews.evaluation import Evaluator  # noqa: PLC0415 - it loads the models

        return Evaluator(self._store, self._outside).evaluate(identifier(id, "id"))

    @operation("POST /rule-proposals", policy.ProposalPolicy.make)
    def propose(self) -> list[Proposal]:
        """Cluster all remarks of reviewers, and propose rules; returns what is new or has more evidence.

        Workers do it after reviews that can be generalised."""
        return self.proposed()

    def proposed(self, *, progress: Callable[[int], object] = lambda _: None) -> list[Proposal]:
        """Like `propose`, and tells its progress: how many more clusters were looked at."""
        from heedful.learn.reviews.proposing import RuleProposer  # noqa: PLC0415 - it loads the models

        return RuleProposer(self._store, self._outside).propose(progress)
