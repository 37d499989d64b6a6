"""Outcomes with and without a learning tell whether it helps; what does harm is suspended. On every database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import heedful
from heedful.errors import Forbidden, NotFound
from heedful.learnings.exposures import WHOLE
from heedful.learnings.holdout import is_withheld
from heedful.learnings.lifts import benefits
from heedful.learnings.outcomes import events_of_units
from heedful.operations.caller import Caller, acting
from heedful.records.event import Draft, Entity, noted
from heedful.records.learning import Status
from heedful.records.outcome import OUTCOME_REPORTED, SHOWN, UNIT, WITHHELD, compared_arm
from heedful.records.proposal import TEND_JOB, Act, ProposalStatus
from heedful.records.role import Role
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, report
from tests.contract.extracting import check_sound
from tests.contract.mining import taught, teach


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder())


def outcomes(
    loop: heedful.Loop, learning: str, *, shown: tuple[int, int], withheld: tuple[int, int], share: float = 0.1
) -> None:
    """So many units, of which so many were successes, with the learning and without it."""
    drafts = [
        *_units(loop, learning, compared_arm(SHOWN, share), *shown),
        *_units(loop, learning, compared_arm(WITHHELD, share), *withheld),
    ]
    loop.store.record(drafts)


def _units(loop: heedful.Loop, learning: str, arm: str, units: int, successes: int) -> Iterator[Draft]:
    for number in range(units):
        value = float(number < successes)
        counts = {learning: [arm, 1, int(value * WHOLE), 0, 0, 0]}
        meta = {"context": f"context-{arm}-{number}", "value": value, "counts": counts}
        yield noted(OUTCOME_REPORTED, loop.store.clock(), entity=Entity(UNIT, f"{arm}-{number}"), meta=meta)


def test_each_learning_with_outcomes_has_a_lift_and_a_verdict(loop: heedful.Loop) -> None:
    helps, harms, early, always = (report(loop, f"wrong {name}", f"right {name}") for name in "abcd")
    outcomes(loop, helps, shown=(180, 160), withheld=(40, 15))
    outcomes(loop, harms, shown=(180, 60), withheld=(40, 36))
    outcomes(loop, early, shown=(9, 9), withheld=(1, 0))
    outcomes(loop, always, shown=(20, 20), withheld=(0, 0))
    outcomes(loop, "not-a-learning", shown=(3, 3), withheld=(1, 0))

    found = {one.learning: one for one in loop.measure.lift()}
    assert [one.verdict for one in found.values()] == ["harms", "helps", "no effect yet", "not measured"]
    assert list(found) == [harms, helps, early, always]
    assert found[helps].lift == pytest.approx(160 / 180 - 15 / 40)
    assert (found[helps].shown.units, found[helps].withheld.mean) == (180, 0.375)
    assert (found[helps].kind, "right a" in found[helps].text) == ("correction", True)
    assert found[early].needed is not None
    assert loop.measure.lift(helps) == [found[helps]]
    assert loop.measure.lift(report(loop, "wrong e", "right e"))[0].verdict == "not measured"
    with pytest.raises(NotFound):
        loop.measure.lift("nothing")

    factors = benefits(loop.store, [helps, harms, early, always, "nothing"])
    assert factors[harms] < 1 < factors[early] < factors[helps]
    assert factors[always] == factors["nothing"] == 1.0
    check_sound(loop)
    loop.learn.rebuild()
    assert {one.learning: one for one in loop.measure.lift()} == found


def test_what_does_harm_is_suspended_once_and_people_are_asked(loop: heedful.Loop, clock: FrozenClock) -> None:
    harmful, fine = report(loop, "colour", "color"), report(loop, "an hotel", "a hotel")
    outcomes(loop, harmful, shown=(180, 60), withheld=(40, 36))
    outcomes(loop, fine, shown=(180, 160), withheld=(40, 15))
    assert loop.jobs.page(name=TEND_JOB).items  # requested by the outcomes

    assert loop.measure.tend() == {"suspended": 1, "sunset": 0}
    assert loop.measure.tend() == {"suspended": 0, "sunset": 0}
    assert loop.govern.learnings.get(harmful).status is Status.RETIRED
    assert loop.govern.learnings.get(fine).status is Status.ACTIVE
    (asked,) = loop.govern.proposals.all()
    assert (asked.act, asked.learnings, asked.needed) == (Act.RESUME, (harmful,), 1)
    assert "33% on average in 180" in asked.reason
    assert "90% in 40 without it" in asked.reason

    assert loop.govern.proposals.approve(asked.id, by="lee").status is ProposalStatus.APPROVED
    assert loop.govern.learnings.get(harmful).status is Status.ACTIVE
    assert "lee put it into use again" in loop.govern.why(harmful).text
    clock.advance(days=1)
    assert loop.measure.tend()["suspended"] == 0  # people know of these outcomes
    outcomes(loop, harmful, shown=(180, 60), withheld=(40, 36))
    assert loop.measure.tend()["suspended"] == 1
    assert len(list(loop.govern.proposals.all())) == 1
    with acting(Caller(loop.name, Role.ADMIN, "key", "dana")), pytest.raises(Forbidden):
        loop.measure.tend()


def test_after_a_resume_what_was_forgotten_is_no_harm(loop: heedful.Loop, clock: FrozenClock) -> None:
    one = report(loop, "colour", "color")
    outcomes(loop, one, shown=(180, 60), withheld=(40, 36))
    assert loop.measure.tend()["suspended"] == 1
    loop.govern.learnings.restore(one)
    clock.advance(days=1)
    with loop.store.recording() as record:  # the successes, as if those people were forgotten
        record.erase(events_of_units(loop.store, [f"shown@0.1-{number}" for number in range(60)]))
    outcomes(loop, one, shown=(100, 50), withheld=(40, 20))
    assert loop.measure.lift(one)[0].verdict == "harms"
    assert loop.measure.tend()["suspended"] == 0  # what was counted since cannot be told
    outcomes(loop, one, shown=(60, 5), withheld=(60, 55), share=0.5)
    assert loop.measure.tend()["suspended"] == 1


def test_it_takes_more_to_suspend_than_to_say_that_it_harms(loop: heedful.Loop) -> None:
    one = report(loop, "colour", "color")
    outcomes(loop, one, shown=(180, 120), withheld=(40, 36))
    assert loop.measure.lift(one)[0].verdict == "harms"
    assert loop.measure.tend()["suspended"] == 0
    outcomes(loop, one, shown=(180, 120), withheld=(40, 36))
    assert loop.measure.tend()["suspended"] == 1


def test_outcomes_from_before_anything_could_be_withheld_are_not_compared(loop: heedful.Loop) -> None:
    """Early sessions are those that people corrected; later ones are those that a program reports."""
    one = report(loop, "an error", "nil", query="what does parse() return?")

    def given(unit: str, **told: Any) -> dict[str, Any]:
        context = loop.apply.context("what does parse() return?", unit=unit, **told)
        assert context.id is not None
        return {"id": context.id, **loop.store.log.known([context.id])[context.id].meta}

    for unit in ("early", "reported"):
        assert not {"measured", "share"} & given(unit).keys()
    loop.capture.correction("left", "right", session="early")
    loop.measure.outcome(given("reported")["id"], success=True)
    early = loop.measure.lift(one)[0]
    assert (early.verdict, early.shown.units, early.withheld.units) == ("not measured", 2, 0)
    assert not {"measured", "share"} & given("no hold-out", hold_out=0).keys()
    units = [f"later-{number}" for number in range(20)]
    held = {unit for unit in units if is_withheld(one, unit, 0.3)}
    assert 0 < len(held) < len(units)
    for unit in units:
        context = given(unit, hold_out=0.3)
        assert (context["share"], context["measured"]) == (0.3, [] if unit in held else [one])
        loop.measure.outcome(context["id"], success=True)
    (found,) = loop.measure.lift(one)
    assert (found.shown.units, found.shown.mean, found.withheld.units) == (len(units) - len(held), 1.0, len(held))


def test_what_was_suspended_is_not_mined_again(loop: heedful.Loop) -> None:
    rule = "Always run the tests with pnpm before you push."
    one = taught(loop, "monday", rule)
    outcomes(loop, one.id, shown=(180, 60), withheld=(40, 36))
    loop.measure.tend()
    teach(loop, "tuesday", rule)
    assert [found.id for found in loop.govern.learnings.all(kind="insight", status=None)] == [one.id]
