"""The mining pipeline: steps of one signature, each of which reports what it found and why.

    heard → valued → categorised → extracted → evidenced → scored, then each insight is merged (`merging.py`)

People come first: the reader hears what they said that should be remembered, and how they took what the agent did.
Evidence comes before quality: an insight without proof is not scored. A language model adds what it finds to what was
heard; if it fails, that stands alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from heedful.errors import ProviderError
from heedful.learn.conversations.evidence import verified
from heedful.learn.conversations.quality import JudgedCandidate, guarded, judged_candidate
from heedful.learn.conversations.sessions import ReadSession, Stated, shares
from heedful.learn.conversations.statements import LOOKED_AT, read
from heedful.learn.conversations.value import THRESHOLD, Value, analysed
from heedful.learn.conversations.verdicts import (
    BAR,
    POSSIBLE,
    Backing,
    Taken,
    Verdicts,
    claimed,
    confidence,
    passed_over,
)
from heedful.learnings.content import shortened
from heedful.records.insight import InsightCandidate, InsightCategory
from heedful.records.mining import LOCAL, DetectedCategory, MiningOutcome, MiningStep
from heedful.records.reading import Reader
from heedful.records.transcript import Transcript
from heedful.records.variant import Asking
from heedful.text.lasting import lasting

if TYPE_CHECKING:
    from heedful.learn.conversations.model_extraction import ModelExtractor, Reply
    from heedful.learn.conversations.numbered_transcript import NumberedTranscript

_NAMED = 3  # candidates that a step lists by name
_NAME = 70  # characters of one
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Case:
    """A conversation on its way through the pipeline."""

    transcript: Transcript
    reader: Reader
    model: ModelExtractor | None = None
    verdicts: Mapping[InsightCategory, Verdicts] = field(default_factory=dict)
    session: ReadSession = field(default_factory=ReadSession)
    value: float = 0.0
    detected: tuple[DetectedCategory, ...] = ()
    candidates: tuple[InsightCandidate, ...] = ()
    insights: tuple[JudgedCandidate, ...] = ()
    findings: tuple[MiningStep, ...] = ()
    askings: tuple[Asking, ...] = ()
    outcome: MiningOutcome | None = None
    """Why it ends here; None while it goes on."""
    by: str = LOCAL
    unanswered: str | None = None
    """The code of the first error of a language model that did not answer."""

    def found(self, step: str, says: str) -> Case:
        return replace(self, findings=(*self.findings, MiningStep(step, says)))

    def ended(self, outcome: MiningOutcome, step: str, says: str) -> Case:
        return replace(self.found(step, says), outcome=outcome)

    def replied(self, reply: Reply[_T]) -> Case:
        """With the prompts and the model of a reply."""
        by = reply.asked[0].model if reply.asked else self.by
        return replace(self, askings=(*self.askings, *reply.asked), by=by)

    @property
    def faint(self) -> list[JudgedCandidate]:
        """What may say again what is known; by itself it is not kept."""
        judged = (judged_candidate(one, self.transcript) for one in self.candidates if one.rule)
        return [one for one in judged if one.faint]


Step = Callable[[Case], Case]


def run(case: Case) -> Case:
    for step in STEPS:
        case = step(case)
        if case.outcome is not None:
            break
    return case


def heard(case: Case) -> Case:
    """What people said that should be remembered, and what the agent found that they accepted."""
    session = read(case.transcript, case.reader, LOOKED_AT)
    case = replace(case, session=session, candidates=_sure(case, (*session.said, *session.found)))
    says = [_counted(case.candidates)] if case.candidates else []
    if session.unclear:
        says.append(f"{session.unclear} more that make sense only in their place")
    if session.taken_back:
        says.append(f"{session.taken_back} that the person took back")
    if session.refused:
        says.append(f"{session.refused} of the agent's that the person refused")
    if session.unread:
        says.append(f"messages that were not read, because nothing in or near them is technical: {session.unread}")
    return case.found("heard", _joined(says) or "nothing that should be remembered")


def _counted(candidates: Sequence[InsightCandidate]) -> str:
    chances = [(one.rule, 0.0 if one.sure is None or guarded(one) else one.sure) for one in candidates]
    sure = sum(chance >= BAR for _, chance in chances)
    unsure = sum(rule and POSSIBLE <= chance < BAR for rule, chance in chances)
    left = len(candidates) - sure - unsure
    counts = ((sure, "sure enough"), (unsure, "for a person to decide"), (left, "too unsure"))
    told = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"sentences that may be worth remembering: {told}"


def _sure(case: Case, stated: Iterable[Stated]) -> tuple[InsightCandidate, ...]:
    return tuple(
        replace(one.candidate, sure=_confidence(case, one.chance, one.candidate, one.backing)) for one in stated
    )


def valued(case: Case) -> Case:
    """Whether it is worth mining. However short it is, it is if a person said what may be worth remembering: then it is
    judged by that, and not by how little else was said."""
    value = analysed(case.transcript)
    case, reasons = replace(case, value=value.score), list(value.reasons)
    if not value.worth and any(one.rule for one in case.candidates):
        reasons = ["a person said what may be worth remembering"]
    elif not value.worth:
        if (other := _other_worth(case, value)) is None:
            if not value.empty:
                reasons.append("nothing else speaks for it" if reasons else "nothing speaks for it")
            return _worthless(case, f"{value.score:.2f}: {_joined(reasons)}, {THRESHOLD:.2f} needed", empty=value.empty)
        reasons.append(f"but {other}" if reasons else other)
    return case.found("value", f"{value.score:.2f}: {_joined(reasons)}")


def _other_worth(case: Case, value: Value) -> str | None:
    """What makes a conversation without the usual signs worth mining."""
    if any(one.sure is not None and one.sure >= BAR for one in case.candidates):
        return "what was found out may be worth remembering"
    if any(one.taken is Taken.PROVED_AND_ACCEPTED for one in case.session.turns):
        return "a person accepted work that tests proved"
    if case.model is not None and case.model.marks.is_capable and not value.empty:
        return "the language model may see more in it"
    return None


def _worthless(case: Case, says: str, *, empty: bool) -> Case:
    for one in case.candidates[:_NAMED]:
        judged = judged_candidate(one, case.transcript)
        case = case.found("heard", f"dropped: {_name(one)} ({judged.reason})")
    return case.ended(_outcome(case, empty=empty), "value", says)


def _outcome(case: Case, *, empty: bool) -> MiningOutcome:
    """Of a conversation in which nothing is worth a look."""
    if case.candidates:
        return MiningOutcome.LOW_QUALITY
    if case.session.taken_back:
        return MiningOutcome.TAKEN_BACK
    return MiningOutcome.LOW_VALUE if empty else MiningOutcome.NOTHING_FOUND


def categorised(case: Case) -> Case:
    """A language model is asked what to look for; what was heard has its category."""
    if case.model is not None:
        try:
            reply = case.model.categories(case.transcript)
            case = replace(case.replied(reply), detected=reply.found)
        except ProviderError as error:
            case = unanswered(case, "categories", error)
    if not case.detected:
        case = replace(case, detected=_heard_categories(case.candidates))
    shown = [f"{one.category.value} {one.confidence:.2f} ({_joined(one.signals)})" for one in case.detected]
    return case.found("categories", _joined(shown) or "none of the eight is likely")


def _heard_categories(candidates: Sequence[InsightCandidate]) -> tuple[DetectedCategory, ...]:
    best: dict[InsightCategory, DetectedCategory] = {}
    for one in sorted(candidates, key=lambda one: -(one.sure or 0)):
        if one.sure is not None and one.sure >= DetectedCategory.LEAST:
            best.setdefault(one.category, DetectedCategory(one.category, one.sure, (_name(one),)))
    return tuple(best.values())[: DetectedCategory.MOST]


def extracted(case: Case) -> Case:
    """What a model finds comes first: its words are better, and what was heard confirms them."""
    for ask in (_asked_for_rules, _asked_for_findings):
        if case.model is None:
            break
        try:
            case = ask(case, case.model)
        except ProviderError as error:
            case = unanswered(case, "extraction", error)
    if not case.candidates:
        outcome = _outcome(case, empty=False)
        return case.ended(outcome, "extraction", "nothing was heard that should be remembered")
    topics = Counter("said by a person" if one.rule else one.category.value for one in case.candidates)
    return case.found("extraction", _joined(f"{count} {topic}" for topic, count in topics.items()))


def _asked_for_rules(case: Case, model: ModelExtractor) -> Case:
    reply = model.rules(case.transcript)
    case = _answered(case, reply)
    said = [_claimed(case, one, model.marks.claimed) for one in reply.found]
    heard = [
        one if reply.shown is None or not one.rule else _passed_over(one, reply.shown, model.marks.passed_over)
        for one in case.candidates
        if not any(_says_same(one, other) for other in said)
    ]
    return replace(case, candidates=(*said, *heard))


def _asked_for_findings(case: Case, model: ModelExtractor) -> Case:
    for one in case.detected:
        reply = model.extracted(case.transcript, one.category)
        case = _answered(case, reply)
        case = replace(case, candidates=(*case.candidates, *filter(case.session.took, reply.found)))
    return case


def _answered(case: Case, reply: Reply[InsightCandidate]) -> Case:
    case = case.replied(reply)
    return case.found("extraction", f"dropped: {_joined(reply.dropped)}") if reply.dropped else case


def _claimed(case: Case, claim: InsightCandidate, weight: float) -> InsightCandidate:
    """The model is believed as far as it proved itself, and what the reader heard counts as well."""
    statement, backing = case.session.statement(claim.quotes[0]), lasting(claim.quotes[0].text)
    if statement is not None:
        claim = replace(claim, category=statement.category)
    chance = _confidence(case, statement.chance if statement else 0.0, claim, backing)
    return replace(claim, sure=claimed(chance, weight))


def _passed_over(candidate: InsightCandidate, shown: NumberedTranscript, weight: float) -> InsightCandidate:
    if candidate.sure is None or not any(map(shown.has, candidate.quotes)):
        return candidate
    return replace(candidate, sure=passed_over(candidate.sure, weight))


def _says_same(heard: InsightCandidate, claim: InsightCandidate) -> bool:
    return any(shares(one, other) for one in heard.quotes for other in claim.quotes)


def _confidence(case: Case, chance: float, candidate: InsightCandidate, backing: Backing) -> float:
    return confidence(chance, candidate.category, case.verdicts, backing=backing)


def unanswered(case: Case, step: str, error: ProviderError) -> Case:
    says = f"the language model did not answer ({error.code}); what was heard stands alone"
    return replace(case.found(step, says), unanswered=case.unanswered or error.code)


def evidenced(case: Case) -> Case:
    """A quote must stand in its message."""
    proven = [(one, verified(one, case.transcript)) for one in case.candidates]
    case = replace(case, candidates=tuple(held for _, held in proven if held is not None))
    if lost := [one for one, held in proven if held is None]:
        case = case.found("evidence", f"dropped without proof: {_named(lost)}")
    if not case.candidates:
        return case.ended(MiningOutcome.LOW_QUALITY, "evidence", "nothing is proven by the conversation")
    return case.found("evidence", f"{len(case.candidates)} proven")


def scored(case: Case) -> Case:
    judged = [judged_candidate(one, case.transcript) for one in case.candidates]
    for one in judged:
        if not one.kept:
            did = "a person has to decide" if one.possible else "dropped"
            case = case.found("quality", f"{did}: {_name(one.candidate)} ({one.reason})")
    kept = _told_once([one for one in judged if one.kept])
    if told := [one.candidate for one in judged if one.kept and one not in kept]:
        case = case.found("quality", f"dropped, because another one tells it: {_named(told)}")
    case = replace(case, insights=(*kept, *(one for one in judged if one.possible)))
    if not kept:
        return case.ended(MiningOutcome.LOW_QUALITY, "quality", "nothing is sure enough to be used")
    for one in kept:
        case = case.found("quality", f"{_name(one.candidate)} ({one.reason})")
    return case


def _told_once(judged: Sequence[JudgedCandidate]) -> tuple[JudgedCandidate, ...]:
    """Of findings that rest on the same words, the surest: a cause is soon told again as a practice. What a model tells
    comes first, for its words are better."""
    kept: list[JudgedCandidate] = []
    for one in sorted(
        judged, key=lambda one: (not one.candidate.rule, one.candidate.sure is not None, -one.confidence)
    ):
        if one.candidate.rule or not any(_says_same(one.candidate, other.candidate) for other in kept):
            kept.append(one)
    return tuple(one for one in judged if one in kept)


STEPS: tuple[Step, ...] = (heard, valued, categorised, extracted, evidenced, scored)


def _joined(parts: Iterable[str]) -> str:
    return "; ".join(parts)


def _named(candidates: Sequence[InsightCandidate]) -> str:
    more = len(candidates) - _NAMED
    return _joined(map(_name, candidates[:_NAMED])) + (f"; and {more} more" if more > 0 else "")


def _name(candidate: InsightCandidate) -> str:
    return f"“{shortened(candidate.title, _NAME)}”"
