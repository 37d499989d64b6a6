"""What a rule is about, in tags: technologies, kinds of files, areas of work, and the words it turns on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.learn.conversations.rules.lexicon import (
    AREAS,
    EXTENSIONS,
    NOT_VERBS,
    OPENERS,
    TECHNOLOGIES,
    TELLING_NOTHING,
    VERBS,
)
from heedful.records.insight import TAGS_LEAST, TAGS_MOST

_LONGEST = 30
_WORD = re.compile(r"[\w+#][\w+#./'-]*")
_FILE = re.compile(r"[\w/@-]\.([a-z]{1,6})\b")
_AREA_OF = {word: area for area, words in AREAS.items() for word in words.split()}
_PLAIN = re.compile(r"[a-z][a-z0-9_-]{2,}")


def tagged(title: str, around: str) -> tuple[str, ...]:
    """Tags of the rule itself first; what was spoken of around it fills up."""
    tags = dict.fromkeys(_named(title))
    own = dict.fromkeys(_turning_words(title))
    for tag in _named(around):
        if len(tags) >= TAGS_LEAST:
            break
        tags[tag] = None
    for tag in (*own, "convention", "agent-instruction", "project-rule"):
        if len(tags) >= TAGS_LEAST:
            break
        tags[tag] = None
    return tuple(tags)[:TAGS_MOST]


def _named(text: str) -> Iterator[str]:
    low = text.lower()
    for word in _WORD.findall(low):
        bare = word.strip("./'-")
        if bare in TECHNOLOGIES:
            yield _tag(bare)
    for file in _FILE.finditer(low):
        if file[1] in EXTENSIONS:
            yield EXTENSIONS[file[1]]
    for word in _WORD.findall(low):
        if (area := _AREA_OF.get(word.strip("./'-"))) is not None:
            yield area


def _turning_words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower()):
        bare = word.strip("./'-")
        if _PLAIN.fullmatch(bare) and len(bare) <= _LONGEST and not _is_empty(bare):
            yield _tag(bare)


def _is_empty(word: str) -> bool:
    return (
        word in TELLING_NOTHING
        or word in NOT_VERBS
        or word in OPENERS
        or {word, word.removesuffix("s"), word.removesuffix("d"), word.removesuffix("ed"), word.removesuffix("ing")}
        & VERBS
        != set()
        or word.endswith("ly")
    )


def _tag(word: str) -> str:
    return re.sub(r"[^a-z0-9+#]+", "-", word).strip("-") or word
