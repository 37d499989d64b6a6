"""English word forms, where they follow from the spelling: plurals, verb forms, a and an."""

from __future__ import annotations

import re
from functools import cache

from heedful.text.words import words_of

_DESCRIBING = ("ly", "ous", "ful", "less", "able", "ible", "ical")
_DESCRIBING_NOTHING = words_of("table variable cable executable deliverable assembly family anomaly")
# No plural of their own, or another word with an s behind.
_UNCOUNTED = words_of("""
    nil null none nothing true false undefined void software hardware information data feedback advice equipment
    evidence progress traffic news series species means homework research knowledge money music furniture luggage
    weather
    new good mean custom thank glass brown mathematic physic it hi ha wa thi alway perhap need short arm cloth
    red green blue black white yellow old big small large many more most both all english german french spanish
""")
_IRREGULAR = words_of("""
    child person foot tooth mouse goose ox datum medium criterion phenomenon bacterium sheep fish deer leaf knife life
    wife
    half shelf self wolf calf loaf thief hero potato tomato echo veto torpedo cargo mosquito volcano
    be have do go say see come take make get give know think find tell become leave feel put bring begin keep hold write
    stand hear let mean set meet run pay sit speak lie lead read grow lose fall send build understand draw break spend
    cut rise drive buy wear choose
""")
_PLURAL_O = ("eo", "io", "photo", "repo", "demo", "logo", "memo", "macro", "auto", "info")
_PLURAL_F = ("ff", "proof", "roof", "belief", "chief", "brief", "chef", "diff", "ref")
_NOT_PLURAL = ("ss", "us", "is", "as", "os", "ys")
_VERBS = (
    words_of("""
    accept access achieve acquire activate adapt add address adjust adopt advance affect agree aim align allow alter
    analyze announce answer appear append apply approve archive arrange ask assert assess assign assist assume attach
    attempt attend authenticate authorize avoid await balance block boost bounce browse bundle cache calculate call
    capture carry cause change charge check claim clean clear click clone close collect combine comment compare compile
    complete compress compute confirm connect consider consume contact contain continue convert copy correct count
    crash create deactivate debate decide declare decline decode decrease define delay delegate delete deliver demand
    deny depend deploy deprecate describe design detect determine develop disable discard disclose discover discuss
    dismiss display distribute divide document double download dump duplicate edit eliminate embed emit employ empty
    enable encode encrypt end enforce enhance ensure enter escape estimate evaluate examine exceed exchange exclude
    execute exit expand expect expire explain explore export expose express extend extract fail fetch fill filter finish
    fix flush follow force format forward gather generate guarantee guess handle happen hash help highlight host
    identify ignore implement imply import improve include increase index indicate inform initialize insert inspect
    install
    intend interpret introduce invalidate invite invoke involve issue iterate join judge jump justify label launch learn
    leverage limit link list listen load locate lock look loop maintain manage mark match measure mention merge migrate
    mock modify monitor mount move name need normalize note notice notify observe obtain offer open operate
    optimize order
    organize output own pack parse pass patch pause perform persist pick place poll populate post prepare present
    preserve press prevent print process produce promote prompt propose protect provide publish pull purchase push query
    queue raise reach receive record recover redirect reduce refactor reference refine reflect refresh refuse register
    reject relate release reload remain remember remove rename render replace reply report represent request require
    research reserve reset resolve respond restart restore restrict result resume retain retrieve retry return reveal
    review revise rotate round sample sanitize save schedule search secure select separate serialize serve share show
    sign signal simplify sort specify split start state stay store stream study subscribe succeed suggest supply support
    suppress surround suspend sync talk target terminate test throttle toggle touch trace track train transform
    translate treat trigger truncate trust turn type unify unlock update upgrade upload use utilize validate verify
    view visit
    wait walk want warn warrant watch work zoom
""")
    - _IRREGULAR
    - {"reset", "split", "show", "embed", "emit", "access", "sync", "format", "learn"}
)
_DOUBLING = words_of("""
    stop plan drop log ship skip map tag submit commit permit admit omit refer prefer transfer occur control trim scan
    swap wrap strip chat plug debug flag ban step tap grab pin zip flip clip snap emit embed
""")
# Verbs that are nouns as well: between two of these, a correction may be about the noun, and `requested` is no noun.
_NOUNS_AS_WELL = words_of("""
    access address answer attempt balance block boost bundle cache call capture cause change charge check claim click
    clone comment contact copy count crash debate decline decrease delay delegate demand deploy design display document
    double download dump duplicate edit end escape estimate exchange exit export filter fix force format forward
    guarantee guess handle hash help highlight host import increase index input insert issue judge jump label launch
    limit link list load lock look loop mark match measure mention mock monitor mount move name need note notice offer
    open order output own pack pass patch pause pick place poll post present press print process prompt purchase push
    pull query queue raise reach record redirect reference refresh register release reload reply report request research
    reserve result return review round sample save schedule search separate share sign signal sort start state stay
    store stream study supply support surround switch talk target test touch trace track train treat trigger trust turn
    type update upgrade upload use view visit wait walk want warrant watch work zoom
    stop plan drop log ship skip map tag commit permit control trim scan swap wrap strip chat plug flag ban step tap
    grab pin zip flip clip snap transfer
""")
_ORDINARY = re.compile(r"[a-z]+(?:-[a-z]+)*")
_AN_BY_SOUND = ("hour", "honest", "honor", "honour", "heir")
_A_BY_SOUND = ("eu", "ewe", "one", "once", "ubiq", "uni", "url", "usa", "use", "usu", "uti", "uto", "ura", "uku", "ufo")
_UNI_AFTER_ALL = ("unin", "unim", "unid", "unil", "unint", "unis", "unit")  # un-: unidentified, unimportant
_SPELLED_WITH_AN = "AEFHILMNORSX"


@cache
def forms(gone: str, come: str) -> dict[str, str]:
    """Every form of the last word, with what it becomes; the pair itself comes first."""
    found = {gone: come}
    gone_head, gone_word = _last(gone)
    come_head, come_word = _last(come)
    if not (_ORDINARY.fullmatch(gone_word) and _ORDINARY.fullmatch(come_word)) or len(gone_word) < 3:
        return found
    lemmas = _lemmas(gone_word, come_word) or _misspelt(gone_word, come_word)
    if lemmas is not None:
        kept = 2 if _NOUNS_AS_WELL.issuperset(lemmas) else 4
        for old, new in list(zip(_verb_forms(lemmas[0]), _verb_forms(lemmas[1]), strict=True))[:kept]:
            found.setdefault(gone_head + old, come_head + new)
        return found
    if come_word.endswith(_DESCRIBING) and come_word not in _DESCRIBING_NOTHING:
        return found
    singular = _singular(gone_word), _singular(come_word)
    if singular[0] and singular[1]:
        found.setdefault(gone_head + singular[0], come_head + singular[1])
    plurals = _plural(gone_word), _plural(come_word)
    if plurals[0] and plurals[1] and not singular[0] and not singular[1]:
        found.setdefault(gone_head + plurals[0], come_head + plurals[1])
    return found


def article(following: str) -> str | None:
    """`a` or `an`, by how the next word sounds; None when its spelling does not tell."""
    word = following.split(maxsplit=1)[0].strip("`*_\"'“”‘’(") if following.strip() else ""
    if not word or not word[0].isascii() or not word[0].isalnum():
        return None
    if word[0].isdigit():
        digits = re.match(r"\d+", word)
        eight = word[0] == "8" or (digits is not None and digits[0] in ("11", "18"))
        return "an" if eight else "a"
    if len(word) > 1 and word[:2].isupper():
        said = len(word) > 2 and word[0] not in "AEIOU" and word[1] in "AEIOU" and word.isupper()
        return "an" if not said and word[0] in _SPELLED_WITH_AN else "a"
    lower = word.lower()
    if lower.startswith(_AN_BY_SOUND):
        return "an"
    if lower.startswith(_A_BY_SOUND) and (not lower.startswith(_UNI_AFTER_ALL) or lower.startswith(("unit", "unis"))):
        return "a"
    return "an" if lower[0] in "aeiou" else "a"


def takes_no_article(come: str) -> bool:
    """Whether `a` before it would be wrong: nil, information, files."""
    word = _last(come)[1].lower()
    return word in _UNCOUNTED or _singular(word) is not None


def is_only_verb(word: str) -> bool:
    """`retrieve`, `retrieves`: where the word it replaces is a noun, it cannot stand."""
    return any(at < 2 and lemma not in _NOUNS_AS_WELL for lemma, at in _verb_table().get(word.lower(), ()))


def _last(phrase: str) -> tuple[str, str]:
    head, space, word = phrase.rpartition(" ")
    return head + space, word


def _plural(word: str) -> str | None:
    if word in _UNCOUNTED or word in _IRREGULAR or word.endswith(("man", "sis", "ing", "ed")) or _singular(word):
        return None
    if word.endswith(("f", "fe")) and not word.endswith(_PLURAL_F):
        return None
    if word.endswith("o") and not word.endswith(_PLURAL_O):
        return None
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def _singular(word: str) -> str | None:
    if not word.endswith("s") or word.endswith(_NOT_PLURAL) or len(word) < 4 or word in _UNCOUNTED:
        return None
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 5 else None
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    singular = word[:-1]
    return None if word.endswith(("ses", "oes", "zes", "ves")) or singular in _UNCOUNTED else singular


def _lemmas(gone: str, come: str) -> tuple[str, str] | None:
    """The two verbs, when both words are the same form of a regular one."""
    table = _verb_table()
    for lemma, form in table.get(gone, ()):
        for other, same in table.get(come, ()):
            if form == same:
                return lemma, other
    return None


def _misspelt(gone: str, come: str) -> tuple[str, str] | None:
    """`recieve` is inflected as `receive` is."""
    is_verb = any(at == 0 for _, at in _verb_table().get(come, ())) and gone not in _verb_table()
    alike = gone[0] == come[0] and gone[-2:] == come[-2:] and abs(len(gone) - len(come)) <= 1
    return (gone, come) if is_verb and alike and len(gone) > 4 else None


@cache
def _verb_table() -> dict[str, list[tuple[str, int]]]:
    table: dict[str, list[tuple[str, int]]] = {}
    for verb in sorted(_VERBS | _DOUBLING):
        for at, form in enumerate(_verb_forms(verb)):
            table.setdefault(form, []).append((verb, at))
    return table


def _verb_forms(verb: str) -> tuple[str, ...]:
    """As it is, with s, with ed, with ing."""
    third = verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh")) else "s")
    if verb in _DOUBLING:
        return verb, third, verb + verb[-1] + "ed", verb + verb[-1] + "ing"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"
    if verb.endswith("e"):
        return verb, third, verb + "d", (verb if verb.endswith(("ee", "oe")) else verb[:-1]) + "ing"
    return verb, third, verb + "ed", verb + "ing"
