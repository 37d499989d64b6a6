"""Imports a file: completely or not at all, and once. Decisions of other teams have limited weight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heedful.errors import Conflict, InvalidInput
from heedful.govern.sharing.export import EXPORTED, of_export, require_participation
from heedful.govern.sharing.file import checked
from heedful.govern.sharing.learnings import new_learnings
from heedful.govern.sharing.redaction import redacted
from heedful.learnings.patterns.counts import SuggestionTallies
from heedful.records.clock import to_day
from heedful.records.event import Draft, Entity, EventFilter
from heedful.records.json import encode
from heedful.records.sharing import Imported, LearningExport, SharedPattern, SharedRule
from heedful.records.suggestion import IMPORTED, RETENTION
from heedful.store import Store
from heedful.store.audit import audit

_WEIGHT = 1_000  # decisions that one entry of a file counts for at most
_EVENT_BYTES = 8_000
_LISTS = ("patterns",)
_OWN_LISTS = ("patterns", "days", "confidences", "edits")


def import_(
    store: Store, file: LearningExport | Mapping[str, Any], trusted: Sequence[str] | None, *, as_own: bool
) -> Imported:
    require_participation(store)
    export = redacted(checked(file, trusted), store.redactor)
    if as_own:
        _require_detail(export)
    _refuse_own(store, export)
    rules = list(_by_rule(export))
    writer = RuleWriter(store, export.checksum, as_own=as_own)
    drafts = [draft for rule, patterns in rules for draft in writer.drafts(rule, patterns)]
    with store.recording() as record:
        if drafts and store.secret.check(record):
            record.queue([RETENTION])
        learnings = new_learnings(store, record.transaction, export.learnings, export.checksum, as_own=as_own)
        head, events = record.head, record.append([*drafts, *learnings])[: len(drafts)]
        again = {event.entity for event in events if event.seq <= head}
        signer = None if export.signature is None else export.signature.public_key
        known = len(again) + len(export.learnings) - len(learnings)
        if len(again) < len(rules) or learnings:
            brought = {"rules": len(rules) - len(again), "learnings": len(learnings), "as_own": as_own}
            origin = {"checksum": export.checksum, "signed_by": signer}
            audit(record, "AUDIT_LEARNING_IMPORTED", after=brought | origin)
    return Imported(len(rules), len(export.patterns), len(export.learnings), known, signer)


def _require_detail(export: LearningExport) -> None:
    """An export that hides people cannot replace their decisions."""
    rules = {} if export.statistics is None else export.statistics.by_rule
    missing = {pattern.rule_id for pattern in export.patterns} - rules.keys()
    if missing or not (rules or export.learnings) or any(rule.detail is None for rule in rules.values()):
        raise InvalidInput(
            "This file is not a complete export, so it cannot be imported as your own.",
            hint="Export with min_people=1 and statistics, or import it as another team's.",
        )


def _refuse_own(store: Store, export: LearningExport) -> None:
    """An organisation's own export does not count twice; but it can be imported again after it was cleared."""
    exported = EventFilter(kind=EXPORTED, entity=of_export(export.checksum))
    if SuggestionTallies(store).rule("").total and store.log.page(exported, None, 1):
        raise Conflict(
            "This organisation exported this file itself and still has its content.",
            hint="Import it into another organisation, or clear the feedback here first.",
        )


def _by_rule(export: LearningExport) -> Iterator[tuple[SharedRule, list[SharedPattern]]]:
    """Rules with their patterns. If only patterns were exported, their decisions count for the rule."""
    rules = {} if export.statistics is None else export.statistics.by_rule
    patterns: dict[str, list[SharedPattern]] = {rule: [] for rule in rules}
    for pattern in export.patterns:
        patterns.setdefault(pattern.rule_id, []).append(pattern)
    for rule, found in sorted(patterns.items()):
        yield rules.get(rule) or _summed(rule, found), found


def _summed(rule: str, patterns: Sequence[SharedPattern]) -> SharedRule:
    names = ("accepted", "modified", "rejected")
    sums = {name: sum(getattr(one, name) for one in patterns) for name in names}
    total, unused = sum(sums.values()), (0.0, 0.0, None)  # rates are not looked at
    return SharedRule(rule, rule, total, *unused, **sums, skipped=0, people=0)


class RuleWriter:
    """The events of an import for a rule, with ids derived from the file, so that importing it again adds nothing."""

    def __init__(self, store: Store, checksum: str, *, as_own: bool) -> None:
        self._store = store
        self._digest = store.secret.digest
        self._checksum = checksum
        self._as_own = as_own

    def drafts(self, rule: SharedRule, patterns: Sequence[SharedPattern]) -> Iterator[Draft]:
        if self._as_own:
            counted = {"own": [rule.accepted, rule.modified, rule.rejected, rule.skipped]}
        else:
            counted = {"decisions": _weighed(rule.accepted, rule.modified, rule.rejected)}
        lists = _OWN_LISTS if self._as_own else _LISTS
        after: dict[str, Any] = {**counted, **{name: [] for name in lists}}
        number = size = 0
        for name, entry in self._entries(rule, patterns):
            length = len(encode(entry))
            if size and size + length > _EVENT_BYTES:
                yield self._draft(rule, number, after)
                counted = {name: [0] * len(counts) for name, counts in counted.items()}
                after, size, number = {**counted, **{name: [] for name in lists}}, 0, number + 1
            after[name].append(entry)
            size += length
        yield self._draft(rule, number, after)

    def _entries(self, rule: SharedRule, patterns: Sequence[SharedPattern]) -> Iterator[tuple[str, Any]]:
        for pattern in patterns:
            yield "patterns", self._pattern(pattern)
        if not self._as_own:
            return
        detail = rule.detail
        assert detail is not None, "it is required before"
        for day in detail.days:
            counts = (day.accepted, day.modified, day.rejected, day.skipped, day.stated, day.right)
            yield "days", [to_day(day.day), day.category, "1" if day.bulk else "0", *counts]
        for sums in detail.confidences:
            yield "confidences", list(sums)
        for edit in detail.modifications:
            id = self._digest("edit", edit.kind, edit.removed, edit.added)
            text = [edit.removed, edit.added, edit.suggested, edit.modification]
            yield "edits", {"kind": edit.kind, "id": id, "text": text, "count": edit.count}

    def _pattern(self, pattern: SharedPattern) -> dict[str, Any]:
        """With the same id as the team's own decisions about the same words."""
        words = [pattern.original_pattern, pattern.suggested_pattern]
        decisions = [pattern.accepted, pattern.modified, pattern.rejected]
        entry: dict[str, Any] = {"text": words, "decisions": decisions if self._as_own else _weighed(*decisions)}
        if pattern.differences is None:
            entry["id"] = self._digest("pattern", *words)
        else:
            entry["id"] = self._digest("literal", *words)
            entry["of"] = [self._digest("pattern", *phrase) for phrase in pattern.differences]
        if self._as_own and (reason := pattern.common_rejection_reason) is not None:
            # Compared by its words only, so it is never merged with later learnings.
            id = self._digest("moved reason", reason)
            entry["reason"] = {"id": id, "gist": id[:8], "text": reason}
        return entry

    def _draft(self, rule: SharedRule, number: int, after: dict[str, Any]) -> Draft:
        if rule.rule_name != rule.rule_id:
            after = {**after, "rule_name": rule.rule_name}
        origin = self._digest("import", self._checksum, rule.rule_id, str(number))
        return Draft(
            f"import-{origin}",
            IMPORTED,
            self._store.clock(),
            None,
            Entity("rule", rule.rule_id),
            None,
            "{}",
            encode(after),
            encode({"checksum": self._checksum, "learned": {"mark": self._store.secret.fingerprint}}),
            own_id=True,
            own_time=False,
        )


def _weighed(accepted: int, modified: int, rejected: int) -> list[int]:
    """Scales the decisions down to a maximum, in the same proportion."""
    total = accepted + modified + rejected
    share = min(1.0, _WEIGHT / total) if total else 0.0
    return [round(count * share) for count in (accepted, modified, rejected)]
