"""The store of one organisation: its log, what is derived from it, its jobs and its followers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from heedful.errors import Misconfigured
from heedful.model.clock import Clock
from heedful.model.event import Event
from heedful.model.extension import Extension, Handler
from heedful.store import orgs
from heedful.store.database import Database, Transaction
from heedful.store.derivation import Derivation
from heedful.store.jobs import JobTable, Workbench
from heedful.store.log import EventLog
from heedful.store.subscription import Subscription, SubscriptionTable


class Store:
    def __init__(self, database: Database, org: str, clock: Clock, extensions: Sequence[Extension]) -> None:
        self.database = database
        self.org = org
        self.clock = clock
        self._extensions = extensions
        _refuse_twins("projection", [p.name for extension in extensions for p in extension.projections])
        _refuse_twins("handler", [name for extension in extensions for name in extension.handlers])
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
            return [row[0] for row in transaction.query(orgs.SELECT_NAMES, {})]


def _refuse_twins(what: str, names: list[str]) -> None:
    twins = {name for name in names if names.count(name) > 1}
    if twins:
        raise Misconfigured(
            f"There are two of the {what} {', '.join(sorted(twins))!r}.", hint="Give each a name of its own."
        )
