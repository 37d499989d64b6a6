"""Sentences about the two who talk: what the agent always does wrong, and how the person is today.

They may tell what is wished, but are not the wish, and hold for nobody else.
"""

from __future__ import annotations

import re

from heedful.text.lasting import FROM_NOW_ON, WISH

_OPENING = r"\W*(?:(?:no|ok(?:ay)?|and|but|so|well|wait|und|aber|et|mais|y|pero|e|mas)\b\W+){0,2}"
_COMPLAINT = re.compile(
    rf"{_OPENING}(?!{WISH}\b)(?:(?:why do )?you(?:['’](?:re|ve))?|du|ihr|tu|vous|tú|vos|você)\s"
    r"(?:[\w'’]+\s){0,2}?(?:always|never|keep|constantly|forever|again|immer|ständig|dauernd|wieder|nie|"
    r"toujours|jamais|siempre|nunca|sempre)\b",
    re.IGNORECASE,
)
_FROM_NOW_ON = rf"(?:{FROM_NOW_ON}\W+(?:(?!will|möchte|mag|brauche|erwarte)[^\W\d_]+\s(?=ich\b))?)?"
_OF_THEMSELVES = re.compile(
    rf"{_OPENING}{_FROM_NOW_ON}(?:I|ich|je|yo|eu)(?:['’]\w+)?\s"
    r"(?!(?:[\w'’]+\s)?(?:prefer|want|like|need|rather|expect|hate|use|work|möchte|will|mag|bevorzuge|veux|voudrais|préfère|"
    r"aime|quiero|prefiero|quero|prefiro|gosto)\b)|\W*j['’](?!aime)\w",
    re.IGNORECASE,
)


def is_complaint(sentence: str) -> bool:
    """`You always forget the semicolon`."""
    return _COMPLAINT.match(sentence) is not None


def is_of_themselves(sentence: str) -> bool:
    """`I'm on vacation`; not what they want or use."""
    return _OF_THEMSELVES.match(sentence) is not None
