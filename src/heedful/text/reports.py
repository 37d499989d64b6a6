"""Whether a passage tells what somebody said or did, or how things were: corrections do not change that."""

from __future__ import annotations

import re

from heedful.text.inflection import is_past

_TOLD = "said|says|wrote|writes|asked|told|claimed|claims|thought|believed|reported|quoted|mentioned|typed"
_DONE = "wrote|ran|made|did|built|sent|put|set|took|gave|found|kept|left|chose|got|used"
_OFTEN = r"(?:(?:have|has|had|already|just|also|then|once)\s+){0,3}"
_SPEECH = re.compile(
    rf"\b(?:I|we|he|she|they|you|who|user|person|[A-Z]\w+)(?:['’]ve|['’]d)?\s+{_OFTEN}(?:{_TOLD})\b"
    r"|\b(?:said|says|wrote|claimed|claims|reported|told \w+)(?:\s+that\b|:)|\bcalls? (?:it|them)sel(?:f|ves)\b"
)
_REPORT = re.compile(
    rf"\b(?:I|[Ww]e)(?:['’]ve)?\s+{_OFTEN}(?:\w{{2,20}}ed|{_DONE})\b"
    r"|\b(?:[Ii]ch habe|[Ww]ir haben|[Jj]['’]ai|[Nn]ous avons|[Hh]e (?:usado|escrito|hecho))\b"
    r"|\b(?:[Uu]ntil|[Tt]ill|[Bb]ack in|[Bb]efore|[Bb]is|[Jj]usqu['’]en|[Hh]asta|[Aa]té) (?:19|20)\d\d\b"
    r"|\b[Ll]ast (?:year|month|week|season|spring|summer|autumn|winter)\b|\b[Ll]etzte[sn]? (?:Jahr|Monat|Woche)\b"
    r"|\b(?:l['’]an|l['’]année) derni|\baño pasado\b|\bano passado\b"
)
_IN_YEAR = re.compile(r"\b[Ii]n (?:19|20)\d\d\b")
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
    return is_speech(passage) or _REPORT.search(passage) is not None


def was_then(passage: str, sentence: str) -> bool:
    """Whether it tells how things were, and the sentence how they are: `the lead was Bob`, and `the lead is Bob`."""
    tenses = [(now.search(passage), then.search(passage), now, then) for now, then in _TENSES]
    if _IN_YEAR.search(passage) and not _IN_YEAR.search(sentence) and not any(is_now for is_now, *_ in tenses):
        return any(is_past(word) for word in passage.lower().split())
    return any(
        was and not is_now and now.search(sentence) and not then.search(sentence) for is_now, was, now, then in tenses
    )
