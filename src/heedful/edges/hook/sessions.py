"""What an agent was told in its session: kept in a small file, so that nothing is said twice after a restart either.

And the last prompt and its answer: not every transcript can be read while it is written.
"""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path

import orjson

_MOST = 1_000  # ids that are remembered, the newest
_HELD = 8_000  # characters: of more than 10,000 tools take nothing, and a warning may come with it
_LAST = 20_000  # characters
_DAYS = 7
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Session:
    told: tuple[str, ...] = ()
    """The learnings that it was given, and the corrections that were said in it."""
    latest: tuple[str, ...] = ()
    """Those that it was given with the last prompt."""
    warned: tuple[str, ...] = ()
    """The corrections that it was warned of."""
    held: str = ""
    """What it is to be told as soon as its tool takes a context."""
    asked: str = ""
    answered: str = ""

    def forgetting(self) -> Session:
        """Its context was emptied, but the person may go on about the last answer."""
        return Session(asked=self.asked, answered=self.answered)

    def after_telling(self, ids: tuple[str, ...]) -> Session:
        return replace(self, told=_newest(self.told, ids))

    def after_warning(self, ids: tuple[str, ...]) -> Session:
        return replace(self, warned=_newest(self.warned, ids))

    def holding(self, context: str) -> Session:
        held = f"{self.held}\n{context}".strip()
        return replace(self, held=held if len(held) <= _HELD else context)

    def released(self) -> Session:
        return replace(self, held="")

    def after_prompt(self, prompt: str) -> Session:
        return replace(self, asked=prompt[:_LAST], answered="", latest=())

    def after_telling_with_prompt(self, ids: tuple[str, ...]) -> Session:
        return replace(self.after_telling(ids), latest=ids)

    def after_answer(self, output: str) -> Session:
        return replace(self, answered=output[-_LAST:])


class Sessions:
    """Of one database. Without a folder, each session is a new one each time."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, id: str | None) -> Session:
        file = self._file(id)
        try:
            found = {} if file is None else orjson.loads(file.read_bytes())
            told, latest, warned = (tuple(found.get(name, ())) for name in ("told", "latest", "warned"))
            return Session(told, latest, warned, *(str(found.get(name, "")) for name in ("held", "asked", "answered")))
        except (OSError, orjson.JSONDecodeError, AttributeError, TypeError):  # none yet, or half of one
            return Session()

    def put(self, id: str | None, session: Session) -> None:
        file = self._file(id)
        if file is None:
            return
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        fresh.touch(mode=0o600)
        fresh.write_bytes(orjson.dumps(asdict(session)))
        fresh.replace(file)

    def drop_old(self) -> None:
        """Those of sessions that nobody continues."""
        oldest = time.time() - _DAYS * _DAY
        for file in () if self._folder is None else self._folder.glob("*"):
            if file.stat().st_mtime < oldest:
                file.unlink(missing_ok=True)

    def _file(self, id: str | None) -> Path | None:
        if id is None or self._folder is None:
            return None
        return self._folder / blake2b(id.encode(), digest_size=12).hexdigest()


def _newest(known: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *more)))[-_MOST:]
