"""What a correcting message says was wrong, what is right, and why.

What was wrong will be replaced by what is right in later texts, so a pair must be certain: the wrong words stand in the
output, or the message names them plainly. In doubt the message is kept as an instruction, without wrong words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from heedful.capture.corrections.pairs.clauses import Clauses, clauses, is_quote, trimmed
from heedful.capture.corrections.pairs.constructions import Construction, Sense, readings
from heedful.capture.corrections.pairs.passages import (
    aligned,
    content_words,
    kind,
    located,
    nearest_word,
    only_value,
    value_of,
    values,
    without_article,
    word_before,
)
from heedful.text.lazy_pattern import LazyPattern

_LONGEST = 300  # characters of each part
_LOOKED_AT = 2_000  # characters of a message
_PAIR_WORDS = 10  # of either side; more is a sentence, not a phrase to replace
_PLAIN_WORDS = 4  # of either side, where the output does not confirm the wrong words
_ALIKE = 60  # of 100: one name written in two ways
_SHARED_WORDS = 2  # that both sides may end with: `airlines table` says which airlines

_PLACE = (
    r"(?:in|on|at|under|for|im|in der|dans|à|en|no|na) (?:the )?"
    r"(?:(?:step|line|section|paragraph|row|column|chapter|page|item|schritt|zeile|étape|ligne|paso|línea|passo"
    r"|linha)s?"
    r" \S{1,6}(?:,? (?:and|und|et|y|e|hand) (?:\w{1,20} )?\d{1,9}){0,4}"
    r"|(?:first|second|third|last|next) \w{1,40}|both places|all places)"
)
_LEADING_PLACE = LazyPattern(rf"(?:{_PLACE}|step \d+)\s*[,:]?\s+", re.IGNORECASE)
_TRAILING_PLACE = LazyPattern(rf"(?:(?<!\s)\s++{_PLACE}|,){{1,4}}$", re.IGNORECASE)
_TRAILING = LazyPattern(
    r"(?<![\s,])[\s,]++(?:instead|everywhere|throughout|again|here|there|too|as well|for now|from now on|always"
    r"|next time|please|then|ok"
    r"|wherever it (?:occurs|appears)|in the (?:file|code|text|table|output|answer)|sein|heißen|lauten|werden"
    r"|überall|hier|partout|ici|aquí|aqui|siempre|sempre|immer|toujours)$",
    re.IGNORECASE,
)
_NEXT_CLAUSE = LazyPattern(
    r",\s(?![A-Z]\w+$)|\s\(|(?<!\sin)(?<!\sthe)(?<!\sand)\sstep \d|\s(?:and|but|so|und|aber|et|mais|y|pero|e"
    r"|mas)\s(?=(?:then|also|make|ensure|add|remove|use|find|change"
    r"|replace|keep|do|don['’]t|please|it|we|i|you|the|that|this|put|write|set|update|corresponding|second|not|dann"
    r"|bitte|wir"
    r"|puis|ajoute|luego|añade|depois|adicione)\b)"
    r"|\s(?:when|whenever|where|while|if|unless|until|wenn|falls|quand|lorsque|si|cuando|quando|se)\s",
    re.IGNORECASE,
)
_ANOTHER = LazyPattern(
    r"\b(?:vice[ -]versa|each other|other way|respectively|umgekehrt|inversement|viceversa)\b", re.IGNORECASE
)
_ONE_OF = LazyPattern(
    r"(?:the )?(?:first|second|third|last|one|another|some|any|other|either|only|erste\w*|zweite\w*|premi[eè]re?"
    r"|deuxième"
    r"|primer[oa]?|segund[oa]|primeir[oa]|más|more|less|mehr|plus|mais)\s",
    re.IGNORECASE,
)
_EVERY = LazyPattern(r"(?:all|every|each|both|alle[ns]?|tou(?:s|tes)|todos?|todas)\s+(?:of\s+)?(?=\S)", re.IGNORECASE)
_NAMING = LazyPattern(
    r"(?:(?:the|a|an|my|our|der|die|das|le|la|el|o)\s+(?:\w+\s+)?|(?:word|term|name|called|named|function|variable|file)\s+)"
    r"(?=[\ue000-\ue063]$)",
    re.IGNORECASE,
)
_POINTING_LIST = """
    it this that these those them they he she one something anything everything else thing things what same
    other others there here then so do does did be is are mine yours ours es das dies ihn sie ça cela ce lo
    eso esto isso isto ele ela yes no ok me you us i we both it's it’s that's that’s this's c'est c’est
"""
_POINTING = frozenset(_POINTING_LIST.split())
_CLAUSAL = LazyPattern(
    r"\b(?:it|this|them|only|i|we|you|he|she|they|who|which|that|should|must|would|could|can|will|does|did|don['’]t"
    r"|isn['’]t|not|never|to be|ich|wir"
    r"|nicht|je|nous|ne|yo|não)\b|n['’]t\b",
    re.IGNORECASE,
)
_LEAD = LazyPattern(  # the subject and the verbs before what is right: `it should return` nil
    r"(?:(?P<subject>(?:(?!that\b|which\b|who\b)\S+\s+){0,6}?)"
    r"(?:(?:should|must|will|would|can|needs?|ha(?:s|ve)|had|got|going|want(?:s|ed)?|like|prefer|to|be|been|is|are|was"
    r"|were|am"
    r"|it['’]s|that['’]s|they['’]re|he['’]s|she['’]s|there['’]s|we['’]re|i['’]d|use|uses|used|using|returns?|writes?"
    r"|say|says|said|call"
    r"|called|name|named|put|show|find|finds?|means?|meant|always|only|just|rather|actually|really|agreed|decided|go"
    r"|went|chose"
    r"|choose|pick|make|it|order|sort|render|print|send|take|try|do|ask(?:ed)?(?: for)?|work(?:s|ed)?|"
    r"nutzen?|verwenden?|benutzen?|nimm|nehmen|schreiben?|mach|ist|sind|war|heißt|heißen|lieber|besser|gehört|muss"
    r"|soll|sollte|gibt"
    r"|zurückgeben|est|sont|était|c['’]est|utilise[rz]?|mets|mettez|écris|écrivez|appelle|faut|doit|devrait|être"
    r"|retourne[rz]?"
    r"|es|son|era|está|usa[rn]?|utiliza[rn]?|pon|escribe|debe|debería|ser|prefiero|devuelve|é|são|fica|use[m]?|utilize"
    r"|escreva"
    r"|deve|deveria|prefiro|coloque|ponha)\s+)+"
    r"(?:(?:on|in|at|with|as|for|by|to|im|am|um|dans|à|en|em|auf|mit)\s+(?=\S))?)",
    re.IGNORECASE,
)
_COMPLAINT = LazyPattern(
    r"\b(?:wrong|incorrect|missing|misses|forgot(?:ten)?|fail(?:s|ed|ing)?|broke(?:n)?|breaks|outdated|out of date"
    r"|confusing|dumb"
    r"|duplicat\w+|ignored|unexpected|nothing|hell|wth|wtf|crash\w*|error|bug|buggy|weird|still|doubts?|unlikely"
    r"|easy to|not sure"
    r"|unable|no idea|useless|unhelpful|helpful|confused|off|slow|delay|odd|stupid|bad|sound|falsch|fehl\w+|vergessen"
    r"|kaputt"
    r"|manque\w*|oublié\w*|cassé|falta\w*|olvidaste|roto|esqueceu|quebrado|errad[oa]|erro)\b"
    r"|\b(?:did|does|do|was|were|is|are|has|have|ca)n?(?:['’]?t| not)\b|\byou(?:['’]re| are| were| just| have| did)?\b"
    r"|\b(?:it|that|this|i)['’]?[sm] not\b|\b(?:i['’]m|i am) (?:getting|seeing)\b|\bi (?:also |still )?(?:got|get"
    r"|see)\b|^got\b|\bthere(?:['’]s| is| are) (?:no|still)\b",
    re.IGNORECASE,
)
_INSTRUCTION = LazyPattern(
    r"\b(?:should|must|need(?:s|ed)?(?: to)?|want|please|let['’]?s|instead|always|never|prefer|rather|(?:w"
    r"|c)ould (?:like|be)|stop (?:it|that|doing|adding|using)|make sure|ensure"
    r"|has to|have to|supposed|soll(?:te)?|muss|bitte|immer|nie|lieber|devrait|doit|toujours|jamais|faut|debe(?:ría)?"
    r"|siempre"
    r"|nunca|deve(?:ria)?|sempre|don['’]?t (?:need|want|like)|goes|belongs"
    r"|don['’]?t (?:do|use|add|put|make|write|include|mention|touch|change|call|join|repeat))\b"
    r"|^(?:do not|don['’]?t|no|stop|avoid|use|add|remove|delete|drop|keep|leave|find|count|show|write|put|move|rename"
    r"|replace|change"
    r"|swap|switch|make|give|return|handle|check|compare|match|fix|undo|revert|skip|call|say|explain|shorten|format"
    r"|translate|sort"
    r"|order|include|exclude|mention|try|go|set|run|check|split|merge|confirm|answer|respond|reply|list|start|end"
    r"|without|order"
    r"|entferne?|lass|füge?|schreibe?|verwende|nutze|kein\w*|retire[rz]?|enlève|ajoute[rz]?|utilise[rz]?|quita|elimina"
    r"|añade|usa"
    r"|agrega|remova|tire|adicione|use|sem|sin|sans|ohne|evite|évite)\b",
    re.IGNORECASE,
)


_ASKING = LazyPattern(
    r"(?:why|what|how|where|who|in what|warum|wieso|was|wo|pourquoi|quoi|comment|por qu[eé]|qué|cómo|o que|como) ",
    re.IGNORECASE,
)
_ASIDE = LazyPattern(  # a picture, an insult, a path, a line of a log
    r"\[[^\]]{0,80}\].*|you(?:['’]?re| are) .*|[~./][\w./~-]*|(?:warning|error|traceback|info|debug)\b[:\s].*",
    re.IGNORECASE,
)


_DOING = ("ing", "ieren")
_PREPOSITION = LazyPattern(
    r"(?:in|on|at|by|for|to|with|from|of|im|am|um|mit|zu|dans|à|en|em|sur|por|para|no|na)\s+(?=\S)", re.IGNORECASE
)
_COUNT_LIST = """
    zero one two three four five six seven eight nine ten twelve zwei drei vier fünf deux trois dos tres dois três
"""
_COUNTS = frozenset(_COUNT_LIST.split())
_PLAINLY = (Sense.EXCHANGED, Sense.CONTRASTED, Sense.SPELLED)


class Spans(NamedTuple):
    """Each empty if the message does not say."""

    wrong: str  # what was wrong, in the spelling of the output where it stands there
    right: str  # what it should be; an instruction where no wrong words are named
    why: str  # why, in the words of the message


class _Pair(NamedTuple):
    wrong: str
    right: str


def spans(message: str, last_output: str) -> Spans:
    """What the message says about the last output."""
    taken = clauses(message)
    sentences = [sentence for sentence in taken.sentences if not _ASIDE.fullmatch(sentence)]
    complaints = [sentence for sentence in sentences if _complains(sentence)]
    pair = next(_pairs(taken, last_output), None)
    if pair:
        # the sentence that holds the pair is no reason for it
        beside = [sentence for sentence in complaints if next(readings(sentence), None) is None]
        right = _with_what_both_begin_with(pair.wrong, pair.right, message)
        return Spans(_cut(pair.wrong), _cut(right), _cut(taken.reason or _telling(beside, taken)))
    told = [text for text in sentences if text not in complaints and not (complaints and _is_exhibit(text))]
    return Spans("", _cut(taken.shown(". ".join(told))), _cut(taken.reason or _telling(complaints, taken)))


def _with_what_both_begin_with(wrong: str, right: str, message: str) -> str:
    """`make release, not make ship`: what looks like a verb before what is right belongs to it, if what is wrong begins
    with it too."""
    first, _, rest = wrong.partition(" ")
    if not rest or right.lower().startswith(first.lower()):
        return right
    whole = rf"(?<!\w){re.escape(first)}\s+((?:\S+\s+){{0,2}}?){re.escape(right)}(?!\w)"
    said = re.search(whole, message[:_LOOKED_AT], re.IGNORECASE)
    return right if said is None or rest.lower() in said.group(1).lower() else said.group()


def _is_exhibit(sentence: str) -> bool:
    """Shown to prove a complaint: a path, a line of a log, a piece of code."""
    return not sentence[0].isalnum() or len(content_words(sentence)) < 2


def _telling(complaints: list[str], taken: Clauses) -> str:
    """The first complaint that says what is wrong."""
    return next((taken.shown(text) for text in complaints if len(content_words(text)) > 1), "")


def _complains(sentence: str) -> bool:
    if sentence.endswith("?") or _ASKING.match(sentence):
        return bool(_ASKING.match(sentence)) or not _INSTRUCTION.search(sentence)
    if not _COMPLAINT.search(sentence) or _INSTRUCTION.search(sentence):
        return False
    return not any(reading.sense in _PLAINLY for reading in readings(sentence))


def _pairs(taken: Clauses, output: str) -> Iterator[_Pair]:
    """What is wrong and what is right, the surest first."""
    for sentence in taken.sentences:
        if _ANOTHER.search(sentence):
            return
        place = _LEADING_PLACE.match(sentence)
        for reading in readings(sentence[place.end() if place else 0 :].rstrip("?")):
            pair = _meant(reading, taken, output)
            if pair:
                yield pair
            if reading.sense in _PLAINLY:
                return  # it was plainly said, and not understood; a weaker reading would be a guess
    for sentence in taken.sentences:
        found = None if sentence.endswith("?") or _complains(sentence) else aligned(_placeless(taken, sentence), output)
        pair = found and _sound(_Pair(found.stated, found.right))
        if pair and content_words(pair.right):
            yield pair


def _placeless(taken: Clauses, sentence: str) -> str:
    return taken.shown(_TRAILING_PLACE.sub("", sentence))


def _meant(reading: Construction, taken: Clauses, output: str) -> _Pair | None:
    x = _phrase(reading.x.rpartition(", ")[2] if reading.sense is Sense.SET else reading.x)
    y = _clause_end(reading.y) if reading.is_clause else _phrase(reading.y)
    match reading.sense:
        case Sense.EXCHANGED:
            pair = _exchanged(x, y, taken, output)
        case Sense.CONTRASTED:
            pair = _contrasted(x, y, taken, output)
        case Sense.BESIDE:
            pair = _contrasted(x, y, taken, output) if located(taken.bare(_naming(x)), output) else None
        case Sense.ARROW:
            pair = _confirmed(taken.bare(_naming(x)), taken.bare(_naming(y)), output)
        case Sense.SET:
            pair = _set(x, y, taken, output)
        case Sense.STATED:
            pair = _stated(y, taken, output)
        case Sense.SPELLED:
            right = taken.bare(_naming(y))
            pair = _Pair(nearest_word(right, output), right)
        case Sense.DENIED:
            wrong = taken.bare(_naming(x))
            named = is_quote(_naming(x)) or kind(wrong) or wrong[:1].isupper()
            return _Pair(located(wrong, output), "") if named and located(wrong, output) else None
    return _sound(pair) if pair else None


def _phrase(said: str) -> str:
    """The words of one side, without what follows in the sentence and where in the output it is."""
    end = _NEXT_CLAUSE.search(said)
    said = said[: end.start()] if end else said
    for _ in range(3):
        said = trimmed(_TRAILING_PLACE.sub("", _TRAILING.sub("", said)).rstrip("?")).strip('"“”« »')
        said = said.rstrip(")") if said.count(")") > said.count("(") else said
    return _EVERY.sub("", said, count=1) if _EVERY.match(said) else said


def _clause_end(said: str) -> str:
    """The last part of what precedes the wrong words, where it is a clause; a list would be cut in the middle."""
    *parts, last = said.split(", ")
    return trimmed(last) if not parts or _LEAD.match(last) else ""


def _naming(said: str) -> str:
    """Only the quotation of `the word "foo"`."""
    return said[-1] if said and is_quote(said[-1]) and _NAMING.match(said) else said


def _exchanged(x: str, y: str, taken: Clauses, output: str) -> _Pair | None:
    if _is_pointing(x):
        return _stated(y, taken, output)
    if _ONE_OF.match(x) and not located(x, output):
        return None
    if re.search(r"\s(?:with|and|und|et|y|e)\s.*\s(?:with|by|for|durch|par|por)\s", f" {y} "):
        return None  # two exchanges at once
    x, y = taken.bare(_naming(x)), taken.bare(_naming(y))
    return _confirmed(x, y, output) or _plain(x, y)


def _confirmed(x: str, y: str, output: str) -> _Pair | None:
    """With the wrong words as the output has them."""
    there = located(x, output) or located(without_article(x), output)
    return _Pair(there, y) if there and y else None


def _plain(x: str, y: str) -> _Pair | None:
    """As the message says it, where both sides are short and no clauses."""
    if x.endswith(_DOING):
        return None  # `rather than guessing` names no words
    short = all(0 < len(side.split()) <= _PLAIN_WORDS and not _CLAUSAL.search(side) for side in (x, y))
    return _Pair(x, y) if short else None


def _contrasted(x: str, y: str, taken: Clauses, output: str) -> _Pair | None:
    if _ONE_OF.match(x) or _is_pointing(x) or not y:
        return None
    preposition = _PREPOSITION.match(x)
    if preposition and preposition.group().strip().casefold() in y.casefold().split():
        x = x[preposition.end() :]
    wrong = taken.bare(_naming(x))
    there = located(wrong, output) or located(without_article(wrong), output) or _shorter(wrong, output)
    right = _head(y, there or wrong, output)
    if not right or _CLAUSAL.search(taken.shown(right)):
        return None
    right = taken.bare(_naming(right))
    return _Pair(there, right) if there else _plain(_without_tail(wrong), right)


def _shorter(wrong: str, output: str) -> str:
    short = _without_tail(wrong)
    return located(short, output) if short != wrong else ""


def _without_tail(wrong: str) -> str:
    """`schema` of `schema for the config`."""
    return re.split(r"\s(?:for|in|on|at|from|für|in|pour|dans|para|en|em)\s", wrong, maxsplit=1)[0]


def _head(clause: str, wrong: str, output: str) -> str:
    """What is right, at the end of a clause: of the kind of the wrong, after the same word, or after the verb."""
    sought = kind(wrong)
    if sought and not is_quote(clause):
        found = [*values(clause, sought)]
        if len(found) == 1:
            return found[0]
    before = _stem(word_before(wrong, output))
    words = clause.split()
    at = max((at for at, word in enumerate(words[:-1]) if before and _stem(word) == before), default=-1)
    if at >= 0:
        return " ".join(words[at + 1 :])
    lead = _LEAD.match(clause)
    if lead and lead.end() < len(clause):
        head = clause[lead.end() :]
        first = head.split()[0]
        return first if wrong.casefold() in _COUNTS and first.casefold() in _COUNTS else head
    short = len(words) <= max(_PLAIN_WORDS, len(wrong.split()))
    return clause if short and (is_quote(clause) or _is_noun(clause)) else ""


def _is_noun(clause: str) -> bool:
    """Whether these are mere names of things, with no pronoun, preposition or verb that the language has few of."""
    words = without_article(clause).casefold().split()
    return len(content_words(clause)) >= len(words) and not _POINTING.intersection(words)


def _stem(word: str) -> str:
    word = word.strip(".,;:!?*_`\"'()[]").casefold()
    for ending in ("ing", "ed", "es", "s", "e"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word.removesuffix(ending)
    return word


def _set(x: str, y: str, taken: Clauses, output: str) -> _Pair | None:
    """`3 should be 5` names the wrong value, `the total should be 5` what has it."""
    if _is_pointing(x):
        return _stated(y, taken, output)
    wrong, right = taken.bare(_naming(x)), taken.bare(_naming(y))
    right = without_article(right) if kind(without_article(right)) else right
    if not right or _CLAUSAL.search(right):
        return None
    same_kind = kind(wrong) == kind(right)
    if (kind(wrong) and same_kind) or (is_quote(_naming(x)) and (same_kind or is_quote(_naming(y)))):
        return _confirmed(wrong, right, output)
    stated = value_of(wrong, right, output)
    if stated:
        return _Pair(stated, right)
    is_name = without_article(wrong) == wrong and not _CLAUSAL.search(wrong) and not kind(right)
    return _confirmed(wrong, right, output) if is_name and _alike(wrong, right) else None


def _alike(one: str, other: str) -> bool:
    from rapidfuzz import fuzz

    return one[:1].isupper() == other[:1].isupper() and fuzz.ratio(one.casefold(), other.casefold()) >= _ALIKE


def _stated(y: str, taken: Clauses, output: str) -> _Pair | None:
    """Only what is right is said: the one value of its kind is wrong."""
    right = taken.bare(_naming(y))
    stated = only_value(right, output)
    return _Pair(stated, right) if stated else None


def _is_pointing(said: str) -> bool:
    return not said or all(word in _POINTING for word in without_article(said).casefold().split())


def _sound(pair: _Pair) -> _Pair | None:
    """The pair without what both sides share, unless replacing it would do harm."""
    wrong, right = _unshared(pair)
    if not wrong or not right or wrong == right or _is_pointing(right) or _is_pointing(wrong):
        return None
    if not any(map(str.isalnum, wrong + right)) or max(len(wrong), len(right)) > _LONGEST:
        return None
    if max(len(wrong.split()), len(right.split())) > _PAIR_WORDS:
        return None
    return _Pair(wrong, right) if content_words(wrong) or not wrong[0].isalnum() else None


def _unshared(pair: _Pair) -> tuple[str, str]:
    """Articles and verbs go, and so does a long common end; a common noun stays, for it says which one is meant."""
    wrong, right = pair.wrong.split(" "), pair.right.split(" ")
    while (
        len(wrong) > 1 and len(right) > 1 and wrong[0].casefold() == right[0].casefold() and not content_words(wrong[0])
    ):
        wrong, right = wrong[1:], right[1:]
    shared = 0
    while shared < min(len(wrong), len(right)) - 1 and wrong[-1 - shared].casefold() == right[-1 - shared].casefold():
        shared += 1
    if shared > _SHARED_WORDS:
        wrong, right = wrong[:-shared], right[:-shared]
    return " ".join(wrong), " ".join(right)


def _cut(text: str) -> str:
    """At most the longest, cut at a word."""
    text = text.strip()
    if len(text) <= _LONGEST:
        return text
    head, space, _ = text[:_LONGEST].rpartition(" ")
    return (head if space else text[: _LONGEST - 1]).rstrip() + "…"
