"""A transcript: a whole conversation with an AI, message by message."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Speaker(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"
    """Inserted by a program: a system prompt, a boot file, a notice."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    name: str
    """As the agent names it: Bash, Edit, apply_patch."""
    input: str
    """A summary of the input: a command, a path."""


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    """Unique within the conversation, and the same whenever the conversation is read again."""
    role: Speaker
    text: str
    at: datetime | None = None
    tools: tuple[ToolCall, ...] = ()
    """The tool calls of an assistant's message."""
    failed: bool = False
    """Of a tool: it reported an error. Of a person: they interrupted."""


@dataclass(frozen=True, slots=True)
class Source:
    """Identifies a conversation, and where it took place."""

    conversation: str
    tool: str
    """The application: claude-code, codex, chatgpt."""
    project: str | None = None
    """The name of the project folder, without its path."""
    title: str | None = None


CODING_AGENTS = frozenset({
    "aider", "claude-code", "cline", "codex", "continue", "copilot-chat", "copilot-cli", "cursor", "droid", "gemini",
    "goose", "kilo-code", "kimi", "opencode", "pi", "qwen-code", "roo-code", "sessions", "specstory",
})  # fmt: skip
"""Applications in which nobody talks of anything but the work."""


@dataclass(frozen=True, slots=True)
class Transcript:
    source: Source
    messages: tuple[Message, ...]

    @property
    def is_about_work(self) -> bool:
        """A coding agent's, or one that took place in a project or used tools."""
        in_project = self.source.tool in CODING_AGENTS or self.source.project is not None
        return in_project or any(message.tools for message in self.messages)
