"""Credentials by the place they stand in: addresses, headers of requests, cookies, commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.capture.sanitising.finding import Finding
from heedful.capture.sanitising.literals import is_stand_in
from heedful.capture.sanitising.places import places
from heedful.capture.sanitising.randomness import is_random, is_wordy

# user:password@ in an address. A password may hold slashes, but what looks like a port and a path is none.
_USERINFO = re.compile(r"://([^\s/@:\"'<>`]{0,100}):(?!\d{1,5}(?:[/?#\s]|$))([^\s\"'<>`@]{1,200})@(?=[\w.\[{$-])")
_TOKEN_USER = re.compile(r"://([^\s/@:\"'<>`]{16,200}):?@")
_SCHEME = re.compile(
    r"(?i)(?:bearer|basic|token|digest|apikey|negotiate)\\?[\"']?[ :+]{1,3}\\?[\"']?([\w~+/.=-]{6,4096})"
)
_AUTHORIZATION = re.compile(
    r"(?i)authorization\\?[\"'\]]{0,2}\s{0,4}[:=,]\s{0,4}\\?[\"'`]?(?:(?:bearer|basic|token|digest|apikey|negotiate)\s{1,3})?([\w~+/.=:-]{6,4096})"
)
_CRUMB = r"[\w.%-]{1,64}=[^\s\"'`;]{1,2000}"
_COOKIE = re.compile(rf"cookie\\?[\"']?\s{{0,3}}[:=]\s{{0,3}}\\?[\"'`]?({_CRUMB}(?:; ?{_CRUMB}){{0,40}})")
_COOKIE_VALUE = re.compile(r"([\w.%-]{1,64})=([^\s;]{8,2000})")
_USER = re.compile(r"\s(?:-u|--user|--proxy-user|-U)[ =]{0,2}[\"']?([^\s:\"']{1,100}):([^\s\"']{3,200})")
_SSHPASS = re.compile(r"sshpass +-p *[\"']?([^\s\"']{3,200})")
_MYSQL = re.compile(r"(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,200}? -p([^\s\"']{4,100})")


def credentials(text: str, lowered: str) -> Iterator[Finding]:
    yield from _in_addresses(text)
    yield from _authorizations(text, lowered)
    yield from _cookies(text, lowered)
    yield from _in_commands(text, lowered)


def _in_addresses(text: str) -> Iterator[Finding]:
    for at in places("://", text):
        if found := _USERINFO.match(text, at):
            if not is_stand_in(found[2]):
                yield Finding(*found.span(2), "PASSWORD", found[2])
        elif (found := _TOKEN_USER.match(text, at)) and is_random(found[1], 16):
            yield Finding(*found.span(1), "TOKEN", found[1])


def _authorizations(text: str, lowered: str) -> Iterator[Finding]:
    for at in places("authorization", lowered):
        if (found := _AUTHORIZATION.match(text, at)) and _is_credential(found[1], 8):
            yield Finding(*found.span(1), "TOKEN", found[1])
    for at in places("bearer ", lowered):
        if (found := _SCHEME.match(text, at)) and _is_credential(found[1], 12):
            yield Finding(*found.span(1), "TOKEN", found[1])


def _is_credential(value: str, least: int) -> bool:
    if is_stand_in(value):
        return False
    return is_random(value, least) or (len(value) >= 12 and value.endswith("=") and not is_wordy(value))


def _cookies(text: str, lowered: str) -> Iterator[Finding]:
    for at in places("cookie", lowered):
        header = _COOKIE.match(lowered, at)
        if header is None:
            continue
        for found in _COOKIE_VALUE.finditer(text, *header.span(1)):
            if is_random(found[2], 8) and not is_stand_in(found[2]):
                yield Finding(*found.span(2), "SECRET", found[2])


def _in_commands(text: str, lowered: str) -> Iterator[Finding]:
    end = 0
    for at in places("curl", lowered):
        if at < end:
            continue
        line = lowered.find("\n", at, at + 1_000)
        end = line if line >= 0 else at + 1_000
        for user in _USER.finditer(text, at, end):
            if not is_stand_in(user[2]):
                yield Finding(*user.span(2), "PASSWORD", user[2])
    for mark, shape in (("sshpass", _SSHPASS), ("mysql", _MYSQL), ("mariadb", _MYSQL)):
        for at in places(mark, lowered):
            if (found := shape.match(text, at)) and not is_stand_in(found[1]):
                yield Finding(*found.span(1), "PASSWORD", found[1])
