"""What was counted about rules, as those who read it ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from heedful.model.calibration import Bin, Bins
from heedful.model.fix import FOLDS, MILLION, PROJECTION, SEPARATOR
from heedful.model.projection import TALLY_WIDTH, TIMELESS
from heedful.store.database import Database, Row
from heedful.store.derivation import PLACE

_VALUES = ", ".join(f"v{number}" for number in range(TALLY_WIDTH))
_SUMS = ", ".join(f"cast(sum(v{number}) as bigint)" for number in range(TALLY_WIDTH))
_OF_PART = f"org_id = :org and projection = {PLACE} and name = :name and part = :part"

SELECT_ROWS = f"select key, {_VALUES} from tally where {_OF_PART} and day = :day order by key"

SELECT_TOP = f"select key, {_VALUES} from tally where {_OF_PART} and day = :day order by v0 desc, key limit :limit"

SELECT_REPEATED = f"""
select key, {_VALUES} from tally
where org_id = :org and projection = {PLACE} and part = :part and name = 'pattern'
and v0 + v1 + v2 + v4 + v5 + v6 >= 3
order by v0 + v1 + v2 desc limit :limit
"""
"""The patterns of a rule that were seen three times or more, the team's own first: by an index of their own, so that it
costs the same however many were seen but once."""

COUNT_KEYS = f"select count(*) from tally where {_OF_PART} and day = :day"

SELECT_SPANS = f"""
select key, {_SUMS} from tally
where {_OF_PART} and day between :first and :last group by key
"""

SELECT_DAYS = f"""
select day, {_SUMS} from tally
where {_OF_PART} and day between :first and :last group by day order by day
"""

SELECT_NAMES = f"""
select part, key from tally
where org_id = :org and projection = {PLACE} and name = 'name' and day = :day
order by v0 desc, key
"""

SELECT_PARTS = f"""
select part, {_VALUES} from tally
where org_id = :org and projection = {PLACE} and name = :name and day = :day and key = '' and part > :after
order by part limit :limit
"""


class TallyRow(NamedTuple):
    key: str
    values: tuple[int, ...]


class SuggestionTallies:
    """The tallies of one organisation. `learn/suggestions.py` tells what each holds."""

    def __init__(self, database: Database, org: str) -> None:
        self._database = database
        self._org = org

    def rule(self, rule: str) -> tuple[int, ...] | None:
        """accepted, modified, rejected, skipped; imported accepted, modified, rejected; and a number that changes
        with every event about the rule. Of all rules together: the rule ""."""
        rows = self._rows(SELECT_ROWS, name="rule", part=rule)
        return rows[0].values if rows else None

    def rules(self, after: str = "", limit: int = 1_000) -> list[tuple[str, tuple[int, ...]]]:
        """All rules with their numbers, in pages."""
        return list(self._rows(SELECT_PARTS, name="rule", after=after, limit=limit))

    def repeated(self, rule: str, limit: int) -> list[TallyRow]:
        return self._rows(SELECT_REPEATED, part=rule, limit=limit)

    def confidences(self, rule: str) -> list[Bins]:
        """Stated confidences and what came of them, for each group of people."""
        groups: list[dict[int, Bin]] = [{} for _ in range(FOLDS)]
        for key, (count, accepted, stated, squared, of_accepted, *_) in self._rows(
            SELECT_ROWS, name="confidence", part=rule
        ):
            number, _, group = key.partition(".")
            sums = (stated / MILLION, squared / MILLION, of_accepted / MILLION)
            groups[int(group)][int(number)] = Bin(count, accepted, *sums)
        return list(groups)

    def edits(self, rule: str, limit: int) -> list[TallyRow]:
        return self._rows(SELECT_TOP, name="edit", part=rule, limit=limit)

    def texts(self, rule: str, id: str, limit: int = 1) -> list[TallyRow]:
        """How it reads, the most frequent way first."""
        return self._rows(SELECT_TOP, name="text", part=_joined(rule, id), limit=limit)

    def reasons(self, rule: str, pattern: str, limit: int) -> list[TallyRow]:
        return self._rows(SELECT_TOP, name="reason", part=_joined(rule, pattern), limit=limit)

    def people(self, rule: str, id: str, limit: int) -> list[str]:
        """Who did it: some of them."""
        return [row.key for row in self._rows(SELECT_TOP, name="person", part=_joined(rule, id), limit=limit)]

    def count_people(self, rule: str, id: str = "") -> int:
        """How many different people did it; without an id, how many judged the rule."""
        part = _joined(rule, id) if id else rule
        return int(self._query(COUNT_KEYS, {"name": "person", "part": part, "day": TIMELESS})[0][0])

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

    def days(self, first: int, last: int) -> list[tuple[int, tuple[int, ...]]]:
        params = {"name": "span1", "part": "", "first": first, "last": last}
        return [(row[0], tuple(row[1:])) for row in self._query(SELECT_DAYS, params)]

    def _rows(self, sql: str, **params: object) -> list[TallyRow]:
        return [TallyRow(row[0], tuple(row[1:])) for row in self._query(sql, {"day": TIMELESS, **params})]

    def _query(self, sql: str, params: dict[str, object]) -> Sequence[Row]:
        with self._database.read(self._org) as transaction:
            return transaction.query(sql, {"org": self._org, "projection": PROJECTION, **params})


def _joined(*parts: str) -> str:
    return SEPARATOR.join(parts)
