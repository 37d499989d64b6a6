"""Whether two texts about the same thing differ in a value, a choice or a negation.

`The retry limit is 3` and `the retry limit is 5` have nearly the same words and vectors. So each clause is aligned with
the most similar clause of the other text, and their numbers, alternatives and negations are compared. A sure contrast
is a contradiction; any other only prevents a merge.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import lru_cache
from itertools import chain, islice, takewhile
from typing import NamedTuple

from heedful.text.commands import Command, commands
from heedful.text.inflection import base
from heedful.text.lexicon import (
    ALTERNATIVES,
    COUNTED,
    DIRECTIONS,
    DIVERSIONS,
    EXCEPTIONS,
    LIGHT_WORDS,
    LINKS,
    NEGATIONS,
    NEGATIONS_OF_ALL,
    NUMBER_WORDS,
    POLARITY,
    RESETS,
    SCOPES,
    SETTINGS,
    UNITS,
)
from heedful.text.normalize import normal
from heedful.text.sentences import sentences
from heedful.text.stems import stem
from heedful.text.terms import terms
from heedful.text.words import DETERMINERS, PRONOUNS, words_of

_LONGEST_TEXT = 4_096  # characters
_MOST_CLAUSES = 64
_LONGEST_WORD = 64  # characters
_LONGEST_SHOWN = 40  # characters
_ALIKE = 0.5  # of the terms of two clauses; below, they speak of different things
_OPPOSABLE = 0.6  # below, a no in one of them is not about the other
_SURELY_ALIKE = 0.75
_REACH = 2  # terms that `without` is about
_SHARED = 2  # terms that two instructions must have in common
_BEGINNING, _SAME_BEGINNING = 6, 0.75  # letters that two forms of a word begin with, and their share of the longer one
_KEPT = 128  # texts; a new one is compared with a score of others

# Personal data leave placeholders whose numbers mean nothing outside their conversation.
_VOLATILE = re.compile(
    r"""
    [\[<{]{1,2}[A-Z][A-Z0-9_]{1,30}(?::[0-9a-f]{4}|[_\-]\d{1,6})?[\]>}]{1,2}
    | \b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d{1,9})?Z?)?\b
    | (?<![\w&])\#\d{1,7}\b(?![.,]\d)
    """,
    re.VERBOSE,
)
_COLOURS = re.compile(r"(?i)\b(?:colou?rs?|background|css|hex|fill|border)\b")
_CLAUSE_END = re.compile(
    r"[;\r\u2028]+|[—–]|\s-{1,2}\s|\b[A-Z]{3,12}:|(?<=\w):(?=\s)|,(?=\s(?:we|they|you|it|nobody|everybody)\b)"
)
_STEP = re.compile(r"(^|[\s(])(\d{1,2})[.)](?=\s)")
_TOKEN = re.compile(
    r"""
    (?:(?<![\w.)\]])[-+](?=\d))?+ \w[\w'’]*+ (?:(?:[.\-/:@+]|::|(?<=\d),(?=\d))\w[\w'’]*+)*+ (?:\(\)|\+\+|%)?+
    | [,()\[\]→|] | [<>]=?
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[\w'’]+(?:[.\-/][\w'’]+)*")
_NUMBER = re.compile(r"([-+]?\d[\d,_]*(?:\.\d+)?)([a-zµ%]{0,12})")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+|(?<=v)\d+)(?:\.x)?")
_DIGITS = re.compile(r"\d+")
_PHRASES = (  # what reads as one word, before words are looked at one by one
    (re.compile(r"^\W{0,3}(?:no+|nope|nein|non|não),\s"), ""),  # an answer, and no denial of what follows
    (re.compile(rf"\b(\d+|{'|'.join(NUMBER_WORDS)})-(?=[a-z])"), r"\1 "),
    (re.compile(r"\bhalf an? (?=\w)"), "0.5 "),
    (re.compile(r"\ban? (?=(?:minute|hour|day|week|month|year|hundred|thousand|dozen|million)\b)"), "1 "),
    (re.compile(r"\bno (?=(?:more|less|fewer|later|earlier) than\b|matter\b|doubt\b)"), ""),
    (re.compile(r"\bnot (?=(?:only|just|necessarily|least|yet|to mention|more than|less than)\b)"), ""),
    (re.compile(r"\b(?:whether or|or|if|why) not\b"), " "),
    (re.compile(r"\b(?:instead of|rather than|as opposed to|in place of)\b"), " insteadof "),
    (re.compile(r"\btwice\b"), "2 times"),
    (re.compile(r"\b(?:no longer|not any ?more)\b"), " not "),
    (re.compile(r"\bat (least|most)\b"), r" at\1 "),
)
_ANY_PHRASE = re.compile("|".join(phrase.pattern for phrase, _ in _PHRASES))
_EMPTY = DETERMINERS | PRONOUNS | LIGHT_WORDS
_ORDERS = frozenset(terms("before after above below vor nach avant après antes después depois"))
"""As `DIRECTIONS`, but terms themselves."""
_PAST = frozenset({"was", "were", "had", "war", "waren", "était", "étaient"})
_BOUNDS = words_of(
    "than over above under below beyond past exceed exceeds within until atmost atleast > >= < <= als que"
)
"""Before a number that is a limit, and not itself what is meant."""
_PRONOUNS = frozenset({"it", "them", "one", "this", "that", "these", "those"})
_PREFERRING = re.compile(r"\b(?:prefer\w*|favou?r\w*|cho(?:ose|sen|se)|pick(?:ed|s)?)\b")


class ContrastKind(Enum):
    VALUE = "value"
    CHOICE = "choice"
    POLARITY = "polarity"
    WORD = "word"
    """Another word in the same place, which may mean the same."""


class Contrast(NamedTuple):
    kind: ContrastKind
    ours: str
    theirs: str
    sure: bool
    """A contradiction; otherwise only too much of a difference to merge."""

    def __str__(self) -> str:
        return _SENTENCES[self.kind].format(ours=self.ours, theirs=self.theirs)


class StatedValue(NamedTuple):
    kind: str
    """A dimension such as seconds, the letters around a number, or nothing."""
    amount: str
    shown: str
    before: str
    """The term before it, if any."""
    after: str
    loose: bool
    """A `one` that may not be meant as a number."""
    banned: bool
    """Something else may be banned as well: `never use port 80`. `Never more than 80` is a limit."""


_SENTENCES = {
    ContrastKind.VALUE: "They differ in a value: {ours} / {theirs}.",
    ContrastKind.WORD: "They differ in a word: {ours} / {theirs}.",
    ContrastKind.CHOICE: "They choose differently: {ours} / {theirs}.",
    ContrastKind.POLARITY: "One says yes and the other no: {ours}.",
}


def contrast(ours: str, theirs: str) -> Contrast | None:
    """The surest contrast between two texts, in either order."""
    mine, other = _read(ours[:_LONGEST_TEXT]), _read(theirs[:_LONGEST_TEXT])
    found = [one for first, second in _aligned(mine, other) for one in _contrasts(first, second, mine, other)]
    found += _stray_values(mine, other)
    return min(found, key=_by_certainty, default=None)


def at_odds(new: str, old: str) -> bool:
    """Whether two instructions share all words but a number or a negation."""
    ours, theirs = _words(new), _words(old)
    only = list(((ours - theirs) + (theirs - ours)).elements())
    if not only or len(set(terms(new)) & set(terms(old)) - set(only)) < _SHARED:
        return False
    return all(map(_DIGITS.search, only)) or all(word in POLARITY for word in only)


def differ_in_a_word(ours: str, theirs: str) -> bool:
    """Whether one word stands in the place of another, and all others are the same. It may be a synonym or the
    opposite, and the vectors of `round up` and `round down` are nearly the same: only a person can tell."""
    mine, other = _WORD.findall(normal(ours)), _WORD.findall(normal(theirs))
    if len(mine) != len(other):
        return False
    pairs = [(one, two) for one, two in zip(mine, other, strict=True) if one != two]
    return len(pairs) == 1 and not _is_form(*pairs[0])


def _is_form(one: str, two: str) -> bool:
    """Whether both are forms of one word, both deny, or both say nothing by themselves."""
    return (
        are_forms(stem(base(one)), stem(base(two)))
        or (_denies(one) and _denies(two))
        or (one in _EMPTY and two in _EMPTY)
    )


def are_forms(one: str, two: str) -> bool:
    """Whether two stems are of one word, in a language whose endings the stemmer does not know: `rechnung` and
    `rechnungen`."""
    if one == two or not (one.isalpha() and two.isalpha()):
        return one == two
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))
    return same >= _BEGINNING and same > _SAME_BEGINNING * max(len(one), len(two))


def _denies(word: str) -> bool:
    return word in NEGATIONS or word.endswith(("n't", "n’t"))


def key_terms(text: str) -> tuple[str, ...]:
    """What it speaks of, in order: without the words that only say that it is wanted, or unwanted."""
    return tuple(mention.term for clause in _read(text[:_LONGEST_TEXT]) for mention in clause.mentions)


def change_places(ours: str, theirs: str) -> bool:
    """Whether two texts have the same terms, but in each other's place: `from staging to production`, `from production
    to staging`."""
    if sorted(key_terms(ours)) != sorted(key_terms(theirs)):
        return False
    mine, other = _places(ours), _places(theirs)
    return any(mine[way] != other[way] for way in mine.keys() & other.keys())


def _places(text: str) -> dict[str, set[str]]:
    """The terms behind each word that tells from where, where to, or when."""
    found: dict[str, set[str]] = defaultdict(set)
    for clause in _read(text[:_LONGEST_TEXT]):
        before = ""
        for mention in clause.mentions:
            way = mention.way or (before if before in _ORDERS else "")
            if way:
                found[way].add(mention.term)
            before = mention.term
    return found


class Stand(NamedTuple):
    """The terms that a text affirms, with its numbers, those that it denies, and all."""

    affirmed: frozenset[str]
    denied: frozenset[str]
    terms: frozenset[str]


def stand(text: str) -> Stand:
    clauses = _read(text[:_LONGEST_TEXT])
    none, amounts = frozenset[str](), frozenset(value.amount for value in values(text))
    affirmed = none.union(*map(_affirmed, clauses))
    denied = none.union(*map(_denied, clauses)) - affirmed
    return Stand(affirmed | amounts, denied, none.union(*(clause.terms for clause in clauses)) | amounts)


def negates(text: str) -> bool:
    """Whether the text negates anything."""
    return any(clause.negative for clause in _read(text[:_LONGEST_TEXT]))


def values(text: str) -> tuple[StatedValue, ...]:
    """The numbers of a text, in digits or words, with their units."""
    return tuple(value for clause in _read(text[:_LONGEST_TEXT]) for value in clause.values)


def _words(text: str) -> Counter[str]:
    return Counter(word.replace("’", "'") for word in _WORD.findall(normal(text)))


# Reading


class _Mention(NamedTuple):
    """A term in its position."""

    term: str
    key: str
    """The term, or what it is an alternative of."""
    shown: str
    link: str
    """The small word before it."""
    way: str
    """The word before it that tells from where, or where to."""
    negative: bool
    positive: bool
    """Within a negation some terms are neither: `do not use a list as default`."""


class _Named(NamedTuple):
    """A command or a name of code, and what is said besides."""

    command: Command
    negative: bool
    rest: frozenset[str]


class _Clause(NamedTuple):
    mentions: tuple[_Mention, ...]
    keys: frozenset[str]
    terms: frozenset[str]
    positive: frozenset[str]
    negative: frozenset[str]
    focus: frozenset[str]
    """The first term after a negation."""
    preferred: tuple[tuple[str, str], ...]
    """Pairs of what is preferred and what it is preferred to."""
    values: tuple[StatedValue, ...]
    named: tuple[_Named, ...]
    past: bool
    """Describes the past, not what to do."""


@lru_cache(_KEPT)
def _read(text: str) -> tuple[_Clause, ...]:
    parts = islice(dict.fromkeys(filter(None, _parts(_plain(text)))), _MOST_CLAUSES)
    return tuple(clause for clause in map(_clause, parts) if clause.keys or clause.values)


def _plain(text: str) -> str:
    """Removes what varies between mentions: placeholders, dates, issue numbers, step numbers."""
    coloured = _COLOURS.search(text) is not None
    text = _VOLATILE.sub(lambda found: found[0] if coloured and found[0][0] == "#" else " ", text)
    expected = 1

    def step(found: re.Match[str]) -> str:
        nonlocal expected
        number = int(found[2])
        if number not in (1, expected):
            return found[0]
        if number == 1 and found[1] == " " and not text[: found.start()].rstrip().endswith((":", ".", ";")):
            return found[0]  # `the limit is 1. Then`
        expected = number + 1
        return "\n"

    return _STEP.sub(step, text)


def _parts(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        for part in _CLAUSE_END.split(sentence):
            yield part.strip(" .!?…")


def _clause(part: str) -> _Clause:
    clause = _reader(part).clause()
    return clause._replace(named=tuple(_named(part, command) for command in commands(part)))


def _named(part: str, command: Command) -> _Named:
    before, after = part[: command.start], part[command.end :]
    up_to = _reader(before)
    up_to.clause()
    return _Named(command, up_to.negates, _reader(f"{before} {after}").clause().keys)


def _reader(part: str) -> _ClauseReader:
    small = part.casefold().replace("’", "'")
    if _ANY_PHRASE.search(small):
        for phrase, plain in _PHRASES:
            small = phrase.sub(plain, small)
    tokens = _TOKEN.findall(small)
    shown = {token.casefold(): token for token in _TOKEN.findall(part)}
    return _ClauseReader(tokens, shown, over=_PREFERRING.search(small) is not None)


class _ClauseReader:
    """Reads the words of a clause once, tracking whether a negation is in force."""

    def __init__(self, tokens: list[str], shown: dict[str, str], *, over: bool) -> None:
        self._tokens = tokens
        self._shown = shown
        self._over = over  # `prefer this over that`
        self._mentions: list[_Mention] = []
        self._values: list[StatedValue] = []
        self._focus: set[str] = set()
        self._preferred: list[tuple[str, str]] = []
        self._rival = ""  # what was preferred to what comes next
        self._no = False
        self._negated = 0  # terms since the last negation
        self._unclear = False  # a denial still in force may not be about what follows
        self._reach = 0  # terms it is about; 0 for all that follow
        self._link = self._way = ""
        self._chunk = 0  # the mention at which the last comma stood

    def clause(self) -> _Clause:
        skip = False
        for at, word in enumerate(self._tokens):
            if skip:
                skip = False
            elif word in _PRONOUNS and self._reach:
                self._no, self._reach = False, 0  # `without it`
            elif word in NUMBER_WORDS or _DIGITS.search(word):
                skip = self._take_value(at, word)
            else:
                self._take_word(word)
        mentions = tuple(self._mentions)
        return _Clause(
            mentions,
            frozenset(mention.key for mention in mentions),
            frozenset(mention.term for mention in mentions),
            frozenset(mention.term for mention in mentions if mention.positive),
            frozenset(mention.term for mention in mentions if mention.negative),
            frozenset(self._focus),
            tuple(self._preferred),
            tuple(self._values),
            (),
            not _PAST.isdisjoint(self._tokens),
        )

    @property
    def negates(self) -> bool:
        """Whether a negation is in force after what was read."""
        return self._no

    def _take_word(self, word: str) -> None:
        self._way = word if word in DIRECTIONS else self._way
        if _denies(word) or (word == "over" and self._over):
            self._negate(within=word in EXCEPTIONS)
            self._rival = self._mentions[-1].term if word in ("over", "insteadof") and self._mentions else ""
            if (about := NEGATIONS.get(word)) and about != word:
                self._mention(about, word)
        elif word in NEGATIONS_OF_ALL:
            self._negate_all()
        elif not word[0].isalnum():
            if word == "," and self._negated:
                self._no = self._unclear = False
            self._chunk = len(self._mentions)
        elif word in RESETS and self._negated:
            self._no = self._unclear = False
            self._link = word
        elif word in DIVERSIONS and self._negated:
            self._unclear = True
            self._link = word
        elif word in LIGHT_WORDS or word in LINKS:
            self._link = word
        else:
            self._mention(_term(word), word)

    def _negate(self, *, within: bool = False) -> None:
        """A double negation cancels out: at once, or with an exception within what is negated."""
        self._no = not self._no or (self._negated > 0 and not within)
        self._negated, self._reach, self._unclear = 0, _REACH if within else 0, False

    def _negate_all(self) -> None:
        """As in German and French, where a negation may follow what it is about."""
        for at in range(self._chunk, len(self._mentions)):
            self._mentions[at] = self._mentions[at]._replace(negative=True, positive=False)
            self._focus.add(self._mentions[at].term)
        self._negate()

    def _mention(self, term: str, word: str) -> None:
        shown = self._shown.get(word, word)[:_LONGEST_SHOWN]
        term, key = ALTERNATIVES.get(term, (term, term))
        negative = self._no and not self._unclear
        self._mentions.append(_Mention(term, key, shown, self._link, self._way, negative, not self._no))
        if negative and not self._negated:
            self._focus.add(term)
        if self._rival:
            self._preferred.append((self._rival, term))
        self._negated += 1
        self._link = self._rival = self._way = ""
        if self._reach and self._negated == self._reach:
            self._no, self._reach = False, 0

    def _take_value(self, at: int, word: str) -> bool:
        """Returns whether the next word is its unit and was consumed."""
        following = self._tokens[at + 1] if at + 1 < len(self._tokens) else ""
        kind, amount, shown, taken = _measured(word, following)
        before = self._mentions[-1].term if self._mentions else ""
        rest = self._tokens[at + 1 + taken : at + 6]
        after = next((_term(near) for near in rest if _is_term(near)), "")
        banned = self._no and (not at or self._tokens[at - 1] not in _BOUNDS)
        self._values.append(StatedValue(kind, amount, shown[:_LONGEST_SHOWN], before, after, word == "one", banned))
        return taken


def _is_term(word: str) -> bool:
    known = word in LIGHT_WORDS or word in LINKS or word in NEGATIONS or word in NUMBER_WORDS
    return word[0].isalpha() and not known


def _measured(token: str, following: str) -> tuple[str, str, str, bool]:
    if version := _VERSION.fullmatch(token):
        number = version[1]
        while number.endswith(".0"):
            number = number[:-2]
        unit = UNITS.get(following)
        if unit and number.count(".") <= 1:
            return unit[0], _amount(number, unit[1]), f"{number} {following}", True
        return "", number, token, False
    number = NUMBER_WORDS.get(token, token)
    plain = _NUMBER.fullmatch(number)
    if not plain or len(number) > 24:
        return _DIGITS.sub("0", token)[:_LONGEST_WORD], token[:_LONGEST_WORD], token, False
    digits = _digits(plain[1])
    if plain[2]:
        unit = UNITS.get(plain[2])
        return (*_sized(digits, unit), token, False) if unit else (plain[2], digits, token, False)
    unit = UNITS.get(following)
    if unit:
        return (*_sized(digits, unit), f"{token} {following}", True)
    return "", digits, token, False


def _sized(digits: str, unit: tuple[str, float]) -> tuple[str, str]:
    return unit[0], _amount(digits, unit[1])


def _amount(digits: str, factor: float) -> str:
    return f"{float(digits) * factor:.9g}"


def _digits(number: str) -> str:
    """1,000 and 1_000 are 1000; 2,5 is 2.5."""
    number = number.replace("_", "").strip(",")
    head, comma, tail = number.rpartition(",")
    if comma and "." not in number and len(tail) != 3:
        number = f"{head}.{tail}"
    number = number.replace(",", "")
    return number.lstrip("+").lstrip("0") or "0"


@lru_cache(16_384)
def _term_of(word: str) -> str:
    found = terms(word)
    return found[0] if found else word


def _term(word: str) -> str:
    return _term_of(base(word[:_LONGEST_WORD]))


# Comparing


def _aligned(ours: tuple[_Clause, ...], theirs: tuple[_Clause, ...]) -> list[tuple[_Clause, _Clause]]:
    """Pairs each clause of either text with the most similar one of the other."""
    pairs = dict.fromkeys(_nearest(ours, theirs))
    pairs |= dict.fromkeys((best, at) for at, best in _nearest(theirs, ours))
    return [(ours[first], theirs[second]) for first, second in pairs]


def _nearest(clauses: tuple[_Clause, ...], others: tuple[_Clause, ...]) -> Iterator[tuple[int, int]]:
    having: dict[str, list[int]] = defaultdict(list)
    for at, other in enumerate(others):
        for key in other.keys:
            having[key].append(at)
    for at, clause in enumerate(clauses):
        common = Counter(chain.from_iterable(having.get(key, ()) for key in clause.keys))
        size = len(clause.keys)
        shares = {found: 2 * count / (size + len(others[found].keys)) for found, count in common.items()}
        most = max(shares.values(), default=0.0)
        if most >= _ALIKE:
            equals = [found for found, share in shares.items() if share == most]
            yield at, max(equals, key=lambda found: (_agreement(clause, others[found]), -found))


def _agreement(clause: _Clause, other: _Clause) -> int:
    """How much two clauses agree; breaks ties between equally similar clauses."""
    agreeing = len(clause.positive & other.positive) + len(clause.negative & other.negative)
    values = {value[:2] for value in clause.values} & {value[:2] for value in other.values}
    return agreeing + len(values) + (bool(clause.values) == bool(other.values))


def _contrasts(
    first: _Clause, second: _Clause, ours: tuple[_Clause, ...], theirs: tuple[_Clause, ...]
) -> Iterator[Contrast]:
    share = _share(first.keys, second.keys)
    alike = _surely_alike(first.keys, second.keys)
    if share >= _OPPOSABLE and first.past == second.past:
        yield from _opposed(first, second, ours, theirs, alike)
    yield from _measured_apart(first, second, alike)
    yield from _chosen_apart(first, second)
    yield from _named_apart(first, second)
    yield from _worded_apart(first, second)


def _share(ours: frozenset[str], theirs: frozenset[str]) -> float:
    return 2 * len(ours & theirs) / ((len(ours) + len(theirs)) or 1)


def _surely_alike(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """If both add something, it may be another subject: the timeout of mails is not the timeout of payments."""
    return (ours <= theirs or theirs <= ours) and _share(ours, theirs) >= _SURELY_ALIKE


def _opposed(
    first: _Clause, second: _Clause, ours: tuple[_Clause, ...], theirs: tuple[_Clause, ...], alike: bool
) -> Iterator[Contrast]:
    """Terms that one clause affirms and the other negates."""
    turned = {term for term in _denied(first) & _affirmed(second) if not _denied_elsewhere(term, first, theirs)}
    turned |= {term for term in _denied(second) & _affirmed(first) if not _denied_elsewhere(term, second, ours)}
    turned -= _outdone(first, second) | _outdone(second, first)
    if not turned:
        return
    focus = turned & (first.focus | second.focus)
    agreed = first.negative & second.negative
    if not focus and agreed:
        return  # both say no to the same thing, in other words
    shown = min(_shown(first, focus or turned), _shown(second, focus or turned))
    sure = alike or _changed_places(first, second, focus)
    yield Contrast(ContrastKind.POLARITY, shown, shown, bool(focus) and sure and not agreed)


def _changed_places(first: _Clause, second: _Clause, turned: set[str]) -> bool:
    """`Read settings from A, never from B` and `read settings from C, never from A`: both speak of the same, although
    each has something of its own."""
    if not (first.focus and second.focus) or len(_affirmed(first) & _affirmed(second) - turned) < _SHARED:
        return False
    links = ({(one.term, one.link) for one in clause.mentions if one.term in turned} for clause in (first, second))
    return any(link for _, link in set.intersection(*links))


def _outdone(clause: _Clause, other: _Clause) -> set[str]:
    """Preferring this over that does not contradict a text that uses both."""
    return {term for rival, term in clause.preferred if rival in _affirmed(other)}


def _denied(clause: _Clause) -> frozenset[str]:
    return clause.negative - clause.positive


def _affirmed(clause: _Clause) -> frozenset[str]:
    return clause.positive - clause.negative


def _denied_elsewhere(term: str, clause: _Clause, others: tuple[_Clause, ...]) -> bool:
    """A heading may name what the text below it negates."""
    return any(
        term in other.terms and term not in other.positive and 2 * len(clause.keys & other.keys) >= len(clause.keys)
        for other in others
    )


def _shown(clause: _Clause, wanted: Iterable[str]) -> str:
    return next((mention.shown for mention in clause.mentions if mention.term in wanted), "")


def _measured_apart(ours: _Clause, theirs: _Clause, alike: bool) -> Iterator[Contrast]:
    stated, others = _stated(ours.values), _stated(theirs.values)
    mine, other = _only(stated, others), _only(others, stated)
    for one in mine:
        for two in other:
            if _same_slot(one, two):
                sure = alike and one.before not in COUNTED and not (one.banned and two.banned)
                yield Contrast(ContrastKind.VALUE, one.shown, two.shown, sure)
                return


def _stated(values: tuple[StatedValue, ...]) -> tuple[StatedValue, ...]:
    """Without those in whose place another is given: `5440, not 5433`."""
    return tuple(value for value in values if not value.banned) or values


def _only(values: Iterable[StatedValue], others: tuple[StatedValue, ...]) -> list[StatedValue]:
    known = {value[:2] for value in others}
    bare = {value.amount for value in others if not value.kind}
    amounts = {_leading(value.shown) for value in others}
    return [
        value
        for value in values
        if value[:2] not in known and _leading(value.shown) not in bare and (value.kind or value.amount not in amounts)
    ]


def _leading(shown: str) -> str:
    found = _NUMBER.match(shown)
    return _digits(found[1]) if found else shown


def _same_slot(one: StatedValue, two: StatedValue) -> bool:
    if one.loose and two.loose:
        return False
    if one.kind or two.kind:
        return one.kind == two.kind
    if one.after and two.after:
        return one.after == two.after
    return bool(one.before) and one.before == two.before


def _stray_values(ours: tuple[_Clause, ...], theirs: tuple[_Clause, ...]) -> Iterator[Contrast]:
    """Numbers that only one text has, on both sides: the texts are not the same."""
    mine = tuple(value for clause in ours for value in _stated(clause.values) if not value.loose)
    other = tuple(value for clause in theirs for value in _stated(clause.values) if not value.loose)
    only, others = _only(mine, other), _only(other, mine)
    if only and others:
        yield Contrast(ContrastKind.VALUE, only[0].shown, others[0].shown, sure=False)


def _chosen_apart(ours: _Clause, theirs: _Clause) -> Iterator[Contrast]:
    """Alternatives, or names, in the same position of the same sentence."""
    mine = [mention for mention in ours.mentions if mention.term not in theirs.terms]
    other = [mention for mention in theirs.mentions if mention.term not in ours.terms]
    for one in mine:
        for two in other:
            if one.negative == two.negative and _exclude_each_other(one, two, ours, theirs):
                # The place they stand in is the same one, even if it has no name.
                sure = _surely_alike(ours.keys - {one.key} | {"|"}, theirs.keys - {two.key} | {"|"})
                yield Contrast(ContrastKind.CHOICE, one.shown, two.shown, sure and one.positive and two.positive)
                return


def _exclude_each_other(one: _Mention, two: _Mention, ours: _Clause, theirs: _Clause) -> bool:
    if one.link in SCOPES or two.link in SCOPES:
        return False  # not what is chosen, but what for
    if one.key == two.key:
        return True
    return one.link == two.link in ("is", "are", "be", "=") and bool(ours.keys & theirs.keys & SETTINGS)


def _named_apart(ours: _Clause, theirs: _Clause) -> Iterator[Contrast]:
    """Commands or names of code, where all else is the same. Two bans get along with each other."""
    mine = [one for one in ours.named if one.command.text not in {other.command.text for other in theirs.named}]
    other = [one for one in theirs.named if one.command.text not in {other.command.text for other in ours.named}]
    for one in mine:
        for two in other:
            if one.negative == two.negative and _surely_alike(one.rest, two.rest):
                sure = one.command.is_means and two.command.is_means and not one.negative
                yield Contrast(ContrastKind.CHOICE, one.command.text, two.command.text, sure)
                return


def _worded_apart(ours: _Clause, theirs: _Clause) -> Iterator[Contrast]:
    """One differing term between the same neighbours: an image of the API, an image of the worker."""
    mine = [at for at, mention in enumerate(ours.mentions) if mention.term not in theirs.terms]
    other = [at for at, mention in enumerate(theirs.mentions) if mention.term not in ours.terms]
    alone = {ours.mentions[at].term for at in mine}, {theirs.mentions[at].term for at in other}
    few = len(ours.terms & theirs.terms) < _SHARED
    if few or len(alone[0]) != 1 or len(alone[1]) != 1 or len(ours.mentions) != len(theirs.mentions):
        return
    if are_forms(*alone[0], *alone[1]):
        return
    if _neighbours(ours, mine[0]) == _neighbours(theirs, other[0]):
        yield Contrast(ContrastKind.WORD, ours.mentions[mine[0]].shown, theirs.mentions[other[0]].shown, sure=False)


def _neighbours(clause: _Clause, at: int) -> tuple[str, ...]:
    return tuple(clause.mentions[near].term for near in (at - 1, at + 1) if 0 <= near < len(clause.mentions))


def _by_certainty(found: Contrast) -> tuple[bool, bool, str, tuple[str, ...]]:
    told = tuple(sorted((found.ours, found.theirs)))
    return not found.sure, found.kind is ContrastKind.WORD, found.kind.value, told
