"""Whatever happens to feedback on suggestions, what is derived from it equals a recount, on every database."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful.records.suggestion import Decision
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.deciding import RULES, decide, derived_rows, fixes, learnings
from tests.examples import examples

TEXTS = st.sampled_from(["", "was done", "did", "We met in order to agree.", "We met to agree.", "5km", "5 km"])
DECIDED = st.fixed_dictionaries(
    {
        "rule": st.sampled_from(RULES),
        "decision": st.sampled_from([decision.value for decision in Decision]),
        "original": TEXTS,
        "suggested": TEXTS,
        "final": TEXTS,
        "days": st.integers(0, 200),
    },
    optional={
        "category": st.sampled_from(["style", "units"]),
        "actor": st.sampled_from(["dana", "lee", "kim", "sam"]),
        "confidence": st.sampled_from([0, 0.3, 0.79, 0.8, 0.95, 1]),
        "comment": st.sampled_from(["changes the meaning", "alters the sense", "too formal", ""]),
        "bulk": st.booleans(),
        "rule_name": st.sampled_from(["Units", "Plain words"]),
    },
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("batch"), st.lists(DECIDED, min_size=1, max_size=12)),
        st.tuples(st.just("batch"), st.lists(DECIDED, min_size=1, max_size=1)),
        st.tuples(st.just("again"), st.none()),
        st.tuples(st.just("clear"), st.sampled_from([{"rules": [rule]} for rule in RULES])),
        st.tuples(st.just("clear"), st.sampled_from([{"period": "30d"}, {"period": "90d", "rules": ["units"]}])),
        st.tuples(st.just("clear"), st.just({"everything": True})),
        st.tuples(st.just("privacy"), st.sampled_from([{"max_records": most} for most in (3, 8, 0)])),
        st.tuples(st.just("privacy"), st.sampled_from([{"max_data_age": age} for age in ("60d", "20w", "all")])),
        st.tuples(st.just("privacy"), st.builds(lambda keep: {"store_original_text": keep}, st.booleans())),
        st.tuples(st.just("privacy"), st.builds(lambda hide: {"anonymize_users": hide}, st.booleans())),
        st.tuples(st.just("import"), st.none()),
        st.tuples(st.just("rebuild"), st.none()),
        st.tuples(st.just("undo"), st.lists(DECIDED, min_size=1, max_size=3)),
        st.tuples(st.just("look"), st.none()),
    ),
    min_size=3,
    max_size=10,
)


def _read(loop: heedful.Loop) -> list[object]:
    contexts = [loop.apply.rule_context(rule) for rule in RULES]
    return [*contexts, loop.measure.statistics(), loop.measure.statistics("90d", exclude_bulk=True)]


def _live(loop: heedful.Loop, step: str, told: Any, clock: FrozenClock, number: int) -> None:
    if step in ("batch", "undo"):
        items = [
            {**{name: value for name, value in item.items() if name != "days"}, "id": f"{number}-{n}"}
            | {"at": clock.now - timedelta(days=item["days"])}
            for n, item in enumerate(told)
        ]
        if step == "batch":
            loop.capture.fixes(items)
            return
        with pytest.raises(ZeroDivisionError), loop.transaction():
            loop.capture.fixes(items)
            raise ZeroDivisionError
    elif step == "again":
        same = {"rule": "units", "decision": "accepted", "original": "5km", "suggested": "5 km", "at": clock.now}
        loop.capture.fixes([{**same, "id": "again"}] * 2)
    elif step == "clear":
        planned = loop.govern.clearing(**told)
        assert loop.govern.clear(planned.token).records == planned.records
    elif step == "privacy":
        loop.govern.set_privacy(**told)
        loop.govern.retain()
    elif step == "import":
        loop.govern.import_(learnings(loop))
    elif step == "rebuild":
        loop.learn.rebuild()
    else:
        _read(loop)


@examples(20)
@given(steps=STEPS)
def test_what_is_derived_equals_a_recount_after_any_history(
    open_loop: OpenLoop, loop: heedful.Loop, clock: FrozenClock, steps: list[tuple[str, Any]]
) -> None:
    lived = loop.org(str(uuid.uuid4()))  # every example has an organisation of its own
    for number, (step, told) in enumerate(steps):
        _live(lived, step, told, clock, number)

    rows, seen = derived_rows(lived), _read(lived)
    assert lived.measure.statistics().total_feedback == len(fixes(lived))
    lived.learn.rebuild()

    assert derived_rows(lived) == rows
    with open_loop(lived.name) as fresh:  # remembers nothing
        assert _read(fresh) == seen


def test_what_was_undone_is_not_remembered(loop: heedful.Loop) -> None:
    with pytest.raises(ZeroDivisionError), loop.transaction():
        decide(loop, "plain-words", "accepted", 3, original="undone", suggested="gone")
        loop.apply.rule_context("plain-words")
        raise ZeroDivisionError
    decide(loop, "plain-words", "accepted", 3, original="utilise", suggested="use")

    (pattern,) = loop.apply.rule_context("plain-words").accepted_patterns
    assert pattern.original_pattern == "utilise"


def test_an_import_is_counted_on_its_day_whatever_the_zone_of_the_clock(open_loop: OpenLoop) -> None:
    west = timezone(timedelta(hours=-5))
    loop = open_loop(clock=lambda: datetime(2026, 1, 1, 22, tzinfo=west))
    loop.govern.import_(learnings(loop))
    rows = derived_rows(loop)
    loop.learn.rebuild()

    assert derived_rows(loop) == rows


def test_one_person_is_not_two_because_names_were_once_stored(loop: heedful.Loop) -> None:
    loop.govern.set_privacy(store_original_text=False, min_people=2, anonymize_users=False)
    decide(loop, "units", "accepted", 1, original="5km", suggested="5 km", actor="dana")
    loop.govern.set_privacy(anonymize_users=True)
    decide(loop, "units", "accepted", 2, original="5km", suggested="5 km", actor="dana")

    assert "5 km" not in repr([*loop.events(), *derived_rows(loop)])
