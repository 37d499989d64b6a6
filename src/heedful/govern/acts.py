"""Erases what people did and said, a batch of events at a time, with what came of it.

What somebody else said too stays, without the part of the erased events: a learning begins with the next one who said
it. What is no word of the person but a decision of the organisation stays without their name: an audit entry, a
document that was received, a learning that was retired. So forgetting never brings back what somebody switched off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from heedful.learnings import events as learning
from heedful.learnings.erased import Erased
from heedful.learnings.evidence import events_of_proposal, reopen
from heedful.learnings.forgetting import forget, forget_conversation, settle
from heedful.learnings.kinds import kind_of
from heedful.learnings.kinds.mapping import MAPPING
from heedful.learnings.kinds.rule import RULE
from heedful.learnings.outcomes import events_of_units
from heedful.learnings.patterns.learner import erase_decisions
from heedful.learnings.person import SOMEBODY
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.records import document, mining, proposal
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.event import Event
from heedful.records.json import Json, encode
from heedful.records.learning import Status
from heedful.records.outcome import UNIT
from heedful.records.proposal import Act
from heedful.records.suggestion import IMPORTED, is_feedback
from heedful.store import Store
from heedful.store.audit import PREFIX
from heedful.store.recording import Recording

_KEPT = frozenset({
    document.RECEIVED, document.EXTRACTED, document.DOCUMENT_DELETED, proposal.DECIDED, IMPORTED, learning.SUPERSEDED,
    learning.MERGED, learning.CONTRADICTED, learning.RETIRED, learning.RESTORED,
})  # fmt: skip
"""They stay without the name; as do all of the audit trail."""
_TEXTS = frozenset({
    "wrong", "right", "why", "query", "said", "context", "fixed", "understood", "opening", "occasions", "session",
    "voice", "owner", "title", "content", "summary",
})  # fmt: skip
"""What an edit takes over from the words before it."""
_DRAFT_ACTS = (*document.CORRECTIONS, document.CUSTOMER_SELECTED, document.DRAFT_CONFIRMED)


class ActErasure:
    def __init__(self, store: Store, erased: Erased, belongs: Callable[[Event], bool]) -> None:
        self._store = store
        self._table = LearningTable(store)
        self._erased = erased
        self._belongs = belongs

    def erase(self, record: Recording, events: Sequence[Event]) -> None:
        """Afterwards none of these events belongs to whom or what is forgotten."""
        self._erase_conversations(record, events)
        self._erase_learnings(record, events)
        self._erase_proposals(record, events)
        self._erase_units(record, events)
        reworded = self._reworded(events)
        left = self._left(events)
        self._erase_decisions(record, [event for event in left if is_feedback(event) and event.kind != IMPORTED])
        self._erase_draft_acts(record, [event for event in left if event.kind in _DRAFT_ACTS])
        self._erase_edits(record, [event for event in left if event.kind == learning.EDITED])
        left = self._left(left)
        kept = {event.id for event in left if _is_kept(event, self._table)}
        self._erased.rewrite(record, [event for event in left if event.id in kept], _anonymous)
        self._erased.erase(record, [event for event in left if event.id not in kept])
        settle(self._store, record, reworded, self._erased)

    def _left(self, events: Sequence[Event]) -> list[Event]:
        """Those that are still there, and still theirs."""
        return [event for event in self._erased.left(events) if self._belongs(event)]

    # Conversations, and units of measurement: all of them or nothing

    def _erase_conversations(self, record: Recording, events: Sequence[Event]) -> None:
        said = [event for event in events if event.kind in mining.OWN_KINDS and event.entity is not None]
        for id in dict.fromkeys(event.entity.id for event in said if event.entity is not None):
            forget_conversation(self._store, record, id, self._erased)

    def _erase_units(self, record: Recording, events: Sequence[Event]) -> None:
        """What was given to a prompt, and what came of it. Outcomes count as differences, so a unit goes as one."""
        units = {event.entity.id for event in events if event.entity is not None and event.entity.kind == UNIT}
        given = events_of_units(self._store, units)
        self._erased.erase(record, [*given, *uses_of(self._store, [*given, *events])])

    # Learnings

    def _erase_learnings(self, record: Recording, events: Sequence[Event]) -> None:
        begun = [event.id for event in self._left(events) if event.kind in learning.BEGINNINGS]
        rows = [row for id in begun if (row := self._table.get(id) or self._table.folded(id)) is not None]
        shared = {row.state.id for row in rows if row.first.meta.get("by") == "shared"}
        alone = [row for row in rows if row.state.id not in shared and not self._hand_over(record, row)]
        for row in alone:
            if row.state.kind == RULE.name:
                reopen(self._store, record, self._erased, row)
        forget(self._store, record, alone, self._erased)
        self._erased.rewrite(record, [row.first for row in rows if row.state.id in shared], _anonymous)

    def _hand_over(self, record: Recording, row: LearningRow) -> bool:
        """To the first other person who said the same; False if nobody did."""
        kind, history = kind_of(row.state), self._table.history(row.state.id)
        others = [event for event in history if event.kind == learning.CONFIRMED and not self._belongs(event)]
        other = next((event for event in others if kind.wording(event) is not None), None)
        if other is None:
            return False
        edits = [event for event in history if event.kind == learning.EDITED and not self._belongs(event)]
        read = [event for event in edits if learning.READ_BY in event.meta]  # what a model made of their words
        others = [event for event in edits if event not in read]
        self._erased.erase(record, [other, *read])
        self._erased.rewrite(record, [row.first], lambda event: _begun_by(event, other))
        for gone in (row.first, *read):
            self._erased.rewrite(record, others, _rewording(gone, other))
        settle(self._store, record, [row.state.id], self._erased)
        return True

    def _reworded(self, events: Sequence[Event]) -> set[str]:
        """Learnings that get older words back."""
        edits = [event for event in self._left(events) if event.kind == learning.EDITED]
        return {event.entity.id for event in edits if event.entity is not None}

    def _erase_edits(self, record: Recording, edits: Sequence[Event]) -> None:
        """Later edits of others took over words of theirs: they get those of before."""
        for edit in edits:
            if edit.entity is None:
                continue
            history = self._table.history(edit.entity.id)
            worded = [event for event in history if event.kind in (*learning.BEGINNINGS, learning.EDITED)]
            before = [event for event in worded if event.seq < edit.seq and not self._belongs(event)]
            later = [event for event in worded if event.seq > edit.seq and not self._belongs(event)]
            self._erased.erase(record, [edit])
            if before:
                self._erased.rewrite(record, later, _rewording(edit, before[-1]))

    # Proposals

    def _erase_proposals(self, record: Recording, events: Sequence[Event]) -> None:
        for event in self._left(events):
            if event.entity is None or event.entity.kind != proposal.ENTITY:
                continue
            if event.kind == proposal.MADE:
                self._take_back(record, event.entity.id)
                self._erased.proposals.add(event.id)
                self._erased.erase(record, events_of_proposal(self._store, event.id))
            elif event.kind in (proposal.APPROVED, proposal.EDITED):
                self._take_back(record, event.entity.id)
                self._erased.proposals.add(event.entity.id)
                self._erased.erase(record, [event])

    def _take_back(self, record: Recording, id: str) -> None:
        """A rule in force needs enough people who approved its words: it waits for others again."""
        made = self._store.log.get(id)
        if made is None or made.meta.get("act") != Act.ADOPT:
            return
        rules = self._table.each({"kind": RULE.name, "status": Status.ACTIVE.value})
        found = [row for row in rules if row.first.meta.get("proposal") == id]
        for row in found:
            reopen(self._store, record, self._erased, row)
        forget(self._store, record, found, self._erased)

    # Suggestions and documents

    def _erase_decisions(self, record: Recording, decisions: Sequence[Event]) -> None:
        if decisions:
            self._erased.count(record, decisions)
            erase_decisions(self._store, record, decisions)

    def _erase_draft_acts(self, record: Recording, acts: Sequence[Event]) -> None:
        """Later acts of others on the same draft say what was there before: now that is what they would have found."""
        drafts = sorted({act.entity.id for act in acts if act.entity is not None})
        self._erased.erase(record, acts)
        for act in reversed(acts):  # the last one first: what it had found may be of an earlier one
            later = [event for event in self._store.log.about(document.DRAFT, drafts) if event.entity == act.entity]
            later = [event for event in later if event.kind in _DRAFT_ACTS]
            self._erased.rewrite(record, [event for event in later if event.seq > act.seq], _following(act))
            if act.meta.get("first") is True:
                corrections = [event for event in later if event.kind in document.CORRECTIONS]
                self._erased.rewrite(record, corrections[:1], _as_first(act))


def uses_of(store: Store, contexts: Sequence[Event]) -> list[Event]:
    """That learnings were used in these contexts."""
    given = [event for event in contexts if event.kind == CONTEXT_GIVEN]
    ids = {event.id for event in given}
    learnings = sorted({id for event in given for id in event.meta.get("learnings", ())})
    about = store.log.about(learning.ENTITY, learnings) if ids else []
    return [event for event in about if event.kind == learning.APPLIED and event.meta.get("context") in ids]


def _is_kept(event: Event, table: LearningTable) -> bool:
    if event.kind in (learning.RETIRED, learning.RESTORED) and event.entity is not None:
        row = table.get(event.entity.id)
        return row is None or row.state.kind != MAPPING.name  # there it is one person's word against another's
    return event.kind in _KEPT or event.kind.startswith(PREFIX)


def _anonymous(event: Event) -> Event:
    """Without the name, and without a reason in their words."""
    meta = {name: value for name, value in event.meta.items() if name not in ("why", "voice")}
    return event._replace(actor=SOMEBODY, meta_json=encode(meta))


def _begun_by(first: Event, other: Event) -> Event:
    """The beginning of a learning, as another person would have begun it."""
    said = {name: getattr(other, name) for name in ("at", "actor", "before_json", "after_json", "meta_json")}
    return first._replace(**said)


def _rewording(gone: Event, instead: Event) -> Callable[[Event], Event]:
    return lambda event: _reworded(event, gone, instead)


def _reworded(event: Event, gone: Event, instead: Event) -> Event:
    """An edit with the words of another event where it had taken over those of the erased one."""
    parts = [
        encode(_replaced(*(getattr(one, part) for one in (event, gone, instead))))
        for part in ("before", "after", "meta")
    ]
    return event._replace(before_json=parts[0], after_json=parts[1], meta_json=parts[2])


def _replaced(values: Json, gone: Json, instead: Json, *, inside: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        if not inside and name not in _TEXTS:
            found[name] = value
        elif isinstance(value, Mapping):
            found[name] = _replaced(value, gone.get(name) or {}, instead.get(name) or {}, inside=True)
        elif value != gone.get(name) or not isinstance(value, str | list):
            found[name] = value
        elif name in instead:
            found[name] = instead[name]
    return found


def _following(act: Event) -> Callable[[Event], Event]:
    was, became = act.before, act.after

    def changed(event: Event) -> Event:
        meta = dict(event.meta)
        same_line = meta.get("line") == act.meta.get("line")
        before = {
            name: was.get(name) if same_line and name in became and value == became[name] else value
            for name, value in event.before.items()
        }
        if "instead_of" in meta and meta["instead_of"] == became.get("customer_id"):
            meta["instead_of"] = act.meta.get("instead_of")
        kept = {name: value for name, value in meta.items() if value is not None}
        return event._replace(before_json=encode(before), meta_json=encode(kept))

    return changed


def _as_first(act: Event) -> Callable[[Event], Event]:
    """The first correction of a draft, which counts it as corrected."""
    facts = {name: act.meta[name] for name in ("first", "extracted_on") if name in act.meta}
    return lambda event: event._replace(meta_json=encode({**event.meta, **facts}))
