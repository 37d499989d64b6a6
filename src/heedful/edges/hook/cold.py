"""Answers a hook without a daemon: by a glance. What takes longer is left to a daemon that it starts."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from heedful.edges.hook import calls, place
from heedful.edges.hook.answers import (
    Options,
    Reply,
    complaint,
    is_nothing,
    keep_answer,
    reply_to,
)
from heedful.edges.hook.connection import poked
from heedful.edges.hook.events import HookEvent, parsed
from heedful.edges.hook.glances import glanced, leave
from heedful.edges.hook.sessions import Sessions
from heedful.errors import NotFound
from heedful.records.names import identifier
from heedful.settings import Settings

if TYPE_CHECKING:
    from heedful.agents import Agents
    from heedful.records.outside import Outside
    from heedful.store import Store


def answered(words: Sequence[str], content: bytes, where: str, name: str) -> Reply:
    watch = threading.Timer(calls.DEADLINE, _give_up)
    watch.daemon = True
    watch.start()
    options = calls.parsed(words) or {}
    try:
        event = parsed(content, options.get("--event"))
        sessions = Sessions(sessions_folder(where, name))
        if is_nothing(event) or keep_answer(event, sessions):
            place.give_back(where, name)
            return Reply()
        settings, last = _settings(options), sessions.get(event.session)
        try:
            reply = _reply(event, settings, options, sessions)
        except NotFound:
            if not _exists(settings.database):
                place.give_back(where, name)
                raise
            reply = Reply()  # an older version made it: the daemon migrates it
        leave(Path(where, name + place.WAITING), words, content, event, last)
        if not poked(f"{where}/{name}{place.SOCKET}"):
            start_daemon(where, name, options)  # last: it takes the processor from this one
    except Exception as error:  # noqa: BLE001 - a bug must not block a prompt
        return complaint(error)
    finally:
        watch.cancel()
    return reply


def _exists(database: str) -> bool:
    return "://" in database or Path(database).expanduser().exists()


def _give_up() -> None:
    os.write(2, calls.too_late())
    os._exit(0)


def _settings(options: dict[str, str]) -> Settings:
    from dataclasses import replace  # noqa: PLC0415

    settings = Settings.read()
    return replace(
        settings,
        database=options.get("--database") or settings.database,
        org=options.get("--org") or settings.org,
    )


def _reply(event: HookEvent, settings: Settings, options: dict[str, str], sessions: Sessions) -> Reply:
    store = _store(settings)
    try:
        result = glanced(event, lambda: _agents(store), Options.of(options), sessions)
    finally:
        store.database.close()
    return reply_to(event, result, Options.of(options))


def _agents(store: Store) -> Agents:
    from heedful.agents import Agents  # noqa: PLC0415

    return Agents(store, cast("Outside", None))  # neither a start nor a glance needs a model


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


def start_daemon(where: str, name: str, options: dict[str, str]) -> None:
    """By the system call itself: `subprocess` takes longer to import than the daemon to start."""
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
