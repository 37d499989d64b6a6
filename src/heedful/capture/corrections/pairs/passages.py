"""What an output says, found in bounded time: where a phrase stands, which value a thing has, which words differ.

Every answer is in the spelling of the output, and is empty when there is more than one candidate: what is found here
will be replaced in later texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from heedful.text.lazy_pattern import LazyPattern
from heedful.text.sentences import sentence_at, spans
from heedful.text.words import FUNCTION_WORDS, NEGATIONS

_SEARCHED = 100_000  # characters
_SURVEYED = 8_000  # characters; in a longer output no value is taken to be the only one of its kind
_SPELLED = 8_000  # characters whose words are compared by their spelling
_PLACES = 12  # per phrase
_CANDIDATES = 200  # parts of words included
_AROUND = 200  # characters on either side of a word that may belong to its sentence
_AFTER = 80  # characters within which the value of something follows it
_PHRASE = 150  # characters
_ENOUGH = 0.5  # of the words of a statement must be the output's own
_DIFFERENT = 4  # words
_PASSED = 4  # words of the output that a statement may leave out
_TELLING = 2  # words that carry meaning must be shared, or one where a name or a number differs
_ALIKE = 72  # of 100: two spellings of one word
_JOINED_WORDS = 8
_SEPARATORS = r"[\s_\-]{0,2}"  # between words; AirportName, airport_name and airport name are one

_MONTH = (
    r"(?i:jan(?:uary|uar|vier|eiro|\.)?|enero|feb(?:ruary|ruar|rero|\.)?|févr(?:ier|\.)|fevereiro|mar(?:ch|s|zo|ço|\.)?"
    r"|märz|apr(?:il|\.)?|avril|abril|ma[iy]o?|june?|juni|juin|junio|junho|july?|juli|juillet|julio|julho"
    r"|aug(?:ust|\.)?|août|agosto|sep(?:tember|tembre|tiembre|t\.?|\.)?|setembro|o[ck]t(?:ober|obre|\.)?|octubre"
    r"|outubro"
    r"|nov(?:ember|embre|iembre|embro|\.)?|de[cz](?:ember|embro|iembre|\.)?|diciembre|déc(?:embre|\.))"
)
_DAY = (
    r"(?i:(?:mon|tues|wednes|thurs|fri|satur|sun)day|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi"
    r"|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
    r"|(?:segunda|terça|quarta|quinta|sexta)(?:-feira))\b"
)
_AMOUNT = r"\d{1,20}(?:[.,]\d{1,20}){0,8}"
_UNIT = (
    r"(?:ms|s|secs?|seconds?|min|mins|minutes?|h|hours?|days?|weeks?|months?|years?|px|r?em|pt|[kKMGT]i?B|km|kg|cm|mm"
    r"|Sekunden?|Minuten?|Stunden?|Tagen?|Tage|Wochen?|Monaten?|Monate|Jahren?|Jahre|secondes?|heures?|jours?"
    r"|semaines?|mois"
    r"|ans|segundos?|minutos?|horas?|d[ií]as?|semanas?|meses|años|anos)"
)
_KINDS = {  # the first that fits; a number within a date is no number
    "url": r"https?://[^\s<>()\"'`]{1,200}(?<![.,;:!?])",
    "email": r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,30}){1,4}",
    "date": rf"\d{{1,2}}(?:st|nd|rd|th|\.|er|º)?\s(?:de\s|of\s)?{_MONTH}(?!\w)(?:,?\s(?:de\s)?\d{{4}}\b)?"
    rf"|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,?\s\d{{4}}\b)?|\d{{4}}-\d\d-\d\d\b"
    r"|\d{1,2}(?P<sep>[./])\d{1,2}(?P=sep)(?:\d{4}|\d\d)\b",
    "time": r"\d{1,2}(?::\d\d){1,2}\b(?:\s?[aApP]\.?[mM]\b)?|\d{1,2}\s?(?:[aApP]\.?[mM]\b|Uhr\b|h(?:\d\d)?\b)",
    "weekday": _DAY,
    "version": r"v\d+(?:\.\d+){0,3}\b|\d+(?:\.\d+){2,3}\b(?!,)",
    "file": r"(?:[~.]{0,2}/)?(?:[\w.@-]{1,60}/){0,10}[\w@-]{1,60}\.(?!\d)[a-z]\w{0,4}\b(?![/(.])",
    "folder": r"(?:[~.]{0,2}/)?[A-Za-z_.][\w.@-]{0,60}(?:/[\w.@-]{1,60}){1,10}/?(?<=\w)",
    "money": rf"[$€£¥]\s?{_AMOUNT}|{_AMOUNT}\s?(?:[$€£¥]|(?:USD|EUR|GBP|CHF|BRL|euros?|dollars?)\b)",
    "percent": rf"[-+]?{_AMOUNT}\s?(?:%|percent\b|Prozent\b)",
    "quantity": rf"{_AMOUNT}\s?{_UNIT}(?!\w)",
    "label": r"(?i:step|line|figure|table|section|chapter|page|item|part|phase|row|column)\s\d+\b",
    "number": rf"[-+]?{_AMOUNT}(?![\w/]|[.,]\d|-\w)",
    "call": r"\w{1,60}(?:\.\w{1,60}){0,4}\(\)",
    "name": r"\w{0,60}[A-Za-z0-9]_[A-Za-z0-9]\w{0,60}\b|[a-z]{1,40}[A-Z]\w{0,60}\b|--[a-z][\w-]{1,40}",
}
_VALUE = LazyPattern(r"(?<![\w@.,/])(?:" + "|".join(f"(?P<{name}>{kind})" for name, kind in _KINDS.items()) + ")")
_ENTITY = frozenset(_KINDS) - {"label"}
_MEASURED = frozenset({"quantity", "percent", "money"})  # numbers too, when a mere number is sought
_NUMERAL = LazyPattern(_AMOUNT)
_ITEM = LazyPattern(r"[ \t]*(?:[#*>-]+[ \t]*)?\Z")  # what stands before the number of a list item
_WORD = LazyPattern(r"[^\W_]+(?:[_.'’+#:@/-]+[^\W_]+)*(?:\(\))?|[^\w\s]")
_COPULA = LazyPattern(
    r"[\s*_`\"”]{0,4}(?:(?:of|for|in|von|für|de|du|da|do|del|des)\s(?:\S{1,30}\s){1,3}?)?"
    r"(?:(?:is|was|are|were|will be|should be|equals|named|called|ist|war|sind|lautet|heißt|est|était|sont|es|era|son|é"
    r"|eram?|são|fica)\s+(?:on |at |in |am |um |im |le |à |el |em |en )?|[:=]\s*)[\s*_`\"“]{0,4}",
    re.IGNORECASE,
)
_ARTICLE = LazyPattern(
    r"(?:the|a|an|this|that|these|those|our|my|your|its|their|der|die|das|den|dem|ein|eine|einen|einem|unsere?|le|la"
    r"|les"
    r"|un|une|l['’]|el|los|las|una|o|os|as|um|uma|nosso|nossa|nuestr[oa]|notre)(?:\s+|(?<=['’]))(?=\S)",
    re.IGNORECASE,
)
_FUNCTION = FUNCTION_WORDS | NEGATIONS
_WITHIN_NAMES = frozenset({"of", "de", "da", "do", "del", "la", "von", "van", "der", "du", "and", "the"})


class _Word(NamedTuple):
    text: str  # lower case
    start: int
    end: int


class Difference(NamedTuple):
    """What the output says, and what a statement says in its place."""

    stated: str
    right: str


def kind(text: str) -> str:
    """What kind of value this is, such as a date or a file; empty for mere words."""
    match = _VALUE.fullmatch(text)
    return match.lastgroup or "" if match and match.lastgroup in _ENTITY else ""


def values(text: str, sought: str) -> Iterator[str]:
    """The values of a kind, in order; the numbers of list items are none."""
    for match in _VALUE.finditer(text):
        if sought == "number" and match.lastgroup in _MEASURED:
            yield from (numeral.group() for numeral in _NUMERAL.finditer(match.group()))
        if match.lastgroup != sought:
            continue
        line = text.rfind("\n", 0, match.start()) + 1
        is_item = text[match.end() : match.end() + 1] in (".", ")") and _ITEM.match(text[line : match.start()])
        if not (sought == "number" and is_item):
            yield match.group()


def only_value(like: str, output: str) -> str:
    """The one value of the same kind as this, if the output has exactly one."""
    sought = kind(like)
    if not sought or len(output) > _SURVEYED:
        return ""
    found = {*islice(values(output, sought), _PLACES)}
    return found.pop() if len(found) == 1 else ""


def located(phrase: str, output: str) -> str:
    """A phrase as the output spells it; empty if it is not there."""
    start, end = next(_places(phrase, output), (0, 0))
    return output[start:end]


def word_before(phrase: str, output: str) -> str:
    """The word that stands before the phrase where it first occurs, and before its article."""
    start, _ = next(_places(phrase, output), (0, 0))
    before = output[max(0, start - 40) : start].split()
    if len(before) > 1 and _ARTICLE.match(f"{before[-1]} x"):
        before.pop()
    return before[-1] if before else ""


def value_of(thing: str, like: str, output: str) -> str:
    """What the output gives as the value of a thing, of the same kind as what is right."""
    sought = kind(like)
    found: dict[str, bool] = {}
    for start, end in _places(without_article(thing), output):
        value = _value_after(output, end, sought, like)
        if value and value.casefold() != like.casefold():
            line = output[max(0, start - 40) : start].rpartition("\n")[2]
            found[value] = found.get(value, False) or not any(map(str.isalnum, line))
    if len(found) > 1:  # `Total: 5` tells the total better than a sentence that mentions one
        found = {value: leads for value, leads in found.items() if leads}
    return next(iter(found)) if len(found) == 1 else ""


def nearest_word(word: str, output: str) -> str:
    """The one word of the output that is another spelling of this."""
    from rapidfuzz import fuzz, process

    if not word or len(word) > _PHRASE:
        return ""
    count = len(word.split())
    if count > 3:
        return ""
    words = output[:_SPELLED].split()
    runs = (" ".join(words[at : at + count]) for at in range(len(words) - count + 1))
    choices = dict.fromkeys(run.strip(".,;:!?*_`\"'()[]<>“”«»") for run in runs)
    choices.pop(word, None)
    same = {choice for choice in choices if choice.casefold() == word.casefold()}
    if same:
        return same.pop() if len(same) == 1 else ""
    best = process.extract(word, [*choices], scorer=fuzz.ratio, score_cutoff=_ALIKE, limit=2, processor=str.casefold)
    best = [found for found in best if found[0][:1].isupper() or not word[:1].isupper()]
    return best[0][0] if best and (len(best) == 1 or best[0][1] > best[1][1]) else ""


def without_article(phrase: str) -> str:
    return _ARTICLE.sub("", phrase, count=1) if _ARTICLE.match(phrase) else phrase


def aligned(statement: str, output: str) -> Difference | None:
    """The words of the output that a statement contradicts, if it repeats one of its sentences but for these."""
    new = _words(statement)
    if not 2 < len(new) <= 30 or _denies(new):
        return None
    found = {_difference(statement, new, sentence) for sentence in _sentences(new, output)} - {None}
    return found.pop() if len(found) == 1 else None


def content_words(text: str) -> list[str]:
    return [word.text for word in _words(text) if word.text not in _FUNCTION and word.text[0].isalnum()]


def _denies(words: list[_Word]) -> bool:
    return any(word.text in NEGATIONS or word.text.endswith(("n't", "n’t")) for word in words)


def _places(phrase: str, output: str) -> Iterator[tuple[int, int]]:
    """Where a phrase stands: as it is written, or else in other capitals, or else joined or in the singular."""
    if not phrase or len(phrase) > _PHRASE:
        return
    output = output[:_SEARCHED]
    exact = [*islice(_standing(phrase, output), _PLACES)]
    lowered = output.lower()
    if not exact and len(lowered) == len(output):  # some letters become two
        exact = [*islice(_standing(phrase.lower(), lowered), _PLACES)] or _joined_places(phrase.lower(), lowered)
    yield from exact


def _standing(phrase: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a phrase stands by itself, not as part of a word."""
    place = text.find(phrase)
    for _ in range(_CANDIDATES):
        if place < 0:
            return
        end = place + len(phrase)
        before, after = text[place - 1 : place], text[end : end + 1]
        if not (_is_letter(before) and _is_letter(phrase[0])) and not (_is_letter(after) and _is_letter(phrase[-1])):
            yield place, end
        place = text.find(phrase, end)


def _joined_places(phrase: str, text: str) -> list[tuple[int, int]]:
    words = phrase.split()
    if len(words) > _JOINED_WORDS or not all(map(_is_letter, (phrase[0], phrase[-1]))):
        return []
    forms = [re.escape(word[:-1]) + "s?" if word.endswith("s") else re.escape(word) + "s?" for word in words]
    if not all(word.removesuffix("s") in text for word in words):
        return []
    pattern = re.compile(rf"{_SEPARATORS.join(forms)}(?!\w)")  # begins with plain letters, which are found fast
    matches = (match.span() for match in islice(pattern.finditer(text), _CANDIDATES))
    return [*islice(((start, end) for start, end in matches if not _is_letter(text[start - 1 : start])), _PLACES)]


def _is_letter(char: str) -> bool:
    return char.isalnum() or char == "_"


def _value_after(output: str, place: int, sought: str, like: str) -> str:
    """The value that follows a place within its sentence."""
    rest = output[place : place + _AFTER]
    start, end = next(spans(rest), (0, 0))
    rest = "" if start else rest[:end]  # a line may end here
    if sought:
        return next(values(rest, sought), "")
    copula = _COPULA.match(rest)
    if copula is None:
        return ""
    value = _noun_phrase(rest[copula.end() :])
    is_noun = _noun_phrase(like) == like and value[:1].isupper() == like[:1].isupper()
    return value if is_noun and not kind(value) else ""


def _noun_phrase(text: str) -> str:
    """The words up to the next function word or punctuation."""
    end = 0
    words = _words(text)
    for count, word in enumerate(words):
        opens = count == 0 and word.text in ("a", "an", "the")
        follows = text[words[count + 1].start] if count + 1 < len(words) else ""
        within = count > 0 and word.text in _WITHIN_NAMES and follows.isupper() and text[words[0].start].isupper()
        if count >= _DIFFERENT or not word.text[0].isalnum() or (word.text in _FUNCTION and not opens and not within):
            break
        end = word.end
    return text[words[0].start : end] if end else ""


def _words(text: str) -> list[_Word]:
    return [_Word(match.group().lower(), *match.span()) for match in _WORD.finditer(text)]


def _sentences(statement: list[_Word], output: str) -> list[str]:
    """The sentences around the longest words of a statement."""
    lowered = output[:_SEARCHED].lower()
    if len(lowered) != len(output[:_SEARCHED]):
        return []
    content = {word.text for word in statement if word.text not in _FUNCTION and word.text[0].isalnum()}
    found: dict[str, None] = {}
    for word in sorted(content, key=lambda word: (-len(word), word))[:3]:
        place = lowered.find(word)
        for _ in range(_PLACES):
            if place < 0:
                break
            found[_sentence_at(output, place)] = None
            place = lowered.find(word, place + _AROUND // 4)
    return [sentence for sentence in found if sentence][:_PLACES]


def _sentence_at(output: str, place: int) -> str:
    start, end = sentence_at(output, place, place + 1, _AROUND)
    sentence = output[start:end].strip()
    return "" if sentence.endswith("?") else sentence.rstrip(".!…")  # a question is not contradicted but answered


def _difference(statement: str, new: list[_Word], sentence: str) -> Difference | None:
    from rapidfuzz.distance import Indel

    old = _words(sentence)
    codes = [*Indel.opcodes([word.text for word in old], [word.text for word in new])]
    put = [code for code in codes if code.tag in ("insert", "replace")]
    equal = [code for code in codes if code.tag == "equal"]
    if len(put) != 1 or put[0] is codes[0] or put[0].dest_end - put[0].dest_start > _DIFFERENT:
        return None
    first, last = put[0].dest_start, put[0].dest_end
    right = statement[new[first].start : new[last - 1].end]
    before = [code.src_end for code in equal if code.dest_end == first]
    after = [code.src_start for code in equal if code.dest_start == last]
    if not before or _denies(old) or not _repeats(new, [word.text for word in new[:first] + new[last:]], right):
        return None
    gap = before[-1], after[0] if after else len(old)
    within = equal[-1].src_end - equal[0].src_start - sum(code.src_end - code.src_start for code in equal)
    if within - (gap[1] - gap[0] if after else 0) > _PASSED:
        return None
    return _told_apart(statement, sentence, old, gap, right, new[first].start, is_last=not after)


def _repeats(new: list[_Word], same: list[str], right: str) -> bool:
    """Whether enough of a statement is what the output says."""
    telling = {word for word in same if word not in _FUNCTION and word.isalpha()}
    is_named = right[:1].isupper() or any(map(str.isdigit, right))
    needed = 1 if is_named and len(same) > _TELLING else _TELLING
    return len(same) >= max(_TELLING, _ENOUGH * len(new)) and len(telling) >= needed


def _told_apart(
    statement: str, sentence: str, old: list[_Word], gap: tuple[int, int], right: str, at: int, *, is_last: bool
) -> Difference | None:
    """The differing words on either side, with the rest of a value they are part of (`March` of `March 3rd`)."""
    start, end = gap
    if start >= end:
        return None
    whole = next((match for match in _VALUE.finditer(statement) if match.start() <= at < match.end()), None)
    if whole and whole.lastgroup in _ENTITY:
        place = old[start].start
        other = next((m for m in _VALUE.finditer(sentence) if m.start() <= place < m.end()), None)
        same_kind = other is not None and other.lastgroup == whole.lastgroup
        return Difference(other.group(), whole.group()) if other and same_kind else None
    if is_last:
        stated = _noun_phrase(sentence[old[start].start :])
    elif end - start > _DIFFERENT:
        return None
    else:
        stated = sentence[old[start].start : old[end - 1].end]
    alike = stated[:1].isupper() == right[:1].isupper()
    is_value = next(_VALUE.finditer(stated), None) is None
    return Difference(stated, right) if stated and alike and is_value else None
