"""Roles of keys."""

from __future__ import annotations

from typing import Literal

from heedful.records.choice import Choice


class Role(Choice, noun="role"):
    ADMIN = "admin"
    """Administers the organisation: everything, including keys."""
    INTEGRATOR = "integrator"
    """Connects programs: records events, follows the log, monitors jobs and statistics."""
    OPERATOR = "operator"
    """Works with the output of the AI, and corrects it."""
    REVIEWER = "reviewer"
    """Reviews the work of agents, and what is learned from it."""
    VIEWER = "viewer"
    """Reads, and changes nothing."""


AnyRole = Role | Literal["admin", "integrator", "operator", "reviewer", "viewer"]
