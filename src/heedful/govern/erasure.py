"""Clearing feedback on request, a few hundred events at a time. The data is consistent after every batch."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from heedful.errors import InvalidInput, NotFound
from heedful.learnings.forgetting import scrubbed
from heedful.learnings.patterns.learner import PatternLearner, erase_decisions
from heedful.records.event import Entity, EventFilter
from heedful.records.json import decode, encode
from heedful.records.names import listed
from heedful.records.period import Period
from heedful.records.privacy import Cleared, Clearing
from heedful.records.suggestion import LEARNING_KINDS, is_feedback
from heedful.store import Store
from heedful.store.audit import audit

_CHUNK = 500
_VALID = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which feedback to clear: of a period, of some rules, or everything."""

    period: Period
    rules: tuple[str, ...] | None

    @classmethod
    def of(cls, period: Period, rules: Sequence[str] | None, *, everything: bool) -> Selection:
        named = tuple(sorted(listed(rules or (), "rules")))
        chosen = bool(named) or period != Period()
        if everything == chosen:
            raise InvalidInput(
                "Pass either everything=True or a filter, not both." if everything else "No filter was given.",
                hint="Pass rules, a period or both; or everything=True to clear all feedback.",
            )
        return cls(period, named or None)

    def filters(self) -> Iterator[EventFilter]:
        for kind in LEARNING_KINDS:
            wanted = EventFilter(kind=kind, since=self.period.first_moment, until=self.period.end_moment)
            if self.rules is None:
                yield wanted
            else:
                yield from (replace(wanted, entity=Entity("rule", rule)) for rule in self.rules)


class Erasure:
    def __init__(self, store: Store) -> None:
        self._store = store

    def plan(self, selection: Selection) -> Clearing:
        head = self._store.log.head()
        records = sum(self._store.log.count(wanted, head) for wanted in selection.filters())
        return Clearing(records, self._token(selection, head))

    def confirm(self, token: str) -> Cleared:
        selection, head = self._promised(token)
        records = sum(self._erase(wanted, last=head) for wanted in selection.filters())
        PatternLearner(self._store).update_all()
        with self._store.recording() as record:
            if not any(self._store.log.page(EventFilter(kind=kind), None, 1) for kind in LEARNING_KINDS):
                self._store.secret.forget(record.transaction)
            audit(record, "AUDIT_LEARNING_CLEARED", after={**_described(selection), "records": records})
        return Cleared(records, scrubbed(self._store, thoroughly=True))

    def _erase(self, wanted: EventFilter, *, last: int) -> int:
        erased, place = 0, None
        while True:
            with self._store.recording() as record:  # before looking: two must not take the same out twice
                events = self._store.log.page(wanted, place, _CHUNK)
                chosen = [event for event in events if is_feedback(event) and event.seq <= last]
                if chosen:
                    erase_decisions(self._store, record, chosen)
            erased += len(chosen)
            if len(events) < _CHUNK or events[-1].seq >= last:
                return erased
            place = events[-1].seq

    def _token(self, selection: Selection, head: int) -> str:
        """The selection, its expiry, and a signature that only this installation can make."""
        expires = int((self._store.clock() + _VALID).timestamp())
        promise = encode({**_described(selection), "head": head, "expires": expires})
        return f"{base64.urlsafe_b64encode(promise.encode()).decode()}.{self._seal(promise)}"

    def _promised(self, token: str) -> tuple[Selection, int]:
        refused = NotFound("Unknown confirmation token.", hint="Ask for a new one.")
        try:
            promise = base64.b64decode(str(token).partition(".")[0], altchars=b"-_", validate=True).decode()
            seal = str(token).partition(".")[2].encode()
        except ValueError:
            raise refused from None
        if not hmac.compare_digest(seal, self._seal(promise).encode()):
            raise refused
        payload = decode(promise)
        if self._store.clock().timestamp() > payload["expires"]:
            raise NotFound("This confirmation token has expired.", hint="Ask for a new one.")
        start, end = (None if payload[day] is None else date.fromisoformat(payload[day]) for day in ("since", "until"))
        rules = None if payload["rules"] is None else tuple(payload["rules"])
        return Selection(Period(start, end), rules), payload["head"]

    def _seal(self, promise: str) -> str:
        return self._store.secret.digest("clearing", promise)


def _described(selection: Selection) -> dict[str, object]:
    start, end = selection.period.start, selection.period.end
    return {
        "since": None if start is None else start.isoformat(),
        "until": None if end is None else end.isoformat(),
        "rules": None if selection.rules is None else list(selection.rules),
    }
