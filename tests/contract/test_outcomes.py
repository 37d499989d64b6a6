"""Outcomes of contexts: reported or derived, late or repeated, they count once for each unit, on every database."""

from __future__ import annotations

import uuid
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful.errors import Conflict, InvalidInput, InvalidTime, NotFound
from heedful.learnings.exposures import Exposure, ExposureCounts, exposures, outcomes_reported
from heedful.learnings.outcomes import events_of_units, values_by_context
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.outcome import OUTCOME_REPORTED, Outcome
from heedful.store.verification import verify
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contexts import give
from tests.contract.correcting import WordEmbedder, report
from tests.contract.extracting import extracted
from tests.examples import examples

NOTHING = ExposureCounts()


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder())


def outcome(loop: heedful.Loop, context: str, **told: Any) -> Outcome:
    found = loop.measure.outcome(context, **told)
    assert found is not None
    return found


def shown(loop: heedful.Loop, learning: str) -> tuple[int, float]:
    """How many units got it, and the sum of their outcomes."""
    counts = exposures(loop.store, [learning]).get(learning, Exposure()).shown
    return counts.units, counts.total / 10_000


def derived(loop: heedful.Loop) -> list[tuple[str, float | None]]:
    """The contexts and values of all derived outcomes."""
    events = loop.events(kind=OUTCOME_REPORTED)
    return [(event.meta["context"], event.meta.get("value")) for event in events if "derived_from" in event.meta]


def counted(loop: heedful.Loop) -> dict[str, Exposure]:
    """What the log says by definition: for each unit the mean over its contexts of what counts of their outcomes."""
    arms: dict[str, tuple[str, dict[str, str], bool]] = {}
    said: dict[str, list[Any]] = defaultdict(list)
    for event in loop.events():
        if event.kind == CONTEXT_GIVEN and event.entity is not None:
            of = dict.fromkeys(event.meta["withheld"], "withheld") | dict.fromkeys(event.meta["learnings"], "shown")
            arms[event.id] = event.entity.id, of, "share" in event.meta
        elif event.kind == OUTCOME_REPORTED:
            said[event.meta["context"]].append(event)
    values: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * 5)
    for context, (unit, of, is_compared) in arms.items():
        valued = [event for event in said[context] if "value" in event.meta]
        checked = [event for event in said[context] if "followed" in event.meta]
        for learning, arm in of.items():
            if valued and is_compared:
                values[learning, arm, unit].append(_what_counts(valued))
            if checked and (meta := max(checked, key=lambda one: (one.at, one.seq)).meta):
                sums[learning, arm][3] += learning in meta["followed"]
                sums[learning, arm][4] += learning in meta["broken"]
    for (learning, arm, _), some in values.items():
        mean = int(sum(some) / len(some) + 0.5)
        for place, value in enumerate((1, mean, mean**2)):
            sums[learning, arm][place] += value
    made = {key: ExposureCounts(*row) for key, row in sums.items() if any(row)}
    return {
        id: Exposure(made.get((id, "shown"), NOTHING), made.get((id, "withheld"), NOTHING)) for id, _ in made
    }  # fmt: skip


def _what_counts(outcomes: list[Any]) -> int:
    reported = [event for event in outcomes if "derived_from" not in event.meta]
    if reported:
        return int(10_000 * max(reported, key=lambda one: (one.at, one.seq)).meta["value"] + 0.5)
    return int(sum(10_000 * event.meta["value"] for event in outcomes) / len(outcomes) + 0.5)


def stored(loop: heedful.Loop) -> dict[str, Exposure]:
    return {id: one for id, one in exposures(loop.store).items() if any((*one.shown, *one.withheld))}


def test_an_outcome_is_a_success_a_score_a_decision_or_an_edit(loop: heedful.Loop) -> None:
    one = give(loop, "a", unit="T-7")
    first = outcome(loop, one, success=True, note="went through", actor="dana", id="o-1")

    assert (first.id, first.context, first.unit, first.value, first.derived_from) == ("o-1", one, "T-7", 1.0, None)
    assert outcome(loop, one, accepted=False).value == 0.0
    assert outcome(loop, one, score=0.25).value == 0.25
    edited = outcome(loop, one, output="We ship the parts on Monday.", edited_to="We ship the spare parts on Friday.")
    assert edited.value == pytest.approx(5 / 7, abs=1e-4)
    assert outcome(loop, one, output="only looked at").value is None
    assert shown(loop, "a") == (1, edited.value)
    assert outcomes_reported(loop.store) == 4
    assert "spare" not in str([event.meta for event in loop.events()])


def test_a_wrong_report_says_what_to_do(loop: heedful.Loop) -> None:
    one = give(loop, "a")
    event = loop.capture.event("FIELD_SET", id="not-a-context")

    for unknown in ("ctx-1", event.id):
        with pytest.raises(NotFound, match=r"no context .* apply\.context"):
            loop.measure.outcome(unknown, success=True)
    for told, why in (
        ({}, "missing"),
        ({"success": True, "score": 0.5}, "by success and by score"),
        ({"accepted": True, "output": "a", "edited_to": "b"}, "by accepted and by edited_to"),
        ({"edited_to": "b"}, "without output"),
        ({"score": 1.5}, "score is 1.5"),
        ({"success": "no"}, "success is 'no'"),
    ):
        with pytest.raises(InvalidInput, match=why):
            loop.measure.outcome(one, **told)
    assert loop.measure.outcome(None, success=True) is None  # nothing was relevant, so there is nothing to measure
    assert list(loop.events(kind=OUTCOME_REPORTED)) == []


def test_the_same_id_twice_is_one_outcome(loop: heedful.Loop) -> None:
    one = give(loop, "a")
    first = outcome(loop, one, success=True, id="o-1")

    assert outcome(loop, one, success=True, score=None, id="o-1") == first
    with pytest.raises(Conflict, match="different content"):
        loop.measure.outcome(one, success=False, id="o-1")
    assert shown(loop, "a") == (1, 1.0)


def test_the_latest_counts_and_what_was_reported_before_what_was_derived(
    loop: heedful.Loop, clock: FrozenClock
) -> None:
    one = give(loop, "a", unit="s1")
    clock.advance(hours=1)
    loop.capture.correction("left", "right", session="s1")
    assert shown(loop, "a") == (1, 0.0)
    outcome(loop, one, score=0.75)
    loop.capture.correction("left", "right", session="s1")
    assert shown(loop, "a") == (1, 0.75)
    outcome(loop, one, score=0.5, at=clock.now - timedelta(minutes=5))  # it arrives late
    assert shown(loop, "a") == (1, 0.75)
    clock.advance(hours=1)
    outcome(loop, one, score=0.25)
    assert shown(loop, "a") == (1, 0.25)


def test_decisions_about_suggestions_are_outcomes_of_their_context(loop: heedful.Loop) -> None:
    ids = [give(loop, "a") for _ in range(5)]
    told: dict[str, Any] = {"suggested": "we did it today", "original": "it was done today"}
    loop.capture.fix("active", "accepted", context=ids[0], id="f-1", **told)
    loop.capture.fix("active", "accepted", context=ids[0], id="f-1", **told)
    loop.capture.fix("active", "rejected", context=ids[1])
    many = [
        {"rule": "active", "decision": "modified", "context": ids[2], "final": "we did it", "id": "f-2", **told},
        {"rule": "active", "decision": "modified", "context": ids[2], "final": "we did it", "id": "f-2", **told},
        {"rule": "active", "decision": "modified", "context": ids[3]},
        {"rule": "active", "decision": "skipped", "context": ids[4]},
        {"rule": "active", "decision": "accepted"},
    ]
    loop.capture.fixes(many)

    assert derived(loop) == [(ids[0], 1.0), (ids[1], 0.0), (ids[2], 0.75), (ids[3], 0.5)]
    assert outcomes_reported(loop.store) == 0


def test_what_people_say_is_recorded_also_if_the_context_is_not_known(loop: heedful.Loop) -> None:
    give(loop, "a", unit="s1")
    loop.capture.fixes([{"rule": "active", "decision": "accepted", "context": "gone"}])
    said = loop.capture.correction("tabs", "spaces", context="gone", session="s1")
    loop.capture.message("no, it should be 5, not 3", last_output="The limit is 3.", context=said.id, session="s1")
    loop.capture.review("coder", "REJECTED", comment="It has no tests.", context="gone")

    assert {event.kind for event in loop.events()} >= {"FIX_ACCEPTED", "CORRECTION_REPORTED", "OUTPUT_REVIEWED"}
    assert derived(loop) == []  # not of another context either


def test_in_a_shared_session_a_correction_is_of_the_context_for_its_speaker(loop: heedful.Loop) -> None:
    person = loop.store.secret.person
    ours = give(loop, "a", unit="s1")
    danas, lees = (give(loop, "a", unit="s1", user=person(name)) for name in ("dana", "lee"))
    loop.capture.correction("left", "right", session="s1", actor="dana")
    loop.capture.correction("up", "down", session="s1", actor="kim")
    loop.capture.correction("in", "out", session="s1")
    said: dict[str, Any] = {"last_output": "The limit is 3.", "session": "s1"}
    loop.capture.message("no, it should be 5, not 3", actor="dana", **said)

    assert [context for context, _ in derived(loop)] == [danas, ours, lees, danas]


def test_without_a_report_what_people_did_counts_on_average(loop: heedful.Loop, clock: FrozenClock) -> None:
    one = give(loop, "a", unit="s1")
    for number in [0, 0, 1, 1, 2, 2, 3, 3]:
        loop.capture.fix("active", "accepted" if number else "rejected", context=one, id=f"f-{number}")
    clock.advance(hours=1)

    assert shown(loop, "a") == (1, 0.75)
    assert values_by_context(events_of_units(loop.store, ["s1"])) == {one: 0.75}
    outcome(loop, one, score=0.2)
    outcome(loop, one, score=0.9, at=clock.now - timedelta(minutes=1))
    assert values_by_context(events_of_units(loop.store, ["s1"])) == {one: 0.2}
    assert shown(loop, "a") == (1, 0.2)


def test_what_could_not_have_been_withheld_is_not_compared(loop: heedful.Loop) -> None:
    ship = report(loop, "make ship", "make release")
    always = give(loop, ship, share=None)
    found = outcome(loop, always, success=False, output="Run make ship.")
    assert found.broken == (ship,)
    assert exposures(loop.store) == {ship: Exposure(ExposureCounts(units=1, broken=1))}

    outcome(loop, give(loop, ship, "other", measured=["other"]), success=True, output="Run make release.")
    assert shown(loop, ship) == (2, 1.0)
    assert shown(loop, "other") == (1, 1.0)
    outcome(loop, give(loop, ship), success=True)
    assert shown(loop, ship) == (1, 1.0), "the others are not compared with what was withheld"
    counts = exposures(loop.store)[ship].shown
    assert (counts.followed, counts.broken) == (1, 1)


def test_different_shares_are_different_comparisons(loop: heedful.Loop) -> None:
    for unit in range(4):
        outcome(loop, give(loop, "a", unit=f"many-{unit}", share=0.1), success=True)
    for unit in range(2):
        outcome(loop, give(loop, "a", unit=f"half-{unit}", share=0.5), success=False)
        outcome(loop, give(loop, withheld=["a"], unit=f"held-{unit}", share=0.5), success=False)
    outcome(loop, give(loop, withheld=["a"], unit="held", share=0.1), success=True)

    found = exposures(loop.store)["a"]
    assert (found.shown, found.withheld) == (ExposureCounts(2), ExposureCounts(2))  # that with the most withheld
    assert verify(loop.store).status == "ok"


def test_an_outcome_is_not_in_the_future(loop: heedful.Loop, clock: FrozenClock) -> None:
    one = give(loop, "a")
    outcome(loop, one, success=True, at=clock.now + timedelta(minutes=1))  # another clock is a little fast
    with pytest.raises(InvalidInput, match=r"at is .* but it is"):
        loop.measure.outcome(one, success=False, at=clock.now + timedelta(hours=1))
    assert shown(loop, "a") == (1, 1.0)


def test_an_outcome_is_not_older_than_its_context(loop: heedful.Loop, clock: FrozenClock) -> None:
    context = give(loop, report(loop, "pandas", "bears"))
    with pytest.raises(InvalidTime, match="the context was given later"):
        loop.measure.outcome(context, success=True, at=clock.now - timedelta(days=300))
    clocks_differ = loop.measure.outcome(context, success=True, at=clock.now - timedelta(minutes=1))
    assert clocks_differ is not None


def test_a_unit_is_measured_by_its_first_thousand_contexts_and_outcomes(
    loop: heedful.Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heedful.learnings.outcomes._MEASURED", 6)
    learning = report(loop, "pandas", "bears")
    contexts = [give(loop, learning, unit="long") for _ in range(3)]
    for context in contexts:
        loop.measure.outcome(context, success=True)
    measured = loop.measure.lift(learning)
    late = loop.measure.outcome(contexts[0], success=False)

    assert late is not None
    assert (late.value, loop.measure.lift(learning)) == (0.0, measured)
    loop.learn.rebuild(["exposures"])
    assert loop.measure.lift(learning) == measured


def test_forgetting_a_person_says_that_whole_sessions_go(loop: heedful.Loop) -> None:
    assert not any("measured no more" in note for note in loop.govern.forget(user="kim").notes)
    person = loop.store.secret.person
    give(loop, "a", unit="s1", user=person("dana"))
    outcome(loop, give(loop, "a", unit="s1", user=person("lee")), success=True)

    assert any("measured no more" in note for note in loop.govern.forget(user="dana").notes)
    assert events_of_units(loop.store, ["s1"]) == []
    assert exposures(loop.store) == {}


def test_reviews_are_outcomes_of_the_context_of_their_task(loop: heedful.Loop) -> None:
    first = give(loop, "a", unit="T-7", agent="coder")
    second = give(loop, "a", unit="T-7", agent="tester")
    loop.capture.review("coder", "REJECTED", task="T-7", comment="It has no tests.", id="r-1")
    loop.capture.review("coder", "REJECTED", task="T-7", comment="It has no tests.", id="r-1")
    changed: dict[str, Any] = {"output": "store the whole form", "approved": "store the checked form"}
    loop.capture.review("coder", "APPROVED_WITH_CHANGES", context=second, **changed)
    loop.capture.review("writer", "APPROVED", task="T-7")
    loop.capture.review("coder", "APPROVED", task="T-8")
    loop.capture.review("coder", "APPROVED", task="T-7")

    assert derived(loop) == [(first, 0.0), (second, 0.75), (first, 1.0)]


def test_a_correction_is_the_failure_of_the_context_of_its_session(loop: heedful.Loop, clock: FrozenClock) -> None:
    before = give(loop, "a", unit="s1")
    said: dict[str, Any] = {"last_output": "The limit is 3.", "session": "s1"}
    result = loop.capture.message("no, it should be 5, not 3", at=clock.now - timedelta(days=1), **said)
    assert result.correction is not None
    assert derived(loop) == []  # it was said before there was a context
    loop.capture.message("thank you, perfect", **said)
    loop.capture.correction("3", "5", session="s2")
    assert derived(loop) == []

    again = loop.capture.message("no, it should be 5, not 3", **said)
    named = give(loop, "a")
    loop.capture.correction("make ship", "make release", context=named)

    assert again.known
    assert derived(loop) == [(before, 0.0), (named, 0.0)]
    acts = {event.id: event for event in loop.events()}
    assert [acts[event.meta["derived_from"]].kind for event in loop.events(kind=OUTCOME_REPORTED)] == [
        "LEARNING_CONFIRMED", "CORRECTION_REPORTED",
    ]  # fmt: skip


def test_a_confirmed_draft_is_the_outcome_of_the_documents_context(open_loop: OpenLoop) -> None:
    loop = open_loop()
    draft = extracted(loop)
    values = len(draft.fields) + sum(len(line.fields) for line in draft.lines)
    loop.capture.draft_confirmed(draft)
    context = give(loop, "a", unit=draft.document)
    loop.capture.draft_confirmed(draft)
    loop.capture.field_corrected(draft, "order_number", "X-1")
    removed = len(draft.lines[0].fields)
    loop.capture.line_removed(draft, draft.lines[0].number)
    loop.capture.draft_confirmed(draft, id="done")
    loop.capture.draft_confirmed(draft, id="done")

    assert derived(loop) == [(context, 1.0), (context, round(1 - (1 + removed) / values, 4))]


def test_a_chat_tells_the_outcome_of_its_context(loop: heedful.Loop) -> None:
    report(loop, "an error", "nil", query="what does parse() return?")
    chat = loop.conversation(session="s1")
    given = chat.context("what does parse() return?")
    assert given.id is not None
    chat.output("It returns an error.")
    assert chat.message("No, it returns nil, not an error") is not None
    chat.output("It returns nil.")

    (told,) = loop.events(kind=OUTCOME_REPORTED)
    assert (told.meta["context"], told.meta["value"], len(told.meta["broken"])) == (given.id, 0.0, 1)


def test_it_is_checked_what_an_output_follows(loop: heedful.Loop) -> None:
    ship = report(loop, "make ship", "make release")
    style = report(loop, "", "be brief", category="style")
    names = report(loop, "clients", "guests")
    one = give(loop, ship, style, "deleted since", withheld=[names])

    found = outcome(loop, one, output="Run make ship for our clients.", success=False)
    assert (found.followed, found.broken) == ((), (ship,))
    assert exposures(loop.store)[ship].shown == ExposureCounts(1, 0, 0, 0, 1)
    found = outcome(loop, one, output="Run make release, not make ship.")
    assert (found.followed, found.broken) == ((ship,), ())
    assert exposures(loop.store)[ship].shown == ExposureCounts(1, 0, 0, 1, 0)
    assert exposures(loop.store)[names].withheld == ExposureCounts(1, 0, 0)
    assert stored(loop) == counted(loop)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["give", "give", "report", "report", "report", "check", "derive", "erase"]),
        st.integers(0, 2),
        st.integers(0, 10_000),
    ),
    max_size=25,
)


@examples(40)
@given(steps=STEPS)
def test_counts_equal_a_recount_after_any_history(open_loop: OpenLoop, steps: list[tuple[str, int, int]]) -> None:
    loop = open_loop(str(uuid.uuid4()), embedder=WordEmbedder())
    learnings = [loop.capture.correction(f"wrong{n}", f"right{n}").id for n in range(3)]
    contexts: dict[str, int] = {}
    for step, unit, number in steps:
        named = list(contexts)[number % len(contexts)] if contexts else ""
        later = loop.store.clock() + timedelta(seconds=number % 7)
        if step == "give":
            ids = [id for n, id in enumerate(learnings) if number >> n & 1]
            held = [id for n, id in enumerate(learnings) if number >> (n + 3) & 1 and id not in ids]
            contexts[give(loop, *ids, unit=f"u{unit}", withheld=held)] = unit
        elif step == "erase":
            with loop.store.recording() as record:
                record.erase(events_of_units(loop.store, {f"u{unit}"}))
            contexts = {id: of for id, of in contexts.items() if of != unit}
        elif step == "report" and named:
            outcome(loop, named, score=number / 10_000, at=later)
        elif step == "check" and named:
            outcome(loop, named, output=f"It is wrong{unit} or right{number % 3}.", at=later)
        elif named:
            loop.capture.fix("r", "accepted" if number % 2 else "rejected", context=named, at=later)
    lived = stored(loop)

    assert lived == counted(loop)
    assert verify(loop.store).status == "ok"
    loop.learn.rebuild(["exposures"])
    assert stored(loop) == lived
    with loop.store.recording() as record:
        record.erase(events_of_units(loop.store, {"u0", "u1", "u2"}))
    assert exposures(loop.store) == {}
    assert outcomes_reported(loop.store) == 0


def test_those_who_report_at_once_count_each_once(open_loop: OpenLoop) -> None:
    loop = open_loop()
    contexts = [give(loop, "a", "b", unit="s1") for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: loop.measure.outcome(contexts[n % 4], score=n / 20), range(20)))

    assert stored(loop) == counted(loop)
    assert shown(loop, "a")[0] == 1
