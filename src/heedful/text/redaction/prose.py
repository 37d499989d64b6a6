"""Passwords in sentences: `the password for staging is …`, `use … as the password`, `log in with root / …`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.text.redaction.literals import Certainty, Literal, is_secret
from heedful.text.redaction.spans import SensitiveSpan, offsets

HINTS = frozenset({"pass", "pw", "key", "token", "secret", "cred", "senha", "contrase", "пароль"})
_NAME = re.compile(
    r"pass(?:word|wort|wd|phrase|code|e\b)|pwd?\b|(?<=api )key|(?<=access )key|token|secret|cred|senha|contraseña"
    r"|пароль"
)
_SAID = re.compile(
    r"""[\w-]{0,12}+(?:[ ](?!is\b|was\b|to\b|:)[\w'’@./()-]{1,30}+){0,6}[ ]?
    (?:[ ](?:is|was|are|to|ist|lautet|est|es|auf)[ ](?:now[ ]|still[ ]|set[ ]to[ ]|just[ ])?
      |:[ ]|[ ]=[ ]|[ ]?(?:→|->|=>)[ ]?)
    ["'`“«*(]{0,2}([^\s"'`”»<>()\[\]]{6,100}+)(?![(\[])""",
    re.VERBOSE,
)
_SAID_LAST = re.compile(r"[^\n:=]{1,80}: ([^\s\"'`<>()\[\]]{6,100})[.!]?$", re.MULTILINE)
_SAID_BEFORE = re.compile(
    r"""(?:^|[\s"'`“(])([^\s"'`“”()\[\]]{6,100})["'`”)]?[ ]
    (?:is|as|was|for|als|ist|comme|como)[ ](?:\w{1,12}[ ]){0,3}$""",
    re.VERBOSE,
)
_PAIR = re.compile(
    r"""(?:^|[\s"'`(*])([\w.+-]{2,40}(?:@[\w.-]{3,40})?)[ ]{0,1}
    (?:[ ]/[ ]|[ ]?:[ ]?|[ ]\|[ ]|/)["'`]?([^\s"'`()<>|,/]{6,60})""",
    re.VERBOSE,
)
_ACCOUNT = re.compile(
    r"(?i)(?:root|admin\w*|sa|user\w*|postgres|test\w*|guest|demo|pi|ubuntu|oracle|svc\w*|[\w.+-]+@[\w.-]+)"
)
_AFTER_SLASH = re.compile(r"[^\s\"'`()<>|,/]{6,60}")
_DIGIT = re.compile("[0-9]")
_NEAR = 150  # characters
_CODE_OF_A_RULE = re.compile(r"[A-Z]{1,6}-?\d{1,6}")  # or of a ticket
_TRAILING = ".,;:!?)]*"


def told(text: str, lowered: str, at: int) -> Iterator[SensitiveSpan]:
    """A password before or after the keyword of `HINTS` at this position."""
    begin = max(0, at - _NEAR, text.rfind("\n", max(0, at - _NEAR), at) + 1)
    if not _DIGIT.search(text, begin, at + _NEAR) or not _NAME.match(lowered, at):
        return
    if found := _SAID.match(text, at):
        yield from _password(found, 1)
    if lowered.startswith("p", at) and (found := _SAID_LAST.match(text, at)):
        yield from _password(found, 1)
    if text[at - 1 : at] == " " and (before := _SAID_BEFORE.search(text, begin, at)):
        yield from _password(before, 1)
    if lowered.startswith("cred", at):
        yield from _pair(text, at + 4)


def accounts(text: str, lowered: str) -> Iterator[SensitiveSpan]:
    """A password next to an account name."""
    for hint in ("login", "log in"):
        for at in offsets(hint, lowered):
            yield from _pair(text, at + len(hint))
    for at in offsets(" / ", text):
        account = text[max(0, at - 40) : at].rsplit(None, 1)
        if account and _ACCOUNT.fullmatch(account[-1]) and (value := _AFTER_SLASH.match(text, at + 3)):
            yield from _password(value, 0)


def _pair(text: str, at: int) -> Iterator[SensitiveSpan]:
    line = text.find("\n", at, at + _NEAR)
    if pair := _PAIR.search(text, at, line if line >= 0 else at + _NEAR):
        yield from _password(pair, 2)


def _password(found: re.Match[str], group: int) -> Iterator[SensitiveSpan]:
    word = found[group].rstrip(_TRAILING)
    value = Literal(found.start(group), word, False)
    if _DIGIT.search(word) and not _CODE_OF_A_RULE.fullmatch(word) and is_secret(value, "PASSWORD", Certainty.LOOSE):
        yield SensitiveSpan(value.start, value.start + len(word), "PASSWORD", word)
