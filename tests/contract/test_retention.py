"""Feedback that is too old or too much goes, by itself and exactly: whoever records looks after it."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heedful
from heedful.edges.worker import Worker
from heedful.govern.retention import Retention, slack
from heedful.learnings.patterns.counts import SuggestionTallies
from heedful.records.privacy import Privacy
from heedful.records.suggestion import DECISIONS
from heedful.testing import FrozenClock, sample_fixes
from tests.conftest import OpenLoop


def _kept(loop: heedful.Loop) -> list[heedful.Event]:
    return [event for event in loop.events() if event.kind in DECISIONS]


def _fix(loop: heedful.Loop, **options: Any) -> None:
    loop.capture.fix(
        rule="units", decision=heedful.Decision.ACCEPTED, original="5kg", suggested="5 kg", actor="kim", **options
    )


def test_without_a_worker_no_more_is_kept_than_allowed_and_some(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.govern.set_privacy(max_records=5)
    for _ in range(50):
        clock.advance(seconds=1)
        _fix(loop)
        assert len(_kept(loop)) < 5 + slack(5)

    assert [event.at for event in _kept(loop)] == sorted(event.at for event in _kept(loop))
    assert _kept(loop)[-1].at == clock()  # the newest is there
    loop.learn.rebuild()
    loop.govern.retain()
    assert len(_kept(loop)) == 5


def test_what_is_too_old_goes_within_the_hour_of_the_next_recording(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.govern.set_privacy(max_data_age="30d")
    _fix(loop)
    first = _kept(loop)[0].id
    clock.advance(days=31)
    _fix(loop)

    assert first not in {event.id for event in _kept(loop)}
    assert len(_kept(loop)) == 1


def test_age_is_looked_at_once_an_hour(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.govern.set_privacy(max_data_age="30d")
    _fix(loop)
    clock.advance(days=30, minutes=-30)
    _fix(loop)  # looked at, and nothing was too old
    clock.advance(minutes=31)
    _fix(loop)
    assert len(_kept(loop)) == 3
    clock.advance(minutes=30)
    _fix(loop)
    assert len(_kept(loop)) == 3


def test_a_batch_that_is_too_much_is_cut_at_once(loop: heedful.Loop) -> None:
    loop.govern.set_privacy(max_records=50)
    loop.capture.fixes(sample_fixes(1_200))

    assert len(_kept(loop)) < 50 + slack(50)


def test_a_worker_finds_nothing_left_to_do(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.govern.set_privacy(max_records=5)
    for _ in range(15):
        clock.advance(seconds=1)
        _fix(loop)
    assert len(_kept(loop)) == 5
    Worker(loop).run_all()

    assert len(_kept(loop)) == 5


def test_two_at_the_same_moment_erase_no_more_than_the_surplus(open_loop: OpenLoop) -> None:
    loop, other = open_loop(), open_loop()
    loop.capture.fixes(sample_fixes(300))
    newest = [event.id for event in sorted(_kept(loop), key=lambda event: (event.at, event.seq))[-40:]]
    with loop.store.recording() as record:
        loop.store.set_privacy(record.transaction, Privacy(max_records=40))
    together = threading.Barrier(2)

    def retain(one: heedful.Loop) -> None:
        together.wait()
        one.govern.retain()

    threads = [threading.Thread(target=retain, args=(one,)) for one in (loop, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(event.id for event in _kept(loop)) == sorted(newest)


def test_whoever_counted_before_another_erased_counts_again(
    open_loop: OpenLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, other = open_loop(), open_loop()
    loop.capture.fixes(sample_fixes(60))
    privacy = Privacy(max_records=40)
    look = Retention._erase_oldest
    looked: list[int] = []

    def later(self: Retention, count: int, erasures: int) -> int:
        if not looked:
            looked.append(count)
            Retention(other.store, privacy).apply()  # between counting and erasing
        return look(self, count, erasures)

    monkeypatch.setattr(Retention, "_erase_oldest", later)
    Retention(loop.store, privacy).apply()

    assert len(_kept(loop)) == 40


@settings(max_examples=8)
@given(
    steps=st.lists(st.tuples(st.integers(1, 30), st.integers(0, 60 * 30)), min_size=1, max_size=6),
    most=st.integers(1, 40),
    days=st.integers(1, 60),
)
def test_never_far_above_the_limit_and_never_below_it(
    database: str, steps: list[tuple[int, int]], most: int, days: int
) -> None:
    clock = FrozenClock()
    with heedful.open(database, org=f"o{hash((tuple(steps), most, days))}", clock=clock) as loop:
        loop.govern.set_privacy(max_records=most, max_data_age=f"{days}d")
        recorded = 0
        for count, minutes in steps:
            clock.advance(minutes=minutes)
            for _ in range(count):
                clock.advance(seconds=1)
                _fix(loop)
            recorded += count
            kept = _kept(loop)
            assert len(kept) < most + slack(most)
            young = [event for event in kept if (clock() - event.at).total_seconds() <= (days * 24 - 1) * 3600]
            assert len(young) >= min(count, most)  # what was just recorded stays, as far as it may
        loop.govern.retain()
        assert len(_kept(loop)) <= most
        assert SuggestionTallies(loop.store).rule("").total == len(_kept(loop))
