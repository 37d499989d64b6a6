"""The installation's secret, for pseudonyms and digests: HEEDFUL_SECRET, or a file beside the database, or a row in
it."""

from __future__ import annotations

import hmac
import os
import secrets
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from heedful.errors import Misconfigured
from heedful.store import orgs
from heedful.store.database import Database, Transaction
from heedful.store.keys import SELECT_SHARED
from heedful.text.normalize import normal

if TYPE_CHECKING:
    from heedful.store.recording import Recording

PSEUDONYM = "person-"
_IN_DATABASE = "installation"
_DIGEST = 12  # bytes: among a billion phrases, two alike by accident once in 10^11 installations


class Secret:
    """The secret as one organisation uses it: the same person or phrase has another digest in the next one."""

    def __init__(self, database: Database, org: str, given: str | None) -> None:
        self._database = database
        self._org = org
        self._given = given

    def digest(self, *parts: str) -> str:
        return _digest(self._key, *parts)

    def person(self, actor: str) -> str:
        """Case and spaces make no second person."""
        return f"{PSEUDONYM}{self.digest('person', normal(actor))}"

    @cached_property
    def fingerprint(self) -> str:
        """Stored with what was made with the secret, to recognise it."""
        return _fingerprint(self._key)

    def check(self, record: Recording) -> bool:
        """Refuse another secret than the one used so far. Returns whether it is used for the first time."""
        known = record.org.secret_fingerprint
        if known is None:
            record.transaction.execute(orgs.SAVE_FINGERPRINT, {"org": self._org, "fingerprint": self.fingerprint})
        elif known != self.fingerprint:
            raise Misconfigured(
                "The secret of this installation is not the one that its feedback was recorded with.",
                hint="Restore the file beside the database (its name ends in .secret), or set HEEDFUL_SECRET as"
                " before; or erase what was learned with `heedful clear --all`.",
            )
        return known is None

    def forget(self, transaction: Transaction) -> None:
        """Allow another secret: nothing is left that was made with this one."""
        transaction.execute(orgs.SAVE_FINGERPRINT, {"org": self._org, "fingerprint": None})

    def in_file(self) -> str | None:
        """The content of the secret's file, if that is where the secret comes from and it was used."""
        file = self._database.secret_file
        return _secret_in(file) if self._given is None and file is not None and file.exists() else None

    def load(self) -> None:
        """Load it before a transaction, which should not have to wait for another connection."""
        self._key  # noqa: B018

    @cached_property
    def _key(self) -> bytes:
        if self._database.secret is None:
            self._database.secret = self._found()
        return _key(self._database.secret, self._org)

    def _found(self) -> str:
        if self._given is not None:
            return given_secret(self._given)
        if self._database.secret_file is not None:
            return _secret_in(self._database.secret_file)
        return str(self._database.query(None, SELECT_SHARED, name=_IN_DATABASE)[0][0])


def given_secret(setting: str) -> str:
    return sha256(setting.encode()).hexdigest()


def fits(secret: str, org: str, fingerprint: str) -> bool:
    """Whether an organisation's digests were made with it."""
    return hmac.compare_digest(_fingerprint(_key(secret, org)), fingerprint)


def _key(secret: str, org: str) -> bytes:
    return hmac.digest(secret.encode(), f"heedful/{org}".encode(), "sha256")


def _fingerprint(key: bytes) -> str:
    return _digest(key, "mark")[:8]


def _digest(key: bytes, *parts: str) -> str:
    message = b"\x1f".join(part.encode("utf-8", "surrogatepass") for part in parts)
    return hmac.digest(key, message, "sha256")[:_DIGEST].hex()


def _secret_in(file: Path) -> str:
    """The content of the file, which is created if it does not exist; of two processes at once only one creates it."""
    try:
        if not file.exists():
            fresh = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
            write_durably(fresh, secrets.token_hex(32) + "\n")
            try:
                os.link(fresh, file)
            except FileExistsError:
                pass  # another process was faster, and its secret counts
            finally:
                fresh.unlink()
            make_durable(file.parent)
        text = file.read_text().strip()
    except OSError as error:
        raise Misconfigured(
            f"The secret in {file} cannot be read or made: {error.strerror}.",
            hint="Check the permissions, or set HEEDFUL_SECRET.",
        ) from None
    if len(text) < 32:
        raise Misconfigured(f"The secret in {file} is damaged.", hint="Restore the file, or set HEEDFUL_SECRET.")
    return text


def write_durably(file: Path, text: str) -> None:
    """Write and fsync: feedback that survives a power cut is worth nothing without its secret."""
    with open(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as made:
        made.write(text)
        made.flush()
        os.fsync(made.fileno())


def make_durable(folder: Path) -> None:
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
