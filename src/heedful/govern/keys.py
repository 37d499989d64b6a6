"""API keys: made, listed, revoked. The key itself is shown once; what is kept is its hash."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from uuid_utils import uuid7

from heedful.errors import Conflict, InvalidInput, InvalidTime, NotFound
from heedful.govern import secrets
from heedful.govern.audit import audit
from heedful.model import names, policy
from heedful.model.clock import aware
from heedful.model.event import Entity
from heedful.model.key import Key
from heedful.model.names import Name
from heedful.model.operation import operation
from heedful.model.policy import Role
from heedful.store import Store

_FASTEST = 10_000_000


class Keys:
    """`loop.govern.keys`"""

    def __init__(self, store: Store) -> None:
        self._store = store

    @operation(
        "POST /keys",
        policy.Keys.create,
        example={"name": "order desk", "role": "operator", "expires_at": "2027-01-01T00:00:00Z"},
        errors=(Conflict,),
        creates=True,
    )
    def create(
        self,
        name: Name,
        *,
        role: Role,
        expires_at: datetime | None = None,
        rate_limit: int | None = None,
        id: Name | None = None,
    ) -> Key:
        """Make a key for this organisation, in a role.

        The answer holds the key as `secret`, this once. With an `id` of your own, making the same key again
        answers with the first one, without its secret.
        """
        wanted = self._wanted(name, role, expires_at, rate_limit, id)
        with self._store.transaction() as transaction:
            self._store.log.hold(transaction)  # before looking: of two with the same id, the second must find the first
            known = None if id is None else self._store.keys.get(wanted.id)
            if known is not None:
                return _same(known, wanted)
            secret = secrets.new(secrets.KEY)
            self._store.keys.add(transaction, wanted, secrets.hashed(secret))
            audit(
                self._store,
                "AUDIT_KEY_CREATED",
                Entity("key", wanted.id),
                after={"name": wanted.name, "role": wanted.role.value},
            )
        return replace(wanted, secret=secret)

    def _wanted(
        self, name: str, role: Role | str, expires_at: datetime | None, rate_limit: int | None, id: str | None
    ) -> Key:
        now = self._store.clock()
        until = None if expires_at is None else aware(expires_at, "expires_at")
        if until is not None and until <= now:
            raise InvalidTime(f"expires_at is over already: {until.isoformat()}.", hint="Pass a time to come.")
        if rate_limit is not None and (type(rate_limit) is not int or not 1 <= rate_limit <= _FASTEST):
            raise InvalidInput(f"rate_limit is {rate_limit!r}.", hint=f"Requests a minute: 1 to {_FASTEST:,}.")
        own_id = str(uuid7()) if id is None else names.identifier(id, "id")
        return Key(own_id, names.identifier(name, "name"), _role(role), rate_limit, now, until)

    @operation("GET /keys", policy.Keys.read)
    def all(self) -> list[Key]:
        """List the keys of this organisation, the oldest first, without their secrets."""
        return self._store.keys.all()

    @operation("GET /keys/{id}", policy.Keys.read, example={"id": "order-desk"}, errors=(NotFound,))
    def get(self, id: Name) -> Key:
        """Look at one key, without its secret."""
        found = self._store.keys.get(names.identifier(id, "key id"))
        if found is None:
            raise NotFound(f"There is no key {id!r} here.", hint="List keys with `heedful keys list`.")
        return found

    @operation("DELETE /keys/{id}", policy.Keys.revoke, example={"id": "order-desk"}, errors=(NotFound,))
    def revoke(self, id: Name) -> Key:
        """Revoke a key: from now on it opens nothing.

        Revoking it again changes nothing.
        """
        with self._store.transaction() as transaction:
            key = self.get(id)
            if self._store.keys.revoke(transaction, key.id):
                before = {"name": key.name, "role": key.role.value}
                audit(self._store, "AUDIT_KEY_REVOKED", Entity("key", key.id), before=before)
            return self.get(id)


def _role(role: Role | str) -> Role:
    try:
        return Role(role)
    except ValueError:
        known = ", ".join(known.value for known in Role)
        raise InvalidInput(f"{role!r} is not a role.", hint=f"There are: {known}.") from None


def _same(known: Key, wanted: Key) -> Key:
    alike = replace(wanted, created_at=known.created_at, revoked_at=known.revoked_at, last_used_at=known.last_used_at)
    if known != alike:
        raise Conflict(f"There is another key with the id {known.id!r}.", hint="Give a new key a new id.")
    return known
