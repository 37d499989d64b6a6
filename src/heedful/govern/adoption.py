"""Sharing learnings between people: what one approved, another adopts, as sure as the first one's reputation allows.

A file is taken whole or not at all, and once however often it comes. What is adopted is not approved: that is for
whoever adopts it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from hashlib import blake2b, sha256
from typing import Any

from heedful.errors import InvalidInput, InvalidLearnings
from heedful.learnings.events import EXTRACTED
from heedful.learnings.kinds.insight import INSIGHT, InsightWording
from heedful.learnings.reputation import UNKNOWN, reputation
from heedful.learnings.table import LearningTable
from heedful.operations import caller
from heedful.operations.redactor import Redactor
from heedful.records.clock import moment
from heedful.records.event import Draft, Entity, noted
from heedful.records.insight import CONTENT_LIMIT, TAGS_MOST, TITLE_LIMIT, Insight, InsightCategory
from heedful.records.json import encode
from heedful.records.names import identifier
from heedful.records.shared import FORMAT, VERSION, Adopted, SharedLearning, SharedLearnings
from heedful.store import Store
from heedful.store.audit import audit
from heedful.text.checks import checked_text

ENTITY = "shared_learnings"
_MOST = 10_000
_AGAIN = "Ask for the file again."


def shared(store: Store, insights: list[Insight]) -> SharedLearnings:
    scores = {row[0]: reputation(*row).score for row in LearningTable(store).reputations(INSIGHT.name)}
    found = tuple(_shared(one, scores.get(one.actor, UNKNOWN)) for one in insights)
    made = SharedLearnings(FORMAT, VERSION, store.clock().replace(microsecond=0), found, _checksum(_listed(found)))
    with store.recording() as record:
        audit(record, "AUDIT_LEARNINGS_SHARED", after={"learnings": len(found)})
    return made


def adopted(store: Store, told: SharedLearnings | Mapping[str, Any]) -> Adopted:
    learnings, mark = _checked(told)
    learnings = [_redacted(one, store.redactor) for one in learnings]
    with store.recording() as record:
        drafts = {_id(one): _draft(one, mark) for one in learnings}
        known = set(store.log.known(list(drafts)))
        for one in learnings:
            if LearningTable(store).twin(record.transaction, INSIGHT, one.topic.value, _words(one)) is not None:
                known.add(_id(one))
        new = [draft for id, draft in drafts.items() if id not in known]
        record.append_new(new)
        audit(record, "AUDIT_LEARNINGS_ADOPTED", Entity(ENTITY, mark), after={"learnings": len(new)})
    return Adopted(len(new), len(learnings) - len(new))


def _shared(one: Insight, score: float) -> SharedLearning:
    return SharedLearning(
        topic=one.category,
        title=one.title,
        content=one.content,
        tags=one.tags,
        rule=one.rule,
        project=one.about,
        at=one.at,
        confidence=round(one.confidence, 4),
        conversations=1 + one.confirmed,
        rated_up=one.rated_up,
        rated_down=one.rated_down,
        reputation=round(score, 4),
    )


def _redacted(one: SharedLearning, redactor: Redactor) -> SharedLearning:
    redactor.refuse((*one.tags, one.project), "A tag or project of this file")
    title, content = redactor.texts(one.title, one.content)
    return replace(one, title=title, content=content)


def _draft(one: SharedLearning, mark: str) -> Draft:
    # As sure as they are, if everybody confirms what comes from there; half as sure, if nobody does.
    sure = one.confidence * (0.5 + one.reputation / 2)
    meta: dict[str, Any] = {
        "category": one.topic.value,
        "rule": one.rule or None,
        "project": one.project,
        "confidence": round(sure, 4),
        "by": "shared",
        "summary": f"Shared by others, who learned it in {one.conversations:,} of their conversations.",
        "reputation": one.reputation,
    }
    draft = noted(
        EXTRACTED,
        one.at,
        actor=caller.actor(),
        entity=Entity(ENTITY, mark),
        after={"title": one.title, "content": one.content, "tags": list(one.tags)},
        meta={name: value for name, value in meta.items() if value not in (None, "")},
    )
    return draft._replace(id=_id(one), own_id=True)


def _id(one: SharedLearning) -> str:
    said = f"shared\x1f{INSIGHT.signature(one.topic.value, _words(one)).canonical}"
    return blake2b(said.encode(), digest_size=8).hexdigest()


def _words(one: SharedLearning) -> InsightWording:
    return InsightWording(one.title, one.content, one.tags)


# Files, which may be damaged, changed or of ill will


def _checked(told: object) -> tuple[list[SharedLearning], str]:
    if isinstance(told, SharedLearnings):
        told = {**asdict(told), "learnings": _listed(told.learnings)}
    if not isinstance(told, Mapping) or told.get("format") != FORMAT:
        raise _refused("It is no file of shared learnings.", "Make one with `heedful learnings share`.")
    if told.get("version") != VERSION:
        raise _refused(f"Its version is {told.get('version')!r}; this heedful knows {VERSION}.", "Update heedful.")
    found = told.get("learnings")
    if not isinstance(found, list) or len(found) > _MOST:
        raise _refused(f"It does not hold a list of up to {_MOST:,} learnings.", _AGAIN)
    try:
        mark = _checksum(found)
        learnings = [_read(one) for one in found] if told.get("checksum") == mark else None
    except (KeyError, TypeError, ValueError, InvalidInput) as error:
        what = error.message if isinstance(error, InvalidInput) else type(error).__name__
        raise _refused(f"It does not hold what it should: {what}", _AGAIN) from None
    if learnings is None:
        raise _refused("Its checksum does not fit: it is damaged or was changed.", _AGAIN)
    return learnings, mark[:16]


def _read(told: Mapping[str, Any]) -> SharedLearning:
    title, content = told["title"], told["content"]
    if not title.strip() or not content.strip():
        raise ValueError
    project = told["project"]
    return SharedLearning(
        topic=InsightCategory.of(told["topic"]),
        title=checked_text(title, "title", TITLE_LIMIT),
        content=checked_text(content, "content", CONTENT_LIMIT),
        tags=tuple(identifier(tag, "tag") for tag in list(told["tags"])[:TAGS_MOST]),
        rule=told["rule"] is True,
        project=None if project is None else identifier(project, "project"),
        at=moment(told["at"], "at"),
        confidence=_share(told["confidence"]),
        conversations=_count(told["conversations"]),
        rated_up=_count(told["rated_up"]),
        rated_down=_count(told["rated_down"]),
        reputation=_share(told["reputation"]),
    )


def _listed(learnings: tuple[SharedLearning, ...]) -> list[dict[str, Any]]:
    """As the file has them."""
    return [{**asdict(one), "topic": one.topic.value, "at": _time(one.at), "tags": list(one.tags)} for one in learnings]


def _time(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _checksum(learnings: object) -> str:
    return sha256(encode([learnings], "the file").encode()).hexdigest()


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError
    return float(value)


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value < 2**31:
        raise ValueError
    return value


def _refused(what: str, hint: str) -> InvalidLearnings:
    return InvalidLearnings(f"This file cannot be adopted. {what}", hint=hint)
