"""How a rule is put: a title in the imperative that says by itself what to do."""

from __future__ import annotations

import re

from heedful.learn.conversations.rules.parsing import Rule
from heedful.records.insight import TITLE_LIMIT

_LEAST = 20  # characters that a title keeps when it is cut between clauses
_SUBJECTS = re.compile(
    r"^(?:please |also |just )*(?:(?:we|you|i) (?:should|must|need to|have to|want to|'ll|will|do) |let's |(?:we"
    r"|you) (?=(?:always|never|only|use|do"
    r"|don't|run|keep|put|write|follow|prefer|avoid|stick|name|commit|test)\b)|i (?=prefer\b)|to (?=\w+ ))",
    re.IGNORECASE,
)
_PLEASE = re.compile(r"^(?:(?:please|pls|also|just|and|then) )+", re.IGNORECASE)
_MAKE_SURE = re.compile(r"^(?:make sure|be sure|ensure)(?: that)? (?:to|you) ", re.IGNORECASE)
_NEGATIONS = (
    (re.compile(r"^(?:don't|dont|don’t|do not|not) ", re.IGNORECASE), "Do not "),
    (re.compile(r"^Avoid to ", re.IGNORECASE), "Do not "),
    (re.compile(r"^Do not (?:never|not) ", re.IGNORECASE), "Never "),
)
_HEDGES = re.compile(r"\b(?:please|pls|wth|wtf|though|ok|okay|man|dude|thanks|right)\W*$", re.IGNORECASE)
_FILE_MENTION = re.compile(r"(?<!\w)@(?:\.\./)*(?=[\w.])")
_LONG_QUOTATION = re.compile(r"""(["“`])([^"”`]{25})[^"”`]{10,}(["”`])""")
_CONDITION = re.compile(
    r"^(?:When|Whenever|If|Before|After|While|Once|Every time|Each time|Any ?time)\b[^,]+, (.{12,})$"
)
_DANGLING = re.compile(
    r"(?<=.{20})[,;]? (?:but|and|while|which|so|if|when|unless)\b[^,;]*$"
)  # the beginning of a clause
_BREAK = re.compile(r"[,;:(]\s|\s[—–-]\s|(?<!\.)\.{2,}+\s|\s(?=(?:and|but|which|while|whereas)\s)")


def titled(rule: Rule) -> str:
    """The rule in at most a line, in the person's own words where that can be."""
    return _within_limit(stated(rule))


def stated(rule: Rule) -> str:
    """The rule as a sentence without its full stop."""
    words = _FILE_MENTION.sub("", " ".join(rule.what.split())).strip(" \"'“”.,;:!-")
    words = _HEDGES.sub("", words).rstrip(" .,;:!-")
    words = _PLEASE.sub("", words)
    words = _MAKE_SURE.sub("", _SUBJECTS.sub("", words))
    words = rule.form.says.replace("{what}", words)
    for negation, plain in _NEGATIONS:
        words = negation.sub(plain, words)
    return words[:1].upper() + words[1:]


def _within_limit(words: str) -> str:
    words = words.replace("**", "")
    words = _LONG_QUOTATION.sub(
        lambda quotation: f"{quotation[1]}{quotation[2].rsplit(' ', 1)[0].rstrip(' :,')}…{quotation[3]}", words
    )
    if len(words) <= TITLE_LIMIT:
        return words
    if conditional := _CONDITION.match(words):
        words = conditional[1][:1].upper() + conditional[1][1:]
        return words if len(words) <= TITLE_LIMIT else _within_limit(words)
    ends = [found.start() for found in _BREAK.finditer(words, _LEAST) if found.start() <= TITLE_LIMIT]
    if ends:
        words = words[: ends[-1]].rstrip(" ,;:(—–-.")
        if words.count("(") > words.count(")") and words.rfind("(") > _LEAST:
            words = words[: words.rfind("(")].rstrip(" ,;:")
        return _DANGLING.sub("", words) if len(words) > 2 * _LEAST else words
    return words[: words.rfind(" ", 0, TITLE_LIMIT - 1)].rstrip(" ,;:") + "…"
