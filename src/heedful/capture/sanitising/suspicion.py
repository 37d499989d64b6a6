"""Whether a text may hold a secret at all: a look of microseconds that rules out nearly all texts.

It knows less than the search and must never be stricter: whatever the search would find is suspicious. So it asks for
the marks that the search begins from, and for long runs of signs that are no words.
"""

from __future__ import annotations

import re

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
_RUN = re.compile(r"[\w+/=.~%-]{15,}")
_BETWEEN_WORDS = re.compile(r"[-_./+=~%]+")
_NAMED_NUMBER = re.compile(r"[A-Za-z]{1,12}\d{1,4}|\d{1,4}[A-Za-z]{1,4}")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


def may_hold_secret(text: str) -> bool:
    """Whether it is worth a search."""
    lowered = text.lower()
    if any(map(lowered.__contains__, _MARKS)) or ("://" in text and "@" in text):
        return True
    if not text.isascii() and any(map(lowered.__contains__, _FURTHER_MARKS)):
        return True
    return any(not _UUID.fullmatch(run) and not _is_words(run) for run in _RUN.findall(text))


def _is_words(run: str) -> bool:
    """Words and numbers, joined as in names and paths: nothing was drawn at random."""
    return all(map(_is_word, _BETWEEN_WORDS.split(run)))


def _is_word(part: str) -> bool:
    if len(part) < 4 or part.isdigit():
        return True
    if part.isalpha():
        return len(part) < 20 and (part.islower() or part.isupper() or part.istitle() or len(part) < 8)
    return _NAMED_NUMBER.fullmatch(part) is not None
