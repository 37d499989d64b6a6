"""The result of one check of `heedful doctor`: its status, and advice if it is not ok."""

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
