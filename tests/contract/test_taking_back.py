"""What was learned in one conversation and is taken back in a later one; on every database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

import heedful
from heedful.learnings.events import EXTRACTED
from heedful.records.event import Entity, noted
from heedful.records.insight import Insight
from heedful.records.learning import Status
from heedful.records.mining import ENTITY, Mined, MiningOutcome
from heedful.records.proposal import Act, Proposal
from heedful.records.reading import MessageReading
from tests.conftest import OpenLoop
from tests.contract.mining import PlainReader, talk, whole
from tests.typed import insights

AT = datetime(2026, 3, 3, 9, tzinfo=UTC)
SHIP = "From now on always deploy with make ship."
SQUASH = "From now on always squash commits before merging."
YARN = "From now on always install packages with pnpm, never with yarn."
NO_SHIP, NO_SQUASH = "we no longer deploy with make ship", "we don't squash commits any more, stop doing that"
NO_YARN = "forget the rule about yarn, yarn is fine now"


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(reader=PlainReader())


def said(loop: heedful.Loop, day: int, *rules: str, project: str = "shop", actor: str | None = None) -> Mined:
    """A conversation of that day, mined now."""
    id = f"day-{day}"
    loop.capture.conversation(
        talk(*rules, at=AT + timedelta(days=day)), id=id, tool="claude-code", project=project, actor=actor
    )
    return loop.learn.mine(id)


def known(loop: heedful.Loop, status: Status = Status.ACTIVE) -> list[str]:
    return [one.title for one in insights(loop).all(status=status)]


def only(loop: heedful.Loop, status: Status = Status.ACTIVE) -> Insight:
    (one,) = insights(loop).all(status=status)
    return one


def asked(loop: heedful.Loop) -> list[Proposal]:
    return list(loop.govern.proposals.all())


@pytest.mark.parametrize(
    ("rule", "taken_back"),
    [
        (SHIP, NO_SHIP),
        (SHIP, "we don't deploy with make ship any more, the script is gone"),
        (SQUASH, NO_SQUASH),
        (SQUASH, "Squashing commits is not required anymore, the team decided against it."),
        (YARN, NO_YARN),
        (YARN, "The yarn ban is lifted."),
        ("From now on use unittest for new tests.", "the unittest rule doesn't hold any more, new tests are pytest"),
        ("From now on never deploy on Fridays.", "the rule about Fridays is gone, deploy whenever you like"),
    ],
)
def test_one_persons_word_that_is_taken_back_is_out_of_use(loop: heedful.Loop, rule: str, taken_back: str) -> None:
    said(loop, 1, rule, actor="ann")
    one = only(loop)
    mined = said(loop, 2, taken_back, actor="ann")

    assert (mined.outcome, mined.taken_back, mined.proposals) == (MiningOutcome.TAKEN_BACK, (one.id,), ())
    assert (known(loop), asked(loop)) == ([], [])
    gone = insights(loop).get(one.id)
    assert (gone.status, gone.confidence) == (Status.SUPERSEDED, one.confidence)
    assert f"took it back in conversation day-2: “{taken_back}”" in loop.govern.why(one.id).text
    whole(loop)


@pytest.mark.parametrize(
    ("ban", "output", "lifted"),
    [
        (
            "No. Never use print in this repo, use the logger.",
            "I added a print statement.",
            "print is fine again, we dropped structlog",
        ),
        (
            "No. Never use print in this repo, use the logger.",
            "I added a print statement.",
            "you can use print again, the logger is gone",
        ),
        (
            "Nein, niemals npm, wir nehmen pnpm.",
            "Ich habe npm install ausgeführt.",
            "npm ist jetzt erlaubt, die Regel ist weg",
        ),
    ],
)
def test_a_ban_that_was_heard_live_is_lifted_in_a_later_session(
    open_loop: OpenLoop, ban: str, output: str, lifted: str
) -> None:
    loop = open_loop()
    heard = loop.agents.prompt(ban, last_output=output, about="shop", actor="ann", session="s-1").correction
    assert heard is not None
    assert said(loop, 2, "print and npm come up in the logs.", actor="ann").taken_back == ()

    assert said(loop, 3, lifted, actor="ann").taken_back == (heard.id,)
    assert loop.govern.learnings.get(heard.id).status is Status.SUPERSEDED
    whole(loop)


def test_what_somebody_restores_stays_in_use(loop: heedful.Loop) -> None:
    said(loop, 1, SHIP)
    one = only(loop)
    said(loop, 2, NO_SHIP)
    assert insights(loop).restore(one.id).status is Status.ACTIVE

    more = [*talk(NO_SHIP, at=AT + timedelta(days=2)), {"role": "user", "text": "Thank you.", "id": "more"}]
    loop.capture.conversation(more, id="day-2")
    assert loop.learn.mine("day-2").taken_back == ()
    assert known(loop) == [one.title]


def test_the_later_word_counts_in_whatever_order_conversations_are_mined(loop: heedful.Loop) -> None:
    assert said(loop, 2, NO_SHIP).taken_back == ()
    late = said(loop, 1, SHIP)
    assert (len(late.taken_back), late.learned, known(loop)) == (1, (), [])

    assert len(said(loop, 3, SHIP).learned) == 1
    assert known(loop) == ["Always deploy with make ship"]
    whole(loop)


def test_what_several_people_said_or_somebody_approved_waits_for_a_decision(loop: heedful.Loop) -> None:
    said(loop, 1, SHIP, actor="ann")
    said(loop, 2, SHIP, actor="bob")
    said(loop, 3, SQUASH, actor="ann")
    squash = next(one for one in insights(loop).all() if "quash" in one.title)
    insights(loop).approve(squash.id)

    mined = said(loop, 4, NO_SHIP, NO_SQUASH, actor="ann")
    assert (mined.outcome, len(mined.proposals), mined.taken_back) == (MiningOutcome.DISPUTED, 2, ())
    assert len(known(loop)) == 2
    assert {(one.act, one.summary) for one in asked(loop)} == {
        (Act.RETIRE, f"“{NO_SHIP}”"),
        (Act.RETIRE, f"“{NO_SQUASH}”"),
    }
    loop.govern.proposals.approve(next(one.id for one in asked(loop) if one.learnings == (squash.id,)))
    assert known(loop) == ["Always deploy with make ship"]


def test_what_may_be_meant_is_asked_once_for_each_conversation(loop: heedful.Loop) -> None:
    said(loop, 1, SHIP)
    insights(loop).approve(only(loop).id)
    mined = said(loop, 2, NO_SHIP, "make ship is gone, we deploy with make release now")
    assert (len(mined.proposals), mined.taken_back, len(known(loop))) == (1, (), 1)


@pytest.mark.parametrize(
    "other",
    [
        "make ship no longer works on my machine",
        "I can't deploy with make ship any more, it fails",
        "why do we no longer deploy with make ship?",
        "we don't deploy with make ship for now",
        "deploy with make ship now",
        "you forgot the rule about make ship",
        "we squash on Fridays",
    ],
)
def test_who_speaks_of_something_else_takes_nothing_back(loop: heedful.Loop, other: str) -> None:
    said(loop, 1, SHIP)
    mined = said(loop, 2, other)
    assert (mined.taken_back, mined.proposals, known(loop)) == ((), (), ["Always deploy with make ship"])


def test_who_bans_it_once_more_takes_nothing_back(loop: heedful.Loop) -> None:
    said(loop, 1, "From now on never deploy on Fridays.")
    assert said(loop, 2, "Again: no deploys on Fridays!").taken_back == ()
    assert len(known(loop)) == 1


def test_other_projects_keep_their_rules(loop: heedful.Loop) -> None:
    said(loop, 1, SHIP, project="till")
    assert said(loop, 2, NO_SHIP).taken_back == ()
    assert known(loop) == ["Always deploy with make ship"]


def test_what_a_deleted_conversation_took_back_holds_again(loop: heedful.Loop) -> None:
    said(loop, 1, SHIP)
    said(loop, 2, NO_SHIP)
    loop.govern.conversations.delete("day-2")

    assert known(loop) == ["Always deploy with make ship"]
    assert "make ship" not in str([event.meta_json for event in loop.events(kind="LEARNING_SUPERSEDED")])
    whole(loop)


def test_a_rebuild_gives_the_same(loop: heedful.Loop) -> None:
    said(loop, 1, SHIP, SQUASH)
    said(loop, 2, NO_SHIP)
    before = [*insights(loop).all(status=None)]
    loop.learn.rebuild()
    assert [*insights(loop).all(status=None)] == before


class RefusingReader(PlainReader):
    """Hears that nobody takes what the agent said."""

    def message(self, text: str, before: str) -> MessageReading:
        return replace(super().message(text, before), refused=0.9)


def test_what_an_agent_found_out_and_a_person_denies_waits_for_a_decision(open_loop: OpenLoop) -> None:
    loop = open_loop(reader=RefusingReader())
    title = "The import times out because load_customer() opens a new connection for every row"
    draft = noted(
        EXTRACTED,
        AT,
        entity=Entity(ENTITY, "day-0"),
        after={"title": title, "content": {"cause": f"{title}."}, "tags": ["imports"]},
        meta={"category": "bug_fix", "project": "shop", "confidence": 0.8},
    )
    loop.store.record([draft._replace(id="cause", own_id=True, own_time=True)])
    said(loop, 1, "No, load_order() is not slow, leave it alone.")
    assert asked(loop) == []
    mined = said(loop, 2, "It wasn't the connections after all, the index was missing.")

    (proposal,) = asked(loop)
    assert (mined.proposals, proposal.learnings, known(loop)) == ((proposal.id,), ("cause",), [title])
    assert "the agent found" in loop.govern.why("cause").text


def test_what_is_contrary_to_an_approved_rule_is_reported_with_its_proposal(loop: heedful.Loop) -> None:
    said(loop, 1, "From now on always use port 8080 for the dev server.")
    insights(loop).approve(only(loop).id)
    mined = said(loop, 2, "From now on always use port 9090 for the dev server.")

    (proposal,) = asked(loop)
    assert (mined.outcome, mined.proposals, proposal.act) == (MiningOutcome.DISPUTED, (proposal.id,), Act.REPLACE)
