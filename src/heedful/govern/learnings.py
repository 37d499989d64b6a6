"""Reviewing learnings of every kind: list, explain, rate, approve, edit, retire, restore, delete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack, overload

from heedful.errors import Conflict, InvalidInput, NotFound
from heedful.govern import disagreements
from heedful.learnings.audience import teacher
from heedful.learnings.editing import write_approval, write_edit
from heedful.learnings.events import ADJUSTED, APPROVED, ENTITY, RATED, RESTORED, RETIRED, UNCONFIRMED
from heedful.learnings.fields import checked_fields
from heedful.learnings.fold import restoration
from heedful.learnings.forgetting import forget, scrubbed, unlink
from heedful.learnings.kinds import checked_category, checked_kind, kind_of, record_of
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.repetition import as_one, repetitions
from heedful.learnings.root_causes import root_causes
from heedful.learnings.row import LearningRow, State
from heedful.learnings.table import LearningTable
from heedful.operations import caller, policy
from heedful.operations.operation import UNCHANGED, Unchanged, operation
from heedful.operations.toolset import ToolSet
from heedful.records.correction import Correction
from heedful.records.embedding import Embedder, meaning
from heedful.records.event import Entity, noted
from heedful.records.insight import Insight
from heedful.records.json import Json
from heedful.records.learning import AnyAudience, AnyStatus, Audience, Status
from heedful.records.learnings import AnyKind, AnyLearning, Repetition
from heedful.records.names import Limit, Name, Place, Share, Step, identifier, page_limit, place
from heedful.records.page import Page, every
from heedful.records.pattern import Pattern
from heedful.records.review import Remark
from heedful.records.rule import Rule
from heedful.store import Store
from heedful.store.audit import audit
from heedful.store.recording import Recording
from heedful.store.vectors import packed
from heedful.text.checks import checked_text

_SAMPLE = "5f0c1a9be27d4431"
_WHY_LIMIT = 500
_REPEATED = 1_000  # that were confirmed most often


class LearningFilter(TypedDict, total=False):
    """A filter of learnings. A field that is left out is not filtered by, except that `status` is active by default."""

    category: str | None
    status: AnyStatus | None
    about: str | None
    limit: int | None
    cursor: str | None


class LearningReview:
    """`loop.govern.learnings`"""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    @property
    def _table(self) -> LearningTable:  # not before it is used: a client has none
        return LearningTable(self._store)

    @operation(
        "GET /learnings",
        policy.LearningPolicy.read,
        example={"kind": "insight", "category": "bug_fix", "limit": 20},
        errors=(InvalidInput,),
    )
    def page(
        self,
        *,
        kind: AnyKind | None = None,
        category: Name | None = None,
        status: AnyStatus | None = Status.ACTIVE,
        about: Name | None = None,
        limit: Limit = 100,
        cursor: Place | None = None,
    ) -> Page[AnyLearning]:
        """List learnings of one kind or of all, a page at a time, newest first.

        The kinds are correction, insight, mapping, pattern, remark and rule."""
        size = page_limit(limit)
        previous = None if cursor is None else place(cursor)
        found = self._table.page(_wanted(kind, category, status, about), previous, size + 1)
        more = str(found[size - 1].state.no) if len(found) > size else None
        return Page([record_of(row) for row in found[:size]], more)

    @overload
    def all(self, *, kind: Literal["correction"], **wanted: Unpack[LearningFilter]) -> Iterator[Correction]: ...

    @overload
    def all(self, *, kind: Literal["insight"], **wanted: Unpack[LearningFilter]) -> Iterator[Insight]: ...

    @overload
    def all(self, *, kind: Literal["pattern"], **wanted: Unpack[LearningFilter]) -> Iterator[Pattern]: ...

    @overload
    def all(self, *, kind: Literal["remark"], **wanted: Unpack[LearningFilter]) -> Iterator[Remark]: ...

    @overload
    def all(self, *, kind: Literal["rule"], **wanted: Unpack[LearningFilter]) -> Iterator[Rule]: ...

    @overload
    def all(self, *, kind: AnyKind | None = None, **wanted: Unpack[LearningFilter]) -> Iterator[AnyLearning]: ...

    def all(self, *, kind: AnyKind | None = None, **wanted: Unpack[LearningFilter]) -> Iterator[Any]:
        """Iterates over all of them, or the first `limit`, reading page by page."""
        limit, cursor = wanted.pop("limit", None), wanted.pop("cursor", None)
        return every(self.page, limit, cursor, **{"kind": kind, **wanted})

    @operation(
        "GET /learnings:repeated",
        policy.LearningPolicy.read,
        example={"kind": "insight", "about": "shop", "limit": 20},
        errors=(InvalidInput,),
    )
    def repeated(
        self,
        *,
        kind: AnyKind | None = None,
        category: Name | None = None,
        status: AnyStatus | None = Status.ACTIVE,
        about: Name | None = None,
        limit: Limit = 100,
    ) -> list[Repetition]:
        """List learnings that were said more than once, most often first: since when, by whom, in which projects.

        A wish of three people is one learning. A root cause that was found in two projects is told as one of its
        learnings, and `others` names the rest. `about` chooses those that were said in that project, wherever else they
        were.
        """
        most, wanted = page_limit(limit), _wanted(kind, category, status, about)
        scope = wanted.pop("scope")
        causes = root_causes(self._store, self._embedder.name, wanted) if kind in (None, INSIGHT.name) else []
        linked = {row.state.id for group in causes for row in group}
        rows = [row for row in self._table.confirmed(wanted, _REPEATED) if row.state.id not in linked]
        found = repetitions(self._store, map(record_of, [*rows, *(row for group in causes for row in group)]))
        patterns = (as_one([found[row.state.id] for row in group]) for group in causes)
        each = (*(found[row.state.id] for row in rows), *patterns)
        again = [one for one in each if one.times > 1 and (scope is None or scope in one.projects)]
        return sorted(again, key=lambda one: -one.times)[:most]

    @operation("GET /learnings/{id}", policy.LearningPolicy.read, example={"id": _SAMPLE}, errors=(NotFound,))
    def get(self, id: Name) -> AnyLearning:
        """Show one learning."""
        return record_of(self._row(id))

    @operation(
        "POST /learnings/{id}/rating",
        policy.LearningPolicy.rate,
        example={"id": _SAMPLE, "up": True},
        errors=(NotFound,),
        tool="rate_learning",
        tools=ToolSet.AGENTS,
    )
    def rate(self, id: Name, *, up: bool) -> AnyLearning:
        """Rate a learning with a thumb up or down. Adjusts its confidence; each person counts once."""
        with self._store.recording() as record:
            row = self._row(id)
            who = caller.actor()
            history = self._table.history(row.state.id)
            thumbs = [event for event in history if event.kind == RATED and event.actor == who]
            if not thumbs or (thumbs[-1].meta.get("up") is True) != up:
                if thumbs:  # a changed rating replaces the first one
                    record.erase(thumbs)
                self._append(record, RATED, row.state.id, {"up": up})
            return self.get(id)

    @operation(
        "POST /learnings/{id}/confidence",
        policy.LearningPolicy.change,
        example={"id": _SAMPLE, "by": -0.2},
        errors=(NotFound,),
    )
    def adjust(self, id: Name, *, by: Step) -> AnyLearning:
        """Raise or lower the confidence of a learning, within 0 to 1."""
        by = _step(by)
        with self._store.recording() as record:
            self._append(record, ADJUSTED, self._row(id).state.id, {"by": round(by, 6)})
            return self.get(id)

    @operation(
        "POST /learnings/{id}/approval",
        policy.LearningPolicy.approve,
        example={"id": _SAMPLE},
        errors=(Conflict, NotFound),
    )
    def approve(self, id: Name, *, digest: Name | None = None) -> AnyLearning:
        """Approve a learning in its current wording, so that it may be written into files that agents read.

        A learning that was out of use becomes active again. If people disagree about it, the approval decides: what
        contradicts it is out of use. Pass the `digest` of the wording you reviewed: if the learning was edited
        meanwhile, that is a conflict. A later edit by somebody without permission to approve removes the approval.
        """
        seen = None if digest is None else identifier(digest, "digest")
        with self._store.recording() as record:
            row = self._row(id)
            if seen not in (None, row.state.words):
                raise Conflict(
                    f"{id} was changed after this digest was made.",
                    hint="Read the learning again and approve it with its new digest.",
                )
            _require_one_person(row)
            if row.state.status == Status.POSSIBLE:  # the approval itself puts it in use, so taking it back undoes that
                self._refuse_twin(record, row.state, kind_of(row.state).words_of(row))
            elif row.state.status != Status.ACTIVE:
                self._restore(record, row, caller.actor())
            if not row.state.approved:
                write_approval(self._store, record, row.state)
            disagreements.decide(self._store, record, row)
            return self.get(id)

    @operation(
        "DELETE /learnings/{id}/approval",
        policy.LearningPolicy.approve,
        example={"id": _SAMPLE},
        errors=(Conflict, NotFound),
    )
    def unapprove(self, id: Name) -> AnyLearning:
        """Take back your approval of a learning, as if it had not been given.

        What somebody else approved stays approved: retire it instead.
        """
        with self._store.recording() as record:
            row = self._row(id)
            words, who = row.state.words, caller.actor()
            given = [
                event
                for event in self._table.history(row.state.id)
                if event.kind == APPROVED and event.meta.get("words") == words
            ]
            if kind_of(row.state).approvals > 1 or any(event.actor != who for event in given):
                raise Conflict(f"{id} was approved by others.", hint="Retire it instead, or ask them.")
            if given:
                record.erase(given)
                disagreements.reopen(self._store, record, row)
            return self.get(id)

    @operation(
        "POST /learnings/{id}/retirement",
        policy.LearningPolicy.change,
        example={"id": _SAMPLE, "why": "We left that framework."},
        errors=(InvalidInput, NotFound),
    )
    def retire(self, id: Name, *, why: str | None = None) -> AnyLearning:
        """Retire a learning. It is no longer used, but kept, so that it is not learned again."""
        if why is not None:
            checked_text(why, "why", _WHY_LIMIT)
        with self._store.recording() as record:
            self.take_out(record, id, why, caller.actor())
            return self.get(id)

    def take_out(self, record: Recording, id: str, why: str | None, who: str) -> None:
        """Retires a learning on behalf of somebody."""
        row = self._row(id)
        if row.state.status != Status.RETIRED:
            self._unmerge(record, row)
            self._append(record, RETIRED, row.state.id, {"why": why} if why else {}, who)

    @operation(
        "POST /learnings/{id}/restoration",
        policy.LearningPolicy.change,
        example={"id": _SAMPLE},
        errors=(Conflict, NotFound),
    )
    def restore(self, id: Name) -> AnyLearning:
        """Restore a learning that was retired, superseded, or merged into another one."""
        with self._store.recording() as record:
            self.put_back(record, id, caller.actor())
            return self.get(id)

    def put_back(self, record: Recording, id: str, who: str) -> None:
        """Restores a learning on behalf of somebody."""
        row = self._row(id)
        _require_one_person(row)
        if row.state.status not in (Status.ACTIVE, Status.POSSIBLE):
            self._restore(record, row, who)

    @operation(
        "PATCH /learnings/{id}",
        policy.LearningPolicy.change,
        example={"id": _SAMPLE, "title": "Run the tests with pnpm"},
        errors=(Conflict, InvalidInput, NotFound),
    )
    def edit(
        self,
        id: Name,
        *,
        category: Name | Unchanged = UNCHANGED,
        about: str | Unchanged = UNCHANGED,
        wrong: str | Unchanged = UNCHANGED,
        right: str | Unchanged = UNCHANGED,
        why: str | Unchanged = UNCHANGED,
        fixed: str | Unchanged = UNCHANGED,
        understood: str | Unchanged = UNCHANGED,
        severity: Share | Unchanged = UNCHANGED,
        always: bool | Unchanged = UNCHANGED,
        title: str | Unchanged = UNCHANGED,
        content: Json | Unchanged = UNCHANGED,
        tags: Sequence[Name] | Unchanged = UNCHANGED,
        audience: AnyAudience | Unchanged = UNCHANGED,
    ) -> AnyLearning:
        """Edit a learning; fields that are left out stay unchanged. Older versions stay in its history.

        A correction has `wrong`, `right`, `why`, `fixed`, `understood`, `severity` and `always`; an insight has
        `title`, `content` and `tags`. New wrong or right words without a `fixed` and an `understood` remove those of
        before. Parts of the content that are left out stay unchanged too; an empty text removes a part. A new title
        also replaces a `what` that said the old one. An approved learning stays approved if the caller may approve.
        Otherwise it must be approved again; restoring the approved wording restores the approval. Both kinds have an
        `about`: another topic or project; an empty text makes it hold everywhere. A correction also has an `audience`:
        me gives it to whoever taught it only, team to everyone. What is moved must be approved again, too.
        """
        fields: dict[str, Any] = {"wrong": wrong, "right": right, "why": why, "fixed": fixed, "understood": understood}
        fields |= {"severity": severity, "always": always, "title": title, "content": content, "tags": tags}
        given = checked_fields({name: value for name, value in fields.items() if value is not UNCHANGED})
        chosen = None if category is UNCHANGED else checked_category(None, category)
        moved = _destination(about, audience)
        if not given and chosen is None and not moved:
            raise InvalidInput("No changes were given.", hint="Pass at least one field to change.")
        self._prepare_vector(self._row(id), given)
        if "audience" in moved:
            self._store.secret.load()
        with self._store.recording() as record:
            self._edit(record, self._row(id), given, chosen, moved)
            return self.get(id)

    def _edit(
        self,
        record: Recording,
        row: LearningRow,
        given: Mapping[str, Any],
        category: str | None,
        moved: Mapping[str, str],
    ) -> None:
        state, kind = row.state, kind_of(row.state)
        kind.require_fields((*given, *moved))
        chosen = state.category if category is None else checked_category(kind.name, category)
        edit = kind.edited(row, given, chosen)
        meta = {**edit.meta, **self._moved(record, row, moved)}
        edit = edit._replace(meta={name: value for name, value in meta.items() if value is not None})
        scope = moved["about"] or None if "about" in moved else state.scope
        self._refuse_twin(record, state._replace(category=chosen, scope=scope), edit.words)
        write_edit(self._store, record, row, edit, self._store.clock(), caller.actor())

    def _moved(self, record: Recording, row: LearningRow, moved: Mapping[str, str]) -> dict[str, str | None]:
        """Where it is now, in the `meta` of an edit: with the `owner` if it is for one person only."""
        facts: dict[str, str | None] = {"about": moved["about"]} if "about" in moved else {}
        if "audience" in moved:
            self._store.secret.check(record)
            mine = moved["audience"] == Audience.ME
            facts["owner"] = teacher(self._store, row) if mine else None
        return facts

    def _prepare_vector(self, row: LearningRow, given: Mapping[str, Any]) -> None:
        """Embeds the new wording before the transaction, which should be short."""
        kind = kind_of(row.state)
        kind.require_fields(given)
        gist = kind.edited(row, given, row.state.category).words.gist()
        if (made := meaning(self._embedder, gist)) is not None:
            self._table.prepare(made.embedder, gist, packed(made.vector))

    @operation("DELETE /learnings/{id}", policy.LearningPolicy.delete, example={"id": _SAMPLE}, errors=(NotFound,))
    def delete(self, id: Name) -> AnyLearning:
        """Delete a learning with its events and everything that was merged into it; returns the deleted learning.

        Learnings it had superseded become active again. It may be learned again from later conversations: retire it to
        prevent that.
        """
        with self._store.recording() as record:
            row = self._row(id)
            forget(self._store, record, [row, *self._table.merged_into(row.state.id)])
            audit(record, "AUDIT_LEARNING_DELETED", Entity(ENTITY, row.state.id))
        scrubbed(self._store)
        return record_of(row)

    def _restore(self, record: Recording, row: LearningRow, who: str) -> None:
        self._unmerge(record, row)  # first: the other one may have taken over its words
        self._refuse_twin(record, row.state, kind_of(row.state).words_of(row))
        self._append(record, RESTORED, row.state.id, restoration(row), who)

    def _unmerge(self, record: Recording, row: LearningRow) -> None:
        if row.state.status == Status.MERGED and row.state.superseded_by is not None:
            unlink(self._store, record, row)
            self._append(record, UNCONFIRMED, row.state.superseded_by, {"by": row.state.id})

    def _refuse_twin(self, record: Recording, state: State, words: Any) -> None:
        said = (state.category or "", words)
        twin = self._table.twin(record.transaction, kind_of(state), *said, scope=state.scope, besides=state.id)
        if twin is not None:
            raise Conflict(f"{twin} says exactly the same.", hint="Edit one of the two, or keep them merged.")

    def _row(self, id: str) -> LearningRow:
        found = self._table.get(identifier(id, "id")) or self._table.folded(id)
        if found is None:
            raise NotFound(f"There is no learning {id!r} here.", hint="List them with `heedful learnings list`.")
        return found

    def _append(self, record: Recording, kind: str, id: str, meta: dict[str, Any], who: str | None = None) -> None:
        actor = caller.actor() if who is None else who
        record.append([noted(kind, self._store.clock(), actor=actor, entity=Entity(ENTITY, id), meta=meta)])


def _wanted(
    kind: AnyKind | None, category: Name | None, status: AnyStatus | None, about: Name | None
) -> dict[str, str | None]:
    return {
        "kind": None if kind is None else checked_kind(kind),
        "category": None if category is None else checked_category(kind, category),
        "status": None if status is None else Status.of(status).value,
        "scope": None if about is None else identifier(about, "about"),
    }


def _destination(about: str | Unchanged, audience: AnyAudience | Unchanged) -> dict[str, str]:
    """Where a learning is to be moved, of what was given."""
    found: dict[str, str] = {}
    if about is not UNCHANGED:
        found["about"] = "" if about == "" else identifier(about, "about")
    if audience is not UNCHANGED:
        found["audience"] = Audience.of(audience).value
    return found


def _require_one_person(row: LearningRow) -> None:
    needed = kind_of(row.state).approvals
    if needed > 1:
        raise Conflict(
            f"{needed} different people must put a {row.state.kind} into force.",
            hint="Propose it with `govern.proposals.propose`.",
        )


def _step(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
        raise InvalidInput(f"by is {value!r}.", hint="Pass a number from -1 to 1.")
    return float(value)
