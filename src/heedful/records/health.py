"""A finding of the doctor: what was looked at, how it is, and what to do if it is not well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class CheckResult:
    check: str
    status: Literal["ok", "warning", "failure"]
    says: str
    advice: str = ""


def ok(check: str, says: str) -> CheckResult:
    return CheckResult(check, "ok", says)


def warning(check: str, says: str, advice: str) -> CheckResult:
    return CheckResult(check, "warning", says, advice)


def failure(check: str, says: str, advice: str) -> CheckResult:
    return CheckResult(check, "failure", says, advice)
