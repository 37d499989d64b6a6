"""Optimisations: what was slow, what made it faster, by how much, and at what price."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.learn.conversations.local import manner
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding import Finding, parts
from heedful.learn.conversations.local.reading import Reading, Said, fit, related
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker

# Two figures, or how many times: a single figure is a size, not a gain.
_GAIN = re.compile(
    r"\d\s?[×x]\b|\d\s?×|O\([^()]{1,20}\).{1,60}O\([^()]{1,20}\)|\d[\w.,]{0,24}\s?(?:ms|µs|s|sec|seconds?|[KMG]B?|"
    r"minutes?|%)?\s?(?:→|->|to|down to|instead of|vs\.?)\s?[~\d<]|(?:times|%) (?:faster|slower|smaller|less)",
    re.IGNORECASE,
)


def found(reading: Reading) -> Iterator[Finding]:
    for said in reading.said:
        gained = said.cues & Cue.MEASURE and _GAIN.search(said.text)
        if said.role == Speaker.ASSISTANT and gained and fit(said):
            finding = _finding(reading, said)
            if finding:
                yield finding


def _finding(reading: Reading, gain: Said) -> Finding | None:
    told = reading.whole(gain)
    near = [said for said in reading.nearby(gain, 2, 4) if fit(said) and said.sentence.section == gain.sentence.section]
    near = [said for said in near if related(said, gain) and not manner.dangling(said.text) and not said.sentence.lead]
    why = tuple(said for said in near if said.cues & (Cue.CAUSE | Cue.REASON))[:1]
    change = tuple(said for said in near if said.cues & (Cue.FIX | Cue.TECHNIQUE | Cue.FACT) and said not in why)[:1]
    price = tuple(said for said in near if said.cues & Cue.TRADE_OFF and said not in why and said not in change)[:1]
    about = any(said.cues & Cue.PERFORMANCE for said in (gain, *why, *change))
    if not told or not about or not (why or change):
        return None
    score = 0.8 + 0.3 * bool(change) + 0.3 * bool(why) + 0.2 * bool(price) + 0.2 * bool(gain.cues & Cue.PROVEN)
    labelled = parts(("result", told), ("why", why), ("change", change), ("trade_off", price))
    return Finding(InsightCategory.OPTIMIZATION, labelled, score - 0.3 * manner.first_person(gain.text))
