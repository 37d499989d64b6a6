"""Commands and code names in a sentence: `make ship`, `src/app.py`. What they are is a value, as a number is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from heedful.text.words import FUNCTION_WORDS, NEGATIONS, words_of

_LONGEST = 80  # characters
_MOST_WORDS = 5
# Programs that are told what to do by the words after them, and commands after `with` or `run`.
PROGRAMS = words_of("""
    make just task npm npx pnpm yarn bun bunx deno pip pipx uv uvx poetry hatch pdm tox nox cargo go mvn gradle dotnet
    rake bundle composer mix sbt bazel cmake ninja docker podman kubectl helm terraform ansible git gh python python3
    node php ruby
""")
_EVERYDAY = words_of("just task go mix make node hatch bundle")
MEANS = words_of("with via using through by mit avec con com")
_CALLS = words_of("run runs running use uses using call calls calling execute executing type")
_PURPOSES = words_of("to for")
_ENDS = (
    (FUNCTION_WORDS - {"all"})
    | NEGATIONS
    | words_of("before after again now anymore instead always never ever first then please longer against once rather")
)
_WORD = re.compile(r"`[^`\n]+`|[^\s,;()`]+(?:\(\))?")
_CODE = re.compile(r"^--?\w|^\.\w|\w[/:_]\w|\w\.[a-z]\w|[a-z][A-Z]|\w\(\)$")
_RUN = re.compile(r"^(\w+) (?:run|exec) (?=\w)")

_ANSWERING = re.compile(
    r"^(?:(?:no+|nope|nein|non|não|nao|actually|sorry)\b[\s,.!:;–—-]*)?"
    r"(?:(?:it|that)(?:['’]s| is)(?: now)?\s|(?:use|run)\s|es ist\s|das ist\s|c['’]est\s|es\s|é\s)?",
    re.IGNORECASE,
)


class Command(NamedTuple):
    """A command or a name of code, in its place."""

    text: str
    start: int
    end: int
    is_means: bool
    """Something is done with it: `deploy with make ship`. Of two for the same purpose one is to be taken."""


def commands(sentence: str) -> Iterator[Command]:
    words = list(_WORD.finditer(sentence))
    at = 0
    while at < len(words):
        last = _last(words, at)
        if last is None:
            at += 1
            continue
        start, end = words[at].start(), words[last].end()
        text = _RUN.sub(r"\1 ", sentence[start:end].strip("`.!?").casefold()[:_LONGEST])
        yield Command(text, start, end, text[:1] != "-" and _is_means(words, at, last))
        at = last + 1


def command_of(answer: str) -> str:
    """The command of several words that is all an answer says: `no, it's make release`. Otherwise nothing."""
    said = _ANSWERING.sub("", answer.strip())
    found = next(commands(f"run {said}"), None)
    if found is None or found.start != len("run ") or " " not in found.text:
        return ""
    return "" if _WORD.search(said[found.end - len("run ") :].removesuffix(" now").strip(".! ")) else found.text


def _last(words: list[re.Match[str]], at: int) -> int | None:
    """The number of the last word of a command that begins there; None if none does."""
    word = words[at][0]
    if word.casefold() not in PROGRAMS:
        return at if word[0] == "`" or (not word[0].isdigit() and _CODE.search(word.rstrip(".!?"))) else None
    if _small(words, at - 1) not in MEANS | _CALLS:
        return None
    last = at
    while last + 1 < min(len(words), at + _MOST_WORDS) and not _end_between(words[last], words[last + 1]):
        last += 1
    return last if last > at or word.casefold() not in _EVERYDAY else None


def _end_between(word: re.Match[str], following: re.Match[str]) -> bool:
    apart = following.start() - word.end() > 1 or word[0][-1] in ".!?"
    return apart or following[0].casefold().rstrip(".!?") in _ENDS


def _is_means(words: list[re.Match[str]], at: int, last: int) -> bool:
    before = _small(words, at - 1)
    if before in MEANS:
        return True
    return before in _CALLS and (_small(words, at - 2) in MEANS or _small(words, last + 1) in _PURPOSES)


def _small(words: list[re.Match[str]], at: int) -> str:
    return words[at][0].casefold() if 0 <= at < len(words) else ""
