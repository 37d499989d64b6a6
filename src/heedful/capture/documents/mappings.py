"""Records what people confirm and reject as the meaning of a key, and the mapping that is learned of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from uuid_utils import uuid7

from heedful.capture.contradictions import Contradictions
from heedful.capture.documents.receiving import actor_of, begin
from heedful.capture.payload import bounded
from heedful.errors import Conflict, InvalidInput
from heedful.learnings.documents.mappings import Mappings
from heedful.learnings.events import ADJUSTED, CONFIRMED, ENTITY, MAPPED, RESTORED, RETIRED
from heedful.learnings.kinds.mapping import MAPPING
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.operations import caller
from heedful.records import mapping
from heedful.records.clock import Time, aware, moment
from heedful.records.event import Draft, Entity, Event, noted
from heedful.records.json import encode
from heedful.records.learning import Status
from heedful.records.mapping import KEY, Mapping, MappingState, MappingType, key_id
from heedful.records.names import identifier, listed
from heedful.records.people import one_person
from heedful.records.proposal import Act, made
from heedful.store import Store

_DOUBT = -0.5  # the confidence that a rejection takes away
_DISPUTED = "It was rejected by somebody else than those who confirmed it."
_MOST_SUGGESTIONS = 20


class MappingInput(NamedTuple):
    """A checked decision about a mapping."""

    key: str
    value: str
    type: MappingType
    customer: str | None
    draft: str | None
    suggestions: tuple[str, ...]
    by: str | None
    at: datetime | None
    id: str | None


def checked(
    key: str,
    value: str,
    *,
    customer: str | None,
    type: MappingType | str,
    draft: str | None,
    suggestions: Sequence[str],
    by: str | None,
    at: Time | None,
    id: str | None,
) -> MappingInput:
    offered = listed(suggestions, "suggestions")
    if len(offered) > _MOST_SUGGESTIONS:
        raise InvalidInput(
            f"There are {len(suggestions)} suggestions; {_MOST_SUGGESTIONS} are allowed.", hint="Pass the best ones."
        )
    return MappingInput(
        identifier(key, "key").strip(),
        identifier(value, "value").strip(),
        MappingType.of(type),
        None if customer is None else identifier(customer, "customer"),
        None if draft is None else identifier(draft, "draft"),
        tuple(suggestions),
        None if by is None else identifier(by, "by"),
        None if at is None else moment(at),
        None if id is None else identifier(id, "id"),
    )


class MappingActs:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._mappings = Mappings(store)
        self._table = LearningTable(store)
        self._contradictions = Contradictions(store, MAPPING)

    def confirm(self, given: MappingInput) -> Mapping:
        return self._record(mapping.CONFIRMED, given)

    def reject(self, given: MappingInput) -> Mapping:
        return self._record(mapping.REJECTED, given)

    def _record(self, kind: str, given: MappingInput) -> Mapping:
        self._store.secret.load()
        mark = None if given.id is None else self._store.secret.digest("mapping", encode([kind, *given[:6]]))
        with self._store.recording() as record:
            begin(self._store, record)
            known = None if given.id is None else self._store.log.get(given.id)
            if known is not None:
                return self._repeated(known, kind, mark)
            rows = self._mappings.of_key(given.type, given.customer, given.key)
            old = next((row for row in rows if MAPPING.words_of(row).value == given.value), None)
            learning = str(uuid7()) if old is None else old.state.id
            act = self._act(kind, given, learning, old, mark)
            follow = self._confirmed if kind == mapping.CONFIRMED else self._rejected
            record.append([act, *follow(given, act, learning, old, rows)])
        return self._of(learning)

    def _act(self, kind: str, given: MappingInput, learning: str, old: LearningRow | None, mark: str | None) -> Draft:
        """What the person did, with the state of the mapping before and after."""
        was = None if old is None else MAPPING.record(old)
        before = {
            "status": None if was is None else was.state.value,
            "confidence": None if was is None else was.confidence,
            "support_count": 0 if was is None else was.support_count,
            "suggestions": list(given.suggestions) or None,
        }
        confirmed = kind == mapping.CONFIRMED
        after = {
            "status": (MappingState.CONFIRMED if confirmed else MappingState.REJECTED).value,
            "confidence": 1.0 if confirmed else None,
            "customer_sku" if given.type is MappingType.SKU else "key": given.key,
            "internal_sku" if given.type is MappingType.SKU else "value": given.value if confirmed else None,
        }
        meta = {
            "type": given.type.value,
            "customer": given.customer,
            "draft": given.draft,
            "key": given.key,
            "internal_sku" if given.type is MappingType.SKU else "value": given.value,
            "fingerprint": mark,
        }
        payloads = (
            {name: value for name, value in part.items() if value is not None} for part in (before, after, meta)
        )
        return Draft(
            given.id or str(uuid7()),
            kind,
            given.at or aware(self._store.clock()),
            actor_of(self._store, given.by),
            Entity(mapping.ENTITY, learning),
            None,
            *bounded(*payloads),
            own_id=given.id is not None,
            own_time=given.at is not None,
        )

    def _confirmed(
        self, given: MappingInput, act: Draft, learning: str, old: LearningRow | None, rows: Sequence[LearningRow]
    ) -> list[Draft]:
        contrary = [row for row in rows if row is not old and row.state.status == Status.ACTIVE]
        said = self._said(given, act)
        if old is None:
            begun = self._begun(given, act, learning, rejected=False)
            return [begun, *self._contradictions.settled(begun, contrary)]
        again = noted(
            CONFIRMED, act.at, actor=act.actor, entity=Entity(ENTITY, learning), after=_words(given), meta=said
        )
        if old.state.status == Status.ACTIVE:
            return [again, *self._contradictions.withdrawn(again, old, contrary)]
        restored = noted(RESTORED, act.at, actor=act.actor, entity=Entity(ENTITY, learning))
        return [restored, again, *self._contradictions.settled(again._replace(id=learning), contrary)]

    def _rejected(
        self,
        given: MappingInput,
        act: Draft,
        learning: str,
        old: LearningRow | None,
        rows: Sequence[LearningRow],  # noqa: ARG002 - as of those that follow a confirmation
    ) -> list[Draft]:
        """What several people confirmed, or somebody approved, is not undone by one other person: it is asked about."""
        doubt = noted(ADJUSTED, act.at, actor=act.actor, entity=Entity(ENTITY, learning), meta={"by": _DOUBT})
        retired = noted(RETIRED, act.at, actor=act.actor, entity=Entity(ENTITY, learning), meta={"reason": "rejected"})
        if old is None:
            return [self._begun(given, act, learning, rejected=True), doubt, retired]
        if old.state.status != Status.ACTIVE:
            return []
        said = act._replace(meta_json=encode(self._said(given, act)))
        if self._contradictions.is_firm(old) and not self._contradictions.is_own(old, said):
            return [doubt, made(self._store.clock(), Act.RETIRE, (learning,), _DISPUTED)]
        return [doubt, retired]

    def _begun(self, given: MappingInput, act: Draft, learning: str, *, rejected: bool) -> Draft:
        meta = {**self._said(given, act), **({"rejected": True} if rejected else {})}
        begun = noted(
            MAPPED,
            act.at,
            actor=act.actor,
            entity=Entity(KEY, key_id(given.type, given.customer, given.key)),
            after=_words(given),
            meta=meta,
        )
        return begun._replace(id=learning)

    def _said(self, given: MappingInput, act: Draft) -> dict[str, Any]:
        voice = caller.voice(given.by)
        said = None if voice is None else self._store.secret.person(one_person(voice))
        facts = {"category": given.type.value, "voice": said, "evidence": [act.id]}
        return {name: value for name, value in facts.items() if value is not None}

    def _repeated(self, known: Event, kind: str, mark: str | None) -> Mapping:
        if known.kind == kind and known.entity is not None and known.meta.get("fingerprint") == mark:
            return self._of(known.entity.id)
        raise Conflict(
            f"The id {known.id!r} is recorded already, with different content.",
            hint="Give a new decision a new id; to send the same again, send it unchanged.",
        )

    def _of(self, learning: str) -> Mapping:
        row = self._table.get(learning) or self._table.folded(learning)
        assert row is not None  # it was written just now
        return self._mappings.record(row)


def _words(given: MappingInput) -> dict[str, Any]:
    words = {"type": given.type.value, "customer": given.customer, "key": given.key, "value": given.value}
    return {name: value for name, value in words.items() if value is not None}
