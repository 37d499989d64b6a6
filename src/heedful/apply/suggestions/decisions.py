"""What decisions taught about a rule, for a context: its patterns, and what was said once."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.apply.suggestions.rules import RuleContexts
from heedful.learnings.composing import Candidate, candidate
from heedful.learnings.deeds import DECISION
from heedful.learnings.kinds.pattern import PATTERN
from heedful.learnings.table import NONE, LearningTable
from heedful.records.event import Entity, Event, EventFilter
from heedful.records.learning import Audience, Status
from heedful.records.pattern import Pattern, PatternCategory
from heedful.records.rule_context import AcceptedPattern, RejectedPattern
from heedful.records.suggestion import Decision, is_feedback
from heedful.store import Store
from heedful.text.fence import line, quoted

_KNOWN = 100  # patterns of a rule
_READ = 30  # of the newest decisions
_SHOWN = 3
_ONCE = 0.4  # the confidence of what was said once
_QUOTED = 160  # characters


def rule_patterns(store: Store, rule: str) -> Iterator[Candidate]:
    """As they are now; those that a person retired are left out."""
    found = RuleContexts(store).of(rule)
    rows = LearningTable(store).page({"kind": PATTERN.name, "scope": rule}, None, _KNOWN)
    retired = {row.state.id for row in rows if row.state.status != Status.ACTIVE}
    named = line(rule)
    patterns: list[AcceptedPattern | RejectedPattern] = [*found.accepted_patterns, *found.rejected_patterns]
    for one in patterns:
        if one.readable and one.id not in retired:
            learning = _learning(store, rule, one)
            why = f"{_verdict(one)} {one.sample_count:,} times for the rule {named}"
            yield candidate(learning, learning.confidence, why)


def rule_decisions(store: Store, rule: str, owner: str) -> Iterator[Candidate]:
    """What the person said once: their newest changes and rejections with a reason. It is no learning yet, little
    evidence, and theirs: what fewer people decided than privacy asks for is not told to others."""
    if not store.privacy().store_original_text:
        return
    newest = store.log.page(EventFilter(entity=Entity("rule", rule), newest_first=True), None, _READ)
    said = dict[str, Event]()
    for event in newest:
        if is_feedback(event) and _is_by(store, event, owner) and (text := _said(event)) and text not in said:
            said[text] = event
    for place, (text, event) in enumerate([*said.items()][:_SHOWN]):
        why = f"decided once for the rule {line(rule)}: little evidence"
        yield Candidate(event.id, DECISION, line(f"decided once: {text}"), _ONCE / (place + 1), 1, why)


def _is_by(store: Store, event: Event, owner: str) -> bool:
    """Decisions without a name are of one person: whoever asks without a name, too."""
    if event.actor is None or owner == NONE:
        return event.actor is None and owner == NONE
    return owner in (event.actor, store.secret.person(event.actor))


def _said(event: Event) -> str:
    suggested, original = event.before.get("suggested", ""), event.before.get("original", "")
    final = event.after.get("modification") or event.after.get("final") or ""
    comment = event.meta.get("comment") or ""
    why = f" (why: {quoted(comment, _QUOTED)})" if comment else ""
    instead = (
        f"{quoted(suggested, _QUOTED)} for {quoted(original, _QUOTED)}" if original else quoted(suggested, _QUOTED)
    )
    if event.kind == Decision.MODIFIED.kind and suggested and final:
        return f"{instead} was changed to {quoted(final, _QUOTED)}{why}"
    if event.kind == Decision.REJECTED.kind and suggested and comment:
        return f"{instead} was rejected{why}"
    return ""


def _verdict(one: AcceptedPattern | RejectedPattern) -> str:
    if isinstance(one, AcceptedPattern):
        return f"accepted {one.accept_count:,} of"
    return f"rejected {one.reject_count:,} of"


def _counts(one: AcceptedPattern | RejectedPattern) -> tuple[int, int, int]:
    """How many accepted, changed and rejected it."""
    if isinstance(one, AcceptedPattern):
        return one.accept_count - one.modified_count, one.modified_count, one.sample_count - one.accept_count
    return one.sample_count - one.reject_count, 0, one.reject_count


def _learning(store: Store, rule: str, one: AcceptedPattern | RejectedPattern) -> Pattern:
    """The learning as it is now; a job writes it down later."""
    wanted, now = isinstance(one, AcceptedPattern), store.clock()
    accepted, modified, rejected = _counts(one)
    return Pattern(
        id=one.id,
        kind="pattern",
        at=now,
        about=rule,
        audience=Audience.TEAM,
        category=PatternCategory.WANTED if wanted else PatternCategory.UNWANTED,
        actor=None,
        confidence=one.interval.low if wanted else 1 - one.interval.high,
        status=Status.ACTIVE,
        superseded_by=None,
        contradicted_by=(),
        questioned_by=(),
        approved=False,
        digest="",
        version=1,
        confirmed=0,
        rated_up=0,
        rated_down=0,
        applied=0,
        last_applied=None,
        renewed_at=now,
        original=one.original_pattern,
        suggested=one.suggested_pattern,
        accepted=accepted,
        modified=modified,
        rejected=rejected,
        people=one.people,
    )
