"""The name of a project: that of its repository's folder; and whether a text speaks of the project it was said in."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from heedful.records.names import is_visible
from heedful.text.checks import clipped

_SEPARATORS = re.compile(r"[\\/]+")
_HOMES = frozenset({"home", "Users", "users"})
_CHARACTERS = 100
_INNER = frozenset({"src", "lib", "test", "tests"})
"""Folders inside a project that have no name of their own."""
_OF_PACKAGES = frozenset({"packages", "apps", "crates"})
"""Folders of the packages of one project."""
_OF_PROJECTS = frozenset({
    "code", "coding", "dev", "develop", "development", "documents", "desktop", "git", "github", "gitlab", "go", "ide",
    "projects", "projekte", "projets", "proyectos", "projetos", "repo", "repos", "repositories", "source", "src",
    "work", "workspace", "workspaces",
})  # fmt: skip
"""Folders in which people keep their projects."""
_GIT_FILE = 4_096  # characters of it that are read
_PROJECT = r"(?:project|repo|repository|code ?base|monorepo)"
_PROJEKT = r"(?:projekt|repo|repository|codebase|code)"
_PROJETO = r"(?:projet|dépôt|proyecto|repositorio|projeto|repositório|repo)"
_HERE = re.compile(
    rf"\b(?:this|our current) {_PROJECT}\b|\bin here\b|\bhere in the {_PROJECT}\b"
    rf"|\b(?:dies(?:em|es|er)|hier im|hier in (?:der|dem)) {_PROJEKT}\b"
    rf"|\b(?:ce|cet|este|esse|neste|nesse|deste|desse) {_PROJETO}\b"
    # `Here is the log` and `see here` are about nothing that lasts.
    r"|(?<!from )(?<!see )(?<!look )\bhere\b(?!['’]|\s*:|\s+(?:is|are|was|were|comes?|you|we go)\b)"
    r"|\b(?:hier|ici|aquí|aqui)(?=[,.]|$)",
    re.IGNORECASE,
)


def project_name(folder: object) -> str | None:
    """That of the folder of the Git repository that the folder is in, if this disk has it; else its own. None for a
    home folder: its name is the user's."""
    if not isinstance(folder, str):
        return None
    folder = folder[:4096]
    repository = _repository(folder)
    parts = _parts(repository) if repository is not None else _outer(_parts(folder))
    if _is_nobodys(parts):
        return None
    shown = "".join(c if c.isprintable() and is_visible(c) else " " for c in parts[-1][: 4 * _CHARACTERS])
    return clipped(shown, _CHARACTERS) or None


def _parts(folder: str) -> list[str]:
    return [part for part in _SEPARATORS.split(folder) if part]


def _is_nobodys(parts: Sequence[str]) -> bool:
    """Whether it is a home folder, a drive, or no folder."""
    if not parts or parts[-1] == "root" or parts[-1].endswith(":"):
        return True
    return len(parts) > 1 and parts[-2] in _HOMES


def _outer(parts: list[str]) -> list[str]:
    """`shop` of `shop/src` and of `shop/packages/web`; but `src` of a home folder is as good a name as any."""
    while True:
        inner = 1 if parts[-1:] and parts[-1] in _INNER else 2 if parts[-2:-1] and parts[-2] in _OF_PACKAGES else 0
        outer = parts[: len(parts) - inner]
        if not inner or _is_nobodys(outer) or _holds_projects(outer):
            return parts
        parts = outer


def _holds_projects(parts: Sequence[str]) -> bool:
    """`~/code`, not `~/shop/src`."""
    return parts[-1].lower() in _OF_PROJECTS and _is_nobodys(parts[:-1])


def project_of_files(files: Sequence[str]) -> str | None:
    """That of the first file in one: its repository, if this disk has it; else the first folder below a home folder
    and those in which people keep their projects. None for files elsewhere."""
    folders = [file.rpartition("/")[0] or file.rpartition("\\")[0] for file in files]
    for folder in folders:
        if (repository := _repository(folder)) is not None:
            return project_name(repository)
    return next((name for name in map(_below_home, folders) if name), None)


def _below_home(folder: str) -> str | None:
    parts = _parts(folder)
    home = next((at for at, part in enumerate(parts[:-1]) if part in _HOMES), len(parts))
    found = next((part for part in parts[home + 2 :] if part.lower() not in _OF_PROJECTS), None)
    if found is None or found.startswith("."):
        return None
    return project_name("/".join(("", *parts[: parts.index(found, home + 2) + 1])))


def _repository(folder: str) -> str | None:
    """The folder of its repository; of a linked worktree, that of the repository itself. A home folder that is one
    holds settings, and not all the projects in it."""
    if not os.path.isabs(folder) or "\0" in folder:
        return None
    try:
        here = os.path.realpath(folder)
        while (outer := os.path.dirname(here)) != here:
            git = os.path.join(here, ".git")
            if os.path.lexists(git) and not _is_nobodys(_parts(here)) and here != os.path.expanduser("~"):
                return _main(here, git)
            here = outer
    except (OSError, ValueError):  # a loop of links, or a name that is too long or that no file can have
        return None
    return None


def _main(folder: str, git: str) -> str:
    if not os.path.isfile(git):
        return folder
    with open(git, encoding="utf-8", errors="replace") as file:
        named = file.read(_GIT_FILE).removeprefix("gitdir:").strip()
    main, linked, _ = os.path.normpath(os.path.join(folder, named)).replace("\\", "/").partition("/.git/worktrees/")
    return main if linked else folder


def speaks_of_its_project(text: str) -> bool:
    """Whether it says `in this project`, or `here`: said in another project, it is about that one."""
    return _HERE.search(text) is not None
