"""Which learnings a person means who says that something ended or changed, and whether that is certain enough to act
on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from heedful.learnings.kinds import record_of
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.repetition import repetitions
from heedful.learnings.row import LearningRow
from heedful.learnings.search import Search
from heedful.learnings.table import NONE, OWN_OR_NO_SCOPE
from heedful.records.correction import Correction
from heedful.records.embedding import Meaning
from heedful.records.learning import Status
from heedful.records.reading import Bearing, Reader
from heedful.store import Store

SURE = 0.88
"""The chance from which on what is said ends a learning without a question."""
PERHAPS = 0.8
"""The chance from which on people are asked."""
MAY_END = 0.2
"""The chance from which on a sentence may end something that was said before."""
_LOOKED_AT = 8  # learnings of a kind that are near in words or meaning
_LIKELY, _OTHER_VALUE = 0.6, 0.4
"""The chance from which on another value counts, and the share of the doubt that it leaves."""
_NEAR = 0.25
"""Of ten statements that a message ends, nine are as near in meaning; of ten others, hardly one."""
_USED = (Status.ACTIVE, Status.POSSIBLE)


class Ending(NamedTuple):
    """What somebody said that may end a learning."""

    text: str
    """The sentence with its neighbours."""
    project: str | None
    meaning: Meaning | None = None


class Meant(NamedTuple):
    row: LearningRow
    chance: float


class Retracted:
    """The learnings that a message ends."""

    def __init__(self, store: Store, reader: Reader) -> None:
        self._store = store
        self._search = Search(store)
        self._reader = reader

    def may_end(self, message: str) -> bool:
        """Whether it is worth asking what it ends."""
        return any(one.ends >= MAY_END for one in self._reader.message(message, "").statements)

    def meant(
        self, ending: Ending, kinds: tuple[str, ...], counts: Callable[[LearningRow], bool], owner: str = NONE
    ) -> list[Meant]:
        """Only those that `counts` lets pass, the surest first."""
        near = (row for row in self._near(ending, kinds, owner) if counts(row))
        found = [Meant(row, self._chance(ending.text, told(row))) for row in near]
        found.sort(key=lambda one: (-one.chance, one.row.state.id))
        least = PERHAPS if ending.project is not None else SURE  # of unknown places, too much sounds alike
        return [one for one in found if one.chance >= least]

    def _chance(self, said: str, known: str) -> float:
        """That it ends what is known: if each has one number, and it is another one, that speaks for it."""
        chance = self._reader.bearing(said, known)[Bearing.ENDS]
        if not _LIKELY <= chance < SURE:
            return chance
        from heedful.text.contradictions import values  # noqa: PLC0415 - compiles patterns for 16 ms

        ours, theirs = ({value.amount for value in values(text)} for text in (said, known))
        is_other = len(ours) == len(theirs) == 1 and ours != theirs
        return 1 - (1 - chance) * _OTHER_VALUE if is_other else chance

    def is_certain(self, one: Meant) -> bool:
        """It is surely meant, and one person had said it."""
        return is_sure(one) and self._is_one_persons_word(one.row)

    def _near(self, ending: Ending, kinds: tuple[str, ...], owner: str) -> Iterator[LearningRow]:
        """Of what was said in another project, it ends nothing."""
        where = {"scope": NONE} if ending.project is None else {OWN_OR_NO_SCOPE: ending.project}
        for kind in kinds:
            for status in _USED:
                wanted = {"kind": kind, "status": status.value, "owner": owner, **where}
                found = self._search.find(ending.text, ending.meaning, _LOOKED_AT, wanted)
                yield from (hit.row for hit in found if hit.cosine is None or hit.cosine >= _NEAR)

    def _is_one_persons_word(self, row: LearningRow) -> bool:
        state = row.state
        if state.approved or state.rated_up:
            return False
        if row.state.kind == INSIGHT.name and (row.first.meta.get("rule") is not True or not own_words(row)):
            return False
        return len(repetitions(self._store, [record_of(row)])[state.id].people) < 2


def is_sure(one: Meant) -> bool:
    return one.chance >= SURE


def own_words(row: LearningRow) -> bool:
    """Whether its wording is an extraction's, not a person's."""
    return "quality" in row.last.meta and not row.state.approved


def told(row: LearningRow) -> str:
    """What a learning says, as somebody would say it."""
    if row.state.kind == CORRECTION.name:
        return _told_of_correction(CORRECTION.record(row))
    words = INSIGHT.words_of(row)
    return words.content.get("what") or words.title


def _told_of_correction(one: Correction) -> str:
    if one.said:
        return one.said
    return one.understood or (f"{one.right}, not {one.wrong}" if one.wrong else one.right)
