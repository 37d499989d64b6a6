"""The name of a project: that of its folder; and whether a text speaks of the project it was said in."""

from __future__ import annotations

import re

from heedful.records.names import is_visible
from heedful.text.checks import clipped

_SEPARATORS = re.compile(r"[\\/]+")
_HOMES = frozenset({"home", "Users", "users"})
_CHARACTERS = 100
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
    """None for a home folder: its name is the user's."""
    if not isinstance(folder, str):
        return None
    parts = [part for part in _SEPARATORS.split(folder[:4096]) if part]
    if not parts or parts[-1] == "root" or (len(parts) > 1 and parts[-2] in _HOMES) or parts[-1].endswith(":"):
        return None
    shown = "".join(c if c.isprintable() and is_visible(c) else " " for c in parts[-1][: 4 * _CHARACTERS])
    return clipped(shown, _CHARACTERS) or None


def speaks_of_its_project(text: str) -> bool:
    """Whether it says `in this project`, or `here`: said in another project, it is about that one."""
    return _HERE.search(text) is not None
