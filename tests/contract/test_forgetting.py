"""Feedback is forgotten: on request, with age, and with everything that came of it, on every database."""

from __future__ import annotations

import base64
import hashlib
import importlib
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import heedful
from heedful import JobState
from heedful.edges.worker import Worker
from heedful.errors import InvalidInput, NotFound
from heedful.records.privacy import Retained
from heedful.store.recording import Recording
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.feedback import RETENTION, clear, dump, feedback, fix, leaked, queued, recount, shown, tally

# Clearing


def _diary(loop: heedful.Loop, clock: FrozenClock) -> None:
    for n in range(6):
        for rule in ("short", "plain"):
            at = clock.now - timedelta(days=n)
            word = f"{rule}zq{n}"
            fix(loop, n, rule=rule, id=f"{rule}-{n}", at=at, edit=(word, "it"), confidence=0.5, actor=f"{n}",
                 decision="rejected" if n % 2 else "accepted", comment=f"{word}why")  # fmt: skip
    loop.capture.event("FIELD_SET", id="other", at=clock.now - timedelta(days=1))


@pytest.mark.parametrize(
    ("what", "goes"),
    [
        ({"rules": ["short"]}, [f"short-{n}" for n in range(6)]),
        ({"period": "2d"}, ["short-0", "short-1", "plain-0", "plain-1"]),
        ({"until": date(2026, 1, 2), "rules": ["plain", "unheard of"]}, ["plain-3", "plain-4", "plain-5"]),
        ({"everything": True}, [f"{rule}-{n}" for rule in ("short", "plain") for n in range(6)]),
    ],
)
def test_what_is_cleared_goes_with_all_that_came_of_it(
    loop: heedful.Loop, database: str, clock: FrozenClock, what: dict[str, Any], goes: list[str]
) -> None:
    _diary(loop, clock)
    clearing = loop.govern.clearing(**what)
    assert clearing.records == len(goes)
    assert len(feedback(loop)) == 12

    fix(loop, 99, id="later")
    assert loop.govern.clear(clearing.token).records == len(goes)

    stays = [f"{rule}-{n}" for rule in ("short", "plain") for n in range(6) if f"{rule}-{n}" not in goes]
    assert sorted(feedback(loop)) == sorted([*stays, "later"])
    assert loop.event("other")
    assert tally(loop) == recount(loop)
    assert sum(c.value for c in loop.measure.activity()) == len(list(loop.events()))
    if not database.startswith("postgresql"):  # there it is VACUUM's affair
        assert leaked(dump(database), [id.replace("-", "zq") for id in goes]) == []
    loop.learn.rebuild()
    assert tally(loop) == recount(loop)


def test_after_clearing_everything_nothing_is_known(loop: heedful.Loop, clock: FrozenClock) -> None:
    _diary(loop, clock)
    loop.apply.rule_context("short")
    clear(loop, everything=True)

    for rebuilt in (False, True):
        if rebuilt:
            loop.learn.rebuild()
        assert tally(loop) == {}
        context = loop.apply.rule_context("short")
        assert (context.sample_count, context.prompt, shown(loop)) == (0, "", [])
        assert loop.measure.statistics().total_feedback == 0
        assert loop.measure.calibration().scores is None
        export = loop.govern.export()
        assert export.statistics is not None
        assert (export.patterns, export.statistics.by_rule, export.statistics.total_feedback) == ((), {}, 0)


def test_a_token_that_is_not_the_one_is_refused(loop: heedful.Loop, clock: FrozenClock) -> None:
    _diary(loop, clock)
    fix(loop.org("globex"))
    token = loop.govern.clearing(rules=["short"]).token
    promise, seal = token.split(".")
    wider = base64.urlsafe_b64encode(base64.urlsafe_b64decode(promise).replace(b'["short"]', b"null")).decode()
    foreign = loop.org("globex").govern.clearing(everything=True).token
    forged = [
        "",
        ".",
        "ä.ä",
        promise,
        f"{promise}.",
        f"{promise}.{'0' * 24}",
        f"{promise}.{seal[:-1]}",
    ]
    for bad in (*forged, f"{wider}.{seal}", f"{foreign.split('.')[0]}.{seal}", foreign, None, 7, "\ud800.\ud800"):
        with pytest.raises(NotFound, match="Unknown confirmation token"):
            loop.govern.clear(bad)  # type: ignore[arg-type]
    clock.advance(minutes=11)
    with pytest.raises(NotFound, match="expired"):
        loop.govern.clear(token)

    assert len(feedback(loop)) == 12
    assert len(feedback(loop.org("globex"))) == 1


def test_a_clearing_says_what(loop: heedful.Loop) -> None:
    both = {"everything": True, "rules": ["short"]}
    wrong: list[dict[str, Any]] = [{}, both, {"rules": []}, {"rules": "short"}, {"period": "soon"}]
    for what in wrong:
        with pytest.raises(InvalidInput):
            clear(loop, **what)


def _many(loop: heedful.Loop, count: int) -> None:
    loop.capture.fixes(
        {
            "rule": f"r{n % 3}",
            "decision": "accepted",
            "actor": f"p{n % 5}",
            "original": f"old{n % 9}",
            "suggested": "new",
        }
        for n in range(count)
    )


def test_an_interrupted_clearing_leaves_a_whole_and_goes_on(
    loop: heedful.Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    _many(loop, 1_200)
    token = loop.govern.clearing(everything=True).token
    erase, calls = Recording.erase, list[int]()

    def erase_and_die(record: Recording, events: Any) -> None:
        erase(record, events)
        calls.append(len(events))
        if len(calls) == 2:
            raise OSError

    monkeypatch.setattr(Recording, "erase", erase_and_die)
    with pytest.raises(OSError):  # noqa: PT011
        loop.govern.clear(token)

    assert len(feedback(loop)) == 700
    assert tally(loop) == recount(loop)
    assert loop.govern.clear(token).records == 700
    assert tally(loop) == {}
    assert loop.govern.clear(token).records == 0


def test_two_who_confirm_at_once_take_nothing_out_twice(loop: heedful.Loop) -> None:
    _many(loop, 1_500)
    token = loop.govern.clearing(rules=["r0", "r1"]).token
    start = threading.Barrier(2)

    def confirm(_: int) -> int:
        start.wait()
        return loop.govern.clear(token).records

    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(confirm, range(2))) == 1_000
    assert tally(loop) == recount(loop)
    assert loop.measure.statistics().total_feedback == 500


def test_what_an_interrupted_rebuild_left_is_cleared_as_well(
    loop: heedful.Loop, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("heedful.store.counting"), "_CHUNK", 10)
    for n in range(30):
        fix(loop, n, edit=("Wexolian", "him"))
    seen: list[int] = []

    def die(events: int) -> None:
        seen.append(events)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        loop.learn.rebuild(["suggestions"], progress=die)
    clear(loop, everything=True)

    assert tally(loop) == {}
    if not database.startswith("postgresql"):
        assert leaked(dump(database), ["Wexolian"]) == []


def test_no_byte_is_left_of_what_was_cleared_among_much_that_stays(tmp_path: Path, clock: FrozenClock) -> None:
    """Pages of a database are rearranged while it grows, and copies can stay behind in them."""
    path = tmp_path / "heedful.db"
    words = [f"zq{hashlib.sha256(bytes([n % 256, n // 256])).hexdigest()[:14]}" for n in range(3_000)]
    with heedful.open(path, org="acme", clock=clock) as loop:
        for start in range(0, 3_000, 100):
            loop.capture.fixes(
                {
                    "rule": "short",
                    "decision": "rejected",
                    "original": f"we {word} " + "and more " * (int(word[2:5], 16) % 60),
                    "suggested": f"we {word}b",
                    "comment": word,
                    "at": clock.now - timedelta(days=int(word[-1], 16)),
                }
                for word in words[start : start + 100]
            )
        loop.learn.rebuild()
        clear(loop, until=clock.now.date() - timedelta(days=8))
    gone = {word.encode() for word in words if int(word[-1], 16) >= 8}

    found = set(re.findall(rb"zq[0-9a-f]{14}", dump(str(path))))
    assert len(found) >= len(words) - len(gone)
    assert sorted(found & gone) == []


# Retention


def test_the_oldest_go_first_by_when_it_happened(loop: heedful.Loop, clock: FrozenClock) -> None:
    ages = [5, 40, 1, 31, 3, 29, 2, 30, 4]
    for age in ages:
        fix(loop, age, id=str(age), at=clock.now - timedelta(days=age), decision="skipped" if age == 4 else "accepted")
    loop.govern.set_privacy(max_data_age="30d")
    assert loop.govern.retain() == Retained(2, 0, 7)
    assert sorted(map(int, feedback(loop))) == [1, 2, 3, 4, 5, 29, 30]  # 30 days are not more than 30 days

    loop.govern.set_privacy(max_records=4)
    assert loop.govern.retain() == Retained(0, 3, 4)
    assert sorted(map(int, feedback(loop))) == [1, 2, 3, 4]
    assert loop.govern.retain() == Retained(0, 0, 4)
    assert tally(loop) == recount(loop)


def test_of_one_day_and_one_moment_the_first_recorded_go(loop: heedful.Loop, clock: FrozenClock) -> None:
    for id, minutes in (("b", 2), ("d", 1), ("e", 1), ("a", 3), ("f", 1), ("c", 2)):
        fix(loop, id=id, at=clock.now - timedelta(minutes=minutes), decision="rejected" if id == "c" else "accepted")
    loop.govern.set_privacy(max_records=2, max_data_age="all")

    assert loop.govern.retain().too_many == 4
    assert feedback(loop) == ["e", "f"]


def test_feedback_is_looked_at_once_a_day(loop: heedful.Loop, clock: FrozenClock) -> None:
    assert queued(loop) == []
    for n in range(3):
        fix(loop, n)
    assert len(queued(loop)) == 1

    for _ in range(4):
        Worker(loop).run_all()
        loop.govern.set_privacy(max_data_age="2d")  # a look right now, and no second one tomorrow
        assert Worker(loop).run_all() == 1
        (job,) = queued(loop)
        assert job.run_at == clock.now + timedelta(days=1)
        clock.advance(days=1)

    assert feedback(loop) == []
    assert {job.state for job in loop.jobs.all(name=RETENTION)} == {JobState.COMPLETED, JobState.QUEUED}


def test_feedback_after_an_import_is_looked_at_as_well(loop: heedful.Loop) -> None:
    for n, person in enumerate("abc"):
        fix(loop, n, actor=person)
    other = loop.org("globex")
    other.govern.import_(loop.govern.export())
    fix(other)

    assert len(queued(other)) == 1


def test_days_are_those_of_utc_wherever_the_clock_is(open_loop: OpenLoop) -> None:
    west = timezone(timedelta(hours=-5))
    loop = open_loop(clock=lambda: datetime(2026, 1, 1, 22, tzinfo=west))
    for n, person in enumerate("abc"):
        fix(loop, n, actor=person)
    other = loop.org("globex")
    other.govern.import_(loop.govern.export())

    assert loop.measure.statistics("1d").total_feedback == 3
    assert loop.govern.clearing(period="1d").records == 3
    assert other.govern.clearing(since=date(2026, 1, 2)).records == 1
    lived = other.measure.activity()
    other.learn.rebuild()
    assert other.measure.activity() == lived
    assert list(other.events(since=datetime(2026, 1, 2, 3, tzinfo=UTC), kind="LEARNING_IMPORTED"))


# At the same time


def test_a_rebuild_beside_recording_and_clearing_counts_right(
    loop: heedful.Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("heedful.store.counting"), "_CHUNK", 40)
    _many(loop, 300)
    done = threading.Event()

    def live() -> None:
        try:
            for turn in range(6):
                _many(loop, 30)
                clear(loop, rules=[f"r{turn % 3}"])
        finally:
            done.set()

    thread = threading.Thread(target=live)
    thread.start()
    while not done.is_set():
        loop.learn.rebuild(["suggestions"])
    thread.join()

    assert tally(loop) == recount(loop)
    loop.learn.rebuild()
    assert tally(loop) == recount(loop)
