"""Messages that are hard to read sentence by sentence, and ordinary ones."""

from __future__ import annotations

import pytest

from heedful.text.legibility import is_hard_to_read


@pytest.mark.parametrize(
    "message",
    [
        "EVERYTHING SHOULD USE THE CACHE, I SAID IT BEFORE",
        "запускай тесты через make, не напрямую",
        "测试用例放在 tests 目录",
        "response state\nok\n- 200\n- 404\nheaders\nx-request-id\nempty body",
    ],
)
def test_shouting_lists_and_other_letters_are_hard_to_read(message: str) -> None:
    assert is_hard_to_read(message)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "OK",
        "use the API of AWS, not GCP",
        "prices are integers in cents",
        "Beträge bleiben überall in Cent, nie als Gleitkommazahl",
        "wir nehmen µs überall",
        "First do the header.\nThen the footer, please.\n\nAnd keep all texts in locales/, as everywhere else.",
    ],
)
def test_ordinary_messages_are_not(message: str) -> None:
    assert not is_hard_to_read(message)
