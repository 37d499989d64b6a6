"""The commits for what happened since the last run.

Each change of a rule is a commit of its own; decisions and edge cases before it are one commit. The message of a commit
names the last event it holds, and that is where the next run continues.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from heapq import merge
from itertools import islice

from heedful.edges.git import documents
from heedful.edges.git.documents import DECISIONS, EDGE_CASES, RULE_CHANGES, RULES, Document
from heedful.edges.git.edits import RuleEdits
from heedful.edges.git.fast_import import FastImport
from heedful.edges.git.repository import Author, Repository
from heedful.errors import InvalidInput, NotFound
from heedful.learnings import events
from heedful.learnings.content import shortened
from heedful.learnings.reviews import ReviewLog
from heedful.learnings.table import LearningTable
from heedful.loop import Loop
from heedful.records import proposal
from heedful.records.event import Event, EventFilter
from heedful.records.review import REVIEWED
from heedful.records.rule import Rule
from heedful.text.checks import visible

_PAGE = 500
_SUBJECT = 60
_REASON = 300
_HEEDFUL = Author("heedful")
_ORG, _EVENT, _ERASURES = "Heedful-Org", "Heedful-Event", "Heedful-Erasures"
_TRAILER = re.compile(rf"^({_ORG}|{_EVENT}|{_ERASURES}): (.+)$", re.MULTILINE)
_NOUNS = {"decision": DECISIONS, "edge case": EDGE_CASES}
_DEEDS = {
    events.ADOPTED: "Adopt",
    events.RETIRED: "Retire",
    events.RESTORED: "Resume",
    events.SUPERSEDED: "Replace",
    events.MERGED: "Merge",
}
_ERASED = (
    "Files that the log no longer has were removed. The history of the repository still has them: to be rid of them, "
    "mirror into an empty folder and delete this one."
)


class Commits:
    """The commits for everything that happened since the last run."""

    def __init__(self, loop: Loop, repository: Repository, edits: RuleEdits, *, rebuild: bool) -> None:
        self._loop, self._log, self._repository, self._edits = loop, loop.store.log, repository, edits
        self._rebuild = rebuild
        self._before = edits.files
        self._files = dict(edits.files)
        self._import: FastImport | None = None
        self._changes: dict[str, int | None] = {}
        self._owned: dict[str, bool] = {}
        """Whether a content is as it was written, by its id."""
        self._last: Event | None = None
        """The last event that the next commit holds."""
        self._end = self._log.head()
        self._erasures = self._log.erasures()
        self.count = 0
        self.written: set[str] = set()
        self.removed: set[str] = set()
        self.forced: set[str] = {*edits.decided, *edits.forced}
        """Files that are written even though somebody edited them."""
        self.notices: list[str] = []

    def make(self) -> str | None:
        """The id of the last commit; None if there is nothing new."""
        try:
            place, again = self._place()
            self._walk(place)
            self._mend_rules()
            if again or self._rebuild:
                self._write_all()
            return None if self._import is None else self._import.finish()
        except BaseException:
            if self._import is not None:
                self._import.abandon()
            raise

    # Where to continue

    def _place(self) -> tuple[int, bool]:
        """The position of the last event that is mirrored, and whether every file is to be compared with the log."""
        found = [pair for message in self._repository.messages(f"{_EVENT}: ") for pair in _TRAILER.findall(message)]
        org = next((value for name, value in found if name == _ORG), self._loop.name)
        if org != self._loop.name:
            raise InvalidInput(
                f"{self._repository.root} mirrors the organisation {org}.",
                hint=f"Pass --org {org}, or another folder for {self._loop.name}.",
            )
        known = self._log.known([value for name, value in found if name == _EVENT]).values()
        self._last = max(known, key=lambda event: event.seq, default=None)
        if self._last is not None:
            seen = next((value for name, value in found if name == _ERASURES), "0")
            return self._last.seq, str(self._erasures) != seen
        if found and not self._rebuild:
            raise InvalidInput(
                f"{self._repository.root} mirrors another log: none of its events is here.",
                hint="Choose another folder, or replace its files with --rebuild.",
            )
        if found or self._has_own_files():
            self._last = next(iter(self._log.page(EventFilter(newest_first=True), self._end + 1, 1)), None)
            return self._end, True
        return 0, False

    def _has_own_files(self) -> bool:
        """In a clone without its history, they are all that is known."""
        ids = iter(self._before.values())
        while some := list(islice(ids, _PAGE)):
            if any(map(documents.is_own, self._repository.contents(some).values())):
                return True
        return False

    # The walk

    def _walk(self, place: int) -> None:
        reviews: dict[str, None] = {}
        kinds = (REVIEWED, events.EVALUATED, *RULE_CHANGES)
        for event in merge(*(self._after(kind, place) for kind in kinds), key=lambda event: event.seq):
            if event.kind in (REVIEWED, events.EVALUATED):
                reviews[event.id if event.kind == REVIEWED or event.entity is None else event.entity.id] = None
                self._last = event
            elif (rule := self._rule_of(event)) is not None:
                self._record_decisions(reviews)
                reviews = {}
                self._last = event
                self._record_rule(event, rule)
        self._record_decisions(reviews)

    def _after(self, kind: str, place: int) -> Iterator[Event]:
        """Until where the log ended when the run began."""
        while found := self._log.page(EventFilter(kind=kind), place, _PAGE):
            yield from (event for event in found if event.seq <= self._end)
            place = found[-1].seq

    def _rule_of(self, event: Event) -> Rule | None:
        id = event.id if event.entity is None else event.entity.id
        try:
            found = self._loop.govern.learnings.get(id)
        except NotFound:
            return None
        return found if isinstance(found, Rule) else None

    def _record_decisions(self, reviews: Collection[str]) -> None:
        self._put_all(self._documents(reviews))
        counts = {noun: sum(path.startswith(f"{folder}/") for path in self._changes) for noun, folder in _NOUNS.items()}
        what = [f"{count} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items() if count]
        self._commit(f"Record {' and '.join(what)}", _HEEDFUL, self._now())

    def _documents(self, reviews: Collection[str]) -> Iterator[Document | str]:
        """Files to write, and the paths of files that are not needed."""
        log, ids = ReviewLog(self._loop.store), iter(reviews)
        while some := list(islice(ids, _PAGE)):
            for review in log.known(some):
                yield documents.decision(review)
                yield documents.edge_case(review) or documents.edge_case_path(review.id)

    def _record_rule(self, event: Event, rule: Rule) -> None:
        history = [one for one in LearningTable(self._loop.store).history(rule.id) if one.seq <= event.seq]
        self._put(self._rule_document(rule, history))
        people = self._people(event, rule)
        suspended = event.kind == events.RETIRED and event.meta.get("suspended") is True
        deed = "Suspend" if suspended else _DEEDS[event.kind]
        why = event.meta.get("why")
        author = Author.of(people[-1]) if people else _HEEDFUL if event.actor is None else Author.of(event.actor)
        self._commit(
            f"{deed} a rule: {_line(rule.text, _SUBJECT)}",
            author,
            event.at,
            body=f"Why: {_line(why, _REASON)}" if isinstance(why, str) and why else "",
            reviewers=people,
        )

    def _rule_document(self, rule: Rule, history: Sequence[Event]) -> Document:
        known = self._log.known(list(rule.evidence))
        return documents.rule(rule, documents.standing(history), {id: event.at for id, event in known.items()})

    def _people(self, event: Event, rule: Rule) -> Sequence[str]:
        """Who approved the change: of the rule, of the rule that replaces it, or of the proposal to do it, which is
        decided with the next event."""
        if event.kind == events.ADOPTED:
            return rule.approved_by
        if event.kind == events.SUPERSEDED:
            other = self._log.get(str(event.meta.get("by", "")))
            return () if other is None else tuple(map(str, other.meta.get("approved_by", ())))
        following = self._log.after(event.seq, 1)
        if not following or following[0].kind != proposal.DECIDED or following[0].entity is None:
            return ()
        decided = self._loop.govern.proposals.get(following[0].entity.id)
        return [approval.by for approval in decided.approvals] if rule.id in decided.learnings else ()

    # What is not as it should be

    def _mend_rules(self) -> None:
        """Every rule is compared: its file may be missing, or the edit of it decided."""
        kept = {documents.rule_path(rule.id) for rule in self._mended()}
        self._remove(path for path in self._before if path.startswith(f"{RULES}/") and path not in kept)
        self._commit("Remove rules that were erased", _HEEDFUL, self._now())

    def _mended(self) -> Iterator[Rule]:
        for rule in sorted(self._loop.govern.learnings.all(kind="rule", status=None), key=lambda one: (one.at, one.id)):
            history = [one for one in LearningTable(self._loop.store).history(rule.id) if one.seq <= self._end]
            if not history:
                continue
            document = self._rule_document(rule, history)
            self._put(document)
            decided = self._edits.decided.get(document.path)
            author = _HEEDFUL if decided is None or decided.decided_by is None else Author.of(decided.decided_by)
            at = None if decided is None else decided.decided_at
            why = "" if decided is None else f"The edit of its file was {decided.status.value}. {decided.why}"
            subject = f"Write a rule again: {_line(rule.text, _SUBJECT)}"
            self._commit(subject, author, at or history[-1].at, body=_line(why, _REASON))
            yield rule

    def _write_all(self) -> None:
        """Every decision is compared, and what is no longer in the log is removed."""
        kept: set[str] = set()
        reviews = (event.id for event in self._after(REVIEWED, 0))
        while some := list(islice(reviews, _PAGE)):
            found = list(self._documents(some))
            kept |= {document.path for document in found if isinstance(document, Document)}
            self._put_all(found, force=self._rebuild)
        self._remove(path for path in self._before if not path.startswith(f"{RULES}/") and path not in kept)
        self._commit("Compare all decisions with the log", _HEEDFUL, self._now())

    def _remove(self, paths: Iterable[str]) -> None:
        """Of these files, those that were written for something which the log no longer has."""
        some = iter(paths)
        while part := list(islice(some, _PAGE)):
            contents = self._repository.contents(self._before[path] for path in part)
            for path in part:
                content = contents[self._before[path]]
                if not documents.has_own_name(path, content):
                    continue
                if documents.is_own(content):
                    self._put(path)
                    self.notices.append(_ERASED)
                else:
                    self.notices.append(f"{path} was edited, and the log no longer has it. Remove it yourself.")

    def _now(self) -> datetime:
        return self._loop.store.clock() if self._last is None else self._last.at

    # One commit

    def is_own_removal(self, path: str) -> bool:
        """Whether a run removed this file. One that was killed left it in the index."""
        return path in self.removed or _TRAILER.search(self._repository.message(path)) is not None

    def _put_all(self, found: Iterable[Document | str], *, force: bool = False) -> None:
        some = iter(found)
        while part := list(islice(some, _PAGE)):
            self._learn_owners(document if isinstance(document, str) else document.path for document in part)
            for document in part:
                self._put(document, force=force)

    def _put(self, document: Document | str, *, force: bool = False) -> None:
        """Notes a file for the next commit; a path alone, to remove it."""
        path = document if isinstance(document, str) else document.path
        if path in self._edits.held:
            return
        content = None if isinstance(document, str) else document.text.encode()
        id = None if content is None else self._repository.id_of(content)
        if self._files.get(path) == id:
            return
        if path.rpartition("/")[0] in self._files:
            self.notices.append(f"{path} cannot be written: its folder is a file in the repository.")
            return
        if self._is_edited(path) and path not in self.forced:
            if not force:
                self.notices.append(f"{path} was edited. It was left as it is; --rebuild writes it again.")
                return
            self.forced.add(path)
            self.notices.append(f"{path} was edited. It was written again.")
        if id is None or content is None:
            del self._files[path]
            self._changes[path] = None
        else:
            self._files[path] = id
            self._changes[path] = self._importing().blob(content)

    def _is_edited(self, path: str) -> bool:
        """In the branch, since it was written."""
        id = self._before.get(path)
        if id is None or id != self._files.get(path):
            return False
        self._learn_owners([path])
        return not self._owned[id]

    def _learn_owners(self, paths: Iterable[str]) -> None:
        ids = {self._before[path] for path in paths if path in self._before} - self._owned.keys()
        self._owned |= {id: documents.is_own(content) for id, content in self._repository.contents(ids).items()}

    def _importing(self) -> FastImport:
        if self._import is None:
            self._import = FastImport(self._repository, self._edits.head)
        return self._import

    def _commit(
        self, subject: str, author: Author, at: datetime, *, body: str = "", reviewers: Sequence[str] = ()
    ) -> None:
        if not self._changes:
            return
        trailers = [f"Reviewed-by: {_named(name)}" for name in reviewers]
        trailers.append(f"{_ORG}: {self._loop.name}")
        if self._last is not None:
            trailers.append(f"{_EVENT}: {self._last.id}")
        if self._erasures:
            trailers.append(f"{_ERASURES}: {self._erasures}")
        message = "\n\n".join(part for part in (subject, body, "\n".join(trailers)) if part)
        self._importing().commit(f"{message}\n", author, at, self._changes)
        self.written |= {path for path, blob in self._changes.items() if blob is not None}
        self.removed |= {path for path, blob in self._changes.items() if blob is None}
        self._changes = {}
        self.count += 1


def _line(text: str, most: int) -> str:
    return shortened(visible(text), most)


def _named(name: str) -> str:
    person = Author.of(name)
    return str(person) if person.email else person.name
