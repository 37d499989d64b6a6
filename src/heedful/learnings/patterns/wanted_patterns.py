"""The wanted and unwanted patterns of a rule, among those with enough decisions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import Any, NamedTuple

from heedful.learnings.patterns.counts import REASONS, SuggestionTallies
from heedful.learnings.patterns.tallies import DecisionCounts, Times
from heedful.records.improvement import Improvement
from heedful.records.interval import Interval, wilson
from heedful.records.json import decode
from heedful.records.privacy import Privacy
from heedful.records.rule_context import Modification
from heedful.records.suggestion import SEPARATOR
from heedful.store.counting import TallyRow
from heedful.text.reasons import most_common_reason

SEEN = 3
"""A pattern with fewer decisions is ignored."""

WANTED = 0.7
UNWANTED = 0.3
"""At or above the first rate a pattern is wanted, at or below the second it is unwanted."""

_HALF = 0.5
_VOICES = 25
"""The maximum weight of an import where the team itself has too few decisions."""

PATTERNS = 5
MODIFICATIONS = 3
_LOOKED_AT = 300  # the most frequent ones; later ones would hardly be among the first five
_EDITS = 30
_TEXTS = 4
_WIDELY = 2.58  # standard deviations: by chance once in a hundred


class DecisionEvidence(NamedTuple):
    successes: float
    total: float
    imported: float
    """How much of the total was imported."""
    own_rate: float | None
    """Of the team's own decisions, if there are enough of them."""

    @classmethod
    def of(cls, counted: DecisionCounts) -> DecisionEvidence:
        """Until the team has three decisions of its own, imports weigh at most 25 decisions; from then on at most as
        many as the team's own."""
        own, foreign = counted.decided, counted.imported
        weight = min(1.0, (own if own >= SEEN else _VOICES) / foreign) if foreign else 0.0
        wanted = counted.accepted + counted.modified
        successes = wanted + weight * (counted.imported_accepted + counted.imported_modified)
        own_rate = wanted / own if own >= SEEN else None
        return cls(successes, own + weight * foreign, weight * foreign, own_rate)

    @property
    def rate(self) -> float:
        return self.successes / self.total if self.total else 0.0

    @property
    def wanted(self) -> bool | None:
        """True if people want it, false if they do not, None if it is undecided. An import can make the team's own
        decision undecided, but never reverse it."""
        if self.rate >= WANTED and (self.own_rate is None or self.own_rate >= _HALF):
            return True
        if self.rate <= UNWANTED and (self.own_rate is None or self.own_rate <= _HALF):
            return False
        return None

    @property
    def interval(self) -> Interval:
        return wilson(self.successes, self.total)


class DecidedPattern(NamedTuple):
    id: str
    phrases: tuple[str, ...] | None
    """For two whole texts: the phrases in which they differ."""
    evidence: DecisionEvidence
    counts: DecisionCounts
    text: tuple[str, str] = ("", "")
    people: int = 0
    readable: bool = False

    @property
    def own(self) -> int:
        """The team's own decisions: patterns with some rank before imported ones."""
        return self.counts.decided


def pattern_id(rule: str, found: DecidedPattern) -> str:
    """The id of the learning that stands for it."""
    return learning_id(rule, found.id)


def learning_id(rule: str, pattern: str) -> str:
    return blake2b(f"{rule}\x1f{pattern}".encode("utf-8", "replace"), digest_size=8).hexdigest()


class Verdicts:
    def __init__(self, tallies: SuggestionTallies, rule: str, privacy: Privacy) -> None:
        self._tallies = tallies
        self._rule = rule
        self._privacy = privacy

    def accepted(self, most: int = PATTERNS) -> list[DecidedPattern]:
        found = [found for found in self._decided if found.evidence.wanted is True]
        found.sort(key=lambda found: (not found.own, -found.evidence.successes, -found.evidence.rate, found.id))
        return self._readable(found[:most])

    def rejected(self, most: int = PATTERNS) -> list[DecidedPattern]:
        found = [found for found in self._decided if found.evidence.wanted is False]
        found.sort(
            key=lambda one: (not one.own, one.evidence.successes - one.evidence.total, one.evidence.rate, one.id)
        )
        return self._readable(found[:most])

    @cached_property
    def _decided(self) -> list[DecidedPattern]:
        """The decided patterns, without redundant ones.

        A phrase represents the texts it was seen in, as long as their rates are consistent with its own. A phrase seen
        in one text only may not apply to others: then the text is returned.
        """
        found = map(_found, _merged(self._tallies.repeated(self._rule, _LOOKED_AT)))
        seen = {one.id: one for one in found if one.evidence.total >= SEEN}
        superfluous: set[str] = set()
        for one in seen.values():
            phrases = [seen[id] for id in one.phrases or () if id in seen]
            wider = [phrase for phrase in phrases if phrase.evidence.total > one.evidence.total]
            if any(_may_be(one.evidence, phrase.evidence.rate) for phrase in wider):
                superfluous.add(one.id)
            elif phrases and not wider and one.own:
                superfluous |= {phrase.id for phrase in phrases} if self._privacy.store_original_text else {one.id}
        return [one for one in seen.values() if one.evidence.wanted is not None and one.id not in superfluous]

    def _readable(self, found: list[DecidedPattern]) -> list[DecidedPattern]:
        ids = [one.id for one in found]
        people, texts = self._tallies.people_of(self._rule, ids), self._tallies.texts_of(self._rule, ids)
        return [self._in_words(one, people.get(one.id, 0), [decode(row.key) for row in texts[one.id]]) for one in found]

    def _in_words(self, found: DecidedPattern, people: int, texts: list[list[Any]]) -> DecidedPattern:
        may = self._may_be_read(people) or not found.own  # imported texts belong to no person here
        shown = next((text for text in texts if isinstance(text[0], str)), None) if may else None
        hidden = texts[0] if texts else (0, 0)  # it may have been erased just now
        before, after = shown or [_words(side) for side in hidden]
        return found._replace(text=(before, after), people=people, readable=shown is not None)

    def _may_read(self, id: str) -> bool:
        return self._privacy.store_original_text or self._may_be_read(self._tallies.count_people(self._rule, id).named)

    def _may_be_read(self, people: int) -> bool:
        return self._privacy.store_original_text or people >= self._privacy.min_people

    def reason(self, found: DecidedPattern) -> str | None:
        """The most common reason for rejecting it, in its most frequent wording."""
        given = self._tallies.reasons(self._rule, found.id, REASONS)
        said = (self._said(id) for id in most_common_reason(given))
        return next((text for text in said if text is not None), None)

    def _said(self, reason: str) -> str | None:
        if not self._may_read(reason):
            return None
        texts = [decode(row.key) for row in self._tallies.texts(self._rule, reason, _TEXTS)]
        return next((text[0] for text in texts if text and (self._privacy.store_original_text or len(text) > 1)), None)

    def modifications(self) -> list[Modification]:
        found = (one for row in self._tallies.edits(self._rule, _EDITS) for one in self._modification(row))
        return list(islice(found, MODIFICATIONS))

    def _modification(self, row: TallyRow[Times]) -> Iterator[Modification]:
        kind, _, id = row.key.partition(SEPARATOR)
        texts = [decode(said.key) for said in self._tallies.some_texts(self._rule, id, _TEXTS)]
        text: list[str] = next((text for text in texts if text), []) if self._may_read(id) else []
        removed, added = text[:2] or ("", "")
        suggested, modified = (text[2:4] if self._privacy.store_original_text else ()) or ("", "")
        how = Improvement(kind, removed, added)
        if not how.quotes or removed or added:
            yield Modification(suggested, modified, how.text, row.counts.times)


def _may_be(evidence: DecisionEvidence, rate: float) -> bool:
    """Whether this rate explains it. With a wide interval: of many texts, some deviate by chance."""
    interval = wilson(evidence.successes, evidence.total, _WIDELY)
    return interval.low <= rate <= interval.high


def _merged(rows: list[TallyRow[DecisionCounts]]) -> list[TallyRow[DecisionCounts]]:
    """A text may have been imported with other differences than were found here: the ones found here win."""
    merged: dict[str, TallyRow[DecisionCounts]] = {}
    for row in rows:  # the team's own come first
        id = row.key.partition(SEPARATOR)[0]
        known = merged.get(id)
        merged[id] = row if known is None else known._replace(counts=known.counts.plus(row.counts))
    return list(merged.values())


def _found(row: TallyRow[DecisionCounts]) -> DecidedPattern:
    id, *phrases = row.key.split(SEPARATOR)
    of = tuple(filter(None, phrases)) if phrases else None
    return DecidedPattern(id, of, DecisionEvidence.of(row.counts), row.counts)


def _words(text: int | str) -> str:
    """The placeholder for text that must not be shown: its number of words."""
    count = len(text.split()) if isinstance(text, str) else text
    return f"‹{count} word›" if count == 1 else f"‹{count} words›"
