"""Rows, tables and coverage are seen from where the words stand."""

from __future__ import annotations

import random

from heedful.records.document import PageText, Word
from heedful.text.rows import rows
from heedful.text.tables import coverage, table_count

ITEMS = [
    ["Pos", "Article", "Qty", "Amount"],
    ["1", "Copper pipe", "12", "144.00"],
    ["2", "Elbow joint", "4", "9.80"],
    ["3", "Soldering wire", "1", "17.25"],
]
COLUMNS = [60.0, 100.0, 320.0, 420.0]


def words(texts: list[list[str]], *, top: float = 300.0, leading: float = 16.0) -> list[Word]:
    """Each row of texts below the other, in the columns, with letters of 6 by 12 points on a page of 600 by 800."""
    found = []
    for number, cells in enumerate(texts):
        y = top + number * leading
        for x, cell in zip(COLUMNS, cells, strict=False):
            place = x
            for word in cell.split():
                found.append(Word(place / 600, y / 800, (place + 6 * len(word)) / 600, (y + 12) / 800, word))
                place += 6 * len(word) + 3
    return found


def page(*found: Word) -> PageText:
    return PageText(600.0, 800.0, found)


def texts(found: PageText) -> list[str]:
    return [" ".join(word.text for word in row) for row in rows(found)]


def test_rows_are_read_from_top_to_bottom_and_from_left_to_right_whatever_the_order_of_the_words() -> None:
    shuffled = words(ITEMS)
    random.Random(7).shuffle(shuffled)

    assert texts(page(*shuffled)) == [" ".join(cells) for cells in ITEMS]


def test_a_row_may_be_askew_and_have_words_of_another_size() -> None:
    askew = [Word(x / 10, 0.5 + x / 2000, x / 10 + 0.05, 0.515 + x / 2000, str(x)) for x in range(10)]
    small = Word(0.97, 0.507, 0.98, 0.513, "small")

    assert texts(page(small, *reversed(askew))) == ["0 1 2 3 4 5 6 7 8 9 small"]


def test_words_that_run_upwards_do_not_get_between_those_of_a_row() -> None:
    upwards = Word(0.5, 0.3, 0.51, 0.5, "upwards")
    row = [Word(0.1, 0.39, 0.2, 0.41, "left"), Word(0.7, 0.395, 0.8, 0.415, "right")]

    assert "left right" in texts(page(*row, upwards))


def test_three_rows_with_columns_in_line_and_numbers_are_a_table() -> None:
    assert table_count(page(*words(ITEMS))) == 1
    assert table_count(page(*words(ITEMS[:3]))) == 1
    assert table_count(page(*words(ITEMS[:2]))) == 0


def test_a_table_goes_on_after_the_lines_of_a_long_description() -> None:
    long = [*ITEMS[:2], ["", "of 15 mm, half hard"], ["", "in rods of 5 m"], *ITEMS[2:]]

    assert table_count(page(*words(long))) == 1


def test_tables_far_from_one_another_are_counted_each() -> None:
    assert table_count(page(*words(ITEMS, top=100), *words(ITEMS, top=500))) == 2


def test_prose_and_addresses_are_no_tables() -> None:
    prose = [["We thank you for your order of last week and deliver 12 pipes by Friday"]] * 5
    pairs = [["Number", "4711"], ["Date", "2026-01-05"], ["Customer", "10023"], ["Order", "77"]]

    assert table_count(page(*words(prose))) == 0
    assert table_count(page(*words(pairs))) == 0
    assert table_count(page()) == 0


def test_columns_without_numbers_are_no_table() -> None:
    names = [["a", "north", "red", "open"], ["b", "south", "green", "shut"], ["c", "east", "blue", "open"]]

    assert table_count(page(*words(names))) == 0


def test_coverage_is_the_share_of_the_area_of_all_pages() -> None:
    half = PageText(100.0, 100.0, (Word(0.0, 0.0, 1.0, 0.5, "half"),))

    assert coverage([half]) == 0.5
    assert coverage([half, PageText(300.0, 100.0, ())]) == 0.125
    assert coverage([]) == 0.0
    assert coverage([PageText(1.0, 1.0, (Word(0.0, 0.0, 1.0, 1.0, "twice"),) * 2)]) == 1.0
