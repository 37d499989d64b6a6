"""Rules whose files somebody edited: each edit becomes a proposal, once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from heedful.edges.git import documents
from heedful.edges.git.documents import FOLDERS
from heedful.edges.git.repository import Repository
from heedful.errors import Conflict, InvalidInput, NotFound
from heedful.learnings.rules import words_of
from heedful.loop import Loop
from heedful.records.names import identifier
from heedful.records.proposal import Proposal, ProposalStatus
from heedful.records.record import Record
from heedful.records.rule import Rule, RuleWords


@dataclass(frozen=True, slots=True)
class ProposedEdit(Record):
    """The file of a rule that somebody edited, and the proposal that was made of it."""

    path: str
    rule: str
    proposal: str
    text: str
    by: str | None
    new: bool
    """It was proposed in this run."""


class RuleEdits:
    """The edits in a branch and its work tree. A file is left alone until its edit is decided."""

    def __init__(self, loop: Loop, repository: Repository, user: Callable[[], str], *, rebuild: bool) -> None:
        self._loop, self._repository, self._user, self._rebuild = loop, repository, user, rebuild
        self.head = repository.head()
        self.files = repository.files(self.head, FOLDERS)
        self.held: set[str] = set()
        """The files that wait."""
        self.decided: dict[str, Proposal] = {}
        """The files whose edit was decided, so that they are written again."""
        self.forced: set[str] = set()
        """Files that are written again because the user wants it."""
        self.waiting: list[ProposedEdit] = []
        self.notices: list[str] = []
        self._find()

    def _find(self) -> None:
        rules = {documents.rule_path(one.id): one for one in self._loop.govern.learnings.all(kind="rule", status=None)}
        contents = self._repository.contents(self.files[path] for path in rules if path in self.files)
        for path, rule in rules.items():
            committed = contents.get(self.files.get(path, ""))
            content = self._repository.file(path)
            if content is not None and _is_edited(content, committed):
                by = self._author(path) if content == committed else self._user()
                self._take(path, rule, content, by)
            elif committed is not None and not documents.is_own(committed):
                self._take(path, rule, committed, self._author(path))

    def _author(self, path: str) -> str:
        """By address, if there is one: names of people are often written in several ways."""
        author = self._repository.author(path)
        try:
            return identifier(author.email or author.name, "author")
        except InvalidInput:
            return self._user()

    def _take(self, path: str, rule: Rule, content: bytes, by: str) -> None:
        if documents.has_merge_conflict(content):
            self._hold(path, f"{path} has a merge conflict. Resolve it and run this again.")
            return
        words = documents.edited_words(content, rule)
        if words is None or words == words_of(rule):
            what = "cannot be read as a rule" if words is None else "was edited, but says the same"
            if self._rebuild:
                self.forced.add(path)
                self.notices.append(f"{path} {what}. It was written again.")
            else:
                self._hold(path, f"{path} {what}. It was left as it is; --rebuild writes it again.")
            return
        try:
            found, new = self._proposed(rule, words, by)
        except (InvalidInput, Conflict) as error:
            self._hold(path, f"{path} was edited, but cannot be proposed: {error}")
            return
        if found.status is ProposalStatus.PENDING:
            self.held.add(path)
            self.waiting.append(ProposedEdit(path, rule.id, found.id, words.text, found.made_by, new))
            return
        self.decided[path] = found
        why = f": {found.why}" if found.why else ""
        self.notices.append(f"The edit of {path} was {found.status.value}{why}. The file is as recorded again.")

    def _hold(self, path: str, notice: str) -> None:
        self.held.add(path)
        self.notices.append(notice)

    def _proposed(self, rule: Rule, words: RuleWords, by: str) -> tuple[Proposal, bool]:
        """The same edit is the same proposal, whoever mirrors it."""
        said = blake2b(f"{rule.id}\x1f{words.to_json()}".encode(), digest_size=8).hexdigest()
        id, proposals = f"proposal-edit-{said}", self._loop.govern.proposals
        try:
            return proposals.get(id), False
        except NotFound:
            made = proposals.propose(
                words.text,
                type=words.type,
                agents=words.agents,
                insertion_point=words.insertion_point,
                before=words.before,
                after=words.after,
                replaces=[rule.id],
                why="The file of the rule was edited.",
                by=by,
                id=id,
            )
            return made, True


def _is_edited(content: bytes, committed: bytes | None) -> bool:
    """What was written only in part is no edit."""
    if documents.is_own(content):
        return False
    return committed is None or content == committed or not documents.is_beginning(content, committed)
