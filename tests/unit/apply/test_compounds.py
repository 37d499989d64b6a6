"""Whether a noun stands by itself or in a compound is read from what stands around it."""

from __future__ import annotations

import re

from heedful.apply.corrections.substitution.compounds import is_of_an_acronym, standing
from heedful.text.replacements import Replacement
from tests.scoring import scored


def _place(text: str, words: str) -> Replacement:
    found = re.search(rf"(?i)\b{re.escape(words.removesuffix('s'))}s?\b", text)
    assert found is not None
    return Replacement(found.start(), found[0], "x")


@scored("applying/standing", at_least=0.95)
def test_a_noun_stands_alone_or_in_a_compound(expected: str, words: str, situation: str, text: str) -> None:
    assert standing(text, _place(text, words), words, situation).name.lower() == expected


def test_the_article_and_the_verb_of_a_place_are_no_part_of_it() -> None:
    place = Replacement(0, "A bill is", "An invoice is")
    assert standing("A bill is late.", place, "bill", "The bill is attached.").name == "ALONE"


def test_an_acronym_before_a_noun_makes_it_another_one() -> None:
    assert is_of_an_acronym("Check the DNS zone.", Replacement(14, "zone", "area"), "zone")
    assert not is_of_an_acronym("Check the zone.", Replacement(10, "zone", "area"), "zone")
