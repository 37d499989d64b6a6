"""Where the hook and its daemon meet: a folder that only its owner can use, and a name for each database.

Imported with every prompt, so it imports nothing but what takes no time.
"""

from __future__ import annotations

import os
import sys
import time
from _blake2 import blake2b  # `hashlib` would load OpenSSL

import heedful

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SOCKET, LOCK, LOG, WAITING, SESSIONS = ".sock", ".lock", ".log", ".waiting", "sessions"
CLAIM = ".starting"
UNSEEN = ".unseen"
"""At the end of the name of an event that nobody has looked at."""
_STARTING = 5.0  # seconds that a daemon has to come up
_MOST_WAITING = 500
_READY = 0o700  # the mode of the socket of a daemon that can answer; before, it only listens
_LONGEST = 103  # bytes of the path of a socket that every system takes
_NAMED = ("HEEDFUL_DATABASE", "HEEDFUL_ORG")
_ELSEWHERE = ("HOME", "XDG_DATA_HOME")  # they say where the database lives unless told


def folder(environ: Mapping[str, str] = os.environ) -> str | None:
    """The folder, made if need be; None if there is none that only this user can use."""
    if not hasattr(os, "getuid"):  # nor are there Unix sockets
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


def mark_ready(path: str) -> None:
    os.chmod(path, _READY)


def is_ready(path: str) -> bool:
    """Whether the daemon can answer. The socket itself says so, which every daemon makes anew: a file beside it would
    outlive one that was killed."""
    try:
        return os.stat(path).st_mode & 0o777 == _READY
    except OSError:
        return False


def claim(where: str, name: str) -> bool:
    """Whether this hook is to start the daemon: of many that come at once one does, and the others do without."""
    path = f"{where}/{name}{CLAIM}"
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        try:
            if time.time() - os.stat(path).st_mtime < _STARTING:
                return False
            os.utime(path)  # whoever had it has failed
        except OSError:
            return False  # it was given back just now
    return True


def give_back(where: str, name: str) -> None:
    """Ends a claim: the daemon listens, or is not needed."""
    try:
        os.unlink(f"{where}/{name}{CLAIM}")
    except OSError:
        return


def write_down(folder: str, request: bytes, ending: str = "") -> None:
    """Files that sort by the time they were written at."""
    os.makedirs(folder, 0o700, exist_ok=True)
    if len(os.listdir(folder)) >= _MOST_WAITING:
        return  # no daemon comes up here
    file = f"{time.time_ns():020}-{os.getpid()}-{os.urandom(4).hex()}{ending}"
    number = os.open(f"{folder}/.{file}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        while request:
            request = request[os.write(number, request) :]
    finally:
        os.close(number)
    os.replace(f"{folder}/.{file}", f"{folder}/{file}")
