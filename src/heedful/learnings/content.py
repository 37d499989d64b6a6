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
_USEFUL = ("fix", "choice", "change", "better", "how", "what", "cause", "why", "result", "problem", "avoid", "when")
_LINES = 2
_LONG = 280
_ENDS = (".", "!", "?", "")
_CUT = "… "
_NEW = 0.25  # the share of words that the title does not have, for a part to be worth showing


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


def label(part: str) -> str:
    return part.replace("_", "-").capitalize()


def lines(text: str) -> list[str]:
    """The lines of a part: one per step."""
    return _STEP.split(text) if text.startswith("1. ") and "\n" not in text else text.splitlines()


def essence(insight: Insight) -> list[str]:
    """One or two lines that complete the title; instructions come before reasons."""
    skipped = {"said", "context", "when"} if insight.rule else {"said", "context"}
    known = frozenset(_words(insight.title))
    parts = {
        name: _continued(insight.content[name], insight.title)
        for name in CONTENT_PARTS
        if name in insight.content and name not in skipped
    }
    useful = [name for name, text in parts.items() if _adds(text, known)]
    chosen = sorted(useful, key=_rank)[:_LINES]
    return [_line(name, parts[name]) for name in useful if name in chosen]


def _continued(text: str, title: str) -> str:
    """Without the title, if it begins with it."""
    rest = text[len(title) :]
    if not title or not text.casefold().startswith(title.casefold()) or rest[:1].isalnum():
        return text
    more = rest.lstrip(" .:;,!?")
    return more if rest[:1] in _ENDS or not more else f"{_CUT}{more}"


def _rank(name: str) -> int:
    return _USEFUL.index(name) if name in _USEFUL else len(_USEFUL)


def _adds(text: str, known: frozenset[str]) -> bool:
    words = _words(text)
    return sum(word not in known for word in words) > _NEW * len(words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _line(name: str, text: str) -> str:
    text = shortened(text, _LONG)
    return text if text.startswith(_CUT) else f"{label(name)}: {text}"


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
