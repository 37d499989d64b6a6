"""A session as turns: what a person said, what the agent had written before, and what became of its work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from heedful.records.transcript import Message, Speaker, ToolCall, Transcript

_TESTS = re.compile(
    r"\b(?:pytest|tox|nox|unittest|rspec|phpunit|jest|vitest|mocha|playwright|cypress|ctest|gotestsum|"
    r"(?:go|cargo|dotnet|mvn|gradle|gradlew|swift|mix|bun|deno|npm|pnpm|yarn|make|just|task|rake|bazel|stack|cabal|zig)"
    r"(?:[ \t]+(?:run|exec|-{1,2}[\w=./-]{1,60})){0,4}[ \t]+(?:test|tests|check|verify|e2e|spec)\b)"
)
_FAILURES = re.compile(r"\b(?!0\b)\d{1,6}[ \t]+(?:failed|failures?|errors?)\b|\bFAIL(?:ED|URES)?\b|\bTraceback\b")
_EDITS = re.compile(r"edit|write|patch|replace|create|insert", re.IGNORECASE)
_SHELLS = re.compile(r"bash|shell|exec|terminal|command|run", re.IGNORECASE)
_TAIL = 4_000  # characters of what a test printed: its result stands at the end


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of a person, and what the agent did then."""

    said: Message
    before: str
    """What the agent had written last before it; empty at the beginning."""
    answered: str
    """The id of that message."""
    written: tuple[Message, ...]
    """What the agent wrote before the next message, in order."""
    proved: bool
    """After its last change, tests ran and passed."""
    changed: tuple[str, ...]
    """What the tools were called with that changed files."""
    used_tools: bool
    interrupted: bool
    """The person stopped the agent, or refused it a tool."""
    work: frozenset[str]
    """The ids of the messages that follow it, until the next turn."""


class _Ran(NamedTuple):
    tool: ToolCall
    result: Message | None


def turns(transcript: Transcript) -> list[Turn]:
    """In order. Notices, and interruptions without a word, are no turns of their own."""
    found: list[Turn] = []
    before: Message | None = None
    messages = transcript.messages
    starts = [number for number, message in enumerate(messages) if _is_said(message)]
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(messages)
        work = messages[start + 1 : end]
        if number == 0:
            before = _last_written(messages[:start])
        written = tuple(one for one in work if one.role is Speaker.ASSISTANT and one.text.strip())
        interrupted = any(one.role is Speaker.USER and one.failed for one in messages[start + 1 : end + 1])
        tools = [tool for one in work for tool in one.tools]
        changed = tuple(tool.input for tool in tools if _EDITS.search(tool.name))
        told = ("", "") if before is None else (before.text, before.id)
        ids = frozenset(one.id for one in work)
        found.append(Turn(messages[start], *told, written, _proved(work), changed, bool(tools), interrupted, ids))
        before = written[-1] if written else before
    return found


def _is_said(message: Message) -> bool:
    """Also what they typed when they refused a tool: that is what they mind most."""
    return message.role is Speaker.USER and bool(message.text.strip())


def _last_written(messages: Sequence[Message]) -> Message | None:
    return next((one for one in reversed(messages) if one.role is Speaker.ASSISTANT and one.text.strip()), None)


def _proved(work: Sequence[Message]) -> bool:
    passed = False
    for tool, result in _ran(work):
        if _EDITS.search(tool.name):
            passed = False  # what was tested is no longer what is there
        elif _SHELLS.search(tool.name) and _TESTS.search(tool.input):
            passed = result is not None and not result.failed and not _FAILURES.search(result.text[-_TAIL:])
    return passed


def _ran(work: Sequence[Message]) -> Iterator[_Ran]:
    """Each call of a tool with its result; results come in the order of the calls."""
    waiting: list[ToolCall] = []
    for message in work:
        if message.role is Speaker.TOOL and waiting:
            yield _Ran(waiting.pop(0), message)
        elif message.tools:
            yield from (_Ran(tool, None) for tool in waiting)
            waiting = list(message.tools)
    yield from (_Ran(tool, None) for tool in waiting)
