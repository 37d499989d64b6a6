"""Lenient JSON decoding: truncated, with broken characters, deeply nested."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n\x00"  # a crash can leave NULs behind
_TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*+)"(\s*+:)?|[{}\[\]]', re.DOTALL)
_RECORDS_LOOKED_AT = 200


class InvalidJson(ValueError):
    """Does not quote the text."""


def decode_json(data: bytes) -> Any:
    data = data.strip(_BLANK)
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:  # more patient: NaN, half a character, a character that is not UTF-8
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise InvalidJson from None


def without_bom(data: bytes) -> bytes:
    """Removes a byte order mark."""
    return data.removeprefix(_BOM)


def head_records(head: bytes) -> list[dict[str, Any]]:
    """The complete lines at the head of a file that are JSON objects."""
    lines = without_bom(head).split(b"\n")
    found = []
    for line in lines[:_RECORDS_LOOKED_AT]:
        if line.strip(_BLANK)[:1] != b"{":
            continue
        try:
            value = decode_json(line)
        except InvalidJson:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def head_keys(head: bytes) -> tuple[str, frozenset[str]]:
    """The opening bracket of the first JSON value, and the keys of its first object, even if the head cuts it off."""
    head = without_bom(head).lstrip(_BLANK)
    opening = head[:1].decode("ascii", "replace")
    if opening not in {"{", "["}:
        return "", frozenset()
    keys: set[str] = set()
    level = 1 if opening == "{" else 2
    depth = 0
    for token in _TOKEN.finditer(head):
        if token[0] in {b"{", b"["}:
            depth += 1
        elif token[0] in {b"}", b"]"}:
            if depth == level:
                break
            depth -= 1
        elif token[2] and depth == level:
            keys.add(token[1].decode("utf-8", "replace"))
    return opening, frozenset(keys)
