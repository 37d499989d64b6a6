"""The budget for language models of an organisation: calls and tokens by day, limited for all processes together."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from heedful.errors import BudgetSpent, InvalidInput
from heedful.records.clock import to_day
from heedful.records.language import Limits, Reserved
from heedful.store.database import OrgTable

OPEN_DAY = "insert into spending (org_id, day, calls, tokens) values (:org, :day, 0, 0) on conflict do nothing"
RESERVE = """
update spending set calls = calls + :calls, tokens = tokens + :tokens
where org_id = :org and day = :day and calls + :calls <= :most_calls and tokens + :tokens <= :most_tokens
"""
"""Compares and adds in one statement, so that two processes cannot both take the last call."""

SETTLE = "update spending set tokens = tokens + :difference where org_id = :org and day = :day"
SELECT_DAY = "select calls, tokens from spending where org_id = :org and day = :day"


class Spent(NamedTuple):
    calls: int
    tokens: int


class Spending(OrgTable):
    """The budget of one organisation. Days are those of UTC."""

    def today(self) -> Spent:
        rows = self._query(SELECT_DAY, **self._on(self._clock()))
        return Spent(*rows[0]) if rows else Spent(0, 0)

    def reserve(self, calls: int, tokens: int, limits: Limits) -> Reserved:
        """Reserve a call before it is made; raises BudgetSpent if it would exceed the limits."""
        if self._database.in_transaction():
            raise InvalidInput(
                "A language model cannot be asked inside a transaction: what it costs cannot be undone.",
                hint="Ask it before or after.",
            )
        now = self._clock()
        asked = {"calls": calls, "tokens": tokens, "most_calls": limits.calls, "most_tokens": limits.tokens}
        with self._database.write(self._org) as transaction:
            transaction.execute(OPEN_DAY, self._on(now))
            if not transaction.execute(RESERVE, {**self._on(now), **asked}):
                spent = Spent(*transaction.query(SELECT_DAY, self._on(now))[0])
                raise _spent(spent, calls, tokens, limits)
        return Reserved(now.date(), tokens)

    def settle(self, reserved: Reserved, used_tokens: int) -> None:
        """Correct a reservation by what was used, on the day of the reservation."""
        params = {"org": self._org, "day": to_day(reserved.day), "difference": used_tokens - reserved.tokens}
        self._database.execute(self._org, SETTLE, **params)

    def _on(self, now: datetime) -> dict[str, str | int]:
        return {"org": self._org, "day": to_day(now.date())}


def _spent(spent: Spent, calls: int, tokens: int, limits: Limits) -> BudgetSpent:
    if spent.calls + calls > limits.calls:
        what, setting = f"{spent.calls:,} of {limits.calls:,} calls to language models are used up", "HEEDFUL_LLM_CALLS"
    else:
        what = f"{spent.tokens:,} of {limits.tokens:,} tokens are used up, and this may take {tokens:,}"
        setting = "HEEDFUL_LLM_TOKENS"
    return BudgetSpent(
        f"The budget of the day does not allow it: {what}.",
        hint=f"The next day begins at 00:00 UTC; whoever runs heedful can raise {setting}.",
    )
