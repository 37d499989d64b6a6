"""Roles: what a key is for."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal


class Role(StrEnum):
    ADMIN = "admin"
    """Runs the organisation's heedful: everything, and the keys."""
    INTEGRATOR = "integrator"
    """Connects programs: records, follows, watches the queue and the numbers."""
    OPERATOR = "operator"
    """Works with what the AI produced, and corrects it."""
    REVIEWER = "reviewer"
    """Judges what agents did, and what is to be learned from it."""
    VIEWER = "viewer"
    """Looks, and changes nothing."""


AnyRole = Role | Literal["admin", "integrator", "operator", "reviewer", "viewer"]
"""A role, or its word."""
