"""What a team learned goes to another team: without anybody's name, whole or not at all, and never too loud."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful import Decision, wire
from heedful.errors import Forbidden, HeedfulError, InvalidInput, InvalidLearnings, Misconfigured
from heedful.govern.sharing.file import checksum
from heedful.learnings.patterns.counts import SuggestionTallies
from heedful.learnings.patterns.tallies import DecisionCounts
from heedful.operations import caller
from heedful.records.role import Role
from heedful.records.sharing import LearningExport, SharedRule
from heedful.testing import FrozenClock
from tests.examples import examples
from tests.feedback import clear, dump, fix, leaked, recount, shown, tally

Document = dict[str, Any]


def _read(export: LearningExport) -> Document:
    told: Document = orjson.loads(wire.dump(export))
    return told


def _sealed(told: Document) -> Document:
    return {**told, "checksum": checksum(told)}


def _file(
    rule: str = "short", words: tuple[str, str] = ("in order to", "to"), *, count: int = 1, **decided: int
) -> Document:
    """A file as another team could have sent it, with one pattern or many like it."""
    decisions = {"accepted": 0, "modified": 0, "rejected": 0, **decided}
    total = sum(decisions.values())
    pattern = {
        "rule_id": rule, "pattern_type": "mixed", "differences": None, "count": total, "success_rate": 0.5, "people": 9,
        "suggested_pattern": words[1], "common_rejection_reason": None, **decisions,
    }  # fmt: skip
    patterns = [{**pattern, "original_pattern": words[0] + (f" {n}" if n else "")} for n in range(count)]
    told_rule = {
        "rule_id": rule, "rule_name": rule, "people": 9, "feedback_count": total, "skipped": 0, "acceptance_rate": 0.5,
        "modification_rate": 0.0, "confidence_accuracy": None, "detail": None, **decisions,
    }  # fmt: skip
    statistics = {
        "total_feedback": total, "overall_acceptance_rate": 0.5, "acceptance_rate_trend": 0.0, "skip_rate": 0.0,
        "rules_with_feedback": 1, "modification_rate": 0.0, "start": None, "end": None, "by_rule": {rule: told_rule},
        "by_category": {
            "style": {
                "category": "style", "feedback_count": total, "acceptance_rate": 0.5,
                "top_accepted_rules": [rule], "top_rejected_rules": [],
            },
        },
    }  # fmt: skip
    told = {"format": "heedful-learnings", "version": 3, "exported_at": "2026-01-05T09:00:00Z", "min_people": 3}
    return _sealed({**told, "note": None, "patterns": patterns, "statistics": statistics, "learnings": []})


@pytest.fixture
def team(loop: heedful.Loop, clock: FrozenClock) -> heedful.Loop:
    """One pattern by four people, one by two, and a rule of two people; and something of forty days ago."""
    for n in range(12):
        fix(loop, n, actor=f"person-{n % 4}@example.com", comment="Tromvatz", rule_name="Be short")
        fix(
            loop,
            n,
            edit=("utilize", "use"),
            decision="rejected",
            actor=f"person-{n % 2}@example.com",
            comment="Tromvatz",
        )
        fix(loop, n, rule="few", actor=f"person-{n % 2}@example.com")
    for n in range(3):
        fix(loop, n, rule="old", actor=f"person-{n}@example.com", at=clock.now - timedelta(days=40))
    return loop


@pytest.fixture
def other(loop: heedful.Loop) -> heedful.Loop:
    return loop.org("globex")


def _rules(export: LearningExport) -> list[SharedRule]:
    assert export.statistics is not None
    return list(export.statistics.by_rule.values())


def _patterns(export: LearningExport) -> list[tuple[str, str, int]]:
    return [(p.rule_id, p.original_pattern, p.count) for p in export.patterns]


# Exporting


def test_an_export_holds_what_enough_people_did(team: heedful.Loop) -> None:
    export = team.govern.export()

    assert (export.format, export.version, export.min_people, export.note) == ("heedful-learnings", 3, 3, None)
    assert _patterns(export) == [("old", "in order to", 3), ("short", "in order to", 12)]
    assert [(r.rule_id, r.rule_name, r.accepted, r.rejected, r.people) for r in _rules(export)] == [
        ("old", "old", 3, 0, 3),
        ("short", "Be short", 12, 12, 4),
    ]
    assert (export.patterns[1].pattern_type, export.patterns[1].success_rate) == ("accepted", 1.0)


def test_nobody_is_in_an_export(team: heedful.Loop) -> None:
    people = {event.actor for event in team.events() if event.actor not in (None, "local")}
    for export in (team.govern.export(), team.govern.export(period="90d", include_original_text=True)):
        file = wire.dump(export)
        assert leaked(file, ["example.com", "person-", "Tromvatz", "wrote", "utilize", *map(str, people)]) == []


def test_an_export_can_be_read_again_as_it_was(team: heedful.Loop, other: heedful.Loop) -> None:
    export = team.govern.export()
    told = _read(export)

    assert told["checksum"] == checksum(told) == export.checksum
    turned = orjson.loads(orjson.dumps(dict(reversed(told.items())), option=orjson.OPT_INDENT_2))
    assert other.govern.import_(turned).rules == 2
    assert other.govern.import_(export).already_known == 2


def test_more_people_can_be_asked_for_and_fewer_by_admins_alone(team: heedful.Loop) -> None:
    assert _patterns(team.govern.export(min_people=4)) == [("short", "in order to", 12)]
    assert _patterns(team.govern.export(min_people=5)) == []
    for few in (0, -1, True):
        with pytest.raises(InvalidInput):
            team.govern.export(min_people=few)
    assert len(_patterns(team.govern.export(min_people=2))) == 4
    with caller.acting(caller.Caller("acme", Role.INTEGRATOR, "k", "k")):
        assert _patterns(team.govern.export(min_people=4)) == [("short", "in order to", 12)]
        for few in (1, 2):
            with pytest.raises(InvalidInput, match="admin"):
                team.govern.export(min_people=few)
    with caller.acting(caller.Caller("acme", Role.ADMIN, "k", "k")):
        assert len(_patterns(team.govern.export(min_people=2))) == 4


def test_decisions_without_a_person_count_as_those_of_one(loop: heedful.Loop) -> None:
    for n in range(6):
        fix(loop, n, actor=None)
        fix(loop, n, rule="mixed", actor=("ann", "ben", None)[n % 3])
    assert _patterns(loop.govern.export()) == [("mixed", "in order to", 6)]
    assert [rule.people for rule in _rules(loop.govern.export(min_people=1))] == [3, 1]
    assert _patterns(loop.govern.export(min_people=1, rules=["short"])) == [("short", "in order to", 6)]
    assert _patterns(loop.govern.export(min_people=1, rules=["short"], period="7d")) == [("short", "in order to", 6)]


def test_an_export_can_be_narrowed(team: heedful.Loop, clock: FrozenClock) -> None:
    export = team.govern.export
    assert _patterns(export(rules=["old", "unheard of"])) == [("old", "in order to", 3)]
    assert _patterns(export(period="7d")) == [("short", "in order to", 12)]
    assert _patterns(export(until=clock.now.date() - timedelta(days=1))) == [("old", "in order to", 3)]
    assert export(include_patterns=False).patterns == ()
    assert export(include_statistics=False).statistics is None
    assert len(_rules(export(include_patterns=False))) == len(export(include_statistics=False).patterns) == 2
    for options in ({"rules": "old"}, {"rules": [""]}, {"period": "soon"}):
        with pytest.raises(InvalidInput):
            export(**options)


def test_a_period_is_counted_by_itself(loop: heedful.Loop, clock: FrozenClock) -> None:
    for n, person in enumerate("abcabc"):
        fix(loop, n, actor=person, at=clock.now - timedelta(days=10 if n < 3 else 0))
        fix(loop, n, rule="spread", actor=f"{n}", at=clock.now - timedelta(days=10 if n < 4 else 0))

    assert _patterns(loop.govern.export(period="7d")) == [("short", "in order to", 3)]
    assert {p.people for p in loop.govern.export().patterns} == {3, 6}


def test_whole_texts_are_shared_if_asked_for_and_judged_by_enough(loop: heedful.Loop) -> None:
    for person in "abc":
        fix(loop, 1, actor=person)
        fix(loop, ord(person), actor=person)
    plain, whole = loop.govern.export(), loop.govern.export(include_original_text=True)

    assert [p.original_pattern for p in plain.patterns] == ["in order to"]
    literal = next(p for p in whole.patterns if p.differences is not None)
    assert literal.original_pattern == "we wrote bob1 in order to settle it."
    assert literal.differences == (("in order to", "to"),)
    assert len(whole.patterns) == 2


def test_what_was_imported_is_not_passed_on(team: heedful.Loop, other: heedful.Loop) -> None:
    for n in range(3):
        fix(other, n, actor=f"{n}", edit=("utilize", "use"))
    other.govern.import_(team.govern.export())
    passed = other.govern.export()

    assert _patterns(passed) == [("short", "utilize", 3)]
    assert [(r.rule_id, r.accepted) for r in _rules(passed)] == [("short", 3)]


# Moving house


def _taught(loop: heedful.Loop, clock: FrozenClock, actor: str | None) -> None:
    """What one person did in three weeks: all four decisions, two categories, reasons, edits and confidences."""
    for n in range(40):
        told: Document = {"actor": actor, "at": clock.now - timedelta(days=n % 20), "confidence": (n % 10) / 10}
        fix(loop, n, rule_name="Be short", category="style", **told)
        fix(loop, n, edit=("utilize", "use"), decision="rejected", comment="It changes the meaning", **told)
        fix(loop, n, decision="skipped", bulk=True, **told)
        if n % 2:
            loop.capture.fix(
                "plain",
                Decision.MODIFIED,
                category="words",
                original="was done",
                suggested="did",
                final="we did",
                **told,
            )


def _known(loop: heedful.Loop) -> list[Any]:
    """All that is told of it: contexts with their prompts and calibrations, and statistics by day."""
    contexts = [loop.apply.rule_context(rule) for rule in ("short", "plain", "unheard of")]
    counted = [loop.measure.statistics(), loop.measure.statistics("7d", exclude_bulk=True)]
    reports = [loop.measure.calibration(), loop.measure.calibration("short")]
    unnamed = [
        replace(
            context,
            accepted_patterns=tuple(replace(pattern, people=0, id="") for pattern in context.accepted_patterns),
            rejected_patterns=tuple(replace(pattern, people=0, id="") for pattern in context.rejected_patterns),
        )
        for context in contexts
    ]
    return [*unnamed, *counted, *reports]


@pytest.mark.parametrize("actor", ["dana@example.com", None])
def test_whoever_moves_house_takes_all_of_it_along(
    loop: heedful.Loop, clock: FrozenClock, tmp_path: Path, actor: str | None
) -> None:
    _taught(loop, clock, actor)
    before, file = _known(loop), tmp_path / "mine.json"
    exported = loop.govern.export(min_people=1, include_original_text=True)
    assert exported.note is not None
    assert "single person" in exported.note
    exported.save(file)
    assert orjson.loads(file.read_bytes()) == orjson.loads(exported.to_json()) == _without_signature(exported)
    assert leaked(file.read_bytes(), ["example.com", "dana"]) == []
    with heedful.open(tmp_path / "new.db", org="mine", clock=clock) as there:
        assert there.govern.import_file(file, as_own=True).rules == 2
        assert before[0].prompt
        assert "changes the meaning" in before[0].prompt
        assert _known(there) == before
        assert there.govern.import_file(file, as_own=True).already_known == 2
        there.learn.rebuild()
        assert _known(there) == before
        back = there.govern.export(min_people=1, include_original_text=True)
        assert set(back.patterns) == {replace(pattern, people=1) for pattern in exported.patterns}
    home = loop.org("another")
    home.govern.import_(back, as_own=True)
    assert _known(home) == before
    assert tally(home) == recount(home)
    clear(home, everything=True)
    assert tally(home) == {}


def _without_signature(export: LearningExport) -> Document:
    return {name: value for name, value in _read(export).items() if name != "signature"}


def test_only_a_file_that_hides_nobody_counts_as_ones_own(team: heedful.Loop, other: heedful.Loop) -> None:
    for export in (team.govern.export(), team.govern.export(min_people=1, include_statistics=False)):
        with pytest.raises(InvalidInput, match="cannot be imported as your own"):
            other.govern.import_(export, as_own=True)
    assert other.govern.import_(team.govern.export(min_people=1)).rules == 3  # as another team's: weighed


def test_a_file_tells_all_that_statistics_tell_of_the_rules_in_it(team: heedful.Loop) -> None:
    told, counted = team.govern.export().statistics, team.measure.statistics(rules=["short", "old"])
    assert told is not None
    for name in ("total_feedback", "rules_with_feedback"):
        assert getattr(told, name) == getattr(counted, name)
    for name in ("overall_acceptance_rate", "acceptance_rate_trend", "modification_rate", "skip_rate"):
        assert getattr(told, name) == pytest.approx(getattr(counted, name), abs=1e-4)
    assert told.by_rule.keys() == counted.by_rule.keys()
    for rule, one in told.by_rule.items():
        assert one.feedback_count == counted.by_rule[rule].feedback_count
        assert one.acceptance_rate == pytest.approx(counted.by_rule[rule].acceptance_rate, abs=1e-4)
        assert one.confidence_accuracy == counted.by_rule[rule].confidence_accuracy
        assert one.detail is None
    assert {name: one.top_accepted_rules for name, one in told.by_category.items()} == {
        name: one.top_accepted_rules for name, one in counted.by_category.items()
    }


# Importing


def test_an_import_is_merged_once(team: heedful.Loop, other: heedful.Loop, database: str, clock: FrozenClock) -> None:
    export = team.govern.export()
    told = other.govern.import_(export)
    assert (told.rules, told.patterns, told.already_known, told.signed_by) == (2, 2, 0, None)
    context = other.apply.rule_context("short")
    assert (context.imported_count, context.rule_name, shown(other)) == (24, "Be short", ["in order to"])
    assert tally(other) == recount(other)
    before = dump(database) if database.startswith("postgresql") else tally(other)

    clock.advance(days=1)
    assert other.govern.import_(_read(export)).already_known == 2

    assert (dump(database) if database.startswith("postgresql") else tally(other)) == before
    other.govern.import_(team.govern.export(rules=["short"]))  # another file
    assert next(iter(SuggestionTallies(other.store).repeated("short", 1))).counts == DecisionCounts(
        imported_accepted=24
    )
    assert tally(other) == recount(other)


def test_a_file_does_not_turn_a_team_round(loop: heedful.Loop) -> None:
    for n in range(3):
        fix(loop, n, decision="rejected")
    assert shown(loop) == ["in order to"]
    for n in range(3):
        loop.govern.import_(_file(accepted=1_000_000 + n))

    assert loop.apply.rule_context("short").accepted_patterns == ()
    fix(loop, 4, decision="rejected")
    loop.govern.import_(_file(rejected=1_000_000))
    assert len(loop.apply.rule_context("short").rejected_patterns) <= 1
    assert tally(loop) == recount(loop)


def test_a_file_speaks_with_25_voices_where_a_team_has_few(loop: heedful.Loop) -> None:
    for own in range(3):
        team = loop.org(f"team of {own}")
        for n in range(own):
            fix(team, n)
        team.govern.import_(_file(accepted=1_000_000))
        context = team.apply.rule_context("short")

        assert context.accepted_patterns[0].sample_count == context.sample_count == own + 25
        assert context.imported_count == 25


def test_many_patterns_of_others_do_not_crowd_out_ones_own(loop: heedful.Loop) -> None:
    for n in range(60):
        fix(loop, n, actor=f"p{n % 4}")
    before = _patterns(loop.govern.export())
    loop.govern.import_(_file(words=("foreign", "words"), count=301, accepted=1_000))

    assert shown(loop)[0] == "in order to"
    assert _patterns(loop.govern.export()) == before


def test_a_backup_brings_back_what_was_cleared(team: heedful.Loop) -> None:
    before, export = team.apply.rule_context("short"), team.govern.export()
    clear(team, everything=True)
    assert shown(team) == []
    team.govern.import_(export)

    (now,) = team.apply.rule_context("short").accepted_patterns
    (then,) = before.accepted_patterns
    assert (now.original_pattern, now.suggested_pattern) == (then.original_pattern, then.suggested_pattern)
    assert (now.accept_count, now.sample_count) == (then.accept_count, then.sample_count)


def test_imports_are_cleared_and_grow_old(loop: heedful.Loop, database: str, clock: FrozenClock) -> None:
    file = _file(words=("Wexolian", "him"), accepted=9)
    for what in ({"rules": ["short"]}, {"period": "1d"}, {"everything": True}):
        loop.govern.import_(file)
        assert clear(loop, **what) == 1
        assert tally(loop) == {}
        assert shown(loop) == []
    loop.govern.import_(file)
    clock.advance(days=366)
    assert loop.govern.retain().too_old == 1
    assert tally(loop) == {}
    if not database.startswith("postgresql"):
        assert leaked(dump(database), ["Wexolian"]) == []


def test_another_organisation_sees_nothing_of_an_import(team: heedful.Loop, other: heedful.Loop) -> None:
    other.govern.import_(_file("secret", accepted=9))

    assert team.apply.rule_context("secret").sample_count == 0
    assert "secret" not in {rule.rule_id for rule in _rules(team.govern.export())}
    assert team.org("third").apply.rule_context("secret").sample_count == 0


def test_who_does_not_take_part_neither_gives_nor_takes(team: heedful.Loop, other: heedful.Loop) -> None:
    export = team.govern.export()
    for loop in (team, other):
        loop.govern.set_privacy(participate_in_team_learning=False)
    with pytest.raises(Forbidden, match="Team learning"):
        team.govern.export()
    with pytest.raises(Forbidden, match="Team learning"):
        other.govern.import_(export)
    assert tally(other) == {}


# Files that are not right


def _set(value: Any, *path: str | int) -> Callable[[Document], object]:
    def change(told: Any) -> None:
        for step in path[:-1]:
            told = told[step]
        told[path[-1]] = value

    return change


def _drop(*path: str | int) -> Callable[[Document], object]:
    def change(told: Any) -> None:
        for step in path[:-1]:
            told = told[step]
        del told[path[-1]]

    return change


FIRST, RULE = ("patterns", 0), ("statistics", "by_rule", "short")
BAD: list[tuple[list[Any], tuple[str | int, ...]]] = [
    (["heedful", None, 1, ["heedful-learnings"]], ("format",)),
    ([0, -1, True, "1", None, 1.0], ("version",)),
    (["yesterday", "2026-01-05T09:00:00", None, 5, []], ("exported_at",)),
    ([0, -3, 1.5, True, "3", None], ("min_people",)),
    ([None, 5, "ab", [None], [[]], [5], ["x"]], ("patterns",)),
    ([5, "ab", [None], [], {}, ["x"]], ("statistics",)),
    ([None, 5, "ab", [], {"x": None}, {"other": {}}], ("statistics", "by_rule")),
    ([None, 5, "ab", {"x": {}}], ("statistics", "by_category")),
    ([-0.1, 1.5, None, "1", True], ("statistics", "skip_rate")),
    ([-1.5, None, "1", []], ("statistics", "acceptance_rate_trend")),
    (["2026", 5, "yesterday"], ("statistics", "start")),
    ([5, "x" * 1_000, []], ("note",)),
    ([None, 5, "ab", [None], [{}], {}], ("learnings",)),
    ([5, [], "x" * 1_000], (*FIRST, "common_rejection_reason")),
    ([5, [], {}, {"days": [], "confidences": [[1, 2]], "modifications": []}], (*RULE, "detail")),
    ([{"days": [{"day": 5}], "confidences": [], "modifications": []}], (*RULE, "detail")),
    ([{"days": [], "confidences": [], "modifications": [{"kind": "hacked"}]}], (*RULE, "detail")),
    ([-1, 1.0, True, "3", None, [], 4, 2**53, 2**63 - 1], (*FIRST, "accepted")),
    ([-1, 0.5, False, "3", None], (*FIRST, "people")),
    ([None, 5, ["x"], "x" * 241, "ä" * 121], (*FIRST, "original_pattern")),
    (["ab", [["a"]], [["a", "b", "c"]], [[1, 2]], 5, [["x" * 241, ""]], [5]], (*FIRST, "differences")),
    (["much", None, []], (*FIRST, "success_rate")),
    (["", " ", "a\nb", "x" * 201, None, 5], (*FIRST, "rule_id")),
    (["", " ", "a\nb", "x" * 201, None, 5], (*RULE, "rule_name")),
    ([-1, 0.5, False, "3", None, 2**60], (*RULE, "rejected")),
    (["me", [], {}, {"algorithm": "ed25519", "public_key": "x", "value": "y"}, 5], ("signature",)),
]
DAMAGES = [
    *(_set(bad, *path) for values, path in BAD for bad in values),
    *(
        _drop(key)
        for key in ("format", "version", "exported_at", "min_people", "note", "patterns", "statistics", "learnings")
    ),
    *(_drop("statistics", key) for key in ("total_feedback", "skip_rate", "by_rule", "by_category", "start")),
    *(_drop(*FIRST, key) for key in ("rule_id", "original_pattern", "differences", "count", "people", "accepted")),
    *(_drop(*RULE, key) for key in ("rule_id", "rule_name", "accepted", "people")),
]
ODD: list[tuple[list[Any], tuple[str | int, ...]]] = [
    ([{}], ("patterns",)),
    (["nan", "1.0", True, -5, 7.5], (*FIRST, "success_rate")),
    ([7, None, [], "x" * 100_000], (*FIRST, "pattern_type")),
    ([["ab"]], (*FIRST, "differences")),
]
NO_JSON: list[tuple[list[Any], tuple[str | int, ...]]] = [
    ([2**64, -(2**70), float("nan"), float("inf"), {1}, b"x"], (*FIRST, "accepted")),
    (["\ud800"], (*FIRST, "original_pattern")),
]


def _refused_whole(loop: heedful.Loop, damages: list[Callable[[Document], object]]) -> list[int]:
    """Which of the damaged files were not refused as they should be."""
    fix(loop)
    before, wrong = (list(loop.events()), tally(loop)), []
    for number, damage in enumerate(damages):
        told = _file(accepted=3)
        damage(told)
        with suppress(HeedfulError):  # it may not even be JSON
            told = _sealed(told)
        try:
            loop.govern.import_(told)
        except InvalidLearnings:
            continue
        except HeedfulError:
            pass
        wrong.append(number)
    assert wrong or (list(loop.events()), tally(loop)) == before
    return wrong


def test_a_damaged_file_is_refused_whole(loop: heedful.Loop) -> None:
    assert _refused_whole(loop, DAMAGES) == []
    nothings: list[Any] = [[], None, "x", 5, {}, b"{}"]
    for nothing in nothings:
        with pytest.raises(InvalidLearnings):
            loop.govern.import_(nothing)


def test_fields_of_the_wrong_type_are_refused_even_if_nobody_needs_them(loop: heedful.Loop) -> None:
    assert _refused_whole(loop, [_set(bad, *path) for values, path in ODD for bad in values]) == []


def test_what_cannot_be_json_is_refused_like_any_other_damaged_file(loop: heedful.Loop) -> None:
    assert _refused_whole(loop, [_set(bad, *path) for values, path in NO_JSON for bad in values]) == []


def test_one_bad_pattern_among_many_good_ones_brings_none_of_them(loop: heedful.Loop) -> None:
    told = _file(count=200, accepted=3)
    told["patterns"][150]["count"] = 4
    with pytest.raises(InvalidLearnings, match="do not add up"):
        loop.govern.import_(_sealed(told))

    assert list(loop.events()) == []
    assert tally(loop) == {}


def test_a_file_of_a_newer_version_asks_for_an_upgrade(loop: heedful.Loop) -> None:
    with pytest.raises(InvalidLearnings) as refused:
        loop.govern.import_(_sealed({**_file(accepted=3), "version": 4, "news": True}))

    assert "upgrade" in str(refused.value).lower() or "pip install -U" in str(refused.value)


def _leaves(told: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = told.items() if isinstance(told, dict) else enumerate(told) if isinstance(told, list) else None
    return [path] if items is None else [leaf for key, value in items for leaf in _leaves(value, (*path, key))]


WHOLE = _file(count=2, accepted=3, rejected=1)
ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63), st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])), st.just([]), st.just({}),
)  # fmt: skip


@examples(60)
@given(path=st.sampled_from(_leaves(WHOLE)), value=ANYTHING)
def test_any_changed_value_is_noticed(loop: heedful.Loop, path: tuple[str | int, ...], value: Any) -> None:
    told = deepcopy(WHOLE)
    _set(value, *path)(told)
    if orjson.dumps(told) != orjson.dumps(WHOLE):
        with pytest.raises(InvalidLearnings):
            loop.govern.import_(told)
        assert loop.store.log.head() == 0


# Signatures


def _pem(key: Any) -> bytes:
    pem: bytes = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return pem


def test_a_signed_file_tells_who_made_it(team: heedful.Loop, other: heedful.Loop) -> None:
    signed = team.govern.sign(team.govern.export(), _pem(ed25519.Ed25519PrivateKey.generate()))
    assert signed.signature is not None
    key = signed.signature.public_key

    assert other.govern.import_(_read(signed), trusted=["another", key]).signed_by == key
    assert team.org("third").govern.import_(signed).signed_by == key


def test_only_those_one_trusts_are_believed(team: heedful.Loop, other: heedful.Loop) -> None:
    export = team.govern.export()
    mine, theirs = (team.govern.sign(export, _pem(ed25519.Ed25519PrivateKey.generate())) for _ in range(2))
    assert mine.signature is not None
    assert theirs.signature is not None
    trusted = [mine.signature.public_key]
    swapped = {**_read(theirs), "signature": {**_read(theirs)["signature"], "public_key": trusted[0]}}
    for file, match in ((export, "not signed"), (theirs, "signed by"), (swapped, "signature does not match")):
        with pytest.raises(InvalidLearnings, match=match):
            other.govern.import_(file, trusted=trusted)
    nobodies: list[Any] = [trusted[0], []]  # a text is not a list, and an empty list trusts nobody
    for nobody in nobodies:
        with pytest.raises(InvalidInput):
            other.govern.import_(mine, trusted=nobody)

    assert tally(other) == {}


def test_what_was_changed_after_signing_is_refused_with_the_right_checksum_too(team: heedful.Loop) -> None:
    told = _read(team.govern.sign(team.govern.export(), _pem(ed25519.Ed25519PrivateKey.generate())))
    told["patterns"][0]["people"] += 1
    for trusted in (None, [told["signature"]["public_key"]]):
        with pytest.raises(InvalidLearnings, match="signature does not match"):
            team.govern.import_(_sealed(told), trusted=trusted)


def test_a_signature_of_another_kind_is_refused(team: heedful.Loop, other: heedful.Loop) -> None:
    told = _read(team.govern.sign(team.govern.export(), _pem(ed25519.Ed25519PrivateKey.generate())))
    told["signature"]["algorithm"] = "none"
    with pytest.raises(InvalidLearnings):
        other.govern.import_(told)


def test_a_key_that_cannot_sign_is_refused(team: heedful.Loop) -> None:
    for bad in (b"", b"not a key", _pem(ec.generate_private_key(ec.SECP256R1()))):
        with pytest.raises(Misconfigured, match="private key"):
            team.govern.sign(team.govern.export(), bad)
