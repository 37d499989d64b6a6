"""Whether a message only tells how things were, or are elsewhere: `at my last job we used tabs, not spaces`.

It says `not` as corrections do, but changes nothing of what is. Who goes on with what holds now does.
"""

from __future__ import annotations

import re

from heedful.text.contribution import contributes
from heedful.text.words import NEGATIONS

_READ = 300  # characters
_PART = re.compile(
    r"[,;:.!?]\s+|\s[-–—]\s|\b(?=(?:but|now|today|nowadays|since|aber|jetzt|heute|seit|mais|maintenant|depuis|pero|ahora"
    r"|desde|mas|agora|hoje)\b)",
    re.IGNORECASE,
)
_FORMER = (
    r"(?:old|previous|former|last|prior|alten?|früheren?|ehemaligen?|vorigen?|letzten?|anciens?|anciennes?|"
    r"dernière?|précédente?|antigu[oa]|antig[oa]|viej[oa]|velh[oa]|anterior|últim[oa])"
)
_WORKPLACE = (
    r"(?:company|job|team|firm|employer|workplace|startup|office|school|shop|agency|role|place|firma|arbeit|stelle|"
    r"betrieb|arbeitgeber|schule|büro|agentur|entreprise|boîte|équipe|poste|boulot|travail|employeur|école|agence|"
    r"empresa|trabajo|equipo|empleo|escuela|oficina|agencia|emprego|trabalho|equipe|escola|escritório|agência)"
)
_ELSEWHERE = re.compile(
    r"\b(?:at|in|with|for|bei|im|dans|chez|à|en|na|no|em)\s(?:\w{1,12}\s){0,2}?"
    rf"(?:{_FORMER}\s{_WORKPLACE}|{_WORKPLACE}\s{_FORMER})\b",
    re.IGNORECASE,
)
_USED_TO = re.compile(r"\b(?:i|we|they|you|he|she|it|people|everyone)\s(?:all\s|always\s)?used to\s\w", re.IGNORECASE)
_FORMERLY = re.compile(
    r"^\W*(?:\w{1,5}\W{1,3})?(?:früher|vorher|damals|avant|autrefois|auparavant|antes|antiguamente|anteriormente|"
    r"antigamente)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|had|did|said|ran|went|wrote|kept|made|took|got|built|chose|held|sent|paid|began|came|gave|met|sold|spoke|told|thought|wore|drove|ate|drank|[^\W\d_]{2,15}ed|war|waren|hatten?|hab(?:en?)?|"
    r"wurden?|hieß(?:en)?|schloss|[^\W\d_]{2,15}(?:ait|aient|aba|aban|ábamos|ía|ían|íamos|ava|avam|ávamos|iam)|abria|"
    r"era|eran|eram|éramos|usaban?|tinha|tinham|tínhamos|teníamos|avions|étions)\b",
    re.IGNORECASE,
)


def is_of_elsewhere(message: str, output: str) -> bool:
    """An output that tells of the past itself may be wrong about it."""
    if len(message) > _READ or _tells(output):
        return False
    parts = _parts(message)
    if not any(map(_tells, parts)) or not contributes(" ".join(filter(_tells, parts))):
        return False
    return not any(contributes(part) for part in parts if not _tells(part)) and not _denies(message)


def _tells(part: str) -> bool:
    if _USED_TO.search(part):
        return True
    if _PAST.search(part) is None:
        return False
    return bool(_ELSEWHERE.search(part) or _FORMERLY.match(part))


def _denies(message: str) -> bool:
    """`No, back then …` is about what the output says."""
    first = re.match(r"\W*(\w+)\s*[,.!;:–—-]", message)
    return first is not None and first[1].casefold() in NEGATIONS | {"nein"}


def _parts(message: str) -> list[str]:
    """Its clauses. What only denies (`not spaces`), or says where or when (`at my last job`), has none of its own."""
    found: list[str] = []
    for part in filter(str.strip, _PART.split(message)):
        opens = part.split()[0].casefold()
        is_frame = bool(found) and _PAST.search(found[-1]) is None and _is_frame(found[-1])
        if found and (opens in NEGATIONS or is_frame or opens == "back"):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return found


def _is_frame(part: str) -> bool:
    return bool(_ELSEWHERE.search(part) or _FORMERLY.match(part))
