"""Whether what stands after `always` or `never` is an order: a verb, and no exclamation or report.

`Always run the tests` asks for something; `always the same error` and `never seen that before` do not. Verbs are too
many to list, so it is told what is none: the words that hold sentences together, the forms of verbs that report, and
what people exclaim.
"""

from __future__ import annotations

import re

from heedful.text.words import FUNCTION_WORDS, words_of

_BETWEEN = re.compile(
    r"\s*(?:,[^,.]{1,40},|,)?\s*(?:(?:ever|again|just|first|only|even|also|bien|bem)\s+"
    r"|(?!(?:re|ap|sup|com|im|multi)p?ly\b)\w{3,}ly\s+)*",
    re.IGNORECASE,
)  # what may stand before the verb
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?(?![\w/.(=-]*[\w/(=])")  # a name of code is none
_VERBS = words_of("do have be let bring ping embed shred")
_NO_ORDERS = words_of("""
    seen saw had thought knew known came went gone said took taken found heard felt met understood forgot
    forgotten wrote written gave given got gotten broke broken sent left told kept lost began bought brought
    caught chose chosen fell led up out off down meant spent stood stuck won did done been gonna mind before
    once like again ever nice good great fun funny happy glad sad easy hard same sure better worse best worst
    dull annoying weird strange cool sorry thanks welcome wrong right true fine trouble he ha han hay había
    hemos vi visto tuve pude falla fallan mismo misma lo igual problemas tinha tive consegui mesmo mesma
""")
_ROMANCE = words_of("siempre nunca jamás sempre")
_REPORTING = re.compile(r".{2,}ing|.+(?<!e)ed|.+[^aius]s|(?!enable|disable).+[ai]ble")
_ROMANCE_PAST = re.compile(r".+(?:[éíó]|ei|ou|[^aeo]i|[ai]ste|[ai]e?ron|[aei]ram)|dij[eo]|hic[ei]\w*")
_INFINITIVE = re.compile(
    r"\b[a-zäöüß]{2,}(?:en|ern|eln)\b(?=\W*$|\s*[,.;:!–]|\s+(?:und|oder|bevor|wenn|statt|außer|nachdem|sobald)\b)"
)
_GERMAN_REPORT = re.compile(r"\s*(?:noch|wieder|mehr|nur|dies\w*)\b", re.IGNORECASE)
_FRENCH = re.compile(r"(?:de\b|d['’]|(?:l['’]|les? |la |se |s['’])?[^\W\d_]+(?:er|ir|re|oir)\b)", re.IGNORECASE)


def is_order(adverb: str, rest: str) -> bool:
    """`rest` is what follows the adverb."""
    if adverb in {"immer", "nie", "niemals"}:  # the verb is the last word: `immer den Linter laufen lassen`
        return _GERMAN_REPORT.match(rest) is None and _INFINITIVE.search(rest) is not None
    between = _BETWEEN.match(rest)
    after = rest if between is None else rest[between.end() :]
    if adverb in {"toujours", "jamais"}:
        return _FRENCH.match(after) is not None
    found = _WORD.match(after)
    if found is None:
        return re.search(r"\w", after) is not None
    word = found[0].casefold()
    reports = _ROMANCE_PAST.fullmatch(word) if adverb in _ROMANCE else _REPORTING.fullmatch(word)
    return word in _VERBS or not (word in FUNCTION_WORDS or word in _NO_ORDERS or reports)
