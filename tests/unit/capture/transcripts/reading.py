"""What the tests of transcripts share: the fixtures, and a file read to its end."""

from __future__ import annotations

from pathlib import Path

from heedful.capture.conversations.transcripts import DamagedRecord, TranscriptMessage, TranscriptReader, files, readers
from heedful.records.transcript import Speaker

FIXTURES = Path(__file__).parents[3] / "fixtures" / "transcripts"
ALL = [(path, reader) for path, reader in files(FIXTURES)]


def named(name: str) -> TranscriptReader:
    return next(reader for reader in readers() if reader.name == name)


def fixture(pattern: str) -> tuple[list[TranscriptMessage], list[DamagedRecord]]:
    """All that the one fixture of this name says."""
    (found,) = FIXTURES.glob(pattern)
    return whole(found)


def whole(path: Path) -> tuple[list[TranscriptMessage], list[DamagedRecord]]:
    ((_, reader),) = files(path)
    read = list(reader.read(path))
    return [s for s in read if isinstance(s, TranscriptMessage)], [d for d in read if isinstance(d, DamagedRecord)]


def spoken(said: list[TranscriptMessage]) -> list[tuple[str, str]]:
    """Roles and texts, an interruption with a mark."""
    return [(("!" if m.failed else "") + m.role.value, m.text) for m in (s.message for s in said)]


def by(said: list[TranscriptMessage], role: Speaker) -> list[str]:
    return [s.message.text for s in said if s.message.role is role]
