"""The mining pipeline: steps of one signature, each of which reports what it found and why.

    valued → categorised → extracted → evidenced → scored, then each insight is merged (`merging.py`)

Evidence comes before quality: an insight without proof is not scored, and the strength of the proof is part of the
score. With a language model, its answers replace the local extraction; if it fails, the local extraction is used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from heedful.errors import ProviderError
from heedful.learn.conversations import categories as local_categories
from heedful.learn.conversations.categories import Detected
from heedful.learn.conversations.evidence import verified
from heedful.learn.conversations.local_extraction import extracted as locally_extracted
from heedful.learn.conversations.quality import JudgedCandidate, judged_candidate
from heedful.learn.conversations.rules import rules as local_rules
from heedful.learn.conversations.value import analysed
from heedful.records.insight import InsightCandidate
from heedful.records.mining import MiningStep, Outcome
from heedful.records.transcript import Transcript
from heedful.records.variant import Asking

if TYPE_CHECKING:
    from heedful.learn.conversations.model_extraction import ModelExtractor, Reply

_LASTING = re.compile(
    r"\b(?:from now on|going forward|next time|every time you|remember (?:that|to)|"
    r"(?:in|for) this (?:project|repo|repository|codebase)|"
    r"ab jetzt|künftig|in zukunft|désormais|a partir de (?:ahora|agora))\b",
    re.IGNORECASE,
)
_NAMED = 3  # candidates that a step lists by name
_NAME = 70  # characters of one
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Case:
    """A conversation on its way through the pipeline."""

    transcript: Transcript
    model: ModelExtractor | None = None
    value: float = 0.0
    detected: tuple[Detected, ...] = ()
    candidates: tuple[InsightCandidate, ...] = ()
    insights: tuple[JudgedCandidate, ...] = ()
    findings: tuple[MiningStep, ...] = ()
    askings: tuple[Asking, ...] = ()
    outcome: Outcome | None = None
    """Why it ends here; None while it goes on."""
    by: str = "local"
    unanswered: str | None = None
    """The code of the first error of a language model that did not answer."""

    def found(self, step: str, says: str) -> Case:
        return replace(self, findings=(*self.findings, MiningStep(step, says)))

    def ended(self, outcome: Outcome, step: str, says: str) -> Case:
        return replace(self.found(step, says), outcome=outcome)

    def replied(self, reply: Reply[_T]) -> Case:
        """With the prompts and the model of a reply."""
        by = reply.asked[0].model if reply.asked else self.by
        return replace(self, askings=(*self.askings, *reply.asked), by=by)


Step = Callable[[Case], Case]


def run(case: Case) -> Case:
    for step in STEPS:
        case = step(case)
        if case.outcome is not None:
            break
    return case


def valued(case: Case) -> Case:
    """Whether it is worth mining. Even a short conversation is, if a person states a rule to an agent at work, or says
    explicitly that it should last; `always` alone is small talk, too."""
    value = analysed(case.transcript)
    case, says = replace(case, value=value.score), f"{value.score:.2f}: {_joined(value.reasons)}"
    if value.worth:
        return case.found("value", says)
    at_work = any(message.tools for message in case.transcript.messages)
    if any(at_work or _LASTING.search(one.quotes[0].text) for one in local_rules(case.transcript)):
        return case.found("value", f"{says}; but a rule is stated")
    return case.ended(Outcome.LOW_VALUE, "value", says)


def categorised(case: Case) -> Case:
    def ask(model: ModelExtractor, case: Case) -> Case:
        reply = model.categories(case.transcript)
        return replace(case.replied(reply), detected=reply.found)

    def search(case: Case) -> Case:
        return replace(case, detected=local_categories.detected(case.transcript))

    case = _by_model_or_locally(case, "categories", ask, search)
    shown = [f"{one.category.value} {one.confidence:.2f} ({_joined(one.signals)})" for one in case.detected]
    return case.found("categories", _joined(shown) or "none of the eight is likely; only rules are searched")


def extracted(case: Case) -> Case:
    def ask(model: ModelExtractor, case: Case) -> Case:
        for reply in (
            model.rules(case.transcript),
            *(model.extracted(case.transcript, one.category) for one in case.detected),
        ):
            case = replace(case.replied(reply), candidates=(*case.candidates, *reply.found))
            if reply.dropped:
                case = case.found("extraction", f"dropped: {_joined(reply.dropped)}")
        # Of a long conversation the model is shown a part; rules are found locally in all of it.
        return replace(case, candidates=(*case.candidates, *local_rules(case.transcript)))

    def search(case: Case) -> Case:
        found = [candidate for one in case.detected for candidate in locally_extracted(case.transcript, one.category)]
        return replace(case, candidates=(*local_rules(case.transcript), *found))

    case = _by_model_or_locally(case, "extraction", ask, search)
    if not case.candidates:
        return case.ended(
            Outcome.NOTHING_FOUND, "extraction", "no cause, reason, choice or rule is stated clearly enough"
        )
    topics = Counter("rule" if one.rule else one.category.value for one in case.candidates)
    return case.found("extraction", _joined(f"{count} {topic}" for topic, count in topics.items()))


def evidenced(case: Case) -> Case:
    """A quote must stand in its message."""
    proven = [(one, verified(one, case.transcript)) for one in case.candidates]
    case = replace(case, candidates=tuple(held for _, held in proven if held is not None))
    if lost := [one for one, held in proven if held is None]:
        case = case.found("evidence", f"dropped without proof: {_named(lost)}")
    if not case.candidates:
        return case.ended(Outcome.LOW_QUALITY, "evidence", "nothing is proven by the conversation")
    return case.found("evidence", f"{len(case.candidates)} proven")


def scored(case: Case) -> Case:
    judged = [judged_candidate(one, case.transcript) for one in case.candidates]
    kept = tuple(one for one in judged if one.kept)
    for one in judged:
        if not one.kept:
            case = case.found("quality", f"dropped: {_name(one.candidate)} ({one.reason})")
    case = replace(case, insights=kept)
    if not kept:
        return case.ended(Outcome.LOW_QUALITY, "quality", "nothing is good enough to be kept")
    return case.found("quality", _joined(f"{_name(one.candidate)} ({one.reason})" for one in kept))


STEPS: tuple[Step, ...] = (valued, categorised, extracted, evidenced, scored)


def _by_model_or_locally(case: Case, step: str, ask: Callable[[ModelExtractor, Case], Case], search: Step) -> Case:
    if case.model is None:
        return search(case)
    try:
        return ask(case.model, case)
    except ProviderError as error:
        says = f"the language model did not answer ({error.code}); searched locally"
        return search(replace(case.found(step, says), unanswered=case.unanswered or error.code))


def _joined(parts: Iterable[str]) -> str:
    return "; ".join(parts)


def _named(candidates: Sequence[InsightCandidate]) -> str:
    more = len(candidates) - _NAMED
    return _joined(map(_name, candidates[:_NAMED])) + (f"; and {more} more" if more > 0 else "")


def _name(candidate: InsightCandidate) -> str:
    title = candidate.title
    return f"“{title if len(title) <= _NAME else title[: _NAME - 1] + '…'}”"
