"""What a message and the answer before it show, by name: the words, what they mean, and how both relate.

Names are words where a person may read them (`a no`), and begin with a mark where they only count (`=` words,
`^` the first ones, `$` the last one, `/` one that begins a sentence, `~` how much, and where). Of long texts only the
ends are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from heedful.capture.corrections.detection.lexicon import CLAIMS, GROUPS
from heedful.text.sentences import sentences
from heedful.text.words import DENIALS, FUNCTION_WORDS

ASKED = ", after a question"
MARKS = "=^$/~"

_HEAD, _TAIL = 1_200, 400  # characters of a message that are read
_OUTPUT_HEAD, _OUTPUT_TAIL = 600, 1_400
_FIRST, _LAST = 25, 10  # words of a message that are looked at one by one
_MEANT = 300  # words that are searched for phrases
_CLOSING = 40  # words at the end of an answer that tell what it waits for
_PHRASE = 5  # words of the longest phrase
_LENGTHS = (1, 2, 4, 8, 15, 30, 60, 120)  # words
_NAMES = 40  # identifiers or numbers that are compared
_CLAUSES = 8
_SHORT_ANSWER = 300  # characters; longer ones without any code are written texts

_FOLDED = str.maketrans("àáâãäåçèéêëìíîïñòóôõöøùúûüýÿ’`´‘", "aaaaaaceeeeiiiinoooooouuuuyy''''")
_PIECE = re.compile(r"[^\W_]+(?:[_'][^\W_]+)*|\?[?!]*|![?!]*|\.\.+|[.;:,\n]|…")
_STOPS = frozenset({".", ";", ":", "\n", "..", "...", "…"})
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*(?:[./_:-]\w+)+|\b[a-z]+[A-Z]\w*|--[a-z]\w+")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_CODE = re.compile(r"\b(?:\d+[a-z]|[a-z]+\d)\w*\b")  # letters and digits: what a program logs, rarely what one says
_SHOUT = re.compile(r"\b[A-Z]{3,}\b")
_PASTED = re.compile(r"^(?: {4,}\S|[>$#+|{}]|\[?\d{2,4}[/:-]\d|Traceback|\w*(?:Error|Warning):)", re.MULTILINE)
_MARKDOWN = re.compile(r"\*\*|`|^#+ |^[-*] |^\d+\. |\|", re.MULTILINE)
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"^actually[,\s]",
        r"^no[,\s].{0,300}?should",
        r"that'?s (?:wrong|incorrect)",
        r"^instead[,\s]",
        r"please (?:use|prefer|always)",
        r"the (?:correct|right) (?:way|answer)",
        r"^fix(?:ed)?:",
    )
)


class Signals(NamedTuple):
    kind: str  # of conversation, told by the answer alone
    names: frozenset[str]


class _Message(NamedTuple):
    text: str  # folded
    words: list[str]  # with ? and ! as words
    starts: list[str]  # the first word after every stop or comma


def signals(message: str, last_output: str) -> Signals:
    prose = _FENCE.sub(" ```\n", _ends(message, _HEAD, _TAIL))
    output = _ends(last_output, _OUTPUT_HEAD, _OUTPUT_TAIL)
    read = _read(prose)
    answer = _PIECE.findall(folded(output))
    closing = [word.replace("'", "") for word in answer if word not in _STOPS][-_CLOSING:]
    told = {*_meanings(read.words), *_shape(prose, read.words), *patterns(read.text)}
    names = {*told, *_words(read), *_claims(closing), *_relation(prose, read.words, output, set(answer))}
    names |= {*_course(read.text), *_sizes(read.words, output)}
    if any("?" in word for word in closing[-4:]):
        names |= {name + ASKED for name in (*told, *(f"^{word}" for word in read.words[:1]), "anything")}
    return Signals(_kind(output), frozenset(names))


def patterns(text: str) -> Iterator[str]:
    """The openings and phrases that give a correction away when nothing else is looked at."""
    for number, pattern in enumerate(_PATTERNS, 1):
        if pattern.search(text):
            yield f"pattern {number}"


def folded(text: str) -> str:
    """Without capitals and accents, so that those who leave accents out are understood as well."""
    return text.lower().translate(_FOLDED).replace("ß", "ss")


_SMALL_WORDS = frozenset(map(folded, FUNCTION_WORDS | DENIALS))


def _ends(text: str, head: int, tail: int) -> str:
    return text if len(text) <= head + tail else f"{text[:head]}\n{text[-tail:]}"


def _read(prose: str) -> _Message:
    text = folded(prose).strip()
    words: list[str] = []
    starts: list[str] = []
    fresh = True
    for piece in _PIECE.findall(text):
        if piece in _STOPS or piece == ",":
            fresh = True
            continue
        word = piece.replace("'", "")
        if fresh:
            starts.append(word)
        fresh = word[0] in "?!"
        words.append(word[:2] if fresh else word)
    return _Message(text, words, starts[:20])


def _words(read: _Message) -> Iterator[str]:
    words = read.words
    near = words if len(words) <= _FIRST + _LAST else [*words[:_FIRST], *words[-_LAST:]]
    for word in near:
        yield f"={word}"
    for one, two in pairwise(near):
        yield f"={one} {two}"
    for word in words[:1]:
        yield f"^{word}"
        yield f"^{' '.join(words[:2])}"
        yield f"${words[-1]}"
    for start in read.starts[1:]:
        yield f"/{start}"


def _meanings(words: list[str]) -> Iterator[str]:
    for at, group in _looked_up(words[:_MEANT], _phrases("message")):
        yield group
        if at < 3:
            yield f"{group}, first"


def _claims(closing: list[str]) -> Iterator[str]:
    return (f"the answer {claim}" for _, claim in _looked_up(closing, _phrases("answer")))


def _looked_up(words: list[str], phrases: dict[str, tuple[str, ...]]) -> Iterator[tuple[int, str]]:
    for at in range(len(words)):
        phrase = ""
        for word in words[at : at + _PHRASE]:
            phrase = f"{phrase} {word}" if phrase else word
            for group in phrases.get(phrase, ()):
                yield at, group


@cache
def _phrases(side: str) -> dict[str, tuple[str, ...]]:
    """The groups a phrase belongs to; made when first needed, for it takes some milliseconds."""
    phrases: dict[str, tuple[str, ...]] = {}
    for group, lines in (GROUPS if side == "message" else CLAIMS).items():
        for phrase in lines.replace("\n", "|").split("|"):
            words = " ".join(word.replace("'", "") for word in _PIECE.findall(folded(phrase)))
            if words and group not in phrases.get(words, ()):
                phrases[words] = (*phrases.get(words, ()), group)
    return phrases


def _shape(prose: str, words: list[str]) -> Iterator[str]:
    yield f"length {sum(len(words) > bound for bound in _LENGTHS)}"
    marks = {word[0] for word in words}
    shown = {
        "ends with a question": bool(words) and words[-1][0] == "?",
        "a question": "?" in marks,
        "an exclamation": "!" in marks,
        "is indignant": "?!" in prose or "!?" in prose,
        "trails off": ".." in prose or "…" in prose,
        "shouts": bool(_SHOUT.search(prose)),
        "pastes what was seen": "```" in prose or len(_PASTED.findall(prose)) > 1,
        "several lines": prose.count("\n") > 2,
    }
    yield from (name for name, is_shown in shown.items() if is_shown)


def _relation(prose: str, words: list[str], output: str, answer: set[str]) -> Iterator[str]:
    said = {word for word in words if word not in _SMALL_WORDS and word[0] not in "?!"}
    if said:
        share = len(said & answer) / len(said)
        yield f"repeats the answer {(share > 0) + (share >= 0.25) + (share >= 0.5)}"
    if identifiers := _IDENTIFIER.findall(prose)[:_NAMES]:
        yield "names code of the answer" if _any_in(identifiers, output) else "names other code"
    if numbers := _NUMBER.findall(prose)[:_NAMES]:
        yield "repeats a number" if _any_in(numbers, output) else "gives another number"
    if any(one in DENIALS and two in answer and two not in _SMALL_WORDS for one, two in pairwise(words)):
        yield "denies a word of the answer"


def _course(text: str) -> Iterator[str]:
    """What the clauses begin with: praise and then a wish is not a wish and then praise."""
    groups: set[str] = set()
    for number, clause in enumerate(sentences(text)[:_CLAUSES]):
        words = [word.replace("'", "") for word in _PIECE.findall(clause) if word not in _STOPS and word != ","]
        if not words:
            continue
        groups = {group for at, group in _looked_up(words[:6], _phrases("message")) if at < 2}
        yield from (f"~{'then' if number else 'opens'}: {group}" for group in groups)
    yield from (f"~closes: {group}" for group in groups)


def _sizes(words: list[str], output: str) -> Iterator[str]:
    yield from _above("words", len(words), (1, 2, 3, 5, 8, 12, 20, 40))
    yield from _above("words of the answer", len(output.split()), (1, 3, 6, 12, 30, 100))


def _above(what: str, size: int, bounds: Iterable[int]) -> Iterator[str]:
    return (f"~{what} > {bound}" for bound in bounds if size > bound)


def _any_in(names: Iterable[str], output: str) -> bool:
    return any(name in output for name in names)


def _kind(output: str) -> str:
    if 3 * len(_CODE.findall(output)) > len(output.split()):
        return "acting"
    if len(_MARKDOWN.findall(output)) > 2 or _IDENTIFIER.search(output) or len(output) > _SHORT_ANSWER:
        return "working"
    return "talking"
