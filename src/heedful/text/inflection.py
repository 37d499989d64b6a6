"""Word forms: English plurals, verb forms and articles, where they follow from the spelling, and capitals."""

from __future__ import annotations

import re
from functools import cache

from heedful.text.words import words_of

_DESCRIBING = ("ly", "ous", "ful", "less", "able", "ible", "ical")
_DESCRIBING_NOTHING = words_of("""
    table variable cable executable deliverable assembly family anomaly test request guest forest interest quest
    harvest chest west rest contest protest feed seed bed need speed breed shed fish dish finish polish
""")
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
    wife half shelf self wolf calf loaf thief hero potato tomato echo veto torpedo cargo mosquito volcano
    be have do go say
""")
_COUNTED = words_of("""
    warning meeting booking building serving setting listing posting string ring thing king spring wing offering rating
    ranking recording reading saying drawing painting feeling finding heading opening hearing filing wedding pudding
    ceiling evening morning being earring clearing landing crossing greeting helping
""")
_PLURAL_O = ("eo", "io", "photo", "repo", "demo", "logo", "memo", "macro", "auto", "info")
_PLURAL_F = ("ff", "proof", "roof", "belief", "chief", "brief", "chef", "diff", "ref")
_MANY_BY_ENDING = ("ves", "ses", "oes", "zes", "ays", "eys", "oys")
_NOT_PLURAL = ("ss", "us", "is", "as", "os", "ys")
_ACRONYM = 4  # letters; longer words in capitals are shouted, shorter ones may be names of their own
_ORDINARY = re.compile(r"[a-z]+(?:-[a-z]+)*")
_AN_BY_SOUND = ("hour", "honest", "honor", "honour", "heir")
_A_BY_SOUND = ("eu", "ewe", "one", "once", "ubiq", "uni", "url", "usa", "use", "usu", "uti", "uto", "ura", "uku", "ufo")
_UNI_AFTER_ALL = ("unin", "unim", "unid", "unil", "unint", "unis", "unit")  # un-: unidentified, unimportant
_OF_MANY = {"is": "are", "was": "were", "has": "have", "does": "do", "isn't": "aren't", "wasn't": "weren't"}
_OF_ONE = {many: one for one, many in _OF_MANY.items()}
_SPELLED_WITH_AN = "AEFHILMNORSX"
_PAST, _GOING_ON = "ed", "ing"
# Verbs whose two past forms differ, or are not known from the spelling; and those with one of their own.
_IRREGULAR_VERBS = words_of("""
    be begin bite blow break choose come become do draw drink drive eat fall fly forget freeze give go grow hide know
    lie ride ring rise run see sew shake show shrink sing sink speak spring steal swear swim take tear throw wake wear
    write bear beat burst dig fight hang lend light mow saw shine shoot shut spin spit split stick strike swing undo
    quit rid sow spill spoil learn burn dream lean leap smell spell weave wed wet bind breed cling creep deal dwell
    flee fling forbid forgive grind kneel lay overcome prove seek shave slide sling slit string strive swell thrust
    weep wind withdraw wring bid bet cast cost feed hit hurt lead spread sweat swept
""")
_PASTS = dict(
    pair.split(":")
    for pair in words_of("""
    make:made keep:kept send:sent build:built buy:bought bring:brought find:found hold:held leave:left tell:told
    get:got pay:paid lose:lost meet:met spend:spent sell:sold teach:taught think:thought catch:caught feel:felt
    mean:meant sit:sat stand:stood understand:understood win:won hear:heard say:said have:had set:set put:put cut:cut
    let:let read:read sleep:slept
    """)
)
_STEMS_OF_STRONG = {
    form: forms.split(":")[0]
    for forms in words_of("""
    write:wrote:written take:took:taken give:gave:given break:broke:broken choose:chose:chosen drive:drove:driven
    speak:spoke:spoken begin:began:begun know:knew:known grow:grew:grown throw:threw:thrown draw:drew:drawn
    see:saw:seen go:went:gone come:came run:ran eat:ate:eaten fall:fell:fallen forget:forgot:forgotten
    hide:hid:hidden steal:stole:stolen wear:wore:worn freeze:froze:frozen undo:undid:undone do:did:done
    overwrite:overwrote:overwritten rewrite:rewrote:rewritten become:became withdraw:withdrew:withdrawn
    """)
    for form in forms.split(":")[1:]
} | {past: verb for verb, past in _PASTS.items() if verb not in words_of("say tell think mean hear feel have")}
_ONLY_VERBS = _PASTS.keys() - words_of("cut set hold leave win sleep find pay read build hit let catch get")
_PAST_FORMS = frozenset(_PASTS.values())
_PREFIXES = ("re", "un", "over", "under", "out", "mis")
_STRONG_PASTS = words_of("""
    went came took gave wrote saw ran began broke chose drove ate fell flew forgot grew knew rode rose spoke stole
    swore threw wore drank sang sank swam tore woke froze hid shook blew drew became did was were led fed met hung dug
    stuck struck swung sought fought lent beat forgave withdrew shone shot
""")
_VERBAL = re.compile(
    r"[aeiouy][^aeiouy]+(?:i[sz]e|y[sz]e|ify)\Z|(?:clude|ceive|ieve|duce|lete|quire|scribe|solve|volve|prove)\Z"
)
_NOT_VERBAL = words_of("""
    athlete squire esquire sieve
    promise premise franchise exercise expertise enterprise merchandise precise concise otherwise likewise treatise
    paradise
""")
_OBJECTS = "the|a|an|this|that|these|those|it|them|its|your|our|my|all"
_BEFORE_A_VERB = "can|could|may|might|must|shall|should|will|would|cannot|don't|please|let's|I|we|you|they"
_DOUBLING = re.compile(r"(?:\A|[^aeiou]|qu)[aeiou][^aeiouwxy]\Z")
_SYLLABLE = re.compile(r"[aeiouy]+")
_NEVER_DOUBLING = ("en", "on", "om")


@cache
def forms(old: str, new: str, *, verbs: bool = False) -> dict[str, str]:
    """The pair itself, and its plural or singular if both words have one; of verbs all regular forms."""
    found = {old: new}
    old_head, old_word = _last(old)
    new_head, new_word = _last(new)
    if not (_ORDINARY.fullmatch(old_word) and _ORDINARY.fullmatch(new_word)) or len(old_word) < 3:
        return found
    if new_word.endswith(_DESCRIBING) and new_word not in _DESCRIBING_NOTHING:
        return found
    for other in (_singular, _plural):
        old_form, new_form = other(old_word), other(new_word)
        if old_form and new_form:
            found.setdefault(old_head + old_form, new_head + new_form)
    for ending in (_PAST, _GOING_ON) if verbs else ():
        news = _ending_in(new_word, ending)
        if len(news) == 1:
            found |= {old_head + one: new_head + news[0] for one in _ending_in(old_word, ending)}
    return found


def other_forms(word: str, *, verbs: bool = False) -> set[str]:
    """The plural or singular of a word; of verbs all regular forms."""
    head, last = _last(word)
    if not _ORDINARY.fullmatch(last) or len(last) < 3:
        return set()
    found = [_singular(last), _plural(last)]
    if verbs:
        found += [form for ending in (_PAST, _GOING_ON) for form in _ending_in(last, ending)]
    return {head + form for form in found if form}


def is_verb(word: str, text: str) -> bool:
    """Whether a word is one by its spelling, or by where it stands in a text: `to delete it`, `we delete`."""
    if word in _ONLY_VERBS or (_VERBAL.search(word) and word not in _NOT_VERBAL):
        return True
    said = re.escape(word)
    stands = rf"(?<!\w)(?:{_BEFORE_A_VERB})\s+{said}\b|(?:\bto\s+|^\W*){said}(?:\s+(?:{_OBJECTS})\b|\Z)"
    return re.search(stands, text, re.IGNORECASE | re.MULTILINE) is not None


def is_past(word: str) -> bool:
    """Whether it is a verb in the past, by its spelling."""
    return (word.endswith("ed") and not word.endswith("eed")) or word in _STRONG_PASTS or word in _PAST_FORMS


def base(word: str) -> str:
    """The verb that a form with another stem belongs to: `write` of `written`; any other word itself."""
    return _STEMS_OF_STRONG.get(word, word)


def is_adjective(word: str) -> bool:
    """Whether it describes, by its ending: `useful`, `unwanted`, `oldest`."""
    return word.endswith((*_DESCRIBING, "ish", "est", "ed")) and word not in _DESCRIBING_NOTHING


def article(following: str) -> str | None:
    """`a` or `an`, by how the next word sounds; None if its spelling is ambiguous."""
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


def takes_no_article(new: str) -> bool:
    """Whether `a` before it would be wrong: nil, information, files."""
    word = _last(new)[1].lower()
    return word in _UNCOUNTED or _singular(word) is not None


def agreeing(verb: str, old: str, new: str) -> str:
    """The verb after a noun that was replaced: `the page is`, `the preferences are`."""
    number = is_plural(new)
    if number is None or is_plural(old) in (None, number):
        return verb
    return (_OF_MANY if number else _OF_ONE).get(verb, verb)


def is_plural(phrase: str) -> bool | None:
    """None if the spelling does not tell."""
    word = _last(phrase)[1].lower()
    if not _ORDINARY.fullmatch(word) or word in _UNCOUNTED:
        return None
    if word.endswith(_MANY_BY_ENDING):  # `archives`, `houses`, `keys`: plural, of whatever singular
        return True
    return True if _singular(word) else False if _plural(word) else None


def plain_verb(word: str) -> str | None:
    """`work` of `works`, `go` of `goes`; None of what is no such form."""
    if not _ORDINARY.fullmatch(word) or len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return None
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes", "oes", "zzes")) else word[:-1]


def _last(phrase: str) -> tuple[str, str]:
    head, space, word = phrase.rpartition(" ")
    return head + space, word


def _plural(word: str) -> str | None:
    is_uncounted = word in _UNCOUNTED or (word.endswith("ing") and word not in _COUNTED)
    if is_uncounted or word in _IRREGULAR or word.endswith(("man", "sis", "ed")) or _singular(word):
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


def _ending_in(verb: str, ending: str) -> tuple[str, ...]:
    """`used` and `using`; two spellings where the last letter may double or not; none if it is irregular."""
    if ending == _PAST:
        plain = next((verb.removeprefix(one) for one in _PREFIXES if verb.removeprefix(one) in _PASTS), verb)
        if plain in _PASTS:
            return (verb.removesuffix(plain) + _PASTS[plain],)
        if any(one in _IRREGULAR_VERBS for one in (verb, *map(verb.removeprefix, _PREFIXES))):
            return ()
    if verb.endswith("e"):
        return (_behind_e(verb, ending),)
    if verb.endswith("y") and ending == _PAST and verb[-2] not in "aeiou":
        return (verb[:-1] + "ied",)
    plain, doubled = verb + ending, verb + verb[-1] + ending
    if verb.endswith("c") or not _DOUBLING.search(verb) or verb.endswith(_NEVER_DOUBLING):
        return () if verb.endswith("c") else (plain,)
    return (doubled,) if len(_SYLLABLE.findall(verb)) == 1 else (plain, doubled)


def _behind_e(verb: str, ending: str) -> str:
    if ending == _PAST:
        return verb + "d"
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    return verb + ending if verb.endswith(("ee", "oe", "ye")) else verb[:-1] + ending


def _singular(word: str) -> str | None:
    if not word.endswith("s") or word.endswith(_NOT_PLURAL) or len(word) < 4 or word in _UNCOUNTED:
        return None
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 5 else None
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    singular = word[:-1]
    return None if word.endswith(("ses", "oes", "zes", "ves")) or singular in _UNCOUNTED else singular


def match_case(typed: str, new: str, found: str, *, shouted: bool) -> str | None:
    """`new` in the capitals of `found`, where `typed` is the correction's spelling; None if unclear.

    `shouted`: the words around are in capitals, too.
    """
    if found == typed or not _is_plain(new):
        return new
    if found == found.lower():
        return new[:1].lower() + new[1:] if _is_titled(typed) else new
    letters = [letter for letter in found if letter.isalpha()]
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        is_acronym = len(letters) <= _ACRONYM and not shouted
        return None if is_acronym and len(new) > _ACRONYM else new.upper()
    first, *others = found.split()
    if others and all(_is_titled(word) for word in (first, *others)):
        return _titled(new)
    return _capitalised(new) if _is_titled(first) and all(word == word.lower() for word in others) else None


def is_capitalised(word: str) -> bool:
    return word[:1].isupper()


def _is_plain(new: str) -> bool:
    """No capitals but those of a name or the start of a sentence."""
    return all(word == word.lower() or _is_titled(word) for word in new.split()) and "_" not in new


def _is_titled(word: str) -> bool:
    return word[:1].isupper() and word[1:] == word[1:].lower()


def _capitalised(new: str) -> str:
    return new[:1].upper() + new[1:]


def _titled(new: str) -> str:
    return " ".join(map(_capitalised, new.split(" ")))
