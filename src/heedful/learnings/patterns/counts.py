"""Queries on the tallies of suggestions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from heedful.learnings.patterns import tallies
from heedful.learnings.patterns.calibration import Bin, Bins
from heedful.learnings.patterns.tallies import ConfidenceCounts, DayCounts, DecisionCounts, Times
from heedful.records.suggestion import FOLDS, MILLION, PROJECTION, SEPARATOR, joined
from heedful.store import Store
from heedful.store.counting import TIMELESS, TallyKind, TallyRow
from heedful.store.database import Row
from heedful.store.projections import GENERATION
from heedful.text.reasons import RejectionReason

N = TypeVar("N", bound=NamedTuple)

_OF_KIND = f"org_id = :org and generation = {GENERATION} and name = :name"
_OF_PART = f"{_OF_KIND} and part = :part"
_OF_PARTS = f"{_OF_KIND} and part in ({{parts}}) and day = :day"

SELECT_ROWS = f"select key, {{columns}} from tally where {_OF_PART} and day = :day order by key"
SELECT_SOME = f"{SELECT_ROWS} limit :limit"
SELECT_TOP = f"""
select key, {{columns}} from tally where {_OF_PART} and day = :day order by {{first}} desc, key limit :limit
"""

SELECT_OF = f"select part, key, {{columns}} from tally where {_OF_PARTS}"
COUNT_OF = f"select part, count(*) from tally where {_OF_PARTS} group by part"

SELECT_REPEATED = f"""
select key, {tallies.PATTERN.columns} from tally
where org_id = :org and generation = {GENERATION} and part = :part and name = '{tallies.PATTERN.name}'
and accepted + modified + rejected + imported_accepted + imported_modified + imported_rejected >= 3
order by accepted + modified + rejected desc, key limit :limit
"""
"""The patterns of a rule that were seen three times or more, the team's own first: by an index of their own
(`tally_repeated`), so that the cost does not depend on patterns seen only once."""

COUNT_PEOPLE = f"""
select count(*), cast(coalesce(sum(times), 0) as bigint) from tally
where {_OF_PART} and day = :day
"""

SELECT_BINS = f"""
select part, substr(key, 1, 2), {tallies.CONFIDENCE.sums} from tally
where {_OF_KIND} and part in ('', :rule) and day = :day
group by part, substr(key, 1, 2)
"""

SELECT_SPANS = f"""
select key, {tallies.TOTAL.sums} from tally
where {_OF_PART} and day between :first and :last group by key
"""

SELECT_DAYS = f"""
select day, {tallies.TOTAL.sums} from tally
where {_OF_PART} and day between :first and :last group by day order by day
"""

SELECT_EACH_DAY = f"""
select key, day, {tallies.TOTAL.sums} from tally
where {_OF_PART} and day between :first and :last group by key, day order by key, day
"""

SELECT_NAMES = f"""
select part, key from tally where {_OF_KIND} and day = :day order by times desc, key
"""

SELECT_RULES = f"""
select part, {tallies.RULE.columns} from tally where {_OF_KIND} and day = :day and key = '' and part > :after
order by part limit :limit
"""


REASONS = 50


class Contributors(NamedTuple):
    named: int
    """Different people, as far as they are named."""
    decisions: int

    def people(self, decisions: int) -> int:
        """Out of all decisions. All decisions without an actor count as one person."""
        return self.named + (decisions > self.decisions)


class SuggestionTallies:
    """The tallies of one organisation. `learnings/patterns/tallies.py` lists them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def rule(self, rule: str) -> DecisionCounts:
        """Of all rules together: the rule ""."""
        rows = self._rows(SELECT_ROWS, tallies.RULE, rule)
        return rows[0].counts if rows else DecisionCounts()

    def rules(self, after: str, limit: int) -> list[tuple[str, DecisionCounts]]:
        rows = self._query(SELECT_RULES, {"name": tallies.RULE.name, "day": TIMELESS, "after": after, "limit": limit})
        return [(row[0], tallies.RULE.read(row[1:])) for row in rows]

    def repeated(self, rule: str, limit: int) -> list[TallyRow[DecisionCounts]]:
        return self._rows(SELECT_REPEATED, tallies.PATTERN, rule, limit=limit)

    def curves(self, rule: str) -> list[Bins]:
        """Stated confidences and decisions: of all rules together, and of this one."""
        found: dict[str, dict[int, Bin]] = {"": {}, rule: {}}
        for part, number, *sums in self._query(
            SELECT_BINS, {"name": tallies.CONFIDENCE.name, "rule": rule, "day": TIMELESS}
        ):
            found[part][int(number)] = _bin(tallies.CONFIDENCE.read(sums))
        return [found[""], found[rule]]

    def confidences(self, rule: str) -> list[Bins]:
        """Stated confidences and decisions, for each group of people."""
        groups: list[dict[int, Bin]] = [{} for _ in range(FOLDS)]
        for key, counts in self.stated(rule):
            number, _, group = key.partition(".")
            groups[int(group)][int(number)] = _bin(counts)
        return [*groups]

    def edits(self, rule: str, limit: int) -> list[TallyRow[Times]]:
        return self._rows(SELECT_TOP, tallies.EDIT, rule, limit=limit)

    def texts(self, rule: str, id: str, limit: int) -> list[TallyRow[Times]]:
        return self._rows(SELECT_TOP, tallies.TEXT, joined(rule, id), limit=limit)

    def some_texts(self, rule: str, id: str, limit: int) -> list[TallyRow[Times]]:
        return self._rows(SELECT_SOME, tallies.TEXT, joined(rule, id), limit=limit)

    def texts_of(self, rule: str, ids: Sequence[str]) -> dict[str, list[TallyRow[Times]]]:
        found: dict[str, list[TallyRow[Times]]] = {id: [] for id in ids}
        for part, key, *values in self._of(SELECT_OF, tallies.TEXT, rule, ids):
            found[_id(part)].append(TallyRow(key, tallies.TEXT.read(values)))
        return {id: sorted(rows, key=lambda row: (-row.counts.times, row.key)) for id, rows in found.items()}

    def people_of(self, rule: str, ids: Sequence[str]) -> dict[str, int]:
        return {_id(part): int(count) for part, count in self._of(COUNT_OF, tallies.PERSON, rule, ids)}

    def _of(self, sql: str, kind: TallyKind[N], rule: str, ids: Sequence[str]) -> Sequence[Row]:
        if not ids:
            return ()
        parts = {f"p{number}": joined(rule, id) for number, id in enumerate(ids)}
        listed = ", ".join(f":{part}" for part in parts)
        sql = sql.format(parts=listed, columns=kind.columns)
        return self._query(sql, {"name": kind.name, "day": TIMELESS, **parts})

    def reasons(self, rule: str, pattern: str, limit: int) -> list[RejectionReason]:
        return given(self._rows(SELECT_TOP, tallies.REASON, joined(rule, pattern), limit=limit))

    def people(self, rule: str, id: str, limit: int) -> list[str]:
        return [row.key for row in self._rows(SELECT_TOP, tallies.PERSON, joined(rule, id), limit=limit)]

    def count_people(self, rule: str, id: str = "") -> Contributors:
        """The people behind it; without an id, those who judged the rule."""
        part = joined(rule, id) if id else rule
        found = self._query(COUNT_PEOPLE, {"name": tallies.PERSON.name, "part": part, "day": TIMELESS})[0]
        return Contributors(int(found[0]), int(found[1]))

    def stated(self, rule: str) -> list[TallyRow[ConfidenceCounts]]:
        """Stated confidences and decisions: by bin and group of people."""
        return self._rows(SELECT_ROWS, tallies.CONFIDENCE, rule)

    def rule_name(self, rule: str) -> str:
        rows = self._rows(SELECT_TOP, tallies.NAME, rule, limit=1)
        return rows[0].key if rows else rule

    def rule_names(self) -> dict[str, str]:
        return {
            row[0]: row[1] for row in reversed(self._query(SELECT_NAMES, {"name": tallies.NAME.name, "day": TIMELESS}))
        }

    def spans(self, length: int, first: int, last: int) -> list[TallyRow[DayCounts]]:
        """Sums over spans of days that begin from `first` to `last`, by rule, category and bulk."""
        rows = self._days(SELECT_SPANS, tallies.SPAN[length], first, last)
        return [TallyRow(key, tallies.TOTAL.read(sums)) for key, *sums in rows]

    def each_day(self, first: int, last: int) -> list[tuple[str, int, DayCounts]]:
        rows = self._days(SELECT_EACH_DAY, tallies.SPAN[1], first, last)
        return [(key, day, tallies.TOTAL.read(sums)) for key, day, *sums in rows]

    def totals(self, first: int, last: int) -> list[TallyRow[DayCounts]]:
        """Sums over days, of all rules together: by bulk."""
        return [
            TallyRow(key, tallies.TOTAL.read(sums))
            for key, *sums in self._days(SELECT_SPANS, tallies.TOTAL, first, last)
        ]

    def days(self, first: int, last: int) -> list[tuple[int, DayCounts]]:
        return [(day, tallies.TOTAL.read(sums)) for day, *sums in self._days(SELECT_DAYS, tallies.TOTAL, first, last)]

    def _days(self, sql: str, kind: TallyKind[DayCounts], first: int, last: int) -> Sequence[Row]:
        return self._query(sql, {"name": kind.name, "part": "", "first": first, "last": last})

    def _rows(self, sql: str, kind: TallyKind[N], part: str, **params: int) -> list[TallyRow[N]]:
        """`order by {first}` sorts by the first of the counts."""
        sql = sql.format(columns=kind.columns, first=kind.counts._fields[0])
        rows = self._query(sql, {"name": kind.name, "part": part, "day": TIMELESS, **params})
        return [TallyRow(row[0], kind.read(row[1:])) for row in rows]

    def _query(self, sql: str, params: dict[str, object]) -> Sequence[Row]:
        return self._store.database.query(self._store.org, sql, org=self._store.org, projection=PROJECTION, **params)


def given(rows: Sequence[TallyRow[Times]]) -> list[RejectionReason]:
    """Reasons for a rejection, with their counts."""
    pairs = ((row.key.partition(SEPARATOR), row.counts.times) for row in rows)
    return [RejectionReason(frozenset(meant.split()), id, times) for (meant, _, id), times in pairs]


def _bin(counts: ConfidenceCounts) -> Bin:
    decisions, accepted, *sums = counts
    return Bin(decisions, accepted, *(millionths / MILLION for millionths in sums))


def _id(part: str) -> str:
    return part.partition(SEPARATOR)[2]
