"""The table of learnings, in step with the log, with full text, vectors and signatures. Words stay in the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from heedful.learnings.disputes import asked_about, contrary, with_disputes
from heedful.learnings.events import ABOUT_LEARNINGS, BEGINNINGS, ENTITY, subject
from heedful.learnings.fold import advanced
from heedful.learnings.kind import LearningKind, Wording
from heedful.learnings.kinds import kind_of
from heedful.learnings.row import LearningRow, State
from heedful.learnings.score_fusion import impact, pack_impact
from heedful.learnings.signatures import Signature, Signatures
from heedful.records.clock import to_micros
from heedful.records.event import Event
from heedful.records.job import JobRequest
from heedful.records.learning import Status
from heedful.records.proposal import DECIDED, MADE
from heedful.records.proposal import ENTITY as PROPOSAL
from heedful.store import Store
from heedful.store.database import Row, Transaction, in_parts
from heedful.store.event_rows import EVENT_COLUMNS, event_of
from heedful.store.postings import Postings
from heedful.store.vectors import NewVector, Vectors

EMBED_JOB = "learning.embed"

EMBED = JobRequest(EMBED_JOB, key="all")

NONE = ""
"""Filters for learnings without a scope; None does not filter."""

OWN_OR_NO_SCOPE = "own_or_no_scope"
"""Filters for learnings of a scope, and those without one."""

OWN_OR_NO_OWNER = "own_or_no_owner"
"""Filters for learnings of a person, and those for everyone; NONE for the latter only."""

_PER_QUERY = 400
_OWN_OR_NONE = {OWN_OR_NO_SCOPE: "scope", OWN_OR_NO_OWNER: "owner"}
_COLUMNS = ", ".join(State._fields)
_OF_LOG = ", ".join(EVENT_COLUMNS)
_FIRST = ", ".join(f"'{kind}'" for kind in BEGINNINGS)
_LATER = ", ".join(f"'{kind}'" for kind in ABOUT_LEARNINGS)

SELECT_STATES = f"select {_COLUMNS} from learning where org_id = :org and id in ({{ids}})"

SAVE = f"""
insert into learning (org_id, {_COLUMNS}) values (:org, {", ".join(":" + name for name in State._fields)})
on conflict (org_id, no) do update set {", ".join(f"{name} = excluded.{name}" for name in State._fields[1:])}
"""

SELECT_SAID = "select no, said from learning where org_id = :org and no in ({ids}) and status <> 'merged'"

DROP = "delete from learning where org_id = :org and no = :no"

COUNT = "update org set learnings = learnings + :more where org_id = :org"
SELECT_COUNT = "select learnings from org where org_id = :org"

SELECT_FIRST = f"select {_OF_LOG} from feedback_event where org_id = :org and kind in ({_FIRST}) and id in ({{ids}})"
SELECT_LATER = f"""
select {_OF_LOG} from feedback_event
where org_id = :org and entity_kind = '{ENTITY}' and entity_id in ({{ids}}) and kind in ({_LATER})
"""
SELECT_PLACES = f"select {_OF_LOG} from feedback_event where org_id = :org and seq in ({{ids}})"

SELECT_LOST = """
select learning.id from learning left join feedback_event as event
    on event.org_id = learning.org_id and event.seq = learning.no and event.id = learning.id
where learning.org_id = :org and event.id is null limit :limit
"""

SELECT_ROWS = f"""
select {", ".join("learning." + name for name in State._fields)},
    {", ".join("first." + name for name in EVENT_COLUMNS)}, {", ".join("last." + name for name in EVENT_COLUMNS)}
from learning
join feedback_event as first on first.org_id = learning.org_id and first.seq = learning.no
join feedback_event as last on last.org_id = learning.org_id and last.seq = learning.said
where learning.org_id = :org and {{condition}}
"""

SELECT_KINDS = "select no, kind from learning where org_id = :org and no in ({places}) and {condition}"
SELECT_NUMBERS = "select no from learning where org_id = :org and {condition} order by no desc limit :limit"
SELECT_FROM_BOTH = """
select no from (select no from ({one}) as one union all select no from ({other}) as other) as found
order by no desc limit :limit
"""
COUNT_NUMBERS = "select count(*) from ({numbers}) as found"

SELECT_UNEMBEDDED = """
select learning.no from learning left join learning_vector as vector
    on vector.org_id = learning.org_id and vector.no = learning.no and vector.embedder = :embedder
where learning.org_id = :org and learning.no > :after and learning.status <> 'merged'
    and (vector.no is null or vector.said <> learning.said)
order by learning.no limit :limit
"""


SELECT_BEGUN_ABOUT = f"""
select id from feedback_event
where org_id = :org and entity_kind = :entity_kind and entity_id in ({{ids}}) and kind in ({_FIRST})
order by seq
"""

SELECT_ANY = "select 1 from learning where org_id = :org and kind = :kind and status = :status limit 1"

SELECT_REPUTATIONS = """
select contributor, count(*), sum(case when approval = words then 1 else 0 end), sum(confirmed), sum(rated_up),
    sum(rated_down)
from learning
where org_id = :org and kind = :kind and status <> 'merged' group by contributor order by contributor
"""

SELECT_VERDICTS = """
select category, sum(case when approval = words or rated_up > rated_down then 1 else 0 end),
    sum(case when status = 'retired' and confidence >= :sure or rated_up < rated_down then 1 else 0 end)
from learning
where org_id = :org and kind = :kind and status <> 'merged' group by category
"""

SELECT_PENDING = f"""
select id from feedback_event as made where org_id = :org and id in ({{ids}}) and kind = '{MADE}' and not exists (
    select 1 from feedback_event as decided
    where decided.org_id = made.org_id and decided.entity_kind = '{PROPOSAL}' and decided.entity_id = made.id
        and decided.kind = '{DECIDED}'
)
"""
"""Proposals that nobody has decided."""

SELECT_SUPERSEDED = "select id from learning where org_id = :org and superseded_by = :id"

SELECT_OVERRULED = """
select id, superseded_by from learning
where org_id = :org and superseded_by in ({ids}) and status = 'superseded' and contradicted is not null
order by superseded_by, no
"""


Before = Mapping[str, State]
After = Mapping[str, State | None]


class Unembedded(NamedTuple):
    no: int
    said: int
    text: str


class LearningTable:
    def __init__(self, store: Store) -> None:
        self._database = store.database
        self._org = store.org
        self._jobs = store.jobs
        self.postings = Postings(store.database, store.org)
        self.vectors = Vectors(store.database, store.org)
        self.signatures = Signatures(store.org)

    # Following the log

    def advance(self, transaction: Transaction, events: Sequence[Event]) -> None:
        ids = [id for event in events if (id := subject(event)) is not None]
        before = self._states(transaction, ids)
        after: dict[str, State | None] = dict(before)
        for event in events:
            if (id := subject(event)) is not None:
                after[id] = advanced(after.get(id), event)
        self._save(transaction, before, after, events)

    def refold(self, transaction: Transaction, ids: Collection[str], erased: Sequence[Event] = ()) -> None:
        """Derives learnings again from the log; of erased ones, only the terms are still needed."""
        before = self._states(transaction, ids)
        after: dict[str, State | None] = dict.fromkeys(ids)
        for event in self._events_about(transaction, ids):
            if (id := subject(event)) is not None:
                after[id] = advanced(after[id], event)
        self._save(transaction, before, after, erased)
        if erased:
            self.vectors.drop_stale(
                transaction, {state.no: state.said for state in after.values() if state is not None}
            )

    def drop_lost(self, transaction: Transaction) -> None:
        """Learnings whose first event is missing from the log."""
        while rows := transaction.query(SELECT_LOST, {"org": self._org, "limit": _PER_QUERY}):
            self.refold(transaction, [row[0] for row in rows])

    def index(self, transaction: Transaction, generation: int, ids: Collection[str]) -> None:
        """Writes the full text of learnings into a generation in progress."""
        states = self._states(transaction, ids)
        said = self.events_at(transaction, [state.said for state in states.values()])
        added = {state.no: weights(state, said[state.said]) for state in states.values() if is_found(state)}
        self.postings.change(transaction, generation, {}, added)

    def _save(self, transaction: Transaction, before: Before, after: After, events: Sequence[Event]) -> None:
        changed = {id: state for id, state in after.items() if state != before.get(id)}
        if not changed:
            return
        saved = [{"org": self._org, **state._asdict()} for state in changed.values() if state is not None]
        # An id that was erased and is used again stands for another learning, at another place.
        gone = [old.no for id, old in before.items() if (new := after[id]) is None or new.no != old.no]
        if gone:
            transaction.execute_many(DROP, [{"org": self._org, "no": no} for no in gone])
            self.vectors.drop(transaction, gone)
            self.signatures.drop(transaction, gone)
        transaction.execute_many(SAVE, sorted(saved, key=lambda row: row["no"]))
        if more := sum(is_found(state) - is_found(before.get(id)) for id, state in changed.items()):
            transaction.execute(COUNT, {"org": self._org, "more": more})
        known = {event.seq: event for event in events}
        self._save_words(transaction, before, changed, known)
        self._save_signatures(transaction, before, changed, known)

    def _save_words(self, transaction: Transaction, before: Before, changed: After, known: dict[int, Event]) -> None:
        """Full text and vectors. Merged learnings are evidence and not searched: there may be far more of them."""
        reworded = [id for id, state in changed.items() if _place_of_words(state) != _place_of_words(before.get(id))]
        old = [state for id in reworded if (state := before.get(id)) is not None and is_found(state)]
        new = [state for id in reworded if (state := changed[id]) is not None and is_found(state)]
        if not reworded:
            return
        known |= self.events_at(transaction, {state.said for state in [*old, *new]} - known.keys())
        removed = {state.no: weights(state, known[state.said]).keys() for state in old if state.said in known}
        added = {state.no: weights(state, known[state.said]) for state in new}
        if merged := [state.no for state in old if state.no not in added]:
            self.vectors.drop(transaction, merged)
        for generation in self.postings.generations(transaction):
            if generation is not None:
                self.postings.change(transaction, generation, removed, added)
        gists = {state: _words(state, known[state.said]).gist() for state in new}
        self._embed(transaction, [Unembedded(state.no, state.said, gist) for state, gist in gists.items()])

    def _save_signatures(
        self, transaction: Transaction, before: Before, changed: After, known: dict[int, Event]
    ) -> None:
        """Of active learnings; a merged, superseded or retired one may be learned again."""
        new = [
            state for id, state in changed.items() if state is not None and _signed(state) != _signed(before.get(id))
        ]
        if not new:
            return
        self.signatures.drop(transaction, [state.no for state in new])
        held = [state for state in new if state.status == Status.ACTIVE]
        known |= self.events_at(transaction, {state.said for state in held} - known.keys())
        signed = {state.no: signature_of(state, known[state.said]) for state in held}
        self.signatures.claim(transaction, {no: one for no, one in signed.items() if one is not None})

    def _embed(self, transaction: Transaction, new: Sequence[Unembedded]) -> None:
        """Stores vectors that were computed before immediately, the others by a job."""
        ready: dict[str, list[NewVector]] = {}
        for one in new:
            found = self._database.cache.get(("vector", self._org, one.text))
            if found is not None:
                embedder, vector = found
                ready.setdefault(embedder, []).append(NewVector(one.no, one.said, vector))
        for embedder, written in ready.items():
            self.vectors.put(transaction, embedder, written)
        if sum(map(len, ready.values())) < len(new):
            self._jobs.add(transaction, [EMBED])

    def put_vectors(self, transaction: Transaction, embedder: str, written: Sequence[NewVector]) -> None:
        """In a transaction that locks the organisation. Skips learnings that were reworded or erased meanwhile."""
        said: dict[int, int] = dict(self._in_parts(transaction, SELECT_SAID, [one.no for one in written]))
        self.vectors.put(transaction, embedder, [one for one in written if said.get(one.no) == one.said])

    def prepare(self, embedder: str, text: str, vector: bytes) -> None:
        self._database.cache.put(("vector", self._org, text), (embedder, vector))

    def keep_vectors(self, transaction: Transaction, ids: Collection[str]) -> None:
        """Before learnings are derived again: those that still say the same then need not be embedded again."""
        states = {state.no: state for state in self._states(transaction, ids).values() if is_found(state)}
        said = self.events_at(transaction, [state.said for state in states.values()])
        for no, (embedder, vector) in self.vectors.kept(transaction, list(states)).items():
            self.prepare(embedder, _words(states[no], said[states[no].said]).gist(), vector)

    # Reading

    def alike(self, transaction: Transaction, signature: Signature) -> list[LearningRow]:
        """Duplicates in nearly the same words, and some false positives."""
        return list(self.at(transaction, self.signatures.near(transaction, signature), {}).values())

    def any(self, kind: str, status: Status) -> bool:
        return bool(self._database.query(self._org, SELECT_ANY, org=self._org, kind=kind, status=status.value))

    def begun_about(self, transaction: Transaction, kind: str, *ids: str) -> list[LearningRow]:
        """Learnings whose first event is about one of these entities, such as a conversation."""
        rows: list[Row] = []
        for listed, params in in_parts(ids, _PER_QUERY):
            named = {"org": self._org, "entity_kind": kind, **params}
            rows += transaction.query(SELECT_BEGUN_ABOUT.format(ids=listed), named)
        found: list[LearningRow] = []
        for listed, params in in_parts([row[0] for row in rows], _PER_QUERY):
            found += self._rows(transaction, f"learning.id in ({listed})", params)
        return sorted(found, key=lambda row: row.state.no)

    def twin(
        self,
        transaction: Transaction,
        kind: LearningKind[Any],
        category: str,
        words: Wording,
        *,
        scope: str | None,
        besides: str = "",
    ) -> str | None:
        mine = kind.signature(category, words, scope)
        if mine is None:
            return None
        for other in self.alike(transaction, mine):
            theirs = signature_of(other.state, other.last)
            if other.state.id != besides and theirs is not None and theirs.canonical == mine.canonical:
                return other.state.id
        return None

    def merged_into(self, id: str) -> list[LearningRow]:
        """The learnings merged into this one, directly or through others."""
        found: list[LearningRow] = []
        with self._database.read(self._org) as transaction:
            waiting = [id]
            while waiting:
                more: list[LearningRow] = []
                for listed, ids in in_parts(waiting, _PER_QUERY):
                    condition = f"learning.superseded_by in ({listed}) and learning.status = :merged"
                    more += self._rows(transaction, condition, {**ids, "merged": Status.MERGED.value})
                found += more
                waiting = [row.state.id for row in more]
        return sorted(found, key=lambda row: row.state.no)

    def reputations(self, kind: str) -> list[tuple[str | None, int, int, int, int, int]]:
        """Per contributor, for learnings of this kind: how many, approved, confirmed, rated up and down."""
        rows = self._database.query(self._org, SELECT_REPUTATIONS, org=self._org, kind=kind)
        return [(row[0], *map(int, row[1:])) for row in rows]

    def verdicts(self, kind: str, sure: float) -> dict[str, tuple[int, int]]:
        """Per category, for learnings of this kind: how many people kept, and dropped of the sure ones."""
        rows = self._database.query(self._org, SELECT_VERDICTS, org=self._org, kind=kind, sure=sure)
        return {str(category): (int(kept), int(dropped)) for category, kept, dropped in rows}

    def count(self) -> int:
        with self._database.read(self._org) as transaction:
            return self.count_in(transaction)

    def count_in(self, transaction: Transaction) -> int:
        rows = transaction.query(SELECT_COUNT, {"org": self._org})
        return int(rows[0][0]) if rows else 0

    def get(self, id: str) -> LearningRow | None:
        with self._database.read(self._org) as transaction:
            found = self._rows(transaction, "learning.id = :id", {"id": id})
        return found[0] if found else None

    def named(self, ids: Sequence[str]) -> dict[str, LearningRow]:
        """Those that exist of these, by id."""
        found: list[LearningRow] = []
        with self._database.read(self._org) as transaction:
            for listed, params in in_parts(ids, _PER_QUERY):
                found += self._rows(transaction, f"learning.id in ({listed})", params)
        return {row.state.id: row for row in found}

    def folded(self, id: str) -> LearningRow | None:
        """The same, derived from the log: for when the table is behind."""
        state, events = None, self.history(id)
        for event in events:
            state = advanced(state, event)
        if state is None:
            return None
        at = {event.seq: event for event in events}
        return LearningRow(state, at[state.no], at[state.said])

    def at(
        self, transaction: Transaction, places: Sequence[int], wanted: Mapping[str, str | None]
    ) -> dict[int, LearningRow]:
        found: dict[int, LearningRow] = {}
        condition, params = _condition(wanted)
        for listed, named in in_parts(places, _PER_QUERY):
            of_these = f"learning.no in ({listed}) and {condition}"
            found |= {row.state.no: row for row in self._rows(transaction, of_these, {**named, **params})}
        return found

    def kinds(
        self, transaction: Transaction, places: Sequence[int], wanted: Mapping[str, str | None]
    ) -> dict[int, str]:
        """The kind of each of these that passes the filter."""
        condition, params = _condition(wanted)
        found: dict[int, str] = {}
        for listed, named in in_parts(places, _PER_QUERY):
            sql = SELECT_KINDS.format(places=listed, condition=condition)
            found |= dict(transaction.query(sql, {"org": self._org, **named, **params}))
        return found

    def numbers(self, transaction: Transaction, wanted: Mapping[str, str | None], limit: int) -> list[int]:
        """Newest first."""
        sql, params = _numbers(wanted)
        return [row[0] for row in transaction.query(sql, {"org": self._org, "limit": limit, **params})]

    def are_more_than(self, transaction: Transaction, most: int, wanted: Mapping[str, str | None]) -> bool:
        sql, params = _numbers(wanted)
        counting = COUNT_NUMBERS.format(numbers=sql)
        ((count,),) = transaction.query(counting, {"org": self._org, "limit": most + 1, **params})
        return bool(count > most)

    def each(self, wanted: Mapping[str, str | None]) -> Iterator[LearningRow]:
        """Newest first, read page by page."""
        previous = None
        while page := self.page(wanted, previous, _PER_QUERY):
            yield from page
            previous = page[-1].state.no

    def page(self, wanted: Mapping[str, str | None], previous: int | None, limit: int) -> list[LearningRow]:
        """Newest first."""
        condition, params = _condition(wanted)
        if previous is not None:
            condition, params = f"{condition} and learning.no < :previous", {**params, "previous": previous}
        newest = f"{condition} order by learning.no desc limit :limit"
        with self._database.read(self._org) as transaction:
            return self._rows(transaction, newest, {**params, "limit": limit})

    def newest(self, wanted: Mapping[str, str | None], limit: int, categories: Sequence[str]) -> list[LearningRow]:
        """Of the newest, those of some categories."""
        condition, params = _condition(wanted)
        newest = SELECT_NUMBERS.format(condition=condition)
        named = {f"category{number}": category for number, category in enumerate(categories)}
        listed = ", ".join(f":{name}" for name in named)
        these = f"learning.no in ({newest}) and learning.category in ({listed}) order by learning.no desc"
        with self._database.read(self._org) as transaction:
            return self._rows(transaction, these, {**params, **named, "limit": limit})

    def confirmed(self, wanted: Mapping[str, str | None], limit: int) -> list[LearningRow]:
        """Those that were learned again, most often first."""
        condition, params = _condition(wanted)
        often = (
            f"{condition} and learning.confirmed > 0 order by learning.confirmed desc, learning.no desc limit :limit"
        )
        with self._database.read(self._org) as transaction:
            return self._rows(transaction, often, {**params, "limit": limit})

    def last_renewed_before(self, moment: datetime) -> Iterator[LearningRow]:
        """Active learnings, oldest first, read page by page."""
        condition = "learning.status = :status and learning.renewed_at <= :moment and learning.no > :after"
        params = {"status": Status.ACTIVE.value, "moment": to_micros(moment), "limit": _PER_QUERY}
        after = 0
        while True:
            with self._database.read(self._org) as transaction:
                ordered = f"{condition} order by learning.no limit :limit"
                page = self._rows(transaction, ordered, {**params, "after": after})
            yield from page
            if len(page) < _PER_QUERY:
                return
            after = page[-1].state.no

    def approved(self, wanted: Mapping[str, str | None]) -> list[LearningRow]:
        """Oldest first. There are few, and all of a kind are looked at by an index of their own; a server that knows
        nothing of approvals would take the indexes of scopes and owners, and read all learnings of a project."""
        given: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
        conditions = [_unindexed(name, value) for name, value in given.items()]
        condition = " and ".join([*conditions, "learning.approval is not null", "learning.approval = learning.words"])
        with self._database.read(self._org) as transaction:
            return self._rows(transaction, f"{condition} order by learning.no", given)

    def unembedded(self, embedder: str, after: int, limit: int) -> list[Unembedded]:
        params = {"org": self._org, "embedder": embedder, "after": after, "limit": limit}
        with self._database.read(self._org) as transaction:
            positions = [row[0] for row in transaction.query(SELECT_UNEMBEDDED, params)]
            rows = self.at(transaction, positions, {}).values()
        return [Unembedded(row.state.no, row.state.said, _words(row.state, row.last).gist()) for row in rows]

    def superseded_by(self, id: str) -> list[str]:
        return [row[0] for row in self._database.query(self._org, SELECT_SUPERSEDED, org=self._org, id=id)]

    def overruled(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """What people disagreed about, and which of these holds instead."""
        with self._database.read(self._org) as transaction:
            return [(row[0], row[1]) for row in self._in_parts(transaction, SELECT_OVERRULED, ids)]

    def history(self, id: str) -> list[Event]:
        with self._database.read(self._org) as transaction:
            return self._events_about(transaction, [id])

    def _rows(self, transaction: Transaction, condition: str, params: Mapping[str, Any]) -> list[LearningRow]:
        rows = transaction.query(SELECT_ROWS.format(condition=condition), {"org": self._org, **params})
        return self._with_contradictions(transaction, [_row(row) for row in rows])

    def _with_contradictions(self, transaction: Transaction, rows: list[LearningRow]) -> list[LearningRow]:
        """A contradiction ends when either side is out of use, so it is looked up and not stored."""
        named = [row.state for row in rows if row.state.contradicted is not None]
        if not named:
            return rows
        others = self._states(transaction, [id for state in named for id in contrary(state)])
        asked = [id for state in named for id in asked_about(state, others)]
        pending = {row[0] for row in self._in_parts(transaction, SELECT_PENDING, asked)}
        return [row if row.state.contradicted is None else with_disputes(row, others, pending) for row in rows]

    def _states(self, transaction: Transaction, ids: Collection[str]) -> dict[str, State]:
        rows = self._in_parts(transaction, SELECT_STATES, list(dict.fromkeys(ids)))
        return {state.id: state for state in map(State._make, rows)}

    def _events_about(self, transaction: Transaction, ids: Collection[str]) -> list[Event]:
        """In the order of the log. An event that begins a learning may name another one, but is not about it."""
        unique = list(dict.fromkeys(ids))
        rows = [row for sql in (SELECT_FIRST, SELECT_LATER) for row in self._in_parts(transaction, sql, unique)]
        return sorted(map(event_of, rows), key=lambda event: event.seq)

    def events_at(self, transaction: Transaction, places: Iterable[int]) -> dict[int, Event]:
        rows = self._in_parts(transaction, SELECT_PLACES, sorted(set(places)))
        return {event.seq: event for event in map(event_of, rows)}

    def _in_parts(self, transaction: Transaction, sql: str, values: Sequence[object]) -> Iterator[Row]:
        for listed, params in in_parts(values, _PER_QUERY):
            yield from transaction.query(sql.format(ids=listed), {"org": self._org, **params})


def _condition(wanted: Mapping[str, str | None]) -> tuple[str, dict[str, Any]]:
    given: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
    return " and ".join(_filter(name, value) for name, value in given.items()) or "true", given


def _numbers(wanted: Mapping[str, str | None]) -> tuple[str, dict[str, Any]]:
    """A query for the newest. Those of a scope and those of none are in two indexes and read one after the other: with
    `or` in one condition, a database walks all learnings there are."""
    scope = wanted.get(OWN_OR_NO_SCOPE)
    if not scope:
        condition, params = _condition(wanted)
        return SELECT_NUMBERS.format(condition=condition), params
    others = {name: value for name, value in wanted.items() if name != OWN_OR_NO_SCOPE}
    own, params = _condition({**others, "scope": scope})
    no_ones, _ = _condition({**others, "scope": NONE})
    parts = {"one": SELECT_NUMBERS.format(condition=own), "other": SELECT_NUMBERS.format(condition=no_ones)}
    return SELECT_FROM_BOTH.format(**parts), params


def _filter(name: str, value: str) -> str:
    """Columns as they are, so that their indexes are used."""
    if value == NONE:
        return f"learning.{_OWN_OR_NONE.get(name, name)} is null"
    if name in _OWN_OR_NONE:
        return f"(learning.{_OWN_OR_NONE[name]} is null or learning.{_OWN_OR_NONE[name]} = :{name})"
    return f"learning.{name} = :{name}"


def _unindexed(name: str, value: str) -> str:
    """The same, so that no index of scopes or owners is used."""
    column = _OWN_OR_NONE.get(name, name)
    if column not in _OWN_OR_NONE.values() or (name == column and value != NONE):
        return _filter(name, value)
    return f"coalesce(learning.{column}, :{name}) = :{name}"


def _row(row: Row) -> LearningRow:
    own, width = len(State._fields), len(EVENT_COLUMNS)
    state, first = State._make(row[:own]), event_of(row[own : own + width])
    return LearningRow(state, first, first if state.said == state.no else event_of(row[own + width :]))


def is_found(state: State | None) -> bool:
    return state is not None and state.status != Status.MERGED


def _place_of_words(state: State | None) -> tuple[int, int] | None:
    return (state.no, state.said) if state is not None and is_found(state) else None


def _signed(state: State | None) -> tuple[int, str, str | None] | None:
    """What its signature is made of."""
    if state is None or state.status != Status.ACTIVE:
        return None
    return state.said, state.category or "", state.scope


def signature_of(state: State, event: Event) -> Signature | None:
    return kind_of(state).signature(state.category or "", _words(state, event), state.scope)


def _words(state: State, event: Event) -> Wording:
    words: Wording | None = kind_of(state).wording(event)
    assert words is not None  # only events that say something are pointed to
    return words


def weights(state: State, event: Event) -> dict[str, int]:
    """The terms of a learning's wording, each with its weight."""
    found = _words(state, event).terms()
    return {term: pack_impact(impact(count, len(found))) for term, count in Counter(found).items()}
