"""How a statement is put: a title that stands alone, in the person's own words, and its sentence in full."""

from __future__ import annotations

import re

from heedful.records.insight import CONTENT_LIMIT, TITLE_LIMIT, InsightContent
from heedful.text.checks import visible
from heedful.text.lasting import FROM_NOW_ON, REMINDER, WISH

_QUOTES = " \"'“”"
_LEAST_LED = 12  # characters that are left after a lead-in
_LEAST = 20  # characters that a title keeps when it is cut between clauses
_STARRED = re.compile(
    r"(?<![\w*`/])(\*{1,3})(?=[^\s*])([^*\n]{0,200}[^\s*])\1(?![\w*.])"
)  # `tag v*` has a star of its own
_UNDERLINED = re.compile(r"(?<![\w`])_{1,2}(?=\S)|(?<=\S)_{1,2}(?![\w`])")
_MENTION = re.compile(r"(?<![\w`])@(?:\.{1,2}/)*(?=[\w.])")
_PAUSE = r"(?:\s*[,.:;!–—…]+\s*|\s+-+\s+)"  # no hyphen within a word: `no-op`
_SAID_BEFORE = (
    r"(?:(?:(?:like|as) )?i said|i(?:['’]ve| have)? (?:already |just )?told you)(?: (?:before|already|twice|again))?"
    rf"(?:{_PAUSE}|\s+)(?:(?:that|to)\s+)?"
)
_REPEATED = re.compile(rf"(?:(?:no+|ok(?:ay)?|and|but|so){_PAUSE})?{_SAID_BEFORE}", re.IGNORECASE)
_REMARK = (
    r"(?:ach(?: so)?|ah+|aha|mm+|sorry|my (?:mistake|bad)|joli|bien|bon|bueno|schön|super|nice|good|great|cool|"
    r"by the way|übrigens|au fait|por cierto|o+h+|u+h+|hey|(?:ha){2,4}h?|(?:ja){2,4}|lol|omg|argh|right|sure|"
    r"correct|exactly|nee|nein|nö|stimmt|genau|richtig|non|exact|exacto|oye|uf+|(?:no|não|nein),? (?:no|não|nein)|"
    r"(?:god|hell) no)"
)
_LEAD = re.compile(
    "(?:"
    # What they begin with may be what is said, so there must be a pause: `No, use tabs` is not `No tabs`.
    rf"(?:(?:mm+ )?no+(?: (?:wait|man|dude|bro))?|nope|wait|well|again|note|remember|for the record|{_REMARK}){_PAUSE}"
    rf"|(?:fyi|heads[- ]?up|(?:o+h|hey) and)(?:{_PAUSE}|\s+)"
    rf"|(?:(?:in|for) (?:the )?future(?: reference)?|next time)(?:{_PAUSE}|"
    r"\s+(?=(?:please|always|never|don'?t|do|just|use|we|you|i)\b))"
    r"|(?:remember|note|keep in mind)\s+(?:(?:that|to)\s+|"
    r"(?=(?:we|you|i|it|they|this|our|the|all|every|any|always|never|don['’]?t|do not|no)\b))"
    rf"|{REMINDER}(?:{_PAUSE}|\s+)|(?:it )?turn(?:s|ed) out,?\s+(?:that\s+)?|(?:mais|aber|pero|mas)\s+"
    rf"|{WISH}\s+(?=(?:always|never)\b)|{_SAID_BEFORE}"
    r"|(?:(?:the )?(?:idea|point|rule) is|i should (?:remember|mention|add|say)) that\s+"
    rf"|(?:{FROM_NOW_ON}|ok(?:ay)?|yes|yeah|yep|hi|hello|hey|hallo|and|but|so|also|oh|hm+|btw|please|pls|bitte|"
    rf"just(?! (?:in|as|like|before|after)\b))(?:{_PAUSE}|\s+)"
    ")+",
    re.IGNORECASE,
)
_NOT_TO = re.compile(r"^not to\s+", re.IGNORECASE)
_WISH = re.compile(
    r"(?:i(?:['’]d| would| do)? (?:really |also )?(?:want|like|need|prefer|expect) (?:you|us)(?: all)?\s+"
    r"(?P<not>not )?to\s+(?!know\b)|"
    r"you (?:should|must|have to|need to)\s+|make sure (?:to\s+|you\s+))(?P<either>not\s+)?",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    r"(?<![\s,;:–—-])[\s,;:–—-]{1,4}"
    r"(?:please|pls|ok(?:ay)?|thanks|thx|right|though|man|dude|btw|from now on|going forward|as agreed|"
    r"(?:as )?you know(?: that)?|lol|(?:ha){2,4}|(?:ja){2,4})?[\s.!,;:–—-]{0,8}$",
    re.IGNORECASE,
)
_OPEN_END = re.compile(
    r"(?<![\s,;])[\s,;]{1,3}(?:que|dass|and|und|et|y|e|or|but|so|since)$", re.IGNORECASE
)  # what follows is told elsewhere
_BECAUSE = r"(?:because|otherwise|or else|so that|weil|sonst|damit|parce que|sinon|porque|si no|senão)\b"
_THAT_IS = r"(?:(?:that|this)(?:['’]s| is) )?"
_NO_REASON = r"(?<!\bjust)(?<!\bonly)(?<!\bnot)(?<!\bnur)(?<!\bnicht)(?<!\bpas)(?<!\bsólo)(?<!\bsolo)"  # `just because`
_REASON = re.compile(rf"{_NO_REASON}[\s,;(–—-]{{1,3}}{_THAT_IS}(?P<why>{_BECAUSE}.{{10,}})", re.IGNORECASE)
_REASON_NEXT = re.compile(
    rf"[^\S\n]*+\n?[^\S\n]*+(?:{_THAT_IS}{_BECAUSE}|th(?:at|is) way\b)[^\n]{{10,300}}?(?:[.!?](?=\s|$)|(?=\n|$))",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?:when(?:ever)?|if|after|before|once|while|as|since|because|although|unless|until|wenn|falls|nachdem|quand|si|"
    r"cuando|quando|se)\b[^,;:]*$",
    re.IGNORECASE,
)  # a clause that waits for another
_POINTS_AHEAD = re.compile(
    r"\b(?:daher|daran|darin|dadurch|davon|darauf|de que|du fait|de (?:lo|ce)|in that|is|was|ist|war|est|es|era)$",
    re.IGNORECASE,
)  # to the clause that follows
_IS = re.compile(r"(?<=\w )(?:is|are|does|has)\b(?=[^,;:]*\b(?:because|since|due to)\b)|(?<=cause )is\b", re.IGNORECASE)
_WAS = {"is": "was", "are": "were", "does": "did", "has": "had"}
_LABEL = re.compile(
    r"^\W*(?:found it|got it|i (?:can|could) reproduce it|reproduced|confirmed|what happened|"
    r"(?:the )?(?:(?:actual|real|root) )?(?:cause|problem|bug|issue|culprit)|ursache|"
    r"la cause|(?:la )?causa)(?:(?: (?:found|is|was))?\s?[:–—]+\s*|"
    r",? (?:is|was|ist|war|est|était|es|era|é) (?:simply |just )?(?:that|dass|que) )",
    re.IGNORECASE,
)
_FIXED_BY = re.compile(
    r"^\W*(?:(?:so|then|now)\W+)?(?:(?:I|we)(?:['’]ve| have)? (?:now |just |simply )?"
    r"(?:fixed|solved|resolved|repaired) (?:it|this|that|the \w+|both) by |"
    r"the fix (?:is|was) (?:to |that )?|fix(?:ed)?: )(?=\w|`)",
    re.IGNORECASE,
)
_CAUSE = re.compile(r"\s(?:because|weil|parce que|porque)\s(?P<cause>.{20,})", re.IGNORECASE)
_BREAK = re.compile(r"[,;:(]\s(?!(?:but|while|aber|mais|pero|mas)\b)|\s[—–-]\s|(?<!\.)\.{2,}+\s|(?<=\w)[.!]\s")


def plain(text: str) -> str:
    """One line without emphasis and marks of mentioned files."""
    return _MENTION.sub("", _UNDERLINED.sub("", _STARRED.sub(r"\2", " ".join(visible(text).split()))))


def titled(words: str, *, with_reason: bool = False, before: str = "") -> str:
    """At most a line; a longer one is cut between clauses. The reason of a wish is told elsewhere; that of a finding is
    what was found. `before` is put before it."""
    words = plain(words).strip()
    if words[:1] in _QUOTES:
        words = words.strip(_QUOTES)
    lead = _LEAD.match(words)
    if lead is not None and len(words) - lead.end() >= _LEAST_LED:
        words = _NOT_TO.sub("don't ", words[lead.end() :], count=1)
    wish = _WISH.match(words)
    if wish is not None and len(words) - wish.end() >= _LEAST_LED:
        words = ("don't " if wish["not"] or wish["either"] else "") + words[wish.end() :]
    reason = None if with_reason else _REASON.search(words, _LEAST)
    if reason is not None:
        words = words[: reason.start()]
    words = _OPEN_END.sub("", _TRAIL.sub("", f"{words} ").rstrip(" .!"))
    limit = TITLE_LIMIT - len(before)
    title = _within_limit(words, limit)
    cause = _CAUSE.search(words) if with_reason and title.endswith("…") else None
    if cause is not None and len(title) - cause.start("cause") < len(cause["cause"]) / 2:
        title = _within_limit(cause["cause"], limit)  # it is cut short, and what it led to is told beside it
    return before + _capitalised(title)


def repeated(sentence: str) -> str:
    """What a sentence says again, without `I said`; empty if it says nothing again."""
    found = _REPEATED.match(sentence)
    return "" if found is None else _NOT_TO.sub("don't ", sentence[found.end() :], count=1)


def past(words: str) -> str:
    """What was so, and is no more: `the import is slow because …`."""
    return _IS.sub(lambda found: _WAS[found[0].lower()], words, count=1)


def finding(words: str) -> str:
    """Without a label: `Found it: …`, `Root cause: …`."""
    return _LABEL.sub("", words, count=1)


def fix(words: str) -> str:
    """Without `I fixed it by`: that it is a fix is said beside it."""
    return _capitalised(_FIXED_BY.sub("", words, count=1))


def end_of_reason(text: str, end: int) -> int:
    """Where the reason ends that is told in the sentence after; `end` if it tells none."""
    reason = _REASON_NEXT.match(text, end)
    return end if reason is None else reason.end()


def content(sentence: str, title: str, task: str) -> InsightContent:
    """The sentence, the reason that it gives, and the task in which it was said."""
    said = plain(sentence)[:CONTENT_LIMIT]
    reason = _REASON.search(said, _LEAST)
    parts = {"what": said or title}
    if reason is not None:
        parts = {"what": said[: reason.start()].rstrip(" ,;(–—-"), "why": _capitalised(reason["why"])}
    if task:
        parts["context"] = task
    return parts


def _capitalised(words: str) -> str:
    """A name or a piece of code keeps its letters."""
    first = re.sub(r"['’]|[,:;]$", "", words.split(" ", 1)[0])
    return words[:1].upper() + words[1:] if first.isalpha() and first.islower() else words


def _within_limit(words: str, limit: int) -> str:
    if len(words) <= limit:
        return words
    ends = (found.start() for found in _BREAK.finditer(words, _LEAST) if found.start() <= limit)
    if whole := [words[:end] for end in ends if _is_whole(words[:end])]:
        return whole[-1].rstrip(" ,;:(—–-.")
    return words[: words.rfind(" ", 0, limit - 1)].rstrip(" ,;:") + "…"


def _is_whole(words: str) -> bool:
    """No clause that waits for another, and nothing that was opened and not closed."""
    opened = words.count("(") > words.count(")") or words.count('"') % 2 or words.count("`") % 2
    waits = _CONDITION.match(words) or _POINTS_AHEAD.search(words)
    return not opened and waits is None
