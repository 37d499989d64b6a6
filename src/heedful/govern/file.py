"""A file of learnings: how it is written, and how one is read that may be damaged, changed or of ill will.

It is taken whole or not at all; whatever is wrong with it, the error tells.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from heedful.errors import InvalidInput, InvalidLearnings, InvalidPayload
from heedful.govern.signing import require_genuine
from heedful.learnings.patterns.calibration import BINS
from heedful.records.clock import moment
from heedful.records.improvement import IMPROVEMENTS
from heedful.records.json import encode, parse
from heedful.records.names import ID_LIMIT, PEOPLE_LIMIT, identifier, listed, whole
from heedful.records.sharing import (
    FORMAT,
    VERSION,
    DayCount,
    LearningExport,
    RuleDetail,
    SharedCategory,
    SharedModification,
    SharedPattern,
    SharedRule,
    SharedStatistics,
    Signature,
)
from heedful.records.suggestion import FOLDS, PATTERN_BYTES

_MOST = 100_000  # patterns or rules in one file
FILE_LIMIT = 64 * 1024 * 1024
_DIFFERENCES = 6
_SUMS = 5  # of a bin of confidences
_SAID_BYTES = 2 * PATTERN_BYTES
_TYPES = ("accepted", "rejected", "mixed")


def checksum(told: Mapping[str, Any]) -> str:
    """Over all but the checksum and the signature, whatever the order and spacing."""
    content = {name: _same(value) for name, value in told.items() if name not in ("checksum", "signature")}
    return sha256(encode(content, "the file").encode()).hexdigest()


def _same(value: Any) -> Any:
    """Some programs write 1.0 as 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {name: _same(inner) for name, inner in value.items()}
    return [_same(inner) for inner in value] if isinstance(value, list | tuple) else value


def read(path: str | os.PathLike[str]) -> Any:
    """What a file holds, if it is JSON; whether it is a file of learnings is for `checked` to say."""
    try:
        with Path(path).open("rb") as file:
            return parsed(file.read(FILE_LIMIT + 1), str(path))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", hint="Check the name of the file.") from None


def parsed(content: bytes, name: str) -> Any:
    if len(content) > FILE_LIMIT:
        raise _refused(f"{name} is too large.", "A file of learnings has a few megabytes at most.")
    try:
        return parse(content)
    except InvalidPayload as error:
        raise _refused(f"{name} is damaged: {error.message}", "Ask for the file again.") from None


def checked(told: object, trusted: Sequence[str] | None) -> LearningExport:
    """The learnings of a file; or an error that tells why none of it is taken."""
    if isinstance(told, LearningExport):
        told = told.document()
    if not isinstance(told, Mapping) or told.get("format") != FORMAT:
        raise _refused("It is not a file of learnings.", "Export one with `heedful export`.")
    version = told.get("version")
    if type(version) is not int or version < 1:
        raise _refused(f"Its version is {version!r}.", "Export it again.")
    if version < VERSION:
        raise _refused(f"It has version {version}, which is no longer read.", "Export it again with this heedful.")
    if version > VERSION:
        raise _refused(
            f"It has version {version}; this heedful knows versions up to {VERSION}.", "Run: pip install -U heedful"
        )
    try:
        fits = told.get("checksum") == checksum(told)
        learnings = _read(told) if fits else None
    except (KeyError, TypeError, ValueError, InvalidInput) as error:
        what = error.message if isinstance(error, InvalidInput) else f"{type(error).__name__}: {error}"
        raise _refused(f"It does not hold what it should. {what}", "Export it again.") from None
    if learnings is None:
        raise _refused("Its checksum does not fit: it is damaged or was changed.", "Ask for the file again.")
    _require_trust(learnings, trusted)
    return learnings


def _require_trust(learnings: LearningExport, trusted: Sequence[str] | None) -> None:
    if learnings.signature is not None:
        require_genuine(learnings.checksum, learnings.signature)
    if trusted is None:
        return
    keys = listed(trusted, "trusted")
    if learnings.signature is None:
        raise _refused("It is not signed.", "Ask for a signed one, or do without the list of trusted keys.")
    if learnings.signature.public_key not in keys:
        raise _refused(f"It is signed by {learnings.signature.public_key}.", "That is not a key you trust.")


def _read(told: Mapping[str, Any]) -> LearningExport:
    patterns, statistics, signature = _list(told["patterns"]), told["statistics"], told.get("signature")
    return LearningExport(
        format=FORMAT,
        version=VERSION,
        exported_at=moment(told["exported_at"], "exported_at"),
        min_people=whole(told["min_people"], "min_people", PEOPLE_LIMIT),
        note=None if told["note"] is None else _said(told["note"]),
        patterns=tuple(_pattern(one) for one in patterns),
        statistics=None if statistics is None else _statistics(statistics),
        checksum=str(told["checksum"]),
        signature=None if signature is None else _signature(signature),
    )


def _statistics(told: Mapping[str, Any]) -> SharedStatistics:
    by_rule = {name: _rule(one) for name, one in _mapping(told["by_rule"]).items()}
    by_category = {name: _category(one) for name, one in _mapping(told["by_category"]).items()}
    if any(name != one.rule_id for name, one in by_rule.items()):
        raise ValueError("a rule stands under the name of another")
    return SharedStatistics(
        total_feedback=_count(told["total_feedback"], "total_feedback"),
        overall_acceptance_rate=_share(told["overall_acceptance_rate"]),
        acceptance_rate_trend=_share(abs(told["acceptance_rate_trend"])) and float(told["acceptance_rate_trend"]),
        rules_with_feedback=_count(told["rules_with_feedback"], "rules_with_feedback"),
        modification_rate=_share(told["modification_rate"]),
        skip_rate=_share(told["skip_rate"]),
        start=_day_or_none(told["start"]),
        end=_day_or_none(told["end"]),
        by_rule=by_rule,
        by_category=by_category,
    )


def _category(told: Mapping[str, Any]) -> SharedCategory:
    accepted, rejected = (
        tuple(identifier(rule, name) for rule in _list(told[name]))
        for name in ("top_accepted_rules", "top_rejected_rules")
    )
    return SharedCategory(
        category=identifier(told["category"], "category"),
        feedback_count=_count(told["feedback_count"], "feedback_count"),
        acceptance_rate=_share(told["acceptance_rate"]),
        top_accepted_rules=accepted,
        top_rejected_rules=rejected,
    )


def _pattern(told: Mapping[str, Any]) -> SharedPattern:
    counts = {name: _count(told[name], name) for name in ("accepted", "modified", "rejected", "people", "count")}
    if counts["accepted"] + counts["modified"] + counts["rejected"] != counts["count"]:
        raise ValueError("the decisions about a pattern do not add up")
    words = _pair([told["original_pattern"], told["suggested_pattern"]])
    differences = None if told["differences"] is None else tuple(map(_pair, _list(told["differences"])))
    if differences is not None and len(differences) > _DIFFERENCES:
        raise ValueError("a text has too many differences")
    return SharedPattern(
        rule_id=identifier(told["rule_id"], "rule_id"),
        pattern_type=_type(told["pattern_type"]),
        original_pattern=words[0],
        suggested_pattern=words[1],
        differences=differences,
        success_rate=_share(told["success_rate"]),
        common_rejection_reason=None if (why := told["common_rejection_reason"]) is None else _said(why),
        **counts,
    )


def _rule(told: Mapping[str, Any]) -> SharedRule:
    decisions = ("accepted", "modified", "rejected", "skipped")
    counts = {name: _count(told[name], name) for name in (*decisions, "feedback_count", "people")}
    if sum(counts[name] for name in decisions) != counts["feedback_count"]:
        raise ValueError("the decisions about a rule do not add up")
    accuracy, detail = told["confidence_accuracy"], told["detail"]
    return SharedRule(
        rule_id=identifier(told["rule_id"], "rule_id"),
        rule_name=identifier(told["rule_name"], "rule_name"),
        acceptance_rate=_share(told["acceptance_rate"]),
        modification_rate=_share(told["modification_rate"]),
        confidence_accuracy=None if accuracy is None else _share(accuracy),
        detail=None if detail is None else _detail(detail),
        **counts,
    )


def _detail(told: Mapping[str, Any]) -> RuleDetail:
    return RuleDetail(
        days=tuple(_day(one) for one in _list(told["days"])),
        confidences=tuple(_confidence(_list(one)) for one in _list(told["confidences"])),
        modifications=tuple(_modification(one) for one in _list(told["modifications"])),
    )


def _day(told: Mapping[str, Any]) -> DayCount:
    if not isinstance(told["bulk"], bool):
        raise ValueError("bulk is neither true nor false")  # noqa: TRY004
    counted = ("accepted", "modified", "rejected", "skipped", "stated", "right")
    return DayCount(
        day=date.fromisoformat(told["day"]),
        category=identifier(told["category"], "category"),
        bulk=told["bulk"],
        **{name: _count(told[name], name) for name in counted},
    )


def _confidence(told: list[Any]) -> tuple[int, ...]:
    number, group, *sums = (_count(value, "a count of confidences") for value in told)
    if number >= BINS or group >= FOLDS or len(sums) != _SUMS:
        raise ValueError("confidences are counted in another way")
    return (number, group, *sums)


def _modification(told: Mapping[str, Any]) -> SharedModification:
    texts = ("removed", "added", "suggested", "modification")
    kind = str(told["kind"])
    if kind not in IMPROVEMENTS:
        raise ValueError("suggestions are improved in an unknown way")
    return SharedModification(
        kind=kind, **{name: _said(told[name]) for name in texts}, count=_count(told["count"], "count")
    )


def _signature(told: Mapping[str, Any]) -> Signature:
    return Signature(**{name: _line(told[name]) for name in ("algorithm", "public_key", "value")})


def _words(text: object) -> str:
    if not isinstance(text, str) or len(text.encode()) > PATTERN_BYTES:
        raise ValueError("a pattern is not a short text")
    if not text.replace("\u200c", "").replace("\u200d", "").isprintable():
        raise ValueError("a pattern holds characters that cannot be seen")
    return text


def _said(text: object) -> str:
    """Words of people, who may have written several lines."""
    if not isinstance(text, str) or len(text.encode()) > _SAID_BYTES:
        raise ValueError("what somebody said is not a short text")
    return text


def _mapping(told: object) -> Mapping[str, Any]:
    if not isinstance(told, Mapping) or len(told) > _MOST:
        raise ValueError(f"{type(told).__name__} is not a list of names")
    return told


def _day_or_none(told: object) -> date | None:
    return None if told is None else date.fromisoformat(str(told))


def _list(told: object) -> list[Any]:
    if not isinstance(told, list):
        raise ValueError(f"{type(told).__name__} is not a list")  # noqa: TRY004 - all that is wrong with it is one thing
    if len(told) > _MOST:
        raise ValueError(f"more than {_MOST:,} entries")
    return told


def _type(told: object) -> str:
    if told not in _TYPES:
        raise ValueError("a pattern is of an unknown type")
    return str(told)


def _share(told: object) -> float:
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 <= told <= 1:
        raise ValueError(f"a rate is {told!r}")
    return float(told)


def _pair(told: object) -> tuple[str, str]:
    before, after = _list(told)
    return _words(before), _words(after)


def _line(text: object) -> str:
    if not isinstance(text, str) or len(text) > ID_LIMIT:
        raise ValueError("the signature is not one")
    return text


def _count(value: object, name: str) -> int:
    if type(value) is not int or not 0 <= value < 2**53:
        raise ValueError(f"{name} is {value!r}")
    return value


def _refused(why: str, hint: str) -> InvalidLearnings:
    return InvalidLearnings(f"Nothing was imported. {why}", hint=hint)
