"""Subscriptions: code that follows the log. It reads what was committed, so it can neither slow nor lose a write."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Self

from heedful.errors import Closed, HeedfulError, InvalidInput
from heedful.records.clock import to_micros
from heedful.records.event import Event
from heedful.records.job import failure_text, pause_after
from heedful.store.database import Database, OrgTable
from heedful.store.event_log import EventLog

_CHUNK = 200
_POLL_SECONDS = 1.0  # other processes' writes send no signal in this process
_log = logging.getLogger(__name__)

SELECT_ALL = "select name, position, failures, error from subscription where org_id = :org order by name"

SAVE = """
insert into subscription (org_id, name, position, failures, error, updated_at)
values (:org, :name, :position, :failures, :error, :now)
on conflict (org_id, name) do update
set position = :position, failures = :failures, error = :error, updated_at = :now
"""

FORGET = "delete from subscription where org_id = :org and name = :name"


@dataclass(frozen=True, slots=True)
class SubscriptionState:
    name: str
    position: int
    failures: int
    error: str | None


class SubscriptionTable(OrgTable):
    """How far each named follower of one organisation's log has read."""

    def all(self) -> dict[str, SubscriptionState]:
        return {row[0]: SubscriptionState(*row) for row in self._query(SELECT_ALL)}

    def save(self, state: SubscriptionState) -> None:
        self._database.execute(self._org, SAVE, org=self._org, now=to_micros(self._clock()), **asdict(state))

    def forget(self, name: str) -> None:
        self._database.execute(self._org, FORGET, org=self._org, name=name)


class Subscription:
    """Hands every event after its position to a callable, in order, each at least once.

    When the callable raises, the same event comes again after a pause that grows to ten minutes. A named
    subscription remembers its position in the database and goes on there after a restart; one without a
    name begins with what is recorded next and forgets. A name is for one subscriber at a time: two with the
    same name both get everything.
    """

    def __init__(
        self,
        log: EventLog,
        table: SubscriptionTable,
        deliver: Callable[[Event], object],
        *,
        database: Database,
        name: str | None,
        kind: str | None,
    ) -> None:
        self._log = log
        self._table = table
        self._deliver = deliver
        self._database = database
        self._commits = database.commit_signal
        self._name = name
        self._kind = kind
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._state = self._load()

    def _load(self) -> SubscriptionState:
        if self._name is None:
            return SubscriptionState("", self._log.head(), 0, None)
        known = self._table.all().get(self._name)
        return known or SubscriptionState(self._name, 0, 0, None)

    @property
    def position(self) -> int:
        """The position in the log up to which everything was delivered."""
        return self._state.position

    @property
    def error(self) -> str | None:
        """What the last delivery failed with, if it failed."""
        return self._state.error

    def deliver_pending(self) -> int:
        """Deliver what is there now, in this thread; stop at the first failure. Returns how many went well."""
        if self._database.in_transaction():
            raise InvalidInput(
                "Events cannot be delivered inside a transaction: they may yet be undone.", hint="Deliver after it."
            )
        delivered = 0
        while not self._stopping.is_set() and (events := self._log.after(self._state.position, _CHUNK)):
            for event in events:
                if self._stopping.is_set() or not self._hand_over(event):
                    break
                delivered += 1
            self._save()
            if self._state.failures:
                break
        return delivered

    def _hand_over(self, event: Event) -> bool:
        if self._kind is None or event.kind == self._kind:
            try:
                self._deliver(event)
            except Exception as error:  # noqa: BLE001 - someone else's code, at the outer edge
                failures = self._state.failures + 1
                # The type only: the message of someone else's error may quote what a user wrote.
                _log.warning("subscriber %s failed at event %s: %s", self._name, event.id, type(error).__name__)
                self._state = replace(self._state, failures=failures, error=failure_text(error))
                return False
        self._state = SubscriptionState(self._state.name, event.seq, 0, None)
        return True

    def _save(self) -> None:
        if self._name is not None:
            self._table.save(self._state)

    def start(self) -> Self:
        """Follow the log in a thread of its own until `close`."""
        if self._thread is not None:
            return self
        self._thread = threading.Thread(target=self._run, name=f"heedful-{self._name}", daemon=True)
        self._thread.start()
        return self

    def _run(self) -> None:
        while not self._stopping.is_set():
            seen = self._commits.count
            try:
                self.deliver_pending()
            except Closed:
                return
            except HeedfulError as error:
                _log.warning("subscriber %s cannot reach the log: %s", self._name, error.code)
                self._stopping.wait(_POLL_SECONDS)
                continue
            if self._state.failures:
                self._stopping.wait(pause_after(self._state.failures).total_seconds())
            else:
                self._commits.wait(seen, _POLL_SECONDS)

    def close(self) -> None:
        """Finish the event in hand, then stop."""
        self._stopping.set()
        self._commits.send()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
