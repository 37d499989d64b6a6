"""Authentication: resolves a key or a browser session to a caller."""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets as random
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import sha256

import orjson

from heedful.errors import StoreError
from heedful.govern import secrets
from heedful.operations.caller import Caller, acting, owner_only
from heedful.records.clock import from_micros, to_micros
from heedful.records.event import Entity
from heedful.store import Store
from heedful.store.audit import audit

COOKIE = "heedful_session"
LINK_LIFE = timedelta(minutes=15)
SESSION_LIFE = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser session, signed in with a key. It ends with the key, or after a week."""

    org: str
    key: str
    csrf: str
    """The token that a page must send with every change, against cross-site request forgery."""
    until: datetime

    def issued(self, token: str) -> bool:
        return hmac.compare_digest(self.csrf.encode(), token.encode("utf-8", "replace"))


class Access:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys = store.key_lookup()

    def prepare(self) -> None:
        """Loads the secret that signs sessions, so that no request has to wait for it."""
        assert self._secret

    def by_key(self, secret: str, *, note: bool = True) -> Caller | None:
        """The caller of a key that is valid now. Updates when the key was last used, unless `note` is false."""
        if not secrets.is_sound(secret, secrets.KEY):  # not worth asking the database
            return None
        return self._noted(self._keys.by_hash(secrets.hashed(secret)), note)

    def by_session(self, session: BrowserSession, *, note: bool = True) -> Caller | None:
        """The caller of a session, if neither it nor its key has ended."""
        if self._keys.has_ended(session.org, secrets.hashed(session.csrf)):
            return None
        if self.is_over(session):
            with suppress(StoreError):
                self.end(session)  # permanently, even if the clock is set back
            return None
        return self.by_id(session.org, session.key, note=note)

    def is_over(self, session: BrowserSession) -> bool:
        return session.until <= self._store.clock()

    def by_id(self, org: str, key: str, *, note: bool = False) -> Caller | None:
        return self._noted(self._keys.by_id(org, key), note)

    def _noted(self, caller: Caller | None, note: bool) -> Caller | None:
        if caller is not None and note:
            with suppress(StoreError):  # a full disk must not lock users out
                self.note_use(caller)
        return caller

    def note_use(self, caller: Caller) -> None:
        self._keys.note_use(caller)

    def end(self, session: BrowserSession) -> None:
        """Signs out: every copy of the cookie is invalid from now on."""
        self._keys.end_session(session.org, secrets.hashed(session.csrf), session.until)

    def sign_in_link(self, key: str) -> str:
        """A one-time token that signs a browser in with a key of this organisation, valid for 15 minutes."""
        owner_only("make sign-in links")
        token = secrets.new(secrets.SIGN_IN)
        until = self._store.clock() + LINK_LIFE
        self._keys.add_sign_in(self._store.org, key, secrets.hashed(token), until)
        return token

    def use_link(self, token: str) -> Caller | None:
        found = self._keys.use_sign_in(secrets.hashed(token)) if secrets.is_sound(token, secrets.SIGN_IN) else None
        return None if found is None else self._keys.by_id(*found)

    def begin(self, caller: Caller) -> tuple[BrowserSession, str]:
        session = BrowserSession(caller.org, caller.key, random.token_urlsafe(24), self._store.clock() + SESSION_LIFE)
        with acting(caller), self._store.of(caller.org).recording() as record:
            audit(record, "AUDIT_SIGNED_IN", Entity("key", caller.key))
        content = orjson.dumps([session.org, session.key, session.csrf, to_micros(session.until)])
        return session, f"{_text(content)}.{_text(self._signature(content))}"

    def resume(self, cookie: str) -> BrowserSession | None:
        """The session of a cookie, if its signature is valid."""
        content, _, signature = cookie.partition(".")
        try:
            payload, signed = _bytes(content), _bytes(signature)
        except (binascii.Error, ValueError):
            return None
        if not hmac.compare_digest(self._signature(payload), signed):
            return None
        org, key, csrf, until = orjson.loads(payload)
        return BrowserSession(org, key, csrf, from_micros(until))

    def _signature(self, content: bytes) -> bytes:
        return hmac.digest(self._secret, content, sha256)

    @cached_property
    def _secret(self) -> bytes:
        return self._keys.secret("sessions", secrets.shared()).encode()


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
