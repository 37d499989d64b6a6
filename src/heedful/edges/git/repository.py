"""A Git repository, worked on with the `git` program: no shell, no hooks, no signatures."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import new as hasher
from pathlib import Path
from typing import IO, NamedTuple

from heedful.errors import Conflict, InvalidInput, Misconfigured

_OPTIONS = (
    "--literal-pathspecs",
    "--no-optional-locks",
    *("-c", "commit.gpgsign=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "i18n.logOutputEncoding=UTF-8"),
    *("-c", "log.showSignature=false"),
)
_ELSEWHERE = (  # what a hook of another repository, in which this may run, would lead us to
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_DIR",
    "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_WORK_TREE",
)  # fmt: skip
IMPORTED = "refs/heedful/mirror"
"""Keeps new commits until the branch has them."""
_NO_NAME = re.compile(r"[<>\s\x00-\x1f]+")


class Author(NamedTuple):
    name: str
    email: str = ""

    @classmethod
    def of(cls, name: str) -> Author:
        """A name that is an address tells both."""
        shown = _NO_NAME.sub(" ", name).strip() or "unknown"
        return cls(shown.partition("@")[0] or shown, shown if "@" in shown[1:] else "")

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


class Repository:
    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def open(cls, path: Path) -> Repository:
        """Creates the folder and the repository if needed. It must be the top of one: nobody wants commits in a
        project because of a folder in it."""
        root = path.expanduser().absolute()
        if root.exists() and not root.is_dir():
            raise InvalidInput(f"{path} is not a folder.", hint="Name a folder for the repository.")
        above = next(folder for folder in (root, *root.parents) if folder.is_dir())
        inside = cls(above).ask("rev-parse", "--is-inside-work-tree")
        if inside is None and (root / ".git").exists():
            cls(root).run("rev-parse", "--is-inside-work-tree")  # raises, with the reason
        if inside is None:
            return cls._made(path, root)
        top = cls(above).ask("rev-parse", "--show-toplevel")
        if inside != "true" or top is None:
            raise InvalidInput(f"{path} has no work tree.", hint="Name a clone of it, or a new folder.")
        if Path(top).resolve() != root.resolve():
            raise InvalidInput(
                f"{path} is inside the repository {top}.", hint="Name that repository, or a folder outside of it."
            )
        return cls(root)

    @classmethod
    def _made(cls, path: Path, root: Path) -> Repository:
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(f"{path} cannot be created: {error.strerror}.", hint="Choose another path.") from None
        made = cls(root)
        made.run("init", "--quiet", "--initial-branch=main")
        return made

    # Running git

    def run(self, *words: str, stdin: bytes | None = None, index: Path | None = None) -> str:
        """What git answers; raises if it fails."""
        done = self._done(words, stdin, index)
        if done.returncode:
            raise failed(words[0], done.stderr)
        return _text(done.stdout)

    def ask(self, *words: str) -> str | None:
        """What git answers, without its last line end; None if it fails."""
        done = self._done(words, None, None)
        return None if done.returncode else _text(done.stdout).removesuffix("\n")

    def _done(
        self, words: Sequence[str], stdin: bytes | None, index: Path | None
    ) -> subprocess.CompletedProcess[bytes]:
        where = {} if index is None else {"GIT_INDEX_FILE": str(index)}
        return subprocess.run(  # noqa: S603 - no shell, and a program that was looked up
            [*_program(), *words],
            cwd=self.root,
            env=_environment() | where,
            input=stdin or b"",
            capture_output=True,
            check=False,
        )

    def start(self, *words: str, stderr: IO[bytes]) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen(  # noqa: S603 - as above
            [*_program(), *words], cwd=self.root, env=_environment(), stdin=pipe, stdout=pipe, stderr=stderr
        )

    # Reading

    def head(self) -> str | None:
        """None before the first commit."""
        return self.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")

    def branch(self) -> str | None:
        """None if a commit is checked out, and no branch."""
        return self.ask("symbolic-ref", "--quiet", "--short", "HEAD")

    def files(self, commit: str | None, folders: Sequence[str]) -> dict[str, str]:
        """The ids of their contents, by path."""
        if commit is None:
            return {}
        found: dict[str, str] = {}
        for entry in self.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *folders).split("\0")[:-1]:
            described, _, path = entry.partition("\t")
            if path in folders:
                raise InvalidInput(
                    f"{path} in the repository is no folder.", hint="The mirror needs it: rename yours, or use another."
                )
            _, kind, id = described.split(" ")
            if kind == "blob":
                found[path] = id
        return found

    def contents(self, ids: Iterable[str]) -> dict[str, bytes]:
        unique = list(dict.fromkeys(ids))
        if not unique:
            return {}
        done = self._done(("cat-file", "--batch"), "".join(f"{id}\n" for id in unique).encode(), None)
        if done.returncode:
            raise failed("cat-file", done.stderr)
        return dict(_batch(done.stdout))

    def file(self, path: str) -> bytes | None:
        """In the work tree; None if there is no such file, or only a link to one."""
        place = self.root / path
        try:
            return None if self._is_linked(path) else place.read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    def id_of(self, content: bytes) -> str:
        return hasher(self._hash, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()

    @cached_property
    def _hash(self) -> str:
        return self.ask("rev-parse", "--show-object-format") or "sha1"

    def messages(self, containing: str) -> list[str]:
        """Of the commits of the branch that have such a line, the newest first."""
        if self.head() is None:
            return []
        return self.run("log", "--format=%B%x00", f"--grep=^{containing}").split("\0")[:-1]

    def message(self, path: str) -> str:
        """Of the commit that changed or removed a file last."""
        return self.run("log", "-1", "--format=%B", "--", path)

    def author(self, path: str) -> Author:
        """Who changed a file last."""
        name, _, email = self.run("log", "-1", "--format=%an%x00%ae", "--", path).strip("\n").partition("\0")
        return Author(name, email)

    # Committing

    def advance(self, new: str, old: str | None) -> bool:
        """Moves the branch to a new commit; False if it moved meanwhile."""
        done = self._done(("update-ref", "-m", "heedful mirror", "HEAD", new, old or "0" * len(new)), None, None)
        if done.returncode and self.head() == old:
            raise failed("update-ref", done.stderr)
        self.ask("update-ref", "-d", IMPORTED)
        return not done.returncode

    def push(self) -> str:
        """To the remote of the branch, or the only one, or `origin`. Returns its name."""
        branch = self.branch()
        if branch is None:
            raise InvalidInput("No branch is checked out.", hint="Check one out, such as `git switch main`.")
        remotes = self.run("remote").split()
        remote = self.ask("config", f"branch.{branch}.remote") or (remotes[0] if len(remotes) == 1 else "origin")
        if remote not in remotes:
            raise InvalidInput("The repository has no remote.", hint="Add one: git remote add origin URL.")
        done = self._done(("push", "--quiet", "--no-signed", remote, f"HEAD:refs/heads/{branch}"), None, None)
        if done.returncode:
            raise failed("push", done.stderr, hint="If others pushed meanwhile: git pull --rebase, then try again.")
        return remote

    # The work tree

    def write(self, path: str, content: bytes) -> bool:
        """Replaces a file at once; False if it is a link, or lies behind one."""
        place = self.root / path
        if self._is_linked(path) or place.is_dir():
            return False
        fresh = place.with_name(f".{place.name}.{os.getpid()}")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                fresh.write_bytes(content)
                fresh.replace(place)
            finally:
                fresh.unlink(missing_ok=True)
        except (FileExistsError, NotADirectoryError):
            return False
        except OSError as error:
            raise InvalidInput(
                f"{place} cannot be written: {error.strerror}.", hint="Mend that and run it again."
            ) from None
        return True

    def remove(self, path: str) -> None:
        place = self.root / path
        place.unlink(missing_ok=True)
        with suppress(OSError):  # not empty
            place.parent.rmdir()

    def _is_linked(self, path: str) -> bool:
        """Whether it lies outside of the repository, or may do so."""
        parts = path.split("/")
        return any(os.path.islink(self.root.joinpath(*parts[:count])) for count in range(1, len(parts) + 1))


def failed(command: str, stderr: bytes, *, hint: str = "Mend that and run it again: it continues there.") -> Conflict:
    said = " ".join(_text(stderr).split()) or "it did not say why"
    return Conflict(f"git {command} failed: {said}", hint=hint)


def _program() -> list[str]:
    found = shutil.which("git")
    if found is None:
        raise Misconfigured("There is no git program.", hint="Install git, or put it on your PATH.")
    return [found, *_OPTIONS]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _ELSEWHERE} | {"LC_ALL": "C"}


def _text(answer: bytes) -> str:
    return answer.decode(errors="surrogateescape")


def _batch(answer: bytes) -> Iterator[tuple[str, bytes]]:
    """Each content has a line before it: its id, its type and its size."""
    place = 0
    while place < len(answer):
        end = answer.index(b"\n", place)
        id, _, described = answer[place:end].decode().partition(" ")
        place = end + 1
        if described != "missing":
            size = int(described.rpartition(" ")[2])
            yield id, answer[place : place + size]
            place += size + 1
