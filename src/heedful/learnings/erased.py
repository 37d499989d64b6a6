"""Erases and rewrites events, and counts what goes with them, for the receipt of a forgetting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from heedful.learnings.events import subject
from heedful.learnings.kinds import kind_of
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable, is_found
from heedful.records.event import Draft, Event
from heedful.store import Store
from heedful.store.recording import Recording


class Erased:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._table = LearningTable(store)
        self._ids: set[str] = set()
        self._appended: set[str] = set()
        self.events: Counter[str] = Counter()
        self.rewritten: Counter[str] = Counter()
        self.learnings: list[str] = []
        self.changed: set[str] = set()
        self.proposals: set[str] = set()
        self.versions = self.vectors = self.postings = self.files = self.jobs = 0

    def append(self, record: Recording, drafts: Sequence[Draft]) -> None:
        """Events of the forgetting itself. If they are erased too, nothing is lost that was there before."""
        self._appended |= {draft.id for draft in drafts}
        record.append(drafts)

    def erase(self, record: Recording, events: Sequence[Event]) -> None:
        """Erases those that are not erased yet, as they are now: each once, whatever leads to it."""
        if left := self.left(events):
            self.count(record, left)
            record.erase(left)

    def count(self, record: Recording, events: Sequence[Event]) -> None:
        """Counts events that are about to be erased."""
        self._ids |= {event.id for event in events}
        self.events += Counter(event.kind for event in events if event.id not in self._appended)
        self.changed |= {id for event in events if (id := subject(event)) is not None}
        self.files += self._store.files.count(record.transaction, [event.id for event in events])

    def count_learnings(self, record: Recording, rows: Sequence[LearningRow]) -> None:
        """Counts learnings whose events are about to be erased."""
        found = [row for row in rows if is_found(row.state)]
        self.learnings += [row.state.id for row in rows]
        self.versions += sum(row.state.version for row in rows)
        self.vectors += self._table.vectors.count(record.transaction, [row.state.no for row in rows])
        self.postings += sum(len(set(kind_of(row.state).words_of(row).terms())) for row in found)

    def left(self, events: Sequence[Event]) -> list[Event]:
        """Those that are not erased, as they are now, in the order of the log."""
        known = self._store.log.known([event.id for event in events if event.id not in self._ids])
        return sorted(known.values(), key=lambda event: event.seq)

    def rewrite(self, record: Recording, events: Sequence[Event], change: Callable[[Event], Event]) -> None:
        """Changes what is kept of events. What they say of learnings is derived again."""
        changed = [(event, new) for event in self.left(events) if (new := change(event)) != event]
        if not changed:
            return
        self._table.keep_vectors(record.transaction, [id for event, _ in changed if (id := subject(event)) is not None])
        record.rewrite(changed)
        self.rewritten += Counter(event.kind for event, _ in changed)
        self.changed |= {id for event, _ in changed if (id := subject(event)) is not None}
