"""Root causes: whether two findings blame the same, whatever it broke, perhaps told in two languages.

What tells is a name from the code that both have. A technology that both use says nothing, and a function may go wrong
in many ways; but who finds the same cause does the same about it, so the name must stand in what was done, and both
must say more in common than the name.
"""

from __future__ import annotations

import re
from functools import lru_cache

from heedful.records.insight import Finding
from heedful.text.contradictions import ContrastKind, contrast, key_terms
from heedful.text.languages import is_english
from heedful.text.rarity import rarity
from heedful.text.subjects import names_of_code

_SAME_CAUSE = 0.7  # cosine of two findings that blame the same name
_BLAMED = 0.5  # the share of what they blame that both say, by how rare it is
_SAME_REMEDY = 0.55  # cosine of two findings whose remedies have the same name
_BESIDES = 0.8  # how rare what both say must be together, besides the names
_BESIDES_ELSEWHERE = 0.6  # the same, if words of two languages hardly meet, and vectors do not either
_RAREST, _LEAST_WORD = 1.0, 6  # a word that hardly any text has, and its characters
_VALUE = re.compile(r"""(?<=[(=,\s])(?:"[^"\n`]{0,80}"|'[^'\n`]{0,80}')(?=[^`\n]{0,80}`)""")
_COMMAND = re.compile(r"`([^\W\d_]{2,20}(?: [^\W\d_]{2,20}){1,2})(?=[` ])")
_FILE = re.compile(
    r"\.(?:py|pyi|ipynb|jsx?|tsx?|mjs|cjs|vue|go|rs|rb|php|java|kts?|cs|c|h|cc|cpp|hpp|swift|sh|ps1|sql|html?|css|scss|md|"
    r"txt|csv|xlsx?|pdf|json|ya?ml|toml|ini|cfg|conf|env|lock|xml|log|tf)$"
)
_KEPT = 4_096  # pairs, because each look at the list compares the same ones


@lru_cache(_KEPT)
def have_one_cause(one: Finding, other: Finding, cosine: float | None) -> bool:
    """The cosine is between the vectors of their texts; None without vectors, and then in doubt they are two."""
    shared = _shared_names(one, other)
    if not shared or _have_rival_remedies(one, other) or _is_contrary(one.cause, other.cause):
        return False
    in_english = _is_in_english(one) and _is_in_english(other)
    if cosine is None and in_english:
        return False
    if _names(one.remedy) & _names(other.remedy) and (not in_english or (cosine or 0.0) >= _SAME_REMEDY):
        return _besides(one, other, shared) >= (_BESIDES if in_english else _BESIDES_ELSEWHERE)
    return (cosine or 0.0) >= _SAME_CAUSE and _likeness(one.cause, other.cause) >= _BLAMED


def names(finding: Finding) -> frozenset[str]:
    """What it may share with another one that has the same cause."""
    return _names(finding.text) | _rare_words(finding)


def _besides(one: Finding, other: Finding, shared: frozenset[str]) -> float:
    """How much both say besides the names: a setting may be too small, or in the wrong place."""
    of_names = frozenset(word for name in shared for word in key_terms(name))
    return _weight((_words(one.text) & _words(other.text)) - of_names)


def have_other_remedies(one: Finding, other: Finding) -> bool:
    """Whether nothing that was done about one was done about the other: then they are not one, however alike they
    sound."""
    ours, theirs = _words(one.remedy), _words(other.remedy)
    return bool(ours) and bool(theirs) and ours.isdisjoint(theirs)


def _names(text: str) -> frozenset[str]:
    """Names of code, and commands such as `npm ci` as a whole. Files have the same names everywhere, and what is quoted
    within code is a value."""
    told = _VALUE.sub(" ", text)
    commands = (" ".join(found.casefold().split()) for found in _COMMAND.findall(told))
    return frozenset(name for name in (*names_of_code(told), *commands) if not _FILE.search(name))


def _shared_names(one: Finding, other: Finding) -> frozenset[str]:
    return (_names(one.text) & _names(other.text)) or (_rare_words(one) & _rare_words(other))


def _rare_words(finding: Finding) -> frozenset[str]:
    """Such as `pgbouncer`, where the cause and the remedy name it."""
    both = _words(finding.cause) & _words(finding.remedy)
    return frozenset(word for word in both if len(word) >= _LEAST_WORD and rarity(word) >= _RAREST)


def _have_rival_remedies(one: Finding, other: Finding) -> bool:
    """Each did something with a thing that the other does not even name."""
    ours, theirs = (_names(finding.remedy) for finding in (one, other))
    return bool(ours - _names(other.text) and theirs - _names(one.text))


def _is_contrary(one: str, other: str) -> bool:
    """Another value, or `unlimited` where one says `limited to 1`, is told of the same cause; another word is not."""
    found = contrast(one, other)
    return found is not None and (found.sure or found.kind not in (ContrastKind.VALUE, ContrastKind.POLARITY))


def _is_in_english(finding: Finding) -> bool:
    return is_english(finding.text, 0, len(finding.text))


def _likeness(one: str, other: str) -> float:
    ours, theirs = _words(one), _words(other)
    return 2 * _weight(ours & theirs) / max(_weight(ours) + _weight(theirs), 1.0)


def _words(text: str) -> frozenset[str]:
    return frozenset(key_terms(text))


def _weight(words: frozenset[str]) -> float:
    return sum(map(rarity, words))
