"""The name of a project: that of its folder."""

from __future__ import annotations

import re

from heedful.records.names import is_visible
from heedful.text.checks import clipped

_SEPARATORS = re.compile(r"[\\/]+")
_HOMES = frozenset({"home", "Users", "users"})
_CHARACTERS = 100


def project_name(folder: object) -> str | None:
    """None for a home folder: its name is the user's."""
    if not isinstance(folder, str):
        return None
    parts = [part for part in _SEPARATORS.split(folder[:4096]) if part]
    if not parts or parts[-1] == "root" or (len(parts) > 1 and parts[-2] in _HOMES) or parts[-1].endswith(":"):
        return None
    shown = "".join(c if c.isprintable() and is_visible(c) else " " for c in parts[-1][: 4 * _CHARACTERS])
    return clipped(shown, _CHARACTERS) or None
