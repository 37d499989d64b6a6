"""Looking after what conversations taught: see it, ask why, rate, approve, put right, take out of use, and forget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heedful.errors import Conflict, InvalidInput, InvalidLearnings, NotFound
from heedful.govern.adoption import adopted, shared
from heedful.learnings.forgetting import forget, scrubbed, unlink
from heedful.learnings.table import Kept, LearningTable
from heedful.operations import caller, policy
from heedful.operations.operation import UNCHANGED, Unchanged, operation
from heedful.records.embedding import Embedder
from heedful.records.event import Draft, Entity, Event, noted
from heedful.records.insight import CONTENT_LIMIT, TAGS_MOST, TITLE_LIMIT, AnyTopic, Insight, Topic, Why, insight, proof
from heedful.records.learning import (
    APPROVED,
    EDITED,
    ENTITY,
    RATED,
    RESTORED,
    RETIRED,
    UNCONFIRMED,
    AnyStatus,
    Kind,
    State,
    Stated,
    Status,
    stated,
)
from heedful.records.meaning import meaning
from heedful.records.names import Limit, Name, Place, identifier, listed, page_limit, place
from heedful.records.page import Page, every
from heedful.records.shared import EXAMPLE as SHARED
from heedful.records.shared import Adopted, SharedFile, SharedLearnings
from heedful.store import Store
from heedful.store.audit import audit
from heedful.store.database import Transaction
from heedful.store.vectors import packed
from heedful.text.checks import checked_text

_SAMPLE = "5f0c1a9be27d4431"
_WHY_LIMIT = 500


class Insights:
    """`loop.govern.learnings`"""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._table = LearningTable(store)
        self._embedder = embedder

    @operation("GET /learnings", policy.Learnings.read, example={"category": "bug_fix", "limit": 20})
    def page(
        self,
        *,
        category: AnyTopic | None = None,
        status: AnyStatus | None = Status.ACTIVE,
        about: Name | None = None,
        limit: Limit = 100,
        cursor: Place | None = None,
    ) -> Page[Insight]:
        """List what conversations taught, a page at a time, what was found last first. `about` is a project."""
        size = page_limit(limit)
        previous = None if cursor is None else place(cursor)
        wanted = {
            "kind": Kind.INSIGHT.value,
            "category": None if category is None else Topic.of(category).value,
            "status": None if status is None else Status.of(status).value,
            "scope": None if about is None else identifier(about, "about"),
        }
        found = self._table.page(wanted, previous, size + 1)
        more = str(found[size - 1].state.no) if len(found) > size else None
        return Page([insight(*kept) for kept in found[:size]], more)

    def all(
        self,
        *,
        category: AnyTopic | None = None,
        status: AnyStatus | None = Status.ACTIVE,
        about: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Iterator[Insight]:
        """All of them, or so many, read page by page as they are taken."""
        return every(self.page, limit, cursor, category=category, status=status, about=about)

    @operation("GET /learnings/{id}", policy.Learnings.read, example={"id": _SAMPLE}, errors=(NotFound,))
    def get(self, id: Name) -> Insight:
        """Look at one learning."""
        return insight(*self._kept(id))

    @operation("GET /learnings/{id}/why", policy.Learnings.read, example={"id": _SAMPLE}, errors=(NotFound,))
    def why(self, id: Name) -> Why:
        """Tell why heedful believes a learning: the conversations and quotes that prove it, and what was done since."""
        kept = self._kept(id)
        proofs = [kept, *self._table.merged_into(kept.state.id)]
        history = self._table.history(kept.state.id)
        return Why(insight(*kept), tuple(proof(*one) for one in proofs), tuple(history))

    @operation(
        "POST /learnings/{id}/rating",
        policy.Learnings.rate,
        example={"id": _SAMPLE, "up": True},
        errors=(NotFound,),
        tool="rate_learning",
    )
    def rate(self, id: Name, *, up: bool) -> Insight:
        """Tell whether a learning was of use: thumb up or down. Confidence follows; one person's thumb counts once."""
        if not isinstance(up, bool):
            raise InvalidInput(f"up is {up!r}.", hint="Pass true for a thumb up, false for a thumb down.")
        with self._store.transaction() as transaction:
            self._store.log.hold(transaction)
            kept = self._kept(id)
            who = caller.actor()
            thumbs = [event for event in self._history(kept) if event.kind == RATED and event.actor == who]
            if not thumbs or (thumbs[-1].meta.get("up") is True) != up:
                if thumbs:  # a change of mind takes the first thumb back
                    self._store.log.erase(transaction, thumbs)
                self._append(RATED, kept.state.id, {"up": up})
            return self.get(id)

    @operation(
        "POST /learnings/{id}/approval",
        policy.Learnings.approve,
        example={"id": _SAMPLE},
        errors=(Conflict, NotFound),
    )
    def approve(self, id: Name, *, digest: Name | None = None) -> Insight:
        """Approve a learning as it reads now: it may be written into files that agents read.

        What was out of use holds again. With the `digest` of what you have read, nothing else is approved: if it was
        reworded meanwhile, that is a conflict. Whoever rewords it later takes the approval from it, unless they may
        approve themselves.
        """
        seen = None if digest is None else identifier(digest, "digest")
        with self._store.transaction() as transaction:
            self._store.log.hold(transaction)
            kept = self._kept(id)
            if seen not in (None, kept.state.words):
                raise Conflict(
                    f"{id} reads differently now.", hint="Read it again, and approve it with its new digest."
                )
            if kept.state.status != Status.ACTIVE:
                self._restore(transaction, kept)
            if not kept.state.approved:
                self._approve(kept.state)
            return self.get(id)

    def _approve(self, state: State) -> None:
        self._append(APPROVED, state.id, {"words": state.words, "version": state.version})

    @operation(
        "POST /learnings/{id}/retirement",
        policy.Learnings.change,
        example={"id": _SAMPLE, "why": "We left that framework."},
        errors=(InvalidInput, NotFound),
    )
    def retire(self, id: Name, *, why: str | None = None) -> Insight:
        """Take a learning out of use. It is kept, so that it is not learned again."""
        if why is not None:
            checked_text(why, "why", _WHY_LIMIT)
        with self._store.transaction() as transaction:
            self._store.log.hold(transaction)
            kept = self._kept(id)
            if kept.state.status != Status.RETIRED:
                self._part(transaction, kept)
                self._append(RETIRED, kept.state.id, {"why": why} if why else {})
            return self.get(id)

    @operation(
        "POST /learnings/{id}/restoration",
        policy.Learnings.change,
        example={"id": _SAMPLE},
        errors=(Conflict, NotFound),
    )
    def restore(self, id: Name) -> Insight:
        """Bring a learning back that was retired, superseded, or merged into another: a merge is undone by it."""
        with self._store.transaction() as transaction:
            self._store.log.hold(transaction)
            kept = self._kept(id)
            if kept.state.status != Status.ACTIVE:
                self._restore(transaction, kept)
            return self.get(id)

    @operation(
        "PATCH /learnings/{id}",
        policy.Learnings.change,
        example={"id": _SAMPLE, "title": "Run the tests with pnpm"},
        errors=(Conflict, InvalidInput, NotFound),
    )
    def edit(
        self,
        id: Name,
        *,
        title: str | Unchanged = UNCHANGED,
        content: str | Unchanged = UNCHANGED,
        tags: Sequence[Name] | Unchanged = UNCHANGED,
        category: AnyTopic | Unchanged = UNCHANGED,
    ) -> Insight:
        """Put a learning right: what is not given stays as it is. Older versions stay in its history.

        What was approved stays so if whoever edits it may approve: they approve their own words. Else it waits to be
        approved anew; putting the approved words back has it approved again.
        """
        given: dict[str, Any] = {}
        if title is not UNCHANGED:
            given["title"] = checked_text(title, "title", TITLE_LIMIT).strip()
        if content is not UNCHANGED:
            given["content"] = checked_text(content, "content", CONTENT_LIMIT).strip()
        if tags is not UNCHANGED:
            given["tags"] = tuple(sorted(listed(tags, "tags")))[:TAGS_MOST]
        topic = None if category is UNCHANGED else Topic.of(category)
        if not given and topic is None:
            raise InvalidInput("Nothing is to be changed.", hint="Pass title, content, tags or category.")
        ready = _edited(self._kept(id), given)
        if (made := meaning(self._embedder, ready.gist())) is not None:
            self._table.prepare(made.embedder, ready.gist(), packed(made.vector))
        with self._store.transaction() as transaction:
            self._store.log.hold(transaction)
            kept = self._kept(id)  # again: somebody may have edited it meanwhile
            words = _edited(kept, given)
            if not (words.title and words.content):
                raise InvalidInput("A learning would say nothing.", hint="To be rid of it, retire or delete it.")
            chosen = kept.state.category if topic is None else topic.value
            self._refuse_twin(transaction, kept.state._replace(category=chosen), words)
            after = {"title": words.title, "content": words.content, "tags": list(words.tags)}
            self._append(EDITED, kept.state.id, {"category": chosen}, after)
            if kept.state.approved and caller.allows(policy.Learnings.approve):
                self._approve(self._kept(id).state)
            return self.get(id)

    @operation("DELETE /learnings/{id}", policy.Learnings.delete, example={"id": _SAMPLE}, errors=(NotFound,))
    def delete(self, id: Name) -> Insight:
        """Have a learning forgotten, with all that was merged into it; it is shown this last time.

        It may be learned again from what is said later: to keep it away, retire it instead.
        """
        with self._store.transaction() as transaction:
            self._store.log.hold(transaction)
            kept = self._kept(id)
            gone = [kept, *self._table.merged_into(kept.state.id)]
            forget(self._store, transaction, gone)
            audit(self._store, "AUDIT_LEARNING_DELETED", Entity(ENTITY, kept.state.id))
        scrubbed(self._store)
        return insight(*kept)

    @operation("POST /learnings:share", policy.Learnings.export, example={"about": "shop"})
    def share(self, *, about: Name | None = None) -> SharedLearnings:
        """Share what was approved, of a project or all of it, with the reputation of whom it was learned from.

        No quotes go with it, and nobody's name.
        """
        if about is not None:
            identifier(about, "about")
        return shared(self._store, [one for one in self.all(about=about) if one.approved])

    @operation(
        "POST /learnings:adopt",
        policy.Learnings.merge,
        example={"learnings": SHARED},
        errors=(InvalidLearnings,),
    )
    def adopt(self, learnings: SharedFile) -> Adopted:
        """Adopt what others shared: each is as sure as they were, and as their reputation allows.

        The same again changes nothing; what is known here word for word stays as it is.
        """
        return adopted(self._store, learnings)

    def _restore(self, transaction: Transaction, kept: Kept) -> None:
        self._part(transaction, kept)  # first: the other one may have taken over its words
        words = stated(kept.last)
        if words is not None:
            self._refuse_twin(transaction, kept.state, words)
        self._append(RESTORED, kept.state.id, {})

    def _part(self, transaction: Transaction, kept: Kept) -> None:
        """From what it was merged into."""
        if kept.state.status == Status.MERGED and kept.state.superseded_by is not None:
            unlink(self._store, transaction, kept)
            self._append(UNCONFIRMED, kept.state.superseded_by, {"by": kept.state.id})

    def _refuse_twin(self, transaction: Transaction, state: State, words: Stated) -> None:
        twin = self._table.twin(transaction, state.category or "", words, besides=state.id)
        if twin is not None:
            raise Conflict(f"{twin} says the same, word for word.", hint="Edit one of them, or leave them merged.")

    def _kept(self, id: str) -> Kept:
        found = self._table.get(identifier(id, "id")) or self._table.folded(id)
        if found is None or found.state.kind != Kind.INSIGHT:
            raise NotFound(f"There is no learning {id!r} here.", hint="List them with `heedful learnings list`.")
        return found

    def _history(self, kept: Kept) -> list[Event]:
        return self._table.history(kept.state.id)

    def _append(self, kind: str, id: str, meta: dict[str, Any], after: dict[str, Any] | None = None) -> None:
        at, actor = self._store.clock(), caller.actor()
        draft: Draft = noted(kind, at, actor=actor, entity=Entity(ENTITY, id), after=after, meta=meta)
        self._store.log.append([draft])


def _edited(kept: Kept, given: Mapping[str, Any]) -> Stated:
    return (stated(kept.last) or Stated("", ""))._replace(**given)
