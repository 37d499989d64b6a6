"""The phrases that an edit changed: `in order to` → `to`, wherever they occur in the text.

An edit is reduced to the few words that differ, plus one neighbour where words were only added or removed, so that the
same edit elsewhere gives the same phrase. Rewrites, and texts too long to compare quickly, have no phrases.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from heedful.records.improvement import Improvement
from heedful.text.normalize import composed, normal
from heedful.text.words import DENIALS, FUNCTION_WORDS, PRONOUNS, SPACELESS, VOWEL_SIGNS

_PHRASES = 6  # per text, the first ones
_PHRASE_WORDS = 12
_PHRASE_CHARACTERS = 120
_WORDS_ALIGNED = 20_000  # to count those that stayed: takes some ten milliseconds
_WORDS_COMPARED = 400  # without the common beginning and end; 400 against 400 take a third of a millisecond
_CHARACTERS_COMPARED = 4_000  # more than most 400 words have, and counted without splitting into words
_CONTEXT_CHARACTERS = 30  # equal text kept on either side of a change, for its neighbours
_REWRITTEN = 0.6  # of the words; beyond this the edit says the same thing afresh
_SHORT_TEXT = 8  # words; in a short text a phrase may well be all there is
_MOVED_PAST = 3  # words; moved further, a word is a change of its own on either side
_CONTENT = 2  # the weight of a word that carries meaning, as a neighbour
_CONCISE, _DETAILED = 0.8, 1.2  # of the characters
_QUOTED_CHARACTERS = 60
_SENTENCE_ENDS = frozenset({".", "!", "?", ":", "•", "-", "*", "#"})  # and what begins a list item or heading

# Words that stand next to anything: a phrase anchored on one of these recurs, one anchored on a noun does not.
_FUNCTION_WORDS = (FUNCTION_WORDS | DENIALS | {"n't", "without"}) - PRONOUNS  # pronouns are second best

# One token: a word with what belongs inside it (don't, x.y(), --flag, src/a.py, 3.14), a letter of a script
# without spaces, or a run of one punctuation mark. The space before is part of it, so that tokens join to the text.
_PIECE = r"""[ ]?(?:
    (?:(?<![\w.\-])(?:--?|[$@#\\]|\.{{0,2}}/|~/|\.)(?={letter}))?
    {letter}+ (?:(?:::|://|->|['’.\-‐‑:@&+=\\/]|(?<=\d),(?=\d)){letter}+)*
    (?:\(\)|\+\+|[%#](?!\w))?
  | \.+ | -+ | =+ | \*+ | `+ | [#]+ | !+ | \?+
  | \S
)"""
_ASCII_TOKEN = re.compile(_PIECE.format(letter=r"[A-Za-z0-9_]"), re.VERBOSE)
_ANY_TOKEN = re.compile(_PIECE.format(letter=rf"(?:[^\W{SPACELESS}]|[{VOWEL_SIGNS}])"), re.VERBOSE)


class Phrase(NamedTuple):
    """Words before and after an edit; normalised, unless only capitals changed."""

    before: str
    after: str


class _Stretch(NamedTuple):
    """Tokens old[start:end] became new[new_start:new_end]."""

    start: int
    end: int
    new_start: int
    new_end: int

    @property
    def one_sided(self) -> bool:
        return self.start == self.end or self.new_start == self.new_end

    @property
    def size(self) -> int:
        return self.end - self.start + self.new_end - self.new_start


class _Side(NamedTuple):
    """One text in tokens, each with the space before it."""

    tokens: list[str]  # normalised
    words: list[str]  # the same without the space: what is compared
    shown: list[str]  # with their capitals; empty if tokens do not correspond

    def text(self, start: int, end: int) -> str:
        return "".join(self.tokens[start:end]).strip(" ")

    def as_shown(self) -> _Side:
        return self._replace(tokens=self.shown)


class _Comparison(NamedTuple):
    old: _Side
    new: _Side
    stretches: list[_Stretch]
    cut_words: int  # equal words that were cut off before comparing, in each text


def differences(before: str, after: str) -> list[Phrase]:
    """The phrases that differ, in the order of the text; none for a rewrite."""
    compared = _compared(before, after)
    if compared is None or _is_rewrite(compared):
        return []
    old, new, stretches, _ = compared = compared._replace(stretches=_joined(compared))
    found = [(stretch.start, _phrase(_anchored(stretch, old, new), old, new)) for stretch in stretches]
    found += _case_changes(compared, at_starts=not found)
    phrases = [phrase for _, phrase in sorted(found)] or _space_changes(old, new)
    return [phrase for phrase in dict.fromkeys(phrases) if _is_short(phrase)][:_PHRASES]


def improvement(suggested: str, modified: str) -> Improvement | None:
    """What a person changed in a suggestion before accepting it; None if nothing."""
    suggested, modified = suggested.strip(), modified.strip()
    if suggested == modified:
        return None
    if len(modified) < _CONCISE * len(suggested):
        return Improvement("concise")
    if len(modified) > _DETAILED * len(suggested):
        return Improvement("detail")
    compared = _compared(suggested, modified)
    if compared is None:
        return _replaced(normal(suggested[:_CHARACTERS_COMPARED]), normal(modified[:_CHARACTERS_COMPARED]))
    return _improvement(compared)


def kept(before: str, after: str) -> float:
    """The share of words that stayed, in their order, of the longer text: from 0, all were replaced, to 1, none was."""
    old, new = (_wordy(_side(text).words) for text in (before, after))
    longest = max(len(old), len(new))
    if not longest:
        return 1.0
    start, end = _equal_ends(old, new)
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(gone), len(come)) > _WORDS_ALIGNED:
        same = (Counter(gone) & Counter(come)).total()  # too long to align: without their order
    else:
        from rapidfuzz.distance import LCSseq

        same = LCSseq.similarity(gone, come)
    return (start + end + same) / longest


def _improvement(compared: _Comparison) -> Improvement | None:
    old, new, stretches, _ = compared
    if not stretches:
        if _case_changes(compared, at_starts=True):
            return Improvement("case")
        return Improvement("punctuation") if _space_changes(old, new) else None
    old_words, new_words = _wordy(old.words), _wordy(new.words)
    if old_words == new_words:
        return Improvement("punctuation")
    if sorted(old_words) == sorted(new_words):
        return Improvement("reordered")
    start, end, new_start, new_end = max(stretches, key=lambda stretch: stretch.size)
    return _replaced(old.text(start, end), new.text(new_start, new_end))


def _replaced(removed: str, added: str) -> Improvement:
    kind = "added" if not removed else "replaced" if added else "removed"
    return Improvement(kind, _quoted(removed), _quoted(added))


def _quoted(text: str) -> str:
    return text if len(text) <= _QUOTED_CHARACTERS else text[: _QUOTED_CHARACTERS - 1].rstrip() + "…"


def _wordy(words: list[str]) -> list[str]:
    return [word for word in words if _is_word(word)]


def _is_word(token: str) -> bool:
    return token[0].isalnum() or any(map(str.isalnum, token))


def _compared(before: str, after: str) -> _Comparison | None:
    """Where two texts differ, or None if they are too long to compare."""
    before, after, cut_words = _without_equal_ends(before, after)
    if max(len(before), len(after)) > _CHARACTERS_COMPARED:
        return None
    old, new = _side(before), _side(after)
    start, end = _equal_ends(old.words, new.words)
    if max(len(old.words), len(new.words)) - start - end > _WORDS_COMPARED:
        return None
    return _Comparison(old, new, _stretches(old.words, new.words, start, end), cut_words)


def _without_equal_ends(before: str, after: str) -> tuple[str, str, int]:
    """Long texts without most of their common start and end, and the number of words removed."""
    shorter = min(len(before), len(after))
    if shorter <= 4 * _CONTEXT_CHARACTERS:
        return before, after, 0
    start = _equal_characters(before, after, shorter)
    end = _equal_characters(before[:start:-1], after[:start:-1], shorter - start - 1) if start < shorter else 0
    head = max(0, before.rfind(" ", 0, max(0, start - _CONTEXT_CHARACTERS)))
    tail = before.find(" ", len(before) - max(0, end - _CONTEXT_CHARACTERS))
    tail = len(before) - tail if tail >= 0 else 0
    cut = before.count(" ", 0, head) + before.count(" ", len(before) - tail)
    return before[head : len(before) - tail], after[head : len(after) - tail], cut


def _equal_characters(before: str, after: str, most: int) -> int:
    """Length of the common start, by binary search: comparing slices is fast."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if before[low:middle] == after[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _side(text: str) -> _Side:
    shown = _tokens(" ".join(composed(text).split()))
    # Outside ASCII a letter may become two in lower case, and a word may then be split elsewhere.
    tokens = [token.lower() for token in shown] if text.isascii() else _tokens(normal(text))
    return _Side(tokens, [token.lstrip(" ") for token in tokens], shown if len(shown) == len(tokens) else [])


def _tokens(text: str) -> list[str]:
    return (_ASCII_TOKEN if text.isascii() else _ANY_TOKEN).findall(text)


def _equal_ends(old: list[str], new: list[str]) -> tuple[int, int]:
    """Number of common words at the start, and of the rest at the end."""
    shorter = min(len(old), len(new))
    start = 0
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return start, end


def _stretches(old: list[str], new: list[str], start: int, end: int) -> list[_Stretch]:
    whole = _Stretch(start, len(old) - end, start, len(new) - end)
    if not whole.size:
        return []
    gone, come = old[start : whole.end], new[start : whole.new_end]
    if {*gone}.isdisjoint(come):  # most edits: one stretch and nothing to align
        return [whole]
    from rapidfuzz.distance import Indel

    found: list[_Stretch] = []
    for code in Indel.opcodes(gone, come):
        if code.tag == "equal":
            continue
        here = _Stretch(start + code.src_start, start + code.src_end, start + code.dest_start, start + code.dest_end)
        if found and found[-1].end == here.start and found[-1].new_end == here.new_start:
            here = _span(found.pop(), here)  # what was taken out and what was put in its place
        found.append(here)
    return found


def _span(first: _Stretch, last: _Stretch) -> _Stretch:
    return _Stretch(first.start, last.end, first.new_start, last.new_end)


def _is_rewrite(compared: _Comparison) -> bool:
    old, new, stretches, cut_words = compared
    words = len(old.words) + len(new.words) + 2 * cut_words
    return words > 2 * _SHORT_TEXT and sum(stretch.size for stretch in stretches) > _REWRITTEN * words


def _joined(compared: _Comparison) -> list[_Stretch]:
    """Joins stretches that make one change: a word was removed beside one that stayed, or moved past it."""
    old, new, stretches, _ = compared
    joined: list[_Stretch] = []
    for stretch in stretches:
        if joined and _belong_together(joined[-1], stretch, old.words, new.words):
            joined[-1] = _span(joined[-1], stretch)
        else:
            joined.append(stretch)
    return joined


def _belong_together(first: _Stretch, second: _Stretch, old: list[str], new: list[str]) -> bool:
    between = second.start - first.end
    if between == 1 and (first.one_sided or second.one_sided):
        return _is_word(old[first.end])
    if between > _MOVED_PAST:
        return False
    gone, come = old[first.start : first.end], new[first.new_start : first.new_end]
    later_gone, later_come = old[second.start : second.end], new[second.new_start : second.new_end]
    moved = {*gone} & {*later_come} | {*come} & {*later_gone}
    return any(_weight(word) == _CONTENT for word in moved)


def _anchored(stretch: _Stretch, old: _Side, new: _Side) -> _Stretch:
    """Adds a neighbour if one side is empty: nothing can be looked up, or replaced, by nothing."""
    start, end, new_start, new_end = stretch
    if not stretch.one_sided:
        return stretch
    left = _weight(old.words[start - 1]) if start else 0
    right = _weight(old.words[end]) if end < len(old.words) else 0
    if left > right or (left == right and left and _leans_left(stretch, old, new, left)):
        return _Stretch(start - 1, end, new_start - 1, new_end)
    return _Stretch(start, end + 1, new_start, new_end + 1) if right else stretch


def _leans_left(stretch: _Stretch, old: _Side, new: _Side, weight: int) -> bool:
    """Chooses between equal neighbours: a full stop follows a word, `also` follows `is`, but a comma precedes `and`."""
    tokens = old.tokens[stretch.start : stretch.end] or new.tokens[stretch.new_start : stretch.new_end]
    if _is_word(tokens[0].lstrip(" ")):
        return weight > _CONTENT and len(tokens) == 1
    return weight == _CONTENT and tokens[0][0] != " "


def _weight(word: str) -> int:
    """How well a phrase with this neighbour recurs."""
    if word in _FUNCTION_WORDS:
        return 4
    if word in PRONOUNS:
        return 3
    return _CONTENT if _is_word(word) else 1


def _phrase(stretch: _Stretch, old: _Side, new: _Side) -> Phrase:
    return Phrase(old.text(stretch.start, stretch.end), new.text(stretch.new_start, stretch.new_end))


def _is_short(phrase: Phrase) -> bool:
    return all(len(side) <= _PHRASE_CHARACTERS and len(_tokens(side)) <= _PHRASE_WORDS for side in phrase)


def _case_changes(compared: _Comparison, *, at_starts: bool) -> list[tuple[int, Phrase]]:
    """Runs of equal words whose capitals differ, each with its position.

    A capital at the start of a sentence follows from edits beside it, so it counts only when nothing else changed.
    """
    old, new, stretches, _ = compared
    if not old.shown or not new.shown:
        return []
    runs: list[_Stretch] = []
    for at, other in _equal_pairs(stretches, len(old.words)):
        if old.shown[at].lstrip(" ") == new.shown[other].lstrip(" "):
            continue
        if (
            not at_starts
            and (_opens(old, at) or _opens(new, other))
            and _only_initials(old.shown[at], new.shown[other])
        ):
            continue
        here = _Stretch(at, at + 1, other, other + 1)
        follows = runs and (runs[-1].end, runs[-1].new_end) == (at, other)
        runs.append(_span(runs.pop(), here) if follows else here)
    return [(run.start, _phrase(run, old.as_shown(), new.as_shown())) for run in runs]


def _space_changes(old: _Side, new: _Side) -> list[Phrase]:
    """Equal words that were joined or separated, such as `f (x)` → `f(x)`."""
    places = [at for at in range(1, len(old.tokens)) if old.tokens[at] != new.tokens[at]]
    return [_phrase(_Stretch(at - 1, at + 1, at - 1, at + 1), old, new) for at in places]


def _equal_pairs(stretches: list[_Stretch], words: int) -> Iterator[tuple[int, int]]:
    """Positions in the old and the new text that hold the same word."""
    place = shift = 0
    for start, end, _, new_end in stretches:
        yield from ((at, at + shift) for at in range(place, start))
        place, shift = end, new_end - end
    yield from ((at, at + shift) for at in range(place, words))


def _opens(side: _Side, at: int) -> bool:
    return at == 0 or side.words[at - 1] in _SENTENCE_ENDS


def _only_initials(one: str, other: str) -> bool:
    return one.lstrip(" ")[1:] == other.lstrip(" ")[1:]
