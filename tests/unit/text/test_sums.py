"""A number may follow from what a person says of another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.text.sums import follows


@pytest.mark.parametrize(
    ("number", "before", "said"),
    [
        ("32", "Cast on 36 stitches.", "I drop four and then they fit"),
        ("24", "Unser Teig ruht 12 Stunden.", "Doppelt so lang, leider."),
        ("6", "Die Bearbeitung dauert drei Monate.", "das dürfen Sie ruhig verdoppeln"),
        ("1715", "The last boat leaves at 17:45.", "she sails half an hour before that"),
        ("1400", "We close at 13:00 on Saturdays.", "I'm here till two every Saturday"),
        ("27.5", "The premium is 25%.", "they put another two and a half points on it"),
        ("1.25", "Hedges may be 1.50 m tall.", "they knocked a quarter of a metre off that"),
        ("4", "A lota abre às 5h30.", "em julho é uma hora mais cedo"),
        ("26", "It will be published on 12 September.", "the printer's slipped us a fortnight"),
        ("3760", "We meet on 3.745 MHz.", "move us up by 15 kHz"),
        ("2.70", "A half dozen is £2.40.", "half dozens gone up 30p"),
        ("1500", "Spin at 3000 rpm.", "com metade disso já sai lindo"),
        ("120", "The first half takes 90 minutes.", "a third on top"),
        ("5433", "postgres://db.local:5432/shop", "infra went one up from the default"),
        ("8.30", "We go on at 8.00pm.", "that's the news, which takes its half hour"),
        ("1", "Wir sitzen im 2. Stock.", "eins drunter sitzen wir"),
        ("14,90", "Precio: 13,50 euros.", "catorce con noventa, jefe"),
        ("3,4", r"^NB-\d{3}$", "so 3 to 4, e.g. NB-1102"),
    ],
)
def test_a_sum_that_a_person_implies_is_understood(number: str, before: str, said: str) -> None:
    assert follows(number, before, said)


@pytest.mark.parametrize(
    ("number", "before", "said"),
    [
        ("45", "Cast on 36 stitches.", "I drop four and then they fit"),
        ("32", "Cast on 36 stitches.", "that is too many for me"),
        ("1400", "We close at 13:00.", "That's wrong, look at the door"),
        ("5551234", "Call us at 12.", "not that number"),
        ("99", "", "two more"),
        ("20", "It costs 40.", "no, half past six"),
        ("90,14", "It costs 12.", "fourteen ninety"),
        ("12²", "Use 12 m of rope.", "two more"),
        ("²", "Use 12 m of rope.", "two more"),
        ("9" * 400, "36 stitches", "four less"),
    ],
)
def test_any_other_number_is_made_up(number: str, before: str, said: str) -> None:
    assert not follows(number, before, said)


@given(st.from_regex(r"[0-9]{1,6}(\.[0-9]{1,3})?", fullmatch=True), st.text(max_size=200), st.text(max_size=200))
def test_any_texts_can_be_asked(number: str, before: str, said: str) -> None:
    assert follows(number, before, said) in (True, False)
