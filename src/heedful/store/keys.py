"""API keys and sign-in links, stored as hashes and looked up by them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from heedful.errors import StoreError
from heedful.operations.caller import Caller
from heedful.records.clock import Clock, from_micros, to_micros
from heedful.records.key import Key
from heedful.records.role import Role
from heedful.store.database import Database, OrgTable, Row, Transaction

_LAST_USED_GRAIN = timedelta(minutes=1)
_ENDED_KEPT = timedelta(days=60)  # in case that the clock is set back
_COLUMNS = "id, name, role, rate_limit, for_many, created_at, expires_at, revoked_at, last_used_at, over_at"

ADD = """
insert into api_key (org_id, id, name, role, hash, rate_limit, for_many, created_at, expires_at)
values (:org, :id, :name, :role, :hash, :rate_limit, :for_many, :created_at, :expires_at)
"""
REVOKE = "update api_key set revoked_at = :now where org_id = :org and id = :id and revoked_at is null"
RENAME = "update api_key set name = :name where org_id = :org and id = :id"
SELECT_LAST_USE = "select last_used_at from api_key where org_id = :org and id = :id"
NOTE_USE = "update api_key set last_used_at = :now where org_id = :org and id = :id"

SELECT_CALLER = """
select org_id, role, id, name, rate_limit, for_many, expires_at from api_key
where {found_by} and revoked_at is null and over_at is null
"""
END_KEYS = "update api_key set over_at = :now where expires_at <= :now and over_at is null"

ADD_SIGN_IN = """
insert into sign_in (org_id, hash, key_id, expires_at) values (:org, :hash, :key, :expires_at)
"""
SELECT_SIGN_IN = "select org_id, key_id, expires_at from sign_in where hash = :hash"
USE_SIGN_IN = "delete from sign_in where hash = :hash"
PURGE_SIGN_INS = "delete from sign_in where expires_at <= :now"

END_SESSION = """
insert into ended_session (org_id, hash, expires_at) values (:org, :hash, :expires_at) on conflict do nothing
"""
SELECT_ENDED = "select 1 from ended_session where org_id = :org and hash = :hash"
PURGE_ENDED = "delete from ended_session where expires_at <= :before"

KEEP_SHARED = "insert into server_secret (name, value) values (:name, :value) on conflict do nothing"
SELECT_SHARED = "select value from server_secret where name = :name"


class KeyTable(OrgTable):
    def add(self, transaction: Transaction, key: Key, hash: str) -> None:
        transaction.execute(
            ADD,
            {
                "org": self._org,
                "id": key.id,
                "name": key.name,
                "role": key.role.value,
                "hash": hash,
                "rate_limit": key.rate_limit,
                "for_many": int(key.for_many),
                "created_at": to_micros(key.created_at),
                "expires_at": None if key.expires_at is None else to_micros(key.expires_at),
            },
        )

    def get(self, id: str) -> Key | None:
        found = self._select("id = :id", id=id)
        return found[0] if found else None

    def all(self) -> list[Key]:
        return self._select("true")

    def _select(self, condition: str, **params: str) -> list[Key]:
        sql = f"select {_COLUMNS} from api_key where org_id = :org and {condition} order by created_at, id"
        return [_key(row) for row in self._query(sql, **params)]

    def revoke(self, transaction: Transaction, id: str) -> bool:
        params = {"org": self._org, "id": id, "now": to_micros(self._clock())}
        return transaction.execute(REVOKE, params) > 0

    def rename(self, transaction: Transaction, ids: Sequence[str], name: str) -> None:
        transaction.execute_many(RENAME, [{"org": self._org, "id": id, "name": name} for id in ids])


class KeyLookup:
    """Looks up keys by their hashes, of all organisations: for servers, before they know the organisation."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def by_hash(self, hash: str) -> Caller | None:
        return self._valid("hash = :hash", {"hash": hash})

    def by_id(self, org: str, id: str) -> Caller | None:
        return self._valid("org_id = :org and id = :id", {"org": org, "id": id})

    def _valid(self, found_by: str, params: dict[str, str]) -> Caller | None:
        rows = self._database.query(None, SELECT_CALLER.format(found_by=found_by), **params)
        if not rows:
            return None
        org, role, id, name, rate_limit, for_many, expires_at = rows[0]
        if self._is_over(expires_at):
            return None
        return Caller(org, Role(role), id, name, rate_limit, bool(for_many))

    def _is_over(self, expires_at: int | None) -> bool:
        """Whether it has expired. It stays so: a clock that is set back makes nothing valid again."""
        now = to_micros(self._clock())
        if expires_at is None or expires_at > now:
            return False
        with suppress(StoreError), self._database.write(None) as transaction:  # a full disk makes no key valid
            _end_all(transaction, now)
        return True

    def note_use(self, caller: Caller) -> None:
        """Note when a key was last used, at most once a minute, so that few reads cause a write."""
        now = self._clock()
        rows = self._database.query(None, SELECT_LAST_USE, org=caller.org, id=caller.key)
        last = rows[0][0] if rows else None
        if last is None or from_micros(last) < now - _LAST_USED_GRAIN:
            with self._database.write(None) as transaction:
                transaction.execute(NOTE_USE, {"org": caller.org, "id": caller.key, "now": to_micros(now)})
                _end_all(transaction, to_micros(now))

    def add_sign_in(self, org: str, key: str, hash: str, until: datetime) -> None:
        with self._database.write(None) as transaction:
            _end_all(transaction, to_micros(self._clock()))
            transaction.execute(ADD_SIGN_IN, {"org": org, "hash": hash, "key": key, "expires_at": to_micros(until)})

    def use_sign_in(self, hash: str) -> tuple[str, str] | None:
        """The organisation and the key of a link that was not used before."""
        rows = self._database.query(None, SELECT_SIGN_IN, hash=hash)  # first: guesses must not block writers
        if not rows or self._is_over(rows[0][2]) or not self._database.execute(None, USE_SIGN_IN, hash=hash):
            return None
        org, key, _ = rows[0]
        return org, key

    def end_session(self, org: str, hash: str, until: datetime) -> None:
        with self._database.write(None) as transaction:
            transaction.execute(PURGE_ENDED, {"before": to_micros(self._clock() - _ENDED_KEPT)})
            transaction.execute(END_SESSION, {"org": org, "hash": hash, "expires_at": to_micros(until)})

    def has_ended(self, org: str, hash: str) -> bool:
        return bool(self._database.query(None, SELECT_ENDED, org=org, hash=hash))

    def secret(self, name: str, fresh: str) -> str:
        """The shared secret of that name; stores `fresh` if there is none."""
        rows = self._database.query(None, SELECT_SHARED, name=name)
        if not rows:
            self._database.execute(None, KEEP_SHARED, name=name, value=fresh)
            rows = self._database.query(None, SELECT_SHARED, name=name)
        return str(rows[0][0])


def _end_all(transaction: Transaction, now: int) -> None:
    """Mark keys that have expired by now, for good."""
    transaction.execute(END_KEYS, {"now": now})
    transaction.execute(PURGE_SIGN_INS, {"now": now})


def _key(row: Row) -> Key:
    id, name, role, rate_limit, for_many, *times = row
    created, expires, revoked, used, over = (None if time is None else from_micros(time) for time in times)
    assert created is not None
    return Key(id, name, Role(role), rate_limit, bool(for_many), created, expires, revoked, used, over)
