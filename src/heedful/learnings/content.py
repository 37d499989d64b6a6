"""The content of an insight: its parts as text, and its most useful lines."""

from __future__ import annotations

import re
from collections.abc import Mapping

from heedful.errors import InvalidInput
from heedful.records.insight import CONTENT_LIMIT, CONTENT_PARTS, Insight, InsightContent
from heedful.text.checks import checked_text

_CIRCUMSTANCES = frozenset({"when", "said", "context"})
"""They differ each time the same thing is learned."""
_STEP = re.compile(r"(?<![ \t])[ \t]++(?=\d{1,2}\. )")
_WORD = re.compile(r"\w+")
_ADDED = ("fix", "better", "why", "how", "cause", "change", "choice", "when")
"""What a second line may say, the most useful first: what to do, and the reason or the condition. What the problem was,
what came of it and what else there was are for those who look it up."""
_SHOWN = ("what", *(name for name in CONTENT_PARTS if name != "what"))
_LEAST = 20  # characters of a clause
_LINE = 160  # characters of a statement with its reason
_LONG = 220
_QUOTED = 90
_NEW = 0.25  # the share of words that the title does not have, for a part to be worth showing
_CUT = "…"
_REASON = re.compile(
    r"[\s,;:(–—-]{1,4}(?:because|since|as|so|otherwise|or else|unless|except|if|when|until|only|but|not|instead|rather|"
    r"weil|denn|da|sonst|außer|wenn|damit|aber|nicht|parce|car|sinon|sauf|si|quand|mais|pas|porque|ya que|pues|salvo|"
    r"cuando|para que|pero|pois|senão|exceto|quando|se|mas)\b",
    re.IGNORECASE,
)
"""How a sentence goes on with a reason, a condition or an exception."""
_LABEL = re.compile(r"^\w{2,12}: ")
_BREAK = re.compile(
    r"[,;:](?=\s)|(?<=\s)[—–-]{1,2}(?=\s)|(?<=\s)(?=(?:because|since|which|so that|but|and then|weil|damit|aber|"
    r"parce que|car|mais|porque|pero|pois|mas)\b)",
    re.IGNORECASE,
)
"""Where one clause ends and another begins."""
_WHO_DID = re.compile(
    r"(?:(?:so|then|now|therefore|and)\s+)?"
    r"(?:(?:i|we)(?:['’]ve| have)?(?:\s+(?:now|also|just|then|simply|\w{2,12}ly)){0,2}\s+"
    r"(?:(?:fixed|solved|resolved|repaired|addressed)\s+(?:it|this|that|the \w+)\s+(?:by|with)\s+)?"
    r"|(?:the|my) (?:fix|solution) (?:was|is)(?:\s+to|:)?\s+|(?:fixed|solved|resolved)(?: it| this)?\s+(?:by|with)\s+"
    r"|(?:ich habe|wir haben|j['’]ai|nous avons|hemos|he(?=\s+\w+[ai]do\b))\s+(?=\S+\s))",
    re.IGNORECASE,
)
"""How a deed begins: who did it, and that it was a fix. The label says so."""
_DEEDS = frozenset({"fix", "change"})


def checked_content(value: object) -> dict[str, str]:
    """Parts from outside; an empty one removes that part of an edited insight."""
    if not isinstance(value, Mapping):
        raise InvalidInput("content must be an object of parts.", hint='Pass {"what": "…", "why": "…"}.')
    unknown = [str(name) for name in value if name not in CONTENT_PARTS]
    if unknown:
        raise InvalidInput(f"content has no part {unknown[0]!r}.", hint=f"There are: {', '.join(CONTENT_PARTS)}.")
    parts = {name: checked_text(text, f"content.{name}", CONTENT_LIMIT).strip() for name, text in value.items()}
    checked_text("".join(parts.values()), "content", CONTENT_LIMIT)
    return parts


def read_content(value: object) -> dict[str, str]:
    """The parts in an event, in the order in which they are shown."""
    given = value if isinstance(value, Mapping) else {}
    return {name: text for name in CONTENT_PARTS if isinstance(text := given.get(name), str) and text}


def content_text(content: InsightContent) -> str:
    """Its texts without labels: the text that is indexed and compared."""
    return "\n".join(content[name] for name in CONTENT_PARTS if content.get(name))


def core_text(content: InsightContent) -> str:
    """The statement without its circumstances."""
    core = {name: text for name, text in content.items() if name not in _CIRCUMSTANCES}
    return content_text(core or content)


def labelled_text(content: InsightContent) -> str:
    """For a prompt: each part after its label; `what` needs none."""
    return "\n".join(
        content[name] if name == "what" else f"{label(name)}: {content[name]}"
        for name in CONTENT_PARTS
        if content.get(name)
    )


def told(insight: Insight) -> InsightContent:
    """What a prompt needs beside the title: not the task in which it was said, and no sentence that says the same."""
    known = frozenset(_words(insight.title))
    return {
        name: text
        for name, text in insight.content.items()
        if name not in ("said", "context") and (name != "what" or _adds(text, known))
    }


def label(part: str) -> str:
    return part.replace("_", "-").capitalize()


def lines(text: str) -> list[str]:
    """The lines of a part: one per step."""
    return _STEP.split(text) if text.startswith("1. ") and "\n" not in text else text.splitlines()


def statement(insight: Insight) -> str:
    """Its title; with the rest of the sentence, if that is short and gives a reason or a condition, or if the title was
    cut off."""
    title = insight.title.removesuffix(_CUT)
    rest = _rest(insight.content.get("what", ""), title)
    if title != insight.title:
        return clauses(f"{title}{rest}", _LONG) if rest else insight.title
    whole = " ".join(f"{title}{rest}".split()).rstrip(" .")
    return whole if _REASON.match(rest) and len(whole) <= _LINE else title


def essence(insight: Insight) -> list[str]:
    """A line that completes the statement, or none: what to do, and why or when."""
    known = frozenset(_words(statement(insight)))
    skipped = ("when",) if insight.rule else ()
    parts = {
        name: _told(name, text) for name, text in insight.content.items() if name in _ADDED and name not in skipped
    }
    useful = [name for name in _ADDED if name in parts and _adds(parts[name], known)]
    rest = _rest(insight.content.get("what", ""), insight.title)
    late = _REASON.match(rest) and _adds(rest, known)
    if late and "why" not in useful:
        useful, parts = ["what", *useful], {**parts, "what": _capitalised(rest)}
    if not useful:
        return []
    first, both = useful[0], sorted(useful[:2], key=_SHOWN.index)
    if both == ["what"]:
        return [clauses(parts["what"], _LONG)]
    line = " ".join(_labelled(name, _ended(parts[name])) for name in both)
    if len(line) <= _LONG:
        return [line]
    return [_labelled(name, clauses(parts[name], _LONG)) for name in (both if first == "what" else [first])]


def _labelled(name: str, text: str) -> str:
    return text if name == "what" else f"{label(name)}: {text}"


def _told(name: str, text: str) -> str:
    """What was done, without who did it."""
    text = text.strip()
    lead = _WHO_DID.match(text) if name in _DEEDS else None
    return text[lead.end() :] if lead else text


def says_more(text: str, title: str) -> bool:
    """Whether a text has words that a title does not have."""
    return not set(_words(text)) <= set(_words(title))


def _rest(text: str, title: str) -> str:
    """What comes after the title in a text that contains it."""
    found = re.search(re.escape(_LABEL.sub("", title)), text, re.IGNORECASE) if title else None
    rest = "" if found is None else text[found.end() :]
    return "" if rest[:1].isalnum() else rest.rstrip()


def _capitalised(text: str) -> str:
    text = text.lstrip(" ,;:(–—-")
    return f"{text[:1].upper()}{text[1:]}"


def _ended(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?", "…", "`")) else f"{text}."


def _adds(text: str, known: frozenset[str]) -> bool:
    words = _words(text)
    return sum(word not in known for word in words) > _NEW * len(words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def quote(text: str) -> str:
    """For people who look at a history."""
    return f"“{shortened(text, _QUOTED)}”"


def clauses(text: str, most: int) -> str:
    """On one line: the sentences that fit, or else the clauses. The first clause is told whole, however long it is."""
    text = " ".join(text[: 8 * most].split())
    if len(text) <= most:
        return text
    cut = shortened(text, most)
    if not cut.endswith(_CUT):
        return cut
    ends = [found.start() for found in _BREAK.finditer(text) if found.start() >= _LEAST]
    fitting = [end for end in ends if end < most]
    end = fitting[-1] if fitting else ends[0] if ends and ends[0] <= 2 * most else None
    return cut if end is None else f"{text[:end].rstrip(' ,;:—–-')}."


def shortened(text: str, most: int) -> str:
    """On one line, cut at the end of a sentence or of a word if it is too long."""
    text = " ".join(text[: 8 * most].split())
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    sentence = max(cut.rfind(f"{mark} ") for mark in ".!?")
    if sentence > most // 2 and not cut[:sentence].rsplit(" ", 1)[-1].isdigit():
        return cut[: sentence + 1]
    return cut.rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
