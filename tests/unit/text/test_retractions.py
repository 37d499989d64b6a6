"""Sentences that take back what was said before, and what they are about."""

from __future__ import annotations

import pytest

from heedful.text.retractions import Form, denials, retractions


@pytest.mark.parametrize(
    ("known", "sentence", "form"),
    [
        ("Always squash commits before merging", "we don't squash commits any more", Form.CEASED),
        ("Always deploy with make ship", "Btw we no longer deploy with make ship, it's make release now.", Form.CEASED),
        ("Always deploy with make ship", "nobody deploys with make ship any longer", Form.CEASED),
        ("Put every new feature behind a feature flag", "feature flags aren't needed any more", Form.CEASED),
        ("Log with structlog, never print", "structlog is out, we don't use it any more", Form.CEASED),
        ("Always add a changelog entry", "No need for changelog entries any more.", Form.CEASED),
        ("The dev server listens on port 8080", "the dev server is not on port 8080 anymore", Form.CEASED),
        ("Installiere Pakete mit pnpm", "Wir installieren Pakete nicht mehr mit pnpm.", Form.CEASED),
        ("Use feature branches for every change", "no more feature branches please", Form.STOPPED),
        ("Use feature branches for every change", "We stopped using feature branches last week.", Form.STOPPED),
        ("Always use pnpm", "we've moved off pnpm", Form.STOPPED),
        ("Always use pnpm, never yarn", "drop the rule about yarn", Form.DROPPED),
        ("Never deploy on Fridays", "the Friday deploy ban was lifted", Form.DROPPED),
        ("Use snake_case for file names", "I take back what I said about snake_case", Form.DROPPED),
        ("Keep lines under 80 columns", "forget about the 80 column limit", Form.DROPPED),
        ("Never use moment.js", "you can use moment.js again", Form.ALLOWED),
        ("Never mock the database in tests", "It's ok to mock the database now", Form.ALLOWED),
    ],
)
def test_what_holds_no_more_is_named(known: str, sentence: str, form: Form) -> None:
    (found,) = retractions(sentence)
    assert found.form is form
    assert found.match(known, known) is not None


def test_a_sentence_may_take_back_two_things() -> None:
    ship, yarn = retractions("drop the rule about make ship, and forget the rule about yarn")
    assert (sorted(ship.about), sorted(yarn.about)) == (["ship"], ["yarn"])


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ("Run the tests before each commit", "the tests no longer run before each commit"),
        ("Always use absolute imports", "why doesn't the absolute import work any more?"),
        ("Always run make lint before you commit", "if we no longer run make lint before you commit, tell me"),
        ("The dev server listens on port 8080", "port 8080 isn't free any more"),
        ("Never deploy on Fridays", "stop deploying on Fridays"),
        ("Never mock the database in tests", "I don't want to see a mocked database any more"),
        ("Use snake_case for file names", "we no longer accept camelCase file names"),
        ("Put new features behind a feature flag", "this feature flag is no longer used"),
        ("Always add a changelog entry", "you broke the changelog rule again"),
        ("Always use absolute imports", "remember the rule about absolute imports!"),
        ("Never deploy on Fridays", "you can deploy the staging server now"),
        ("Always squash commits", "squash the last two commits please"),
    ],
)
def test_who_reports_asks_or_agrees_takes_nothing_back(known: str, sentence: str) -> None:
    assert [one for one in retractions(sentence) if one.match(known, known)] == []


def test_a_denial_is_about_what_it_names() -> None:
    cause = "The import times out because load_customer() opens a new connection for every row"
    (found,) = denials("That was never the cause, load_customer() reuses its connection.")
    assert found.match(cause, cause) is not None
    assert found.match("The upload hangs because the queue is full", "The queue is full") is None
    assert denials("load_customer() is slow, make it faster") == ()
