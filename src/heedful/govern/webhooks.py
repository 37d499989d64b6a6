"""Webhooks: posts an organisation's events to a URL. Each delivery is a job; a receiver gets one at a time."""

from __future__ import annotations

import base64
import hmac
import secrets as random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import orjson
from uuid_utils import uuid7

from heedful.errors import Conflict, InvalidInput, NotFound, Unreachable
from heedful.operations import caller, policy
from heedful.operations.operation import operation
from heedful.records import names
from heedful.records.clock import When, moment
from heedful.records.event import Entity, Event, EventFilter, document
from heedful.records.job import AnyJobState, Job, JobRequest, JobState
from heedful.records.json import encode
from heedful.records.names import Change, Kind, Limit, Name, Url
from heedful.records.page import Page
from heedful.records.tier import Tier
from heedful.records.webhook import DELIVER_JOB, Delivery, Poster, Webhook
from heedful.store import Store
from heedful.store.audit import PREFIX, audit
from heedful.store.recording import FAN_OUT

_ATTEMPTS = 30  # with pauses that grow to ten minutes: about four hours
_ON_THEIR_WAY = 100  # deliveries of one webhook that are queued at once
_BEHIND_OTHER_WORK = -10
_CHUNK = 500
_GONE = 410
_PREFIX = "whsec_"


class Webhooks:
    """`loop.govern.webhooks`"""

    def __init__(self, store: Store, poster: Poster) -> None:
        self._store = store
        self._poster = poster

    @operation(
        "POST /webhooks",
        policy.WebhookPolicy.create,
        example={"url": "https://example.com/heedful", "kinds": ["MAPPING_CONFIRMED"]},
        errors=(Conflict,),
        creates=True,
        tier=Tier.TEAMS,
        shows_secret=True,
    )
    def create(self, url: Url, *, kinds: Sequence[Kind] = (), id: Name | None = None) -> Webhook:
        """Create a webhook: events are posted to its URL from now on.

        Each request is signed as Standard Webhooks describes, with the `secret` in this response, which is not shown
        again. Without `kinds`, every event except the audit trail is posted. Addresses inside the server's own network
        are refused.
        """
        if not isinstance(url, str):
            raise InvalidInput(f"url must be text, not {type(url).__name__}.", hint="Pass https://example.com/path.")
        self._poster.check(url)
        own_id = str(uuid7()) if id is None else names.identifier(id, "id")
        wanted = Webhook(own_id, url, _kinds(kinds), self._store.clock())
        if any(kind.startswith(PREFIX) for kind in wanted.kinds):
            caller.require(policy.AuditPolicy.read)
        with self._store.recording() as record:
            head = record.head
            known = self._store.webhooks.get(own_id)
            if known is not None:
                if (known.url, known.kinds) != (wanted.url, wanted.kinds):
                    raise Conflict(f"A different webhook with the id {own_id!r} exists.", hint="Choose another id.")
                return known
            secret = _PREFIX + base64.b64encode(random.token_bytes(32)).decode()
            self._store.webhooks.add(record.transaction, wanted, secret, head)
            audit(record, "AUDIT_WEBHOOK_CREATED", Entity("webhook", own_id), after=_where(url))
        return replace(wanted, secret=secret)

    @operation("GET /webhooks", policy.WebhookPolicy.read)
    def all(self, *, limit: Limit | None = None) -> list[Webhook]:
        """List the webhooks, oldest first."""
        return self._store.webhooks.all()[: None if limit is None else names.page_limit(limit)]

    @operation("GET /webhooks/{id}", policy.WebhookPolicy.read, example={"id": "erp"}, errors=(NotFound,))
    def get(self, id: Name) -> Webhook:
        """Show one webhook."""
        found = self._store.webhooks.get(names.identifier(id, "webhook id"))
        if found is None:
            raise NotFound(f"There is no webhook {id!r} here.", hint="List webhooks with `heedful webhooks list`.")
        return found

    @operation("DELETE /webhooks/{id}", policy.WebhookPolicy.remove, example={"id": "erp"}, errors=(NotFound,))
    def remove(self, id: Name) -> Webhook:
        """Delete a webhook: nothing more is posted to its URL."""
        with self._store.recording() as record:
            webhook = self.get(id)
            self._store.webhooks.remove(record.transaction, webhook.id, DELIVER_JOB)
            audit(record, "AUDIT_WEBHOOK_REMOVED", Entity("webhook", webhook.id), before=_where(webhook.url))
        return webhook

    @operation("GET /webhooks/{id}/deliveries", policy.WebhookPolicy.read, example={"id": "erp"}, errors=(NotFound,))
    def deliveries(
        self, id: Name, *, state: AnyJobState | None = None, limit: Limit = 100, cursor: Change | None = None
    ) -> Page[Delivery]:
        """List deliveries, last changed first; completed ones are kept for a week."""
        wanted, size = None if state is None else JobState.of(state), names.page_limit(limit)
        webhook = self.get(id)
        found = self._store.jobs.page(wanted, name=DELIVER_JOB, about=webhook.id, limit=size, cursor=cursor)
        return Page([_delivery(job) for job in found.items], found.next)

    @operation(
        "POST /webhooks/{id}/replay",
        policy.WebhookPolicy.replay,
        example={"id": "erp", "since": "2026-01-05T09:00:00Z"},
        errors=(NotFound, Conflict),
        tier=Tier.TEAMS,
    )
    def replay(self, id: Name, *, since: When | None = None) -> Job:
        """Post the events since a time (or all) again; returns the job that does it."""
        wanted = EventFilter(since=None if since is None else moment(since, "since", self._store.clock()))
        with self._store.recording() as record:
            webhook = self.get(id)
            if webhook.disabled_at is not None:
                raise Conflict(f"The webhook {id!r} is disabled.", hint="Delete it and create a new one.")
            position = self._position(webhook)
            first = self._store.log.page(wanted, None, 1)
            if first and first[0].seq <= position:
                self._store.webhooks.save_position(record.transaction, webhook.id, first[0].seq - 1)
            after = {} if wanted.since is None else {"since": wanted.since.isoformat()}
            audit(record, "AUDIT_WEBHOOK_REPLAYED", Entity("webhook", webhook.id), after=after)
            return self._store.jobs.put(FAN_OUT)

    def fan_out(self) -> int:
        """Queues deliveries of new events, up to the number allowed in flight. The end of a delivery queues the
        next."""
        return sum(self._fan_out(webhook) for webhook in self._store.webhooks.all() if webhook.disabled_at is None)

    def _fan_out(self, webhook: Webhook) -> int:
        queued = 0
        while (more := self._take(webhook)) is not None:
            queued += more
        return queued

    def _take(self, webhook: Webhook) -> int | None:
        """Queues deliveries of the next events, if there are any and there is room; locks out recording meanwhile."""
        with self._store.recording() as record:
            if self._store.webhooks.get(webhook.id) is None:
                return None
            position = self._position(webhook)
            room = _ON_THEIR_WAY - self._store.jobs.count_unfinished(DELIVER_JOB, webhook.id)
            events = self._store.log.after(position, _CHUNK) if room > 0 else []
            wanted = [event for event in events if _wants(webhook, event)]
            if not events:
                return None
            last = wanted[room - 1] if len(wanted) >= room else events[-1]
            record.queue([_request(webhook, event) for event in wanted[:room]])
            self._store.webhooks.save_position(record.transaction, webhook.id, last.seq)
        return len(wanted[:room])

    def _position(self, webhook: Webhook) -> int:
        found = self._store.webhooks.position_and_secret(webhook.id)
        assert found is not None, "the organisation is locked, so it was not removed"
        return found[0]

    def deliver(self, id: str, event_id: str) -> Mapping[str, Any]:
        """Posts one event. Skips events and webhooks deleted meanwhile; any other failure is retried."""
        webhook, found = self._store.webhooks.get(id), self._store.webhooks.position_and_secret(id)
        event = self._store.log.get(event_id)
        if webhook is None or found is None or event is None or webhook.disabled_at is not None:
            return {"posted": False}
        try:
            status = self._post(webhook, event, secret=found[1])
        finally:
            if found[0] < self._store.log.head():
                self._store.jobs.put(FAN_OUT)
        if status == _GONE:
            self._disable(webhook, "The receiver answered 410: it is gone.")
        if not 200 <= status < 300:
            raise Unreachable(f"The receiver answered {status}.", hint="It will be retried.")
        return {"posted": True, "status": status}

    def _post(self, webhook: Webhook, event: Event, *, secret: str) -> int:
        now = self._store.clock()
        content = {"type": event.kind, "timestamp": now, "data": document(event)}
        body, moment = orjson.dumps(content, option=orjson.OPT_UTC_Z), str(int(now.timestamp()))
        message = _message(event.org, webhook.id, event.seq)
        headers = {
            "content-type": "application/json",
            "webhook-id": message,
            "webhook-timestamp": moment,
            "webhook-signature": signature(secret, message, moment, body),
        }
        return self._poster.post(webhook.url, body, headers)

    def _disable(self, webhook: Webhook, because: str) -> None:
        with self._store.recording() as record:
            first = self._store.webhooks.disable(record.transaction, webhook.id, because)
            if first:  # else another worker found out before
                audit(record, "AUDIT_WEBHOOK_DISABLED", Entity("webhook", webhook.id), after={"because": because})


def signature(secret: str, id: str, timestamp: str, body: bytes) -> str:
    """The signature of Standard Webhooks: HMAC-SHA256 over id, time and body."""
    key = base64.b64decode(secret.removeprefix(_PREFIX))
    signed = b".".join((id.encode(), timestamp.encode(), body))
    return "v1," + base64.b64encode(hmac.digest(key, signed, sha256)).decode()


def _message(org: str, webhook: str, seq: int) -> str:
    """The same for each attempt, so that a receiver can detect duplicates; valid in a header."""
    return "msg_" + sha256(encode([org, webhook, seq]).encode()).hexdigest()[:32]


def _where(url: str) -> dict[str, str]:
    """The part of a URL that may be shown: the rest is often a secret."""
    return {"host": urlsplit(url).hostname or ""}


def _wants(webhook: Webhook, event: Event) -> bool:
    """The audit trail is posted only if its kinds were requested by name."""
    return event.kind in webhook.kinds if webhook.kinds else not event.kind.startswith(PREFIX)


def _kinds(kinds: object) -> tuple[str, ...]:
    if isinstance(kinds, str) or not isinstance(kinds, Sequence):
        raise InvalidInput("kinds must be a list.", hint='Pass ["MAPPING_CONFIRMED"], or leave it out for all.')
    return tuple(sorted({names.kind(kind) for kind in kinds}))


def _request(webhook: Webhook, event: Event) -> JobRequest:
    """A delivery: one job until it is finished, even if it is requested again."""
    return JobRequest(
        DELIVER_JOB,
        {"webhook": webhook.id, "event": event.id},
        key=_message(event.org, webhook.id, event.seq),
        about=webhook.id,
        priority=_BEHIND_OTHER_WORK,
        max_attempts=_ATTEMPTS,
    )


def _delivery(job: Job) -> Delivery:
    return Delivery(job.id, job.payload["event"], job.state, job.attempts, job.run_at, job.updated_at, job.error)
