"""The last output and query of a transcript that an agent is still writing."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import NamedTuple

from heedful.capture.conversations.transcripts.discovery import readers
from heedful.capture.conversations.transcripts.metadata import digest
from heedful.capture.conversations.transcripts.reader import HEAD, DamagedRecord, TranscriptReader
from heedful.records.transcript import Speaker

_TAILS = (128 * 1024, 4 * 1024 * 1024)  # bytes; mostly the first is enough
_LINES = 4_000


class LastTurn(NamedTuple):
    output: str = ""
    """What the agent wrote since the last prompt or tool result."""
    query: str = ""
    """The prompt before it."""
    id: str = ""
    """Id of the output."""

    def reply_id(self, session: str | None, message: str) -> str | None:
        """A stable id for a message that replies to it."""
        return f"hook-{digest(session, self.id, message)}" if session and self.id else None


def last_turn(path: object) -> LastTurn:
    """Empty if there is no such file, no known format, or no output yet. Reads only the end of the file."""
    if not isinstance(path, str) or not path or "\0" in path:
        return LastTurn()
    try:
        file = Path(path).expanduser()
        if not stat.S_ISREG(file.stat().st_mode):  # a pipe would keep a person waiting
            return LastTurn()
        found = LastTurn()
        for most in _TAILS:
            start, *samples = _end(file, most)
            reader = next(
                (
                    reader
                    for reader in readers()
                    if reader.follows and any(reader.recognises(file, sample) for sample in samples if sample)
                ),
                None,
            )
            found = LastTurn() if reader is None else _read(reader, file, start)
            if found.query or not start:  # what comes after a question is whole
                break
    except (OSError, RuntimeError):  # RuntimeError: the home folder is unknown
        return LastTurn()
    return found


def _end(file: Path, most: int) -> tuple[int, bytes, bytes]:
    """The start of the last lines, and two samples to recognise the format; no samples if the last line is too long."""
    with file.open("rb") as source:
        head = source.read(HEAD)
        start = source.seek(max(0, file.stat().st_size - most))
        tail = source.read(most)
    before, *lines = tail.rsplit(b"\n", _LINES)
    if start and not lines:
        return start, b"", b""
    if start or len(lines) == _LINES:
        start += len(before) + 1
        tail = tail[len(before) + 1 :]
    return start, head, tail[:HEAD]


def _read(reader: TranscriptReader, file: Path, start: int) -> LastTurn:
    texts: list[str] = []
    asked = query = id = ""
    ended = True
    for said in reader.read(file, start):
        if isinstance(said, DamagedRecord):
            continue
        message = said.message
        if message.role is Speaker.ASSISTANT and message.text:
            texts = [message.text] if ended else [*texts, message.text]
            query, id, ended = asked, message.id, False
        elif message.role in (Speaker.USER, Speaker.TOOL):
            ended = True
            asked = message.text if message.role is Speaker.USER and message.text else asked
    return LastTurn("\n".join(texts), query, id)
