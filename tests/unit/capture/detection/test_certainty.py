"""What is beyond doubt, whatever the trained model makes of it."""

from __future__ import annotations

import pytest

from heedful.capture.corrections.detection import detect
from heedful.capture.corrections.detection.certainty import settled
from heedful.capture.corrections.detection.spans import spans


@pytest.mark.parametrize(
    ("message", "output", "pair"),
    [
        ("it's 8080, not 8000", "The port is 8000.", ("8000", "8080")),
        ("No, the port is 8080.", "Ready: the port is 8000.", ("8000", "8080")),
        ("Actually it's make release, not make ship", "Deploy with make ship.", ("make ship", "make release")),
        ("Actually it's npm run test, not npm test", "Run npm test", ("npm test", "npm run test")),
        ("pas à Lyon mais à Lille", "Livraison à Lyon.", ("Lyon", "Lille")),
        ("it returns a tuple, not a list", "It returns a list.", ("list", "tuple")),
    ],
)
def test_named_wrong_words_are_a_correction(message: str, output: str, pair: tuple[str, str]) -> None:
    found = detect(message, output, None).detection

    assert found.is_correction
    assert (found.wrong, found.right) == pair


@pytest.mark.parametrize("verdict", ["That is incorrect.", "No, that's wrong.", "Das stimmt nicht.", "C'est faux !"])
def test_a_plain_verdict_is_a_correction(verdict: str) -> None:
    assert detect(f"{verdict}", "Water boils at 90 degrees.", None).detection.is_correction


@pytest.mark.parametrize(
    "message",
    ["no way, that was fast!", "There's no error anymore, not even a warning. Nice!", "Das war nicht falsch, danke!"],
)
def test_mere_praise_is_none(message: str) -> None:
    assert not detect(message, "I have changed it.", None).detection.is_correction


def test_praise_with_a_reservation_is_judged_as_ever() -> None:
    message, output = "Nice, but it should return nil, not an error", "It returns an error."

    assert settled(0.1, message, output, spans(message, output)) >= 0.5
    assert settled(0.7, "great, but the colour is off", "Done.", spans("", "")) == 0.7


@pytest.mark.parametrize(
    "protest",
    ["What the hell, you deleted the whole file", "I don't want that test.", "no man... leave the parser alone"],
)
def test_a_protest_is_a_correction_unless_it_answers_a_question(protest: str) -> None:
    assert detect(protest, "I removed it and added a test.", None).detection.is_correction


def test_a_no_to_a_question_is_an_answer() -> None:
    assert not detect("No, not today.", "Shall I book the table?", None).detection.is_correction
