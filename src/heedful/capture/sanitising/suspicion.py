"""Whether a text may hold a secret at all: a look of microseconds that rules out nearly all texts.

It knows less than the search and must never be stricter: whatever the search would find is suspicious. So it asks for
the marks that the search begins from, and for long runs of signs that are no words.
"""

from __future__ import annotations

import re
import string

_MARKS = (
    # Names of secrets, and the places they stand in.
    *("pass", "pw", "secret", "token", "key", "auth", "cred", "signature", "salt", "jwt", "sig=", "kennwort", "senha"),
    *("bearer", "cookie", "curl", "mysql", "mariadb", "hook"),
    # What tokens begin with, of which the end of a text may leave little.
    *(
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "xox",
        "xapp-",
        "sk-",
        "sk_",
        "rk_live_",
        "aiza",
    ),
    *("gocspx-", "akia", "asia", "npm_", "dckr_pat_", "shpat_", "whsec_", "hvs.", "atatt3", "eyj", "access_token$"),
)
_FURTHER_MARKS = ("contraseña", "пароль", "密码", "パスワード", "비밀번호")
_LONG = 15  # characters: tokens are longer, words hardly ever
_BETWEEN_WORDS = re.compile(r"[-_./+=~%$]+")
_NAMED_NUMBER = re.compile(r"[A-Za-z]{1,12}\d{1,4}|\d{1,4}[A-Za-z]{1,4}")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_IN_WORDS = frozenset((string.ascii_letters + string.digits + "_-+/=.~%$").encode())
_SPLIT = bytes(sign if sign in _IN_WORDS or sign >= 0x80 else 0x20 for sign in range(256))
_ROOM = 20_000  # words

# Names of fields, kinds and common words come again and again: each is looked at once. Secrets are never among them.
_harmless: set[bytes] = set()


def may_hold_secret(text: str | bytes) -> bool:
    """Whether it is worth a search. Bytes are UTF-8, or JSON in it."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if b"://" in data and b"@" in data:
        return True
    for word in set(data.translate(_SPLIT).split()) - _harmless:
        if _is_suspicious(word.decode("utf-8", "replace")):
            return True
        if len(_harmless) >= _ROOM:
            _harmless.clear()
        _harmless.add(word)
    return False


def _is_suspicious(word: str) -> bool:
    if _UUID.fullmatch(word):
        return False
    lowered = word.lower()
    if any(map(lowered.__contains__, _MARKS if lowered.isascii() else _MARKS + _FURTHER_MARKS)):
        return True
    return len(word) >= _LONG and not all(map(_is_plain, _BETWEEN_WORDS.split(word)))


def _is_plain(part: str) -> bool:
    """A word or a number, as they are joined in names and paths: nothing was drawn at random."""
    if len(part) < 4 or part.isdigit():
        return True
    if part.isalpha():
        return len(part) < 20 and (part.islower() or part.isupper() or part.istitle() or len(part) < 8)
    return _NAMED_NUMBER.fullmatch(part) is not None
