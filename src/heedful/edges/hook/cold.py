"""Answers a hook in its own process. With a daemon to come: by a glance, and what takes longer is left to it. Where
there is to be none: everything.

Neither a start nor a tool needs a model or a projection, so that these are answered from the bare store.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from heedful.edges.hook import calls, place
from heedful.edges.hook.answers import (
    Answers,
    Options,
    Reply,
    complaint,
    is_nothing,
    keep_answer,
    reply_to,
)
from heedful.edges.hook.connection import poked
from heedful.edges.hook.events import HookEvent, Moment, parsed
from heedful.edges.hook.glances import glanced, leave
from heedful.edges.hook.sessions import Sessions
from heedful.errors import NotFound
from heedful.records.names import identifier
from heedful.settings import Settings

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.outside import Outside
    from heedful.store import Store

_WITHOUT_MODELS = (Moment.START, Moment.TOOL)


def answered(words: Sequence[str], content: bytes, where: str, name: str) -> Reply:
    """Answers by a glance, and starts a daemon."""
    return _in_time(lambda: _answered(words, content, where, name))


def alone(words: Sequence[str]) -> Reply:
    """Answers what is on stdin without a daemon: for systems without Unix sockets, and for those who want none."""
    return _in_time(lambda: _alone(words, sys.stdin.buffer.read(calls.INPUT + 1)))


def _in_time(work: Callable[[], Reply]) -> Reply:
    """The reply, or a complaint if the work fails. Ends the process at the deadline: nothing must block the agent."""
    watch = threading.Timer(calls.DEADLINE, _give_up)
    watch.daemon = True
    watch.start()
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - a bug must not block a prompt
        return complaint(error)
    finally:
        watch.cancel()


def _give_up() -> None:
    os.write(2, calls.too_late())
    os._exit(0)  # uncommitted changes are rolled back


def _answered(words: Sequence[str], content: bytes, where: str, name: str) -> Reply:
    options = Options.of(words)
    event = parsed(content, options.event)
    sessions = Sessions(sessions_folder(where, name))
    last = sessions.get(event.session)
    if is_nothing(event) or keep_answer(event, sessions):
        place.give_back(where, name)
        return Reply()
    settings = _settings(words)
    try:
        reply = _glance(event, settings, options, sessions)
    except NotFound:
        if not _exists(settings.database):
            place.give_back(where, name)
            raise
        reply = Reply()  # an older version made it: the daemon migrates it
    leave(Path(where, name + place.WAITING), words, content, event, last)
    if not poked(f"{where}/{name}{place.SOCKET}"):
        start_daemon(where, name, words)  # last: it takes the processor from this one
    return reply


def _alone(words: Sequence[str], content: bytes) -> Reply:
    options = Options.of(words)
    event = parsed(content, options.event)
    sessions = _own_sessions(words)
    if is_nothing(event) or keep_answer(event, sessions):
        return Reply()
    settings = _settings(words)
    if event.moment in _WITHOUT_MODELS:
        try:
            return _glance(event, settings, options, sessions)
        except NotFound:  # there is none, or an older version made it: that is migrated
            if not _exists(settings.database):
                raise
    with _opened(settings) as loop:
        answers = Answers(loop.agents, sessions, lambda path, actor, _: loop.capture.transcripts(path, actor=actor))
        return answers.reply(event, options)


def _own_sessions(words: Sequence[str]) -> Sessions:
    options, _ = calls.parsed(words) or ({}, [])
    where = place.folder()
    name = place.name(options.get("--database"), options.get("--org"))
    return Sessions(None if where is None else sessions_folder(where, name))


def _exists(database: str) -> bool:
    return "://" in database or Path(database).expanduser().exists()


def _settings(words: Sequence[str]) -> Settings:
    from dataclasses import replace  # noqa: PLC0415

    options, _ = calls.parsed(words) or ({}, [])
    settings = Settings.read()
    return replace(
        settings,
        database=options.get("--database") or settings.database,
        org=options.get("--org") or settings.org,
        llm=(),  # a language model would keep people waiting
    )


def _glance(event: HookEvent, settings: Settings, options: Options, sessions: Sessions) -> Reply:
    from heedful.agents import Agents  # noqa: PLC0415

    store = _store(settings)
    try:
        answer = glanced(event, Agents(store, cast("Outside", None)), options, sessions)  # no model is asked
    finally:
        store.database.close()
    return reply_to(event, answer, options, sessions)


def _opened(settings: Settings) -> Loop:
    from heedful.loop import open  # noqa: PLC0415

    return open(settings=settings, migrate=_exists(settings.database))


def _store(settings: Settings) -> Store:
    """To read from, without projections and reactions."""
    from heedful.records.clock import utc_now  # noqa: PLC0415
    from heedful.store import Store  # noqa: PLC0415
    from heedful.store.opening import database_of  # noqa: PLC0415
    from heedful.store.redaction import Redaction  # noqa: PLC0415

    database = database_of(settings)
    try:
        database.require_current()
        return Store(database, identifier(settings.org, "org"), utc_now, (), secret=settings.secret, redactor=Redaction)
    except BaseException:
        database.close()
        raise


def sessions_folder(where: str, name: str) -> Path:
    return Path(where, f"{name}.{place.SESSIONS}")


def start_daemon(where: str, name: str, words: Sequence[str]) -> None:
    """By the system call itself: `subprocess` takes longer to import than the daemon to start."""
    options, _ = calls.parsed(words) or ({}, [])
    database = place.place_of(options.get("--database") or os.environ.get("HEEDFUL_DATABASE"))
    named = {"HEEDFUL_DATABASE": database, "HEEDFUL_ORG": options.get("--org")}  # not as arguments, which others see
    log = f"{where}/{name}{place.LOG}"
    os.posix_spawn(
        sys.executable,
        [sys.executable, "-P", "-m", "heedful.edges.hook.daemon", where, name],  # -P: nothing of the agent's folder
        {**os.environ, **{key: value for key, value in named.items() if value}},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
        ],
    )
