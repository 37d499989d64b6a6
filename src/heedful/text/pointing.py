"""Whether words point at something that stands elsewhere, so that they make no sense alone: `never do this again`."""

from __future__ import annotations

import re

_END = r"(?=\s*(?:$|[.,;:!?)]|please\b))"
_PLACES = r"(?:project|repo(?:sitory)?|codebase|team|company|firm|office|shop|house|school|app|language|country|chat)"
_BEHIND_THAT = r"(?:again|any ?more|ever|way|kind|sort|stuff|one|please|here|in|for|with|to|at|is|was)\b"
_POINTING = re.compile(
    rf"\bthis\b(?! {_PLACES}\b)|\b(?:these|those)\b"
    rf"|\bthat(?=['’]s\b|\s*(?:$|[.,;:!?)]|{_BEHIND_THAT}))|\b(?:do|does|did|like|of|than) that\b"
    rf"|\bthe (?:same|other|first|second|third|last|former|latter|next|previous)(?: ones?)?{_END}"
    r"|\blike (?:before|above|below)\b"
    r"|\b(?:dies(?:e[mnrs]?)?|sowas|so etwas|so nicht|wie (?:oben|vorher|der erste|das erste|die erste))\b"
    r"|\b(?:das|so)(?=\s*(?:$|[.,;:!?)]|(?:nie|nicht|bitte|immer|mal)\b))"
    r"|\b(?:ça|cela|ceci|comme (?:avant|le premier|la première))\b"
    r"|\b(?:esto|eso|aquello|así|como (?:antes|el primero|la primera))\b"
    r"|\b(?:isso|isto|aquilo|assim|como (?:antes|o primeiro|a primeira))\b",
    re.IGNORECASE,
)


def points(words: str) -> bool:
    return _POINTING.search(words) is not None
