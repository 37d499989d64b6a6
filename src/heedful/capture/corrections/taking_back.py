"""What a message to an AI takes back of what was learned before: `yarn is gone, we moved to pnpm`.

The modules that read it are imported where there is a message: their patterns take 20 ms to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from heedful.capture.contradictions import superseded
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.row import LearningRow
from heedful.records import proposal
from heedful.records.event import Draft
from heedful.records.learning import Audience, Status
from heedful.records.proposal import Act
from heedful.store import Store
from heedful.text.terms import terms

if TYPE_CHECKING:
    from heedful.capture.corrections.reported import CorrectionInput
    from heedful.text.retractions import Retraction

_MOST_ASKED = 3  # learnings of which one message may mean any
_WHY = "It may have been taken back in a message."


class _Heard(NamedTuple):
    retraction: Retraction
    sentence: str
    counts: Callable[[LearningRow], bool]
    """Which learnings it can mean."""


class TakingBack:
    def __init__(self, store: Store) -> None:
        self._store = store

    def insights(self, new: CorrectionInput, said: Draft, id: str) -> list[Draft]:
        """The events that follow for what was learned in conversations. The correction with this id holds instead, or
        people are asked. What somebody says for themselves takes nothing from the team."""
        if new.audience is not Audience.TEAM or not new.said:
            return []
        from heedful.learnings.retracted import Retracted  # noqa: PLC0415 - see above

        retracted = Retracted(self._store)
        drafts: dict[str, Draft] = {}
        for one in (*_replacing(new), *_correcting(new)):
            meant = retracted.meant(one.sentence, one.retraction, new.about, (INSIGHT.name,), one.counts)
            is_certain = retracted.is_certain(one.retraction, meant)
            for other in (found.row.state.id for found in meant[:_MOST_ASKED]):
                drafts[other] = superseded(other, id, said) if is_certain else self._asked(other, said)
        return list(drafts.values())

    def corrections(self, new: CorrectionInput, owner: str) -> list[LearningRow]:
        """Corrections of the same topic and owner whose right words are replaced."""
        if not new.said:
            return []
        from heedful.learnings.retracted import Retracted  # noqa: PLC0415 - see above

        retracted = Retracted(self._store)
        found = (
            one.row
            for heard in _replacing(new)
            for one in retracted.meant(
                heard.sentence, heard.retraction, new.about, (CORRECTION.name,), heard.counts, owner
            )
        )
        return [row for row in found if row.state.scope == new.about]

    def _asked(self, other: str, said: Draft) -> Draft:
        return proposal.made(self._store.clock(), Act.RETIRE, (other,), _WHY, key=said.id)


def _replacing(new: CorrectionInput) -> Iterator[_Heard]:
    """What the message says to have ended, for longer than now."""
    from heedful.text.lasting import Lasting, lasting_of  # noqa: PLC0415 - see above
    from heedful.text.retractions import Form, retractions  # noqa: PLC0415

    if lasting_of(new.said) is Lasting.PASSING:
        return
    for one in retractions(new.said):
        if one.form in (Form.CEASED, Form.DROPPED, Form.REPLACED):
            yield _Heard(one, new.said, _is_active)


def _correcting(new: CorrectionInput) -> Iterator[_Heard]:
    """Who names another command than the one in the corrected sentence takes that back for what was asked, and for
    nothing else."""
    from heedful.text.contradictions import key_terms  # noqa: PLC0415 - see above
    from heedful.text.retractions import replaced_command  # noqa: PLC0415

    words = new.words
    command, corrected = words.command(), words.corrected_command()
    if not (command and corrected) or command == corrected:
        return
    taken, asked = replaced_command(corrected), frozenset(terms(f"{new.query}\n{new.sentence}"))

    def counts(row: LearningRow) -> bool:
        told = frozenset(key_terms(INSIGHT.words_of(row).title)) - taken.about
        return _is_active(row) and 2 * len(asked & told) >= len(told)

    yield _Heard(taken, new.sentence, counts)


def _is_active(row: LearningRow) -> bool:
    return row.state.status == Status.ACTIVE
