"""What the tests of transcripts share: the fixtures, and a file read to its end."""

from __future__ import annotations

from pathlib import Path

from heedful.capture.conversations.transcripts import Damaged, Reader, Said, files, readers
from heedful.records.transcript import Speaker

FIXTURES = Path(__file__).parents[3] / "fixtures" / "transcripts"
ALL = [(path, reader) for path, reader in files(FIXTURES)]


def named(name: str) -> Reader:
    return next(reader for reader in readers() if reader.name == name)


def fixture(pattern: str) -> tuple[list[Said], list[Damaged]]:
    """All that the one fixture of this name says."""
    (found,) = FIXTURES.glob(pattern)
    return whole(found)


def whole(path: Path) -> tuple[list[Said], list[Damaged]]:
    ((_, reader),) = files(path)
    read = list(reader.read(path))
    return [s for s in read if isinstance(s, Said)], [d for d in read if isinstance(d, Damaged)]


def spoken(said: list[Said]) -> list[tuple[str, str]]:
    """Roles and texts, an interruption with a mark."""
    return [(("!" if m.failed else "") + m.role.value, m.text) for m in (s.message for s in said)]


def by(said: list[Said], role: Speaker) -> list[str]:
    return [s.message.text for s in said if s.message.role is role]
