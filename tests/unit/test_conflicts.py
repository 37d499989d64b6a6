"""Opposites are never called the same, however near their vectors are."""

from __future__ import annotations

import pytest

from heedful.learnings.dedupe import Statement, compared
from heedful.learnings.kind import Relation
from heedful.providers.embedder import LocalEmbedder
from heedful.text.contradictions import differ_in_a_word
from heedful.text.suspicion import suspicions

_OPPOSITES = [
    ("Turn caching {} for the nightly report.", "on", "off"),
    ("Run the linter {} the tests.", "before", "after"),
    ("When a plugin is missing, {} the build.", "fail", "ignore"),
    ("Round invoice totals {} to the nearest cent.", "up", "down"),
    ("Show the cookie banner with consent {}.", "preselected", "unselected"),
    ("Report distances in {}.", "kilometres", "miles"),
    ("{} the debug log in production.", "Enable", "Disable"),
    ("Sort the results in {} order.", "ascending", "descending"),
    ("Put the summary at the {} of the letter.", "start", "end"),
    ("{} the customer's name in the subject line.", "Include", "Omit"),
]


@pytest.mark.parametrize(("frame", "one", "other"), _OPPOSITES)
def test_opposites_that_differ_in_one_word_are_not_merged(frame: str, one: str, other: str) -> None:
    texts = [frame.format(one), frame.format(other)]
    ours, theirs = LocalEmbedder().embed(texts)
    found = compared(Statement("", texts[0], ""), Statement("", texts[1], ""), float(ours @ theirs))
    assert found.relation is not Relation.SAME
    assert differ_in_a_word(*texts)


def test_forms_of_one_word_are_the_same() -> None:
    assert not differ_in_a_word("Use descriptive names.", "Use descriptive name.")
    assert not differ_in_a_word("Use the cache.", "Use a cache.")


@pytest.mark.parametrize(
    "text",
    [
        "Validate input at the boundary.",
        "Never put secrets into the log; use the vault.",
        "Do not approve refunds above 500 euros without a second person.",
        "Ask for the policy number before you answer.",
        "Keep answers under three sentences.",
        "Wir sagen immer Gäste, nie Kunden.",
        "Use the password manager for test accounts.",
    ],
)
def test_ordinary_rules_are_not_suspicious(text: str) -> None:
    assert suspicions(text) == ()
