"""Where the hook and its daemon meet: a folder that only its owner can use, and a name for each database.

Imported with every prompt, so it imports nothing but what takes no time.
"""

from __future__ import annotations

import os
import sys
from _blake2 import blake2b  # `hashlib` would load OpenSSL

import heedful

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SOCKET, LOCK, LOG, WAITING, SESSIONS = ".sock", ".lock", ".log", ".waiting", "sessions"
_LONGEST = 103  # bytes of the path of a socket that every system takes
_NAMED = ("HEEDFUL_DATABASE", "HEEDFUL_ORG")
_ELSEWHERE = ("HOME", "XDG_DATA_HOME")  # they say where the database lives unless told


def folder(environ: Mapping[str, str] = os.environ) -> str | None:
    """The folder, made if need be; None if there is none that only this user can use."""
    if not hasattr(os, "getuid"):
        return None
    base = environ.get("XDG_RUNTIME_DIR")
    path = f"{base}/heedful" if base else f"{environ.get('TMPDIR') or '/tmp'}/heedful-{os.getuid()}"  # noqa: S108
    try:
        os.makedirs(path, 0o700, exist_ok=True)
        found = os.lstat(path)
    except OSError:
        return None
    private = found.st_uid == os.getuid() and found.st_mode & 0o170777 == 0o040700  # a folder, for its owner alone
    return path if private else None


def name(database: str | None, org: str | None, environ: Mapping[str, str] = os.environ) -> str:
    """Of the daemon for a database and an organisation: another version of heedful, and other settings, need another
    one. A digest, because settings hold keys."""
    where = place_of(database or environ.get("HEEDFUL_DATABASE"))
    whose = org or environ.get("HEEDFUL_ORG") or ""
    others = sorted(f"{key}={value}" for key, value in environ.items() if _matters(key))
    parts = (where, whose, *others, heedful.__version__, heedful.__file__)
    return blake2b("\0".join((*parts, sys.executable)).encode(errors="surrogateescape"), digest_size=8).hexdigest()


def _matters(key: str) -> bool:
    return (key.startswith("HEEDFUL_") and key not in _NAMED) or key in _ELSEWHERE


def place_of(database: str | None) -> str:
    """A database that is named alike from every folder."""
    if not database or "://" in database:
        return database or ""
    return os.path.abspath(os.path.expanduser(database))


def socket_path(where: str, name: str) -> str | None:
    path = f"{where}/{name}{SOCKET}"
    return path if len(path.encode()) <= _LONGEST else None
