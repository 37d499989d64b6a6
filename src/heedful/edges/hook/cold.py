"""Answers a hook without a daemon: in a hurry, by words alone. What takes longer is left to a daemon that it starts.

The models take longer to load than a person should wait. So the event is written down in the folder of the daemon,
which records what it says as soon as it is up.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import orjson

from heedful.edges.hook import calls, place
from heedful.edges.hook.answers import (
    Options,
    Reply,
    complaint,
    is_nothing,
    keep_answer,
    reply_to,
    transcript_file,
)
from heedful.edges.hook.connection import poked
from heedful.edges.hook.events import HookEvent, Moment, parsed, takes_context
from heedful.edges.hook.sessions import Session, Sessions
from heedful.errors import NotFound
from heedful.records.context import PromptResult
from heedful.records.names import identifier
from heedful.settings import Settings

if TYPE_CHECKING:
    from heedful.records.outside import Outside
    from heedful.store import Store

_NOTHING = PromptResult("", (), None)
_STARTING = 5.0  # seconds that a daemon has to come up
_MOST_WAITING = 500
_LATER = (Moment.MESSAGE, Moment.OUTPUT, Moment.END)
"""What the daemon is to do itself once it is up."""


def answered(words: Sequence[str], content: bytes, where: str, name: str) -> Reply:
    watch = threading.Timer(calls.DEADLINE, _give_up)
    watch.daemon = True
    watch.start()
    options = calls.parsed(words) or {}
    try:
        event = parsed(content, options.get("--event"))
        if is_nothing(event):
            return Reply()
        sessions = Sessions(sessions_folder(where, name))
        if keep_answer(event, sessions):
            return Reply()
        settings, last = _settings(options), sessions.get(event.session)
        try:
            reply = _reply(event, settings, options, sessions)
        except NotFound:
            if not _exists(settings.database):
                raise
            reply = Reply()  # an older version made it: the daemon migrates it
        if event.moment in _LATER:
            told = _with_answer(content, event, last)
            write_down(Path(where, name + place.WAITING), calls.framed(words, told))
        _wake_daemon(where, name, options)
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
        result = _result(event, store, Options.of(options), sessions)
    finally:
        store.database.close()
    return reply_to(event, result, Options.of(options))


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


def _result(event: HookEvent, store: Store, options: Options, sessions: Sessions) -> PromptResult:
    if not takes_context(event) or event.moment is Moment.TOOL:
        return _NOTHING
    from heedful.agents import Agents  # noqa: PLC0415

    agents = Agents(store, cast("Outside", None))  # neither a start nor a glance needs a model
    session = Session() if event.forgotten else sessions.get(event.session)
    own = None if event.forgotten else event.session
    whose = {"about": event.about, "actor": options.actor, "agent": event.tool.value, "session": own}
    if event.moment is Moment.START:
        result = agents.start(**whose, told=session.told)
    elif not event.prompt.strip() or event.prompt.lstrip().startswith("<"):  # a notice, which nobody typed
        return _NOTHING
    else:
        result = agents.glance(event.prompt, **whose, told=session.told)
    after = session.after_telling(result.learnings)
    if event.moment is Moment.MESSAGE and transcript_file(event) is None:
        after = after.after_prompt(event.prompt)
    if after != session or event.forgotten:
        sessions.put(event.session, after)
    return result


def _with_answer(content: bytes, event: HookEvent, last: Session) -> bytes:
    """With the answer that a prompt may correct: the session has the next one when the daemon is up."""
    if event.moment is not Moment.MESSAGE or event.output or not last.answered or transcript_file(event) is not None:
        return content
    return orjson.dumps({**orjson.loads(content), "last_assistant_message": last.answered, "query": last.asked})


def sessions_folder(where: str, name: str) -> Path:
    return Path(where, f"{name}.{place.SESSIONS}")


def _wake_daemon(where: str, name: str, options: dict[str, str]) -> None:
    """Starts one, unless there is one by now, or another hook has just started it."""
    path = place.socket_path(where, name)
    log = Path(where, name + place.LOG)
    if path is None or poked(path) or (log.exists() and time.time() - log.stat().st_mtime < _STARTING):
        return
    start_daemon(where, name, options)


def write_down(folder: Path, request: bytes) -> None:
    """Files that sort by the time they were written at."""
    from uuid_utils import uuid7  # noqa: PLC0415

    folder.mkdir(mode=0o700, exist_ok=True)
    if len(os.listdir(folder)) >= _MOST_WAITING:
        return  # no daemon comes up here
    file = folder / uuid7().hex
    fresh = folder / f".{file.name}"
    fresh.touch(mode=0o600)
    fresh.write_bytes(request)
    fresh.replace(file)


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
