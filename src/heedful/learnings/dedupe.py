"""Deduplication in three layers: canonical text, fingerprint, meaning. In doubt, two learnings are different."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from heedful.learnings.kind import LearningComparison, Relation
from heedful.records.insight import InsightCategory
from heedful.text.canonical import canonical_text
from heedful.text.contradictions import (
    Contrast,
    ContrastKind,
    are_forms,
    change_places,
    contrast,
    differ_in_a_word,
    key_terms,
    negates,
)
from heedful.text.fingerprints import NEAR, distance, simhash
from heedful.text.statements import has_exception, head
from heedful.text.terms import terms

_MEANING = 0.85  # the documented cosine; enough together with three words in five
_WORDS = 0.6
_NEARLY_MEANING = 0.8  # enough together with most of the words
_MOST_WORDS = 0.75
_PHRASES = 0.8  # share of key phrases: names and words that carry meaning
_LEAST_PHRASES = 5
_LEAST_SAID = 2  # terms of two titles that say the same whatever stands around them
_UNLIKE = 0.75  # cosine below which shared phrases prove nothing
_SAME_SUBJECT = 0.6  # cosine from which a certain contrast is a contradiction
_SAME_SUBJECT_WORDS = 0.6  # share of words that says so as well
_LONGEST = 8_192  # characters
_JOINED = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")  # `force-push` is `force push`
_NOT_OTHERS = re.compile(
    r",?\s(?:not|never|instead of|rather than) (?!in\b|for\b|on\b|at\b|when\b|if\b|to\b|with\b|as\b|by\b)[^,;.]{2,60}$",
    re.IGNORECASE,
)
_HERE = re.compile(r"\b(?:in|for|to|of) (?:this|our|the) (?:repo(?:sitory)?|project|code ?base)\b", re.IGNORECASE)
_EACH_TIME = re.compile(
    r"(?:\b(?:every|each) (?:single )?time|\bat all times|\bwithout exceptions?|\bjedes ?mal|\bohne ausnahme|"
    r"\bchaque fois|\bsans exception|\bcada vez|\bsin excepción|\btoda vez|\bsem exceção)\b",
    re.IGNORECASE,
)
_ADDED = (_JOINED, _NOT_OTHERS, _HERE, _EACH_TIME)
_OF_ALL = re.compile(r"\b(?:to|in|on|of|from|at|for) (?:any|all) \w+\W*$", re.IGNORECASE)
_KEPT = 128  # texts


class Statement(NamedTuple):
    category: str
    title: str
    content: str

    @property
    def text(self) -> str:
        return f"{self.title}\n{self.content}"[:_LONGEST]


def compared(new: Statement, old: Statement, cosine: float | None) -> LearningComparison:
    """The cosine is between the vectors of their texts; None without vectors."""
    if _plain(new.text) == _plain(old.text):
        return LearningComparison(Relation.SAME, "canonical", 1.0, "They are the same words.")
    likeness = _likeness(new, old, cosine)
    similarity = likeness.words if cosine is None else cosine
    found = contrast(new.text, old.text) if likeness.same_subject else None
    if found and likeness.layer == "phrases" and _is_beside(found, new, old):
        found = contrast(_core(new.title), _core(old.title))
    if likeness.layer == "none":
        if found and found.sure:
            return LearningComparison(Relation.CONTRARY, "none", similarity, str(found))
        return LearningComparison(Relation.DIFFERENT, "none", similarity, "They have too little in common.")
    if found:
        return _contrasted(found, likeness.layer, similarity)
    if (doubt := _doubt(new, old)) is not None:
        return LearningComparison(Relation.DIFFERENT, likeness.layer, similarity, doubt)
    return LearningComparison(Relation.SAME, likeness.layer, similarity, _REASONS[likeness.layer])


def _is_beside(found: Contrast, new: Statement, old: Statement) -> bool:
    """Whether a no, or another word, is about something that neither states: `not generated`, and `because the
    generator is slow`."""
    stated = {*key_terms(_core(new.title)), *key_terms(_core(old.title))}
    whole = all(_states_itself(one) for one in (new, old))
    told = {*key_terms(found.ours), *key_terms(found.theirs)}
    return whole and found.kind in (ContrastKind.POLARITY, ContrastKind.WORD) and stated.isdisjoint(told)


def _states_itself(one: Statement) -> bool:
    """Whether the title is what is said, and no label of it."""
    said = set(key_terms(_core(one.title)))
    return bool(said) and (not one.content or said == set(key_terms(_core(one.content))))


def _core(title: str) -> str:
    """Without what it adds."""
    return _without(head(title.rstrip(" .!")), *_ADDED)


_REASONS = {
    "simhash": "They share nearly all of their words.",
    "meaning": "They mean the same.",
    "phrases": "They share most of their phrases.",
}


def _contrasted(found: Contrast, layer: str, similarity: float) -> LearningComparison:
    relation = Relation.CONTRARY if found.sure else Relation.DIFFERENT
    return LearningComparison(relation, layer, similarity, str(found))


def _doubt(new: Statement, old: Statement) -> str | None:
    """Why two that are alike may not mean the same."""
    if differ_in_a_word(new.text, old.text) or differ_in_a_word(new.title, old.title):
        return "They differ in a word."
    if new.title and old.title and has_exception(new.title) != has_exception(old.title):
        return "One of them makes an exception."
    if change_places(new.title or new.content, old.title or old.content):
        return "What comes first in one comes second in the other."
    return "One of them is a warning." if _warns_of_what_the_other_advises(new, old) else None


def _warns_of_what_the_other_advises(new: Statement, old: Statement) -> bool:
    """An anti-pattern may be stated without a negation: `global state in handlers`."""
    warning = [one for one in (new, old) if one.category == InsightCategory.ANTI_PATTERN]
    return len(warning) == 1 and not negates(warning[0].text)


class _Likeness(NamedTuple):
    layer: str
    words: float
    same_subject: bool


def says_the_same(one: str, other: str) -> bool:
    """Whether two titles have the same terms, apart from what they add for emphasis: `to any branch`, `in this repo`,
    `not relative ones`, or because one of them goes on: `never push to main, the build deploys it`."""
    if _same_terms(one, other):
        return True
    ours, theirs = head(one), head(other)
    return (ours == one) != (theirs == other) and _same_terms(ours, theirs)


def _same_terms(one: str, other: str) -> bool:
    ours, theirs = _bare(one, _JOINED), _bare(other, _JOINED)
    pairs = (
        (ours, theirs),
        (_bare(one, *_ADDED), _bare(other, *_ADDED)),
        (ours, _bare(other, *_ADDED, _OF_ALL)),
        (_bare(one, *_ADDED, _OF_ALL), theirs),
    )
    return any(len(mine) == len(yours) >= _LEAST_SAID and all(map(are_forms, mine, yours)) for mine, yours in pairs)


def _bare(title: str, *without: re.Pattern[str]) -> list[str]:
    return sorted(key_terms(_without(title, *without)))


def _without(title: str, *parts: re.Pattern[str]) -> str:
    for part in parts:
        title = part.sub(" ", title)
    return title


def _likeness(new: Statement, old: Statement, cosine: float | None) -> _Likeness:
    ours, theirs = _features(new.text), _features(old.text)
    words = max(_share(ours.words, theirs.words), _share(*map(_of_title, (new.title, old.title))))
    subject = words >= _SAME_SUBJECT_WORDS or (cosine is not None and cosine >= _SAME_SUBJECT)
    if ours.words and theirs.words and distance(ours.simhash, theirs.simhash) < NEAR:
        return _Likeness("simhash", words, True)
    if cosine is not None and _means_the_same(cosine, words):
        return _Likeness("meaning", words, True)
    if says_the_same(new.title, old.title) and (cosine is None or cosine >= _SAME_SUBJECT):
        return _Likeness("phrases", words, True)
    telling = min(len(ours.words), len(theirs.words)) >= _LEAST_PHRASES
    if telling and words > _PHRASES and (cosine is None or cosine >= _UNLIKE):
        return _Likeness("phrases", words, True)
    return _Likeness("none", words, subject)


def _means_the_same(cosine: float, words: float) -> bool:
    return (cosine > _MEANING and words >= _WORDS) or (cosine > _NEARLY_MEANING and words >= _MOST_WORDS)


class _Features(NamedTuple):
    words: frozenset[str]
    simhash: int


@lru_cache(_KEPT)
def _features(text: str) -> _Features:
    return _Features(frozenset(terms(text)), simhash(text))


@lru_cache(_KEPT)
def _of_title(title: str) -> frozenset[str]:
    return frozenset(key_terms(title))


@lru_cache(_KEPT)
def _plain(text: str) -> str:
    return canonical_text(text)


def _share(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """The Dice coefficient."""
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours and theirs else 0.0
