"""API keys: create, list, revoke. A key is shown once; only its hash is stored."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from uuid_utils import uuid7

from heedful.errors import Conflict, NotFound
from heedful.govern import secrets
from heedful.operations import caller, policy
from heedful.operations.operation import operation
from heedful.records import names
from heedful.records.event import Entity
from heedful.records.key import Key
from heedful.records.names import Days, Limit, Name, Rate
from heedful.records.role import AnyRole, Role
from heedful.store import Store
from heedful.store.audit import audit


class Keys:
    """`loop.govern.keys`"""

    def __init__(self, store: Store) -> None:
        self._store = store

    @operation(
        "POST /keys",
        policy.KeyPolicy.create,
        example={"name": "order desk", "role": "operator", "days": 90},
        errors=(Conflict,),
        creates=True,
        shows_secret=True,
    )
    def create(
        self,
        name: Name,
        *,
        role: AnyRole,
        days: Days | None = None,
        rate_limit: Rate | None = None,
        for_many: bool = False,
        id: Name | None = None,
    ) -> Key:
        """Create a key with a role for this organisation.

        It is valid for `days`, or until it is revoked, and limited to `rate_limit` requests per minute, or to the
        server's default. Where the number of people matters, everything recorded with one key counts as one person;
        with `for_many`, for an application with its own users, each named person counts. The response contains the key
        as `secret`; it is not shown again. With an `id` of your own, creating the same key again returns the first one,
        without its secret.
        """
        wanted = self._wanted(name, role, days, rate_limit, for_many, id)
        with self._store.recording() as record:  # first: of two with the same id, the second must find the first
            known = None if id is None else self._store.keys.get(wanted.id)
            if known is not None:
                return _same(known, wanted)
            secret = secrets.new(secrets.KEY)
            self._store.keys.add(record.transaction, wanted, secrets.hashed(secret))
            terms = {"name": wanted.name, "role": wanted.role.value, "for_many": wanted.for_many}
            audit(record, "AUDIT_KEY_CREATED", Entity("key", wanted.id), after=terms)
        return replace(wanted, secret=secret)

    def _wanted(
        self, name: str, role: Role | str, days: int | None, rate_limit: int | None, for_many: bool, id: str | None
    ) -> Key:
        now = self._store.clock()
        return Key(
            str(uuid7()) if id is None else names.identifier(id, "id"),
            names.identifier(name, "name"),
            Role.of(role),
            None if rate_limit is None else names.whole(rate_limit, "rate_limit", names.RATE_LIMIT),
            for_many,
            created_at=now,
            expires_at=None if days is None else now + timedelta(days=names.whole(days, "days", names.DAYS_LIMIT)),
        )

    @operation("GET /keys", policy.KeyPolicy.read)
    def all(self, *, limit: Limit | None = None) -> list[Key]:
        """List the keys of this organisation, oldest first, without their secrets."""
        return self._store.keys.all()[: None if limit is None else names.page_limit(limit)]

    @operation("GET /keys/{id}", policy.KeyPolicy.read, example={"id": "order-desk"}, errors=(NotFound,))
    def get(self, id: Name) -> Key:
        """Show one key, without its secret."""
        found = self._store.keys.get(names.identifier(id, "key id"))
        if found is None:
            raise NotFound(f"There is no key {id!r} here.", hint="List keys with `heedful keys list`.")
        return found

    @operation("DELETE /keys/{id}", policy.KeyPolicy.revoke, example={"id": "order-desk"}, errors=(Conflict, NotFound))
    def revoke(self, id: Name) -> Key:
        """Revoke a key, effective immediately.

        Revoking it again changes nothing. The last admin key, and the last one that does not expire, can be revoked
        only on the server itself: otherwise no key could create a new one, now or later.
        """
        with self._store.recording() as record:  # before looking: of two who revoke each other, the second is the last
            key = self.get(id)
            self._require_another_admin(key)
            if self._store.keys.revoke(record.transaction, key.id):
                before = {"name": key.name, "role": key.role.value}
                audit(record, "AUDIT_KEY_REVOKED", Entity("key", key.id), before=before)
            return self.get(id)

    def _require_another_admin(self, key: Key) -> None:
        now = self._store.clock()
        if caller.current() is None or not _is_admin(key, now):
            return
        others = [other for other in self._store.keys.all() if other.id != key.id and _is_admin(other, now)]
        if not others:
            which, needed = "last admin key", "another admin key"
        elif key.expires_at is None and all(other.expires_at is not None for other in others):
            which, needed = "last admin key that does not expire", "another admin key without --days"
        else:
            return
        raise Conflict(
            f"{key.id!r} is the {which}.",
            hint=f"Create {needed} first, or run `heedful keys revoke` on the server itself.",
        )


def _is_admin(key: Key, now: datetime) -> bool:
    return key.role is Role.ADMIN and key.is_valid(now)


def _same(known: Key, wanted: Key) -> Key:
    if _terms(known) != _terms(wanted):
        raise Conflict(f"A different key with the id {known.id!r} exists.", hint="Choose another id.")
    return known


def _terms(key: Key) -> tuple[object, ...]:
    days = None if key.expires_at is None else key.expires_at - key.created_at
    return key.name, key.role, key.rate_limit, key.for_many, days
