"""Secrets among the arguments of calls, recognised by position: `login("anna", "…")`, `jwt.encode(data, "…")`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.text.redaction.keywords import CALLS_WITH_KEY, CALLS_WITH_PASSWORD
from heedful.text.redaction.literals import Certainty, Literal, is_placeholder, is_secret
from heedful.text.redaction.names import type_of_name
from heedful.text.redaction.randomness import is_random
from heedful.text.redaction.spans import SensitiveSpan, offsets

_WITH_TOKEN = re.compile(
    r"(?:Client|TOTP|HOTP|[Bb]ot|login|[Aa]uth|[Tt]oken|A[Pp][Ii]|SDK|Wallet|Bearer|OpenAI|authorize|configure|Fernet)$"
)
_SOLE = re.compile(r"""\([bruf]{0,2}["']([\w+/=-]{20,200})["']""")
_BETWEEN = (', "', ", '", ',"', ",'", ",\n")
_CALL = re.compile(r"[\w.>:-]{0,40}+(?:[ ]?=[ ]?)?\(")
_ARGUMENT = re.compile(
    r"""\s{0,20}(?:[bruf]{1,2}(?=["']))?(?:(["'])([^"'\n]{0,200})\1|[^\s"'(),][^"'(),\n]{0,120}(?:\([^()\n]{0,80}\))?)\s{0,20}([,)])"""
)
_MOST = 6
_NAME_LENGTH = 40
_EQUALS = re.compile(r"""\.(?:equals(?:IgnoreCase)?|compareTo|eq|isEqual)\(\s?([\w.$]{1,60})""")
_LITERAL_BEFORE = re.compile(r"""(["'])([^"'\n]{4,100})\1$""")


def calls(text: str, lowered: str) -> Iterator[SensitiveSpan]:
    if "(" not in text or ('"' not in text and "'" not in text):
        return
    for sole in _SOLE.finditer(text):
        named = _WITH_TOKEN.search(text, max(0, sole.start() - _NAME_LENGTH), sole.start())
        if named and is_random(sole[1], 20) and not is_placeholder(sole[1]):
            yield SensitiveSpan(*sole.span(1), "SECRET", sole[1])
    if any(sign in text for sign in _BETWEEN):
        for hints, type in ((CALLS_WITH_PASSWORD, "PASSWORD"), (CALLS_WITH_KEY, "SECRET")):
            for hint in hints:
                if hint in lowered:
                    yield from _with(hint, type, text, lowered)
    for at in offsets(".equals", text):
        if (found := _EQUALS.match(text, at)) and type_of_name(found[1].rsplit(".", 1)[-1]) in {"PASSWORD", "SECRET"}:
            literal = _LITERAL_BEFORE.search(text, max(0, at - 110), at)
            if literal and is_secret(Literal(literal.start(2), literal[2], True), "PASSWORD", Certainty.QUOTED):
                yield SensitiveSpan(*literal.span(2), "PASSWORD", literal[2])


def _with(hint: str, type: str, text: str, lowered: str) -> Iterator[SensitiveSpan]:
    passed = 0
    for at in offsets(hint, lowered):
        if at < passed or (call := _CALL.match(text, at)) is None:
            continue
        passed = call.end()
        literals = list(_literals(text, call.end()))
        if type == "PASSWORD" and len(literals) < 2:
            continue
        for place, value in literals:
            if (place or type == "SECRET") and _is_secret(value, type):
                yield SensitiveSpan(value.start, value.start + len(value.text), type, value.text)


def _literals(text: str, at: int) -> Iterator[tuple[int, Literal]]:
    for place in range(_MOST):
        argument = _ARGUMENT.match(text, at)
        if argument is None:
            return
        if argument[2]:
            yield place, Literal(argument.start(2), argument[2], True)
        at = argument.end()
        if argument[3] == ")":
            return


def _is_secret(value: Literal, type: str) -> bool:
    """Without a name, the value must look like a secret by itself."""
    word = value.text
    chosen = any(map(str.isdigit, word)) and any(map(str.isalpha, word)) and len(word) >= 6
    return (
        chosen
        and is_secret(value, type, Certainty.QUOTED)
        and is_secret(value._replace(quoted=False), type, Certainty.LOOSE)
    )
