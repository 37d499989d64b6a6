"""A transcript: a whole conversation with an AI, message by message, as it was said."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Speaker(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    """What a tool answered."""
    SYSTEM = "system"
    """What a program put there: a system prompt, a boot file, a notice. Nobody said it."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    name: str
    """As the agent names it: Bash, Edit, apply_patch."""
    input: str
    """What it was asked for, in short: a command, a path."""


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    """Its own within the conversation, and the same whenever the conversation is read again."""
    role: Speaker
    text: str
    at: datetime | None = None
    tools: tuple[ToolCall, ...] = ()
    """What an assistant asked tools for with it."""
    failed: bool = False
    """Of a tool: it reported an error. Of a person: they interrupted."""


@dataclass(frozen=True, slots=True)
class Source:
    """Which conversation it is, and where it took place."""

    conversation: str
    tool: str
    """What it was held with: claude-code, codex, chatgpt."""
    project: str | None = None
    """The name of the folder it was about, without its path."""
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    source: Source
    messages: tuple[Message, ...]
