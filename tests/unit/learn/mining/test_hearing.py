"""What live sessions hear, history hears as well: at least it is offered. Junk is not."""

from __future__ import annotations

import pytest

from heedful.learn.conversations.pipeline import Case, run
from heedful.learn.conversations.quality import JudgedCandidate
from heedful.providers.correction_reader import LocalReader
from heedful.text.dictation import dictated
from tests.unit.learn.mining.talks import talk

DONE = "I added the handler and the tests for it. All 12 tests pass. Should I open a pull request?"


def heard(said: str) -> tuple[JudgedCandidate, ...]:
    return run(Case(talk("Please repair the failing function.", DONE, said, "Understood."), LocalReader())).insights


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("add to your notes that the CI runners are arm64", "The CI runners are arm64"),
        ("put this into AGENTS.md: every goroutine gets a context", "Every goroutine gets a context"),
        ("note for later - start the mail catcher with `make mail`", "Start the mail catcher with `make mail`"),
        ("The staging box has 2 GB of RAM, keep that in mind.", "The staging box has 2 GB of RAM"),
        ("Schreib das in die CLAUDE.md: Farben kommen aus tokens.css", "Farben kommen aus tokens.css"),
        (
            "ajoute à tes notes que le port 5433 est celui de la base de test",
            "Le port 5433 est celui de la base de test",
        ),
        ("La impresora solo admite A5, recuérdalo", "La impresora solo admite A5"),
        ("For future reference: the API keys rotate every Monday", "The API keys rotate every Monday"),
    ],
)
def test_what_is_dictated_is_learned_without_the_words_that_dictate_it(said: str, title: str) -> None:
    (kept,) = heard(said)
    assert (kept.kept, kept.candidate.title) == (True, title)


@pytest.mark.parametrize(
    "said",
    [
        "out of memory: the process was killed by the kernel",
        "fix the memory leak that crashes the worker",
        "add a section to the release notes that mentions the base image",
        "I added a note to the ticket that the upload is slow",
        "The CLAUDE.md says: use tabs",
    ],
)
def test_what_only_has_such_words_dictates_nothing(said: str) -> None:
    assert dictated(said) is None


@pytest.mark.parametrize("said", ["Merk dir das", "remember this please", "Denk daran!", "Keep that in mind."])
def test_a_reminder_alone_states_nothing(said: str) -> None:
    assert heard(said) == ()


def test_a_reminder_is_about_the_sentence_before_it() -> None:
    (kept,) = heard("The lift controller is single threaded. Keep that in mind.")
    assert (kept.kept, kept.candidate.title) == (True, "The lift controller is single threaded")


@pytest.mark.parametrize(
    "said",
    [
        "We are not allowed to log personal data.",
        "In this repo every amount of money is an integer in cents.",
        "Fractions are rounded half to even, that's in our contracts",
    ],
)
def test_how_things_are_is_at_least_offered(said: str) -> None:
    assert heard(said)


@pytest.mark.parametrize(
    "said",
    [
        "I'm off to lunch, back in an hour",
        "Du vergisst immer die Tests",
        "You always miss the closing bracket",
        "The filter shows archived customers too.",
        "After three attempts it should give up and show a message.",
        "it crashes whenever the list is empty",
    ],
)
def test_small_talk_complaints_and_reports_are_not_learned(said: str) -> None:
    assert not any(one.kept for one in heard(said))


def test_what_stands_beside_a_complaint_is_the_rule() -> None:
    (kept,) = heard("you keep writing class components. We only write function components.")
    assert kept.candidate.title == "We only write function components"


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Never rebase the release branch! The hospital pulls from it every night.", "Never rebase the release branch"),
        ("No mocks for the payment provider. We have a sandbox account.", "No mocks for the payment provider"),
    ],
)
def test_a_statement_is_kept_whole_and_its_first_rule_is_the_title(said: str, title: str) -> None:
    (kept,) = heard(said)
    assert (kept.candidate.title, kept.candidate.content["what"]) == (title, said)


def test_what_holds_instead_is_learned() -> None:
    assert [one.kept for one in heard("we no longer deploy with make ship, it's `make release` now")] == [True]


def test_the_steps_do_not_contradict_one_another() -> None:
    case = run(Case(talk("Please repair the function.", DONE, "Tabs are wider here.", "Ok."), LocalReader()))
    (one,) = case.insights
    assert one.possible
    told = [step.says for step in case.findings]
    assert "sentences that may be worth remembering: 1 for a person to decide" in told
    assert not any("nothing speaks for it" in says or "nothing else" in says for says in told)


def test_what_a_person_pastes_from_the_agent_is_not_theirs() -> None:
    advice = "We keep all SQL in queries/, one file for each query."
    talked = talk("Where does the SQL belong?", f"{advice} Shall I move it?", f"{advice} Hm, which folder?", "Yes.")
    assert run(Case(talked, LocalReader())).insights == ()


@pytest.mark.parametrize(
    "said",
    [
        "From now on I'm on vacation lol",
        "from now on I never sleep again haha",
        "Ab heute bin ich im Urlaub :)",
        "I always forget my password",
    ],
)
def test_what_somebody_tells_of_themselves_is_not_used(said: str) -> None:
    assert not [one for one in heard(said) if one.kept]
