"""Corrections are put right by hand, and by reporting them again; on every database."""

from __future__ import annotations

import pytest

import heedful
from heedful.errors import InvalidInput
from tests.typed import corrections

SAID = "Actually it should return nil, not an error"


def test_an_edit_may_not_make_wrong_and_right_the_same_words(loop: heedful.Loop) -> None:
    heard = loop.capture.message(SAID, last_output="It returns an error.").correction
    assert heard is not None
    reported = loop.capture.correction("a1", "a2")
    with pytest.raises(InvalidInput, match="the same words"):
        corrections(loop).edit(heard.id, wrong="nil", right="nil")
    for words in ({"right": "a1"}, {"wrong": " a2 "}, {"wrong": "x  y", "right": "x y"}):
        with pytest.raises(InvalidInput, match="the same words"):
            corrections(loop).edit(reported.id, **words)

    assert corrections(loop).get(reported.id) == reported
    assert corrections(loop).edit(reported.id, right="A1").right == "A1"  # it may be about the case
    assert corrections(loop).edit(reported.id, wrong="", right="a1").wrong == ""
