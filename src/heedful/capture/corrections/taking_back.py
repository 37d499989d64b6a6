"""What a message to an AI takes back of what was learned before: `yarn is gone, we moved to pnpm`."""

from __future__ import annotations

from functools import partial

from heedful.capture.contradictions import superseded
from heedful.capture.corrections.reported import CorrectionInput
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.retracted import Ending, Meant, Retracted, is_sure, told
from heedful.learnings.row import LearningRow
from heedful.learnings.table import NONE
from heedful.records import proposal
from heedful.records.embedding import Meaning
from heedful.records.event import Draft
from heedful.records.learning import Audience, Status
from heedful.records.outside import Outside
from heedful.records.proposal import Act
from heedful.store import Store
from heedful.text.lasting import Lasting, lasting_of
from heedful.text.terms import terms

_MOST_ASKED = 3  # learnings of which one message may mean any
_ADVERBS = frozenset(terms("always never"))
_WHY = "It may have been taken back in a message."


class TakingBack:
    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._retracted = Retracted(store, outside.reader)

    def insights(self, new: CorrectionInput, meaning: Meaning | None, said: Draft, id: str) -> list[Draft]:
        """The events that follow for what was learned in conversations. The correction with this id holds instead, or
        people are asked. What somebody says for themselves takes nothing from the team."""
        if new.audience is not Audience.TEAM:
            return []
        meant = self._meant(new, meaning, INSIGHT.name)
        certain = [one.row.state.id for one in meant if self._retracted.is_certain(one)]
        if certain:
            return [superseded(other, id, said) for other in certain]
        return [self._asked(one.row.state.id, said) for one in meant[:_MOST_ASKED]]

    def corrections(self, new: CorrectionInput, meaning: Meaning | None, owner: str) -> list[LearningRow]:
        """Corrections of the same topic and owner that surely hold no more."""
        found = self._meant(new, meaning, CORRECTION.name, owner)
        return [one.row for one in found if one.row.state.scope == new.about and is_sure(one)]

    def _meant(self, new: CorrectionInput, meaning: Meaning | None, kind: str, owner: str = NONE) -> list[Meant]:
        """What the message ends for longer than now."""
        if not new.said or lasting_of(new.said) is Lasting.PASSING:
            return []
        if command := _replaced_command(new):
            ending = Ending(command, new.about, meaning)
            return self._retracted.meant(ending, (kind,), partial(_is_of_the_task, new), owner)
        if not self._retracted.may_end(new.said):
            return []
        return self._retracted.meant(Ending(new.said, new.about, meaning), (kind,), _is_active, owner)

    def _asked(self, other: str, said: Draft) -> Draft:
        return proposal.made(self._store.clock(), Act.RETIRE, (other,), _WHY, key=said.id)


def _replaced_command(new: CorrectionInput) -> str:
    """Who names another command than the one in the corrected sentence says that this one is out."""
    command, corrected = new.words.command(), new.words.corrected_command()
    return f"{corrected} is gone, it's {command} now" if command and corrected and command != corrected else ""


def _is_of_the_task(new: CorrectionInput, row: LearningRow) -> bool:
    """For another task, the command may be the right one."""
    asked, command = frozenset(terms(f"{new.query}\n{new.sentence}")), frozenset(terms(new.words.corrected_command()))
    said = frozenset(terms(told(row))) - command - _ADVERBS
    return _is_active(row) and 2 * len(asked & said) >= len(said)


def _is_active(row: LearningRow) -> bool:
    return row.state.status == Status.ACTIVE
