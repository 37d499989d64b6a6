"""Rules out, in microseconds, nearly all texts that hold no secret.

It must never be stricter than the search, so it looks for the same keywords.
"""

from __future__ import annotations

import re
import string
from functools import cache

from heedful.text.redaction.formats import FORMATS
from heedful.text.redaction.keywords import (
    CALLS_WITH_KEY,
    CALLS_WITH_PASSWORD,
    COMMANDS_WITHOUT_FLAG,
    FLAGS,
    FURTHER_NAMES,
    NAMES,
)

_ROOM = 20_000  # words
_IN_WORDS = frozenset((string.ascii_letters + string.digits + "_-+/=.~%$").encode())
_SPLIT = bytes(sign if sign in _IN_WORDS or sign >= 0x80 else 0x20 for sign in range(256))
_ESCAPED = re.compile(rb"\\(?:u[0-9a-f]{4}|.)")

# Places that more than one word makes, in small letters: each has a sign that must be there, and what else. An account
# in an address, a line of a password file, flags of commands, what is piped into one, arguments of calls.
_CALLS = "|".join(sorted({word.rstrip("(") for word in (*CALLS_WITH_PASSWORD, *CALLS_WITH_KEY)}))
_PLACES = tuple(
    (sign, re.compile(shape.encode()))
    for sign, shape in (
        (b"@", r":(?://)?[^\s/@\"'<>`]{0,300}@"),
        (b":", r":(?:\d{4,5}|\*):[\w.*-]"),
        (b" -", FLAGS.lower()),
        (b"| ", r"(?:echo|printf)[^|]{1,250}\| "),
        (b" / ", " / "),
        (b":a", r":a(?:a[a-z]|pa91)"),
        (b"(", rf"(?:{_CALLS})[\w.>:-]{{0,40}}+(?: ?= ?)?\(|\([bruf]{{0,2}}[\"' ][\w+/=-]{{20}}"),
    )
)
# And in one word: names of secrets, what marks tokens that have no prefix, commands and statements.
_MARKS = (
    *NAMES,
    *("bearer", "cookie", "hook", "session=", "login", "identified"),
    *("eyj", ".atlasv1.", "q~", "jqqj99", "nral", "_mmk", "-us", ".logic.azure"),
    *("$1$", "$2", "$5$", "$6$", "$y$", "$apr1$", "$argon2"),
    *(command for command in COMMANDS_WITHOUT_FLAG if " " not in command),
)
_FIRST_WORDS = frozenset({"log", *(command.split()[0] for command in COMMANDS_WITHOUT_FLAG if " " in command)})
"""First words of keywords that are two words: `log in`, `net use`."""
_PASSING = re.compile("pass(?:ive|ed|es|ing|enger|age|ion)")  # common words, and no part of a name of a secret
_PREFIXES = {prefix for format in FORMATS for prefix in format.prefixes.split()}
_HEAD = 2  # signs that even the shortest prefix has
_HEADS = frozenset(prefix[:_HEAD] for prefix in _PREFIXES)
_BEGINNING = re.compile(r"(?:^|[^A-Za-z0-9_])(?=(..))")
_DRAWN = 20  # characters: a text that begins with so many mixed ones may begin within a token
_DRAWN_DIGITS = 3

# Names of fields, kinds and common words come again and again: each is looked at once. Secrets are never among them.
_harmless: set[bytes] = set()


def may_hold_secret(text: str | bytes) -> bool:
    """Whether a search is worthwhile. Bytes are JSON."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else _ESCAPED.sub(b" ", text)
    lowered = data.lower()
    for sign, shape in _PLACES:
        if sign in lowered and shape.search(lowered):
            return True
    for word in set(data.translate(_SPLIT).split()).difference(_harmless):
        if _is_suspicious(word.decode("utf-8", "replace")):
            return True
        if len(_harmless) >= _ROOM:
            _harmless.clear()
        _harmless.add(word)
    return False


def _is_suspicious(word: str) -> bool:
    lowered = _PASSING.sub("", word.lower())
    if lowered in _FIRST_WORDS or any(
        map(lowered.__contains__, _MARKS if lowered.isascii() else _MARKS + FURTHER_NAMES)
    ):
        return True
    beginnings = _BEGINNING.findall(word)
    return (not _HEADS.isdisjoint(beginnings) and _prefixed().search(word) is not None) or _is_mixed(word)


@cache
def _prefixed() -> re.Pattern[str]:
    """Prefixes of tokens, also of tokens cut off by the end of the text."""
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(map(re.escape, sorted(_PREFIXES, reverse=True)))})")


def _is_mixed(word: str) -> bool:
    return (
        len(word) >= _DRAWN
        and any(map(str.islower, word))
        and any(map(str.isupper, word))
        and sum(map(str.isdigit, word)) >= _DRAWN_DIGITS
    )
