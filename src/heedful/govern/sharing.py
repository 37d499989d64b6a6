"""What a team learned, for another team: a file that tells nobody's doing in particular, and that can be trusted.

A pattern is in it only if enough different people contributed. With min_people=1 it hides nobody: for whoever moves
house. A file is taken in whole or not at all, once however often it comes, and counts only so much (see
`learnings/patterns/evidence.py`); unless it is one's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar

from heedful.errors import Conflict, Forbidden, InvalidInput
from heedful.govern.file import checked, checksum
from heedful.learnings.patterns import tallies
from heedful.learnings.patterns.counts import REASONS, Contributors, SuggestionTallies, given
from heedful.learnings.patterns.evidence import SEEN, UNWANTED, WANTED
from heedful.learnings.patterns.statistics import Wanted, all_days, statistics
from heedful.learnings.patterns.tallies import ConfidenceCounts, DayCounts, DecisionCounts, Times
from heedful.operations import caller, policy
from heedful.records.clock import from_day, to_day
from heedful.records.event import Draft, Entity, EventFilter
from heedful.records.json import decode, encode
from heedful.records.names import PEOPLE_LIMIT, listed, whole
from heedful.records.period import Period
from heedful.records.privacy import Privacy
from heedful.records.sharing import (
    FORMAT,
    REVEALING,
    VERSION,
    DayCount,
    Imported,
    LearningExport,
    RuleDetail,
    SharedCategory,
    SharedModification,
    SharedPattern,
    SharedRule,
    SharedStatistics,
)
from heedful.records.suggestion import IMPORTED, LEARNING_KINDS, PATTERN_BYTES, PROJECTION, RETENTION, SEPARATOR, joined
from heedful.store import Store
from heedful.store.audit import audit
from heedful.store.counting import TIMELESS, CountingProjection, Counts, TallyKind, TallyRow
from heedful.text.normalize import canonical
from heedful.text.reasons import Given, commonest

N = TypeVar("N", bound=NamedTuple)

_EXPORTED = "AUDIT_LEARNING_EXPORTED"
_PER_RULE = 100
_LOOKED_AT = 1_000
_EDITS = 100
_TEXTS = 4
_WEIGHT = 1_000  # decisions that one entry of a file counts for at most
_EVENT_BYTES = 8_000
_PAGE = 500
_DIGITS = 4
_OWN_LISTS = ("patterns", "days", "confidences", "edits")


class Source(Protocol):
    """Where patterns and their people are looked up: the tallies of all time, or those of a period."""

    def rules(self, after: str, limit: int) -> list[tuple[str, DecisionCounts]]: ...
    def repeated(self, rule: str, limit: int) -> list[TallyRow[DecisionCounts]]: ...
    def count_people(self, rule: str, id: str = "") -> Contributors: ...
    def texts(self, rule: str, id: str, limit: int) -> list[TallyRow[Times]]: ...
    def reasons(self, rule: str, pattern: str, limit: int) -> list[Given]: ...
    def edits(self, rule: str, limit: int) -> list[TallyRow[Times]]: ...
    def stated(self, rule: str) -> list[TallyRow[ConfidenceCounts]]: ...


class Sharing:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._counts = SuggestionTallies(store)

    def export(
        self,
        period: Period,
        rules: Sequence[str] | None,
        *,
        patterns: bool,
        statistics: bool,
        min_people: int | None,
        whole_texts: bool,
    ) -> LearningExport:
        privacy = self._require_participation()
        people = privacy.min_people if min_people is None else whole(min_people, "min_people", PEOPLE_LIMIT)
        if people < privacy.min_people and not caller.allows(policy.Privacy.change):
            raise InvalidInput(
                f"What fewer than {privacy.min_people} people did is not shared.",
                hint="Ask for more people; or let an admin export it.",
            )
        source: Source = self._counts if period == Period() else self._recount(period)
        chosen = None if rules is None else listed(rules, "rules")
        found = {rule: by for rule, by in _people(source, chosen) if by >= people}
        texts = whole_texts and people == 1
        shared = [
            replace(one, common_rejection_reason=_reason(source, one, id)) if texts else one
            for rule in (found if patterns else ())
            for id, one in _patterns(source, rule, people, whole_texts)
        ]
        told = self._statistics(source, period, found, detailed=people == 1, texts=texts) if statistics else None
        made = LearningExport(
            format=FORMAT,
            version=VERSION,
            exported_at=self._store.clock().replace(microsecond=0),
            min_people=people,
            note=REVEALING if people == 1 else None,
            patterns=tuple(shared),
            statistics=told,
            checksum="",
        )
        made = replace(made, checksum=checksum(made.document()))
        with self._store.recording() as record:
            counts = {
                "patterns": len(made.patterns),
                "rules": len(found),
                "min_people": people,
                "checksum": made.checksum,
            }
            audit(record, _EXPORTED, _of_export(made.checksum), after=counts)
        return made

    def _statistics(
        self, source: Source, period: Period, people: Mapping[str, int], *, detailed: bool, texts: bool
    ) -> SharedStatistics:
        """Of these rules alone: sums over all would tell of those that are left out."""
        wanted = Wanted(period, frozenset(people), None, exclude_skipped=False, exclude_bulk=False)
        counted = statistics(self._counts, wanted, self._store.clock().date())
        days: dict[str, list[DayCount]] = {rule: [] for rule in people}
        if detailed:
            for rule, day in _days(all_days(self._counts, period)):
                if rule in days:
                    days[rule].append(day)
        by_rule = {}
        for rule, one in counted.by_rule.items():
            detail = None
            if detailed:
                detail = RuleDetail(
                    tuple(days[rule]), _confidences(source, rule), _modifications(source, rule) if texts else ()
                )
            by_rule[rule] = SharedRule(
                rule_id=rule,
                rule_name=one.rule_name,
                feedback_count=one.feedback_count,
                acceptance_rate=round(one.acceptance_rate, _DIGITS),
                modification_rate=round(one.modification_rate, _DIGITS),
                confidence_accuracy=_rounded(one.confidence_accuracy),
                accepted=one.accepted,
                modified=one.modified,
                rejected=one.rejected,
                skipped=one.skipped,
                people=people[rule],
                detail=detail,
            )
        return SharedStatistics(
            total_feedback=counted.total_feedback,
            overall_acceptance_rate=round(counted.overall_acceptance_rate, _DIGITS),
            acceptance_rate_trend=round(counted.acceptance_rate_trend, _DIGITS),
            rules_with_feedback=counted.rules_with_feedback,
            modification_rate=round(counted.modification_rate, _DIGITS),
            skip_rate=round(counted.skip_rate, _DIGITS),
            start=period.start,
            end=period.end,
            by_rule=by_rule,
            by_category={
                name: SharedCategory(
                    category=name,
                    feedback_count=one.feedback_count,
                    acceptance_rate=round(one.acceptance_rate, _DIGITS),
                    top_accepted_rules=one.top_accepted_rules,
                    top_rejected_rules=one.top_rejected_rules,
                )
                for name, one in counted.by_category.items()
            },
        )

    def import_(
        self, told: LearningExport | Mapping[str, Any], trusted: Sequence[str] | None, *, as_own: bool
    ) -> Imported:
        self._require_participation()
        learnings = self._redacted(checked(told, trusted))
        if as_own:
            _require_whole(learnings)
        self._refuse_own(learnings)
        drafts = [
            draft for rule, patterns in _by_rule(learnings) for draft in self._drafts(learnings, rule, patterns, as_own)
        ]
        with self._store.recording() as record:
            if self._store.secret.check(record):
                record.queue([RETENTION])
            head, events = record.head, record.append(drafts)
            signer = None if learnings.signature is None else learnings.signature.public_key
            rules = {event.entity.id for event in events if event.entity is not None}
            again = {event.entity.id for event in events if event.entity is not None and event.seq <= head}
            if rules - again:
                brought = {"rules": len(rules - again), "checksum": learnings.checksum, "signed_by": signer}
                audit(record, "AUDIT_LEARNING_IMPORTED", after={**brought, "as_own": as_own})
        return Imported(len(rules), len(learnings.patterns), len(again), signer)

    def _redacted(self, learnings: LearningExport) -> LearningExport:
        """Once it is known to be whole: a file that was changed could not be told from a damaged one."""
        redactor, told = self._store.redactor, learnings.statistics
        by_rule = {} if told is None else told.by_rule
        redactor.refuse([rule.rule_id for rule in by_rule.values()], "A rule of this file")
        redactor.refuse([rule.rule_name for rule in by_rule.values()], "The name of a rule of this file")
        redactor.refuse([pattern.rule_id for pattern in learnings.patterns], "A rule of this file")
        redactor.refuse([] if told is None else list(told.by_category), "A category of this file")
        redactor.refuse(
            [day.category for rule in by_rule.values() if rule.detail for day in rule.detail.days],
            "A category of this file",
        )
        redacted = {name: self._redacted_rule(rule) for name, rule in by_rule.items()}
        return replace(
            learnings,
            patterns=tuple(map(self._redacted_pattern, learnings.patterns)),
            statistics=None if told is None else replace(told, by_rule=redacted),
        )

    def _redacted_rule(self, rule: SharedRule) -> SharedRule:
        if rule.detail is None:
            return rule
        modifications = tuple(map(self._redacted_modification, rule.detail.modifications))
        return replace(rule, detail=replace(rule.detail, modifications=modifications))

    def _redacted_modification(self, one: SharedModification) -> SharedModification:
        removed, added, suggested, modification = self._store.redactor.texts(
            one.removed, one.added, one.suggested, one.modification
        )
        return replace(one, removed=removed, added=added, suggested=suggested, modification=modification)

    def _redacted_pattern(self, pattern: SharedPattern) -> SharedPattern:
        """As words are counted here; other ways to write them would be other patterns that look the same. But first
        redacted, as they are written: in small letters a key would not be recognised."""
        pairs = ((pattern.original_pattern, pattern.suggested_pattern), *(pattern.differences or ()))
        redacted = self._store.redactor.texts(*(text for pair in pairs for text in pair))
        short = [text.encode()[:PATTERN_BYTES].decode(errors="ignore") for text in redacted]
        (before, after), *rest = (canonical(*pair) for pair in zip(short[::2], short[1::2], strict=True))
        reason = pattern.common_rejection_reason
        return replace(
            pattern,
            original_pattern=before,
            suggested_pattern=after,
            differences=None if pattern.differences is None else tuple(rest),
            common_rejection_reason=None if reason is None else self._store.redactor.texts(reason)[0],
        )

    def _refuse_own(self, learnings: LearningExport) -> None:
        """What a team has told others is not heard twice; but it may be taken back after it was cleared."""
        exported = EventFilter(kind=_EXPORTED, entity=_of_export(learnings.checksum))
        if self._counts.rule("").total and self._store.log.page(exported, None, 1):
            raise Conflict(
                "This organisation has exported this file itself, and still knows what it tells.",
                hint="It is for other teams; and for this one, after it has cleared its feedback.",
            )

    def _require_participation(self) -> Privacy:
        privacy = self._store.privacy()
        if not privacy.participate_in_team_learning:
            raise Forbidden(
                "This organisation does not take part in team learning.",
                hint="Let an admin switch it on: heedful privacy --share",
            )
        return privacy

    def _recount(self, period: Period) -> _Recount:
        projection = self._store.projections.known[PROJECTION]
        assert isinstance(projection, CountingProjection)
        counts = Counts()
        for kind in LEARNING_KINDS:
            wanted = EventFilter(kind=kind, since=period.first_moment, until=period.end_moment)
            place = None
            while events := self._store.log.page(wanted, place, _PAGE):
                projection.counted(events, counts)
                place = events[-1].seq
        return _Recount(counts)

    def _drafts(
        self, learnings: LearningExport, rule: SharedRule, patterns: list[SharedPattern], as_own: bool
    ) -> Iterator[Draft]:
        """As events of bearable size, whose ids tell the file: the same file again is nothing new."""
        entries = self._moved(rule, patterns) if as_own else self._brought(patterns)
        lists: Mapping[str, list[Any]] = {name: [] for name in (_OWN_LISTS if as_own else ("patterns",))}
        counted: dict[str, list[int]] = (
            {"own": [rule.accepted, rule.modified, rule.rejected, rule.skipped]}
            if as_own
            else {"decisions": _weighed(rule.accepted, rule.modified, rule.rejected)}
        )
        after: dict[str, Any] = {**counted, **{name: [] for name in lists}}
        number = size = 0
        for name, entry in entries:
            length = len(encode(entry))
            if size and size + length > _EVENT_BYTES:
                yield self._draft(learnings, rule, number, after)
                counted = {name: [0] * len(counts) for name, counts in counted.items()}
                after, size, number = {**counted, **{name: [] for name in lists}}, 0, number + 1
            after[name].append(entry)
            size += length
        yield self._draft(learnings, rule, number, after)

    def _brought(self, patterns: list[SharedPattern]) -> Iterator[tuple[str, Any]]:
        for pattern in patterns:
            decisions = _weighed(pattern.accepted, pattern.modified, pattern.rejected)
            yield "patterns", {**self._identity(pattern), "text": _words(pattern), "decisions": decisions}

    def _moved(self, rule: SharedRule, patterns: list[SharedPattern]) -> Iterator[tuple[str, Any]]:
        digest = self._store.secret.digest
        for pattern in patterns:
            decisions = [pattern.accepted, pattern.modified, pattern.rejected]
            entry = {**self._identity(pattern), "text": _words(pattern), "decisions": decisions}
            if (reason := pattern.common_rejection_reason) is not None:
                # What was meant is told by its words alone: it is not found to be the same as what others say later.
                id = digest("moved reason", reason)
                entry["reason"] = {"id": id, "gist": id[:8], "text": reason}
            yield "patterns", entry
        detail = rule.detail
        assert detail is not None, "it is looked at before"
        for day in detail.days:
            counts = (day.accepted, day.modified, day.rejected, day.skipped, day.stated, day.right)
            yield "days", [to_day(day.day), day.category, "1" if day.bulk else "0", *counts]
        for sums in detail.confidences:
            yield "confidences", list(sums)
        for edit in detail.modifications:
            id = digest("edit", edit.kind, edit.removed, edit.added)
            text = [edit.removed, edit.added, edit.suggested, edit.modification]
            yield "edits", {"kind": edit.kind, "id": id, "text": text, "count": edit.count}

    def _identity(self, pattern: SharedPattern) -> dict[str, Any]:
        """The id that the team's own decisions about the same words have."""
        words, digest = (pattern.original_pattern, pattern.suggested_pattern), self._store.secret.digest
        if pattern.differences is None:
            return {"id": digest("pattern", *words)}
        return {"id": digest("literal", *words), "of": [digest("pattern", *phrase) for phrase in pattern.differences]}

    def _draft(self, learnings: LearningExport, rule: SharedRule, number: int, after: dict[str, Any]) -> Draft:
        if rule.rule_name != rule.rule_id:
            after = {**after, "rule_name": rule.rule_name}
        origin = self._store.secret.digest("import", learnings.checksum, rule.rule_id, str(number))
        return Draft(
            f"import-{origin}",
            IMPORTED,
            self._store.clock(),
            None,
            Entity("rule", rule.rule_id),
            None,
            "{}",
            encode(after),
            encode({"checksum": learnings.checksum, "learned": {"mark": self._store.secret.fingerprint}}),
            own_id=True,
            own_time=False,
        )


class _Recount:
    """Tallies that were made just now, of some events."""

    def __init__(self, counts: Counts) -> None:
        self._parts: dict[tuple[str, str], list[tuple[str, list[int]]]] = {}
        for (name, part, day, key), values in counts.tallies.items():
            if day == TIMELESS:
                self._parts.setdefault((name, part), []).append((key, values))

    def rules(self, after: str, limit: int) -> list[tuple[str, DecisionCounts]]:
        names = sorted(part for name, part in self._parts if name == tallies.RULE.name and part > after)
        return [(rule, self._rows(tallies.RULE, rule)[0].counts) for rule in names[:limit]]

    def repeated(self, rule: str, limit: int) -> list[TallyRow[DecisionCounts]]:
        rows = self._rows(tallies.PATTERN, rule)
        return sorted(rows, key=lambda row: (-row.counts.decided, row.key))[:limit]

    def count_people(self, rule: str, id: str = "") -> Contributors:
        rows = self._rows(tallies.PERSON, joined(rule, id) if id else rule)
        return Contributors(len(rows), sum(row.counts.times for row in rows))

    def texts(self, rule: str, id: str, limit: int) -> list[TallyRow[Times]]:
        return self._top(tallies.TEXT, joined(rule, id), limit)

    def reasons(self, rule: str, pattern: str, limit: int) -> list[Given]:
        return given(self._top(tallies.REASON, joined(rule, pattern), limit))

    def edits(self, rule: str, limit: int) -> list[TallyRow[Times]]:
        return self._top(tallies.EDIT, rule, limit)

    def stated(self, rule: str) -> list[TallyRow[ConfidenceCounts]]:
        return sorted(self._rows(tallies.CONFIDENCE, rule))

    def _rows(self, kind: TallyKind[N], part: str) -> list[TallyRow[N]]:
        return [TallyRow(key, kind.read(values)) for key, values in self._parts.get((kind.name, part), ())]

    def _top(self, kind: TallyKind[Times], part: str, limit: int) -> list[TallyRow[Times]]:
        return sorted(self._rows(kind, part), key=lambda row: (-row.counts.times, row.key))[:limit]


def _of_export(checksum: str) -> Entity:
    """By which an organisation recognises its own exports."""
    return Entity("export", checksum[:32])


def _people(source: Source, chosen: frozenset[str] | None) -> Iterator[tuple[str, int]]:
    """The rules, with how many people judged each."""
    after = ""
    while page := source.rules(after, _PAGE):
        for rule, counts in page:
            if chosen is None or rule in chosen:
                yield rule, source.count_people(rule).people(counts.total)
        after = page[-1][0]


def _patterns(source: Source, rule: str, people: int, whole_texts: bool) -> Iterator[tuple[str, SharedPattern]]:
    """With their ids; of the team's own decisions only: what came from elsewhere is not passed on or given back."""
    shared = 0
    for key, counts in source.repeated(rule, _LOOKED_AT):
        id, *phrases = key.split(SEPARATOR)
        total = counts.decided
        if total < SEEN or (phrases and not whole_texts):
            continue
        if (by := source.count_people(rule, id).people(total)) < people:
            continue
        words = _read_text(source, rule, id) if shared < _PER_RULE else None
        if words is not None:
            shared += 1
            rate = (counts.accepted + counts.modified) / total
            kind = "accepted" if rate >= WANTED else "rejected" if rate <= UNWANTED else "mixed"
            read = [_read_text(source, rule, phrase) for phrase in filter(None, phrases)]
            differs = tuple(text for text in read if text is not None) if phrases else None
            yield (
                id,
                SharedPattern(
                    rule_id=rule,
                    pattern_type=kind,
                    original_pattern=words[0],
                    suggested_pattern=words[1],
                    differences=differs,
                    count=total,
                    success_rate=round(rate, _DIGITS),
                    accepted=counts.accepted,
                    modified=counts.modified,
                    rejected=counts.rejected,
                    people=by,
                ),
            )


def _reason(source: Source, pattern: SharedPattern, id: str) -> str | None:
    """Why it was rejected, in the words used most often for it."""
    for reason in commonest(source.reasons(pattern.rule_id, id, REASONS)):
        for row in source.texts(pattern.rule_id, reason, _TEXTS):
            if text := decode(row.key):
                return str(text[0])
    return None


def _modifications(source: Source, rule: str) -> tuple[SharedModification, ...]:
    found = []
    for key, counts in source.edits(rule, _EDITS):
        kind, _, id = key.partition(SEPARATOR)
        texts = [decode(row.key) for row in source.texts(rule, id, _TEXTS)]
        said: list[str] = next((text for text in texts if text), [])
        removed, added, suggested, modified = [*said, *[""] * 4][:4]
        found.append(SharedModification(kind, removed, added, suggested, modified, counts.times))
    return tuple(found)


def _confidences(source: Source, rule: str) -> tuple[tuple[int, ...], ...]:
    split = ((row.key.split("."), row.counts) for row in source.stated(rule))
    return tuple((int(number), int(group), *counts) for (number, group), counts in split)


def _days(rows: Iterator[tuple[str, int, DayCounts]]) -> Iterator[tuple[str, DayCount]]:
    for key, day, counts in rows:
        rule, category, bulk = key.split(SEPARATOR)
        if any(counts):
            yield rule, DayCount(from_day(day), category, bulk == "1", *counts)


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, _DIGITS)


def _words(pattern: SharedPattern) -> list[str]:
    return [pattern.original_pattern, pattern.suggested_pattern]


def _require_whole(learnings: LearningExport) -> None:
    """What hides people cannot stand for what they did."""
    rules = {} if learnings.statistics is None else learnings.statistics.by_rule
    missing = {pattern.rule_id for pattern in learnings.patterns} - rules.keys()
    if missing or not rules or any(rule.detail is None for rule in rules.values()):
        raise InvalidInput(
            "This file does not tell all that was decided, so it cannot count as your own.",
            hint="Export it with min_people=1 and statistics; or import it as another team's.",
        )


def _read_text(source: Source, rule: str, id: str) -> tuple[str, str] | None:
    texts = [decode(row.key) for row in source.texts(rule, id, _TEXTS)] if id else []
    return next(((text[0], text[1]) for text in texts if isinstance(text[0], str) and not _is_cut(text)), None)


def _is_cut(text: Sequence[str]) -> bool:
    """A part of a text would not be recognised by whoever imports it."""
    return any(side.endswith("…") and len(side.encode()) > PATTERN_BYTES - 4 for side in text)


def _by_rule(learnings: LearningExport) -> Iterator[tuple[SharedRule, list[SharedPattern]]]:
    """Rules with their patterns. Where only patterns were exported, their decisions stand for the rule's."""
    rules = {} if learnings.statistics is None else dict(learnings.statistics.by_rule)
    patterns: dict[str, list[SharedPattern]] = {rule: [] for rule in rules}
    for pattern in learnings.patterns:
        patterns.setdefault(pattern.rule_id, []).append(pattern)
    for rule, found in sorted(patterns.items()):
        yield rules.get(rule) or _summed(rule, found), found


def _summed(rule: str, patterns: Sequence[SharedPattern]) -> SharedRule:
    accepted, modified, rejected = (
        sum(getattr(one, name) for one in patterns) for name in ("accepted", "modified", "rejected")
    )
    total = accepted + modified + rejected
    return SharedRule(
        rule_id=rule,
        rule_name=rule,
        feedback_count=total,
        acceptance_rate=(accepted + modified) / total if total else 0.0,
        modification_rate=modified / total if total else 0.0,
        confidence_accuracy=None,
        accepted=accepted,
        modified=modified,
        rejected=rejected,
        skipped=0,
        people=0,
    )


def _weighed(accepted: int, modified: int, rejected: int) -> list[int]:
    """At most so many decisions, in the same proportion."""
    total = accepted + modified + rejected
    share = min(1.0, _WEIGHT / total) if total else 0.0
    return [round(count * share) for count in (accepted, modified, rejected)]
