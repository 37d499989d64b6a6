"""The reader tells corrections from thanks, questions, answers and new tasks, and reads any text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.capture.corrections.detection import THRESHOLD
from heedful.errors import Misconfigured
from heedful.providers.correction_reader import LocalReader
from heedful.providers.exchange_encoding import encoded
from heedful.providers.wordpiece import WordPiece
from heedful.records.reading import Bearing, CorrectedMistake, Exchange
from tests.scoring import scored

DONE = "I've renamed `load_rows` to `read_rows` in `table.py` and updated the callers. All tests pass."
ASKING = "I can keep the old endpoint or remove it. Which one do you prefer?"
READER = LocalReader()
VOCABULARY = Path(__file__).parents[3] / "src" / "heedful" / "providers" / "minilm" / "vocab.txt"
WORDS = WordPiece(VOCABULARY.read_text(encoding="utf-8").rstrip("\n").split("\n"))


def correction(message: str, output: str = DONE, question: str = "") -> float:
    return READER.read(Exchange(question, output, message)).correction


@scored("detection/corrections", at_least=0.75)
def test_a_clear_correction_is_found_in_five_languages(message: str) -> None:
    assert correction(message) >= THRESHOLD


@scored("detection/others", at_least=0.85)
def test_thanks_questions_and_new_tasks_are_no_corrections(message: str) -> None:
    assert correction(message) < THRESHOLD


@pytest.mark.parametrize("message", ["no, keep it", "the second one", "No, thanks.", "both", "remove it"])
def test_an_answer_to_a_question_is_no_correction(message: str) -> None:
    assert correction(message, ASKING) < THRESHOLD


def test_the_corrected_sentence_is_found() -> None:
    output = "The Pro plan costs 25 euros. Support is included. You can cancel at any time."
    reading = READER.read(Exchange("What does Pro cost?", output, "hm, the Pro has been at 29 since May"))
    assert reading.correction >= THRESHOLD
    assert reading.sentence == "The Pro plan costs 25 euros."


@given(st.text(max_size=400), st.text(max_size=2_000), st.text(max_size=200))
def test_any_text_can_be_read(message: str, output: str, question: str) -> None:
    reading = READER.read(Exchange(question, output, message))
    assert 0 <= reading.correction <= 1
    assert 0 <= reading.always <= 1
    assert reading.sentence in output
    for pointing, text in ((reading.wrong, output), (reading.right, message), (reading.named, message)):
        assert all(0 <= at <= len(text) for at in (*pointing.starts, *pointing.ends))
        assert 0 <= pointing.nowhere <= 1


def test_the_reader_points_at_the_words_that_are_wrong_right_and_named() -> None:
    output, message = "The Pro plan costs 25 euros. Support is included.", "It's 29, not 25."
    reading = READER.read(Exchange("What does Pro cost?", output, message))
    for pointing, at in ((reading.wrong, output.index("25")), (reading.right, message.index("29"))):
        assert max(pointing.starts, key=lambda one: pointing.starts[one]) == at
    assert max(reading.named.starts, key=lambda one: reading.named.starts[one]) == message.index("25")


PRICE = CorrectedMistake(
    "What does Pro cost?", "The Pro plan costs 25 euros a month.", "hm, the Pro has been at 29 since May", "25"
)


def test_the_same_mistake_is_told_from_the_same_words_about_something_else() -> None:
    again = READER.repeats("For the Pro plan we charge 25 euros every month.", PRICE)
    other = READER.repeats("The van needs 25 litres of diesel to get to Lyon.", PRICE)
    assert again > 0.5 > other


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=200), st.text(max_size=20))
def test_any_passage_can_be_read(passage: str, sentence: str, message: str, wrong: str) -> None:
    mistake = CorrectedMistake("", sentence, message, wrong)
    assert 0 <= READER.repeats(passage, mistake) <= 1


@given(st.text(max_size=600))
def test_tokens_have_the_positions_of_their_characters(text: str) -> None:
    tokens = WORDS.located(text)
    assert [token.id for token in tokens][:254] == WORDS.pieces(text)[1:-1][:254]
    assert all(0 <= token.start < token.end <= len(text) for token in tokens)
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)


def test_a_long_exchange_is_cut_to_what_the_model_sees() -> None:
    output = "\n".join(f"Line {number} of the report is fine." for number in range(2_000))
    made = encoded(WORDS, Exchange("why? " * 500, output, "line 1999 is not fine " * 100))
    assert len(made.ids) == len(made.segments) == len(made.shared) <= 64 + 112 + 32 + 4
    assert all(output[token.start : token.end] for token in made.output)


def test_a_damaged_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "embeddings.onnx").write_bytes(b"not a model")
    with pytest.raises(Misconfigured, match="damaged"):
        LocalReader(tmp_path).read(Exchange("", "a", "b"))


@pytest.mark.parametrize(
    ("remembered", "message"),
    [
        ("We use Node 18 for the frontend", "We've moved to Node 20 for the frontend, not 18 anymore"),
        ("Postgres listens on 5433 here", "5440 now, the old box died"),
        ("Always run `make lint` before you commit.", "`make lint` is gone, we run `just check` now"),
        ("Never use print here, use the logger.", "print is fine again, we dropped structlog"),
        ("Always deploy to Heroku.", "Heroku se acabó, ahora desplegamos en Fly"),
    ],
)
def test_a_message_ends_what_is_remembered_in_whatever_words(remembered: str, message: str) -> None:
    assert bearing(message, remembered) is Bearing.ENDS


@pytest.mark.parametrize(
    ("remembered", "message"),
    [
        ("Never deploy on Fridays.", "again: no deploys on Fridays!"),
        ("The import times out because load_customer() opens a connection for every row.", "yes, a connection per row"),
    ],
)
def test_a_message_says_again_what_is_remembered(remembered: str, message: str) -> None:
    assert bearing(message, remembered) is Bearing.SAME


@pytest.mark.parametrize(
    ("remembered", "message"),
    [
        ("Postgres listens on 5433 here", "redis is on 6380 now"),
        ("Always build the docker image with the cache on.", "yarn is gone, we moved to pnpm"),
        ("No raw SQL, go through the query builder", "just this once write it as raw SQL, I delete it tonight"),
        ("Amounts are net in all tables", "can you show gross on the receipt page? just in the display"),
    ],
)
def test_a_message_leaves_alone_what_is_remembered(remembered: str, message: str) -> None:
    assert bearing(message, remembered) is Bearing.STAYS


def bearing(message: str, remembered: str) -> Bearing:
    chances = READER.bearing(message, remembered)
    return max(chances, key=chances.__getitem__)
