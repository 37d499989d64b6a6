"""Credentials by context: URLs, headers, cookies, files, commands, SQL, calls, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.text.redaction.calls import calls
from heedful.text.redaction.commands import commands
from heedful.text.redaction.literals import Certainty, Literal, is_placeholder, is_secret
from heedful.text.redaction.prose import accounts
from heedful.text.redaction.randomness import is_random, is_wordy
from heedful.text.redaction.spans import SensitiveSpan, offsets
from heedful.text.redaction.statements import statements

# user:password@ in an address. A password may hold slashes, but what looks like a port and a path is none.
_USERINFO = re.compile(r"://([^\s/@:\"'<>`]{0,100}):(?!\d{1,5}(?:[/?#\s]|$))([^\s\"'<>`@]{1,200})@(?=[\w.\[{$-])")
_TOKEN_USER = re.compile(r"://([^\s/@:\"'<>`]{16,200}):?@")
_WITHOUT_SCHEME = re.compile(  # before what is surely a host, and no part of an e-mail address
    r":([^\s:@/\"'<>`]{4,100})@(?=tcp\(|unix\(|localhost\b|\d{1,3}(?:\.\d{1,3}){3}|[\w.-]{1,80}:\d{2,5}\b)"
)
_SCHEME = re.compile(
    r"(?i)(?:bearer|basic|token|digest|apikey|negotiate)\\?[\"']?[ :+]{1,3}\\?[\"']?([\w~+/.=-]{6,4096})"
)
_AUTHORIZATION = re.compile(
    r"(?i)authorization\\?[\"'\]]{0,2}\s{0,4}[:=,\s]\s{0,4}\\?[\"'`]?(?:(?:bearer|basic|token|digest|apikey|negotiate)\s{1,3})?([\w~+/.=:-]{6,4096})"
)
_CRUMB = r"[\w.%-]{1,64}=[^\s\"'`;]{1,2000}"
_COOKIE = re.compile(rf"cookie\\?[\"']?\s{{0,3}}[:=]\s{{0,3}}\\?[\"'`]?({_CRUMB}(?:; ?{_CRUMB}){{0,40}})")
_COOKIE_VALUE = re.compile(r"(?<![\w.%-])([\w.%-]{1,64})=([^\s;]{8,2000})")
_PGPASS = re.compile(r":(?:\d{4,5}|\*):[\w.*-]{1,60}:[\w.*@-]{1,60}:([^\s:]{4,200})(?!\S)")
_DIGIT = re.compile("[0-9]")
_HOST = re.compile(r"(?:^|\n)[\w.*-]{1,100}$")


def credentials(text: str, lowered: str) -> Iterator[SensitiveSpan]:
    yield from _in_addresses(text)
    yield from _authorizations(text, lowered)
    yield from _cookies(text, lowered)
    yield from _in_password_files(text)
    yield from commands(text, lowered)
    yield from statements(text, lowered)
    if _DIGIT.search(text):  # all that these two find has one
        yield from calls(text, lowered)
        yield from accounts(text, lowered)


def _in_addresses(text: str) -> Iterator[SensitiveSpan]:
    for at in offsets("://", text):
        if found := _USERINFO.match(text, at):
            if not is_placeholder(found[2]):
                yield SensitiveSpan(*found.span(2), "PASSWORD", found[2])
        elif (found := _TOKEN_USER.match(text, at)) and is_random(found[1], 16):
            yield SensitiveSpan(*found.span(1), "TOKEN", found[1])
    for found in _WITHOUT_SCHEME.finditer(text) if "@" in text else ():
        if is_secret(Literal(found.start(1), found[1], True), "PASSWORD", Certainty.QUOTED):
            yield SensitiveSpan(*found.span(1), "PASSWORD", found[1])


def _authorizations(text: str, lowered: str) -> Iterator[SensitiveSpan]:
    for at in offsets("authorization", lowered):
        if (found := _AUTHORIZATION.match(text, at)) and _is_credential(found[1], 8):
            yield SensitiveSpan(*found.span(1), "TOKEN", found[1])
    for at in offsets("bearer ", lowered):
        if (found := _SCHEME.match(text, at)) and _is_credential(found[1], 12):
            yield SensitiveSpan(*found.span(1), "TOKEN", found[1])


def _is_credential(value: str, least: int) -> bool:
    if is_placeholder(value):
        return False
    return is_random(value, least) or (len(value) >= 12 and value.endswith("=") and not is_wordy(value))


def _cookies(text: str, lowered: str) -> Iterator[SensitiveSpan]:
    for at in offsets("cookie", lowered):
        header = _COOKIE.match(lowered, at)
        if header is None:
            continue
        for found in _COOKIE_VALUE.finditer(text, *header.span(1)):
            if is_random(found[2], 8) and not is_placeholder(found[2]):
                yield SensitiveSpan(*found.span(2), "SECRET", found[2])


def _in_password_files(text: str) -> Iterator[SensitiveSpan]:
    """`host:port:database:user:password`, as PostgreSQL reads them."""
    for found in _PGPASS.finditer(text):
        value = Literal(found.start(1), found[1], False)
        if _HOST.search(text, max(0, found.start() - 101), found.start()) and is_secret(
            value, "PASSWORD", Certainty.SETTING
        ):
            yield SensitiveSpan(*found.span(1), "PASSWORD", found[1])
