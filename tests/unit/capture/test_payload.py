"""Payloads stay under 10 KB: what changed is kept, and what was cut is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful.capture.payload import PAYLOAD_LIMIT, bounded
from heedful.errors import Conflict, InvalidPayload, PayloadTooLarge
from heedful.records.json import decode


def _bounded(before: Any, after: Any, meta: Any = None) -> tuple[Any, Any, Any]:
    texts = bounded(before, after, meta)
    assert all(len(text.encode()) <= PAYLOAD_LIMIT for text in texts[:2])
    before_, after_, meta_ = map(decode, texts)
    return before_, after_, meta_


def _draft(lines: int, **changed: Any) -> dict[str, Any]:
    """An order with many lines, of which one is changed."""
    line = {"sku": "ABC-1", "description": "A bolt of some length " * 5, "qty": 10}
    return {
        "draft_id": "D-7",
        "customer": {"name": "Acme", "address": "Long Road " * 30},
        "lines": [{"line_id": number, **line, **(changed if number == 7 else {})} for number in range(lines)],
    }


def test_small_payloads_are_left_alone() -> None:
    assert _bounded({"qty": 10}, {"qty": 12}, {"why": "typo"}) == ({"qty": 10}, {"qty": 12}, {"why": "typo"})


def test_of_a_large_draft_the_changed_line_is_kept_with_what_identifies_it() -> None:
    before, after, meta = _bounded(_draft(400), _draft(400, qty=12))

    assert before == {"draft_id": "D-7", "lines": [{"line_id": 7, "sku": "ABC-1", "qty": 10}]}
    assert after == {"draft_id": "D-7", "lines": [{"line_id": 7, "sku": "ABC-1", "qty": 12}]}
    left_out = meta["cut"]["left_out"]
    assert left_out["/lines"] == "1 changed items of 400: 7"
    assert left_out["/customer"] == "unchanged"
    assert left_out["/lines/7/description"] == "unchanged"
    assert meta["cut"]["bytes"]["before"] > PAYLOAD_LIMIT


def test_an_added_line_is_kept() -> None:
    order = _draft(200)
    longer = {**order, "lines": [*order["lines"][:50], {"line_id": "new", "qty": 3}, *order["lines"][50:]]}

    before, after, meta = _bounded(order, longer)

    assert before["lines"] == []
    assert after["lines"] == [{"line_id": "new", "qty": 3}]
    assert meta["cut"]["left_out"]["/lines"] == "without 50 equal items before and 150 after"


def test_long_texts_are_shortened_to_500_characters() -> None:
    _, after, meta = _bounded({"note": "short"}, {"note": "word " * 5000})

    assert len(after["note"]) == 500
    assert after["note"].endswith("…")
    assert meta["cut"]["left_out"]["after/note"] == "the first 500 of 25000 characters"


def test_long_lists_are_shortened() -> None:
    before, after, meta = _bounded({"candidates": [f"INT-{n}" for n in range(5000)]}, {"chosen": "INT-7"})

    assert before["candidates"] == [f"INT-{n}" for n in range(100)]
    assert after == {"chosen": "INT-7"}
    assert meta["cut"]["left_out"]["before/candidates"] == "the first 100 of 5000 items"


def test_equal_and_large_sides_are_shortened_alike() -> None:
    big = {"text": "word " * 5000}
    before, after, _ = _bounded(big, dict(big))

    assert before == after


def test_true_is_not_one() -> None:
    filler = {"filler": ["x" * 100] * 200}
    before, after, _ = _bounded({"flag": 1, **filler}, {"flag": True, **filler})

    assert before["flag"] == 1
    assert after["flag"] is True


def test_ten_megabytes_are_cut_too() -> None:
    before, after, _ = _bounded(_draft(60_000), _draft(60_000, qty=12))

    assert (before["lines"][0]["qty"], after["lines"][0]["qty"]) == (10, 12)


def test_what_cannot_be_cut_is_refused_and_says_what_to_do() -> None:
    with pytest.raises(PayloadTooLarge, match="10,240") as caught:
        bounded({f"key-{n}": n for n in range(5000)}, {}, None)
    assert "fields that changed" in caught.value.hint

    with pytest.raises(PayloadTooLarge, match="meta has"):
        bounded({}, {}, {"text": "x" * 20_000})
    with pytest.raises(PayloadTooLarge):
        bounded({"x": "y" * 70_000_000}, {}, None)


def test_a_note_of_your_own_named_cut_is_not_overwritten() -> None:
    with pytest.raises(InvalidPayload, match="'cut'"):
        bounded(_draft(400), _draft(400, qty=12), {"cut": "mine"})
    assert _bounded({}, {}, {"cut": "mine"})[2] == {"cut": "mine"}


def test_what_was_cut_still_counts_as_content(tmp_path: Path) -> None:
    with heedful.open(tmp_path / "a.db") as loop:
        first = loop.capture.event("LINE_CORRECTED", id="x", before=_draft(400), after=_draft(400, qty=12))
        assert loop.capture.event("LINE_CORRECTED", id="x", before=_draft(400), after=_draft(400, qty=12)) == first
        with pytest.raises(Conflict):
            loop.capture.event("LINE_CORRECTED", id="x", before=_draft(401), after=_draft(401, qty=12))


TREES = st.recursive(
    st.text(max_size=3000) | st.integers(-100, 100) | st.booleans(),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=8), inner, max_size=8),
    max_leaves=30,
)


@given(
    before=st.dictionaries(st.text(max_size=8), TREES, max_size=6),
    after=st.dictionaries(st.text(max_size=8), TREES, max_size=6),
)
def test_whatever_is_kept_fits_and_a_cut_is_never_silent(before: dict[str, Any], after: dict[str, Any]) -> None:
    try:
        kept_before, kept_after, meta = _bounded(before, after)
    except PayloadTooLarge:
        return
    if "cut" in meta:
        assert meta["cut"]["left_out"]
    else:
        assert (kept_before, kept_after) == (before, after)
