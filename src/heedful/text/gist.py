"""The gist of a comment: its content words in a canonical form, so that equal reasons give equal words.

A small thesaurus maps `alters the sense` and `this changes the meaning` to the same words; others are stemmed.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from heedful.text.stems import stem
from heedful.text.words import FUNCTION_WORDS, NEGATIONS, words_of

_WORDS = 12
_CHARACTERS = 1_000  # the reason comes early; the rest of a long comment is about something else
_LONGEST_ENTRY = 3  # content words

_NOT = "not"
_WISH = "wish"  # `should be shorter` complains of what it is now

# Words without information about what is wrong.
_EMPTY = (FUNCTION_WORDS - NEGATIONS - {"mine"}) | words_of("""
    up out off really quite rather even still much enough own same way thing things something anything bit little lot
    kind sort please thanks sorry think believe feel feels seem seems look looks sound sounds get gets got make makes
    making made go goes let one ones again now ever actually simply totally completely entirely perfectly far overall
    slightly somewhat probably maybe perhaps like however
    suggestion suggestions suggested suggest sentence sentences text wording word words phrase phrases phrasing
    paragraph line lines passage rewrite rewording edit edits version proposal proposed fix piece statement result
    rest other others page pages part ought
""")
_LACKING = (NEGATIONS - {"nothing", "nobody"}) | words_of(
    "less lack lacks lacking lacked missing misses omits omitted absent"
)
_WISHES = re.compile(r"\b(?:should|needs? to|must|ought to|could|has to|have to|want it) be\b|\bmake it\b")
_AS_IT_WAS = re.compile(r"\bas(?:[ -]it)?[ -](?:is|was|stands|written)\b|\b(?:how|what) it was\b|\bthe old one\b")
_NO_LONGER = re.compile(r"\bno longer\b|\bnot any ?(?:more|longer)\b")
_THIS_CHANGE = re.compile(  # the noun, not `this changes …`
    r"\b(?:(?:this|the|a|that|such) (?:change|modification)|(?:the|your|these|proposed|suggested) changes)\b"
)
_WORD = re.compile(r"[^\W_]+(?:[_.+#'-][^\W_]+)*")

# One group a line: the name of the group, then its words. Words are stemmed and stripped as comments are, so an
# entry of several words matches with function words in between; `not` stands for any negation.
_GROUPS = """
change: alter, modify, differ, different, differently, distort, shift, twist, deviate, misrepresent, misstate
keep: preserve, retain, maintain, unchanged, intact, remain, stay
meaning: mean, meant, sense, semantics, intent, intention, message, nuance, connotation
change meaning: not intended, mistranslate, misinterpret, misread, misunderstand, lose nuance, lost nuance, not \
mean, not meant, not intend
wrong: incorrect, inaccurate, false, erroneous, error, mistake, mistaken, untrue, inaccuracy, invalid, factual \
error, not right
correct: right, accurate, true, valid, accuracy
unnecessary: needless, redundant, superfluous, unneeded, pointless, useless, not need, not necessary, not require, \
no reason, no point, not worth, no benefit, no value, gratuitous, overkill, not improve, not help, not add, no use
necessary: need, required, essential, important, mandatory, crucial
awkward: clumsy, unnatural, stilted, clunky, read bad, not flow, flow bad, choppy, read weird, weird, odd, strange, \
not idiomatic, unidiomatic, not read well, read odd, forced
natural: idiomatic, fluent, smooth, flow, read well
formal: stiff, stuffy, formality, pompous, bureaucratic, academic, officious
informal: casual, colloquial, slang, chatty, conversational, unprofessional, sloppy, flippant
tone: voice, register, mood
style: stylistic, taste, preference
wordy: verbose, long-winded, long winded, long, lengthy, longer, wordiness, rambling, bloated, verbosity, prolix
concise: short, terse, brief, shorter, succinct, curt, abrupt, compact
detail: specific, specifics, information, info, precise, precision, explanation
unclear: confusing, ambiguous, vague, confuse, ambiguity, obscure, cryptic, murky, hard understand, difficult \
understand, not understandable, incomprehensible, muddled, hard follow, difficult follow, hard read, difficult read, \
unreadable, less readable, not readable, readability, harder read, harder understand, nonsense, nonsensical, not \
sense
clear: understandable, clearer, readable, unambiguous, clarity, plain, obvious, easy understand, easy read
term: jargon, terminology, technical term, technical, technical language, domain term, term of art, domain language, \
vocabulary, terms
name: naming, identifier, variable name, rename, function name, method name, names
brand: product name, trademark, brand name, company name, product, company, trade name, proper name, proper noun
quote: quotation, quoted, verbatim, direct speech, direct quote
legal: law, lawyer, compliance, contract, contractual, regulatory, liability, legally, regulation
broken: break, fail, crash, bug, buggy, not work, malfunction, not compile, not build, not run, not pass, \
regression, failing, failure, stops working, build error, compile error, syntax error
work: run, function, compile, pass
slow: performance, inefficient, slower, expensive, latency, slowdown, efficiency, not efficient
fast: quick, efficient, faster
inconsistent: inconsistency, mismatch, not match, not consistent, not uniform, clash, contradict
consistent: consistency, uniform, match, coherent
grammar: grammatical, ungrammatical, syntax, grammatically, agreement
spelling: spell, typo, misspelling, misspelled, misspelt, orthography
punctuation: comma, semicolon, period, full stop, hyphen, dash, apostrophe, colon
capital: capitalization, capitalisation, uppercase, upper case, lowercase, lower case, capitalize, capitalise, \
casing
repetition: repeat, repetitive, duplicate, repeated, duplication, twice, said already, already said, already mention
context: surrounding, situation, background
intended: deliberate, intentional, purpose, purposely, design, deliberately, conscious
original: prefer original, original better, original good, original fine, keep original, leave original, original \
ok, original correct, original clear, better before, fine before, good before, already fine, already good, already \
correct, already clear, already ok, nothing wrong, leave alone, no change need, no change necessary, keep mine, good \
original, fine original, ok original, correct original, better original, previous better, prefer previous, prefer \
mine, mine better, better mine, leave
good: fine, great, ok, okay, nice, well, better, excellent, perfect, improvement, improve
bad: worse, poor, badly, terrible, awful, horrible, ugly, worst, worsen
false-alarm: false positive, false alarm, not issue, not problem, not error, not bug, not mistake, no error, no \
problem, spurious, misfire, not violation
convention: style guide, guideline, house style, policy, standard, guide, conventions, rule, norm
audience: reader, readers, user, users, customer, beginner, readership, public
security: vulnerability, insecure, injection, unsafe, exploit, secure, vulnerable, leak, not safe, not secure
test: coverage, unit test, tests, testing, untested
deprecated: outdated, obsolete, old api, legacy, removed api, out-of-date, superseded, not supported, unsupported
invented: hallucination, hallucinate, made-up, not exist, nonexistent, non-existent, fabricated, imaginary, \
fictional, invents
complex: complicated, overengineered, over-engineered, complexity, convoluted, overcomplicated, over-complicated, \
complicates, not simple
simple: simpler, simplify, simplicity, easy, easier, straightforward
irrelevant: unrelated, off-topic, not relevant, not related, scope, beside point, not apply, not applicable, \
tangential
relevant: related, applicable, apply, pertinent
incomplete: partial, not complete, unfinished, not finish, truncated, cut off, half, not cover, not finished, partly
edge-case: corner case, null, empty, boundary, edge, corner cases, empty input, empty list
exception: error handling, raise, catch, handle error, exceptions, swallow
type: typing, annotation, type hint, types, typed
dependency: library, package, import, third-party, dependencies, module
format: formatting, indentation, whitespace, layout, indent, spacing, markup, markdown
comment: docstring, documentation, docs, documented
example: sample, illustration, instance
reference: citation, cite, source, bibliography, cited
link: url, hyperlink, href
passive: passive voice, passive form
active: active voice, active form
tense: past tense, present tense, future tense
plural: singular, plurals
dialect: british, american, uk english, regional, british spelling, american spelling, british english, american \
english
translation: translate, localization, localisation, language, translator
number: figure, digit, numeral, amount, quantity, value, unit, numbers
date: year, month, timestamp, time zone, timezone, calendar
inclusive: gender, gendered, sexist, offensive, discriminatory, biased, bias, insensitive, ableist
polite: courteous, friendly, politeness, warm
rude: impolite, harsh, aggressive, unfriendly, cold, blunt, brusque, not polite, not friendly
emphasis: emphasize, emphasise, stress, emphatic, intensity
weak: weaken, hedging, hedge, tentative, uncertain, watered down, softens, soften, not strong
strong: forceful, assertive, overstate, exaggerate, absolute, overclaim, certain, exaggeration
robotic: machine, bot, artificial, mechanical, chatgpt, soulless, generic, bland, canned
loses: lose, lost, drop, remove, delete, gone, removed, left out, removes, discard, strips
adds: add, insert, introduce, extra, additional, inserted
order: sequence, reorder, ordering, rearrange
heading: title, headline, subtitle, header
list: bullet, enumeration, bullets
price: cost, pricing, fee
private: confidential, privacy, personal, secret, sensitive
common: familiar, usual, widely used, well-known, well known, common usage
rare: unfamiliar, unusual, uncommon, not common
appropriate: suitable, fitting, proper, suit, fit
inappropriate: unsuitable, not appropriate, improper, not suit, not fit, ill-suited, not suitable
late: already done, already fixed, already changed, stale
agree: agreed, approve, accept
disagree: object, oppose, not agree
"""
_OPPOSITES = (
    "change keep,wrong correct,unnecessary necessary,awkward natural,formal informal,wordy concise,unclear clear"
    ",broken work,slow fast,inconsistent consistent,good bad,complex simple,irrelevant relevant,polite rude"
    ",weak strong,common rare,appropriate inappropriate,agree disagree,passive active,loses adds"
)


class _Thesaurus(NamedTuple):
    groups: dict[tuple[str, ...], tuple[str, ...]]
    opposites: dict[str, str]


def gist(comment: str) -> tuple[str, ...]:
    """The content words of a comment, sorted, synonyms unified."""
    groups, opposites = _thesaurus()
    words = _plain(comment)
    found: dict[str, None] = {}
    turn, place = "", 0
    while place < len(words) and len(found) < _WORDS:
        length, names = _match(words, place, groups)
        place += length
        if not length:
            turn, place = _NOT if _NOT in (turn, words[place]) else words[place], place + 1
            continue
        found |= dict.fromkeys(_said(turn, names, opposites))
        turn = ""
    return tuple(sorted(list(found)[:_WORDS]))


def _match(words: list[str], place: int, groups: dict[tuple[str, ...], tuple[str, ...]]) -> tuple[int, tuple[str, ...]]:
    """Length of the longest entry that starts here, and the names of its group."""
    for length in range(_LONGEST_ENTRY, 0, -1):
        names = groups.get(tuple(words[place : place + length]))
        if names and place + length <= len(words):
            return length, names
    return (0, ()) if words[place] in (_NOT, _WISH) else (1, (words[place],))


def _said(turn: str, names: tuple[str, ...], opposites: dict[str, str]) -> tuple[str, ...]:
    """Negates the first word after `not`; after a wish, only if its opposite has a name."""
    first, *rest = names
    if turn:
        first = opposites.get(first, f"{_NOT} {first}" if turn == _NOT else first)
    return (first, *rest)


def _plain(comment: str) -> list[str]:
    """Stems of the content words in order, with `not` and `wish` where they apply."""
    whole_words = comment if len(comment) <= _CHARACTERS else comment[:_CHARACTERS].rpartition(" ")[0]
    text = whole_words.casefold().replace("’", "'").replace("n't", " not").replace("'s ", " ")
    text = _NO_LONGER.sub(" not ", text)
    text = _THIS_CHANGE.sub(" ", _AS_IT_WAS.sub(" original ", _WISHES.sub(f" {_WISH} ", text)))
    return [_NOT if word in _LACKING else stem(word) for word in _WORD.findall(text) if word not in _EMPTY]


@cache
def _thesaurus() -> _Thesaurus:
    """Built on first use, to keep imports fast."""
    groups: dict[tuple[str, ...], tuple[str, ...]] = {}
    for line in _GROUPS.strip().splitlines():
        name, _, entries = line.partition(":")
        names = tuple(name.split())
        for entry in (*names[: 2 - len(names)], *entries.split(",")):
            groups.setdefault(tuple(_plain(entry)), names)
    groups.pop((), None)
    groups.pop((_NOT,), None)
    pairs = [pair.split() for pair in _OPPOSITES.split(",")]
    return _Thesaurus(groups, {one: other for a, b in pairs for one, other in ((a, b), (b, a))})
