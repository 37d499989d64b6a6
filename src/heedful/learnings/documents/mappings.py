"""Mappings, looked up: what is confirmed for a key, what may fit, and how often each was used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import NamedTuple

from heedful.learnings.documents.projection import PROJECTION, USED
from heedful.learnings.events import CONFIRMED, MAPPED
from heedful.learnings.kinds.mapping import MAPPING, MappingWording
from heedful.learnings.row import LearningRow
from heedful.learnings.search import Search
from heedful.learnings.table import LearningTable
from heedful.records.document import MappingMatch
from heedful.records.learning import Status
from heedful.records.mapping import KEY, STALE, Mapping, MappingType, key_id, same_key
from heedful.store import Store

_LIKELY = 85  # per cent of two keys that are equal
_SEARCHED = 20
_SUGGESTED = 3
_DISPUTED, _OTHER_CUSTOMER, _SIMILAR = 0.7, 0.6, 0.4  # the confidence of suggestions
_LAST_DAY = 2**31 - 1


class TypedKey(NamedTuple):
    type: MappingType
    key: str


class Mappings:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._table = LearningTable(store)
        self._search = Search(store)

    def of_key(self, type: MappingType, customer: str | None, key: str) -> list[LearningRow]:
        """All mappings of exactly this customer's key, rejected ones too, oldest first."""
        return self._of_keys(key_id(type, customer, key))

    def matches(self, customer: str | None, wanted: Sequence[TypedKey]) -> dict[TypedKey, MappingMatch]:
        """The confirmed mapping of each key: of this customer, else the one for all. None if people disagree about it
        and neither side has more support."""
        whose = tuple(dict.fromkeys((customer, None)))
        ids = {(one, who): key_id(one.type, who, one.key) for one in wanted for who in whose}
        active: dict[str, list[LearningRow]] = {}
        for row in self._of_keys(*dict.fromkeys(ids.values())):
            if row.state.status == Status.ACTIVE:
                words = MAPPING.words_of(row)
                active.setdefault(key_id(MappingType(words.type), words.customer, words.key), []).append(row)
        found: dict[TypedKey, MappingMatch] = {}
        for one in wanted:
            known = next((active[ids[one, who]] for who in whose if ids[one, who] in active), [])
            if known and (match := self._strongest(known)) is not None:
                found[one] = match
        return found

    def suggestions(self, type: MappingType, customer: str | None, key: str) -> tuple[MappingMatch, ...]:
        """Mappings that may fit: those that people disagree about, those of the same key for other customers, and those
        of similar keys of this one."""
        words = MappingWording(type.value, customer, key, "")
        rejected = {
            MAPPING.words_of(row).value for row in self.of_key(type, customer, key) if row.state.status != Status.ACTIVE
        }
        wanted = {"kind": MAPPING.name, "status": Status.ACTIVE.value, "category": type.value}
        found: dict[str, MappingMatch] = {}
        for one in self._search.in_words_of(words, _SEARCHED, wanted):
            match = _suggestion(words, one.row)
            if match is not None and match.value not in rejected:
                known = found.get(match.value)
                found[match.value] = match if known is None or match.confidence > known.confidence else known
        return tuple(sorted(found.values(), key=lambda match: -match.confidence)[:_SUGGESTED])

    def _strongest(self, rows: list[LearningRow]) -> MappingMatch | None:
        """Where people disagree: what is approved, or what more people say. To say it again makes nobody two people."""
        if len(rows) == 1:
            return _matched(rows[0], "exact_mapping", rows[0].state.confidence)
        support = {row.state.id: (row.state.approved, len(self._voices(row))) for row in rows}
        first, second, *_ = sorted(rows, key=lambda row: support[row.state.id], reverse=True)
        if support[first.state.id] == support[second.state.id]:
            return None
        return _matched(first, "exact_mapping", first.state.confidence, contradicted=True)

    def _voices(self, row: LearningRow) -> set[str]:
        said = [event for event in self._table.history(row.state.id) if event.kind in (MAPPED, CONFIRMED)]
        meant = [event for event in said if event.meta.get("rejected") is not True]
        return {str(event.meta.get("voice") or event.actor or "") for event in meant}

    def any(self) -> bool:
        return self._table.any(MAPPING.name, Status.ACTIVE)

    def _of_keys(self, *ids: str) -> list[LearningRow]:
        with self._store.database.read(self._store.org) as transaction:
            return self._table.begun_about(transaction, KEY, *ids)

    def record(self, row: LearningRow) -> Mapping:
        """With the people who confirmed it, and its uses."""
        mapping = MAPPING.record(row)
        days = self._store.projections.counts(PROJECTION, USED + mapping.id, -_LAST_DAY, _LAST_DAY)
        last = days[-1].day if days else None
        used_at = None if last is None else datetime.combine(last, time(), UTC)
        seen = max(mapping.renewed_at, used_at or mapping.renewed_at)
        stale = self._store.clock() - seen > STALE
        people, used = len(self._voices(row)), sum(day.value for day in days)
        return replace(mapping, people=people, used=used, last_used=used_at, stale=stale)


def _suggestion(words: MappingWording, row: LearningRow) -> MappingMatch | None:
    from rapidfuzz.fuzz import ratio

    other = MAPPING.words_of(row)
    ours, theirs = same_key(words.key), same_key(other.key)
    if ours == theirs and other.customer == words.customer:
        return _matched(row, "disputed", _DISPUTED, contradicted=True)
    if ours == theirs:
        return _matched(row, "other_customer", _OTHER_CUSTOMER)
    if other.customer in (words.customer, None) and (alike := ratio(ours, theirs)) >= _LIKELY:
        return _matched(row, "similar_key", round(_SIMILAR * alike / 100, 2))
    return None


def _matched(row: LearningRow, method: str, confidence: float, *, contradicted: bool = False) -> MappingMatch:
    words = MAPPING.words_of(row)
    return MappingMatch(words.key, words.value, method, confidence, row.state.id, contradicted)
