"""Decisions about suggestions, for the next prompt."""
