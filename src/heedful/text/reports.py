"""Whether a passage tells what somebody said or did, or how things were: corrections do not change that."""

from __future__ import annotations

import re

_TOLD = "said|says|wrote|writes|asked|told|claimed|claims|thought|believed|reported|quoted|mentioned|typed"
_DONE = "wrote|ran|made|did|built|sent|put|set|took|gave|found|kept|left|chose|got|used"
_OFTEN = r"(?:(?:have|has|had|already|just|also|then|once)\s+){0,3}"
_REPORT = re.compile(
    rf"\b(?:I|we|he|she|they|you|who|user|person|[A-Z]\w+)(?:['’]ve|['’]d)?\s+{_OFTEN}(?:{_TOLD})\b"
    rf"|\b(?:I|[Ww]e)(?:['’]ve)?\s+{_OFTEN}(?:\w{{2,20}}ed|{_DONE})\b"
    r"|\b(?:[Ii]ch habe|[Ww]ir haben|[Jj]['’]ai|[Nn]ous avons|[Hh]e (?:usado|escrito|hecho))\b"
    r"|\b(?:[Uu]ntil|[Tt]ill|[Bb]ack in|[Bb]efore|[Bb]is|[Jj]usqu['’]en|[Hh]asta|[Aa]té) (?:19|20)\d\d\b"
    r"|\b[Ll]ast (?:year|month|week|season|spring|summer|autumn|winter)\b|\b[Ll]etzte[sn]? (?:Jahr|Monat|Woche)\b"
    r"|\b(?:l['’]an|l['’]année) derni|\baño pasado\b|\bano passado\b"
)
_REACH = 320  # characters before a place that are looked at
_QUOTED = re.compile(r"(?m)^[^\S\n]*>")

_CITED = re.compile(r":\s?[\"“„«'‘][^\"”“»\n]{0,300}\Z|\b(?:19|20)\d\d\s?:[^.!?\n]{0,300}\Z")


def is_cited(before: str) -> bool:
    """Whether what follows stands in a quotation, or in a document of an earlier year: `Audit of 2020: "…"`."""
    return _CITED.search(before[-_REACH:]) is not None


def is_report(passage: str) -> bool:
    return _REPORT.search(passage) is not None or _QUOTED.match(passage) is not None
