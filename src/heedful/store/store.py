"""The store of one organisation: its log, what is derived from it, its jobs and its followers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from heedful.model.clock import Clock
from heedful.model.event import Event
from heedful.model.extension import Extension, Handler
from heedful.store.database import Database, Transaction
from heedful.store.derivation import Derivation
from heedful.store.jobs import JobTable, Workbench
from heedful.store.log import EventLog
from heedful.store.subscription import Subscription, SubscriptionTable

SELECT_ORGS = "select org_id from org order by org_id"


class Store:
    def __init__(self, database: Database, org: str, clock: Clock, extensions: Sequence[Extension]) -> None:
        self.database = database
        self.org = org
        self.clock = clock
        self._extensions = extensions
        self.jobs = JobTable(database, org, clock)
        self.derivation = Derivation(
            database,
            org,
            self.jobs,
            [projection for extension in extensions for projection in extension.projections],
            [reaction for extension in extensions for reaction in extension.reactions],
        )
        self.log = EventLog(database, org, clock, self.derivation)
        self.subscriptions = SubscriptionTable(database, org, clock)

    def of(self, org: str) -> Store:
        """The same database, another organisation."""
        return Store(self.database, org, self.clock, self._extensions)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        with self.database.write(self.org) as transaction:
            yield transaction

    def subscribe(self, deliver: Callable[[Event], object], *, name: str | None, kind: str | None) -> Subscription:
        return Subscription(self.log, self.subscriptions, deliver, database=self.database, name=name, kind=kind)

    def workbench(self, lease: timedelta = timedelta(seconds=60)) -> Workbench:
        return Workbench(self.database, self.clock, lease)

    def handlers(self) -> dict[str, Handler]:
        return {name: handler for extension in self._extensions for name, handler in extension.handlers.items()}

    def organisations(self) -> list[str]:
        with self.database.read(None) as transaction:
            return [row[0] for row in transaction.query(SELECT_ORGS, {})]
