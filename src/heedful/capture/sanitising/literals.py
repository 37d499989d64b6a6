"""Whether what is assigned to a secret name is a secret: a literal, and none that only stands for one."""

from __future__ import annotations

import re
from typing import NamedTuple

from heedful.capture.sanitising.randomness import entropy, is_dummy, is_hex, is_random, is_uuid, is_wordy

_SHORTEST = 4
_LONGEST_STAND_IN = 200

_FILLED_IN_LATER = re.compile(  # `${TOKEN}`, `<token>`, `{{ token }}`, `%s`, `$1`, `xxx`, `***`
    r"[x*.•#_?-]{2,}|<.*|\[.*|\$[\w.:-]+|%[({]?\w*[)}]?[sd]?|%\w+%|@\w+@", re.IGNORECASE
)
_HAS_VARIABLE = re.compile(r"\$[{(]|#\{|\{\{|\{[A-Za-z_][\w.]*\}|\.\.\.|…")
_SAYS_SO = re.compile(
    r"your|example|change[_-]?(?:me|it|this)|replace[_-]?(?:me|this|with)|placeholder|dummy|redacted|hidden|masked"
    r"|\*\*\*|xxxx|insert[_-]",
    re.IGNORECASE,
)
_NAMES_ITSELF = re.compile(  # `password`, `my-secret-key`, `test_token_1`
    r"(?:(?:my|the|some|any|a|an|test|fake|mock|user|db|new|old|bad|wrong|invalid|valid|super|top|strong|secure|real)[_-]?)?"
    r"(?:user|name|username|password|passwd|passwort|pass|passphrase|pwd|pw|secret|token|key|api[_-]?key|access[_-]?token"
    r"|refresh[_-]?token|secret[_-]?key|auth|bearer|basic|credentials?|jwt|session|string|str|text|value|val|hash|salt"
    r"|signature|here)(?:[_-]?(?:here|value|string|key|id|goes[_-]here|\d{1,3}))?|pk_(?:test|live)_.*",
    re.IGNORECASE,
)
_WORD_LIST = """
    none null nil true false undefined yes no on off auto default required optional any unknown never void object bool
    boolean number int integer bytes todo tbd empty missing disabled enabled foo bar baz qux foobar abc asdf hello test
    testing invalid env process this self admin root localhost
"""
_WORDS = frozenset(_WORD_LIST.split())
_PLAIN = re.compile(r"[^\W\d_]+(?:[-_./:@ ][^\W\d_]*)*")
_CODE = re.compile(  # names as programs write them, with a digit at most at the end
    r"[$@]?[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+\.?|[a-z_]+\d?|[A-Z][A-Z_]+\d?|[a-z]+(?:[A-Z][a-z]+)+\d?"
    r"|(?:[A-Z][a-z]+){2,}\d?"
)
_ADDRESS = re.compile(
    r"(?:https?|ftp|file|s3|gs|arn|urn|data|ssh|git|wss?)[:/].*|[^@\s]+@[\w-]+\.[\w.]+"
    r"|(?:\.{0,2}|~|[A-Za-z]:)[/\\][\w.@-]+(?:[/\\][\w.@-]*)*"
)
_OCTETS = re.compile(r"[\dxa-fA-F\s,]{20,}")
_PUNCTUATION = re.compile(r"[!#$%^&*+=?~|\\;<>@]")  # stands in passwords, hardly in names
_NEVER_BARE = ("$", "%", "{", "<", "@{")


class Value(NamedTuple):
    start: int
    text: str
    quoted: bool

    def __repr__(self) -> str:
        """Without the text: it must not reach a log."""
        return f"Value({self.start}, quoted={self.quoted})"


def is_stand_in(value: str) -> bool:
    """A word, a variable or a row of signs in the place of a value."""
    if len(value) > _LONGEST_STAND_IN:
        return False
    return (
        len(set(value)) == 1
        or value.lower() in _WORDS
        or any(shape.fullmatch(value) for shape in (_FILLED_IN_LATER, _NAMES_ITSELF))
        or any(shape.search(value) for shape in (_HAS_VARIABLE, _SAYS_SO))
    )


def is_secret(value: Value, type: str, *, setting: bool) -> bool:
    """`setting`: it is assigned as in files of settings, where even plain words are literals."""
    word = value.text
    if len(word) < _SHORTEST or is_stand_in(word) or (not value.quoted and word.startswith(_NEVER_BARE)):
        return False
    if value.quoted and word.startswith("ENC("):
        return False  # encrypted
    if _ADDRESS.fullmatch(word):
        return len(word) >= 32 and "." not in word and is_random(word, 32) and entropy(word) > 4.2
    return _is_password(value, setting) if type == "PASSWORD" else _is_drawn(value, type, setting)


def _is_drawn(value: Value, type: str, setting: bool) -> bool:
    word = value.text
    if "," in word and _OCTETS.fullmatch(word):
        return True
    if " " in word or is_dummy(word) or word.isdigit() or (not value.quoted and _CODE.fullmatch(word)):
        return False
    if type == "KEY":
        return not is_hex(word) and not is_uuid(word) and is_random(word, 20) and entropy(word) > 3.7
    return is_random(word, 8 if value.quoted or setting else 10)


def _is_password(value: Value, setting: bool) -> bool:
    word = value.text
    if " " in word:
        return False
    if value.quoted:
        return (_PLAIN.fullmatch(word) is None and not _is_wordy_name(word)) or _is_mixed(word)
    if setting and len(word) > _SHORTEST and re.fullmatch(r"[A-Z][A-Z_]+\d?", word) is None:
        return True
    if _CODE.fullmatch(word) or len(word) < 6 or not any(map(str.isalpha, word)):
        return False
    return (any(map(str.isdigit, word)) or _PUNCTUATION.search(word) is not None) and not _is_wordy_name(word)


def _is_mixed(word: str) -> bool:
    """Nothing but letters, and yet no words."""
    return word.isalpha() and len(word) >= 12 and not word.islower() and entropy(word) > 3.5 and not is_wordy(word)


def _is_wordy_name(word: str) -> bool:
    """Words joined as in code or in names of files, without a sign that only passwords have."""
    return _PUNCTUATION.search(word) is None and len(re.split(r"[-_./:]", word)) > 1 and is_wordy(word)
