"""Patterns: a technique that was used, what it is for, when and how."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.learn.conversations.local import manner
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding import Finding, parts
from heedful.learn.conversations.local.reading import Reading, Said, fit
from heedful.learn.conversations.tags import technologies
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker

_KNOWN = re.compile(
    r"`[a-z]\w*\.[A-Z]\w*|`[a-z_]+\.[a-z_]+\(|`(?:defer|select|async|await|yield|with|try|const|static|case|go)\b"
)
_REASONED = frozenset({"since", "because", "otherwise", "prevents", "avoids", "ensures"})
_THOROUGH = 90  # characters


def found(reading: Reading) -> Iterator[Finding]:
    for said in reading.said:
        used = said.cues & Cue.TECHNIQUE and said.cues & (Cue.REASON | Cue.CAUSE)
        if said.role == Speaker.ASSISTANT and used and fit(said) and not manner.first_person(said.text):
            finding = _finding(reading, said)
            if finding:
                yield finding


def _finding(reading: Reading, technique: Said) -> Finding | None:
    near = [
        said
        for said in reading.nearby(technique, 2, 3)
        if fit(said) and said.sentence.block == technique.sentence.block
    ]
    why = tuple(said for said in near if said.cues & (Cue.REASON | Cue.SYMPTOM) and said.order > technique.order)[:1]
    when = tuple(
        said for said in near if said.cues & Cue.CONDITION and said.order > technique.order and said not in why
    )[:1]
    told = reading.whole(technique)
    if not told or manner.recounted(technique.text) or technique.padded.startswith(" the fix "):
        return None
    known = bool(technologies(technique.sentence.raw) or _KNOWN.search(technique.sentence.raw))
    reasoned = not _REASONED.isdisjoint(technique.padded.split())
    score = (
        0.6
        + 0.3 * known
        + 0.2 * reasoned
        + 0.2 * (len(technique.text) >= _THOROUGH)
        + 0.2 * bool(why)
        + 0.1 * bool(when)
        + 0.2 * technique.sentence.lead
    )
    return Finding(InsightCategory.PATTERN, parts(("what", told), ("why", why), ("when", when)), score)
