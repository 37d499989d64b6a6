"""Whether a match is whole words: `port` is not in `report`, nor `V7` in `V7.2`, nor `250` in `1,250`."""

from __future__ import annotations

import re

from heedful.apply.corrections.substitution.source_text import SourceText
from heedful.apply.corrections.substitution.tokens import TokenKind
from heedful.text.words import SPACELESS

_SPACELESS = re.compile(f"[{SPACELESS}]")
_SCRIPTS = tuple(
    map(re.compile, (r"[\u3040-\u309f]", r"[\u30a0-\u30ff]", r"[\u3400-\u9fff\uf900-\ufaff]", f"[{SPACELESS}]"))
)
_WHOLE_SPACELESS = 3  # letters; a shorter find may be the half of a word that no space ends
_CURRENCY = "$€£¥"
_JOINING = "-‐‑–−_@#&+~\\^"
_ADDRESS = re.compile(r"://|^\W*www\.|[^\s@]@[^\s@]|^\W*mailto:")
_PATH = re.compile(r"^\W*(?:~?/|\.{1,2}/|[A-Za-z]:\\)|(?<![\w\-.])[\w\-.]++/[\w\-.]+/|/[\w\-]+\.\w{1,5}\b|\w\\\w")
_SYMBOLS = re.compile(r"[={}\\]|[\])]/|/[\[(]|<\w|\w>")
_FILE = re.compile(
    r"\w\.(?:py|js|ts|tsx|jsx|go|rs|md|json|ya?ml|toml|txt|html|css|sh|sql|csv|pdf|png|com|org|net|io)\b"
)
_GROUP = re.compile(r"\d{1,3}[  \u202f]$")
_THREE_DIGITS = re.compile(r"\d{3}(?!\d)")
_GROUP_AFTER = re.compile(r"[  \u202f]\d{3}(?!\d)")
_YEAR_AFTER = re.compile(r",?[  ](?:19|20)\d\d\b|[/.\-]\d")
_MONTH = re.compile(r"(?i)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[  ]$")


def is_whole(source: SourceText, start: int, end: int, kind: TokenKind) -> bool:
    text = source.text
    before, after = text[max(0, start - 3) : start], text[end : end + 3]
    if _emphasised(before, after) and kind is not TokenKind.CODE:
        before, after = before[:-1], after[1:]
    if not _begins(before, text[start], kind) or not _ends(after, text[end - 1], kind):
        return _is_whole_without_spaces(text, start, end)
    if kind is TokenKind.VALUE:
        return _is_whole_number(source, start, end)
    return _stands_in_words(source, start, end, kind)


def _emphasised(before: str, after: str) -> bool:
    opened = before.endswith("_") and not before[:-1][-1:].isalnum() and before[-2:-1] != "_"
    return opened and after.startswith("_") and not after[1:2].isalnum() and after[1:2] != "_"


def _is_part(letter: str) -> bool:
    return letter.isalnum() or letter == "_" or "\u0300" <= letter <= "\u036f" or letter in "\u200c\u200d\xad"


def _begins(before: str, first: str, kind: TokenKind) -> bool:
    mark, other = before[-1:], before[-2:-1]
    if not mark or _is_part(mark):
        return not mark
    joined = bool(other) and _is_part(other)
    if kind is TokenKind.CODE:
        opened = first.isalnum() or mark not in "-.$@/\\"
        return opened and mark not in "-‐‑/\\~@#" and (mark != "." or joined or other in (")", "]"))
    if mark in _CURRENCY or mark == "=":
        return kind is TokenKind.VALUE
    if mark == ".":
        return other == "." and kind is not TokenKind.VALUE
    if mark in ":,/'’":
        return not joined or (kind is TokenKind.VALUE and mark == ":" and not other.isdigit())
    return mark not in _JOINING and mark not in ")]"


def _ends(after: str, last: str, kind: TokenKind) -> bool:
    mark, other = after[:1], after[1:2]
    if not mark or _is_part(mark):
        return not mark
    joined = bool(other) and _is_part(other)
    if kind is TokenKind.CODE:
        longer = mark == "." and other.isdigit() and last.isdigit()
        return mark not in "/\\@~" and not longer and not (mark in "-‐‑" and joined)
    if mark in "'’":
        return not joined or (other in "sS" and not _is_part(after[2:3] or " "))
    if mark in _CURRENCY:
        return kind is TokenKind.VALUE
    return mark not in "%‰°=([" and mark not in _JOINING and not (joined and mark in ".,:/")


def _is_whole_without_spaces(text: str, start: int, end: int) -> bool:
    """In scripts without spaces a word ends where the script changes; a long match is hardly part of another word."""
    found = text[start:end]
    if not all(_SPACELESS.match(letter) for letter in (found[0], found[-1])):
        return False
    if len(found) >= _WHOLE_SPACELESS:
        return True
    inner = [_script(found[0]), _script(found[-1])]
    outer = [_script(text[start - 1 : start]), _script(text[end : end + 1])]
    return all(one != other for one, other in zip(inner, outer, strict=True))


def _script(letter: str) -> int:
    return next((at for at, script in enumerate(_SCRIPTS) if letter and script.match(letter)), -1)


def _is_whole_number(source: SourceText, start: int, end: int) -> bool:
    text = source.text
    run = source.run(start, end)
    if run is None or _ADDRESS.search(text[run[0] : run[1]]):
        return False
    digits = text[start:end]
    if _THREE_DIGITS.match(digits) and _GROUP.search(text[max(0, start - 4) : start]):
        return False
    if digits.isdigit() and len(digits) <= 3 and _GROUP_AFTER.match(text, end):
        return False
    return not (_MONTH.search(text[max(0, start - 12) : start]) and _YEAR_AFTER.match(text, end))


def _stands_in_words(source: SourceText, start: int, end: int, kind: TokenKind) -> bool:
    run = source.run(start, end)
    if run is None:
        return False
    around = source.text[run[0] : run[1]]
    if kind is TokenKind.CODE:
        found = source.text[start:end]
        if "/" in found or "." in found:
            longer = re.match(r"[/.]\w", source.text[end : end + 2]) or source.text[start - 1 : start] == "."
            return not longer and (not _ADDRESS.search(around) or "://" in found or "@" in found)
        return not (_ADDRESS.search(around) or _PATH.search(around) or _FILE.search(source.text[start : end + 6]))
    return not (_ADDRESS.search(around) or _PATH.search(around) or _SYMBOLS.search(around))
