"""What a person says to be replaced, in a later session or to an agent at work; on every database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import heedful
from heedful.records.correction import Correction
from heedful.records.learning import Status
from heedful.records.mining import Mined, MiningOutcome
from heedful.records.proposal import Act
from tests.conftest import OpenLoop
from tests.contract.mining import talk, whole
from tests.typed import insights

AT = datetime(2026, 3, 3, 9, tzinfo=UTC)
YARN, CACHE = "Always use yarn to install packages.", "Always build the docker image with the cache on."
LINT = "Always run `make lint` before you commit."
NO_YARN = "yarn is gone, we moved to pnpm"
NO_LINT = "`make lint` is gone, we run `just check` now"


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop()


def said(loop: heedful.Loop, day: int, *rules: str, project: str = "shop", actor: str | None = None) -> Mined:
    """A conversation of that day, mined now."""
    id = f"day-{day}"
    loop.capture.conversation(
        talk(*rules, at=AT + timedelta(days=day)), id=id, tool="claude-code", project=project, actor=actor
    )
    return loop.learn.mine(id)


def typed(loop: heedful.Loop, message: str, output: str, query: str, about: str = "shop") -> Correction | None:
    return loop.capture.message(message, last_output=output, query=query, about=about).correction


def known(loop: heedful.Loop, status: Status = Status.ACTIVE) -> set[str]:
    return {one.title for one in insights(loop).all(status=status)}


def gone(loop: heedful.Loop) -> set[str]:
    return known(loop, Status.SUPERSEDED)


@pytest.mark.parametrize(
    ("rule", "later", "learned"),
    [
        (YARN, NO_YARN, "Yarn is gone, we moved to pnpm"),
        (
            "Always use Node 18 for the frontend.",
            "hi, we've moved to Node 20 for the frontend",
            "We've moved to Node 20 for the frontend",
        ),
        (LINT, NO_LINT, "`make lint` is gone, we run `just check` now"),
        (YARN, "Yarn is gone. We use pnpm now.", "We use pnpm now"),
        (
            "Always deploy to Heroku.",
            "Heroku se acabó, ahora desplegamos en Fly",
            "Heroku se acabó, ahora desplegamos en Fly",
        ),
    ],
)
def test_a_replacement_is_learned_and_takes_the_older_word_out_of_use(
    loop: heedful.Loop, rule: str, later: str, learned: str
) -> None:
    said(loop, 1, rule)
    (old,) = insights(loop).all()
    mined = said(loop, 2, later)

    assert (mined.outcome, mined.taken_back) == (MiningOutcome.LEARNED, (old.id,))
    assert (known(loop), gone(loop)) == ({learned}, {old.title})
    assert f"took it back in conversation day-2: “{later[:12]}" in loop.govern.why(old.id).text
    whole(loop)


def test_the_later_word_counts_in_whatever_order_sessions_are_mined(loop: heedful.Loop) -> None:
    said(loop, 2, NO_YARN)
    said(loop, 1, YARN)
    assert known(loop) == {"Yarn is gone, we moved to pnpm"}
    said(loop, 3, NO_YARN)
    assert known(loop) == {"Yarn is gone, we moved to pnpm"}


def test_what_mentions_it_in_another_role_or_project_stays(loop: heedful.Loop) -> None:
    said(loop, 1, CACHE)
    said(loop, 2, LINT, project="till")
    kept = known(loop)
    said(loop, 3, NO_YARN, NO_LINT)
    assert kept <= known(loop)
    assert gone(loop) == set()


def test_what_somebody_approved_waits_for_a_decision(loop: heedful.Loop) -> None:
    said(loop, 1, YARN)
    (old,) = insights(loop).all()
    insights(loop).approve(old.id)
    said(loop, 2, NO_YARN)
    (asked,) = loop.govern.proposals.all()
    assert (asked.act, asked.learnings) == (Act.RETIRE, (old.id,))
    assert old.title in known(loop)


def test_a_message_to_an_agent_replaces_what_was_learned_in_sessions(loop: heedful.Loop) -> None:
    said(loop, 1, YARN, CACHE)
    new = typed(loop, NO_YARN, "I ran yarn install.", "install left-pad")
    assert new is not None
    assert gone(loop) == {"Always use yarn to install packages"}
    assert known(loop) == {"Always build the docker image with the cache on"}
    (old,) = insights(loop).all(status=Status.SUPERSEDED)
    assert (old.superseded_by, "holds instead" in loop.govern.why(old.id).text) == (new.id, True)

    loop.govern.learnings.delete(new.id)
    assert gone(loop) == set()


@pytest.mark.parametrize(
    ("message", "project"),
    [("should we replace yarn with pnpm?", "shop"), ("yarn was slow yesterday", "shop"), (NO_YARN, "till")],
)
def test_other_messages_leave_it_alone(loop: heedful.Loop, message: str, project: str) -> None:
    said(loop, 1, YARN)
    typed(loop, message, "I ran yarn install.", "install left-pad", about=project)
    assert known(loop) == {"Always use yarn to install packages"}


def test_another_command_for_the_same_task_replaces_the_one_that_was_right(loop: heedful.Loop) -> None:
    said(loop, 1, "Always deploy with make release.", "Always tag the version with make release.")
    asked = "How do I deploy the shop?"
    first = typed(loop, "no, it's make release", "Deploy with `make ship` when the tests pass.", asked)
    second = typed(loop, "no, make deploy", "Run `make release` to deploy the shop.", "deploy the shop please")
    assert first is not None
    assert second is not None
    assert loop.govern.learnings.get(first.id).status is Status.SUPERSEDED
    assert gone(loop) == {"Always deploy with make release"}
    context = loop.apply.context("deploy the shop", about="shop").text
    assert ("make deploy" in context, "deploy with make release" in context) == (True, False)


def test_two_answers_to_one_sentence_are_not_both_right(loop: heedful.Loop) -> None:
    output, asked = "Deploy with `make ship` when the tests pass.", "How do I deploy the shop?"
    first = typed(loop, "no, it's make release", output, asked)
    second = typed(loop, "no, make deploy", output, asked)
    assert first is not None
    assert second is not None
    assert loop.govern.learnings.get(first.id).status is Status.SUPERSEDED


def test_a_later_session_replaces_what_was_corrected_at_work(loop: heedful.Loop) -> None:
    loop.capture.correction(right="Deploy with make release.", about="shop", at=AT)
    said(loop, 2, "make release is gone, we deploy with make deploy now")
    (old,) = loop.govern.learnings.all(kind="correction", status=Status.SUPERSEDED)
    assert "took it back in conversation day-2" in loop.govern.why(old.id).text
    loop.govern.conversations.delete("day-2")
    assert loop.govern.learnings.get(old.id).status is Status.ACTIVE
