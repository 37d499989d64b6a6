"""A correction is told from thanks, questions, answers and new tasks, in five languages and for any input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.capture.corrections.detection.detector import THRESHOLD, probability, why
from tests.effort import at_most
from tests.scoring import scored

DONE = "I've renamed `load_rows` to `read_rows` in `table.py` and updated the callers. All tests pass."
ASKING = "I can keep the old endpoint or remove it. Which one do you prefer?"


@scored("detection/corrections", at_least=0.9)
def test_a_clear_correction_is_told_in_five_languages(message: str) -> None:
    assert probability(message, DONE) >= THRESHOLD


@scored("detection/others", at_least=0.9)
def test_thanks_questions_and_new_tasks_are_no_corrections(message: str) -> None:
    assert probability(message, DONE) < THRESHOLD


@pytest.mark.parametrize("message", ["no, keep it", "the second one", "No, thanks.", "both", "remove it"])
def test_an_answer_to_a_question_is_no_correction(message: str) -> None:
    assert probability(message, ASKING) < THRESHOLD


def test_the_same_message_weighs_less_after_a_question() -> None:
    assert probability("no, remove it", ASKING) < probability("no, remove it", DONE)


def test_a_wish_about_what_was_just_built_is_told_from_the_next_step() -> None:
    built = "1rc2d 1rc3d 1rc4d"
    assert probability("no, those should be blue", built) >= THRESHOLD
    assert probability("great / now add two yellow ones on top", built) < THRESHOLD


def test_accents_capitals_and_curly_apostrophes_do_not_matter() -> None:
    assert probability("NON, C’EST FAUX, TU AS OUBLIÉ LE TEST", "") == pytest.approx(
        probability("NON, C'EST FAUX, TU AS OUBLIE LE TEST", "")
    )


def test_what_speaks_for_a_correction_is_said_in_words() -> None:
    reasons = why("That is wrong, you forgot the tests.", DONE)
    assert "says it is wrong" in reasons or "something is missing" in reasons
    assert len(reasons) <= 3
    assert all(reason[0].isalpha() for reason in reasons)


def test_the_same_input_gives_the_same_probability() -> None:
    assert len({probability("no, that should be 3000", DONE) for _ in range(5)}) == 1


@given(st.text(st.characters(), max_size=300), st.text(st.characters(), max_size=300))
def test_any_text_has_a_probability(message: str, output: str) -> None:
    assert 0 <= probability(message, output) <= 1
    assert len(why(message, output)) <= 3


@pytest.mark.parametrize(
    "piece",
    ["no ", "a.b_c-d/", "```", "\ud800", "\x00", "?!", "é̀", "aB", "    x\n", "--a", "1a ", "_", "'", "\n", ". . ", "…"],
)
def test_megabytes_of_anything_are_judged_by_their_ends_in_no_time(piece: str) -> None:
    text = piece * (2_000_000 // len(piece))
    probability(piece, piece)
    with at_most(2):
        assert 0 <= probability(text, text) <= 1


def test_a_correction_is_found_at_either_end_of_a_long_message() -> None:
    log = "10:15 worker started, nothing to report\n" * 500
    assert probability(f"no, that's wrong, it still doesn't work:\n{log}", DONE) > probability(log, DONE)
    assert probability(f"{log}\nThat's wrong, it still doesn't work. Undo it.", DONE) > probability(log, DONE)
