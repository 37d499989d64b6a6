"""Keys and tokens recognised by their own format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from heedful.text.redaction.formats import FORMATS, Format
from heedful.text.redaction.literals import is_placeholder
from heedful.text.redaction.randomness import entropy, is_dummy, is_random, is_wordy
from heedful.text.redaction.spans import SensitiveSpan, offsets

_RUN = re.compile(r"[A-Za-z0-9_+/=.~:%$-]{15,}+")  # every token is one, and few words are
_SEPARATORS = frozenset("-_./")
_FEWEST, _ENOUGH = 10, 40  # characters of a token that was cut


class _Row(NamedTuple):
    prefix: str
    length: int
    shape: re.Pattern[str]


def _row(prefix: str, format: Format) -> _Row:
    """Half of a token must be there."""
    least = min(max(_FEWEST, format.length // 2), _ENOUGH)
    return _Row(prefix, format.length, re.compile(rf"{re.escape(prefix)}[{format.alphabet}]{{{least},}}+", re.ASCII))


_HEAD = 2  # signs that even the shortest prefix has
_ROWS = {
    head: sorted(rows, key=lambda row: -len(row.prefix))  # `sk-proj-` before `sk-`
    for head, rows in groupby(
        sorted(
            (_row(prefix, format) for format in FORMATS for prefix in format.prefixes.split()),
            key=lambda row: row.prefix,
        ),
        key=lambda row: row.prefix[:_HEAD],
    )
}
_PREFIXES = sorted(row.prefix for rows in _ROWS.values() for row in rows)
_HEADS = "|".join(
    f"{first}(?:{'|'.join(re.escape(prefix[1:]) for prefix in prefixes)})"
    for first, prefixes in groupby(_PREFIXES, key=itemgetter(0))
)
_BEGINNING = re.compile(rf"(?<![A-Za-z0-9_])(?:{_HEADS})")

# The same cut off by the end of the text: little is left, so only prefixes that nothing else begins with.
_CUT = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|xox[abpsr]-|xapp-\d-|sk-(?:proj|ant|svcacct|or-v1)-|[sr]k_live_"
    r"|AIza|GOCSPX-|AKIA|ASIA|npm_|hf_|dckr_pat_|shpat_|whsec_|hvs\.|ATATT3|eyJhbGci|AGE-SECRET-KEY-1)([\w./+=-]{3,})\Z"
)

# What no prefix gives away: what to look for, what belongs to the token to its left, and what must stand there.
_NOTHING = re.compile("")
_CRYPT = re.compile(
    r"\$(?:\d[abxy]?|y|apr1|argon2\w{1,2})\$[\w./$=,+-]{20,200}"
)  # what is stored instead of a password
_MARKED = (
    (
        "eyJ",
        _NOTHING,
        re.compile(
            r"eyJ[\w-]{6,}+(?:\.[\w%=+/-]{4,}+){1,4}"
            r"|eyJ(?:hbGci|0eXAi|raWQi|rIjoi|2ZXIi|hdWQi)[\w+/=-]{16,}+"
        ),
    ),
    (".atlasv1.", re.compile(r"[A-Za-z0-9]{14}$"), re.compile(r"\.atlasv1\.[\w-]{40,}")),
    ("Q~", re.compile(r"(?<![\w.~-])[\w.~-]{3}\d$"), re.compile(r"Q~[\w.~-]{30,36}")),
    ("JQQJ99", re.compile(r"[A-Za-z0-9]{30,60}$"), re.compile(r"JQQJ99[\w=+/-]{16,}")),
    (":AA", re.compile(r"(?<!\d)\d{8,10}$"), re.compile(r":AA[A-Za-z][\w-]{30,}")),
    (":APA91", re.compile(r"[\w-]{11,22}$"), re.compile(r":APA91[\w-]{60,}")),
    ("NRAL", re.compile(r"(?<!\w)[a-f0-9]{36}$"), re.compile(r"NRAL(?!\w)")),
    ("_mmk", re.compile(r"(?<!\w)[A-Za-z0-9]{6}_[A-Za-z0-9]{29}$"), re.compile(r"_mmk(?!\w)")),
    ("-us", re.compile(r"(?<!\w)[A-Za-z0-9]{32}$"), re.compile(r"-us\d{1,2}(?!\w)")),
    ("_gitlab_session=", _NOTHING, re.compile(r"_gitlab_session=([\w%-]{16,})")),
    (
        "hook",  # the host is worth reading, the rest is the secret
        _NOTHING,
        re.compile(
            r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{16,})|hooks/\d{15,}/([\w-]{24,})"
            r"|hook\.office\.com/([\w@/.-]{40,})|hooks\.zapier\.com/hooks/catch/([\w/]{8,})"
        ),
    ),
    (".logic.azure.com", _NOTHING, re.compile(r"\.logic\.azure\.com[:\d]{0,5}/([^\s\"'<>]{40,600})")),
    ("access_token$", _NOTHING, re.compile(r"access_token\$(?:production|sandbox)\$(\w{8,}\$\w{20,})")),
)
_CRYPT_MARKS = ("$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$apr1$", "$argon2")
_LONGEST_LEFT = 64
_SHORTEST_DOTTED = 50
_DOTTED = re.compile(  # Discord, Airtable
    r"(?<![\w.-])(?:[MNO][A-Za-z\d_-]{22,27}\.[\w-]{6}\.[\w-]{27,}|pat[A-Za-z0-9]{14}\.[a-f0-9]{32,})"
)


def tokens(text: str) -> Iterator[SensitiveSpan]:
    for run in _RUN.finditer(text):
        start, end = run.span()
        if _BEGINNING.search(text, start, end):
            yield from _in_run(text, start, end)
        if end - start >= _SHORTEST_DOTTED and (dotted := _DOTTED.search(text, start, end)):
            yield SensitiveSpan(*dotted.span(), "TOKEN", dotted.group())
    for mark, left, shape in _MARKED:
        if mark in text:
            yield from _marked(text, mark, left, shape)
    for mark in _CRYPT_MARKS if "$" in text else ():
        if mark in text:
            yield from _marked(text, mark, _NOTHING, _CRYPT)
    end = len(text.rstrip())
    last = text[max(0, end - 200) : end].split()
    cut = _CUT.search(last[-1]) if last else None
    if cut and not is_dummy(cut[1]) and not is_placeholder(cut[1]):
        yield SensitiveSpan(end - len(cut.group()), end, "TOKEN", cut.group())
    if beginning := _beginning(text):
        yield beginning


def _in_run(text: str, start: int, end: int) -> Iterator[SensitiveSpan]:
    passed = start
    for head in _BEGINNING.finditer(text, start, end):
        if head.start() < passed:
            continue
        for prefix, length, shape in _ROWS[head.group()[:_HEAD]]:
            if (found := shape.match(text, head.start())) and _has_chance(found.group()[len(prefix) :], length):
                value = found.group().rstrip(".-")
                passed = head.start() + len(value)
                yield SensitiveSpan(head.start(), passed, "TOKEN", value)
                break


def _has_chance(body: str, length: int) -> bool:
    """Excludes names in code that begin like a token: `sk-loading-indicator-large`."""
    if is_dummy(body):
        return False
    if len(body) < length:
        return is_random(body, 8) and (_SEPARATORS.isdisjoint(body) or _is_mixed(body))
    if body.isalpha() or not _SEPARATORS.isdisjoint(body):
        return _is_mixed(body) or not is_wordy(body)
    return True


def _is_mixed(body: str) -> bool:
    return any(map(str.isdigit, body)) and any(map(str.islower, body)) and any(map(str.isupper, body))


def _marked(text: str, mark: str, left: re.Pattern[str], shape: re.Pattern[str]) -> Iterator[SensitiveSpan]:
    end = 0
    for at in offsets(mark, text):
        if at < end or (left is _NOTHING and mark != "hook" and at and text[at - 1].isalnum() and mark[0].isalnum()):
            continue
        found = shape.match(text, at)
        if found is None:
            continue
        start, end = found.span(found.lastindex or 0)
        if left is not _NOTHING:
            head = left.search(text, max(0, start - _LONGEST_LEFT), start)
            start = head.start() if head else end
        value = text[start:end].rstrip(".-")
        if value and not is_dummy(value):
            yield SensitiveSpan(start, start + len(value), "TOKEN", value)


def _beginning(text: str) -> SensitiveSpan | None:
    """A text may begin within a token: mixed letters and digits that no name is made of."""
    found = re.match(r"…?[A-Za-z0-9_+/-]{20,200}={0,2}(?![\w./:=(-])", text)
    if found is None:
        return None
    value = found.group().lstrip("…")
    mixed = any(map(str.islower, value)) and any(map(str.isupper, value)) and sum(map(str.isdigit, value)) >= 3
    if not mixed or "/" in value or not is_random(value, 20) or entropy(value) < 3.8:
        return None
    return SensitiveSpan(found.end() - len(value), found.end(), "TOKEN", value)
