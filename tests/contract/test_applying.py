"""Where a correction changes later outputs: the same mistake wherever it is made, and nothing else."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import heedful
from tests.contract.correcting import report
from tests.scoring import scored


def _improved(output: str, message: str, later: str) -> str:
    with TemporaryDirectory() as folder, heedful.open(Path(folder, "one.db")) as loop:
        loop.capture.message(message, last_output=output)
        return loop.apply.improve(later).text


@scored("applying/words_to_use", at_least=0.9)
def test_words_to_use_change_in_every_plain_sentence(output: str, message: str, later: str, expected: str) -> None:
    assert _improved(output, message, later) == expected


@scored("applying/left_alone", at_least=0.9)
def test_other_meanings_times_and_owners_of_the_words_stay(output: str, message: str, later: str) -> None:
    assert _improved(output, message, later) == later


@pytest.mark.parametrize(
    ("wrong", "right", "text", "expected"),
    [
        ("organise", "arrange", "Organised by Ann, who organises all.", "Arranged by Ann, who arranges all."),
        ("levy", "charge", "Levies are due. A levy applies.", "Charges are due. A charge applies."),
        ("lodgers", "members", "Lodgers eat at six. One lodger called.", "Members eat at six. One member called."),
        ("lodgers", "members", "We welcomed a lodger.", "We welcomed a member."),
        ("lodgers", "members", "The DHCP lodger sends a request.", None),
        ("lodgers", "members", "She said lodgers eat at six.", None),
        ("lodgers", "staff", "Lodgers eat at six. One lodger called.", None),
        ("lodgers", "staff", "Lodgers eat at six.", "Staff eat at six."),
    ],
)
def test_a_pair_that_always_holds_changes_all_of_a_text_or_nothing(
    loop: heedful.Loop, wrong: str, right: str, text: str, expected: str | None
) -> None:
    report(loop, wrong, right, always=True)

    assert loop.apply.improve(text).text == (expected or text)
