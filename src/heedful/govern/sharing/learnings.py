"""The section `learnings`: which ones are exported, and the events that an import records for them.

Only learnings approved in their current wording are exported, and an import approves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from heedful.learnings.fields import checked_fields
from heedful.learnings.kind import LearningEdit, LearningKind
from heedful.learnings.kinds import KINDS, checked_category
from heedful.learnings.reputation import UNKNOWN, reputation
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.operations import caller
from heedful.operations.redactor import Redactor
from heedful.records.event import Draft, Entity, noted
from heedful.records.learning import Status
from heedful.records.period import Period
from heedful.records.sharing import SharedLearning
from heedful.store import Store
from heedful.store.database import Transaction

_ENTITY = "import"
_PAGE = 500
_DIGITS = 4


def approved_learnings(store: Store, about: str | None, period: Period) -> tuple[SharedLearning, ...]:
    """Newest first, kind by kind."""
    shareable = [kind for kind in KINDS.values() if kind.shareable]
    return tuple(one for kind in shareable for one in _approved(LearningTable(store), kind, about, period))


def _approved(
    table: LearningTable, kind: LearningKind[Any], about: str | None, period: Period
) -> Iterator[SharedLearning]:
    scores = {row[0]: reputation(*row).score for row in table.reputations(kind.name)}
    wanted = {"kind": kind.name, "status": Status.ACTIVE.value, "scope": about}
    previous = None
    while page := table.page(wanted, previous, _PAGE):
        for row in page:
            if row.state.approved and period.includes(row.first.at.date()):
                yield _shared(kind, row, scores.get(row.state.contributor, UNKNOWN))
        previous = page[-1].state.no


def _shared(kind: LearningKind[Any], row: LearningRow, score: float) -> SharedLearning:
    learning = kind.record(row)
    return SharedLearning(
        kind=kind.name,
        category=str(learning.category),
        about=learning.about,
        at=learning.at,
        fields=kind.exported(learning),
        confidence=round(learning.confidence, _DIGITS),
        confirmed=learning.confirmed,
        rated_up=learning.rated_up,
        rated_down=learning.rated_down,
        reputation=round(score, _DIGITS),
    )


def checked_learning(one: SharedLearning) -> SharedLearning:
    kind = KINDS.get(one.kind)
    if kind is None or not kind.shareable:
        raise ValueError("a learning is of a kind that is not shared")
    category = checked_category(kind.name, one.category)
    missing = kind.fields - one.fields.keys()
    if missing:
        raise ValueError(f"a learning has no {min(missing)}")
    found = replace(one, category=category, fields=checked_fields(one.fields))
    _beginning(found)  # raises if it says nothing
    return found


def redacted_learning(one: SharedLearning, redactor: Redactor) -> SharedLearning:
    lists = [item for value in one.fields.values() if isinstance(value, tuple) for item in value]
    redactor.refuse((*lists, one.about), "A tag or project of this file")
    texts = [value for value in one.fields.values() if isinstance(value, str)]
    parts = [text for value in one.fields.values() if isinstance(value, Mapping) for text in value.values()]
    redacted = iter(redactor.texts(*texts, *parts))
    fields = {name: next(redacted) if isinstance(value, str) else value for name, value in one.fields.items()}
    for name, value in one.fields.items():
        if isinstance(value, Mapping):
            fields[name] = dict(zip(value, redacted, strict=False))
    return replace(one, fields=fields)


def new_learnings(
    store: Store, transaction: Transaction, learnings: Sequence[SharedLearning], checksum: str, *, as_own: bool
) -> list[Draft]:
    """Those that do not exist here word for word. Each is imported once, even if several files contain it."""
    drafts: dict[str, Draft] = {}
    table = LearningTable(store)
    for one in learnings:
        draft = _draft(one, checksum, as_own=as_own)
        twin = table.twin(transaction, KINDS[one.kind], one.category, _beginning(one).words, scope=one.about)
        if twin is None:
            drafts.setdefault(draft.id, draft)
    known = store.log.known(list(drafts))
    return [draft for id, draft in drafts.items() if id not in known]


def _draft(one: SharedLearning, checksum: str, *, as_own: bool) -> Draft:
    kind, beginning = KINDS[one.kind], _beginning(one)
    # Full confidence if everyone confirms the contributor's learnings; half of it if no one does.
    sure = one.confidence * (1 if as_own else 0.5 + one.reputation / 2)
    meta: dict[str, Any] = {
        **beginning.meta,
        "category": one.category,
        "confidence": round(sure, _DIGITS),
        "by": "shared",
        "summary": f"Shared by others, who learned it in {1 + one.confirmed:,} of their conversations.",
        "reputation": one.reputation,
    }
    draft = noted(
        kind.begun_by,
        one.at,
        actor=caller.actor(),
        entity=Entity(_ENTITY, checksum[:16]),
        before=dict(beginning.before),
        after=dict(beginning.after),
        meta={name: value for name, value in meta.items() if value not in (None, "")},
    )
    signature = kind.signature(one.category, beginning.words, one.about)
    assert signature is not None, "a kind that is shared has one"
    id = blake2b(f"shared\x1f{signature.canonical}".encode(), digest_size=8).hexdigest()
    return draft._replace(id=id, own_id=True)


def _beginning(one: SharedLearning) -> LearningEdit:
    return KINDS[one.kind].begins(one.fields, one.about)
