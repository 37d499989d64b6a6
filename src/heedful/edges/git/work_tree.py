"""The index and the work tree, which follow the branch. What one run misses, the next makes up for."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from heedful.edges.git.repository import Repository
from heedful.errors import Conflict

_PAGE = 500
_GONE = "0"  # the mode of an entry that is to be removed

MayReplace = Callable[[str, bytes, bytes | None], bool]
"""Asked with a path, its content, and that of the branch."""


class Synced(NamedTuple):
    """What became of the index and the work tree."""

    restored: tuple[str, ...]
    """Files that are again as the branch has them."""
    left: tuple[str, ...]
    """Files that somebody edited."""
    locked: Path | None
    """The lock that kept the index as it was."""


def follow(repository: Repository, folders: Sequence[str], may_replace: MayReplace, gone: Collection[str]) -> Synced:
    """`gone` are files that the branch had until now."""
    index = repository.root / repository.run("rev-parse", "--git-path", "index").rstrip("\n")
    lock = index.with_name(f"{index.name}.lock")
    if not lock.exists():
        try:
            return _Following(repository, index, folders, may_replace, gone).run(None)
        except Conflict:
            if not lock.exists():
                raise
    with tempfile.TemporaryDirectory() as folder:  # a copy tells what to do; the next run mends the index
        copied = Path(folder, "index")
        if index.exists():
            shutil.copyfile(index, copied)
        return _Following(repository, copied, folders, may_replace, gone).run(lock)


class _Difference(NamedTuple):
    mode: str
    old: str
    new: str
    status: str
    path: str


class _Following:
    """One step of the index and the work tree to where the branch is."""

    def __init__(
        self,
        repository: Repository,
        index: Path,
        folders: Sequence[str],
        may_replace: MayReplace,
        gone: Collection[str],
    ) -> None:
        self._repository, self._index, self._folders = repository, index, folders
        self._may_replace, self._gone = may_replace, gone
        self._left: dict[str, None] = {}
        self._restored: list[str] = []

    def run(self, locked: Path | None) -> Synced:
        if self._repository.head() is None:
            return Synced((), (), locked)
        self._follow_index()
        self._follow_files()
        self._refresh()
        return Synced(tuple(self._restored), tuple(self._left), locked)

    def _follow_index(self) -> None:
        found = self._differences("diff-index", "--cached", "HEAD")
        contents = self._repository.contents(
            id for one in found if one.status in "AMT" for id in _real(one.old, one.new)
        )
        entries, removed = list[str](), list[str]()
        for mode, old, new, status, path in found:
            if status == "D":
                entries.append(f"{mode} {old}\t{path}\0")
            elif not self._is_replaceable(path, contents.get(new), contents.get(old)):
                if status != "A":  # what the branch never had is not ours
                    self._left[path] = None
            elif status == "A":
                entries.append(f"{_GONE} {old}\t{path}\0")
                removed.append(path)
            else:
                entries.append(f"{mode} {old}\t{path}\0")
        if entries:
            self._git("update-index", "-z", "--index-info", stdin="".join(entries).encode())
        for path in {*removed, *self._gone}:
            content = self._repository.file(path)
            if content is not None and path not in self._left and self._is_replaceable(path, content, None):
                self._repository.remove(path)
        self._refresh()

    def _follow_files(self) -> None:
        differing = iter([one for one in self._differences("diff-files") if one.path not in self._left])
        while found := list(islice(differing, _PAGE)):
            contents = self._repository.contents(one.old for one in found if one.status != "U")
            for one in found:
                self._follow_file(one.path, contents.get(one.old))

    def _follow_file(self, path: str, whole: bytes | None) -> None:
        content = self._repository.file(path)
        if whole is None or content == whole:
            return
        is_free = not os.path.lexists(self._repository.root / path) or self._is_replaceable(path, content, whole)
        if is_free and self._repository.write(path, whole):
            self._restored.append(path)
        else:
            self._left[path] = None

    def _is_replaceable(self, path: str, content: bytes | None, whole: bytes | None) -> bool:
        return content is not None and self._may_replace(path, content, whole)

    def _differences(self, *words: str) -> list[_Difference]:
        command, *options = words
        answer = self._git(command, "--raw", "-z", "--no-renames", "--no-abbrev", *options, "--", *self._folders)
        fields = answer.split("\0")[:-1]
        return [_difference(described, path) for described, path in zip(fields[::2], fields[1::2], strict=True)]

    def _refresh(self) -> None:
        """Git notes when files were changed last. That some differ is no failure."""
        with suppress(Conflict):
            self._git("update-index", "-q", "--refresh")

    def _git(self, *words: str, stdin: bytes | None = None) -> str:
        return self._repository.run(*words, stdin=stdin, index=self._index)


def _difference(described: str, path: str) -> _Difference:
    mode, _, old, new, status = described.removeprefix(":").split(" ")
    return _Difference(mode, old, new, status[0], path)


def _real(*ids: str) -> list[str]:
    return [id for id in ids if id.strip("0")]
