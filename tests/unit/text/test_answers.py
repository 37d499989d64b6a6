"""Two answers to one question: certain only where each gives one value of the same type."""

from __future__ import annotations

import pytest

from heedful.text.answers import GivenAnswer, differ


@pytest.mark.parametrize(
    ("question", "ours", "theirs"),
    [
        ("When do we close on Fridays?", "we close at six on Fridays", "no, Fridays we're open till eight"),
        ("When does the kitchen close?", "the kitchen closes at 22:00", "22:30 actually"),
        ("What's the deposit for a wedding?", "it's 300 euros", "no, 500 euros since spring"),
        ("Wie lange ist die Garantie?", "die Garantie ist zwei Jahre", "nein, drei Jahre"),
        ("How many seats has the van?", "it has 7 seats", "it's got 9 seats"),
        ("Which day is the bin collected?", "it's on Tuesday", "we have it on Thursday"),
        ("Who is our contact at Kessler?", "it's Jana Brandt", "no it's Tom Reuter"),
    ],
)
def test_different_values_of_one_type_exclude_each_other(question: str, ours: str, theirs: str) -> None:
    assert differ(GivenAnswer(ours), GivenAnswer(theirs), question)
    assert differ(GivenAnswer(theirs), GivenAnswer(ours), question)


@pytest.mark.parametrize(
    ("question", "ours", "theirs"),
    [
        ("When does the kitchen close?", "22:00 on weekdays", "23:00 on weekends"),
        ("When does the kitchen close?", "it closes at 22:00 in summer", "it closes at 21:00 in winter"),
        ("What is the retry limit?", "3", "the retry limit is three"),
        ("What's the deposit?", "it isn't 300 euros", "it's 500 euros"),
        ("What's the deposit?", "isn't it 500?", "it's 400"),
        ("How many seats has the van?", "it has 7 seats", "it has 2 doors"),
        ("What about breakfast?", "it takes 20 minutes", "it costs 12"),
        ("Who are our suppliers?", "it's Kessler", "it's Brandt"),
        ("Who is on call?", "on weekends it's Jana", "on weekdays it's Tom"),
        ("Who is our contact at Kessler?", "it's Jana Brandt", "Jana, as always"),
        ("How do I sign the mail?", "Cheers please", "Shorter please"),
        ("When is the fair?", "from 5 to 8", "from 6 to 9"),
    ],
)
def test_what_may_hold_together_does_not(question: str, ours: str, theirs: str) -> None:
    assert not differ(GivenAnswer(ours), GivenAnswer(theirs), question)


def test_what_an_answer_calls_wrong_is_not_what_it_says() -> None:
    assert differ(GivenAnswer("it's six rather than seven", "seven"), GivenAnswer("it's eight"), "When do we close?")
