"""A kind of learning. A new one is a module in `learnings/kinds/`, listed in its `__init__.py`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from datetime import timedelta
from enum import Enum, StrEnum
from hashlib import blake2b
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from heedful.errors import InvalidInput
from heedful.learnings.row import LearningRow
from heedful.learnings.signatures import Signature
from heedful.learnings.standing_alone import StandingAlone
from heedful.records.clock import from_micros
from heedful.records.event import Event
from heedful.records.json import encode
from heedful.records.learning import Audience, Learning, Status

_DOUBT = 0.5  # of a term: a single one in common may be chance
_MOST_STANDING = 1.5
_LEAST_STANDING = 0.5
_PER_VOICE = 0.1  # a thumb, or somebody who said the same
_APPROVED = 0.2
_REPUTATION = 0.4  # between a contributor whom everyone contradicts and one whom everyone confirms


class Wording(Protocol):
    """The wording of a learning: a named tuple of its texts."""

    def terms(self) -> list[str]: ...

    def own_terms(self) -> list[str]:
        """The terms of the statement itself, without its circumstances."""
        ...

    def gist(self) -> str: ...


W = TypeVar("W", bound=Wording)


class Relation(Enum):
    SAME = "same"
    CONTRARY = "contrary"
    """About the same thing, but they cannot both be true."""
    DIFFERENT = "different"


class LearningComparison(NamedTuple):
    relation: Relation
    layer: str = "none"
    """The layer that matched: canonical, simhash, meaning, phrases or none."""
    similarity: float = 0.0
    reason: str = ""


class LearningEdit(NamedTuple):
    """The new wording of a learning, as the payloads of an event."""

    words: Any
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    meta: Mapping[str, Any]


class Rendering(NamedTuple):
    """A learning in a prompt."""

    label: str
    text: str


class LearningKind(ABC, Generic[W]):
    name: str
    begun_by: str
    """The kind of event that begins a learning of this kind."""
    categories: type[StrEnum]
    fields: frozenset[str] = frozenset()
    """The fields that an edit can change, besides the category."""
    moves: frozenset[str] = frozenset()
    """Where an edit can move it: to something else that it is `about`, to another `audience`."""
    initial_confidence: float
    """The default, if the event has none."""
    confirmation: float
    """The share of the remaining uncertainty that a confirmation removes."""
    first_hand: bool = False
    """Stated by a person in these words, so it is offered to agents without approval."""
    notes: int = 3
    """How many are offered to an agent with one prompt."""
    headings: Mapping[str, str]
    """The heading of each category in AGENTS.md, in order."""
    given: bool = True
    """Whether contexts contain it; otherwise it is only evidence."""
    approvals: int = 1
    """How many different people must approve it before it is in force."""
    shareable: bool = False
    """Whether approved ones can be exported. Such a kind implements `signature` and `begins`."""

    # Words

    @abstractmethod
    def wording(self, event: Event) -> W | None:
        """The wording in an event; None if the event is not valid for this kind."""

    def digest(self, words: W, category: str | None) -> str:
        """The digest that an approval refers to: everything that an edit can change. It includes the category: what is
        to be avoided means the opposite as advice."""
        return blake2b(encode([category, *words]).encode(), digest_size=16).hexdigest()  # type: ignore[misc]

    def words_of(self, row: LearningRow) -> W:
        words = self.wording(row.last)
        assert words is not None  # only events that say something are pointed to
        return words

    def scope(self, event: Event) -> str | None:
        """The scope (`about`) of a learning that begins with this event."""
        return event.entity.id if event.entity is not None and event.entity.kind == "topic" else None

    @abstractmethod
    def edited(self, row: LearningRow, changes: Mapping[str, Any], category: str | None) -> LearningEdit:
        """The event of an edit. `changes` has some of `fields`, validated by the caller."""

    def exported(self, learning: Any) -> dict[str, Any]:
        return {name: getattr(learning, name) for name in sorted(self.fields)}

    def begins(self, given: Mapping[str, Any], about: str | None) -> LearningEdit:
        """The first event of a learning with these fields, as `exported` returned them; validated by the caller."""
        raise NotImplementedError

    def require_fields(self, given: Collection[str]) -> None:
        for name in given:
            if name not in self.fields | self.moves:
                known = ", ".join(sorted({*self.fields, *self.moves, "category"}))
                raise InvalidInput(f"A learning of the kind {self.name} has no {name}.", hint=f"It has: {known}.")

    # Sameness

    def signature(self, category: str, words: W, scope: str | None) -> Signature | None:  # noqa: ARG002
        """Finds duplicates in constant time; None for kinds that are found by search only."""
        return None

    @abstractmethod
    def compare(self, new: W, old: W, categories: tuple[str, str], cosine: float | None) -> LearningComparison:
        """Whether two are the same, contradictory or different. In doubt different: both are kept."""

    def is_bound(self, words: W) -> bool:  # noqa: ARG002
        """Whether its words bind it to the scope it was learned in, such as `in this project`."""
        return False

    def are_apart(self, ours: tuple[W, str | None], theirs: tuple[W, str | None]) -> bool:
        """Whether two, each with its scope, are two even if they say the same: each scope has its own."""
        (words, scope), (others, other) = ours, theirs
        return None not in (scope, other) and scope != other and (self.is_bound(words) or self.is_bound(others))

    # Weight

    @abstractmethod
    def half_life(self, learning: Learning) -> timedelta | None:
        """The time in which it loses half of its weight unless it is renewed; None if it never does."""

    def standing(self, learning: Learning, reputation: float) -> float:
        """The standing: from ratings, confirmations, approval, and the reputation of the contributor. To be used often
        proves nothing: what ranks first is used most. Whether it helped is measured (`lifts.py`)."""
        voices = learning.confirmed + learning.rated_up - learning.rated_down
        trust = 1 + _PER_VOICE * voices + _APPROVED * learning.approved + _REPUTATION * (reputation - 0.5)
        return min(_MOST_STANDING, max(_LEAST_STANDING, trust))

    def overlap(self, asked: frozenset[str], words: W) -> float:
        """How much of a query it covers."""
        return len(asked & frozenset(words.terms())) / (len(asked) + _DOUBT) if asked else 0.0

    def concerns(self, query: str, words: W) -> bool:  # noqa: ARG002
        """Whether it may have to do with a query that is near to it."""
        return True

    # Adherence

    def followed(self, learning: Any, output: str) -> bool | None:  # noqa: ARG002
        """Whether an output follows it; None if that cannot be told for certain."""
        return None

    # Rendering

    @abstractmethod
    def record(self, row: LearningRow) -> Learning: ...

    @abstractmethod
    def render(self, learning: Any) -> Rendering: ...

    @abstractmethod
    def said(self, learning: Any) -> W:
        """The wording of a record: what is compared with others."""

    def statement(self, learning: Any) -> str:
        """What it says, in one text without its circumstances; empty if only another of its kind can say the same."""
        return self.render(learning).text

    def evidence(self, learning: Any) -> int:
        """How many acts of people it stands on."""
        return int(learning.confirmed) + 1

    def heading(self, learning: Any) -> str:
        return self.headings[learning.category]

    def bullet(self, learning: Any, alone: StandingAlone | None = None) -> list[str]:  # noqa: ARG002
        """Its lines in AGENTS.md: the statement, then details; none if it makes no sense there. `alone` tells what
        does."""
        return [self.render(learning).text]

    def shared_fields(self, row: LearningRow) -> dict[str, Any]:
        state = row.state
        category = state.category if state.category in set(self.categories) else next(iter(self.categories))
        return {
            "id": state.id,
            "kind": state.kind,
            "at": row.first.at,
            "about": state.scope,
            "audience": Audience.TEAM if state.owner is None else Audience.ME,
            "category": self.categories(category),
            "actor": state.contributor,
            "confidence": state.confidence,
            "status": Status(state.status),
            "superseded_by": state.superseded_by,
            "contradicted_by": row.contradicted_by,
            "questioned_by": row.questioned_by,
            "approved": state.approved,
            "digest": state.words,
            "version": state.version,
            "confirmed": state.confirmed,
            "rated_up": state.rated_up,
            "rated_down": state.rated_down,
            "applied": state.applied,
            "last_applied": None if state.applied_at is None else from_micros(state.applied_at),
            "renewed_at": from_micros(state.renewed_at),
        }
