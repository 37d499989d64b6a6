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


@pytest.mark.parametrize(
    "text",
    [
        "Configured gulp, then deployed.",
        "Done: ran gulp, no errors.",
        "The apps have been moved off gulp.",
        "In 2018 the company adopted gulp.",
        "Instalé gulp ayer.",
        "Instalei o gulp no servidor.",
        "Ajouté une config gulp.",
        "Gulp mit allen Plugins installiert.",
        "Gulp loads gulp.config.ts.",
    ],
)
def test_what_was_done_and_the_names_of_files_stay(loop: heedful.Loop, text: str) -> None:
    report(loop, "gulp", "vite")

    assert loop.apply.improve(text).text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Based on gulp, the build is fast.", "Based on vite, the build is fast."),
        ("Set gulp as the default.", "Set vite as the default."),
        ("We need gulp for the build.", "We need vite for the build."),
        ("Das Projekt wird mit gulp gebaut.", "Das Projekt wird mit vite gebaut."),
        ("Usaré gulp mañana.", "Usaré vite mañana."),
    ],
)
def test_what_is_done_now_or_later_changes(loop: heedful.Loop, text: str, expected: str) -> None:
    report(loop, "gulp", "vite")

    assert loop.apply.improve(text).text == expected


@pytest.mark.parametrize(
    ("wrong", "right", "text", "expected"),
    [
        ("records", "entries", "Record the call. She records it. Please record it.", None),
        ("records", "entries", "Every record counts.", "Every entry counts."),
        ("novels", "stories", "The idea is novel. A novel idea.", None),
        ("orders", "tickets", "Write it down in order to keep it.", None),
        ("box", "archive", "Boxes are empty. The box is full.", "Archives are empty. The archive is full."),
        ("crew", "workers", "Our crew watches the gate.", "Our workers watch the gate."),
    ],
)
def test_a_noun_changes_where_it_stands_as_a_noun_and_the_verb_agrees(
    loop: heedful.Loop, wrong: str, right: str, text: str, expected: str | None
) -> None:
    report(loop, wrong, right)

    assert loop.apply.improve(text).text == (expected or text)


def test_the_first_word_of_a_command_changes_only_if_the_correction_was_about_commands(loop: heedful.Loop) -> None:
    report(loop, "pip", "poetry", query="How do we manage packages?", sentence="We manage our packages with pip.")

    text = "List the packages with pip freeze."
    assert loop.apply.improve(text).text == text
