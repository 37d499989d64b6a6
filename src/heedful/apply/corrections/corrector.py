"""Applies recorded corrections to a new output.

Locally, only where the wrong words occur in a matching context; with a language model, where and how it chooses, as far
as the correction supports it (`model_edits.py`). In doubt, and after any failure, the output stays unchanged.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from heedful.apply.corrections.chains import followed
from heedful.apply.corrections.model_edits import edits_by_model
from heedful.apply.corrections.passages import pair_of
from heedful.apply.corrections.places import MistakePlaces
from heedful.apply.corrections.substitution import combined_changes
from heedful.errors import HeedfulError, ProviderError
from heedful.learnings.audience import owner
from heedful.learnings.events import APPLIED, ENTITY
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.relevance import Retrieval
from heedful.learnings.table import OWN_OR_NO_OWNER, OWN_OR_NO_SCOPE
from heedful.records.correction import Correction
from heedful.records.event import Entity, noted
from heedful.records.improved import Improved, TextChange
from heedful.records.language import LanguageModel
from heedful.records.learning import Audience, Status
from heedful.records.learnings import MATCHED, Match
from heedful.records.names import identifier
from heedful.records.outside import Outside
from heedful.store import Store
from heedful.text.replacements import Replacement, changed

_LOG = logging.getLogger("heedful.corrector")
_CANDIDATES = 40
_SUPERSEDED = 10
THRESHOLD = 0.6
"""Minimum similarity of a correction to be applied. Age does not silence it; doubt does, below `LEAST_CONFIDENCE`."""
ASKED_THRESHOLD = 0.4
"""The same for a language model, which sees by itself whether a text makes the mistake. Nearly all that make it in
other words are as similar as this, and only half of them as similar as the other threshold; texts about other things
are not."""
LEAST_CONFIDENCE = 0.3
MOST = 5
"""Maximum number of corrections, besides those of a sentence that stands there again just as it was."""
_NOTE_SECONDS = 0.25
_SHOWN = 20_000  # characters of an output that a language model is asked about
_MEANT = 400  # characters that are embedded: more take longer and add little
_IN_PLACE = 0.75  # how similar a situation is at least, in which the same words stand in the same place again


class Candidate(NamedTuple):
    match: Match
    places: Sequence[Replacement]
    """Where the output repeats the mistake."""


class Applied(NamedTuple):
    match: Match
    place: Replacement


@dataclass(frozen=True, slots=True)
class Corrector:
    store: Store
    outside: Outside

    def improve(self, output: str, query: str, about: str | None, actor: str | None, session: str | None) -> Improved:
        likely = [
            one
            for one in self._candidates(output, query, about, actor)
            if one.match.similarity >= ASKED_THRESHOLD
            and one.match.learning.confidence >= LEAST_CONFIDENCE
            and not one.match.learning.contradicted_by  # people disagree, and none of them is overruled unasked
        ]
        relevant = [one for one in likely if one.match.similarity >= THRESHOLD]
        by, unanswered, applied = "local", None, _locally(relevant, output)
        language = self.outside.language
        if language is not None and likely:
            asked = self._asked(language, output, query, likely)
            if isinstance(asked, str):
                unanswered = asked
            else:
                by, applied = language.name, _with_certain(asked, applied, output)
        if not applied:
            return replace(unchanged(output), unanswered=unanswered)
        used = list({one.match.learning.id: one.match for one in applied}.values())
        self._note(used, session)
        return Improved(
            text=changed(output, [one.place for one in applied]),
            original=output,
            changes=tuple(_change(_correction(one.match), one.place) for one in applied),
            applied=tuple(used),
            by=by,
            unanswered=unanswered,
        )

    def _candidates(self, output: str, query: str, about: str | None, actor: str | None) -> list[Candidate]:
        """Corrections that may apply to this output: the person's own before the team's, most relevant first."""
        retrieval = Retrieval(self.store, self.outside)
        asked = f"{query}\n{output}".strip()
        wanted = {
            "kind": CORRECTION.name,
            "status": Status.ACTIVE.value,
            OWN_OR_NO_SCOPE: about,
            OWN_OR_NO_OWNER: owner(self.store, actor),
        }
        found = retrieval.nearest(asked, _CANDIDATES, wanted, meant=asked[:_MEANT])
        superseded = {**wanted, "status": Status.SUPERSEDED.value}
        for one in retrieval.nearest(asked, _SUPERSEDED, superseded, meant=asked[:_MEANT]):
            if (now := followed(self.store, _correction(one))) is not None:
                found.append(replace(one, learning=now))
        places = MistakePlaces(self.outside.reader)
        candidates = [_candidate(one, places.find(output, _correction(one), query)) for one in found]
        self.store.notify(MATCHED, [one.match for one in candidates])
        return sorted(candidates, key=_precedence)

    def _asked(
        self, language: LanguageModel, output: str, query: str, likely: Sequence[Candidate]
    ) -> list[Applied] | str:
        """The model's changes, or the reason why there are none."""
        if len(output) > _SHOWN:
            return "too_long"
        if self.store.database.in_transaction():
            return "in_transaction"
        matches = [one.match for one in likely[:MOST]]
        try:
            found = edits_by_model(language, output, query, [_correction(one) for one in matches])
        except ProviderError as error:
            _LOG.warning("corrections are applied locally: %s", error.code)
            return error.code
        return [Applied(matches[index], place) for index, place in found]

    def _note(self, used: Sequence[Match], session: str | None) -> None:
        """Use renews a correction. A busy database does not hold up the output."""
        meta = {} if session is None else {"session": identifier(session, "session")}
        drafts = [
            noted(
                APPLIED,
                self.store.clock(),
                entity=Entity(ENTITY, one.learning.id),
                meta={**meta, "relevance": round(one.relevance, 4)},
            )
            for one in used
        ]
        try:
            with self.store.database.lock_timeout(_NOTE_SECONDS):
                self.store.record(drafts)
        except HeedfulError as error:
            _LOG.warning("it is not noted that corrections were applied: %s", error.code)


def _candidate(found: Match, where: Sequence[Replacement]) -> Candidate:
    """The same mistake counts more than any similarity of topics."""
    if where:
        similarity = _IN_PLACE + (1 - _IN_PLACE) * found.similarity
        relevance = similarity * found.learning.confidence * found.recency * found.standing
        found = replace(found, similarity=similarity, relevance=relevance)
    return Candidate(found, where)


def _precedence(candidate: Candidate) -> tuple[bool, float]:
    match = candidate.match
    return match.learning.audience is Audience.TEAM, -match.relevance


def _is_again(match: Match, output: str) -> bool:
    sentence = _correction(match).sentence
    return bool(sentence) and sentence in output


def _locally(relevant: Sequence[Candidate], output: str) -> list[Applied]:
    """The most relevant ones, and all whose sentence stands there again."""
    placed = [one for one in relevant if one.places]
    candidates = [*placed[:MOST], *(one for one in placed[MOST:] if _is_again(one.match, output))]
    found = combined_changes([(pair_of(_correction(one.match)), one.places) for one in candidates])
    return [Applied(candidates[number].match, place) for number, place in found]


def _with_certain(asked: Sequence[Applied], locally: Sequence[Applied], output: str) -> list[Applied]:
    """The model's changes, and those to a sentence that was corrected just as it stands: a model may not see them."""
    certain = [one for one in locally if _is_again(one.match, output)]
    free = [one for one in certain if not one.place.overlaps(other.place for other in asked)]
    return sorted([*asked, *free], key=lambda one: one.place.start)


def _correction(match: Match) -> Correction:
    assert isinstance(match.learning, Correction)  # nothing else was asked for
    return match.learning


def _change(correction: Correction, place: Replacement) -> TextChange:
    told = f"“{correction.wrong}” was corrected to “{correction.right}”."
    why = correction.why or (told if correction.wrong and correction.right else correction.said or correction.right)
    return TextChange(place.start, place.before, place.after, correction.id, why)


def unchanged(output: str) -> Improved:
    return Improved(output, output, (), (), "local")
