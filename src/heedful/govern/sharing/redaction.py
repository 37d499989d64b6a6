"""Removes secrets and personal data from a file after its checksum was verified: a redacted file would not match it."""

from __future__ import annotations

from dataclasses import replace

from heedful.govern.sharing.learnings import redacted_learning
from heedful.operations.redactor import Redactor
from heedful.records.sharing import LearningExport, SharedModification, SharedPattern, SharedRule
from heedful.records.suggestion import PATTERN_BYTES
from heedful.text.normalize import canonical


def redacted(export: LearningExport, redactor: Redactor) -> LearningExport:
    statistics = export.statistics
    by_rule = {} if statistics is None else statistics.by_rule
    days = [day for rule in by_rule.values() if rule.detail for day in rule.detail.days]
    redactor.refuse([*by_rule, *(pattern.rule_id for pattern in export.patterns)], "A rule of this file")
    redactor.refuse([rule.rule_name for rule in by_rule.values()], "The name of a rule of this file")
    redactor.refuse(
        [*(statistics.by_category if statistics else ()), *(day.category for day in days)], "A category of this file"
    )
    rules = {name: _rule(rule, redactor) for name, rule in by_rule.items()}
    return replace(
        export,
        patterns=tuple(_pattern(pattern, redactor) for pattern in export.patterns),
        statistics=None if statistics is None else replace(statistics, by_rule=rules),
        learnings=tuple(redacted_learning(one, redactor) for one in export.learnings),
    )


def _rule(rule: SharedRule, redactor: Redactor) -> SharedRule:
    if rule.detail is None:
        return rule
    modifications = tuple(_modification(one, redactor) for one in rule.detail.modifications)
    return replace(rule, detail=replace(rule.detail, modifications=modifications))


def _modification(one: SharedModification, redactor: Redactor) -> SharedModification:
    removed, added, suggested, final = redactor.texts(one.removed, one.added, one.suggested, one.modification)
    return replace(one, removed=removed, added=added, suggested=suggested, modification=final)


def _pattern(pattern: SharedPattern, redactor: Redactor) -> SharedPattern:
    """Normalised like the words counted here; other spellings would be separate patterns that look the same. Redacted
    first, because a key would not be recognised in lower case."""
    pairs = ((pattern.original_pattern, pattern.suggested_pattern), *(pattern.differences or ()))
    clean = redactor.texts(*(text for pair in pairs for text in pair))
    short = [text.encode()[:PATTERN_BYTES].decode(errors="ignore") for text in clean]
    (before, after), *rest = (canonical(*pair) for pair in zip(short[::2], short[1::2], strict=True))
    reason = pattern.common_rejection_reason
    return replace(
        pattern,
        original_pattern=before,
        suggested_pattern=after,
        differences=None if pattern.differences is None else tuple(rest),
        common_rejection_reason=None if reason is None else redactor.texts(reason)[0],
    )
