"""Forgetting: a person, a conversation, a document, or everything. A receipt says what was erased.

A few hundred events at a time, each batch in a transaction: after an interruption the data is consistent, and the same
call goes on. Each batch looks for what is still there while it holds the lock, so two processes that forget the same
person share the work.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from uuid_utils import uuid7

from heedful.errors import InvalidInput, NotFound
from heedful.govern.acts import ActErasure, uses_of
from heedful.learnings.documents.library import Library
from heedful.learnings.erased import Erased
from heedful.learnings.forgetting import scrubbed
from heedful.learnings.outcomes import events_of_units
from heedful.learnings.patterns.learner import PatternLearner
from heedful.learnings.person import ENTITIES, SOMEBODY, Person, person
from heedful.operations import caller
from heedful.records import mining
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.document import DOCUMENT, DRAFT, EXTRACTED
from heedful.records.event import Entity, Event, EventFilter, noted
from heedful.records.json import encode, strings
from heedful.records.names import identifier
from heedful.records.outcome import OUTCOME_REPORTED, UNIT
from heedful.records.receipt import FORGOTTEN, ForgettingScope, Receipt
from heedful.store import Store
from heedful.store.emptying import empty
from heedful.store.jobs import IdleJob
from heedful.text.normalize import normal

_CHUNK = 200  # events
_EVENTS = ("event", "review", "correction")  # fields of payloads of jobs that name an event
_OUTSIDE = (
    "Backups, exports and what webhooks delivered before still hold it: delete them.",
    "A Git mirror still has it in its history: mirror into an empty folder, and delete the old one.",
)
_MENTIONS = "What others wrote about this person in free text is theirs, and stays."
_UNITS = (
    "Sessions, tasks and documents with this person are measured no more: contexts and outcomes of others in them were"
    " erased too, because they count together."
)
_TRANSCRIPTS = "Transcripts on disk are not touched. They are not read again from where they were read."
_POSTGRES = (
    "PostgreSQL overwrites freed space when it uses it again; VACUUM FULL does so at once. Its WAL goes with time."
)
_BUSY = "Others were reading the database: a worker (`heedful work`) overwrites the freed space later."


class Forgetting:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._erased = Erased(store)

    def person(self, name: str) -> Receipt:
        who = person(self._store, name)
        acts = ActErasure(self._store, self._erased, who.is_theirs)
        for actor in sorted(who.names):
            self._erase_all(acts, partial(self._store.log.page, EventFilter(actor=actor), None, _CHUNK))
        self._erase_all(acts, partial(self._about, who))
        self._erase_named(acts, who)
        PatternLearner(self._store).update_all()
        self._erase_jobs(who.names)
        with self._store.recording() as record:
            self._store.keys.rename(record.transaction, who.keys, SOMEBODY)
        return self._receipt("user", normal(name), [_MENTIONS, *self._notes_on(who)], hidden=who.names)

    def conversation(self, id: str) -> Receipt:
        """What was said in it, in a transcript or in a chat of the same name, and what was learned from it alone."""
        name = identifier(id, "conversation")
        if not self.erase_conversation(name):
            hint = "List them with `heedful conversations list`."
            raise NotFound(f"The conversation {name!r} is not known here.", hint=hint)
        return self._receipt("conversation", name, [_TRANSCRIPTS])

    def erase_conversation(self, name: str) -> int:
        """Returns how many events it had."""
        places = (Entity(mining.ENTITY, name), Entity(UNIT, name))

        def is_part(event: Event) -> bool:
            return event.entity in places or event.meta.get("session") == name

        acts, position = ActErasure(self._store, self._erased, is_part), 0
        with self._store.recording() as record:
            said = [event for kind, id in places for event in self._store.log.about(kind, [id])]
            acts.erase(record, said)
        count, session = len(said), encode({"session": name})[1:-1]
        while True:
            with self._store.recording() as record:
                found = self._store.log.naming(session, position, _CHUNK)
                events = [event for event in found if is_part(event)]
                acts.erase(record, events)
            if not found:
                break
            count, position = count + len(events), found[-1].seq
        self._erase_jobs([name])
        return count

    def document(self, id: str) -> Receipt:
        """The file, its words, its drafts, and what people corrected in them. Mappings stay."""
        name = identifier(id, "document")
        self.erase_document(Library(self._store), name)
        return self._receipt("document", name, [])

    def erase_document(self, library: Library, name: str) -> int:
        """Returns how many events it had."""
        with self._store.recording() as record:
            events = events_of(self._store, library.event(name))
            units = events_of_units(self._store, [name])
            self._erased.erase(record, [*events, *units, *uses_of(self._store, units)])
        self._erase_jobs([name])
        return len(events)

    def everything(self, confirm: str | None) -> Receipt:
        """All that the organisation has, but the key of the caller."""
        store = self._store
        if confirm != store.org:
            raise InvalidInput(
                "Erasing everything of an organisation needs its name.",
                hint=f"Pass confirm={store.org!r}. It cannot be undone.",
            )
        who = caller.current()
        with store.recording() as record:
            self._erased.events.update(store.log.count_by_kind())
            gone = empty(store, record.transaction, record.head, kept_key="" if who is None else who.key)
        erased = self._erased
        erased.vectors, erased.postings, erased.files = gone["learning_vector"], gone["posting"], gone["file"]
        erased.jobs, learnings = gone["job"], gone["learning"]
        return self._receipt(
            "everything", store.org, [f"Learnings that were erased: {learnings:,}."], keys=gone["api_key"]
        )

    @property
    def erased(self) -> Erased:
        return self._erased

    # Batches

    def _erase_all(self, acts: ActErasure, events: Callable[[], Sequence[Event]]) -> None:
        """Until nothing is found any more. It is looked for inside: two must not take the same out twice."""
        while True:
            with self._store.recording() as record:
                found = events()
                acts.erase(record, found)
            if not found:
                return

    def _about(self, who: Person) -> list[Event]:
        """Events about them, which do not name them as the actor."""
        found = [event for kind in sorted(ENTITIES) for event in self._store.log.about(kind, sorted(who.names))]
        return [event for event in found if event.actor != SOMEBODY][:_CHUNK]

    def _erase_named(self, acts: ActErasure, who: Person) -> None:
        """Events of others that name them in a field, or that are for them only."""
        for text in who.texts():
            position = 0
            while True:
                with self._store.recording() as record:
                    events = self._store.log.naming(text, position, _CHUNK)
                    acts.erase(record, [event for event in events if who.is_theirs(event)])
                    self._erased.rewrite(record, events, who.redacted)
                if not events:
                    break
                position = events[-1].seq

    def _erase_jobs(self, names: Collection[str]) -> None:
        """Those that name them, or an event or a conversation that is not there any more."""
        with self._store.recording() as record:
            jobs = list(self._store.jobs.idle(record.transaction))
            known = self._store.log.known(_named(jobs, *_EVENTS))
            told = self._store.log.about(mining.ENTITY, _named(jobs, mining.ENTITY))
            there = {*known, *(event.entity.id for event in told if event.entity is not None)}
            gone = [
                job.id
                for job in jobs
                if not there.issuperset(_named([job], *_EVENTS, mining.ENTITY))
                or not set(names).isdisjoint(strings([job.key, job.payload, job.result]))
            ]
            self._store.jobs.erase(record.transaction, gone)
            self._erased.jobs += len(gone)

    # The receipt

    def _notes_on(self, who: Person) -> list[str]:
        notes = [f"These keys had their name, and still work: {', '.join(who.keys)}."] if who.keys else []
        notes += [_UNITS] if any(kind in self._erased.events for kind in (CONTEXT_GIVEN, OUTCOME_REPORTED)) else []
        changed = self._store.log.known(sorted(self._erased.proposals))
        return [
            *notes,
            *([f"Look into the inbox: what they had approved waits again ({len(changed):,})."] if changed else []),
        ]

    def _receipt(
        self,
        scope: ForgettingScope,
        subject: str,
        notes: list[str],
        *,
        hidden: Collection[str] = (),
        keys: int = 0,
    ) -> Receipt:
        store, erased = self._store, self._erased
        store.database.cache.clear()
        gone = set(erased.learnings)
        id, digest = str(uuid7()), store.secret.digest("forgotten", scope, subject)
        numbers: dict[str, Any] = {
            "events": sum(erased.events.values()),
            "rewritten": sum(erased.rewritten.values()),
            "learnings": len(gone),
            "changed": len(erased.changed - gone),
            "proposals": len(erased.proposals),
            "jobs": erased.jobs,
            "keys": keys,
        }
        who = SOMEBODY if caller.actor() in hidden else caller.actor()
        draft = noted(FORGOTTEN, store.clock(), actor=who, after={"scope": scope, "subject": digest, **numbers})
        with store.recording() as record:
            (event,) = record.append([draft._replace(id=id, own_id=True)])
        done = scrubbed(store, thoroughly=True)
        notes = [*notes, *_OUTSIDE, *([_POSTGRES] if store.database.dialect == "postgresql" else [])]
        return Receipt(
            id=id,
            at=event.at,
            scope=scope,
            subject=digest,
            events=dict(sorted(erased.events.items())),
            rewritten=dict(sorted(erased.rewritten.items())),
            learnings=tuple(sorted(gone)),
            changed=tuple(sorted(erased.changed - gone)),
            proposals=tuple(sorted(erased.proposals)),
            versions=erased.versions,
            vectors=erased.vectors,
            postings=erased.postings,
            files=erased.files,
            jobs=erased.jobs,
            keys=keys,
            scrubbed=done,
            notes=tuple(notes if done else [*notes, _BUSY]),
        )


def _named(jobs: Sequence[IdleJob], *fields: str) -> list[str]:
    found = {job.payload.get(field) for job in jobs for field in fields}
    return [value for value in found if isinstance(value, str)]


def events_of(store: Store, event: Event) -> list[Event]:
    """A document, its drafts, and what people did with them."""
    about = store.log.about(DOCUMENT, [event.id])
    drafts = [one.id for one in about if one.kind == EXTRACTED]
    return [event, *about, *store.log.about(DRAFT, drafts)]
