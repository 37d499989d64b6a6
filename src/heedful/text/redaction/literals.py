"""Whether a value is a secret, and not a placeholder for one.

How much evidence a value needs depends on how certain its context is: see `Certainty`.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from heedful.text.redaction.randomness import entropy, is_dummy, is_hex, is_random, is_uuid, is_wordy

_SHORTEST = 4
_LONGEST_STAND_IN = 200

_FILLED_IN_LATER = re.compile(  # `${TOKEN}`, `<token>`, `{{ token }}`, `%s`, `$1`, `xxx`, `***`
    r"[x*.•#_?-]{2,}|<.*|\[.*|\$[A-Za-z_][\w.:-]*|\$\d|%[({]?\w*[)}]?[sd]?|%\w+%|@\w+@|:\w+|[!*&][A-Za-z_]+;?|\{\w*\}|#[0-9a-f]{3,8}",
    re.IGNORECASE,
)
_HAS_VARIABLE = re.compile(
    r"\$[{(]|#\{|\{\{|\{[A-Za-z_][\w.]*\}|\{\d?\}|\.\.\.|…|<%|\\\(|%\(\w+\)s|!(?:Ref|Sub|GetAtt)\b"
)
_SAYS_SO = re.compile(
    r"your|example|change[_-]?(?:me|it|this)|replace[_-]?(?:me|this|with)|placeholder|dummy|redacted|hidden|masked|fixme"
    r"|\*\*\*|xxxx|insert[_-]|goes[_-]?here|to[_-]be[_-]|fill[_-]?in|(?<![a-z])todo(?![a-z])|not[_-]a[_-]",
    re.IGNORECASE,
)
_NAMES_ITSELF = re.compile(  # `password`, `my-secret-key`, `test_token_1`
    r"(?:(?:my|the|some|any|a|an|test|fake|mock|user|db|new|old|bad|wrong|invalid|valid|super|top|strong|secure|real|app|admin|root"
    r"|client|access|default|current|confirm|reset|forgot|enter|no|use|with|missing|hashed|plain|encrypted)[_-]?){0,3}"
    r"(?:user|name|username|password|passwd|passwort|pass|passphrase|pwd|pw|secret|token|key|api[_-]?key|access[_-]?token"
    r"|refresh[_-]?token|secret[_-]?key|auth|bearer|basic|credentials?|jwt|session|string|str|text|value|val|hash|salt"
    r"|signature|here)(?:[_-]?(?:here|value|string|key|id|name|field|input|label|hash|hint|reset|file|type|goes[_-]here|\d{1,3}))?"
    r"|pk_(?:test|live)_.*",
    re.IGNORECASE,
)
_WORD_LIST = """
    none null nil true false undefined yes no on off auto default required optional any unknown never void object bool
    boolean number int integer bytes todo tbd empty missing disabled enabled foo bar baz qux foobar abc asdf hello test
    testing invalid env process this self admin root localhost secret prompt vault keyring varchar text utf8 utf-8 md5
    sha1 sha256 sha512 bcrypt argon2 argon2id scrypt pbkdf2 base64 oauth2 oauth aes256 hs256 rs256 es256 plaintext
    plain encrypted hashed
"""
_WORDS = frozenset(_WORD_LIST.split())
_ALGORITHM = re.compile(
    r"(?i)(?:sha|md|utf|base|argon|pbkdf|oauth|aes|rsa|hmac|http|ipv|tls|ssl|rc|p|v|x|es|hs|rs|ed)[_-]?\d{1,5}\w?"
)
_PLAIN = re.compile(r"[^\W\d_]+(?:[-_./:@ ][^\W\d_]*)*")
_CODE = re.compile(  # names as programs write them, with a digit at most at the end
    r"[$@]?[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+\.?|[a-z_]+\d?|[A-Z][A-Z_]+\d?|[a-z]+(?:[A-Z][a-z]+)+\d?"
    r"|(?:[A-Z][a-z]+){1,}\d?"
)
_ADDRESS = re.compile(
    r"(?:https?|ftp|file|s3|gs|arn|urn|data|ssh|git|wss?)[:/].*|[^@\s]+@[\w-]+\.[\w.]+"
    r"|(?:\.{0,2}|~|[A-Za-z]:)[/\\][\w.@-]+(?:[/\\][\w.@-]*)*|[\w./-]+\.(?:pem|key|crt|json|ya?ml|txt|env|p12|pfx|py|js|ts|php|html?)"
)
_PATTERN = re.compile(r"\[[^\]]{1,40}\][+*?{]|\(\?[:=!]|\\[dws][+*{]|\.\*|\$\{?$|\|.+\|")  # what it must look like
_OCTETS = re.compile(r"[\dxa-fA-F\s,]{20,}")
_PUNCTUATION = re.compile(r"[!#$%^&*+=?~|\\;<>@]")  # stands in passwords, hardly in names
_NEVER_BARE = ("$", "%", "{", "<", "@{", "(", "[")
_PHRASE = re.compile(r"[a-z]{3,12}(?:[-_. ][a-z]{3,12}){3,23}")
_SMALL_WORD_LIST = """
    a an the of to in on for and or is are be it by with your my this that not from as must at
"""
_SMALL_WORDS = frozenset(_SMALL_WORD_LIST.split())
_NAME_WORD_LIST = """
    pass password passwd passphrase pwd secret token tokens key keys auth authentication cred creds credential
    credentials user users name field label error invalid reset login config type input service api
"""
_OF_A_NAME = frozenset(_NAME_WORD_LIST.split())


class Certainty(IntEnum):
    """How certain it is that a secret stands in this context."""

    LOOSE = 0
    """In a sentence, or after a space."""
    BARE = 1
    """Assigned without quotes, where code has names."""
    QUOTED = 2
    """A literal in code."""
    SETTING = 3
    """In a settings file or a command, where even plain words are literals."""


class Literal(NamedTuple):
    start: int
    text: str
    quoted: bool

    def __repr__(self) -> str:
        """Without the text: it must not reach a log."""
        return f"Literal({self.start}, quoted={self.quoted})"


def is_placeholder(value: str) -> bool:
    """A word, a variable or repeated characters in place of a value."""
    if len(value) > _LONGEST_STAND_IN:
        return False
    value = value.strip("_") or value
    return (
        len(set(value)) == 1
        or value.lower() in _WORDS
        or any(shape.fullmatch(value) for shape in (_FILLED_IN_LATER, _NAMES_ITSELF))
        or any(shape.search(value) for shape in (_HAS_VARIABLE, _SAYS_SO))
    )


def is_secret(value: Literal, type: str, place: Certainty) -> bool:
    word = value.text
    if len(word) < _SHORTEST or is_placeholder(word) or (not value.quoted and word.startswith(_NEVER_BARE)):
        return False
    if value.quoted and word.startswith("ENC("):
        return False  # encrypted
    if _ADDRESS.fullmatch(word):
        return len(word) >= 32 and "." not in word and is_random(word, 32) and entropy(word) > 4.2
    return _is_password(word, place) if type == "PASSWORD" else _is_drawn(value, type, place)


def _is_password(word: str, place: Certainty) -> bool:
    """A literal that a person chose."""
    if " " in word or _PATTERN.search(word) or _ALGORITHM.fullmatch(word):
        return False
    if place == Certainty.SETTING:
        return re.fullmatch(r"[A-Z][A-Z_]+\d?", word) is None
    if place == Certainty.QUOTED:
        is_name = _PLAIN.fullmatch(word) is not None or _is_wordy_name(word)
        return not is_name or _is_mixed(word) or _is_phrase(word)
    if _is_code(word) or len(word) < 6 or not any(map(str.isalpha, word)):
        return False
    if not any(map(str.isdigit, word)) and (place == Certainty.LOOSE or _PUNCTUATION.search(word) is None):
        return False
    return not _is_wordy_name(word)


def _is_drawn(value: Literal, type: str, place: Certainty) -> bool:
    word = value.text
    if "," in word and _OCTETS.fullmatch(word):
        return True
    if " " in word or is_dummy(word) or word.isdigit() or (not value.quoted and _CODE.fullmatch(word)):
        return False
    if type == "KEY":
        return not is_hex(word) and not is_uuid(word) and is_random(word, 20) and entropy(word) > 3.7
    if is_random(word, 8 if place >= Certainty.QUOTED else 10):
        return True
    return place >= Certainty.QUOTED and len(word) >= 8 and (_is_chosen(word) or _is_phrase(word))


def _is_code(word: str) -> bool:
    """A name, or dotted names, spelt as in code."""
    return _CODE.fullmatch(word) is not None and not (any(map(str.isdigit, word)) and is_random(word, 10))


def _is_chosen(word: str) -> bool:
    """Words with a number and punctuation, as people choose passwords: `Sunset-44`."""
    if _names_something(word) or _PATTERN.search(word) or not any(map(str.isalpha, word)):
        return False
    signed = _PUNCTUATION.search(word) is not None
    return re.search(r"\d\d", word) is not None and (signed or word != word.lower() or word[-3:].isdigit())


def _is_mixed(word: str) -> bool:
    """Letters only, but no words."""
    return word.isalpha() and len(word) >= 12 and not word.islower() and entropy(word) > 3.3 and not is_wordy(word)


def _is_phrase(word: str) -> bool:
    """Four or more words that name nothing: `river-lamp-orbit-cedar`."""
    return _PHRASE.fullmatch(word) is not None and not _names_something(word)


def _names_something(word: str) -> bool:
    return not _OF_A_NAME.isdisjoint(part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", word))


def is_not_prose(phrase: str) -> bool:
    """A list of words: a sentence of that length would have function words."""
    return _SMALL_WORDS.isdisjoint(phrase.split())


def _is_wordy_name(word: str) -> bool:
    """Words joined as in code or file names, without punctuation that only passwords have."""
    if _PUNCTUATION.search(word) or len(re.split(r"[-_./:]", word)) == 1 or not is_wordy(word):
        return False
    return re.search(r"\d\d$", word) is None or _names_something(word)
