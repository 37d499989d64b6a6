"""The file format for sharing learnings with another team, or moving them to another installation.

It has three sections: `patterns` and `statistics` of suggestions, and approved `learnings` of other kinds. The types
define how it is parsed (`govern/sharing/file.py`): a str without a rule is a name, a float a share, an int a count.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from heedful.errors import InvalidInput
from heedful.records.json import indented
from heedful.records.names import ArgumentRule
from heedful.records.record import Record, as_dict
from heedful.records.suggestion import PATTERN_BYTES

FORMAT = "heedful-learnings"
VERSION = 3

REVEALING = (
    "Made with min_people=1: it may show what a single person did, and on which day. "
    "Give it only to people who may know that."
)
"""The note in a file that does not anonymise people."""


def _phrase(value: object) -> str:
    if not isinstance(value, str) or len(value.encode()) > PATTERN_BYTES:
        raise ValueError("a pattern is not a short text")
    if not value.replace("\u200c", "").replace("\u200d", "").isprintable():
        raise ValueError("a pattern holds characters that cannot be seen")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value.encode()) > 2 * PATTERN_BYTES:
        raise ValueError("it is not a short text")
    return value


def _change(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
        raise ValueError("it is not a number from -1 to 1")
    return float(value)


Phrase = Annotated[str, ArgumentRule({"type": "string"}, parse=_phrase)]
Text = Annotated[str, ArgumentRule({"type": "string"}, parse=_text)]
"""Words of people, which may have several lines."""
Change = Annotated[float, ArgumentRule({"type": "number", "minimum": -1, "maximum": 1}, parse=_change)]


@dataclass(frozen=True, slots=True)
class SharedPattern(Record):
    rule_id: str
    pattern_type: Literal["accepted", "rejected", "mixed"]
    original_pattern: Phrase
    suggested_pattern: Phrase
    differences: tuple[tuple[Phrase, Phrase], ...] | None
    """For whole texts: the phrases in which they differ. None for a phrase."""
    count: int
    success_rate: float
    accepted: int
    modified: int
    rejected: int
    people: int
    """Different people behind it; all decisions without an actor count as one person."""
    common_rejection_reason: Text | None = None
    """Only in a file that does not anonymise people, with texts."""


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
    """How many had a stated confidence, and how many of these were right."""
    right: int


@dataclass(frozen=True, slots=True)
class SharedModification(Record):
    """How people improve suggestions."""

    kind: str
    removed: Text
    added: Text
    suggested: Text
    modification: Text
    count: int


@dataclass(frozen=True, slots=True)
class RuleDetail(Record):
    """The input of statistics, calibration and prompts. Only in a file that does not anonymise people."""

    days: tuple[DayCount, ...]
    confidences: tuple[tuple[int, ...], ...]
    """For each bin of stated confidences and group of people: bin, group, decisions, accepted, and the sums of the
    confidences, of their squares and of those accepted, in millionths."""
    modifications: tuple[SharedModification, ...]
    """Only with texts."""


@dataclass(frozen=True, slots=True)
class SharedRule(Record):
    """All decisions about a rule, including those without a pattern to share."""

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
    """Acceptance of suggestions: only of the rules in the file."""

    total_feedback: int
    overall_acceptance_rate: float
    acceptance_rate_trend: Change
    rules_with_feedback: int
    modification_rate: float
    skip_rate: float
    start: date | None
    end: date | None
    by_rule: Mapping[str, SharedRule]
    by_category: Mapping[str, SharedCategory]


@dataclass(frozen=True, slots=True)
class SharedLearning(Record):
    """An approved learning, without its evidence and without names."""

    kind: str
    category: str
    about: str | None
    at: datetime
    fields: Mapping[str, Any]
    """Its wording, with the fields of its kind: `title`, `content`, `tags` and `rule` of an insight."""
    confidence: float
    confirmed: int
    rated_up: int
    rated_down: int
    reputation: float
    """Of its contributor, in the organisation that exported it."""


@dataclass(frozen=True, slots=True)
class FileSignature(Record):
    algorithm: str
    public_key: str
    value: str


@dataclass(frozen=True, slots=True)
class LearningExport(Record):
    format: str
    version: int
    exported_at: datetime
    min_people: int
    """Every pattern and count is of at least this many different people."""
    note: Text | None
    """What the file reveals, if it does not anonymise people."""
    patterns: tuple[SharedPattern, ...]
    statistics: SharedStatistics | None
    learnings: tuple[SharedLearning, ...]
    checksum: str
    signature: FileSignature | None = None

    def document(self) -> dict[str, Any]:
        document = as_dict(self)
        if self.signature is None:
            del document["signature"]
        return document

    def to_json(self) -> str:
        """The text of the file, which `govern.import_file` reads."""
        return indented(self.document())

    def save(self, path: str | os.PathLike[str]) -> None:
        file = Path(path)
        fresh = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            try:
                fresh.write_text(self.to_json(), encoding="utf-8")
                fresh.replace(file)
            finally:
                fresh.unlink(missing_ok=True)
        except OSError as error:
            raise InvalidInput(f"{file} cannot be written: {error.strerror}.", hint="Choose another path.") from None


@dataclass(frozen=True, slots=True)
class Imported(Record):
    """The content of a file, and how much of it existed before."""

    rules: int
    patterns: int
    learnings: int
    already_known: int
    """Rules that this file brought before, and learnings that exist word for word: they count once."""
    signed_by: str | None


EXAMPLE: Mapping[str, Any] = {
    "format": FORMAT,
    "version": VERSION,
    "exported_at": "2026-01-05T09:00:00Z",
    "min_people": 3,
    "note": None,
    "patterns": [],
    "statistics": None,
    "learnings": [],
    "checksum": "763f41a75b71bf639da62a868beefceb7e75665587650694cb9a68f98f1a7de9",
}
"""The smallest valid file."""

LearningFile = Annotated[
    LearningExport | Mapping[str, Any],
    ArgumentRule({"type": "object", "additionalProperties": True}, parse=lambda file: file),
]
"""An export, or the parsed JSON of one. `govern.import_` validates it."""
