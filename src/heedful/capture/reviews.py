"""Records reviews of agents' outputs. The difference between output and approved text is taken here, before any cut."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from uuid_utils import uuid7

from heedful.capture.payload import bounded
from heedful.errors import InvalidInput
from heedful.learnings.kinds.remark import REMARK
from heedful.learnings.outcomes import derive_outcome
from heedful.learnings.table import LearningTable
from heedful.operations import caller
from heedful.records.clock import Time, aware, moment
from heedful.records.embedding import Embedder, meaning
from heedful.records.event import Draft, Entity, Event
from heedful.records.json import encode
from heedful.records.names import LIMIT_LIMIT, identifier, listed, whole
from heedful.records.people import one_person
from heedful.records.privacy import Privacy
from heedful.records.review import AGENT, COMMENT_LIMIT, OUTPUT_LIMIT, REVIEWED, Edit, ReviewDecision
from heedful.store import Store
from heedful.store.vectors import packed
from heedful.text.checks import checked_text
from heedful.text.diff import kept
from heedful.text.edits import edits, is_diff, sides, summary

_EDITS_BYTES = 3_000
_COMMENT_BYTES = 4_000
_MOST_TAGS = 20
_PATH_LIMIT = 1_000
_PARTLY = 0.5  # the outcome of an output that was approved with changes which are not given


class ReviewInput(NamedTuple):
    """A checked review."""

    agent: str
    decision: ReviewDecision
    output: str
    approved: str | None
    diff: str | None
    comment: str
    reviewer: str | None
    names: dict[str, str]
    """gate, epic, task, output_sha, approved_sha, as far as they are given."""
    tags: tuple[str, ...]
    seconds: int | None
    diff_path: str | None
    context: str | None
    at: datetime | None
    id: str | None


def checked(
    agent: str,
    decision: ReviewDecision | str,
    *,
    output: str = "",
    approved: str | None = None,
    diff: str | None = None,
    comment: str | None = None,
    reviewer: str | None = None,
    gate: str | None = None,
    epic: str | None = None,
    task: str | None = None,
    tags: Sequence[str] = (),
    seconds: int | None = None,
    output_sha: str | None = None,
    approved_sha: str | None = None,
    diff_path: str | None = None,
    context: str | None = None,
    at: Time | None = None,
    id: str | None = None,
) -> ReviewInput:
    decided = ReviewDecision.of(decision)
    checked_text(output, "output", OUTPUT_LIMIT)
    for name, text in (("approved", approved), ("diff", diff)):
        if text is not None:
            checked_text(text, name, OUTPUT_LIMIT)
    checked_text(comment or "", "comment", COMMENT_LIMIT, hint="Say in a few sentences what should be different.")
    if diff is not None and diff.strip() and not is_diff(diff):
        raise InvalidInput("diff is not a unified diff.", hint="Pass the output of `diff -u` or `git diff`.")
    _require_sense(decided, output, approved)
    given = {"gate": gate, "epic": epic, "task": task, "output_sha": output_sha, "approved_sha": approved_sha}
    return ReviewInput(
        agent=identifier(agent, "agent"),
        decision=decided,
        output=output,
        approved=approved,
        diff=diff,
        comment=(comment or "").strip(),
        reviewer=None if reviewer is None else identifier(reviewer, "reviewer"),
        names={name: identifier(value, name) for name, value in given.items() if value is not None},
        tags=_tags(tags),
        seconds=None if seconds is None else whole(seconds, "seconds", LIMIT_LIMIT, least=0),
        diff_path=None if diff_path is None else checked_text(diff_path, "diff_path", _PATH_LIMIT),
        context=None if context is None else identifier(context, "context"),
        at=None if at is None else moment(at),
        id=None if id is None else identifier(id, "id"),
    )


def _require_sense(decided: ReviewDecision, output: str, approved: str | None) -> None:
    changed = approved is not None and output not in ("", approved)
    if decided is ReviewDecision.APPROVED and changed:
        raise InvalidInput("The approved text differs from the output.", hint="Pass APPROVED_WITH_CHANGES.")
    if decided is ReviewDecision.REJECTED and approved is not None:
        raise InvalidInput("What was rejected has no approved text.", hint="Pass APPROVED_WITH_CHANGES, or no text.")


def _tags(values: Sequence[str]) -> tuple[str, ...]:
    found = listed(values, "tags")
    if len(found) > _MOST_TAGS:
        raise InvalidInput(f"There are {len(found)} tags; {_MOST_TAGS} are allowed.", hint="Pass the telling ones.")
    return tuple(sorted(found))


def read_diff(folder: Path | None, path: str) -> str | None:
    """The diff in a file, if there is a folder for such files (HEEDFUL_DIFFS). Nothing outside of it is read."""
    if folder is None:
        return None
    try:
        root = folder.expanduser().resolve()
        place = (root / path).resolve()
        if not place.is_relative_to(root):
            raise InvalidInput("diff_path leaves the folder of diffs.", hint="Pass a path inside HEEDFUL_DIFFS.")
        if not place.is_file() or place.stat().st_size > OUTPUT_LIMIT:
            return None
        text = place.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:  # a name that is too long, a character that no name may have
        raise InvalidInput("diff_path is not a path.", hint="Pass a path inside HEEDFUL_DIFFS.") from error
    return text if is_diff(text) else None


def record(store: Store, embedder: Embedder, review: ReviewInput) -> Event:
    """Embeds it first, because the transaction should be short; a job does it if that fails.

    The same decision delivered again returns the first event, even if the file with its diff came or went meanwhile.
    """
    store.secret.load()
    known = None if review.id is None else store.log.get(review.id)
    if known is not None and known.kind == REVIEWED and known.meta.get("fingerprint") == _fingerprint(store, review):
        return known
    draft = _draft(store, store.privacy(), review)
    event = Event(draft.id, store.org, 0, *draft[1:9])
    words = REMARK.wording(event)
    if words is not None and (made := meaning(embedder, words.gist())) is not None:
        LearningTable(store).prepare(made.embedder, words.gist(), packed(made.vector))
    with store.recording() as record:
        head = record.head
        event = record.append([draft])[0]
        if event.seq > head:
            of = {"context": review.context, "unit": review.names.get("task"), "agent": review.agent}
            derive_outcome(store, record, event, _outcome(review), **of, output=review.output)
        return event


def _outcome(review: ReviewInput) -> float:
    """Of the context that the agent had for this task."""
    if review.decision is ReviewDecision.APPROVED_WITH_CHANGES:
        before, after = (review.output, review.approved or "") if review.diff is None else sides(review.diff)
        return kept(before, after) if before and after else _PARTLY
    return float(review.decision is ReviewDecision.APPROVED)


def _fingerprint(store: Store, review: ReviewInput) -> str | None:
    """A digest of what the caller passed; None without an id of their own. What a path leads to is not part of it."""
    if review.id is None:
        return None
    given = review._replace(at=None, diff=None if review.diff_path is not None else review.diff)
    at = None if review.at is None else review.at.isoformat()
    return store.secret.digest("review", encode([*given[:-2], at, caller.voice(review.reviewer)]))


def _draft(store: Store, privacy: Privacy, review: ReviewInput) -> Draft:
    actor = review.reviewer
    if actor is not None and privacy.anonymize_users:
        actor = store.secret.person(actor)
    before, after, meta = bounded(*_payload(store, privacy, review))
    return Draft(
        review.id or str(uuid7()),
        REVIEWED,
        review.at or aware(store.clock()),
        actor,
        Entity(AGENT, review.agent),
        None,
        before,
        after,
        meta,
        own_id=review.id is not None,
        own_time=review.at is not None,
    )


def _payload(store: Store, privacy: Privacy, review: ReviewInput) -> tuple[dict[str, Any], ...]:
    found = _edits(review)
    shas = {"output_sha": _sha(review.output), "approved_sha": _sha(review.approved or "")}
    voice = caller.voice(review.reviewer)
    meta: dict[str, Any] = {
        "decision": review.decision.value,
        **{name: sha for name, sha in shas.items() if sha is not None},
        **review.names,
        "seconds": review.seconds,
        "diff_path": review.diff_path,
        "tags": list(review.tags) or None,
        "comment": _clipped(review.comment, _COMMENT_BYTES) or None,
        "fingerprint": _fingerprint(store, review),
        "voice": None if voice is None else store.secret.person(one_person(voice)),
    }
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    if privacy.store_original_text:
        meta |= {"summary": summary(found) or None, "edits": _kept(found) or None}
        before = {"output": review.output} if review.output else {}
        after = {"approved": review.approved} if review.approved else {}
    return before, after, {name: value for name, value in meta.items() if value is not None}


def _edits(review: ReviewInput) -> tuple[Edit, ...]:
    if review.diff is not None:
        return edits(*sides(review.diff))
    if review.approved is None or not review.output:
        return ()
    return edits(review.output, review.approved)


def _kept(found: Sequence[Edit]) -> list[list[str]]:
    kept, room = list[list[str]](), _EDITS_BYTES
    for edit in found:
        room -= len(f"{edit.before}{edit.after}".encode()) + 20
        if room < 0:
            break
        kept.append([edit.unit, edit.before, edit.after])
    return kept


def _sha(text: str) -> str | None:
    return sha256(text.encode()).hexdigest() if text else None


def _clipped(text: str, most: int) -> str:
    return text if len(text.encode()) <= most else text.encode()[: most - 3].decode(errors="ignore") + "…"
