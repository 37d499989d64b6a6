"""What ended and what holds in its place: `yarn is gone, we moved to pnpm`, `we replaced tox with nox`.

Both must be said. That something is gone, or fails, is mostly a report; who says in the same breath what is done now
speaks of how things are done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, takewhile
from typing import NamedTuple

from heedful.text.commands import MEANS, PROGRAMS, commands
from heedful.text.contradictions import key_terms
from heedful.text.contribution import is_about_failure
from heedful.text.lasting import FROM_NOW_ON
from heedful.text.lexicon import LIGHT_WORDS, SCOPES
from heedful.text.orders import is_order
from heedful.text.sentences import sentences
from heedful.text.terms import terms
from heedful.text.words import DENIALS, DETERMINERS, FUNCTION_WORDS, NEGATIONS, words_of

_MOST_ENDED = 4  # words that name one thing
_WORD = re.compile(r"`[^`\n]+`|[^\s,;()`]+")
_CLAUSE = re.compile(r"[,;:—–](?=\s)|\s-{1,2}\s|\b(?:and|but|since|because|as|so|und|aber|et|pero)\b")
_ENDED = words_of("""
    gone dead died history retired removed deprecated obsolete discontinued abolished dropped abandoned ditched sunset
    superseded closed left quit scrapped out shut
    weg tot geschichte abgeschafft eingestellt abgelöst entfernt ausgemustert stillgelegt passé vorbei raus geschlossen
    supprimé supprimée abandonné abandonnée mort morte disparu disparue fermé fermée parti
    acabó murió muerto muerta desapareció cerró cerrado cerrada eliminado eliminada abandonado abandonada
    retirado retirada obsoleto obsoleta acabou morreu encerrou encerrado fechou fechado descontinuado
    descontinuada removido removida aposentado
    aposentada saiu
    abandonamos eliminamos dejamos largamos
""")
_STATES = words_of("out shut off raus gone dead")
"""Of what is so; `take it out` is an order."""
_EXISTS = re.compile(r"(?:there|exist\w*|gibt|hay|há|tem|existe|y)", re.IGNORECASE)
_CEASED = re.compile(
    r"\b(?:any ?more|any longer|no longer|no more|nicht mehr|kein\w* \S+ mehr|ya no|já não|"
    r"no (?P<es>\w+) más|não (?P<pt>\w+) mais|n(?:e |['’])(?P<fr>(?:\w+ ){1,3})plus(?: d[eu])?)(?!\w)",
    re.IGNORECASE,
)
_NOW = re.compile(
    rf"\b(?:now|nowadays|these days|instead(?! of)|jetzt|nun|inzwischen|mittlerweile|stattdessen|maintenant|à la place|"
    rf"ahora|en su lugar|agora|no lugar|{FROM_NOW_ON})\b",
    re.IGNORECASE,
)
_WE = re.compile(
    r"\b(?:we|they|everybody|everyone|the team|wir|man|on|nous|nosotros|nós|a gente|todos|[^\W\d_]{2,}mos)\b(?<!vamos)"
    r"(?<!podemos)(?<!debemos)(?<!devemos)(?<!queremos)(?<!conseguimos)",
    re.IGNORECASE,
)
_TAKEN = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|mov(?:e|ed|ing)|switch(?:ed|ing)?|migrat(?:e|ed|ing)|went|go|take|took|adopted|chose|"
    r"nehmen|nimmt|nutzen|nutzt|verwenden|benutzen|gewechselt|umgestiegen|wechseln|"
    r"utilise(?:r|z|ons)?|prend|prenons|passe|passée?s?|passons|migré|"
    r"us(?:a|ar|amos)|utilizamos|pasamos|pasado|migramos|mudamos|passamos)\b",
    re.IGNORECASE,
)
_ORDERED = re.compile(
    r"^\W*(?:(?:so|please|bitte)\s+)?(?:use|take|nutze?|nimm|verwende|utilise[rz]?|usa|use)\b", re.IGNORECASE
)
_UNDONE = re.compile(
    r"\b(?:should|could|must|might|may|can(?:['’]?t|not)?|need|want|let['’]?s|will|would|"
    r"going to|gonna|trying|plan(?:s|ned|ning)? (?:to|on)|"
    r"soll\w*|könn\w*|kann|müss\w*|muss|woll\w*|will|würde\w*|dev(?:rait|rions|ons|emos|e)|doit|peut|pourr\w*|pouvons|"
    r"faut|va|vais|allons|vamos|podemos|debemos|queremos|if|wenn|si|when)\b|\b(?:your|this|these|i|ich|je|j['’]ai|eu|yo)\b",
    re.IGNORECASE,
)
"""Not done yet, at hand, or what the speaker did themselves."""
_ASKS = re.compile(
    r"^\W*(?:why|where|how|what|who|warum|wieso|wo|pourquoi|où|por qu[eé]|dónde|onde|cadê)\b", re.IGNORECASE
)
_EXCHANGED = re.compile(
    r"(?:replaced|swapped|exchanged|traded|superseded|ersetzt|(?:aus|ein)?getauscht|abgelöst|remplacée?s?|échangée?s?|"
    r"(?:reemplaz|sustitu|substitu|cambi|troc)(?:[aií]d[oa]s?|amos|[ií]mos|ó|yó|ou|iu))",
    re.IGNORECASE,
)
_MOVED = re.compile(
    r"(?:switched|moved|migrated|changed|umgestiegen|gewechselt|umgezogen|migriert|passée?s?|migrée?s?|basculée?s?|"
    r"(?:pas|migr|mud|cambi|pass)(?:ad[oa]s?|amos|ó|ou))",
    re.IGNORECASE,
)
_INSTEAD_OF = re.compile(
    r"\b(?:instead of|in place of|rather than|(?:an)?statt|anstelle von|au lieu d(?:e\b|['’])|plutôt que|"
    r"en (?:lugar|vez) del?|em vez d[eo]|no lugar d[eo])(?!\w)",
    re.IGNORECASE,
)
_BY = words_of("with by for through durch gegen mit par pour contre por pelo pela com con")
_FROM = words_of("from off von vom de du des del do da dos das")
_TO = words_of("to onto auf zu zum zur à a au ao para pra over")
_AUXILIARIES = words_of("""
    's got has've hat haben hatte a été ont avons ha han hemos sido fue se foi tem foram now already finally officially
    completely jetzt nun längst schon déjà maintenant ya ahora já agora temos estão está están ist
""")
_SMALL = FUNCTION_WORDS | NEGATIONS | _AUXILIARIES | LIGHT_WORDS
_AFTER_NAMES = (_SMALL - PROGRAMS) | words_of("nehmen nutzen verwenden benutzen usamos utilizamos utilisons prenons")
_WHEN = words_of("""
    last week month year today yesterday recently officially gestern heute seit letzte woche hier ayer ontem good ago
    finally down off
    company team firma unternehmen entreprise équipe empresa equipo equipe
""")
_LATER = words_of("""
    before after when whenever if until while once bevor nachdem wenn bis avant après quand lorsque antes después
    cuando depois quando
""")
_OF = SCOPES | _FROM - {"from"}
_USES = LIGHT_WORDS | MEANS | PROGRAMS


class _Ended(NamedTuple):
    words: tuple[str, ...]
    """They name what is no more."""
    may_fail: bool
    """It does something no more: only what people do instead tells that this is no failure."""


class Succession(NamedTuple):
    ended: frozenset[str]
    """The terms of what holds no more."""
    command: str
    """It, if it is a command of several words."""


def clauses(sentence: str) -> list[str]:
    return [clause for clause in _CLAUSE.split(sentence) if clause.strip()]


def successions(text: str) -> Iterator[Succession]:
    parts: list[str] = []
    for sentence in sentences(text):
        said = clauses(sentence)
        if sentence.endswith("?") or any(map(_ASKS.match, said)):
            return
        parts += said
    for at, clause in enumerate(parts):
        if (exchanged := _exchange(clause)) is not None:
            yield exchanged
        elif (ended := _ended(clause)).words:
            near = (*parts[at + 1 : at + 3], *parts[max(0, at - 1) : at])
            if any(_holds(one, ended) for one in near):
                yield _succession(ended.words)


def is_chosen(ended: Succession, text: str) -> bool:
    """Whether it is what a text says to take, and not a part or an occasion of something else: the cache of yarn, what
    is done before `make lint` is run."""
    return any(
        _is_chosen_in(ended, part) for sentence in sentences(text) for part in re.split(r"[,;:](?=\s)", sentence)
    )


def _is_chosen_in(ended: Succession, part: str) -> bool:
    if ended.command:
        found = next((one.start for one in commands(part) if one.text == ended.command), None)
        return found is not None and _LATER.isdisjoint(part[:found].casefold().split())
    words = [word.casefold() for word in _words(part)]
    for at, word in enumerate(words):
        if word in _LATER:
            return False
        if ended.ended.isdisjoint(terms(word)):
            continue
        before = next((one for one in reversed(words[:at]) if one not in DETERMINERS), "")
        after = words[at + 1] if at + 1 < len(words) else ""
        if before in _USES or (before not in _OF and (not after or after in _SMALL or ended.ended & {*terms(after)})):
            return True
    return False


def _succession(ended: Sequence[str]) -> Succession:
    phrase = " ".join(ended)
    command = next((one for one in commands(f"run {phrase}") if " " in one.text), None)
    return Succession(frozenset(key_terms(phrase.replace("`", " "))), command.text if command else "")


# Reading


def _words(text: str) -> list[str]:
    return [word.strip(".!…\"'“”„«»") for word in _WORD.findall(text)]


def _content(words: Sequence[str]) -> list[str]:
    """Without small words around it."""

    def is_small(word: str) -> bool:
        return word.casefold() in _SMALL - PROGRAMS

    kept = list(dropwhile(is_small, words))
    return list(dropwhile(is_small, kept[::-1]))[::-1]


def _named(words: Sequence[str]) -> list[str]:
    kept = _content(words)
    return kept if len(kept) <= _MOST_ENDED else []


def _ended(clause: str) -> _Ended:
    if _UNDONE.search(clause):
        return _Ended((), may_fail=False)
    if (ceased := _CEASED.search(clause)) is not None:
        return _ceased(clause, ceased)
    return _Ended(tuple(_gone(_words(clause))), may_fail=False)


def _gone(words: Sequence[str]) -> Sequence[str]:
    small = [word.casefold() for word in words]
    at = next((at for at, word in enumerate(small) if word in _ENDED), None)
    if at is None or _denies(words[:at]) or (at and small[at - 1] in DETERMINERS - {"a"}):
        return ()
    before, after = _content(words[:at]), words[at + 1 :]
    is_done = small[at] not in _STATES
    if before and (is_done or small[at - 1] in FUNCTION_WORDS | _AUXILIARIES or "'" in small[at - 1]):
        return _named(before) if all(word in _SMALL | _WHEN for word in small[at + 1 :]) else ()
    by_somebody = any(map(_WE.fullmatch, words[: at + 1])) or small[:at] == ["se"]
    return _named(after) if not before and is_done and by_somebody else ()


def _denies(words: Sequence[str]) -> bool:
    return any(word.casefold() in DENIALS or word.casefold().endswith(("n't", "n’t")) for word in words)


def _ceased(clause: str, ceased: re.Match[str]) -> _Ended:
    """Of a verb that stands before, within or behind the words that say that it ended."""
    before, after = _content(_words(clause[: ceased.start()])), _content(_words(clause[ceased.end() :]))
    verb = next(filter(None, ceased.group("es", "pt", "fr")), "").split(" ")[0]
    if not before:
        if not verb and after and (_WE.fullmatch(after[0]) or _EXISTS.fullmatch(after[0])):
            verb, after = after[0], after[1:]
        return _Ended(tuple(_named(after)), may_fail=False)
    if not verb and len(before) > 1 and not after and not ceased[0].casefold().startswith(("any", "kein")):
        verb, before = before[-1], before[:-1]
    is_there = all(_EXISTS.fullmatch(word) for word in (verb, *after) if word)
    named = _named([word for word in before if not _EXISTS.fullmatch(word)]) if len(after) <= 1 else []
    return _Ended(tuple(named), may_fail=not is_there and _WE.search(clause) is None)


def _holds(clause: str, ended: _Ended) -> bool:
    """Whether a clause says what holds instead."""
    by_us, now = _WE.search(clause), _NOW.search(clause)
    is_new = by_us and (now or _TAKEN.search(clause)) if ended.may_fail or now is None else True
    if not (is_new or (_ORDERED.match(clause) and not ended.may_fail)) or (now and _is_next_task(clause, now)):
        return False
    if _UNDONE.search(clause) or is_about_failure(clause) or _CEASED.search(clause):
        return False
    bare = _TAKEN.sub(" ", _NOW.sub(" ", clause))
    return not frozenset(key_terms(bare)) <= frozenset(terms(" ".join(ended.words)))


def _is_next_task(clause: str, now: re.Match[str]) -> bool:
    """`Now send the mail`."""
    rest = clause[now.end() :].strip(" ,")
    first = rest.partition(" ")[0].casefold()
    told = clause[: now.start()].strip() or first in FUNCTION_WORDS or _WE.search(rest) or _ORDERED.match(rest)
    return not told and is_order(rest)


def _exchange(clause: str) -> Succession | None:
    """`We replaced this with that`, `switched from this to that`, `this was replaced by that`."""
    if (of := _INSTEAD_OF.search(clause)) is not None:
        return _taken_instead(clause, of)
    words = _words(clause)
    small = [word.casefold() for word in words]
    at = next((at for at, word in enumerate(small) if _EXCHANGED.fullmatch(word) or _MOVED.fullmatch(word)), None)
    if at is None or _UNDONE.search(clause):
        return None
    old, new = _moved(small, words, at) if _MOVED.fullmatch(small[at]) else ([], [])
    if not (old and new) and _EXCHANGED.fullmatch(small[at]):
        old, new = _swapped(small, words, at)
    old, new = _named(old), _named(new)
    is_other = not frozenset(terms(" ".join(new))) <= frozenset(terms(" ".join(old)))
    return _succession(old) if old and is_other and _is_told(clause, small, at) else None


def _taken_instead(clause: str, of: re.Match[str]) -> Succession | None:
    """`We use this now instead of that`."""
    lead, rest = clause[: of.start()], clause[of.end() :]
    is_told = all(one.search(f"{lead} {rest}") for one in (_WE, _NOW, _TAKEN)) and _UNDONE.search(clause) is None
    words = list(dropwhile(lambda word: word.casefold() in DETERMINERS, _words(rest)))
    old = _named(list(takewhile(lambda word: word[:1] == "`" or word.casefold() not in _AFTER_NAMES, words)))
    return _succession(old) if is_told and old else None


def _is_told(clause: str, small: Sequence[str], at: int) -> bool:
    """That we did it, or that it was done: no order."""
    return _WE.search(clause) is not None or (at > 0 and small[at - 1] in FUNCTION_WORDS | _AUXILIARIES)


def _moved(small: Sequence[str], words: Sequence[str], at: int) -> tuple[list[str], list[str]]:
    """Who moves a thing from one place to another is building something."""
    start = next((at for at, word in enumerate(small) if word in _FROM), None)
    to = next((at for at, word in enumerate(small) if word in _TO and at != start), None)
    if (
        start is None
        or to is None
        or (_content(words[at + 1 : min(start, to)]) and _NOW.search(" ".join(small)) is None)
    ):
        return [], []
    if start < to:
        return list(words[start + 1 : to]), list(words[to + 1 :])
    return list(words[start + 1 :]), list(words[to + 1 : start])


def _swapped(small: Sequence[str], words: Sequence[str], at: int) -> tuple[list[str], list[str]]:
    by = next((number for number, word in enumerate(small) if word in _BY), None)
    if by is None:
        return [], []
    after, end = list(words[by + 1 :]), at if at > by else len(words)
    between = words[at + 1 : by]
    before = between if _content(between) else words[: min(at, by)]
    return [word for word in before if not _WE.fullmatch(word)], after[: end - by - 1]
