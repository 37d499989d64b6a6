"""Passwords told in sentences: `the password for staging is …`, `use … as the password`, `root / …`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.capture.sanitising.finding import Finding
from heedful.capture.sanitising.literals import Place, Value, is_secret
from heedful.capture.sanitising.places import places

_HINTS = ("pass", "pwd", "api key", "access key", "token", "secret", "senha", "cred", "login", "log in")
_FURTHER_HINTS = ("contraseña", "пароль")
_NAME = re.compile(r"(?i)pass(?:word|wort|wd|phrase|code|e\b)|pwd|a[pc]\w{1,4} key|token|secret|senha|cred|log ?in|contraseña|пароль")
_SAID = re.compile(
    r"""[\w-]{0,12}+(?:[ ](?!is\b|was\b|to\b|:)[\w'’@./()-]{1,30}+){0,6}[ ]?
    (?:[ ](?:is|was|are|to|ist|lautet|est|es|auf)[ ](?:now[ ]|still[ ]|set[ ]to[ ]|just[ ])?|:[ ]|[ ]=[ ]|[ ]?(?:→|->|=>)[ ]?)
    ["'`“«*(]{0,2}([^\s"'`”»<>()\[\]]{6,100})(?![(\[])""",
    re.VERBOSE,
)
_SAID_BEFORE = re.compile(
    r"""(?:^|[\s"'`“(])([^\s"'`“”()]{6,100})["'`”)]?[ ](?:is|as|was|for|als|ist|comme|como)[ ]
    (?:(?:the|my|our|your|a|an|das|le|la|new|old|temporary|temp|current|default|root|admin|db|database|wifi|\w{1,12})[ ]){0,3}$""",
    re.VERBOSE,
)
_PAIR = re.compile(
    r"""(?:^|[\s"'`(*])([\w.+-]{2,40}(?:@[\w.-]{3,40})?)[ ]{0,1}(?:[ ]/[ ]|[ ]?:[ ]?|[ ]\|[ ]|/)["'`]?([^\s"'`()<>|,/]{6,60})"""
)
_ACCOUNT = re.compile(r"(?i)(?:root|admin\w*|sa|user\w*|postgres|test\w*|guest|demo|pi|ubuntu|oracle|svc\w*|[\w.+-]+@[\w.-]+)")
_TRAILING = ".,;:!?)]*"


def prose(text: str, lowered: str) -> Iterator[Finding]:
    for hint in _HINTS if lowered.isascii() else _HINTS + _FURTHER_HINTS:
        if hint not in lowered:
            continue
        for at in places(hint, lowered):
            if _NAME.match(lowered, at) is None:
                continue
            if found := _SAID.match(text, at):
                yield from _told(found, 1, text)
            before = _SAID_BEFORE.search(text, max(0, at - 130, text.rfind("\n", max(0, at - 130), at) + 1), at)
            if before:
                yield from _told(before, 1, text)
            if hint in {"cred", "login", "log in"} and (line := text.find("\n", at, at + 120)):
                pair = _PAIR.search(text, at + len(hint), line if line >= 0 else at + 120)
                if pair and not pair[2].startswith("/"):
                    yield from _told(pair, 2, text)
    for at in places(" / ", text):
        account = text[max(0, at - 40) : at].rsplit(None, 1)
        if account and _ACCOUNT.fullmatch(account[-1]) and (value := re.compile(r"[^\s\"'`()<>|,/]{6,60}").match(text, at + 3)):
            yield from _told(value, 0, text)


def _told(found: re.Match[str], group: int, text: str) -> Iterator[Finding]:
    word = found[group].rstrip(_TRAILING)
    value = Value(found.start(group), word, False)
    if any(map(str.isdigit, word)) and is_secret(value, "PASSWORD", Place.LOOSE):
        yield Finding(value.start, value.start + len(word), "PASSWORD", word)
