"""For whom a tool is: coding agents load the description of every tool that is listed, so few are by default."""

from __future__ import annotations

from heedful.records.choice import Choice


class ToolSet(Choice, noun="set of tools"):
    AGENTS = "agents"
    """What any agent needs: always listed."""
    CORRECTIONS = "corrections"
    SUGGESTIONS = "suggestions"
    REVIEWS = "reviews"
    DOCUMENTS = "documents"
    ALL = "all"
