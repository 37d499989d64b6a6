"""Whether words point at something that stands elsewhere."""

from __future__ import annotations

import pytest

from heedful.text.pointing import points


@pytest.mark.parametrize(
    "words",
    [
        "please never do this again", "we never do that", "always like the first one, please", "not like that!",
        "I don't want to see that", "keep these shorter", "the same, but always in blue please, like before",
        "mach das nie wieder", "so nicht", "plus jamais ça", "nunca más eso", "isso nunca mais",
    ],
)  # fmt: skip
def test_what_points(words: str) -> None:
    assert points(words)


@pytest.mark.parametrize(
    "words",
    [
        "no exclamation marks ever", "keep it short", "make sure that dates are written as 4 May 2024",
        "in this project we use tabs", "call me Sam", "the first line says what it is about", "bitte duzen",
        "das Datum immer zuerst", "tutéame siempre", "sem pontos de exclamação", "toujours trois phrases maximum",
    ],
)  # fmt: skip
def test_what_makes_sense_alone(words: str) -> None:
    assert not points(words)
