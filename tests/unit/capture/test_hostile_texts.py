"""Whatever a text holds, the sanitiser cleans it: it never fails, and has nothing left to do the second time."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from heedful.text.redaction import Sanitiser, may_hold_secret, secret_types
from heedful.text.redaction.search import find_spans
from tests.examples import examples
from tests.unit.capture.credential_lines import lines

_PIECES = st.sampled_from(
    [
        *("password=", '"token": "', "Bearer ", "hunter2x9", "AK" + "IA", "gh" + "p_", "ey" + "J", "://u:p@h", "sk-"),
        *("dana@acme.com", "Anna Maria", "my name is ", "+49 30 1234567", "4111 1111 1111 1111", "/home/dana/"),
        *("[EMAIL:3f2a]", "[PASSWORD:", "[TOKEN:ab12", "]", "-----BEGIN PRIVATE KEY-----", "-----END ", "1.2.3.4"),
        *("\ud800", "\udfff", "\x00", "\x1b[0m", "\u202e", "\u200d", "İ", "ß", "ſ", "\u0130\u0307", "密码", "пароль"),
        *(
            " ",
            "\n",
            "\t",
            "\r\n",
            "\xa0",
            "\x85",
            '"',
            "'",
            "`",
            "\\",
            "=",
            ":",
            ",",
            ".",
            "@",
            "-",
            "_",
            "{",
            "[",
            "(",
        ),
        *("[", "(", "12 Old Mill Road", "'''"),
    ]
)
_RUNS = st.tuples(_PIECES, st.integers(1, 400)).map(lambda run: run[0] * run[1])
_TEXTS = st.lists(st.one_of(_PIECES, _RUNS, st.text(max_size=30)), max_size=12).map("".join)
_SHORT_TEXTS = _TEXTS.map(lambda text: text[:1_200])


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


@pytest.mark.parametrize("space", [" ", "\n", "\t", "\xa0", "\u2003", "\x1f"])
def test_a_text_may_end_in_any_number_of_spaces(space: str) -> None:
    text = "hello" + space * 500
    assert Sanitiser(_digest).clean(text) == text
    assert Sanitiser(_digest).clean(space * 500) == space * 500


def test_a_token_that_the_end_cuts_is_found_before_spaces_too() -> None:
    token = "gh" + "p_" + "q7Xz"
    for end in ("", "\n", " " * 300):
        cleaned = Sanitiser(_digest).clean(f"log in with {token}{end}")
        assert cleaned.startswith("log in with [TOKEN:")
        assert cleaned.endswith("]" + end)


@examples(60)
@given(_TEXTS)
def test_cleaning_never_fails(text: str) -> None:
    for personal in (True, False):
        assert isinstance(Sanitiser(_digest, personal=personal).clean(text), str)


@examples(150)
@given(_SHORT_TEXTS)
@example('password="PASSWORD:ab12cd34" [PASSWORD:ab12]')
def test_cleaning_is_done_once(text: str) -> None:
    for personal in (True, False):
        sanitiser = Sanitiser(_digest, personal=personal)
        cleaned = sanitiser.clean(text)
        assert sanitiser.clean(cleaned) == cleaned
        assert Sanitiser(_digest, personal=personal).clean(cleaned) == cleaned


@examples(200)
@given(_TEXTS)
def test_whatever_the_search_finds_is_suspicious(text: str) -> None:
    if find_spans(text, personal=False):
        assert may_hold_secret(text)
    assert secret_types(text) == [] or may_hold_secret(text)


def test_whatever_the_search_finds_in_lines_of_files_is_suspicious() -> None:
    """Also as JSON, in which line breaks and quotes are written otherwise."""
    for line in (*lines(1), *lines(2)):
        for text in (line.text, f"before\n{line.text}", f'{{"{line.text}"}}'):
            if find_spans(text, personal=False):
                assert may_hold_secret(text), text
                assert may_hold_secret(json.dumps({"text": text}).encode()), text
