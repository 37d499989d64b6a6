"""Durable instructions of people to their agents, found in a conversation: what they would write into AGENTS.md."""

from __future__ import annotations

from heedful.learn.conversations.rules.extraction import rules

__all__ = ["rules"]
