"""Govern: keys and roles, tiers, webhooks, privacy, review, sharing and erasure."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from heedful.errors import Conflict, InvalidInput, InvalidLearnings, NotFound
from heedful.govern.access import Access
from heedful.govern.conversations import Conversations
from heedful.govern.documents import DocumentReview, erase_old
from heedful.govern.erasure import Erasure, Selection
from heedful.govern.forgetting import Forgetting
from heedful.govern.keys import Keys
from heedful.govern.learnings import LearningReview
from heedful.govern.proposals import Proposals
from heedful.govern.retention import Retention
from heedful.govern.rules import RuleReview
from heedful.govern.sharing.export import ExportRequest, export
from heedful.govern.sharing.file import read
from heedful.govern.sharing.import_ import import_
from heedful.govern.sharing.signing import sign
from heedful.govern.webhooks import Webhooks
from heedful.learnings.why import Explanations
from heedful.operations import caller, policy
from heedful.operations.operation import UNCHANGED, Unchanged, operation
from heedful.operations.toolset import ToolSet
from heedful.records import names
from heedful.records.clock import When, moment
from heedful.records.key import Identity
from heedful.records.names import Name, People, Span
from heedful.records.outside import Outside
from heedful.records.period import Period
from heedful.records.privacy import Cleared, Clearing, Privacy, Retained
from heedful.records.receipt import Receipt
from heedful.records.role import Role
from heedful.records.sharing import EXAMPLE, Imported, LearningExport, LearningFile
from heedful.records.suggestion import RETENTION
from heedful.records.tier import Tier
from heedful.records.why import Why
from heedful.store import Store
from heedful.store.audit import audit


class Govern:
    """`loop.govern`"""

    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside

    @cached_property
    def keys(self) -> Keys:
        return Keys(self._store)

    @cached_property
    def webhooks(self) -> Webhooks:
        return Webhooks(self._store, self._outside.poster)

    @cached_property
    def learnings(self) -> LearningReview:
        return LearningReview(self._store, self._outside.embedder)

    @cached_property
    def conversations(self) -> Conversations:
        return Conversations(self._store)

    @cached_property
    def documents(self) -> DocumentReview:
        return DocumentReview(self._store)

    @cached_property
    def proposals(self) -> Proposals:
        return Proposals(self._store, self.learnings, self._outside.embedder)

    @cached_property
    def rules(self) -> RuleReview:
        return RuleReview(self._store)

    @operation("GET /me", policy.OwnKeyPolicy.read)
    def me(self) -> Identity:
        """Show the current caller: organisation, role, key, and the organisation's tier."""
        who, tier = caller.current(), self._store.tier()
        if who is None:
            return Identity(self._store.org, Role.ADMIN, None, caller.LOCAL, tier)
        return Identity(who.org, who.role, who.key, who.name, tier)

    @property
    def access(self) -> Access:
        return Access(self._store)

    def tier(self) -> Tier:
        return self._store.tier()

    def set_tier(self, tier: Tier | str) -> None:
        """Sets the organisation's tier. Only for the operator of the installation; no key has permission."""
        caller.owner_only("change the tier")
        wanted = Tier.of(tier)
        with self._store.recording() as record:
            before = self._store.tier()
            self._store.set_tier(record.transaction, wanted)
            audit(record, "AUDIT_TIER_CHANGED", before={"tier": before.value}, after={"tier": wanted.value})

    @operation(
        "GET /why/{id}",
        policy.LearningPolicy.read,
        example={"id": "5f0c1a9be27d4431", "at": "2026-03-02"},
        errors=(NotFound,),
        tool="why",
        tools=ToolSet.AGENTS,
    )
    def why(self, id: Name, *, at: When | None = None) -> Why:
        """Explain why a learning is believed, or why a context says what it says, back to what people did.

        Pass the id in a line of a prompt, or the id of a whole context. Returns who taught, confirmed, contradicted,
        rated, edited and approved it, and its uses: as data, as lines of text, and as a Mermaid flowchart. Evidence
        that was erased is not shown, only that it was.

        With `at`, as it was known at that time; a date is its first moment, in UTC. The log keeps when something
        happened and the order of recording. What happened later is left out, and so is what was recorded after
        something that heedful dated itself, later than `at`: history that was imported in May was not known in March.
        A context shows its learnings as they were when it was given.
        """
        then = None if at is None else moment(at, "at", self._store.clock())
        return Explanations(self._store).of(names.identifier(id, "id"), then)

    @operation("GET /privacy", policy.PrivacyPolicy.read)
    def privacy(self) -> Privacy:
        """Show the privacy options: what is stored of people's feedback, and for how long."""
        return self._store.privacy()

    @operation(
        "PATCH /privacy", policy.PrivacyPolicy.change, example={"store_original_text": False, "max_data_age": "180d"}
    )
    def set_privacy(
        self,
        *,
        anonymize_users: bool | Unchanged = UNCHANGED,
        store_original_text: bool | Unchanged = UNCHANGED,
        redact_personal_data: bool | Unchanged = UNCHANGED,
        max_data_age: Span | Unchanged | None = UNCHANGED,
        max_records: names.Count | Unchanged | None = UNCHANGED,
        participate_in_team_learning: bool | Unchanged = UNCHANGED,
        min_people: People | Unchanged = UNCHANGED,
    ) -> Privacy:
        """Change the privacy options; fields that are left out stay unchanged.

        Without a `max_data_age` (None, or "all") feedback is stored forever, and without `max_records` (None, or 0)
        there is no limit on records. Existing records are not rewritten: clear them if they must be deleted.
        """
        changes: dict[str, Any] = {
            "anonymize_users": anonymize_users,
            "store_original_text": store_original_text,
            "redact_personal_data": redact_personal_data,
            "max_data_age": max_data_age,
            "max_records": max_records,
            "participate_in_team_learning": participate_in_team_learning,
            "min_people": min_people,
        }
        given = {name: value for name, value in changes.items() if value is not UNCHANGED}
        if given.get("max_data_age") == "all":
            given["max_data_age"] = None
        if given.get("max_records") == 0 and not isinstance(max_records, bool):
            given["max_records"] = None
        with self._store.recording() as record:
            before = self._store.privacy()
            wanted = replace(before, **given)
            self._store.set_privacy(record.transaction, wanted)
            audit(record, "AUDIT_PRIVACY_CHANGED", before=before.to_dict(), after=wanted.to_dict())
            record.queue([RETENTION])
        return wanted

    @operation("POST /retention", policy.LearningPolicy.clear)
    def retain(self) -> Retained:
        """Delete feedback that exceeds the age or the number of records in the privacy options, oldest first.

        This runs automatically while feedback is recorded, and once a day in workers; call it to run retention
        immediately.
        """
        privacy = self._store.privacy()
        documents = erase_old(self._store, privacy.max_days)
        retained = Retention(self._store, privacy).apply()
        return replace(retained, too_old=retained.too_old + documents)

    @operation(
        "POST /clearings", policy.LearningPolicy.clear, example={"rules": ["no-passive"]}, errors=(InvalidInput,)
    )
    def clearing(
        self,
        *,
        rules: Sequence[Name] | None = None,
        period: Span | None = None,
        since: When | None = None,
        until: When | None = None,
        everything: bool = False,
    ) -> Clearing:
        """Prepare to clear feedback of some rules, of a period, or all of it; returns a token to confirm it.

        Also returns the counts. Nothing is deleted yet.
        """
        days = Period.of(period, since, until, self._store.clock())
        return Erasure(self._store).plan(Selection.of(days, rules, everything=everything))

    @operation(
        "POST /clearings/confirm",
        policy.LearningPolicy.clear,
        example={"token": "eyJ….5f0c"},
        errors=(NotFound,),
        redact=False,
    )
    def clear(self, token: str) -> Cleared:
        """Delete the feedback of a prepared clearing, and everything that was learned from it alone.

        If it is interrupted, the remaining data is consistent, and the same token continues.
        """
        return Erasure(self._store).confirm(token)

    @operation(
        "POST /forgettings",
        policy.ForgettingPolicy.forget,
        example={"user": "dana"},
        errors=(InvalidInput, NotFound),
    )
    def forget(
        self,
        *,
        user: Name | None = None,
        conversation: Name | None = None,
        document: Name | None = None,
        everything: bool = False,
        confirm: Name | None = None,
    ) -> Receipt:
        """Forget a person, a conversation, a document, or everything of the organisation; returns a receipt.

        Of a `user`: everything they did and said, in every kind of feedback, and what was learned from that alone. What
        others said too is derived again without them; rules that they wrote or approved wait for other people. Pass the
        name they act under, or their pseudonym. `conversation` also takes what was said in a chat of that session.
        `everything` needs the name of the organisation as `confirm`, and leaves only the key of the caller. If it is
        interrupted, the data is consistent, and the same call goes on.
        """
        given = {"user": user, "conversation": conversation, "document": document, "everything": everything or None}
        chosen = [name for name, value in given.items() if value is not None]
        if len(chosen) != 1:
            raise InvalidInput(
                "What should be forgotten is not clear." if chosen else "Nothing to forget was given.",
                hint="Pass one of user, conversation, document and everything.",
            )
        forgetting = Forgetting(self._store)
        if user is not None:
            return forgetting.person(user)
        if conversation is not None:
            return forgetting.conversation(conversation)
        return forgetting.everything(confirm) if document is None else forgetting.document(document)

    @operation(
        "POST /exports",
        policy.LearningPolicy.export,
        example={"rules": ["no-passive"]},
        errors=(InvalidInput,),
        tier=Tier.TEAMS,
    )
    def export(
        self,
        *,
        rules: Sequence[Name] | None = None,
        period: Span | None = None,
        since: When | None = None,
        until: When | None = None,
        about: Name | None = None,
        include_patterns: bool = True,
        include_statistics: bool = True,
        include_learnings: bool = True,
        include_original_text: bool = False,
        min_people: People | None = None,
    ) -> LearningExport:
        """Export learnings for another team: patterns and counts of enough people, and approved learnings.

        `rules` filters patterns and statistics, `about` filters learnings by project or topic; with only one of them,
        the other section is left out. Learnings are exported without quotes and names, but with the reputation of their
        contributor.

        `include_original_text` adds whole texts that at least `min_people` people judged. All decisions without an
        actor count as one person. `min_people=1` is for moving to another installation, and only admins may pass less
        than the privacy options require: the file then identifies individual decisions and their days, and with texts
        their reasons; its `note` says so.
        """
        wanted = ExportRequest(
            period=Period.of(period, since, until, self._store.clock()),
            rules=rules,
            about=about,
            patterns=include_patterns,
            statistics=include_statistics,
            learnings=include_learnings,
            texts=include_original_text,
            min_people=min_people,
        )
        return export(self._store, wanted)

    def sign(self, export: LearningExport, private_key: bytes) -> LearningExport:
        """The same export, signed with an Ed25519 key (PEM), so that others can verify its author."""
        return replace(export, signature=sign(export.checksum, private_key))

    @operation(
        "POST /imports",
        policy.LearningPolicy.merge,
        example={"learnings": EXAMPLE},
        errors=(InvalidLearnings, Conflict),
        tier=Tier.TEAMS,
        redact=False,
    )
    def import_(
        self, learnings: LearningFile, *, trusted: Sequence[str] | None = None, as_own: bool = False
    ) -> Imported:
        """Import the export of another team; importing the same file again changes nothing.

        Imported counts have limited weight: they never reverse what this team has learned itself. With `as_own` they
        count in full, as if the decisions had been made here: for your own export from another installation, made with
        `min_people=1`. With `trusted`, only files signed with one of these public keys are accepted.

        Learnings keep their confidence if the reputation of their contributor is perfect, and a lower one otherwise.
        None is approved yet; a learning that exists here word for word is left unchanged.
        """
        return import_(self._store, learnings, trusted, as_own=as_own)

    def import_file(
        self, path: str | os.PathLike[str], *, trusted: Sequence[str] | None = None, as_own: bool = False
    ) -> Imported:
        """Imports a file that `save` of an export wrote."""
        return self.import_(read(path), trusted=trusted, as_own=as_own)
