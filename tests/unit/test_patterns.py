"""No pattern of the package takes more than linear time, whatever a text holds.

Hostile texts are built from each pattern itself: what it repeats is repeated, and then what it waits for does not come.
So a new pattern is tested from its first day. Times are compared with those of a text a quarter as long, in the time of
this thread alone: it is about the growth, and no matter how fast or busy the machine is.
"""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from re import _constants as signs
from re import _parser as parser
from typing import Any, NamedTuple

import pytest

import heedful
from heedful.capture.corrections.categories import category, severity
from heedful.learn.conversations.turns import turns
from heedful.learn.conversations.wording import titled
from heedful.records.transcript import Message, Source, Speaker, Transcript
from heedful.text.diff import differences, improvement
from heedful.text.gist import gist
from heedful.text.lazy_pattern import LazyPattern
from heedful.text.prose import prose
from heedful.text.redaction import Sanitiser, may_hold_secret

_SIZES = (300, 1_200, 4_800)
_STEEP = 9.0  # four times as long: linear takes 4 times as long, quadratic 16 times
_MEASURABLE = 0.004  # seconds; less is noise
_PUMPS = 30  # texts for each pattern
_SOURCES = sorted(Path(heedful.__file__).parent.rglob("*.py"))
_FEW = 8  # times that something may come without being worth a hostile text
_REPEATS = (signs.MAX_REPEAT, signs.MIN_REPEAT, signs.POSSESSIVE_REPEAT)
_CATEGORIES = {
    signs.CATEGORY_DIGIT: r"\d",
    signs.CATEGORY_NOT_DIGIT: r"\D",
    signs.CATEGORY_SPACE: r"\s",
    signs.CATEGORY_NOT_SPACE: r"\S",
    signs.CATEGORY_WORD: r"\w",
    signs.CATEGORY_NOT_WORD: r"\W",
}
_OF_CATEGORY = {
    signs.CATEGORY_DIGIT: "1",
    signs.CATEGORY_NOT_DIGIT: "a",
    signs.CATEGORY_SPACE: " ",
    signs.CATEGORY_NOT_SPACE: "a",
    signs.CATEGORY_WORD: "a",
    signs.CATEGORY_NOT_WORD: "-",
}
_CALLS = frozenset(f"re.{name}" for name in (*("search", "finditer", "findall", "sub", "split"), "match", "fullmatch"))
_EXPECTING = frozenset({"match", "fullmatch"})
_METHODS = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})


class Used(NamedTuple):
    """A pattern, and how the package uses it."""

    where: str
    pattern: re.Pattern[str]
    searched: bool
    """It is looked for in a text, and not only expected at a place of it."""


# What there is


_NOT_INSTALLED = {f"heedful.adapters.{name}" for name in ("langchain", "dspy") if find_spec(name) is None}
"""Adapters for frameworks that are only installed to test them."""


def _modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(heedful.__path__, "heedful."):
        if not found.name.endswith("__main__") and found.name not in _NOT_INSTALLED:
            yield importlib.import_module(found.name)


def _within(value: object, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 5:
        if isinstance(value, dict):
            value = (*value.keys(), *value.values())
        if isinstance(value, tuple | list | set | frozenset):
            for one in value:
                yield from _within(one, depth + 1)
        elif (fields := getattr(type(value), "__dataclass_fields__", None)) and not isinstance(value, type):
            for name in fields:
                yield from _within(getattr(value, name, None), depth + 1)
        elif isinstance(value, LazyPattern):
            yield value.compiled


def _globals() -> Iterator[tuple[str, str, re.Pattern[Any]]]:
    for module in _modules():
        for name, value in vars(module).items():
            for pattern in _within(value):
                yield module.__name__, name, pattern


def _named_in_sources() -> Iterator[tuple[str, str, re.Pattern[Any]]]:
    """Those that a function uses without a name: `re.sub(r"…", …)`."""
    for source in _SOURCES:
        for call in ast.walk(ast.parse(source.read_text())):
            if not (isinstance(call, ast.Call) and ast.unparse(call.func) in _CALLS and call.args):
                continue
            if isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str):
                yield source.stem, call.func.attr, re.compile(call.args[0].value)  # type: ignore[attr-defined]


def _is_searched(module: str, name: str, sources: dict[Path, str]) -> bool:
    """Unless all that is done with it is to expect it at a place."""
    own = importlib.import_module(module).__file__
    text = sources[Path(str(own))] if name.startswith("_") else "\n".join(sources.values())
    methods = set(re.findall(rf"(?<!\w){name}\.(\w+)", text))
    return not methods or not methods <= _EXPECTING


@functools.cache
def _used() -> list[Used]:
    """Every pattern of the package once."""
    sources = {source: source.read_text() for source in _SOURCES}
    found: dict[tuple[str | bytes, int], Used] = {}
    for module, name, pattern in (*_globals(), *_named_in_sources()):
        searched = name in _METHODS or (name not in _EXPECTING and _is_searched(module, name, sources))
        before = found.get((pattern.pattern, pattern.flags))
        if isinstance(pattern.pattern, str) and (before is None or (searched and not before.searched)):
            found[pattern.pattern, pattern.flags] = Used(f"{module}.{name}", pattern, searched)
    return list(found.values())


# Hostile texts


def _sample(tree: Iterable[Any], groups: dict[int, str], turn: int = 0) -> str:
    """A text that a parsed pattern matches, or nearly."""
    return "".join(_one(sign, what, groups, turn) for sign, what in tree)


def _one(sign: Any, what: Any, groups: dict[int, str], turn: int) -> str:  # noqa: PLR0911 - one for each sign
    if sign is signs.LITERAL:
        return chr(what)
    if sign is signs.NOT_LITERAL:
        return "b" if what == ord("a") else "a"
    if sign is signs.ANY:
        return "a"
    if sign is signs.IN:
        return _letter(what, turn)
    if sign is signs.BRANCH:
        branches = what[1]
        return _sample(branches[turn % len(branches)], groups, turn)
    if sign is signs.SUBPATTERN:
        inner = groups[what[0]] = _sample(what[3], groups, turn)
        return inner
    if sign in _REPEATS:
        return _sample(what[2], groups, turn) * int(min(max(what[0], 1), 50))
    if sign is signs.ATOMIC_GROUP:
        return _sample(what, groups, turn)
    if sign is signs.GROUPREF:
        return str(groups.get(what, ""))
    return ""  # places and looks around


def _letter(choices: list[Any], turn: int) -> str:
    if choices[0][0] is signs.NEGATE:
        shape = re.compile(_class(choices))
        return next((one for one in "a 1.-\n\u00e9" if shape.match(one)), "a")
    kind, what = choices[turn % len(choices)]
    if kind is signs.LITERAL:
        return chr(what)
    if kind is signs.RANGE:
        return chr(what[0] + min(turn, what[1] - what[0]))
    return _OF_CATEGORY[what]


def _class(choices: list[Any]) -> str:
    pieces = []
    for kind, what in choices[1:]:
        if kind is signs.LITERAL:
            pieces.append(re.escape(chr(what)))
        elif kind is signs.RANGE:
            pieces.append(f"{re.escape(chr(what[0]))}-{re.escape(chr(what[1]))}")
        else:
            pieces.append(_CATEGORIES[what])
    return f"[^{''.join(pieces)}]"


def _repeated(tree: Iterable[Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Whatever may come often, with a text that leads up to it."""
    groups: dict[int, str] = {}
    for sign, what in tree:
        inner: list[Any] = []
        if sign in _REPEATS:
            if what[1] > _FEW:
                yield before, what[2]
            inner = [what[2]]
        elif sign is signs.SUBPATTERN:
            inner = [what[3]]
        elif sign is signs.BRANCH:
            inner = what[1]
        elif sign is signs.ATOMIC_GROUP:
            inner = [what]
        elif sign in (signs.ASSERT, signs.ASSERT_NOT):
            inner = [what[1]]
        for one in inner:
            yield from _repeated(one, before)
        before += _one(sign, what, groups, 0)


def _pumps(pattern: re.Pattern[str]) -> Iterator[Callable[[int], str]]:
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    whole = _sample(tree, {})
    bodies: dict[tuple[str, str], None] = {}
    for before, body in _repeated(tree):
        for turn in range(3):
            bodies[before, _sample(body, {}, turn)] = None
    alone = dict.fromkeys(body for _, body in bodies if body)
    pairs = (a + b for a in islice(alone, 5) for b in islice(alone, 5) if a != b)
    others = (("", one) for one in (*alone, whole, " ", "a", "1", "\n", *islice(pairs, 12)))
    for lead, body in dict.fromkeys((*bodies, *others)):
        if body:
            yield functools.partial(_text, lead, body)


def _text(lead: str, body: str, size: int) -> str:
    """What is repeated ends in something that nothing waits for."""
    return lead + body * max(1, size // len(body)) + "\x00"


# Growth


def _seconds(act: Callable[[str], object], text: str, tries: int = 1) -> float:
    best = float("inf")
    for _ in range(tries):
        begun = time.thread_time()
        act(text)
        best = min(best, time.thread_time() - begun)
    return best


def _grows_too_fast(act: Callable[[str], object], text: Callable[[int], str], sizes: tuple[int, ...] = _SIZES) -> bool:
    """Whether four times the text takes far more than four times as long; measured again before it is said."""
    before = 0.0
    for size in sizes:
        took = _seconds(act, text(size))
        if took > _MEASURABLE and took > _STEEP * before and size != sizes[0]:
            long, short = _seconds(act, text(size), 3), _seconds(act, text(size // 4), 5)
            if long > _MEASURABLE and long > _STEEP * short:
                return True
        before = took
    return False


def _search(pattern: re.Pattern[str], text: str) -> None:
    for _ in pattern.finditer(text):
        pass


@pytest.mark.parametrize("used", _used(), ids=lambda used: used.where)
def test_a_pattern_takes_no_longer_than_its_text_is_long(used: Used) -> None:
    act = functools.partial(_search, used.pattern) if used.searched else used.pattern.match
    slow = [text(24) for text in islice(_pumps(used.pattern), _PUMPS) if _grows_too_fast(act, text)]
    assert not slow, f"{used.where} takes more than linear time for {slow[0]!r}…: {used.pattern.pattern}"


# Functions above them

_SEEDS = (
    *(
        " ",
        "\n",
        "a ",
        "1.1.1.",
        "Anna Maria ",
        "please ",
        "always use ",
        "- never x\n",
        "because, ",
        "x=y;",
        "(",
        '"',
        "`",
    ),
    *(
        "[EMAIL:3f2a]",
        "a@b.co ",
        "password=",
        "password: x1y2z3w4 ",
        "AKIA",
        "eyJ",
        "://a:b@",
        "-----BEGIN ",
        "00 49 1 ",
        "é中",
    ),
    *(
        "```\n",
        "> ",
        "/home/a/",
        "12 Old St ",
        "Hi Bo,\n",
        "no, it's b not a. ",
        "<heedful>",
        "3 -> 4 ms ",
        "not ",
        "1. a 2. ",
    ),
)


def _mined(text: str) -> None:
    said = Message("1", Speaker.USER, text), Message("2", Speaker.ASSISTANT, text), Message("3", Speaker.USER, text)
    turns(Transcript(Source("c", "t"), tuple(said)))
    titled(text)
    prose(text)


_FUNCTIONS: dict[str, Callable[[str], object]] = {
    "Sanitiser.clean": lambda text: Sanitiser(lambda _: "0123").clean(text),
    "may_hold_secret": may_hold_secret,
    "detect": lambda text: severity(text, category(text, text)),
    "differences": lambda text: differences(text, text[::-1]),
    "improvement": lambda text: improvement(text, f"not {text}"),
    "gist": gist,
    "mining": _mined,
}


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_a_function_that_reads_texts_takes_no_longer_than_they_are_long(name: str) -> None:
    slow = [
        seed for seed in _SEEDS if _grows_too_fast(_FUNCTIONS[name], functools.partial(_text, "", seed), (2_000, 8_000))
    ]
    assert not slow, f"{name} takes more than linear time for {slow}"
