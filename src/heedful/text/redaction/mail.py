"""E-mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.text.redaction.spans import SensitiveSpan, offsets

_LOCAL_LENGTH = 64
_LOCAL_SIGN = re.compile(r"(?<![\w.!#$%&'*+/=?^{|}~-])[\w.!#$%&'*+/=?^{|}~-]++\Z")
_DOMAIN = re.compile(
    r"(?:@|%40)((?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,6}([^\W\d_]{2,24}|xn--[a-z0-9-]{2,40}))(?![\w@]|-\w)"
)
_FILE_LIST = """
    png jpg jpeg gif svg webp ico bmp pdf js ts tsx jsx mjs cjs css scss html htm json yaml yml toml xml txt log csv
    py rb go rs java kt cpp hpp c h sh lock map zip gz tgz tar whl jar exe dll so bin db sql mp3 mp4 woff woff2 ttf
    service timer socket target local latest next beta alpha
"""
_FILES = frozenset(_FILE_LIST.split())
_NOBODY = re.compile(r"(?i)(?:git|hg|svn|aur|no-?reply|do-?not-?reply|user|username|you|name|email|someone|me)")
_STANDS_FOR_HOST = frozenset({"github.com", "gitlab.com", "bitbucket.org", "ssh.dev.azure.com", "codeberg.org"})


def mail(text: str) -> Iterator[SensitiveSpan]:
    for mark in ("@", "%40"):
        for at in offsets(mark, text):
            if (domain := _DOMAIN.match(text, at)) and (found := _address(text, at, domain)):
                yield found


def _address(text: str, at: int, domain: re.Match[str]) -> SensitiveSpan | None:
    # `file.service`, `icon@2x.png`: what is a file, or an option of a package, is no host.
    if domain[2].lower() in _FILES and domain[1].count(".") == 1:
        return None
    local = _local(text[max(0, at - _LOCAL_LENGTH) : at])
    if not local or (domain[1].lower() in _STANDS_FOR_HOST and _NOBODY.fullmatch(local)):
        return None
    if _NOBODY.fullmatch(local) and local.lower() in {"git", "hg", "svn", "noreply", "no-reply", "donotreply"}:
        return None
    start = at - len(local)
    if _is_in_url(text, start):
        return None
    return SensitiveSpan(start, domain.end(), "EMAIL", f"{local}@{domain[1]}".lower())


def _local(before: str) -> str:
    """The local part. Characters that are allowed but rare there end it."""
    found = _LOCAL_SIGN.search(before[-_LOCAL_LENGTH:]) if before else None
    if found is None:
        return ""
    local = re.split(r"[/=?#&|{}!$*^'~]|%(?:3[Aa]|2[Ff]|22|20)", found.group())[-1]
    return local.lstrip(".-+").rstrip(".")


def _is_in_url(text: str, start: int) -> bool:
    """`https://user:password@host` is a host with credentials, not an address."""
    before = text[max(0, start - 120) : start]
    if before.endswith("//"):
        return True
    scheme = before.rfind("://")
    return scheme >= 0 and ":" in before[scheme + 3 :] and not re.search(r"[\s/?]", before[scheme + 3 :])
