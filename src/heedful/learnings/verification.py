"""Derives learnings again in memory, to compare them with the stored ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heedful.learnings.events import PROJECTION, subject
from heedful.learnings.fold import advanced
from heedful.learnings.row import State
from heedful.learnings.signatures import Signature
from heedful.learnings.table import LearningTable, is_found, signature_of, weights
from heedful.records.event import Event
from heedful.records.learning import Status
from heedful.store.database import Row, Transaction
from heedful.store.digest import digest, same

_CHUNK = 400

_STATES = ", ".join(State._fields)
SELECT_STATES = f"select {_STATES} from learning where org_id = :org and no > :no order by no limit :limit"

SELECT_SIGNATURES = """
select no, canonical, simhash, band_a, band_b, band_c from learning_signature where org_id = :org
"""


class LearningVerification:
    def __init__(self, table: LearningTable, org: str, transaction: Transaction) -> None:
        self._table = table
        self._org = org
        self._transaction = transaction
        self._states: dict[str, State] = {}

    def fold(self, events: Sequence[Event]) -> None:
        for event in events:
            if (id := subject(event)) is not None:
                state = advanced(self._states.pop(id, None), event)
                if state is not None:
                    self._states[id] = state

    def differences(self) -> Iterator[str]:
        if self._stored() != self._states:
            yield PROJECTION
            return  # the rest is made from them
        if self._table.count_in(self._transaction) != sum(map(is_found, self._states.values())):
            yield "the number of learnings"
        full_text, signatures = self._made_of_words()
        if not same(full_text, self._table.postings.digest(self._transaction)):
            yield "the full text"
        if not self._are_signed(signatures):
            yield "the signatures of learnings"
        self._table.vectors.check(self._transaction)

    def _stored(self) -> dict[str, State]:
        found: dict[str, State] = {}
        no = -1
        while rows := self._query(SELECT_STATES, no=no, limit=_CHUNK):
            states = [State._make(row) for row in rows]
            found |= {state.id: state for state in states}
            no = states[-1].no
        return found

    def _made_of_words(self) -> tuple[int, dict[int, Signature]]:
        total, signatures = 0, {}
        states = [state for state in self._states.values() if is_found(state)]
        for start in range(0, len(states), _CHUNK):
            part = states[start : start + _CHUNK]
            said = self._table.events_at(self._transaction, [state.said for state in part])
            for state in part:
                terms = weights(state, said[state.said])
                total += sum(digest((term, state.no), (weight,)) for term, weight in terms.items())
                signature = signature_of(state, said[state.said]) if state.status == Status.ACTIVE else None
                if signature is not None:
                    signatures[state.no] = signature
        return total, signatures

    def _are_signed(self, made: dict[int, Signature]) -> bool:
        """Of several duplicates, one has the signature."""
        stored = {row[0]: Signature(row[1], row[2], tuple(row[3:])) for row in self._query(SELECT_SIGNATURES)}
        said = {one.canonical for one in stored.values()}
        return all(made.get(no) == one for no, one in stored.items()) and said == {
            one.canonical for one in made.values()
        }

    def _query(self, sql: str, **params: object) -> list[Row]:
        return self._transaction.query(sql, {"org": self._org, **params})
