"""PEM private keys, also cut at either end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.text.redaction.spans import SensitiveSpan

_LONGEST = 20_000  # characters of one key; the largest in use have 14,000
_BEGIN, _END = "-----BEGIN ", "-----END "
_LABEL = re.compile(r"-----(?:BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")

# Between the lines of a key stand line ends, also escaped, quotes, what joins strings, and marks of quoting and logs.
_BETWEEN = r"""(?:\\+[rn]|[\s"'`+>|,;*()\\]|//|\#\d*[ ][\d.]{1,8}[ ]|\#)"""
_BODY = re.compile(
    rf"""{_BETWEEN}{{0,80}}+
    (?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\\]{{0,100}}{_BETWEEN}{{0,80}}+){{0,6}}
    (?P<first>[A-Za-z0-9+/=]{{16,}}+)
    (?:{_BETWEEN}{{1,80}}+(?:[A-Za-z0-9+/=]{{24,}}+|[A-Za-z0-9+/]{{1,75}}={{1,2}}|={{1,2}}[A-Za-z0-9+/]{{4}}))*+""",
    re.VERBOSE,
)
_PUTTY = re.compile(r"Private-Lines: \d{1,3}\s{1,8}([A-Za-z0-9+/=]{16,80}(?:\s{1,8}[A-Za-z0-9+/=]{4,80}){0,200}+)")
_LINE = re.compile(r"""[\s"'`+>|,;*\#/]{0,40}[A-Za-z0-9+/=]{16,}(?:\\+[rn]|[\s"'`+,;]){0,20}""")
_OPENING = re.compile(r"""[\s"'`+>|,;*\#/]{0,40}""")
_LINE_END = re.compile(r"(?<=\n)|(?<=\\n)")


def private_keys(text: str) -> Iterator[SensitiveSpan]:
    if "Private-Lines:" in text:
        for putty in _PUTTY.finditer(text):
            yield SensitiveSpan(*putty.span(1), "PRIVATE_KEY", putty[1])
    if "PRIVATE KEY" not in text:
        return
    end = 0
    at = text.find("-----")
    while at >= 0:
        label = _LABEL.match(text, at)
        if label is None:
            at = text.find("-----", at + 1) if text[at + 5 : at + 6] == "-" else text.find("-----", at + 5)
            continue
        span = _from(text, label) if text.startswith(_BEGIN, at) else _until(text, label, end)
        if span is not None:
            yield SensitiveSpan(*span, "PRIVATE_KEY", text[span[0] : span[1]])
            end = span[1]
        at = text.find("-----", max(label.end(), end))


def _from(text: str, label: re.Match[str]) -> tuple[int, int] | None:
    """From the first line to the last, or as far as it goes. A label without a key does not count."""
    limit = label.end() + _LONGEST
    body = _BODY.match(text, label.end(), limit)
    if body is None:
        return None
    last = text.find(_END, label.end(), limit)
    other = text.find(_BEGIN, label.end(), limit)
    if last >= 0 and not 0 <= other < last:
        closing = _LABEL.match(text, last)
        return label.start(), closing.end() if closing else body.end()
    return label.start(), body.end()


def _until(text: str, label: re.Match[str], floor: int) -> tuple[int, int] | None:
    """The lines before an end line whose first line is missing."""
    floor = max(floor, label.start() - _LONGEST)
    lines = _LINE_END.split(text[floor : label.start()])
    start = label.start()
    opening = lines.pop()  # what the last line is written into: quotes, a mark of quoting, or the end of the key itself
    if not _OPENING.fullmatch(opening) and not _LINE.fullmatch(opening):
        return None
    length = len(opening)
    while lines and len(lines[-1]) < 200 and _LINE.fullmatch(lines[-1]):
        length += len(lines.pop())
    return (start - length, label.end()) if length > len(opening) or _LINE.fullmatch(opening) else None
