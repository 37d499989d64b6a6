"""User names in paths: /home/NAME, /Users/NAME, C:\\Users\\NAME. The rest of the path stays readable."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.text.redaction.spans import SensitiveSpan, offsets

_ACCOUNT = re.compile(r"[^\W_][\w.@+-]{0,40}(?: [A-Z][\w-]{1,20}(?=[/\\]))?")
_FOLDERS = ("home", "Users")
_SLASHES = re.compile(
    r"/|\\{1,4}|-"
)  # backslashes are doubled wherever a path is quoted; agents name folders with dashes
_NOBODYS_LIST = """
    user username users root admin administrator runner ubuntu debian vscode node app appuser codespace circleci
    travis ec2-user vagrant docker jovyan www-data public shared default guest me you name yourname your-name
    youruser your-username your_username someone dev developer test tester testuser git jenkins gitlab-runner
    runneradmin containeradmin containeruser pi pn linuxbrew build builder ci deploy service site wwwroot foo bar
    somebody myuser someuser somename home all desktop documents downloads library page pages index about dashboard
    settings login profile main menu screen view components assets images css js src
"""
_NOBODYS = frozenset(_NOBODYS_LIST.split())
_NO_PATH = frozenset("(*{$[")
_BEFORE_DASHES = frozenset({"", "/", "\\", '"', "'", "`", " ", "\n"})


def homes(text: str) -> Iterator[SensitiveSpan]:
    for folder in _FOLDERS:
        for at in offsets(folder, text):
            slash = _SLASHES.match(text, at + len(folder))
            if slash and at and text[at - 1] == slash[0][0] and (found := _account(text, at - 1, slash)):
                yield found


def _account(text: str, at: int, slash: re.Match[str]) -> SensitiveSpan | None:
    start, dashed = slash.end(), slash[0] == "-"
    if not _is_root(text[max(0, at - 8) : at], slash[0]):
        return None
    found = _ACCOUNT.match(text, start)
    if found is None:
        return None
    name = found.group().rstrip(".")
    if dashed:
        name = name.split("-")[0]
    following = text[start + len(name) : start + len(name) + 1]
    if name.lower() in _NOBODYS or following in _NO_PATH or (dashed and following != "-"):
        return None
    if "." in name and following not in {"/", "\\"}:
        return None  # a file, or an address of a page
    return SensitiveSpan(start, start + len(name), "NAME", name.lower())


def _is_root(before: str, slash: str) -> bool:
    """`example.com/home/…` is a URL and `my-home-page` a name, but disks may be mounted anywhere."""
    if slash == "-":
        return before[-1:] in _BEFORE_DASHES
    if slash == "/" and (before[-1:].isalnum() or before[-1:] in {".", "}", ")"}):
        return before.lower().endswith(("/c", "/d", "/data", "/host"))
    return True
