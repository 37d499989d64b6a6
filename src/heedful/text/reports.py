"""Whether a passage tells what somebody said or did, or how things were: corrections do not change that."""

from __future__ import annotations

import re

from heedful.text.inflection import is_past
from heedful.text.languages import is_portuguese
from heedful.text.words import words_of

_TOLD = "said|says|wrote|writes|asked|told|claimed|claims|thought|believed|reported|quoted|mentioned|typed"
_DONE = "wrote|ran|made|did|built|sent|put|set|took|gave|found|kept|left|chose|got|used|written|chosen|done"
_OFTEN = r"(?:(?:have|has|had|already|just|also|then|once)\s+){0,3}"
_SPEECH = re.compile(
    rf"\b(?:I|we|he|she|they|you|who|user|person|[A-Z]\w+)(?:['’]ve|['’]d)?\s+{_OFTEN}(?:{_TOLD})\b"
    r"|\b(?:said|says|wrote|claimed|claims|reported|told \w+)(?:\s+that\b|:)|\bcalls? (?:it|them)sel(?:f|ves)\b"
)
_REPORT = re.compile(
    rf"\b(?:I|[Ww]e|[Hh]e|[Ss]he|[Tt]hey)(?:['’]ve)?\s+{_OFTEN}(?:\w{{1,20}}[^\We]ed|{_DONE})\b"
    r"|\b(?:[Ii]ch habe|[Ww]ir haben|[Jj]['’]ai|[Nn]ous avons)\b|\b(?:[Hh]e|[Hh]emos) \w{2,20}(?:[ai]do|[rs]to|cho)\b"
    r"|\b(?:has|have|had)(?: \w{1,20}){0,2} \w{2,20}(?:ed|en|ne|ught)\b[^.;!?\n]{0,80}\b(?:from|off)\s"
    r"|\b(?:[Uu]ntil|[Tt]ill|[Bb]ack in|[Bb]efore|[Bb]is|[Jj]usqu['’]en|[Hh]asta|[Aa]té) (?:19|20)\d\d\b"
    r"|\b[Ll]ast (?:year|month|week|season|spring|summer|autumn|winter)\b|\b[Ll]etzte[sn]? (?:Jahr|Monat|Woche)\b"
    r"|\b(?:l['’]an|l['’]année) derni|\baño pasado\b|\bano passado\b"
)
_IN_YEAR = re.compile(r"\b[Ii]n (?:19|20)\d\d\b")
# Nobody is named, only what was done: `Ran the tests`, `Done: added a config`, `Escribí el test`, `Ajouté une page`.
_BEGUN = re.compile(
    r"(?:\A|[:;.!?,]\s)[\W_]{0,8}(?:(?:also|just|already|then|and|ya|já|déjà)\s+)?([^\W\d_]{3,20})\b", re.I
)
_CLAUSE = re.compile(r"[^.;!?\n]{0,200}")
_GOES_ON = re.compile(r"\b(?:is|are|has|have|can|may|must|shall|should|will|would|do|does|needs?|gets?)\b")
_PARTICIPLE = re.compile(r"\s+(?:on|to|by|with|in|as|from|for|at|of)\b[^,]{0,100},\s")  # `Based on it, …`
_NOT_PAST = words_of("embed shed wed sled bed red set put cut let read hit hundred indeed")
_I_DID = re.compile(r"(?<![aei]r)(?<!it)(?<!qu)é\Z|[^aeiouáéí]í\Z")
_EU_FIZ = re.compile(r"[^\W\d_]{2}ei\Z|[bcdfglmnprstvz]i\Z")
_O = re.compile(r"\s(?:o|a|os|as|um|uma|com|em|no|na|nos|nas|meu|minha)\b")
_ONE_DID_NOT = words_of("así aquí allí ahí casi porqué también café sí mí sé té")
_ICH_HABE = re.compile(
    r"\A\W*(?:[Hh]aben?\s(?!Sie\b)"
    r"|(?![^.!?\n]{0,200}\b(?:wird|werden|ist|sind|muss|müssen|soll|sollen|kann|darf)\b)[^.;!?\n]{1,200}\s"
    r"(?:[a-zäöü]{0,6}ge[a-zäöüß]{3,20}t|[a-zäöü]{2,6}ge[a-zäöüß]{3,20}en|gebaut|[a-zäöü]{3,20}iert)\W*\Z)"
)
_REACH = 320  # characters before a place that are looked at
_QUOTED = re.compile(r"(?m)^[^\S\n]*>")
_CITED = re.compile(r":\s?[\"“„«'‘][^\"”“»\n]{0,300}\Z|\b(?:19|20)\d\d\s?:[^.!?\n]{0,300}\Z")
_TENSES = tuple(
    (re.compile(rf"\b(?:{now})\b"), re.compile(rf"\b(?:{then})\b"))
    for now, then in (
        ("is|are|am", "was|were"), ("has|have", "had"), ("ist|sind", "war|waren"), ("hat|haben", "hatte|hatten"),
        ("est|sont", "était|étaient|fut"), ("es|son|está|están", "era|eran|fue|fueron|estaba|estaban"),
        ("é|são|está|estão", "era|eram|foi|foram|estava|estavam"),
    )
)  # fmt: skip


def is_cited(before: str) -> bool:
    """Whether what follows stands in a quotation, or in a document of an earlier year: `Audit of 2020: "…"`."""
    return _CITED.search(before[-_REACH:]) is not None


def is_speech(passage: str) -> bool:
    """Whether it tells what somebody said or wrote."""
    return _SPEECH.search(passage) is not None or _QUOTED.match(passage) is not None


def is_report(passage: str) -> bool:
    """Whether it tells what somebody said, wrote or did, or how things were."""
    if is_speech(passage) or _REPORT.search(passage) or _ICH_HABE.match(passage):
        return True
    return any(_was_done(passage, begun) for begun in _BEGUN.finditer(passage))


def was_then(passage: str, sentence: str) -> bool:
    """Whether it tells how things were, and the sentence how they are: `the lead was Bob`, and `the lead is Bob`."""
    tenses = [(now.search(passage), then.search(passage), now, then) for now, then in _TENSES]
    if _IN_YEAR.search(passage) and not _IN_YEAR.search(sentence) and not any(is_now for is_now, *_ in tenses):
        return any(is_past(word) for word in passage.lower().split())
    return any(
        was and not is_now and now.search(sentence) and not then.search(sentence) for is_now, was, now, then in tenses
    )


def _was_done(passage: str, begun: re.Match[str]) -> bool:
    """Whether a clause begins with a verb in the past, and nobody does something in it now."""
    word, clause = begun[1].lower(), _CLAUSE.match(passage, begun.end())
    if clause is None or word in _NOT_PAST or word in _ONE_DID_NOT:
        return False
    if _I_DID.search(word):
        return begun.start() == 0
    if begun.start() == 0 and _EU_FIZ.search(word):
        return bool(_O.match(clause[0])) or is_portuguese(passage, 0, len(passage)) is True
    after_comma = passage[begun.start()] == ","
    is_done = is_past(word) and not after_comma and clause[0].strip() != ""
    return is_done and not _GOES_ON.search(clause[0]) and not _PARTICIPLE.match(clause[0] + passage[clause.end() :])
