"""What an edit changed, in words, for people who look at the history of a learning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from heedful.learnings import events
from heedful.learnings.content import quote
from heedful.learnings.fold import advanced
from heedful.learnings.kinds import record_of
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.row import LearningRow, State
from heedful.records.correction import Correction
from heedful.records.event import Event
from heedful.records.insight import Insight
from heedful.records.learning import Audience
from heedful.records.learnings import AnyLearning


class Edit(NamedTuple):
    """An edit, with the learning before and after it."""

    version: int
    before: LearningRow
    after: LearningRow

    def changes(self) -> list[str]:
        """Empty where nothing is told that the new wording does not say by itself."""
        one, other = record_of(self.before), record_of(self.after)
        if isinstance(one, Correction) and isinstance(other, Correction):
            return [*self._corrected(), *_held(one, other), *_moved(one, other)]
        if isinstance(one, Insight) and isinstance(other, Insight):
            title = [quote(other.title)] if (one.title, one.content) != (other.title, other.content) else []
            return [*title, *_moved(one, other)]
        return []

    def _corrected(self) -> Iterator[str]:
        old, new = CORRECTION.words_of(self.before), CORRECTION.words_of(self.after)
        reworded = (old.wrong, old.right) != (new.wrong, new.right)
        if reworded:
            yield corrected(new)
        if new.fixed != old.fixed and (new.fixed or not reworded):  # new words remove it, which goes without saying
            yield f"put right as {quote(new.fixed)}" if new.fixed else "without the sentence put right"
        if new.understood != old.understood and (new.understood or not reworded):
            yield f"understood as {quote(new.understood)}" if new.understood else "without what was understood"
        if new.why != old.why:
            yield f"because {quote(new.why)}" if new.why else "without a reason"


def edits(history: Iterable[Event]) -> dict[str, Edit]:
    """The edits of a learning by the ids of their events; its events are in the order of the log."""
    state: State | None = None
    places: dict[int, Event] = {}
    found: dict[str, Edit] = {}
    for event in history:
        before, state = state, advanced(state, event)
        places[event.seq] = event
        if event.kind == events.EDITED and before is not None and state is not None:
            found[event.id] = Edit(len(found) + 2, _row(before, places), _row(state, places))
    return found


def _row(state: State, places: dict[int, Event]) -> LearningRow:
    return LearningRow(state, places[state.no], places[state.said])


def corrected(words: Any) -> str:
    if words is None:
        return "corrected it"
    if words.wrong and words.right:
        return f"corrected {quote(words.wrong)} to {quote(words.right)}"
    if words.right:
        return f"said that {quote(words.right)} is right"
    return f"said that {quote(words.wrong)} is wrong" if words.wrong else "corrected an output"


def _held(one: Correction, other: Correction) -> Sequence[str]:
    told = []
    if other.always is not one.always:
        told.append("it always holds" if other.always else "it holds for this question only")
    if other.category is not one.category:
        told.append(f"category {other.category}")
    if other.severity != one.severity:
        told.append(f"severity {other.severity:g}")
    return told


def _moved(one: AnyLearning, other: AnyLearning) -> Sequence[str]:
    told = []
    if other.about != one.about:
        told.append("about everything" if other.about is None else f"about {quote(other.about)}")
    if other.audience is not one.audience:
        told.append("for one person only" if other.audience is Audience.ME else "for the team")
    return told
