"""The sections `patterns` and `statistics`: decisions about suggestions, if enough different people contributed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from heedful.govern.sharing.recount import Recount, recount
from heedful.learnings.patterns.acceptance_rates import FeedbackFilter, all_days, statistics
from heedful.learnings.patterns.counts import REASONS, SuggestionTallies
from heedful.learnings.patterns.tallies import DecisionCounts
from heedful.learnings.patterns.wanted_patterns import SEEN, UNWANTED, WANTED
from heedful.records import sharing
from heedful.records.clock import from_day
from heedful.records.json import decode
from heedful.records.period import Period
from heedful.records.suggestion import PATTERN_BYTES, SEPARATOR
from heedful.store import Store
from heedful.text.reasons import most_common_reason

_PER_RULE = 100
_LOOKED_AT = 1_000
_EDITS = 100
_TEXTS = 4
_PAGE = 500
_DIGITS = 4

S = TypeVar("S")


class SharedSuggestions:
    """The exported patterns and statistics of a period, for rules that enough people judged."""

    def __init__(self, store: Store, period: Period, rules: frozenset[str] | None, people: int, *, texts: bool) -> None:
        self._store = store
        self._tallies = SuggestionTallies(store)
        self._source: SuggestionTallies | Recount = self._tallies if period == Period() else recount(store, period)
        self._period = period
        self._people = people
        self._texts = texts
        self.rules = {rule: by for rule, by in self._judged(rules) if by >= people}
        """Rules, each with the number of people who judged it."""

    def _judged(self, chosen: frozenset[str] | None) -> Iterator[tuple[str, int]]:
        after = ""
        while page := self._source.rules(after, _PAGE):
            for rule, counts in page:
                if chosen is None or rule in chosen:
                    yield rule, self._source.count_people(rule).people(counts.total)
            after = page[-1][0]

    # Patterns

    def patterns(self) -> tuple[sharing.SharedPattern, ...]:
        return tuple(pattern for rule in self.rules for pattern in self._patterns(rule))

    def _patterns(self, rule: str) -> Iterator[sharing.SharedPattern]:
        """Counts the team's own decisions only: imported ones are not exported again."""
        shared = 0
        for key, counts in self._source.repeated(rule, _LOOKED_AT):
            id, *phrases = key.split(SEPARATOR)
            total = counts.decided
            if total < SEEN or (phrases and not self._texts):
                continue
            by = self._source.count_people(rule, id).people(total)
            words = self._words(rule, id) if by >= self._people and shared < _PER_RULE else None
            if words is not None:
                shared += 1
                pattern = _pattern(rule, words, counts, by)
                if phrases:
                    read = (self._words(rule, phrase) for phrase in filter(None, phrases))
                    pattern = replace(pattern, differences=tuple(text for text in read if text is not None))
                if self._texts and self._people == 1:
                    pattern = replace(pattern, common_rejection_reason=self._reason(rule, id))
                yield pattern

    def _words(self, rule: str, id: str) -> tuple[str, str] | None:
        texts = self._stored(rule, id) if id else []
        return next(((text[0], text[1]) for text in texts if isinstance(text[0], str) and not _is_cut(text)), None)

    def _reason(self, rule: str, id: str) -> str | None:
        """Why it was rejected, in the most frequent wording."""
        for reason in most_common_reason(self._source.reasons(rule, id, REASONS)):
            for text in self._stored(rule, reason):
                if text:
                    return str(text[0])
        return None

    def _stored(self, rule: str, id: str) -> list[Any]:
        return [decode(row.key) for row in self._source.texts(rule, id, _TEXTS)]

    # Statistics

    def statistics(self) -> sharing.SharedStatistics:
        """Sums over these rules only: sums over all would reveal those that are left out."""
        wanted = FeedbackFilter(self._period, frozenset(self.rules), None, exclude_skipped=False, exclude_bulk=False)
        counted = statistics(self._tallies, wanted, self._store.clock().date())
        details = self._details() if self._people == 1 else {}
        by_rule = {
            rule: _copied(sharing.SharedRule, one, people=self.rules[rule], detail=details.get(rule))
            for rule, one in counted.by_rule.items()
        }
        by_category = {name: _copied(sharing.SharedCategory, one) for name, one in counted.by_category.items()}
        period = {"start": self._period.start, "end": self._period.end}
        return _copied(sharing.SharedStatistics, counted, **period, by_rule=by_rule, by_category=by_category)

    def _details(self) -> Mapping[str, sharing.RuleDetail]:
        days: dict[str, list[sharing.DayCount]] = {rule: [] for rule in self.rules}
        for key, day, counts in all_days(self._tallies, self._period):
            rule, category, bulk = key.split(SEPARATOR)
            if rule in days and any(counts):
                days[rule].append(sharing.DayCount(from_day(day), category, bulk == "1", *counts))
        return {
            rule: sharing.RuleDetail(tuple(found), self._confidences(rule), self._modifications(rule))
            for rule, found in days.items()
        }

    def _confidences(self, rule: str) -> tuple[tuple[int, ...], ...]:
        split = ((row.key.split("."), row.counts) for row in self._source.stated(rule))
        return tuple((int(number), int(group), *sums) for (number, group), sums in split)

    def _modifications(self, rule: str) -> tuple[sharing.SharedModification, ...]:
        found = []
        for key, counts in self._source.edits(rule, _EDITS) if self._texts else ():
            kind, _, id = key.partition(SEPARATOR)
            said: list[str] = next(filter(None, self._stored(rule, id)), [])
            removed, added, suggested, modified = [*said, *[""] * 4][:4]
            found.append(sharing.SharedModification(kind, removed, added, suggested, modified, counts.times))
        return tuple(found)


def _pattern(rule: str, words: tuple[str, str], decisions: DecisionCounts, people: int) -> sharing.SharedPattern:
    rate = (decisions.accepted + decisions.modified) / decisions.decided
    return sharing.SharedPattern(
        rule_id=rule,
        pattern_type="accepted" if rate >= WANTED else "rejected" if rate <= UNWANTED else "mixed",
        original_pattern=words[0],
        suggested_pattern=words[1],
        differences=None,
        count=decisions.decided,
        success_rate=round(rate, _DIGITS),
        accepted=decisions.accepted,
        modified=decisions.modified,
        rejected=decisions.rejected,
        people=people,
    )


def _copied(kind: type[S], source: object, **more: Any) -> S:
    names = [field.name for field in fields(kind) if field.name not in more]  # type: ignore[arg-type]
    found = {name: getattr(source, name) for name in names}
    return kind(**{k: round(v, _DIGITS) if isinstance(v, float) else v for k, v in found.items()}, **more)


def _is_cut(text: Sequence[str]) -> bool:
    """A part of a text would not be recognised by an import."""
    return any(side.endswith("…") and len(side.encode()) > PATTERN_BYTES - 4 for side in text)
