"""Street addresses and post boxes in unambiguous formats, and labelled dates of birth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from heedful.text.redaction.spans import SensitiveSpan, offsets

# 221 Old Mill Road, Apt. 4, Springfield, IL 62704
_KINDS = (
    "Street|Avenue|Road|Boulevard|Lane|Drive|Court|Terrace|Highway|Parkway|Crescent|Square|St|Ave|Rd|Blvd|Ln|Dr|Hwy"
)
_KIND_MARKS = (
    *(" St", " Ave", " Road", " Rd", " Boul", " Blvd", " Lane", " Ln", " Dr", " Court", " Terr", " High", " Hwy"),
    *(" Park", " Cres", " Squ"),
)  # fmt: skip
_KIND = re.compile(rf" (?:{_KINDS})(?![\w-])")
_NUMBER_FIRST = re.compile(
    r"[0-9](?<![\w.,:#-][0-9])\d{0,4}[A-Za-z]?(?: \d{1,4})?"
    r"(?: (?:[^\W\d_a-z][\w'’.-]{0,30}|\d{1,3}(?:st|nd|rd|th)|of|de|la)){1,4}?(?<!Google)(?<!Hard)(?<!Flash)(?<!USB)"
    rf" (?:{_KINDS})(?![\w-])\.?(?:,?\s{{1,3}}(?:Apt|Apartment|Suite|Unit|Floor|Flat|Ste)\.? ?#?\w{{1,6}}){{0,2}}"
    r"(?:,?\s{1,2}(?:[^\W\d_][\w'’.-]{1,30}[ ,]{1,2}\n?[ ]?){1,3}(?:[A-Z]{2}[ ,]{1,2})?\d{4,6}(?:-\d{4})?(?!\w))?"
)
# Lindenstraße 12, Rua das Flores 7
_ENDINGS = ("stra", "str. ", "gatan ", "gasse ")
_ENDED = re.compile(
    r"(?:stra(?:ße|sse|at)|str\.|gatan|gasse) \d{1,4}[a-z]?(?![\w.])(?:,? {1,2}\d{4,5} [^\W\d_][\w-]{1,30})?"
)
_BEGINNINGS = ("Rua ", "Rue ", "Calle ", "Avenida ")
_BEGUN = re.compile(r"\w{3,7} (?:[^\W\d_][\w'’-]{0,24} ){1,5}\d{1,4}(?![\w.])")
_BOX = re.compile(
    r"(?i)(?<!\w)(?:P\.? ?O\.? ?Box \d{1,6}(?!\w)|(?:PSC|Unit) \d{3,5},? Box \d{3,5}\s{1,3}[AFD]PO A[AEP] \d{5}(?!\d)"
    r"|US(?:NS|S|CGC|NV) [\w'’-]{2,30}\s{1,3}[AFD]PO A[AEP] \d{5}(?!\d))"
)
_BOX_HINTS = (" box ", "po a")
_BIRTH_HINTS = ("born", "birth", "dob", "d.o.b")
_BIRTH = re.compile(
    r"(?i)(?:born(?: on)?|birth(?: ?date|day)?(?: is)?|d\.?o\.?b\.?)[\"']?\s{0,2}[:=]?\s{0,2}[\"']?"
    r"(\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}(?:st|nd|rd|th)? [A-Za-z]{3,9},? \d{4}"
    r"|[A-Za-z]{3,9} \d{1,2}(?:st|nd|rd|th)?,? \d{4})(?![\w-])"
)


def streets(text: str, lowered: str) -> Iterator[SensitiveSpan]:
    for start, end in chain(_with_number_first(text), _with_number_last(text, lowered), _boxes(text, lowered)):
        yield SensitiveSpan(start, end, "ADDRESS", " ".join(text[start:end].lower().split()))
    for hint in _BIRTH_HINTS:
        for at in offsets(hint, lowered):
            if found := _BIRTH.match(text, at):
                yield SensitiveSpan(*found.span(1), "BIRTHDATE", found[1].lower())


def _with_number_first(text: str) -> Iterator[tuple[int, int]]:
    for mark in _KIND_MARKS:
        for at in offsets(mark, text):
            if _KIND.match(text, at) and (found := _NUMBER_FIRST.search(text, max(0, at - 90), at + 120)):
                yield found.span()


def _with_number_last(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    for ending in _ENDINGS:
        for at in offsets(ending, lowered):
            if rest := _ENDED.match(lowered, at):
                word = text[max(0, at - 30) : at].rsplit(" ", 1)[-1]
                if word[:1].isupper() and word.isalpha():
                    yield at - len(word), rest.end()
    for beginning in _BEGINNINGS:
        for at in offsets(beginning, text):
            if found := _BEGUN.match(text, at):
                yield found.span()


def _boxes(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    for hint in _BOX_HINTS:
        for at in offsets(hint, lowered):
            if found := _BOX.search(text, max(0, at - 40), at + 60):
                yield found.span()
