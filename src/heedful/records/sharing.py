"""A file of what a team learned, for another team; or of what one person taught, to move house with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any

from heedful.errors import InvalidInput
from heedful.records.json import indented
from heedful.records.names import Rule
from heedful.records.record import Record

FORMAT = "heedful-learnings"
VERSION = 2

REVEALING = (
    "Made with min_people=1: it may show what a single person did, and on which day. "
    "Give it only to people who may know that."
)
"""The note in a file that hides nobody."""


@dataclass(frozen=True, slots=True)
class SharedPattern(Record):
    rule_id: str
    pattern_type: str
    """accepted, rejected, or mixed."""
    original_pattern: str
    suggested_pattern: str
    differences: tuple[tuple[str, str], ...] | None
    """For whole texts: the phrases in which they differ. None for a phrase."""
    count: int
    success_rate: float
    accepted: int
    modified: int
    rejected: int
    people: int
    """Different people behind it; all decisions without a person count as one person."""
    common_rejection_reason: str | None = None
    """Only in a file that hides nobody, with texts."""


@dataclass(frozen=True, slots=True)
class DayCount(Record):
    """The decisions of one day about one rule, in one category."""

    day: date
    category: str
    bulk: bool
    accepted: int
    modified: int
    rejected: int
    skipped: int
    stated: int
    """How many came with a confidence, and how many of these were right."""
    right: int


@dataclass(frozen=True, slots=True)
class SharedModification(Record):
    """How people improve what is suggested."""

    kind: str
    removed: str
    added: str
    suggested: str
    modification: str
    count: int


@dataclass(frozen=True, slots=True)
class RuleDetail(Record):
    """What statistics, calibration and prompts are made of. Only in a file that hides nobody."""

    days: tuple[DayCount, ...]
    confidences: tuple[tuple[int, ...], ...]
    """For each bin of stated confidences and group of people: bin, group, decisions, accepted, and the sums of the
    confidences, of their squares and of those accepted, in millionths."""
    modifications: tuple[SharedModification, ...]
    """Only with texts."""


@dataclass(frozen=True, slots=True)
class SharedRule(Record):
    """All decisions about a rule, those without a pattern to share as well."""

    rule_id: str
    rule_name: str
    feedback_count: int
    acceptance_rate: float
    modification_rate: float
    confidence_accuracy: float | None
    accepted: int
    modified: int
    rejected: int
    skipped: int
    people: int
    detail: RuleDetail | None = None


@dataclass(frozen=True, slots=True)
class SharedCategory(Record):
    category: str
    feedback_count: int
    acceptance_rate: float
    top_accepted_rules: tuple[str, ...]
    top_rejected_rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SharedStatistics(Record):
    """How suggestions fared: of the rules in the file alone."""

    total_feedback: int
    overall_acceptance_rate: float
    acceptance_rate_trend: float
    rules_with_feedback: int
    modification_rate: float
    skip_rate: float
    start: date | None
    end: date | None
    by_rule: Mapping[str, SharedRule]
    by_category: Mapping[str, SharedCategory]


@dataclass(frozen=True, slots=True)
class Signature(Record):
    algorithm: str
    public_key: str
    value: str


@dataclass(frozen=True, slots=True)
class LearningExport(Record):
    format: str
    version: int
    exported_at: datetime
    min_people: int
    """Nothing in here was done by fewer different people."""
    note: str | None
    """What the file reveals, if it hides nobody."""
    patterns: tuple[SharedPattern, ...]
    statistics: SharedStatistics | None
    checksum: str
    signature: Signature | None = None

    def document(self) -> dict[str, Any]:
        """As the file has it."""
        told: dict[str, Any] = _plain(asdict(self))
        if self.signature is None:
            del told["signature"]
        return told

    def to_json(self) -> str:
        """The text of the file, which `govern.import_file` reads."""
        return indented(self.document())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file whole or not at all."""
        file = Path(path)
        fresh = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            try:
                fresh.write_text(self.to_json(), encoding="utf-8")
                fresh.replace(file)
            finally:
                fresh.unlink(missing_ok=True)
        except OSError as error:
            raise InvalidInput(f"{file} cannot be written: {error.strerror}.", hint="Choose another place.") from None


def _plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class Imported(Record):
    rules: int
    patterns: int
    already_known: int
    """Rules that this very file had brought before: they are not counted twice."""
    signed_by: str | None


EXAMPLE: Mapping[str, Any] = {
    "format": FORMAT,
    "version": VERSION,
    "exported_at": "2026-01-05T09:00:00Z",
    "min_people": 3,
    "note": None,
    "patterns": [],
    "statistics": None,
    "checksum": "c623ff8b34eb83760a43347fc3fee1edda1e6a620b10d34cb785b96622207708",
}
"""The smallest one there is."""

Learnings = Annotated[
    LearningExport | Mapping[str, Any],
    Rule({"type": "object", "additionalProperties": True}, parse=lambda told: told),
]
"""An export, or what a file of one holds. What is wrong with it is told by whoever reads it."""
