"""Examples made from the exchanges: plain corrections ("it's X, not Y"), and what people said with other values.

People rarely name both the wrong and the right words, so there are too few exchanges to learn from where these begin
and end. Here a value in an output (a number, a name, a word) is the wrong one, another of its kind the right one.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from heedful.text.sentences import spans

Row = dict[str, Any]

_FORMS = orjson.loads((Path(__file__).parent / "plain_forms.json").read_bytes())
_DAYS = (
    "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|"
    "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|"
    "segunda|terça|quarta|quinta|sexta"
)
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December|Januar|Februar|März|Mai|Juni|"
    "Juli|Oktober|Dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|"
    "marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|janeiro|fevereiro|março|maio|junho|julho|"
    "setembro|outubro|novembro|dezembro"
)
_KINDS = {  # the first that matches wins
    "code": re.compile(r"`([^`\n]{2,40})`"),
    "quoted": re.compile(r"[\"“„«]([^\"”“»\n]{2,40})[\"”“»]"),
    "path": re.compile(r"(?<![\w/.-])[\w.-]*/[\w./-]+\w|\b\w+\.(?:py|ts|js|json|ya?ml|md|csv|pdf|txt|go|sql|toml)\b"),
    "identifier": re.compile(r"\b(?:[a-z]+_[a-z_0-9]+|[a-z]+[A-Z]\w+|\w+\(\))"),
    "price": re.compile(r"[€$£] ?\d[\d.,]*\d|[€$£]\d|\d[\d.,]* ?(?:€|euros?|dollars|pounds|reais)"),
    "time": re.compile(r"\b\d{1,2}[:h]\d{2}\b|\b\d{1,2} ?(?:am|pm|Uhr)\b"),
    "date": re.compile(
        rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)? (?:de )?(?:{_MONTHS})\b|\b(?:{_MONTHS}) \d{{1,2}}\b"
        r"|\b\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?\b|\b\d{4}-\d\d-\d\d\b"
    ),
    "day": re.compile(rf"\b(?:{_DAYS})s?\b"),
    "month": re.compile(rf"\b(?:{_MONTHS})\b"),
    "version": re.compile(r"\bv?\d+\.\d+\.\d+\b|\bv\d+(?:\.\d+)?\b"),
    "percent": re.compile(r"\d[\d.,]* ?%"),
    "year": re.compile(r"\b(?:19|20)\d\d\b"),
    "number": re.compile(r"(?<![\w.,])\d[\d.,]*(?<![.,])(?![\w%])"),
    "name": re.compile(r"(?<=[a-zà-ÿ,;] )[A-ZÀ-Ý][\w'’-]+(?: (?:de |da |van |von )?[A-ZÀ-Ý][\w'’-]+){0,2}"),
    "word": re.compile(r"\b[a-zà-ÿ]{5,14}\b"),
}  # fmt: skip
_CLAUSE = re.compile(r"[,;:.()\n|]")
_WORD_SHARE = 0.15  # of the values that are chosen: nearly every output has many words
_NO_CORRECTION = 0.2
_WHOLE, _QUESTION = 0.4, 0.5  # of the examples have the whole output, and the question
_LONGEST_CONTEXT = 3  # words of the sentence that a message repeats


class Value(NamedTuple):
    kind: str
    text: str
    start: int


class PlainForms:
    """Makes new examples from exchanges, with values taken from all of them."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._values: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row in rows:
            for value in values(row["output"]):
                self._values[row["lang"], value.kind].append(value.text)

    def made(self, row: Mapping[str, Any], chance: random.Random) -> Row | None:
        """A plain correction of the output of an exchange, or something plain that corrects nothing."""
        output, forms = _part(row["output"], chance), _FORMS[row["lang"]]
        row = {**row, **_NOTHING, "output": output, "question": row["question"] if chance.random() < _QUESTION else ""}
        wrong = _chosen(values(output), chance)
        right = wrong and self._other(row["lang"], wrong, output, chance)
        if not wrong or not right:
            return None
        if chance.random() < _NO_CORRECTION:
            act = chance.choice(list(forms["others"]))
            message = _cased(chance.choice(forms["others"][act]).format(wrong=wrong.text, right=right), chance)
            return {**row, "message": message, "act": act}
        form, context = self._form(row["question"], output, wrong, forms, chance)
        lead, tail = chance.choice(forms["leads"]), chance.choice(forms["tails"])
        core = form.format(wrong=wrong.text, right=right, **context)
        message = _cased(lead + core + tail, chance)
        sentence = _sentence(output, wrong.start)
        found = {
            "about": sentence, "wrong": wrong.text, "right": right, "right_in_message": _in(right, message),
            "wrong_in_message": _in(wrong.text, message) if "{wrong}" in form else "",
        }  # fmt: skip
        return {**row, **found, "message": message, "act": "correction"}

    def with_other_values(self, row: Mapping[str, Any], chance: random.Random) -> Row:
        """What people really said, about other values; the row itself where that is not possible."""
        wrong, right, output = row["wrong"], row["right_in_message"], row["output"]
        if not wrong or not right or output.count(wrong) != 1 or row["message"].count(right) != 1:
            return dict(row)
        kind = kind_of(wrong)
        if kind == "word" or kind != kind_of(right):
            return dict(row)
        old = Value(kind, wrong, 0)
        new_wrong = self._other(row["lang"], old, output, chance)
        new_right = self._other(row["lang"], old, output, chance)
        if not new_wrong or not new_right or new_wrong.casefold() == new_right.casefold():
            return dict(row)
        message = row["message"].replace(right, new_right)
        named = row["wrong_in_message"]
        if named:
            if named.casefold() != wrong.casefold() or message.count(named) != 1:
                return dict(row)
            message = message.replace(named, new_wrong)
        elif wrong in message:
            return dict(row)
        return {
            **row, "message": message, "output": output.replace(wrong, new_wrong), "wrong": new_wrong,
            "about": row["about"].replace(wrong, new_wrong), "right": new_right, "right_in_message": new_right,
            "wrong_in_message": new_wrong if named else "", "always": row["always"],
        }  # fmt: skip

    def _other(self, lang: str, value: Value, output: str, chance: random.Random) -> str | None:
        pool = self._values[lang, value.kind]
        for _ in range(8):
            text = chance.choice(pool) if pool else ""
            if text and text.casefold() not in output.casefold() and value.text.casefold() != text.casefold():
                return text
        return None

    def _form(
        self, question: str, output: str, wrong: Value, forms: Mapping[str, Any], chance: random.Random
    ) -> tuple[str, dict[str, str]]:
        """A form, and the words beside the wrong ones that it repeats. A bare one where no other value can be meant:
        what was asked about is not what is wrong."""
        alike = {value.text for value in values(output) if value.kind == wrong.kind and value.text not in question}
        alone = alike == {wrong.text} and wrong.kind != "word"
        sides = ["two", "two", "before", "after", *(["one"] * 3 if alone else [])]
        sentence = _sentence(output, wrong.start)
        at = sentence.find(wrong.text)
        before = _words(_CLAUSE.split(sentence[:at])[-1])[-chance.randint(1, _LONGEST_CONTEXT) :]
        after = _words(_CLAUSE.split(sentence[at + len(wrong.text) :])[0])[: chance.randint(1, _LONGEST_CONTEXT)]
        side = chance.choice(sides)
        if (side == "before" and not before) or (side == "after" and not after):
            side = "two"
        return chance.choice(forms[side]), {"before": " ".join(before), "after": " ".join(after)}


_NOTHING: Row = {
    "always": None, "about": "", "wrong": "", "right": "", "right_in_message": "", "wrong_in_message": "",
    "fixed": "", "subject": "", "later": [], "near": [], "manner": False,
}  # fmt: skip


def values(text: str) -> list[Value]:
    """The values in a text that one may get wrong."""
    taken = [False] * len(text)
    found = []
    for kind, pattern in _KINDS.items():
        for match in pattern.finditer(text):
            start, end = match.span(match.lastindex or 0)
            if not any(taken[start:end]):
                taken[start:end] = [True] * (end - start)
                found.append(Value(kind, text[start:end], start))
    return found


def kind_of(text: str) -> str:
    for kind, pattern in _KINDS.items():
        if (match := pattern.fullmatch(text)) is not None and match.lastindex is None:
            return kind
    return "name" if text[:1].isupper() and " " not in text.strip() else "word"


def minimal(row: Row) -> Row:
    """The row with the fewest words that differ, and with the right words where the message has them as they are."""
    if not (row["wrong"] and row["right"]):
        return {**row, "right_in_message": "", "wrong_in_message": ""}
    wrong, right = row["wrong"].split(" "), row["right"].split(" ")
    while len(wrong) > 1 and len(right) > 1 and wrong[0] == right[0]:
        wrong, right = wrong[1:], right[1:]
    while len(wrong) > 1 and len(right) > 1 and wrong[-1] == right[-1]:
        wrong, right = wrong[:-1], right[:-1]
    fewest = {"wrong": " ".join(wrong), "right": " ".join(right)}
    message = row["message"]
    return {
        **row, **fewest, "right_in_message": _in(fewest["right"], message),
        "wrong_in_message": _in(fewest["wrong"], message),
    }  # fmt: skip


def _in(words: str, message: str) -> str:
    """The words as the message writes them, whole; empty if it does not have them."""
    match = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", message, re.IGNORECASE)
    return match.group() if match else ""


def _chosen(found: Sequence[Value], chance: random.Random) -> Value | None:
    words = [value for value in found if value.kind == "word"]
    others = [value for value in found if value.kind != "word"]
    if words and (not others or chance.random() < _WORD_SHARE):
        return chance.choice(words)
    return chance.choice(others) if others else None


def _part(output: str, chance: random.Random) -> str:
    """The output, or a few sentences of it: short examples are learned from faster."""
    found = list(spans(output))
    if chance.random() < _WHOLE or len(found) < 2:
        return output
    first = chance.randrange(len(found))
    last = min(len(found) - 1, first + chance.randint(0, 2))
    return output[found[first][0] : found[last][1]].strip()


def _sentence(output: str, at: int) -> str:
    return next((output[start:end].strip() for start, end in spans(output) if start <= at < end), "")


def _words(text: str) -> list[str]:
    return re.findall(r"[\w'’-]+", text)


def _cased(message: str, chance: random.Random) -> str:
    """As people type: half begin with a capital, some have no capitals at all."""
    dice = chance.random()
    if dice < 0.45:
        return message[:1].upper() + message[1:]
    return message.lower() if dice < 0.6 else message
