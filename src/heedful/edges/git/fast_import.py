"""New commits, made with `git fast-import`: many with one process, which touches neither the index nor the work tree.

No branch has them until it is moved, in one step. So a run that is killed leaves it as it was, or as it should be.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from datetime import datetime

from heedful.edges.git.repository import IMPORTED, Author, Repository, failed
from heedful.errors import Conflict
from heedful.records.clock import to_micros

_FILE = "100644"


class FastImport:
    """New commits, one after the other."""

    def __init__(self, repository: Repository, parent: str | None) -> None:
        self._parent = parent
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `finish`
        self._git = repository.start(
            "fast-import", "--quiet", "--force", "--done", "--date-format=raw", stderr=self._errors
        )
        self._marks = 0
        self._last: int | None = None

    def blob(self, content: bytes) -> int:
        self._write(b"blob\nmark :%d\ndata %d\n%b\n" % (self._next(), len(content), content))
        return self._marks

    def commit(self, message: str, author: Author, at: datetime, changes: Mapping[str, int | None]) -> None:
        said, seconds = message.encode(), max(0, to_micros(at) // 1_000_000)
        self._last = self._next()
        self._write(
            f"commit {IMPORTED}\nmark :{self._last}\nauthor {author} {seconds} +0000\n"
            f"committer {Author('heedful')} {seconds} +0000\ndata {len(said)}\n".encode()
            + said
            + b"\n"
        )
        if self._parent is not None:
            self._write(f"from {self._parent}\n".encode())
            self._parent = None
        for path, blob in changes.items():
            self._write((f"D {path}\n" if blob is None else f"M {_FILE} :{blob} {path}\n").encode())
        self._write(b"\n")

    def finish(self) -> str:
        """The id of the last commit."""
        self._write(b"get-mark :%d\ndone\n" % (self._last or 0))
        answer, _ = self._git.communicate()
        if self._git.returncode:
            raise self._failed()
        self._errors.close()
        return answer.decode().strip()

    def abandon(self) -> None:
        self._git.kill()
        self._git.communicate()
        self._errors.close()

    def _next(self) -> int:
        self._marks += 1
        return self._marks

    def _write(self, content: bytes) -> None:
        assert self._git.stdin is not None
        try:
            self._git.stdin.write(content)
        except BrokenPipeError:
            self._git.wait()
            raise self._failed() from None

    def _failed(self) -> Conflict:
        self._errors.seek(0)
        return failed("fast-import", self._errors.read())
