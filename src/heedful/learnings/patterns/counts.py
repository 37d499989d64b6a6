"""What was counted about rules, as those who read it ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from heedful.learnings.patterns.calibration import Bin, Bins
from heedful.records.suggestion import FOLDS, MILLION, PROJECTION, SEPARATOR, joined
from heedful.store import Store
from heedful.store.counting import TALLY_WIDTH, TIMELESS
from heedful.store.database import Row
from heedful.store.projections import GENERATION
from heedful.text.reasons import Given

_VALUES = ", ".join(f"v{number}" for number in range(TALLY_WIDTH))
_SUMS = ", ".join(f"cast(sum(v{number}) as bigint)" for number in range(TALLY_WIDTH))
_OF_PART = f"org_id = :org and projection = {GENERATION} and name = :name and part = :part"

SELECT_ROWS = f"select key, {_VALUES} from tally where {_OF_PART} and day = :day order by key"

SELECT_TOP = f"select key, {_VALUES} from tally where {_OF_PART} and day = :day order by v0 desc, key limit :limit"

SELECT_SOME = f"select key, {_VALUES} from tally where {_OF_PART} and day = :day order by key limit :limit"

_OF_PARTS = f"org_id = :org and projection = {GENERATION} and name = :name and part in ({{parts}}) and day = :day"
SELECT_OF = f"select part, key, {_VALUES} from tally where {_OF_PARTS}"
COUNT_OF = f"select part, count(*) from tally where {_OF_PARTS} group by part"

SELECT_REPEATED = f"""
select key, {_VALUES} from tally
where org_id = :org and projection = {GENERATION} and part = :part and name = 'pattern'
and v0 + v1 + v2 + v4 + v5 + v6 >= 3
order by v0 + v1 + v2 desc, key limit :limit
"""
"""The patterns of a rule that were seen three times or more, the team's own first: by an index of their own, so that it
costs the same however many were seen but once."""

COUNT_KEYS = f"select count(*), cast(coalesce(sum(v0), 0) as bigint) from tally where {_OF_PART} and day = :day"

_BIN_SUMS = ", ".join(f"cast(sum(v{number}) as bigint)" for number in range(5))
SELECT_BINS = f"""
select part, substr(key, 1, 2), {_BIN_SUMS} from tally
where org_id = :org and projection = {GENERATION} and name = 'confidence' and part in ('', :rule) and day = :day
group by part, substr(key, 1, 2)
"""

SELECT_SPANS = f"""
select key, {_SUMS} from tally
where {_OF_PART} and day between :first and :last group by key
"""

SELECT_DAYS = f"""
select day, {_SUMS} from tally
where {_OF_PART} and day between :first and :last group by day order by day
"""

SELECT_EACH_DAY = f"""
select key, day, {_SUMS} from tally
where {_OF_PART} and day between :first and :last group by key, day order by key, day
"""

SELECT_NAMES = f"""
select part, key from tally
where org_id = :org and projection = {GENERATION} and name = 'name' and day = :day
order by v0 desc, key
"""

SELECT_PARTS = f"""
select part, {_VALUES} from tally
where org_id = :org and projection = {GENERATION} and name = :name and day = :day and key = '' and part > :after
order by part limit :limit
"""


REASONS = 50
"""The most frequent ones given for rejecting a pattern; those after them would hardly be its commonest."""


class TallyRow(NamedTuple):
    key: str
    values: tuple[int, ...]


class Contributors(NamedTuple):
    named: int
    """Different people, as far as they were named."""
    decisions: int
    """How many decisions are theirs."""

    def people(self, decisions: int) -> int:
        """Of so many decisions in all. Those without a person may be anybody's: all of them count as one person."""
        return self.named + (decisions > self.decisions)


class SuggestionTallies:
    """The tallies of one organisation. `learn/suggestions.py` tells what each holds."""

    def __init__(self, store: Store) -> None:
        self._database = store.database
        self._org = store.org

    def rule(self, rule: str) -> tuple[int, ...] | None:
        """accepted, modified, rejected, skipped; imported accepted, modified, rejected; and a number that changes
        with every event about the rule. Of all rules together: the rule ""."""
        rows = self._rows(SELECT_ROWS, name="rule", part=rule)
        return rows[0].values if rows else None

    def rules(self, after: str, limit: int) -> list[tuple[str, tuple[int, ...]]]:
        """All rules with their numbers, in pages."""
        return list(self._rows(SELECT_PARTS, name="rule", after=after, limit=limit))

    def repeated(self, rule: str, limit: int) -> list[TallyRow]:
        return self._rows(SELECT_REPEATED, part=rule, limit=limit)

    def curves(self, rule: str) -> list[Bins]:
        """Stated confidences and what came of them: of all rules together, and of this one."""
        found: dict[str, dict[int, Bin]] = {"": {}, rule: {}}
        for part, number, *sums in self._query(SELECT_BINS, {"rule": rule, "day": TIMELESS}):
            found[part][int(number)] = _bin(sums)
        return [found[""], found[rule]]

    def confidences(self, rule: str) -> list[Bins]:
        """Stated confidences and what came of them, for each group of people."""
        groups: list[dict[int, Bin]] = [{} for _ in range(FOLDS)]
        for key, values in self._rows(SELECT_ROWS, name="confidence", part=rule):
            number, _, group = key.partition(".")
            groups[int(group)][int(number)] = _bin(values)
        return [*groups]

    def edits(self, rule: str, limit: int) -> list[TallyRow]:
        return self._rows(SELECT_TOP, name="edit", part=rule, limit=limit)

    def texts(self, rule: str, id: str, limit: int) -> list[TallyRow]:
        """How it reads, the most frequent way first."""
        return self._rows(SELECT_TOP, name="text", part=joined(rule, id), limit=limit)

    def some_texts(self, rule: str, id: str, limit: int) -> list[TallyRow]:
        """How it reads, in some cases."""
        return self._rows(SELECT_SOME, name="text", part=joined(rule, id), limit=limit)

    def texts_of(self, rule: str, ids: Sequence[str]) -> dict[str, list[TallyRow]]:
        """How each of them reads, the most frequent way first."""
        found: dict[str, list[TallyRow]] = {id: [] for id in ids}
        for part, key, *values in self._of(SELECT_OF, rule, ids, "text"):
            found[_id(part)].append(TallyRow(key, tuple(values)))
        return {id: sorted(rows, key=lambda row: (-row.values[0], row.key)) for id, rows in found.items()}

    def people_of(self, rule: str, ids: Sequence[str]) -> dict[str, int]:
        """How many different people did each of them."""
        return {_id(part): int(count) for part, count in self._of(COUNT_OF, rule, ids, "person")}

    def _of(self, sql: str, rule: str, ids: Sequence[str], name: str) -> Sequence[Row]:
        if not ids:
            return ()
        places = {f"p{number}": joined(rule, id) for number, id in enumerate(ids)}
        listed = ", ".join(f":{place}" for place in places)
        return self._query(sql.format(parts=listed), {"name": name, "day": TIMELESS, **places})

    def reasons(self, rule: str, pattern: str, limit: int) -> list[Given]:
        return given(self._rows(SELECT_TOP, name="reason", part=joined(rule, pattern), limit=limit))

    def people(self, rule: str, id: str, limit: int) -> list[str]:
        """Who did it: some of them."""
        return [row.key for row in self._rows(SELECT_TOP, name="person", part=joined(rule, id), limit=limit)]

    def count_people(self, rule: str, id: str = "") -> Contributors:
        """Who did it; without an id, who judged the rule."""
        part = joined(rule, id) if id else rule
        found = self._query(COUNT_KEYS, {"name": "person", "part": part, "day": TIMELESS})[0]
        return Contributors(int(found[0]), int(found[1]))

    def stated(self, rule: str) -> list[TallyRow]:
        """Stated confidences and what came of them: by bin and group of people."""
        return self._rows(SELECT_ROWS, name="confidence", part=rule)

    def rule_name(self, rule: str) -> str:
        """As people call it; else its id."""
        rows = self._rows(SELECT_TOP, name="name", part=rule, limit=1)
        return rows[0].key if rows else rule

    def rule_names(self) -> dict[str, str]:
        """Of all rules that have a name, the most frequent one."""
        return {row[0]: row[1] for row in reversed(self._query(SELECT_NAMES, {"day": TIMELESS}))}

    def spans(self, length: int, first: int, last: int) -> list[TallyRow]:
        """Sums over spans of days that begin from `first` to `last`, by rule, category and bulk."""
        params = {"name": f"span{length}", "part": "", "first": first, "last": last}
        return [TallyRow(row[0], tuple(row[1:])) for row in self._query(SELECT_SPANS, params)]

    def each_day(self, first: int, last: int) -> list[tuple[str, int, tuple[int, ...]]]:
        """Sums of each day, by rule, category and bulk."""
        params = {"name": "span1", "part": "", "first": first, "last": last}
        return [(row[0], row[1], tuple(row[2:])) for row in self._query(SELECT_EACH_DAY, params)]

    def totals(self, first: int, last: int) -> list[TallyRow]:
        """Sums over days, of all rules together: by bulk."""
        params = {"name": "total", "part": "", "first": first, "last": last}
        return [TallyRow(row[0], tuple(row[1:])) for row in self._query(SELECT_SPANS, params)]

    def days(self, first: int, last: int) -> list[tuple[int, tuple[int, ...]]]:
        params = {"name": "total", "part": "", "first": first, "last": last}
        return [(row[0], tuple(row[1:])) for row in self._query(SELECT_DAYS, params)]

    def _rows(self, sql: str, **params: object) -> list[TallyRow]:
        return [TallyRow(row[0], tuple(row[1:])) for row in self._query(sql, {"day": TIMELESS, **params})]

    def _query(self, sql: str, params: dict[str, object]) -> Sequence[Row]:
        with self._database.read(self._org) as transaction:
            return transaction.query(sql, {"org": self._org, "projection": PROJECTION, **params})


def given(rows: Sequence[TallyRow]) -> list[Given]:
    """Reasons for rejecting something, as they are counted."""
    pairs = ((row.key.partition(SEPARATOR), row.values[0]) for row in rows)
    return [Given(frozenset(meant.split()), id, times) for (meant, _, id), times in pairs]


def _bin(sums: Sequence[int]) -> Bin:
    count, accepted, stated, squared, of_accepted = sums[:5]
    return Bin(count, accepted, stated / MILLION, squared / MILLION, of_accepted / MILLION)


def _id(part: str) -> str:
    return part.partition(SEPARATOR)[2]
