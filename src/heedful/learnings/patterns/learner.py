"""Turns patterns into learnings once the decisions are clear, and retires them when they no longer are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heedful.learnings.events import COUNTED, EDITED, ENTITY, RESTORED, RETIRED
from heedful.learnings.kinds.pattern import PATTERN
from heedful.learnings.patterns.counts import SuggestionTallies
from heedful.learnings.patterns.wanted_patterns import DecidedPattern, Verdicts, pattern_id
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.records.event import Draft, Entity, Event, noted
from heedful.records.job import JobRequest
from heedful.records.learning import Status
from heedful.records.pattern import PatternCategory
from heedful.records.suggestion import is_feedback
from heedful.store import Store
from heedful.store.recording import Recording

JOB = "patterns.learn"

_MOST = 50  # patterns of one rule
_GROWN = 1.5  # times as many decisions as when the pattern was last looked at


def requested(event: Event) -> JobRequest | None:
    """A decision about a suggestion queues an update of its rule's patterns."""
    if not is_feedback(event) or event.entity is None:
        return None
    return JobRequest(JOB, {"rule": event.entity.id}, key=event.entity.id)


def erase_decisions(store: Store, record: Recording, events: Sequence[Event]) -> None:
    """Erases decisions from the log, and updates the patterns that were learned from them."""
    rules = {event.entity.id for event in events if event.entity is not None}
    record.erase(events)
    table = LearningTable(store)
    known = [rule for rule in sorted(rules) if table.page({"kind": PATTERN.name, "scope": rule}, None, 1)]
    record.queue([JobRequest(JOB, {"rule": rule}, key=rule) for rule in known])


class PatternLearner:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._table = LearningTable(store)

    def update(self, rule: str) -> list[str]:
        with self._store.recording() as record:
            found = {pattern_id(rule, one): one for one in self._found(rule)}
            known = {row.state.id: row for row in self._table.each({"kind": PATTERN.name, "scope": rule})}
            new = [id for id in found if id not in known]
            drafts = [_counted(id, rule, found[id], self._store) for id in new]
            drafts += [draft for id, one in found.items() if id in known for draft in self._changes(known[id], one)]
            drafts += self._retired([row for id, row in known.items() if id not in found])
            record.append_new(drafts)
            self._forget_uncounted(record, rule, [row for id, row in known.items() if id not in found])
        return new

    def update_all(self) -> None:
        scopes = [row.state.scope for row in self._table.each({"kind": PATTERN.name})]
        for rule in dict.fromkeys(scope for scope in scopes if scope is not None):
            self.update(rule)

    def _found(self, rule: str) -> list[DecidedPattern]:
        verdicts = Verdicts(SuggestionTallies(self._store), rule, self._store.privacy())
        found = [*verdicts.accepted(_MOST), *verdicts.rejected(_MOST)]
        return [one for one in found if one.readable and one.own]

    def _changes(self, row: LearningRow, found: DecidedPattern) -> list[Draft]:
        state, changed = row.state, []
        if state.status == Status.RETIRED and self._retired_unasked(row):
            changed.append(self._about(RESTORED, state.id, {}))
        counts = row.last.meta.get("counts")
        before = sum(counts.get(name, 0) for name in ("accepted", "modified", "rejected")) if counts else 0
        if state.category != _category(found) or found.own >= _GROWN * before:
            draft = self._about(EDITED, state.id, {"category": _category(found), "counts": _counts(found)})
            changed.append(draft._replace(before_json=row.last.before_json, after_json=row.last.after_json))
        return changed

    def _retired(self, rows: list[LearningRow]) -> list[Draft]:
        """The decisions are no longer clear."""
        why = {"why": "The decisions about it are no longer clear."}
        return [self._about(RETIRED, row.state.id, why) for row in rows if row.state.status == Status.ACTIVE]

    def _forget_uncounted(self, record: Recording, rule: str, rows: list[LearningRow]) -> None:
        """A pattern whose decisions were all erased is deleted completely."""
        counts = SuggestionTallies(self._store)
        texts = counts.texts_of(rule, [row.first.meta["pattern"] for row in rows])
        gone = [row for row in rows if not texts.get(row.first.meta["pattern"])]
        if gone:
            from heedful.learnings.forgetting import forget  # noqa: PLC0415 - with it come grammars that few need

            forget(self._store, record, gone)

    def _retired_unasked(self, row: LearningRow) -> bool:
        retired = [event for event in self._table.history(row.state.id) if event.kind == RETIRED]
        return bool(retired) and retired[-1].actor is None

    def _about(self, kind: str, id: str, meta: dict[str, Any]) -> Draft:
        return noted(kind, self._store.clock(), entity=Entity(ENTITY, id), meta=meta)


def _category(found: DecidedPattern) -> str:
    return (PatternCategory.WANTED if found.evidence.wanted else PatternCategory.UNWANTED).value


def _counts(found: DecidedPattern) -> dict[str, int]:
    counts = found.counts
    decided = {"accepted": counts.accepted, "modified": counts.modified, "rejected": counts.rejected}
    return {**decided, "people": found.people}


def _counted(id: str, rule: str, found: DecidedPattern, store: Store) -> Draft:
    interval = found.evidence.interval
    sure = interval.low if found.evidence.wanted else 1 - interval.high
    meta = {"category": _category(found), "confidence": round(sure, 4), "counts": _counts(found), "pattern": found.id}
    before, after = ({"text": text} if text else {} for text in found.text)
    draft = noted(COUNTED, store.clock(), entity=Entity("rule", rule), before=before, after=after, meta=meta)
    return draft._replace(id=id, own_id=True)
