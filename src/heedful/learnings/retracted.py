"""Which learnings a person means who takes something back, and whether that is certain enough to act on it."""

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
from heedful.records.learning import Status
from heedful.store import Store
from heedful.text.retractions import Form, Match, Retraction

_CERTAIN = (Form.CEASED, Form.DROPPED, Form.ALLOWED, Form.REPLACED)
_ENDED = (Form.CEASED, Form.DROPPED, Form.ALLOWED)
_LEAST = 0.3  # of a title, which must be taken back to be sure that it is meant
_LOOKED_AT = 30  # learnings that have its words


class Meant(NamedTuple):
    row: LearningRow
    match: Match


class Retracted:
    """The learnings of a project that a sentence takes back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._search = Search(store)

    def meant(
        self,
        sentence: str,
        retraction: Retraction,
        project: str | None,
        kinds: tuple[str, ...],
        counts: Callable[[LearningRow], bool],
        owner: str = NONE,
    ) -> list[Meant]:
        """Only those that `counts` lets pass; those alone that are named exactly, if there are any."""
        found = [
            Meant(row, match)
            for row in self._named(sentence, project, kinds, owner)
            if counts(row) and (match := _match(retraction, row)) is not None
        ]
        found.sort(key=lambda one: (not one.match.exact, -one.match.share, one.row.state.id))
        return [one for one in found if one.match.exact] or found

    def is_certain(self, retraction: Retraction, meant: list[Meant]) -> bool:
        """Whether one is meant, and one person had said it."""
        if len(meant) != 1 or retraction.form not in _CERTAIN or not meant[0].match.exact:
            return False
        is_command = retraction.succession is not None and retraction.succession.command != ""
        named = retraction.form is Form.DROPPED or is_command or meant[0].match.share >= _LEAST
        return named and self._is_one_persons_word(meant[0].row)

    def _named(self, sentence: str, project: str | None, kinds: tuple[str, ...], owner: str) -> Iterator[LearningRow]:
        for kind in kinds:
            for status in (Status.ACTIVE, Status.POSSIBLE):
                wanted = {"kind": kind, "status": status.value, OWN_OR_NO_SCOPE: project, "owner": owner}
                yield from (hit.row for hit in self._search.find(sentence, None, _LOOKED_AT, wanted))

    def _is_one_persons_word(self, row: LearningRow) -> bool:
        state = row.state
        if state.approved or state.rated_up:
            return False
        if row.state.kind == INSIGHT.name and (row.first.meta.get("rule") is not True or not own_words(row)):
            return False
        return len(repetitions(self._store, [record_of(row)])[state.id].people) < 2


def own_words(row: LearningRow) -> bool:
    """Whether its wording is an extraction's, not a person's."""
    return "quality" in row.last.meta and not row.state.approved


def _match(retraction: Retraction, row: LearningRow) -> Match | None:
    """That something is not so is said of what an agent found out."""
    if row.state.kind == CORRECTION.name:
        return _match_of_correction(retraction, CORRECTION.record(row))
    if retraction.form is Form.DENIED and row.first.meta.get("rule") is True:
        return None
    words = INSIGHT.words_of(row)
    return retraction.match(words.title, f"{words.title}\n{words.core()}")


def _match_of_correction(retraction: Retraction, one: Correction) -> Match | None:
    """By what it says is right, if something else holds instead. It is about words as often as about how things are
    done, so what ended without that must be what was said to hold always."""
    said: tuple[str, ...] = ()
    if retraction.form is Form.REPLACED:
        said = (one.understood, one.fixed, one.right, one.said)
    elif one.always and retraction.form in _ENDED:
        said = (one.said,)
    return next((match for text in said if text and (match := retraction.match(text, text)) is not None), None)
