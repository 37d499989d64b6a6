"""How a sentence is phrased: narrated, asked, dangling, complete; whether it can stand alone."""

from __future__ import annotations

import re

_NARRATED = re.compile(
    r"""(?:(?:ok(?:ay)?|now|next|first|then|good|great|perfect|excellent|alright|right|also|so|and|but|actually|confirmed)
        \b[\s,.:!—-]*)*
        (?:let(?:'s|\sme|\sus)\b|i'?(?:ll|\swill|'m|\sam|'ve|\shave|\shad|'d\slike|\sneed|\swant|\ssee|\scan|\sjust|\salso
            |\ssaid|\snoticed|\sadded|\supdated|\schecked|\sfound|\sread|\sran|\sthink|\sappended|\sfixed|\schanged|\sremoved
            |\srenamed|\srewrote|\spulled|\straced|\sduplicated|\sunderstand|\sknow|\sdid|\swas|\sgot|\sexpect)\b
        |you'?re\s(?:absolutely\s)?right|here(?:'s|\sis|\sare)\b|want\sme|would\syou|shall\si|should\si\b|do\syou|how\sdo\syou
        |ready\s|looking\sat|checking|reading|running\s|waiting|moving\s|done\b|all\s(?:tests|green|pass|set|good|done|\d+)
        |tests?\spass|build\s|good\s(?:catch|question|point|call)|thanks|thank\syou|sorry|fair\s|happy\sto|if\syou(?:'d|\swant|\sprefer)
        |the\suser\b|your\s(?:call|turn)|per\syour|as\syou|proceeding|apply(?:ing)?\b|adding\b|updating\b|continuing|starting\b
        |got\sit|my\s(?:new\s|own\s)?test|worth\s(?:noting|a)|mystery|healthy|understood
        |summary\b|status\b|verification\b|everything\b|both\s(?:noted|done|changes)|one\s(?:note|aside|thing)\b|two\sthings)""",
    re.VERBOSE | re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"(?<![\w`])(?:I|I'm|I've|I'll|I'd|[Mm]y|me|[Ll]et's)(?![\w`])")
_DANGLING = re.compile(
    r"(?:your|not|this|that|it|its|it's|that's|they|these|those|he|she|or|which|both|neither|either|here|same|"
    r"otherwise|instead|though|no|true|false|the (?:same|other|former|latter|first|second|third|last|above|below|"
    r"old|new|current|previous|existing|remaining|only|other)|one|another|such|therefore|hence|thus|nothing|none|"
    r"all|now|only|first,|second,|third,|finally|for (?:this|that)|in (?:this|that)|after (?:this|that)|"
    r"because of (?:this|that))\b",
    re.IGNORECASE,
)
_CONNECTED = re.compile(
    r"(?:(?:so|but|and|also|however|still|yes|then|note that|in short|in other words|again|plus|that said|"
    r"more importantly)\b(?:\s*[,:—–-]+\s*|\s+(?=[`\w\"])))+",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"(?:the |a |new |regression |unit |its |every )*(?:`?Test[A-Z_]\w*`?|`[^`]*test[^`]*`|tests?|comments?|"
    r"doc comment|doc|docs|documentation|readme|changelog|fixture|assertions?)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(r"\b(?:them|they|these|those|this)\b", re.IGNORECASE)
_PAST = re.compile(
    r"`[^`]*[/.][a-z]+`\s*(?:—|–|-|:)|(?:added|updated|removed|renamed|created|moved|changed|rewrote|refactored|"
    r"deleted|dropped|extracted|replaced|implemented|wrote|introduced|bumped|registered|documented|adjusted|"
    r"converted|restored|reverted|cleaned|ran|kept)\b",
    re.IGNORECASE,
)
_SPECIFIC = re.compile(
    r"\b(?:this (?:pr|branch|commit|session|conversation|file|repo|change|diff|review|task|ticket|worktree)|"
    r"pr #?\d+|issue #?\d+|#\d+|observation \d+|finding \d+|line \d+|lines \d+|[dqr]\d{1,2}(?=\b[^-])|"
    r"\d{4}-\d\d-\d\d|your (?:working|local|branch|machine|call|instinct|screenshot))",
    re.IGNORECASE,
)
_ENDED = re.compile(r"[.!?)`\"'”%\]]$")
_PATH = re.compile(
    r"(?<![\w.-])[\w.-]++/[\w./-]+|\b\w[\w-]{0,80}\.(?:go|py|ts|tsx|js|jsx|rs|java|rb|md|json|toml|yml|yaml|sh|sql|c|cpp|"
    r"h)\b(?::\d+)?"
)
_LINE = re.compile(r"\.\w{1,5}:\d+|\bL\d+\b|\blines? \d+", re.IGNORECASE)


def narrated(text: str) -> bool:
    return bool(_NARRATED.match(text))


def first_person(text: str) -> bool:
    return bool(_FIRST_PERSON.search(text))


def dangling(text: str) -> bool:
    """It begins with a word that points to something sentence before."""
    return bool(_DANGLING.match(unconnected(text).lstrip("`*\"'(")))


def unconnected(text: str) -> str:
    """Without the words that tie it to the sentence before: `So the lock is never freed` says as much without "
    "`So`."""
    match = _CONNECTED.match(text)
    return text[match.end() :] if match and len(text) - match.end() > 20 else text


def aside(text: str) -> bool:
    """About tests and comments, not about what they are for."""
    return bool(_BESIDE.match(text))


def pointing(text: str) -> bool:
    """It speaks of something that another sentence names."""
    return bool(_POINTING.search(text))


def recounted(text: str) -> bool:
    """It only says what was done: `Added a constant`."""
    return bool(_PAST.match(text))


def asked(text: str) -> bool:
    return text.rstrip("*_\"')").endswith("?")


def ended(text: str) -> bool:
    return bool(_ENDED.search(text)) and text.count("`") % 2 == 0


def specifics(text: str) -> int:
    """How often it names what nobody else has: a pull request, a line, this branch."""
    return sum(1 for _ in _SPECIFIC.finditer(text))


def places(text: str) -> int:
    """How many different files or folders it names."""
    return len({match[0] for match in _PATH.finditer(text)})


def lines(text: str) -> int:
    return sum(1 for _ in _LINE.finditer(text))
