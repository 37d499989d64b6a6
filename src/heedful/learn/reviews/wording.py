"""The words of a rule, made of what reviewers said and changed.

A team lead would not quote the sloppiest comment. So of all sentences that reviewers wrote about one concern the best
is taken: one that tells what to do, holds in general, is like the others, and names no particular thing. Where nobody
wrote such a sentence, an example speaks, with the reason that a reviewer gave: not like this, but like that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from heedful.records.review import Review
from heedful.records.rule import RULE_LIMIT, RuleType
from heedful.text.checks import clipped, visible
from heedful.text.sentences import sentences
from heedful.text.words import words_of

_LONGEST = 220  # characters of a sentence that can be a rule
_FEWEST, _TERSE, _WORDY = 4, 6, 25  # words
_EXAMPLE = 160  # characters of either side
_JUDGED = 4
_STANDS = 0.45  # the quality from which a reviewer's sentence stands by itself
_EXEMPLARY = 0.3  # of a rule that is an example

_ASIDES = words_of("""
    nit nitpick minor again same fyi btw also and but so hm hmm please pls plz bitte ok okay no nein non guys folks team
    nochmal wieder encore danke thanks thx merci gracias sorry
""")
_TELLING = words_of("""
    always never use add avoid check validate keep put write name say call give quote cite include remove leave
    make prefer round sort log escape spell show state mention link start end begin ask offer set wrap return test wait
    run handle close pin list explain answer confirm translate capitalise capitalize hide mask redact stick stop do
    don't immer nie niemals kein keine verwende verwenden nimm schreib schreibe schreiben nenne nennen toujours
    jamais ne utilise utilisez utiliser écris écrivez siempre nunca usa usad usar pon poned escribe
""")
"""The first word of an instruction."""
_GENERAL = words_of("""
    always never must should immer nie niemals müssen muss soll sollen toujours jamais doit doivent faut siempre nunca
    debe deben
""")
_BINDING = words_of("""
    never must mustn't don't not no forbidden niemals nie kein keine darf dürfen verboten muss müssen jamais interdit
    nunca prohibido doit debe cannot can't
""")
_POINTING = words_of("""
    this that these those here above below it its same ditto again once just exception yesterday today i
    me my you your he she they hier das
    dies diese dieser ich mir ici ça cela je esto eso aquí yo
""")
"""Words that mean something only where they were said."""
_PARTICULAR = re.compile(r"\b(?=\w*[\d_])\w+\b|\b[a-z]+[A-Z]\w*\b")
_WORD = re.compile(r"[\w'’]+")


class RuleDraft(NamedTuple):
    """The words of a rule, before anybody has looked at them."""

    text: str
    type: RuleType
    before: str
    after: str
    quality: float
    """How much it reads like a rule, from 0 to 1."""


class _Example(NamedTuple):
    before: str
    after: str
    why: str


class RuleCandidate(NamedTuple):
    """A sentence that could be a rule."""

    text: str
    review: Review
    form: float
    """How much it has the form of a rule."""


class Judgement(NamedTuple):
    near: float
    """How near a sentence is to everything that was said about the concern, from -1 to 1."""
    always: float
    """The probability that the reviewer meant it beyond this output."""


Judge = Callable[[Sequence[RuleCandidate]], Sequence[Judgement]]


def drafted(reviews: Sequence[Review], judge: Judge) -> RuleDraft | None:
    """The best that can be said with the reviewers' own words; None if they do not make a rule."""
    examples = [one for one in map(_example, reviews) if one is not None]  # nearest to the centre first
    shown = next((one for one in examples if one.after), examples[0] if examples else _Example("", "", ""))
    text, quality = _best(reviews, judge)
    if quality >= _STANDS:
        kind = RuleType.CONSTRAINT if _BINDING & set(_words(text)) else RuleType.GUIDELINE
        return RuleDraft(text, kind, shown.before, shown.after, round(quality, 3))
    told = next((one for one in examples if one.why and one.after), None)
    if told is None:
        return None
    text = f"Not like “{told.before}” but like “{told.after}”: {told.why}"
    return RuleDraft(clipped(text, RULE_LIMIT), RuleType.NEGATIVE_EXAMPLE, "", "", _EXEMPLARY)


def _best(reviews: Sequence[Review], judge: Judge) -> tuple[str, float]:
    """Only the few with the best form are looked at closely, which takes a model."""
    found = sorted(_candidates(reviews), key=lambda one: (-one.form, one.text))[:_JUDGED]
    scores = [
        (one.text, max(0.0, min(1.0, one.form + 0.25 * max(0.0, judged.near) + 0.15 * judged.always)))
        for one, judged in zip(found, judge(found) if found else (), strict=True)
    ]
    return max(scores, key=lambda one: (one[1], one[0]), default=("", 0.0))


def _candidates(reviews: Sequence[Review]) -> Iterator[RuleCandidate]:
    for review in reviews:
        for sentence in sentences(visible(review.comment)):
            text = cleaned(sentence)
            if len(text) <= _LONGEST and len(_words(text)) >= _FEWEST and not text.endswith("?"):
                yield RuleCandidate(text, review, _form(text))


def _form(text: str) -> float:
    words = _words(text)
    score = 0.1
    score += 0.25 * (words[0] in _TELLING) + 0.15 * bool(_GENERAL & set(words)) + 0.1 * (_TERSE <= len(words) <= _WORDY)
    pointing, particular = sum(word in _POINTING for word in words), len(_PARTICULAR.findall(text))
    return score - min(0.3, 0.1 * pointing) - min(0.3, 0.1 * particular)


def cleaned(sentence: str) -> str:
    """Without greetings and asides, as a sentence."""
    parts = [part for part in sentence.split() if _WORD.search(part)]
    while len(parts) > _FEWEST and _bare(parts[0]) in _ASIDES:
        parts.pop(0)
    while len(parts) > _FEWEST and _bare(parts[-1]) in _ASIDES:
        parts.pop()
    text = " ".join(parts).strip(" -–—*•>,;:\"'")
    if not text:
        return ""
    text = text if text[:2].isupper() else text[0].upper() + text[1:]
    return text if text[-1] in ".!?`" else f"{text}."


def _example(review: Review) -> _Example | None:
    """The first line that was changed, before and after."""
    old, new = ([" ".join(line.split()) for line in text.splitlines()] for text in (review.output, review.approved))
    gone = next((line for line in old if line and line not in new), "")
    come = next((line for line in new if line and line not in old), "")
    if not gone or not (come or review.comment):
        return None
    first = next(iter(sentences(visible(review.comment))), "")
    return _Example(clipped(gone, _EXAMPLE), clipped(come, _EXAMPLE), clipped(first, _LONGEST))


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def _bare(part: str) -> str:
    return part.strip(".,;:!?-–—*()").casefold()
