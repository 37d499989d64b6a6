"""The table of webhooks: their addresses, and up to which event their deliveries have been queued."""

from __future__ import annotations

from heedful.records.clock import from_micros, to_micros
from heedful.records.json import decode, encode
from heedful.records.webhook import Webhook
from heedful.store import orgs
from heedful.store.database import OrgTable, Row, Transaction

_COLUMNS = "id, url, kinds, created_at, disabled_at, disabled_because"

ADD = """
insert into webhook (org_id, id, url, kinds, secret, position, created_at)
values (:org, :id, :url, :kinds, :secret, :position, :created_at)
"""
REMOVE = "delete from webhook where org_id = :org and id = :id"
REMOVE_DELIVERIES = """
delete from job where org_id = :org and name = :deliver and about = :id and state <> 'in_progress'
"""
"""A new webhook with the same id must not get deliveries of the old one. One that is being posted is left alone."""

COUNT = "select count(*) from webhook where org_id = :org and disabled_at is null"
DISABLE = """
update webhook set disabled_at = :now, disabled_because = :because
where org_id = :org and id = :id and disabled_at is null
"""
SELECT_POSITION = "select position, secret from webhook where org_id = :org and id = :id"
SAVE_POSITION = "update webhook set position = :position where org_id = :org and id = :id"


class WebhookTable(OrgTable):
    def all(self) -> list[Webhook]:
        return self._select("true")

    def get(self, id: str) -> Webhook | None:
        found = self._select("id = :id", id=id)
        return found[0] if found else None

    def _select(self, condition: str, **params: str) -> list[Webhook]:
        sql = f"select {_COLUMNS} from webhook where org_id = :org and {condition} order by created_at, id"
        return [_webhook(row) for row in self._query(sql, **params)]

    def add(self, transaction: Transaction, webhook: Webhook, secret: str, position: int) -> None:
        transaction.execute(
            ADD,
            {
                "org": self._org,
                "id": webhook.id,
                "url": webhook.url,
                "kinds": encode(list(webhook.kinds)),
                "secret": secret,
                "position": position,
                "created_at": to_micros(webhook.created_at),
            },
        )
        self._note_webhooks(transaction)

    def remove(self, transaction: Transaction, id: str, deliver: str) -> None:
        """Delete it, and its jobs of the name `deliver`."""
        transaction.execute(REMOVE, {"org": self._org, "id": id})
        transaction.execute(REMOVE_DELIVERIES, {"org": self._org, "id": id, "deliver": deliver})
        self._note_webhooks(transaction)

    def disable(self, transaction: Transaction, id: str, because: str) -> bool:
        params = {"org": self._org, "id": id, "because": because, "now": to_micros(self._clock())}
        touched = transaction.execute(DISABLE, params)
        self._note_webhooks(transaction)
        return touched > 0

    def _note_webhooks(self, transaction: Transaction) -> None:
        """In the row that a recording locks and reads anyway."""
        (active,) = transaction.query(COUNT, {"org": self._org})[0]
        transaction.execute(orgs.SAVE_HAS_WEBHOOKS, {"org": self._org, "has_webhooks": int(active > 0)})

    def position_and_secret(self, id: str) -> tuple[int, str] | None:
        """The position up to which deliveries are queued, and the secret that signs them."""
        rows = self._query(SELECT_POSITION, id=id)
        return (int(rows[0][0]), str(rows[0][1])) if rows else None

    def save_position(self, transaction: Transaction, id: str, position: int) -> None:
        transaction.execute(SAVE_POSITION, {"org": self._org, "id": id, "position": position})


def _webhook(row: Row) -> Webhook:
    id, url, kinds, created, disabled, because = row
    disabled_at = None if disabled is None else from_micros(disabled)
    return Webhook(id, url, tuple(decode(kinds)), from_micros(created), disabled_at, because)
