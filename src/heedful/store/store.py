"""The store of one organisation: its log, projections, jobs, keys, webhooks and subscriptions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial

from heedful.errors import Misconfigured
from heedful.operations.redactor import Redactor
from heedful.records.clock import Clock, aware
from heedful.records.event import Draft, Event
from heedful.records.privacy import Privacy
from heedful.records.tier import Tier
from heedful.records.watching import unfailing
from heedful.store import orgs
from heedful.store.database import Database, Transaction
from heedful.store.event_log import EventLog
from heedful.store.extension import Extension, Handler
from heedful.store.files import Files
from heedful.store.jobs import JobTable, Workbench
from heedful.store.keys import KeyLookup, KeyTable
from heedful.store.projection import STAGING
from heedful.store.projections import Projections
from heedful.store.readings import Readings
from heedful.store.recording import Recording
from heedful.store.secret import Secret
from heedful.store.spending import Spending
from heedful.store.subscription import Subscription, SubscriptionTable
from heedful.store.webhooks import WebhookTable

Maintenance = Callable[["Store", Sequence[Event], Privacy], object]
"""Called after each commit of new events, in the same thread, with the privacy options at the time."""

_REDACTS = "redacts personal data"


class Store:
    remote: None = None
    """None: the store is in this process. A client sets it."""

    def __init__(
        self,
        database: Database,
        org: str,
        clock: Clock,
        extensions: Sequence[Extension],
        default_tier: Tier = Tier.ENTERPRISE,
        secret: str | None = None,
        *,
        redactor: Callable[[Store], Redactor],
        maintenance: Maintenance | None = None,
    ) -> None:
        self.database = database
        self.org = org
        self.clock = clock = _in_utc(clock)
        self._extensions = extensions
        self._default_tier = default_tier
        self._given_secret = secret
        self.maintenance = maintenance
        self._make_redactor = redactor
        self.redactor = redactor(self)
        projections = [projection for extension in extensions for projection in extension.projections]
        reactions = [reaction for extension in extensions for reaction in extension.reactions]
        _refuse_twins("projection", [projection.name for projection in projections])
        _refuse_odd_names([projection.name for projection in projections])
        _refuse_twins("handler", [name for extension in extensions for name in extension.handlers])
        self.jobs = JobTable(database, org, clock)
        self.projections = Projections(self, projections, reactions)
        self.notices = [extension.notice for extension in extensions if extension.notice is not None]
        self.log = EventLog(database, org, clock)
        self.files = Files(database, org, clock)
        self.keys = KeyTable(database, org, clock)
        self.webhooks = WebhookTable(database, org, clock)
        self.subscriptions = SubscriptionTable(database, org, clock)
        self.secret = Secret(database, org, secret)
        self.spending = Spending(database, org, clock)
        self.readings = Readings(database, org, clock)

    def of(self, org: str) -> Store:
        known = (self._extensions, self._default_tier, self._given_secret)
        made, after = self._make_redactor, self.maintenance
        return Store(self.database, org, self.clock, *known, redactor=made, maintenance=after)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """A transaction without the organisation's lock: for what does not touch the log."""
        with self.database.write(self.org) as transaction:
            yield transaction

    @contextmanager
    def recording(self) -> Iterator[Recording]:
        """A transaction that holds the organisation's lock, and can record events."""
        with self.database.write(self.org) as transaction:
            yield Recording(self, transaction)

    def record(self, drafts: Sequence[Draft]) -> list[Event]:
        """Record events in one recording; see `Recording.append`."""
        with self.recording() as record:
            return record.append(drafts)

    def subscribe(self, deliver: Callable[[Event], object], *, name: str | None, kind: str | None) -> Subscription:
        return Subscription(self.log, self.subscriptions, deliver, database=self.database, name=name, kind=kind)

    def workbench(self, lease: timedelta = timedelta(seconds=60)) -> Workbench:
        return Workbench(self.database, self.clock, lease)

    def handlers(self) -> dict[str, Handler]:
        return {name: handler for extension in self._extensions for name, handler in extension.handlers.items()}

    def notify(self, topic: str, *what: object) -> None:
        """Call the extensions that listen to a topic. Their errors are logged, and stop nothing."""
        for extension in self._extensions:
            if topic in extension.listeners:
                unfailing(partial(extension.listeners[topic], *what))

    def key_lookup(self) -> KeyLookup:
        return KeyLookup(self.database, self.clock)

    def tier(self) -> Tier:
        with self.database.read(self.org) as transaction:
            return orgs.tier(transaction, self.org) or self._default_tier

    def set_tier(self, transaction: Transaction, tier: Tier) -> None:
        transaction.execute(orgs.SAVE_TIER, {"org": self.org, "tier": tier.value})

    def privacy(self) -> Privacy:
        with self.database.read(self.org) as transaction:
            return orgs.privacy(transaction, self.org)

    def set_privacy(self, transaction: Transaction, privacy: Privacy) -> None:
        transaction.execute(orgs.SAVE_PRIVACY, {"org": self.org, "privacy": privacy.text()})
        self.database.after_commit(lambda: self.database.cache.put((_REDACTS, self.org), None))

    def redacts_personal_data(self) -> bool:
        """Cached for a second, because every recording asks."""
        second = int(time.monotonic())
        asked = self.database.cache.get_or_make
        return asked((_REDACTS, self.org), second, lambda: self.privacy().redact_personal_data)

    def organisations(self) -> list[str]:
        return list(self.tiers())

    def tiers(self) -> dict[str, Tier]:
        rows = self.database.query(None, orgs.SELECT_ALL)
        return {org: self._default_tier if tier is None else Tier(tier) for org, tier in rows}


def _in_utc(clock: Clock) -> Clock:
    """Days and hours are those of UTC, whatever the time zone of the clock."""
    return lambda: aware(clock(), "the clock's time")


def _refuse_odd_names(names: list[str]) -> None:
    for name in names:
        if STAGING in name:
            raise Misconfigured(f"A projection cannot be named {name!r}.", hint=f"Choose a name without {STAGING!r}.")


def _refuse_twins(what: str, names: list[str]) -> None:
    twins = {name for name in names if names.count(name) > 1}
    if twins:
        raise Misconfigured(
            f"There are two of the {what} {', '.join(sorted(twins))!r}.", hint="Give each a name of its own."
        )
