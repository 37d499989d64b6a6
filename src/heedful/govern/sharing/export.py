"""Exports approved learnings, and patterns of enough different people, to a file for other teams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from heedful.errors import Forbidden, InvalidInput
from heedful.govern.sharing.file import checksum
from heedful.govern.sharing.learnings import approved_learnings
from heedful.govern.sharing.suggestions import SharedSuggestions
from heedful.operations import caller, policy
from heedful.records.event import Entity
from heedful.records.names import PEOPLE_LIMIT, identifier, listed, whole
from heedful.records.period import Period
from heedful.records.privacy import Privacy
from heedful.records.sharing import FORMAT, REVEALING, VERSION, LearningExport
from heedful.store import Store
from heedful.store.audit import audit

EXPORTED = "AUDIT_LEARNING_EXPORTED"


@dataclass(frozen=True, slots=True)
class ExportRequest:
    period: Period
    rules: Sequence[str] | None
    about: str | None
    patterns: bool
    statistics: bool
    learnings: bool
    texts: bool
    min_people: int | None


def export(store: Store, wanted: ExportRequest) -> LearningExport:
    people = _people(require_participation(store), wanted.min_people)
    rules = None if wanted.rules is None else listed(wanted.rules, "rules")
    about = None if wanted.about is None else identifier(wanted.about, "about")
    of_suggestions = rules is not None or about is None
    of_learnings = about is not None or rules is None
    found = SharedSuggestions(
        store, wanted.period, rules if of_suggestions else frozenset(), people, texts=wanted.texts
    )
    made = LearningExport(
        format=FORMAT,
        version=VERSION,
        exported_at=store.clock().replace(microsecond=0),
        min_people=people,
        note=REVEALING if people == 1 else None,
        patterns=found.patterns() if wanted.patterns else (),
        statistics=found.statistics() if wanted.statistics and of_suggestions else None,
        learnings=approved_learnings(store, about, wanted.period) if wanted.learnings and of_learnings else (),
        checksum="",
    )
    made = replace(made, checksum=checksum(made.document()))
    with store.recording() as record:
        counts = {
            "patterns": len(made.patterns),
            "rules": len(found.rules),
            "learnings": len(made.learnings),
            "min_people": people,
            "checksum": made.checksum,
        }
        audit(record, EXPORTED, of_export(made.checksum), after=counts)
    return made


def of_export(checksum: str) -> Entity:
    return Entity("export", checksum[:32])


def require_participation(store: Store) -> Privacy:
    privacy = store.privacy()
    if not privacy.participate_in_team_learning:
        raise Forbidden(
            "Team learning is disabled in this organisation.",
            hint="An admin can enable it: heedful privacy --share",
        )
    return privacy


def _people(privacy: Privacy, asked: int | None) -> int:
    people = privacy.min_people if asked is None else whole(asked, "min_people", PEOPLE_LIMIT)
    if people < privacy.min_people and not caller.allows(policy.PrivacyPolicy.change):
        raise InvalidInput(
            f"min_people must be at least {privacy.min_people} in this organisation.",
            hint="Pass a higher min_people, or ask an admin to export.",
        )
    return people
