"""Passwords in SQL: of created users, and in inserted rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.text.redaction.literals import Certainty, Literal, is_secret
from heedful.text.redaction.names import type_of_name
from heedful.text.redaction.spans import SensitiveSpan, offsets

_IDENTIFIED = re.compile(
    r"""identified\s{1,4}(?:with\s{1,4}["'`]?[\w-]{1,60}["'`]?\s{1,4})?(?:by|as|using)\s{1,4}(?:password\s{1,4}|values\s{1,4})?
    (?:'([^'\n]{3,200})'|"([^"\n]{3,200})"|([^\s'";,]{4,200}))""",
    re.VERBOSE | re.IGNORECASE,
)
_STATEMENT = re.compile(r"\b(?:create|alter|grant|set)\b")  # and not a sentence
_STATEMENT_LENGTH = 200
_INSERT = re.compile(
    r"""(?:insert|replace|upsert)\s{1,4}(?:into\s{1,4})?[\w."`\[\]]{1,120}\s{0,8}\(([^()]{1,2000})\)\s{0,40}values?\s{0,40}""",
    re.VERBOSE | re.IGNORECASE,
)
_CELL = re.compile(
    r"""\s{0,40}(?:[NEex](?='))?(?:'((?:[^'\\\n]|''|\\.){0,500})'|"([^"\n]{0,500})"|([^,()'"]{1,500}))\s{0,40}(,|\))"""
)
_NEXT_ROW = re.compile(r"\s{0,40},?\s{0,40}\(")
_MOST_ROWS = 2_000


def statements(text: str, lowered: str) -> Iterator[SensitiveSpan]:
    for at in offsets("identified", lowered):
        if (found := _IDENTIFIED.match(text, at)) and _STATEMENT.search(lowered, max(0, at - _STATEMENT_LENGTH), at):
            group = found.lastindex or 0
            value = Literal(found.start(group), found[group], group < 3)
            if is_secret(value, "PASSWORD", Certainty.SETTING if value.quoted else Certainty.BARE):
                yield SensitiveSpan(*found.span(group), "PASSWORD", found[group])
    if "values" in lowered or "value" in lowered:
        for verb in ("insert", "replace", "upsert"):
            for at in offsets(verb, lowered):
                if found := _INSERT.match(text, at):
                    yield from _rows(text, found)


def _rows(text: str, statement: re.Match[str]) -> Iterator[SensitiveSpan]:
    types = [type_of_name(column.strip(' \t\r\n"`[]')) for column in statement[1].split(",")]
    if not any(types):
        return
    at = statement.end()
    for _ in range(_MOST_ROWS):
        row = _NEXT_ROW.match(text, at)
        if row is None:
            return
        at = row.end()
        for type in types:
            cell = _CELL.match(text, at)
            if cell is None:
                return
            at = cell.end()
            group = next(group for group in (1, 2, 3) if cell[group] is not None)
            value = Literal(cell.start(group), cell[group], group < 3)
            if type in {"PASSWORD", "SECRET"} and group < 3 and is_secret(value, type, Certainty.SETTING):
                yield SensitiveSpan(*cell.span(group), type, cell[group])
            if cell[4] == ")":
                break
