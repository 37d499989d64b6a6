"""The quality of a candidate: four factors computed from its words, a confidence, and whether it is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import floor
from typing import Final

from heedful.learn.conversations.evidence import proven
from heedful.learn.conversations.tags import technologies
from heedful.learn.conversations.trivial import trivial
from heedful.learn.conversations.verdicts import BAR, POSSIBLE
from heedful.learnings.content import content_text
from heedful.records.insight import (
    CONTENT_LEAST,
    CONTENT_LIMIT,
    RULE_LEAST,
    TITLE_LIMIT,
    Factors,
    InsightCandidate,
    InsightCategory,
)
from heedful.records.transcript import Speaker, Transcript
from heedful.text.contradictions import negates
from heedful.text.contribution import breaks_off
from heedful.text.redaction import PLACEHOLDER, SECRETS
from heedful.text.words import FUNCTION_WORDS, NEGATIONS, words_of

_WEIGHTS: Final = Factors(actionability=0.35, generalizability=0.30, clarity=0.20, evidence_strength=0.15)
_UNPROVEN: Final = 0.4  # the most that evidence counts where there is none
_USUAL, _GENERIC = 0.6, 0.65  # practices and warnings are easily platitudes, so they have to be better
# What a language model may see that words alone do not show. One step of the scale (0.4, 0.7, 1.0) is 0.3; half a step
# lets it tip what is nearly good, and not carry what is not.
_MARGIN: Final = 0.15

_DOING = re.compile(
    r"\b(?:use|uses|using|run|set|add|replace|wrap|switch|return|call|check|avoid|keep|make|move|read|write|pass|"
    r"create|install|fetch|sort|cache|skip|guard|lock|select|defer|build|configure|enable|disable|never|always|"
    r"instead|must|needs? to|should)\b",
    re.IGNORECASE,
)
_TELLING_PARTS = frozenset({"fix", "how", "better", "change", "choice"})
_DOING_PARTS = frozenset({"what", "when"})
_DOING_LEAST = 20  # characters
_REASON_PARTS = frozenset({"why", "cause", "causes", "trade_off", "result"})
_REASON = re.compile(
    r"\b(?:because|since|so that|otherwise|to avoid|avoids|prevents|due to|which means|so)\b", re.IGNORECASE
)
_SECOND_STEP = re.compile(r"(?:^|\s)2\.\s")
_THIRD_STEP = re.compile(r"\s3\.\s")
_CODE = re.compile(r"`[^`\n]{2,}`")
_NAME = re.compile(r"`[^`\s]*(?:[a-z][A-Z]|_)[^`\s]*`")  # camelCase or snake_case: somebody's own
_HOME = re.compile(r"(?:/Users/|/home/|~/|[A-Z]:\\)")
_NARRATION = re.compile(
    r"\b(?:let me|I'll|I will|I'm going|now I|want me to|shall I|I(?:'ve| have)? (?:added|updated|fixed|changed))\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"(?:(?:is|are|was|were|has)(?= \w+ [^?]*$)|this|that|it|its|it's|that's|they|these|those|he|she|which|"
    r"both(?! [\w-]+ and)|neither|here|there|same|otherwise|instead|"
    r"the (?:same|other|former|latter|first|second|third|last|above|below|previous) ?(?:one)?)\b",
    re.IGNORECASE,
)  # it speaks of something that stood before
_LEFT = 3  # words that say something without what was redacted
_WORDS = re.compile(r"[\w']+")
_POINTERS = words_of("this that it these those them so")
_WAITING = re.compile(
    r"(?:if|when|whenever|once|unless|until|because|since|wenn|falls|si|quand|cuando|quando|se)\b[^,;:]{1,50}",
    re.IGNORECASE,
)  # and what then is not told
_EMPTY = (
    FUNCTION_WORDS
    | NEGATIONS
    | words_of("""
    always stop stops don't make making want need needs keep again anymore ever please next time times every way like
    use using add adding change changing touch touching say said tell told i've didn't doesn't won't can't shouldn't
    mustn't instead now one ones thing things same
""")
)
_PLACE = re.compile(r"(?<![\w.-])[\w.-]++/[\w./-]+|\.\w{1,5}:\d+|\bL\d+\b|\blines? \d+", re.IGNORECASE)
_SPECIFIC = re.compile(
    r"\b(?:this (?:pr|branch|commit|session|conversation|file|change|diff|review|task|ticket|worktree)|pr #?\d+|"
    r"issue #?\d+|\d{4}-\d\d-\d\d)\b|#\d+\b",
    re.IGNORECASE,
)  # what nobody else has


@dataclass(frozen=True, slots=True)
class JudgedCandidate:
    candidate: InsightCandidate
    factors: Factors
    confidence: float
    kept: bool
    reason: str
    """Why it is kept or not, in a few words."""

    @property
    def possible(self) -> bool:
        """Said by a person, and not sure enough. What an agent says is seldom worth a look if it is not sure."""
        return not self.kept and self.candidate.rule and self.confidence >= POSSIBLE

    @property
    def faint(self) -> bool:
        """Said by a person, and too unsure to be kept by itself. It counts where it says something again."""
        return self.candidate.rule and 0 < self.confidence < POSSIBLE


def judged_candidate(candidate: InsightCandidate, transcript: Transcript) -> JudgedCandidate:
    local = factors(candidate, transcript)
    agreed = _checked(candidate.claimed, local) if candidate.claimed else local
    least = threshold(candidate)
    sure = confidence(candidate, agreed)
    needed = (
        f"{POSSIBLE:.2f} needed to be worth a look" if candidate.rule and sure < POSSIBLE else f"{least:.2f} needed"
    )
    reason = guarded(candidate) or f"confidence {_rounded_down(sure)}, {needed}"
    if 0 < sure < least and candidate.sure is None:
        weakest = min(zip(agreed, Factors.__slots__, strict=True))[1].replace("_", " ")
        reason = f"{reason}; weakest: {weakest}"
    return JudgedCandidate(candidate, agreed, sure, sure >= least, reason)


def _rounded_down(confidence: float) -> str:
    """What is just below the bar does not look as if it reached it."""
    return f"{floor(100 * confidence + 1e-9) / 100:.2f}"


def confidence(candidate: InsightCandidate, factors: Factors) -> float:
    """The reader's chance that people keep it; of what only a language model claims, the weighted factors."""
    if guarded(candidate):
        return 0.0
    if candidate.sure is not None:
        return candidate.sure
    if not candidate.quotes:
        factors = replace(factors, evidence_strength=min(factors.evidence_strength, _UNPROVEN))
    return sum(factor * weight for factor, weight in zip(factors, _WEIGHTS, strict=True))


def guarded(candidate: InsightCandidate) -> str:
    """Why it is never kept, whatever speaks for it; empty if nothing does."""
    text = content_text(candidate.content)
    if (
        candidate.rule and max(len(text), len(candidate.title)) < RULE_LEAST
    ):  # what a person says is meant as it is said
        return "too short"
    if not candidate.rule and len(text) < CONTENT_LEAST:
        return "too short"
    if any(
        leaves_out(candidate.title) for leaves_out in (_POINTING.match, _WAITING.fullmatch, _names_nothing, breaks_off)
    ):
        return "it speaks of something that is not in it"
    if trivial(candidate.title) or trivial(text):
        return "everybody knows that"
    if _is_redacted(candidate.title):
        return "what it says was redacted"
    return ""


def _is_redacted(title: str) -> bool:
    """`Mail to [EMAIL:3f2a]`: little is left. Or it states a secret, and does not just forbid to use it."""
    found = [*PLACEHOLDER.finditer(title)]
    if any(one[1] in SECRETS and not negates(title[: one.start()]) for one in found):
        return True
    left = PLACEHOLDER.sub("", title)
    return bool(found) and len(frozenset(_WORDS.findall(left.casefold())) - _EMPTY) < _LEFT


def _names_nothing(title: str) -> bool:
    """`Never do that again`: besides a pointer, it has only words that fit everything."""
    words = frozenset(_WORDS.findall(title[: 2 * TITLE_LIMIT].casefold().replace("’", "'")))
    return not words.isdisjoint(_POINTERS) and words <= _POINTERS | _EMPTY


def threshold(candidate: InsightCandidate) -> float:
    if candidate.sure is not None:
        return BAR
    topic = candidate.category
    return _GENERIC if topic in {InsightCategory.BEST_PRACTICE, InsightCategory.ANTI_PATTERN} else _USUAL


def factors(candidate: InsightCandidate, transcript: Transcript) -> Factors:
    text = f"{candidate.title[: 2 * TITLE_LIMIT]}\n{content_text(candidate.content)[: 2 * CONTENT_LIMIT]}"
    return Factors(
        _actionability(candidate, text),
        _generalizability(candidate, text),
        _clarity(candidate),
        _evidence_strength(candidate, transcript),
    )


def _checked(claimed: Factors, local: Factors) -> Factors:
    """Never far above what the words show; below, the model knows better."""
    return Factors(*(max(0.0, min(claim, own + _MARGIN, 1.0)) for claim, own in zip(claimed, local, strict=True)))


def _actionability(candidate: InsightCandidate, text: str) -> float:
    parts, content = candidate.content, content_text(candidate.content)[: 2 * CONTENT_LIMIT]
    doing = any(len(parts.get(name, "")) > _DOING_LEAST for name in _DOING_PARTS)
    score = 0.3
    score += 0.2 if parts.keys() & _TELLING_PARTS else 0.08 if doing else 0.0
    score += 0.15 if _CODE.search(text) or "\n" in content.partition("```")[2] else 0.0
    score += min(0.15, 0.05 * len({match[0].lower() for match in _DOING.finditer(text)}))
    score += 0.15 if parts.keys() & _REASON_PARTS or _REASON.search(text) else 0.0
    second = _SECOND_STEP.search(content)
    score += 0.15 if second and _THIRD_STEP.search(content, second.end()) else 0.0
    if candidate.rule:
        score = max(score, 0.9)  # somebody asked for it: it is to be done by nature
    return min(1.0, score)


def _generalizability(candidate: InsightCandidate, text: str) -> float:
    score = 0.75
    score += min(0.2, 0.1 * len(technologies(text)))
    score -= 0.12 * min(3, len(set(_PLACE.findall(text))))
    score -= 0.15 * min(3, len(_SPECIFIC.findall(text)))
    score -= 0.04 * min(5, max(0, len(set(_NAME.findall(text))) - 1))
    score -= 0.15 * bool(_HOME.search(text))
    score -= 0.15 * (" the user " in text.lower())
    if candidate.rule:
        score = max(score, 0.6)  # it was said for more than once
    return max(0.0, min(1.0, score))


def _clarity(candidate: InsightCandidate) -> float:
    title, content = candidate.title, content_text(candidate.content)[: 2 * CONTENT_LIMIT]
    said = [line for line in map(str.strip, content.splitlines()) if line]
    score = 1.0
    score -= 0.3 * bool(_POINTING.match(title) or title.endswith("?"))
    score -= 0.2 * (len(title) > TITLE_LIMIT or title.endswith(("…", "...")) or title.count("`") % 2)
    score -= 0.25 * bool(_NARRATION.search(title))
    score -= 0.15 * min(2, sum(map(bool, map(_POINTING.match, said))))
    score -= 0.2 * min(2, sum(map(bool, map(_NARRATION.search, said))))
    score -= 0.1 * (len(content) > 1_200)
    if candidate.rule:
        score = max(score, 0.6)
    return max(0.0, min(1.0, score))


def _evidence_strength(candidate: InsightCandidate, transcript: Transcript) -> float:
    held = proven(candidate.quotes, transcript)
    if not held:
        return 0.0
    score = 0.5 if len(held) == 1 else 0.7
    score += 0.1 * (len(held) > 2)
    score += 0.15 * (len({quote.message for quote in held}) > 1)
    score += 0.15 * (len({quote.role for quote in held}) > 1)
    if candidate.rule and any(quote.role == Speaker.USER for quote in held):
        score = max(score, 0.9)  # their own words
    return min(1.0, score)
