"""Mirrors the log into a repository."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from heedful.edges.git import documents
from heedful.edges.git.commits import Commits
from heedful.edges.git.documents import FOLDERS
from heedful.edges.git.edits import ProposedEdit, RuleEdits
from heedful.edges.git.repository import Repository
from heedful.edges.git.work_tree import follow
from heedful.errors import Conflict
from heedful.loop import Loop
from heedful.records.record import Record

_ATTEMPTS = 3  # while others commit to the same branch
_SHOWN = 3  # paths


@dataclass(frozen=True, slots=True)
class MirrorReport(Record):
    path: str
    branch: str | None
    """None if a commit is checked out, and no branch."""
    head: str | None
    commits: int
    decisions: int
    edge_cases: int
    rules: int
    """How many files of each kind were written."""
    edits: tuple[ProposedEdit, ...]
    """What waits for people."""
    notices: tuple[str, ...]


class Mirror:
    def __init__(self, loop: Loop, path: Path, *, user: Callable[[], str]) -> None:
        """`user` tells who edits files in the work tree."""
        self._loop = loop
        self._user = user
        self.repository = Repository.open(path)

    def run(self, *, rebuild: bool = False) -> MirrorReport:
        """Mirrors what is new. With `rebuild`, writes every file again, also decisions that somebody edited."""
        for _ in range(_ATTEMPTS):
            edits = RuleEdits(self._loop, self.repository, self._user, rebuild=rebuild)
            made = Commits(self._loop, self.repository, edits, rebuild=rebuild)
            new = made.make()
            if new is None or self.repository.advance(new, edits.head):
                return self._report(edits, made)
        raise Conflict("Others committed meanwhile, again and again.", hint="Run it again when they are done.")

    def _report(self, edits: RuleEdits, made: Commits) -> MirrorReport:
        held = edits.held

        def may_replace(path: str, content: bytes, whole: bytes | None) -> bool:
            if path in held:
                return False
            if whole is None:
                return documents.is_own(content) and made.is_own_removal(path)
            return path in made.forced or documents.is_own(content) or documents.is_beginning(content, whole)

        synced = follow(self.repository, FOLDERS, may_replace, made.removed)
        restored = [path for path in synced.restored if path not in made.written]
        left = [path for path in synced.left if path not in held]
        notices = [*edits.notices, *made.notices]
        if restored:
            notices.append(f"Files that were missing, old or incomplete are back: {_listed(restored)}.")
        if left:
            notices.append(f"Edited files were left as they are: {_listed(left)}. The branch has what was recorded.")
        if synced.locked is not None:
            notices.append(
                f"The index is locked by {synced.locked}, so it was left as it is. Is no git running? Then delete that "
                "file and run this again."
            )
        counts = [sum(path.startswith(f"{folder}/") for path in made.written) for folder in FOLDERS]
        decisions, rules, edge_cases = counts
        return MirrorReport(
            path=str(self.repository.root),
            branch=self.repository.branch(),
            head=self.repository.head(),
            commits=made.count,
            decisions=decisions,
            edge_cases=edge_cases,
            rules=rules,
            edits=tuple(edits.waiting),
            notices=tuple(dict.fromkeys(notices)),
        )


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return f"{', '.join(paths[:_SHOWN])}{more}"
