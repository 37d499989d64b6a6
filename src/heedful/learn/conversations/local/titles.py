"""The title of a finding: a heading or a clause of the conversation that is understood without it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from heedful.learn.conversations.local import phrasing
from heedful.records.insight import TITLE_LIMIT

_SHORTEST = 18
_FEWEST_WORDS = 4
_NUMBERED = re.compile(
    r"^(?:(?:findings?|observations?|items?|issues?|step|phase|part|option|bug|fix|problem|improvement|task|"
    r"question|bonus|section|suggestion)\s{0,4}[#(]?\s{0,4}(?:\d{1,9}|[a-h])?[a-z]?\)?(?:\s{0,4}\([^()]{1,60}\))?"
    r"\s{0,4}(?:—|–|:|"
    r"-(?=\s))\s{0,4}|[a-z]{2,12}\s?#?\d{1,9}[a-z]?\s?[—–]\s{0,4}"
    r"|(?:pr\s{0,4})?[#(]?\d{1,9}[a-z]?(?:[,/&]\s{0,4}\d{1,9}){0,20}[.):]{0,3}\s{0,4}(?:—|–|"
    r"-(?=\s)|:|(?<=[.)])\s)\s{0,4}|\(\d{1,9}\)\s{0,4}){1,8}",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:because\s+(?!.*,\s)|key (?:fact|point|insight|finding|takeaway):\s+|so,?\s+|and\s+|but\s+|yes,?\s+|"
    r"yes —\s+|no,?\s+|no —\s+|in short,?\s+|specifically,?\s+|essentially,?\s+|basically,?\s+|importantly,?\s+|"
    r"note that\s+|note:\s+|the key (?:insight|point|thing) (?:is|here is)(?: that)?:?\s+|"
    r"(?:it )?turns out(?: that)?:?,?\s+|(?:the|my)?\s*(?:real |actual |root |main |key |underlying )?(?:cause|"
    r"problem|issue|bug|reason|fix|solution|recommendation|answer|catch|short answer)(?: here)? (?:is|was)(?: that|"
    r" to)?:?\s+|i(?:'d| would) (?:strongly )?(?:recommend|suggest|go with|keep|use|prefer)(?: that)?\s+|"
    r"(?:i )?recommend(?:ation)?:\s+|short answer:\s+|confirmed(?: that)?[:,—]?\s+|also,?\s+|however,?\s+|"
    r"instead,?\s+|therefore,?\s+|the (?:cleanest|simplest|right|best|safest) (?:approach|option|fix|way) (?:is|"
    r"was)(?: to)?\s+)+",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"^(for [^,.;:]{3,50}?),? i(?:'d| would) (?:strongly )?(?:recommend|suggest|go with|keep|use|prefer) (?:using )?",
    re.IGNORECASE,
)
_PRICE = re.compile(r"the (?:(?:only|main|real) )?(?:trade-?off|downside|cost|price|drawback)\b", re.IGNORECASE)
_STRONG = (
    " — ",
    " – ",
    "; ",
    ", so ",
    ", which ",
    ", because ",
    " because ",
    ", but ",
    ", since ",
    ", whereas ",
    ", while ",
    " so that ",
    " even though ",
)
_WEAK = (", and ", ", not ", ", then ", " so ", " — ", ": ", ", ", " when ", " and ")
_MAIN = re.compile(
    r"(?:if|when|since|because|while|although|once|unless|whenever|after|before)\b[^,]{3,80},", re.IGNORECASE
)
_HUMPED = re.compile(r"[a-z]+[A-Z_.]\w")
_ASKING = re.compile(r"(?:who|what|why|how|where|whether|which)\b", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s\([^()]{1,200}\)")
_POINTING = re.compile(r"\b(?:them|they|he|she|us|we're|we've|we'll)\b", re.IGNORECASE)
_HANGING = re.compile(
    r"\b(?:it|this|that|them|they|these|those|the|a|an|of|to|in|on|at|by|for|from|with|and|or|but|if|when|because|"
    r"since|so|which|is|are|was|were|its|their|not|as|than|into|via|only|be|can|will|would|should|must|e\.g|i\.e)$",
    re.IGNORECASE,
)
_OVERVIEW = re.compile(
    r"^(?:summary|overview|changes?|what (?:changed|went|was|i|we)|review|code review|line[- ]by[- ]line|files?|"
    r"tests?|verification|status|recommendations?|next steps?|conclusion|results?|current state|context|background|"
    r"implementation|key (?:changes|decisions|findings)|proposed|options?|needs your|analysis|the (?:bug|fix|"
    r"problem|plan)|verdict|assessment|pros|cons|why|how|where|implication|is (?:it|the)|what [\w`]+ (?:is|was|"
    r"are)\b|all \d+|my |your |test quality|most important|top \d|phase|plan\b|done\b|fixed\b|updated\b|added\b|"
    r"lines? \d|new\b|modified|removed|pkg/|src/|test plan|sequencing|measured|architecture review|[\w./`-]+$)",
    re.IGNORECASE,
)


def title(headings: Iterable[str], clauses: Iterable[str]) -> str:
    """The first that is fit to be one; empty, if none is."""
    for heading in headings:
        made = headline(heading)
        if made:
            return made
    for text in clauses:
        made = _tidied(clause(text))
        if _fit(made):
            return made
    return ""


def numbered(heading: str) -> bool:
    """`InsightFinding 3 — …`: one of a list of things to see to."""
    return bool(_NUMBERED.match(heading))


def headline(heading: str) -> str:
    """A heading without its number, if it is a statement and not the name of a chapter."""
    made = _tidied(_NUMBERED.sub("", heading, count=1))
    return made if made.count(" ") >= 3 and not _OVERVIEW.match(made) and _fit(made) else ""


def clause(text: str) -> str:
    """What the sentence says first, in at most a title's length."""
    text = _OPENING.sub("", phrasing.unconnected(_NUMBERED.sub("", text, count=1)), count=1).strip()
    if occasion := _FOR.match(text):  # `For small teams I'd use X` names X first
        text = f"{text[occasion.end() :].rstrip('.')} {occasion[1][:1].lower()}{occasion[1][1:]}"
    least = _MAIN.match(text)  # where the main clause begins, after `If …,`
    if len(text) > TITLE_LIMIT:
        text = _IN_BRACKETS.sub("", text)
    if len(text) <= TITLE_LIMIT:
        return text
    for marks in (_STRONG, _WEAK):
        cuts = [
            cut for mark in marks if (cut := text.rfind(mark, 0, TITLE_LIMIT)) >= (least.end() + 20 if least else 34)
        ]
        for cut in sorted(cuts, reverse=True):
            if _closed(text[:cut]) and not _HANGING.search(text[:cut].rstrip(" ,")):
                return text[:cut]
    return ""


def _tidied(text: str) -> str:
    text = " ".join(text.split()).strip(" ,;:—–-").rstrip(".!")
    if text.endswith(")") and " (" in text and (len(text) > TITLE_LIMIT // 2 or text[-2].isdigit()):
        text = text[: text.rfind(" (")]
    named = _HUMPED.match(text)  # `projectId` is spelt like that
    return text[:1].upper() + text[1:] if text[:1].islower() and not named else text


def _fit(text: str) -> bool:
    return (
        _SHORTEST <= len(text) <= TITLE_LIMIT
        and text.count(" ") + 1 >= _FEWEST_WORDS
        and _closed(text)
        and not phrasing.dangling(text)
        and not phrasing.narrated(text)
        and not phrasing.first_person(text)
        and not phrasing.asked(text)
        and phrasing.specifics(text) == 0
        and phrasing.lines(text) == 0
        and not _HANGING.search(text)
        and not _POINTING.search(text)
        and not _ASKING.match(text)
        and not _PRICE.match(text)
        and not phrasing.recounted(text)
        and text[:1] not in {"/", "|", "<", "…", '"', "“"}
    )


def _closed(text: str) -> bool:
    return text.count("`") % 2 == 0 and text.count("(") == text.count(")") and text.count('"') % 2 == 0
