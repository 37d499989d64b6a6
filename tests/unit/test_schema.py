"""Answers fit their schema, or it is told what is wrong, in words that quote nothing."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.records.schema import bare, complaint

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["a", "b"]},
        "text": {"type": ["string", "null"], "maxLength": 5},
        "sure": {"type": "number", "minimum": 0, "maximum": 1},
        "count": {"type": "integer", "minimum": 1},
        "yes": {"type": "boolean"},
        "parts": {"type": "array", "maxItems": 2, "items": {"type": "string", "maxLength": 3}},
    },
    "required": ["kind", "text", "sure", "count", "yes", "parts"],
    "additionalProperties": False,
}
FINE = {"kind": "a", "text": None, "sure": 0.5, "count": 1, "yes": True, "parts": ["x"]}

ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-2, 2).filter(lambda x: x != int(x))
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)


@given(
    changes=st.dictionaries(st.sampled_from([*FINE, "more"]), ANY, max_size=3),
    without=st.sets(st.sampled_from([*FINE]), max_size=1),
)
def test_it_judges_as_the_standard_does(changes: dict[str, Any], without: set[str]) -> None:
    value = {name: said for name, said in {**FINE, **changes}.items() if name not in without}

    assert (complaint(value, SCHEMA) is None) == jsonschema_rs.is_valid(SCHEMA, value)


@given(value=ANY)
def test_whatever_is_no_object_is_refused(value: Any) -> None:
    assert complaint(value, SCHEMA) is not None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"kind": "secret"}, "kind is none of a, b"),
        ({"text": "secret"}, "text has more than 5 characters"),
        ({"text": 5}, "text is not of type string or null"),
        ({"sure": -1}, "sure is less than 0"),
        ({"sure": True}, "sure is not of type number"),
        ({"count": 1.5}, "count is not of type integer"),
        ({"parts": ["x", "secret"]}, "an item of parts has more than 3 characters"),
        ({"parts": ["x", "y", "z"]}, "parts has more than 2 items"),
        ({"secret": 1}, "the answer has properties other than kind, text, sure, count, yes, parts"),
    ],
)
def test_it_tells_what_is_wrong_without_quoting(change: dict[str, Any], told: str) -> None:
    assert complaint({**FINE, **change}, SCHEMA) == told


def test_a_yes_is_not_a_one() -> None:
    assert complaint(True, {"enum": [1]}) is not None
    assert complaint(1, {"enum": [1]}) is None


def test_without_bounds_they_are_told_in_words() -> None:
    without = bare(SCHEMA)

    assert without["properties"]["sure"] == {"type": "number", "description": "(minimum 0, maximum 1)"}
    assert without["properties"]["parts"]["items"] == {"type": "string", "description": "(maxLength 3)"}
    assert without["required"] == SCHEMA["required"]
    assert "maximum" in SCHEMA["properties"]["sure"]
