"""Feedback on suggestions: recording it, what follows from it, and how it goes again, on every database."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from math import inf, nan
from typing import Any

import pytest

import heedful
from heedful.errors import Conflict, HeedfulError, InvalidInput, InvalidKind, LicenceRequired
from heedful.records.suggestion import DECISIONS, Decision
from heedful.testing import FrozenClock
from tests.contract.deciding import RULES, decide, derived_rows, fixes, learnings, shorten

ACCEPTED, MODIFIED, REJECTED = Decision.ACCEPTED, Decision.MODIFIED, Decision.REJECTED


# The fourteen criteria


def test_criterion_01_an_accepted_suggestion_is_stored_as_accepted(loop: heedful.Loop) -> None:
    event = loop.capture.fix("no-passive", ACCEPTED, original="was done", suggested="did", actor="dana")

    assert loop.event(event.id) == event
    assert (event.kind, event.entity) == ("FIX_ACCEPTED", ("rule", "no-passive"))
    assert event.before == {"original": "was done", "suggested": "did"}


def test_criterion_02_a_rejected_suggestion_is_stored_as_rejected(loop: heedful.Loop) -> None:
    event = loop.capture.fix("no-passive", REJECTED, original="was done", suggested="did", comment="wrong tense")

    assert loop.event(event.id).kind == "FIX_REJECTED"
    assert loop.event(event.id).meta["comment"] == "wrong tense"


def test_criterion_03_a_modified_suggestion_is_stored_with_the_modification(loop: heedful.Loop) -> None:
    event = loop.capture.fix(
        "no-passive", MODIFIED, original="was done", suggested="did", final="we did it", modification="we did"
    )

    assert loop.event(event.id).kind == "FIX_MODIFIED"
    assert loop.event(event.id).after == {"final": "we did it", "modification": "we did"}


def test_criterion_04_ten_samples_make_a_context_with_patterns(loop: heedful.Loop) -> None:
    shorten(loop, "plain-words", "accepted", 10)

    context = loop.apply.rule_context("plain-words")

    assert context.has_sufficient_data
    assert [(p.original_pattern, p.suggested_pattern) for p in context.accepted_patterns] == [("in order to", "to")]
    assert '"in order to"' in context.prompt


def test_criterion_05_nine_samples_are_not_sufficient(loop: heedful.Loop) -> None:
    shorten(loop, "plain-words", "accepted", 9)

    context = loop.apply.rule_context("plain-words")

    assert (context.sample_count, context.has_sufficient_data, context.prompt) == (9, False, "")


def test_criterion_06_much_acceptance_adjusts_confidence_upwards(loop: heedful.Loop) -> None:
    shorten(loop, "plain-words", "accepted", 20, confidence=0.6)

    context = loop.apply.rule_context("plain-words")

    assert context.adjusted_confidence_baseline is not None
    assert context.adjusted_confidence_baseline > 0.8
    assert context.confidence(0.6).value > 0.8
    assert "with confidence" in context.prompt


def test_criterion_07_little_acceptance_is_a_warning_in_the_prompt(loop: heedful.Loop) -> None:
    decide(loop, "plain-words", "accepted", 4)
    decide(loop, "plain-words", "rejected", 6)

    assert "Caution: a low acceptance rate" in loop.apply.rule_context("plain-words").prompt


def test_criterion_08_an_export_is_valid_json(loop: heedful.Loop) -> None:
    exported = learnings(loop)

    told = json.loads(exported.to_json())

    assert told["format"] == "heedful-learnings"
    assert [(p["rule_id"], p["original_pattern"], p["count"]) for p in told["patterns"]] == [
        ("plain-words", "in order to", 4),
        ("units", "5km", 3),
    ]
    assert loop.govern.import_(told).patterns == 2


def test_criterion_09_an_import_merges_patterns(loop: heedful.Loop) -> None:
    shorten(loop, "plain-words", "accepted", 3)

    loop.govern.import_(learnings(loop))

    (merged,) = loop.apply.rule_context("plain-words").accepted_patterns
    assert (merged.suggested_pattern, merged.accept_count) == ("to", 6)
    (brought,) = loop.apply.rule_context("units").rejected_patterns
    assert (brought.suggested_pattern, brought.reject_count) == ("5 km", 3)
    assert loop.apply.rule_context("units").rule_name == "Units"


def test_criterion_10_below_teams_a_licence_is_required(loop: heedful.Loop) -> None:
    exported = learnings(loop)
    loop.govern.set_tier("free")
    refused: list[Callable[[], object]] = [
        partial(loop.capture.fix, "units", ACCEPTED),
        partial(loop.capture.fixes, []),
        partial(loop.apply.rule_context, "units"),
        loop.measure.statistics,
        loop.measure.calibration,
        loop.govern.export,
        partial(loop.govern.import_, exported),
    ]

    for attempt in refused:
        with pytest.raises(LicenceRequired, match="needs the tier teams; this organisation has free"):
            attempt()
    loop.govern.set_tier("teams")
    for attempt in refused:
        attempt()


def test_criterion_11_people_become_pseudonyms(loop: heedful.Loop) -> None:
    events = [loop.capture.fix("units", ACCEPTED, actor=actor) for actor in ("dana", "lee", "dana")]

    actors = [event.actor or "" for event in events]
    assert actors[0] == actors[2] != actors[1]
    assert all(actor.startswith("person-") for actor in actors)
    assert "dana" not in repr([*loop.events(), *derived_rows(loop)])
    elsewhere = loop.org("globex").capture.fix("units", ACCEPTED, actor="dana")
    assert elsewhere.actor not in actors


def test_people_can_be_named_if_the_organisation_wants_it(loop: heedful.Loop) -> None:
    loop.govern.set_privacy(anonymize_users=False)

    assert loop.capture.fix("units", ACCEPTED, actor="dana").actor == "dana"


def test_criterion_12_without_texts_only_patterns_are_stored(loop: heedful.Loop) -> None:
    loop.govern.set_privacy(store_original_text=False)
    secret = {"original": "Zebra utilises it", "suggested": "Zebra uses it", "comment": "zebra hates it"}
    decide(loop, "units", "rejected", 2, **secret)
    decide(loop, "units", "modified", 2, **secret, final="Zebra has used it")

    stored = repr([*loop.events(), *derived_rows(loop)]).lower()
    assert not [word for word in ("zebra", "utilises", "uses", "hates", "used") if word in stored]
    assert [(event.before, event.after) for event in fixes(loop)] == [({}, {})] * 4

    decide(loop, "units", "rejected", 6, **secret)  # by more than two, so it is nobody's in particular

    assert ("utilises", "uses") in [
        (p.original_pattern, p.suggested_pattern) for p in loop.apply.rule_context("units").rejected_patterns
    ]
    assert "Zebra utilises it" not in repr([*loop.events(), *derived_rows(loop)])


def test_criterion_13_what_is_too_old_goes(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.govern.set_privacy(max_data_age="30d")
    ages = {"new": timedelta(), "edge": timedelta(days=30), "old": timedelta(days=30, seconds=1)}
    for id, age in ages.items():
        loop.capture.fix("units", ACCEPTED, at=clock.now - age, id=id)

    retained = loop.govern.retain()

    assert (retained.too_old, retained.too_many, retained.kept) == (1, 0, 2)
    assert [event.id for event in fixes(loop)] == ["new", "edge"]
    assert loop.measure.statistics().total_feedback == 2
    clock.advance(days=31)
    assert loop.govern.retain().kept == 0
    assert loop.apply.rule_context("units").sample_count == 0


def test_criterion_14_beyond_max_records_the_oldest_go(loop: heedful.Loop, clock: FrozenClock) -> None:
    ages = {"today": 0, "oldest": 9, "older": 8, "this morning": 0, "old": 3}
    for hours, (id, days) in enumerate(ages.items()):
        loop.capture.fix("units", ACCEPTED, at=clock.now - timedelta(days=days, hours=hours), id=id)
    loop.govern.set_privacy(max_records=2)

    retained = loop.govern.retain()

    assert (retained.too_old, retained.too_many, retained.kept) == (0, 3, 2)
    assert [event.id for event in fixes(loop)] == ["today", "this morning"]
    loop.govern.set_privacy(max_records=1)
    loop.govern.retain()
    assert [event.id for event in fixes(loop)] == ["today"]


# Recording


def test_the_same_feedback_twice_is_recorded_once(loop: heedful.Loop, clock: FrozenClock) -> None:
    told: dict[str, Any] = {"original": "was done", "suggested": "did", "actor": "dana", "confidence": 1, "id": "x"}
    first = loop.capture.fix("units", ACCEPTED, **told)
    clock.advance(hours=1)

    assert loop.capture.fix("units", ACCEPTED, **told) == first
    assert loop.capture.fixes([{"rule": "units", "decision": "accepted", **told}] * 3) == 3
    assert fixes(loop) == [first]
    assert loop.measure.statistics().total_feedback == 1


@pytest.mark.parametrize("texts", [True, False], ids=["with texts", "without texts"])
def test_other_feedback_under_the_same_id_is_a_conflict(loop: heedful.Loop, texts: bool) -> None:
    loop.govern.set_privacy(store_original_text=texts)
    first: dict[str, Any] = {"rule": "units", "decision": "accepted", "original": "5km", "suggested": "5 km", "id": "x"}
    others: list[dict[str, Any]] = [
        {"rule": "other"}, {"decision": "rejected"}, {"original": "6km"}, {"suggested": "five km"}, {"final": "5 km"},
        {"actor": "dana"}, {"comment": "no"}, {"confidence": 0.5}, {"category": "style"}, {"bulk": True},
        {"suggestion": "s"}, {"deviation": "d"}, {"rule_name": "Units"},
    ]  # fmt: skip
    loop.capture.fixes([first])

    for other in others:
        with pytest.raises(Conflict, match="'x' is recorded already, with different content"):
            loop.capture.fixes([{**first, **other}])
        with pytest.raises(Conflict):
            loop.capture.fixes([{**first, "id": "y"}, {**first, **other, "id": "y"}])
    assert len(fixes(loop)) == 1


def test_feedback_and_events_do_not_share_ids(loop: heedful.Loop) -> None:
    loop.capture.event("FIELD_SET", id="x")
    loop.capture.fix("units", ACCEPTED, id="y")

    with pytest.raises(Conflict):
        loop.capture.fix("units", ACCEPTED, id="x")
    with pytest.raises(Conflict):
        loop.capture.event("FIELD_SET", id="y")


def test_a_word_is_not_taken_for_its_absence(loop: heedful.Loop) -> None:
    loop.capture.fix("units", REJECTED, id="x")

    others: list[dict[str, Any]] = [{"actor": "None"}, {"comment": "None"}, {"final": "None"}]
    for other in others:
        with pytest.raises(Conflict):
            loop.capture.fix("units", REJECTED, id="x", **other)


def test_where_one_text_ends_and_the_next_begins_is_part_of_the_content(loop: heedful.Loop) -> None:
    loop.capture.fix("units", REJECTED, original="a\x1fb", suggested="c", id="x")

    with pytest.raises(Conflict):
        loop.capture.fix("units", REJECTED, original="a", suggested="b\x1fc", id="x")


BAD: list[tuple[dict[str, Any], str]] = [
    ({"decision": "liked"}, "'liked' is not a decision"),
    ({"decision": None}, "None is not a decision"),
    ({"decision": "Accepted"}, "not a decision"),
    *(({"confidence": value}, "confidence is") for value in (1.5, -0.1, nan, inf, True, "0.5")),
    ({"rule": ""}, "rule is empty"),
    ({"rule": "  "}, "rule is empty"),
    ({"rule": "r" * 201}, "rule has 201 characters; 200 are allowed"),
    ({"rule": 7}, "rule must be text, not int"),
    ({"rule": "a\nb"}, "rule contains an invisible character"),
    ({"category": ""}, "category is empty"),
    ({"original": 7}, "original must be text, not int"),
    ({"original": None}, "original must be text, not NoneType"),
    ({"suggested": b"x"}, "suggested must be text, not bytes"),
    ({"final": ["x"]}, "final must be text, not list"),
    ({"comment": 7}, "comment must be text, not int"),
    ({"original": "\ud800"}, "original contains invalid Unicode"),
    ({"suggested": "x" * 1_000_001}, "suggested has 1,000,001 characters"),
    ({"bulk": 1}, "bulk is 1"),
    ({"actor": ""}, "actor is empty"),
    ({"id": ""}, "id is empty"),
    ({"at": 7}, "at must be a time, not int"),
    ({"at": datetime(2026, 1, 5)}, "at has no time zone"),  # noqa: DTZ001
]


def test_bad_feedback_is_refused_with_a_reason(loop: heedful.Loop) -> None:
    good = {"rule": "units", "decision": "accepted"}
    for change, reason in BAD:
        told = good | change
        with pytest.raises(HeedfulError, match=reason) as refused:
            loop.capture.fix(told.pop("rule"), told.pop("decision"), **told)
        assert refused.value.hint
        with pytest.raises(HeedfulError, match=reason) as refused:
            loop.capture.fixes([good, good, good | change])
        assert refused.value.item == 2
    assert list(loop.events()) == []


def test_who_does_not_tell_what_they_made_of_it_is_still_counted(loop: heedful.Loop) -> None:
    event = loop.capture.fix("units", MODIFIED, original="5km", suggested="5 km")

    assert (event.kind, event.after) == ("FIX_MODIFIED", {})
    assert loop.apply.rule_context("units").useful_modifications == ()
    assert loop.measure.statistics().modification_rate == 1.0


def test_an_item_that_is_no_feedback_tells_its_number(loop: heedful.Loop) -> None:
    good = {"rule": "units", "decision": "accepted"}
    odd: list[Any] = [{"rule": "units"}, {**good, "colour": "red"}, {}, None, "units", 7]
    for item in odd:
        with pytest.raises(InvalidInput, match="cannot be recorded") as refused:
            loop.capture.fixes([good, item])
        assert refused.value.item == 1
        assert "a dict with a rule" in refused.value.hint
    assert fixes(loop) == []


def test_a_conflict_among_many_tells_which_item_it_is(loop: heedful.Loop) -> None:
    loop.capture.fix("units", ACCEPTED, id="x")

    with pytest.raises(Conflict) as refused:
        loop.capture.fixes([{"rule": "units", "decision": decision, "id": "x"} for decision in ("accepted", "skipped")])
    assert refused.value.item == 1


def test_many_decisions_are_counted(loop: heedful.Loop) -> None:
    assert loop.capture.fixes([]) == 0
    assert loop.capture.fixes({"rule": rule, "decision": "skipped"} for rule in RULES) == 3
    assert [event.kind for event in loop.events()] == ["FIX_SKIPPED"] * 3


def test_the_kinds_of_feedback_are_reserved(loop: heedful.Loop) -> None:
    for kind in (*DECISIONS, "LEARNING_IMPORTED"):
        with pytest.raises(InvalidKind, match=f"{kind} is recorded in another way") as refused:
            loop.capture.event(kind)
        assert "capture.fix" in refused.value.hint
        (answer,) = loop.capture.batch([{"kind": kind}])
        assert isinstance(answer, InvalidKind)
    assert list(loop.events()) == []


def test_any_text_can_be_recorded(loop: heedful.Loop) -> None:
    odd = {"original": "a\x00b\x1fc \U0001f600 x", "suggested": "\u202ea\\\"b' x", "comment": "no\x00\n"}
    decide(loop, "odd", "rejected", 3, **odd)
    decide(loop, "odd", "modified", 3, **odd, final="\x00")

    assert {event.before["original"] for event in fixes(loop)} == {odd["original"]}
    assert loop.apply.rule_context("odd").sample_count == 6


# Subscriptions and tiers


def test_subscriptions_see_everything_that_happens(loop: heedful.Loop) -> None:
    seen: list[str] = []
    follower = loop.subscription(lambda event: seen.append(event.kind), name="s")

    def news() -> list[str]:
        seen.clear()
        follower.deliver_pending()
        return list(seen)

    for decision in Decision:
        loop.capture.fix("units", decision, final="x")
    assert news() == ["FIX_ACCEPTED", "FIX_MODIFIED", "FIX_REJECTED", "FIX_SKIPPED"]
    loop.govern.export()
    assert news() == ["AUDIT_LEARNING_EXPORTED"]
    loop.govern.import_(learnings(loop))
    assert news() == ["LEARNING_IMPORTED", "LEARNING_IMPORTED", "AUDIT_LEARNING_IMPORTED"]
    loop.govern.import_(learnings(loop))
    assert news() == []
    loop.govern.set_privacy(max_records=1)
    assert news() == ["AUDIT_PRIVACY_CHANGED"]
    loop.govern.retain()
    assert news() == ["AUDIT_RETENTION_APPLIED"]
    planned = loop.govern.clearing(everything=True)
    assert news() == []
    loop.govern.clear(planned.token)
    assert news() == ["AUDIT_LEARNING_CLEARED"]
    loop.capture.fix("units", ACCEPTED)
    assert news() == ["FIX_ACCEPTED"]


def test_who_falls_below_teams_can_still_tidy_up(loop: heedful.Loop) -> None:
    decide(loop, "units", "accepted", 5)
    decide(loop, "no-passive", "accepted", 2)
    loop.govern.set_tier("free")

    assert loop.govern.set_privacy(max_records=6) == loop.govern.privacy()
    assert loop.govern.retain().too_many == 1
    planned = loop.govern.clearing(rules=["no-passive"])
    assert loop.govern.clear(planned.token).records == 2
    loop.capture.event("FIELD_SET")
    assert len(fixes(loop)) == 4
