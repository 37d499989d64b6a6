"""Decisions: what there was to choose from, what was chosen, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.learn.conversations.local import manner
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding import Finding, parts
from heedful.learn.conversations.local.reading import Reading, Said, fit
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker

_CHOSEN = frozenset({"recommendation", "my recommendation", "decision", "choice", "bottom line"})
_TOLD = (
    " i recommend ",
    " i'd recommend ",
    " recommend using ",
    " my recommendation ",
    " recommendation is ",
    " i'd go with ",
    " i would go with ",
    " i'd keep ",
    " i'd suggest ",
    " we chose ",
    " decided to ",
    " decided on ",
    " chose to ",
    " opted for ",
    " went with ",
    " settled on ",
    " the right call ",
    " the right choice ",
    " the better option ",
    " the right home ",
)
_NAMED = re.compile(r"\b(?:option|approach|fix|alternative)\s+([A-D]|[1-4])\b", re.IGNORECASE)
_OPTION = re.compile(
    r"(?<!\W)\W*+(?:(?:option|approach|alternative|fix)\s*([A-D]|[1-4])\b|([A-D]|[1-4])[.):])[\s.:)—–-]*", re.IGNORECASE
)
_ALONE = re.compile(r"^[A-D]\b")
_VAGUE = re.compile(
    r"(?:(?:i'd |i would )?(?:recommend(?:ation)?(?: is)?:? )?(?:fix|apply|remove|do|ship|keep|drop|leave|skip|"
    r"defer|merge|add) (?:it|this|that|them|the fix|as-is)\b|(?:yes|no|none|both|all)\b)",
    re.IGNORECASE,
)
_AGREED = re.compile(
    r"^\W*(?:ok(?:ay)?|yes|yep|yeah|sure|agreed?|sounds good|perfect|great|go|do it|do|proceed|let'?s|makes sense|"
    r"option|keep|fine|mmk|[a-d1-4]\b|good|i like|exactly|right|add|implement)\b",
    re.IGNORECASE,
)
_MOST_OPTIONS = 4


def found(reading: Reading) -> Iterator[Finding]:
    for said in reading.said:
        if said.role != Speaker.ASSISTANT or not _choice(said) or _VAGUE.match(said.text):
            continue
        if fit(said) and not reading.continued(said):  # what follows may speak of what was not chosen
            finding = _finding(reading, said)
            if finding:
                yield finding


def _choice(said: Said) -> bool:
    if said.label in _CHOSEN:
        return True
    return bool(said.cues & Cue.CHOICE) and any(told in said.padded for told in _TOLD)


def _finding(reading: Reading, choice: Said) -> Finding | None:
    if manner.dangling(choice.text) or _ALONE.match(choice.text):
        return None
    options = _options(reading, choice)
    named = _NAMED.search(choice.text)
    told: tuple[Said, ...] = (choice,)
    if named:
        chosen = options.get(named[1].upper())
        if chosen is None:
            return None  # nobody else knows what it is
        told = (_unnumbered(chosen), choice)
    why = _why(reading, choice)
    if not (why or choice.cues & Cue.REASON):
        return None
    agreed = _agreed(reading, choice)
    score = (
        0.7
        + 0.3 * (choice.label in _CHOSEN)
        + 0.4 * (len(options) > 1)
        + 0.5 * bool(agreed)
        + 0.2 * bool(why and choice.cues & Cue.REASON)
        + 0.1 * any(said.cues & Cue.TRADE_OFF for said in (choice, *why))
    )
    offered = [_unnumbered(option) for option in options.values()] if len(options) > 1 else []
    labelled = parts(("choice", told), ("why", why), ("options", offered))
    return Finding(InsightCategory.DECISION, labelled, score, proof=agreed)


def _why(reading: Reading, choice: Said) -> tuple[Said, ...]:
    after = [
        said for said in reading.nearby(choice, 0, 3) if fit(said) and said.sentence.section == choice.sentence.section
    ]
    why = [said for said in after if said.cues & (Cue.REASON | Cue.TRADE_OFF | Cue.FACT | Cue.CAUSE | Cue.ADVICE)][:2]
    next_to = [said for said in after[:1] if said.order == choice.order + 1 and said not in why]
    beside = why and next_to and next_to[0].sentence.block == choice.sentence.block and not choice.cues & Cue.REASON
    return (*next_to, *why) if beside else tuple(why)  # whoever names the price has given the reason before


def _options(reading: Reading, choice: Said) -> dict[str, Said]:
    """By letter or number, as they were offered before."""
    options: dict[str, Said] = {}
    for said in reading.nearby(choice, 45, 0):
        match = _OPTION.match(said.sentence.raw)
        if match and 20 <= len(said.text) <= 240 and not manner.asked(said.text) and said.label not in _CHOSEN:
            options.setdefault((match[1] or match[2]).upper(), said)
    return dict(list(options.items())[:_MOST_OPTIONS])


def _unnumbered(option: Said) -> Said:
    text = _OPTION.sub("", option.text, count=1)
    return option._replace(sentence=option.sentence._replace(text=text[:1].upper() + text[1:]))


def _agreed(reading: Reading, choice: Said) -> tuple[Said, ...]:
    """The person said yes in the next message."""
    said = reading.reply(choice)
    return (said,) if said and _AGREED.match(said.text) and len(said.text) < 400 else ()
