"""Learnings that say the same or the contrary, among those that one prompt would get.

Learnings of one kind are compared as they come in, but a rule may say what a correction said, and what holds everywhere
may contradict what holds in one project. Of contrary ones, the newest that was approved wins; otherwise the newest,
what was said about a topic before what was said in general. In doubt two are different, and both are given.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple, TypeVar

from heedful.learnings.kind import LearningComparison, Relation
from heedful.learnings.kinds import KINDS
from heedful.records.correction import Correction
from heedful.records.insight import Insight, Quote
from heedful.records.learnings import AnyLearning
from heedful.records.pattern import Pattern, PatternCategory
from heedful.records.transcript import Speaker
from heedful.text.normalize import normal
from heedful.text.terms import terms

_ALIKE = 0.6  # the share of words from which two texts are looked at closely
_NEAREST = 12  # of those with the most words in common, that are looked at closely
_CHOICE = "choice"
_KEPT = 2_048  # texts and pairs of them: the same learnings are given again and again
_DIFFERENT = LearningComparison(Relation.DIFFERENT)
_SAME_PAIR = LearningComparison(Relation.SAME, "canonical", 1.0, "They are the same words.")
_SAME_MESSAGE = LearningComparison(Relation.SAME, "canonical", 1.0, "One quotes the other.")


class Dropped(NamedTuple):
    """One that is left out, the one that is given instead, and why."""

    learning: AnyLearning
    instead: AnyLearning
    why: str


class Overlaps:
    """Which of some learnings say the same or the contrary. The better ones come first."""

    def __init__(self, learnings: Sequence[AnyLearning]) -> None:
        self._learnings = learnings
        looks = [_Looks.of(one) for one in learnings]
        close = ((one, other) for one, other in combinations(looks, 2) if _worth_a_look(one, other))
        self._found = {
            frozenset((one.learning.id, other.learning.id)): compared(one.learning, other.learning)
            for one, other in close
        }

    def contrary(self) -> list[Dropped]:
        """Which to leave out because another contradicts them. What people openly disagree about stays until somebody
        approves one, and so does what is only for one person, who may want what others do not."""

        def applies(one: AnyLearning, other: AnyLearning) -> bool:
            disputed = one.id in other.contradicted_by or other.id in one.contradicted_by
            undecided = disputed and not (one.approved or other.approved)
            return not undecided and one.audience is other.audience

        strongest = sorted(self._learnings, key=_strength, reverse=True)
        return self._dropped(strongest, Relation.CONTRARY, applies)

    def duplicates(self, besides: Collection[str] = ()) -> list[Dropped]:
        """Which to leave out because one before them says the same."""
        left = (one for one in self._learnings if one.id not in besides)
        return self._dropped(left, Relation.SAME, lambda _, __: True)

    def _dropped(
        self,
        learnings: Iterable[AnyLearning],
        unwanted: Relation,
        applies: Callable[[AnyLearning, AnyLearning], bool],
    ) -> list[Dropped]:
        if all(found.relation is not unwanted for found in self._found.values()):
            return []
        kept: list[AnyLearning] = []
        dropped: list[Dropped] = []
        for one in learnings:
            for other in kept:
                found = self._found.get(frozenset((one.id, other.id)), _DIFFERENT)
                if found.relation is unwanted and applies(one, other):
                    dropped.append(Dropped(one, other, found.reason))
                    break
            else:
                kept.append(one)
        return dropped


_L = TypeVar("_L", bound=AnyLearning)


def told_once(learnings: Iterable[_L]) -> list[list[_L]]:
    """Each with those after it that say the same in the same place, and to the same people: one answer of a person
    holds for all of them."""
    groups: list[list[_L]] = []
    looks: list[_Looks] = []
    by_term: dict[str, list[int]] = defaultdict(list)
    for one in learnings:
        look = _Looks.of(one)
        words = look.words()
        near = Counter(number for word in words for number in by_term[word])
        same = next(
            (
                number
                for number, _ in near.most_common(_NEAREST)
                if _is_one_place(look.learning, looks[number].learning)
                and _worth_a_look(looks[number], look)
                and compared(looks[number].learning, one).relation is Relation.SAME
            ),
            None,
        )
        if same is not None:
            groups[same].append(one)
            continue
        for word in words:
            by_term[word].append(len(groups))
        groups.append([one])
        looks.append(look)
    return groups


def _is_one_place(one: AnyLearning, other: AnyLearning) -> bool:
    return one.audience is other.audience and (one.about == other.about or None in (one.about, other.about))


def is_own(one: AnyLearning) -> bool:
    """Whether it was said about a topic, and nobody approved it: it comes before what was said in general."""
    return one.about is not None and not one.approved


def _strength(one: AnyLearning) -> tuple[bool, bool, datetime, str]:
    return one.approved, is_own(one), one.at, one.id


def compared(one: AnyLearning, other: AnyLearning) -> LearningComparison:
    if (pair := _pair(one)) is not None and pair == _pair(other):
        return _SAME_PAIR
    if _is_quoted(one, other):
        return _SAME_MESSAGE
    if one.kind == other.kind:
        kind = KINDS[one.kind]
        if not isinstance(one, Correction) and kind.statement(one):
            return _stated(one, other)
        found = kind.compare(kind.said(one), kind.said(other), (one.category, other.category), None)
        if found.relation is not Relation.DIFFERENT:
            return found
    elif (put_right := _put_right(one, other) or _put_right(other, one)) is not None:
        return put_right
    return _stated(one, other) if _about_the_same(one, other) else _DIFFERENT


def _put_right(correction: AnyLearning, other: AnyLearning) -> LearningComparison | None:
    """Whether a correction says that a statement of another kind is wrong: with the right words in it, the statement
    would say something else. What other words for the same thing would change is not told by words."""
    if not isinstance(correction, Correction) or not (correction.wrong and correction.right):
        return None
    statement = KINDS[other.kind].statement(other)
    found = _put_right_text(correction.wrong, correction.right, statement)
    if found is None:
        return None
    situation = _terms(f"{correction.query}\n{correction.sentence}") - _terms(f"{correction.wrong}\n{correction.right}")
    if situation:
        same_matter = 2 * len(situation & _terms(statement)) >= len(situation)
    else:
        same_matter = correction.always and found.layer == _CHOICE
    return found if same_matter else None


@lru_cache(_KEPT)
def _put_right_text(wrong: str, right: str, statement: str) -> LearningComparison | None:
    from heedful.text.contradictions import ContrastKind, contrast, negates  # noqa: PLC0415 - as above

    words = re.compile(rf"(?i)(?<!\w){re.escape(wrong)}(?!\w)")
    if negates(statement) or _normal(right) in _normal(statement) or not words.search(statement):
        return None
    found = contrast(statement, words.sub(lambda _: right, statement))
    if found is None or not found.sure:
        return None
    layer = _CHOICE if found.kind is ContrastKind.CHOICE else "none"
    return LearningComparison(Relation.CONTRARY, layer, 0.0, str(found))


def _stated(one: AnyLearning, other: AnyLearning) -> LearningComparison:
    ours, theirs = _said(one), _said(other)
    return _compared_texts(ours, theirs) if ours[-1] and theirs[-1] else _DIFFERENT


def _said(one: AnyLearning) -> tuple[str, bool, str]:
    """Its category, whether it is a sentence, and what it says: a pair of words is none."""
    return one.category, _pair(one) is None, KINDS[one.kind].statement(one)


@lru_cache(_KEPT)
def _compared_texts(one: tuple[str, bool, str], other: tuple[str, bool, str]) -> LearningComparison:
    from heedful.learnings.dedupe import Statement, compared  # noqa: PLC0415 - its patterns take 16 ms to compile

    both = one[1] and other[1]
    first, second = (
        Statement(category, *(text if both else f"\n{text}").partition("\n")[::2]) for category, _, text in (one, other)
    )
    return compared(first, second, None)


class _Looks(NamedTuple):
    """What tells quickly that two have nothing to do with each other: most have few words in common, and comparing
    clauses takes a hundred times as long as comparing words."""

    learning: AnyLearning
    terms: frozenset[str]
    wrong: str
    right: str

    @classmethod
    def of(cls, one: AnyLearning) -> _Looks:
        pair = (one.wrong, one.right) if isinstance(one, Correction) else _pair(one) or ("", "")
        return cls(one, _terms(KINDS[one.kind].statement(one)), *map(_normal, pair))

    def words(self) -> frozenset[str]:
        """By which others that may say the same are found: of a correction also those of the message."""
        one = self.learning
        return (
            self.terms | _terms(f"{one.said}\n{one.wrong}\n{one.right}") if isinstance(one, Correction) else self.terms
        )

    def is_named_in(self, other: _Looks) -> bool:
        """Whether the other has the words that this one calls wrong."""
        return bool(self.wrong) and _terms(self.wrong) <= other.terms


def _worth_a_look(one: _Looks, other: _Looks) -> bool:
    if one.wrong and other.wrong and (one.wrong in (other.wrong, other.right) or one.right == other.wrong):
        return True
    if one.learning.kind != other.learning.kind and (one.is_named_in(other) or other.is_named_in(one)):
        return True
    if _is_quoted(one.learning, other.learning):
        return True
    if not one.terms or not other.terms:
        return one.learning.kind == other.learning.kind
    shared = len(one.terms & other.terms)
    return shared in (len(one.terms), len(other.terms)) or 2 * shared >= _ALIKE * (len(one.terms) + len(other.terms))


def _is_quoted(one: AnyLearning, other: AnyLearning) -> bool:
    """Whether a conversation taught in its own way what was heard as a correction while it went on: the same message is
    among its evidence, and it has most of the words of the correction."""
    correction, insight = (one, other) if isinstance(one, Correction) else (other, one)
    if not (isinstance(correction, Correction) and isinstance(insight, Insight) and correction.said):
        return False
    return is_heard_as(correction.said, correction.right, insight.quotes, KINDS[insight.kind].statement(insight))


def is_heard_as(said: str, right: str, quotes: Iterable[Quote], statement: str) -> bool:
    """Whether a statement with these quotes was heard as this correction as well."""
    words, message = _terms(right or said), _normal(said)
    if not any(quote.role is Speaker.USER and _normal(quote.text) in message for quote in quotes):
        return False
    return bool(words) and len(words & _terms(statement)) >= _ALIKE * len(words)


def _about_the_same(one: AnyLearning, other: AnyLearning) -> bool:
    """`The limit is 3` may be the answer to two questions."""
    if not (isinstance(one, Correction) and isinstance(other, Correction)):
        return True
    ours, theirs = _terms(one.query), _terms(other.query)
    return not ours or not theirs or 2 * len(ours & theirs) >= min(len(ours), len(theirs))


def _pair(one: AnyLearning) -> tuple[str, str] | None:
    """The words that are wrong and those that are right, if that is all it says."""
    pair = ("", "")
    if isinstance(one, Pattern) and one.category is PatternCategory.WANTED:
        pair = _normal(one.original), _normal(one.suggested)
    elif isinstance(one, Correction) and one.wrong and one.right and not (one.fixed or one.understood):
        pair = _normal(one.wrong), _normal(one.right)
    return pair if pair[0] != pair[1] else None


@lru_cache(_KEPT)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


@lru_cache(_KEPT)
def _normal(text: str) -> str:
    return normal(text)
