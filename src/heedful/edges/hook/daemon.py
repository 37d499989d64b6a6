"""The daemon of the hook: has everything loaded, answers on a Unix socket, and ends by itself when nobody asks.

One per database, organisation and user: whoever holds the lock is it. It ends too when heedful or the database was
replaced; then the next hook starts another one.
"""

from __future__ import annotations

import fcntl
import logging
import os
import select
import signal
import socket
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from heedful.edges.hook import calls, place
from heedful.edges.hook.connection import TAKEN, asked, same_user
from heedful.errors import HeedfulError

if TYPE_CHECKING:
    from heedful.agents import Agents
    from heedful.edges.hook.answers import Answers, Reply
    from heedful.edges.hook.errands import Errands
    from heedful.edges.hook.sessions import Sessions
    from heedful.loop import Loop
    from heedful.settings import Settings

# It listens before it imports what it needs to answer: a hook that comes meanwhile waits a little, and its event is
# here when it goes on. Until the models are loaded, answers are by a glance.
# ruff: noqa: PLC0415

_TICK = 10.0  # seconds between looks at whether to end
_TAKE_OVER = 5.0  # seconds that another daemon has to end
_BREATH = 0.05
_RECEIVE = 2.0  # seconds that a client has to send its request
_TAKE = 1.0  # seconds that it has to deliver its reply
_WORDS = 65_536  # bytes of a request besides stdin
_EMPTY = b"0 0\n"  # a reply that says nothing
_log = logging.getLogger(__name__)


def main(where: str, name: str) -> None:
    path = place.socket_path(where, name)
    if path is None:
        return
    with suppress(PermissionError):  # it leads a session already
        os.setsid()  # it outlives the agent, and no signal of its terminal reaches it
    os.chdir("/")
    lock = _locked(f"{where}/{name}{place.LOCK}", path)
    if lock is None:
        return  # another one is at work, and was told to look for what is waiting
    signal.signal(signal.SIGTERM, _stop)
    with _listening(path) as listener:
        place.give_back(where, name)
        try:
            _Daemon(listener, path, Path(where), name).run()
        finally:
            Path(path).unlink(missing_ok=True)
    os.close(lock)


def _locked(file: str, path: str) -> int | None:
    """The lock, until the process ends; None if another daemon has it and answers."""
    lock = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    until = time.monotonic() + _TAKE_OVER
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if asked(path, b"", time.monotonic() + _TAKE_OVER) is not None or time.monotonic() > until:
                os.close(lock)
                return None
            time.sleep(_BREATH)  # it is about to end, or to begin
        else:
            os.ftruncate(lock, 0)
            os.write(lock, b"%d\n" % os.getpid())  # for people who look for it
            return lock


def _listening(path: str) -> socket.socket:
    Path(path).unlink(missing_ok=True)  # left by one that was killed: whoever has the lock may
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        listener.bind(path)
    finally:
        os.umask(mask)
    listener.listen(64)
    return listener


def _stop(*_: object) -> NoReturn:
    raise SystemExit(0)


class _Daemon:
    def __init__(self, listener: socket.socket, path: str, where: Path, name: str) -> None:
        self._listener = listener
        self._path = path
        self._sessions = where / f"{name}.{place.SESSIONS}"
        self._waiting = where / f"{name}{place.WAITING}"

    def run(self) -> None:
        from heedful.edges.hook.answers import Answers
        from heedful.edges.hook.errands import Errands
        from heedful.edges.hook.sessions import Sessions
        from heedful.settings import Settings

        settings = Settings.read()
        sessions = Sessions(self._sessions)
        with _opened(settings) as loop, Errands(loop, settings) as errands:
            answers = Answers(loop.agents, sessions, errands.add)
            later = Answers(loop.agents, Sessions(None), errands.add)  # what was answered is only recorded
            sessions.drop_old()
            self._load(loop, sessions, later)
            known = _Surroundings(settings)
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            self._serve(answers, later, errands, known, settings.hook_daemon)
            self._listener.close()
            self._catch_up(sessions, later)

    def _load(self, loop: Loop, sessions: Sessions, later: Answers) -> None:
        """Loads the models, and answers by a glance meanwhile. Then does what was written down."""
        loading = threading.Thread(target=_warm_up, args=(loop,), name="heedful-hook-models", daemon=True)
        loading.start()
        place.mark_ready(self._path)
        with ExitStack() as waiting:
            while loading.is_alive():
                if self._asked(_BREATH):
                    self._glance(loop.agents, sessions, waiting)
            self._catch_up(sessions, later)

    def _glance(self, agents: Agents, sessions: Sessions, waiting: ExitStack) -> None:
        connection, request = self._accepted()
        if not request:  # it is answered when all is done that was written down
            waiting.callback(_send, connection, None)
        else:
            seeing = None if _has_gone(connection) else agents
            _send(connection, _glanced(seeing, sessions, self._waiting, request))

    def _serve(self, answers: Answers, later: Answers, errands: Errands, known: _Surroundings, patience: float) -> None:
        last = time.monotonic()
        while (left := patience - (time.monotonic() - last)) > 0 or errands.busy:
            asked = self._asked(min(_TICK, max(_BREATH, left)))
            if known.database_replaced():
                return  # a hook that waits is answered without a daemon, and starts the next one
            if asked:
                self._answer(answers, later)
                last = time.monotonic()
            else:
                self._catch_up(answers.sessions, later)
            if known.code_replaced():
                return

    def _asked(self, seconds: float) -> bool:
        return bool(select.select([self._listener], [], [], seconds)[0])

    def _answer(self, answers: Answers, later: Answers) -> None:
        connection, request = self._accepted()
        if not request:  # a hook, or another daemon, has something waiting
            self._catch_up(answers.sessions, later)
        _send(connection, _reply(answers, request) if request else None)

    def _accepted(self) -> tuple[socket.socket, bytes]:
        """A client with its request; what another user asks is nothing."""
        connection, _ = self._listener.accept()
        connection.settimeout(_RECEIVE)
        with suppress(OSError, ValueError):  # a client that has gone, or is none
            if same_user(connection):
                return connection, _received(connection)
        return connection, b""

    def _catch_up(self, sessions: Sessions, later: Answers) -> None:
        """Does what hooks that found no daemon have written down."""
        for file in self._written_down(place.UNSEEN):
            _glanced(None, sessions, self._waiting, _taken(file))
        for file in self._written_down(""):
            _reply(later, _taken(file))

    def _written_down(self, ending: str) -> list[Path]:
        files = self._waiting.iterdir() if self._waiting.is_dir() else ()
        return sorted(file for file in files if file.suffix == ending and not file.name.startswith("."))


def _taken(file: Path) -> bytes:
    """Removed before it is looked at: a request that ends the process must not do so again."""
    request = file.read_bytes()
    file.unlink(missing_ok=True)
    return request


def _opened(settings: Settings) -> Loop:
    """Without a language model, which would keep people waiting."""
    from dataclasses import replace

    from heedful.loop import open

    return open(settings=replace(settings, llm=()))


def _warm_up(loop: Loop) -> None:
    """Loads the models as the first prompt would."""
    try:
        loop.capture.detect("thank you", last_output="done")
        loop.apply.search("done", limit=1)
    except HeedfulError as error:  # whoever asks is told
        _log.warning("the models were not loaded: %s", error.code)


def _received(connection: socket.socket) -> bytes:
    """A request, which begins with its size; empty if it is not whole."""
    received = b""
    while b"\n" not in received:
        if not (part := connection.recv(1 << 20)):
            return b""
        received += part
    size, _, request = received.partition(b"\n")
    left = int(size) - len(request)
    if left > calls.INPUT + _WORDS:
        return b""
    parts = [request]
    while left > 0 and (part := connection.recv(1 << 20)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts) if left == 0 else b""


def _send(connection: socket.socket, reply: Reply | None) -> None:
    """What it tells counts as told once the client has delivered it."""
    with connection, suppress(OSError):  # a client that has gone
        if same_user(connection):
            connection.sendall(_EMPTY if reply is None else reply.framed())
            connection.settimeout(_TAKE)
            if reply is not None and reply.output and connection.recv(len(TAKEN)) == TAKEN:
                reply.taken()


def _has_gone(connection: socket.socket) -> bool:
    """Whether the client has closed its end altogether: it waited long enough."""
    poll = select.poll()
    poll.register(connection, select.POLLHUP)
    return any(found & select.POLLHUP for _, found in poll.poll(0))


def _glanced(agents: Agents | None, sessions: Sessions, waiting: Path, request: bytes) -> Reply:
    """Who has gone (None) is told nothing."""
    from heedful.edges.hook.answers import Options, Reply, is_nothing, keep_answer, reply_to
    from heedful.edges.hook.events import parsed
    from heedful.edges.hook.glances import glanced, leave, unseen

    try:
        words, content = calls.unframed(request)
        options = Options.of(words)
        event = parsed(content, options.event)
        last = sessions.get(event.session)
        if is_nothing(event) or keep_answer(event, sessions):
            return Reply()
        answer = unseen(event, sessions) if agents is None else glanced(event, agents, options, sessions)
        leave(waiting, words, content, event, last)
        return reply_to(event, answer, options, sessions)
    except Exception as error:  # noqa: BLE001 - the outer edge: the next one is answered
        return _refused(error)


def _reply(answers: Answers, request: bytes) -> Reply:
    from heedful.edges.hook.answers import Options
    from heedful.edges.hook.events import parsed

    try:
        words, content = calls.unframed(request)
        options = Options.of(words)
        return answers.reply(parsed(content, options.event), options)
    except Exception as error:  # noqa: BLE001 - the outer edge: the next one is answered
        return _refused(error)


def _refused(error: Exception) -> Reply:
    from heedful.edges.hook.answers import complaint

    _log.warning("a hook was not answered: %s", type(error).__name__)
    return complaint(error)


class _Surroundings:
    """The code that was loaded and the file of the database, to notice when either is replaced."""

    def __init__(self, settings: Settings) -> None:
        self._database = None if "://" in settings.database else Path(settings.database).expanduser()
        self._file = _identity(self._database)
        home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        loaded = [file for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))]
        self._code = {file: _modified(file) for file in loaded if file.startswith(home)}

    def database_replaced(self) -> bool:
        return _identity(self._database) != self._file

    def code_replaced(self) -> bool:
        return any(_modified(file) != state for file, state in self._code.items())


def _modified(file: str) -> tuple[int, int] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _identity(file: Path | None) -> tuple[int, int] | None:
    """A database is written all the time; another file in its place is another database."""
    try:
        found = os.stat(file) if file is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)


if __name__ == "__main__":
    main(*sys.argv[1:3])
