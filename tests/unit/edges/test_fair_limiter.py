"""Organisations take turns: at the server's threads, and where a database has one writer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from heedful.edges.api.fair_limiter import FairLimiter
from heedful.store.fair_lock import FairLock


def _order(turns: FairLimiter, orgs: str, leaving: frozenset[int] = frozenset()) -> tuple[list[str], int]:
    """In which order waiting work is begun, and how much was under way at once at most; each letter is an
    organisation. Those who leave do so before their turn."""
    done: list[str] = []
    running = most = 0

    async def work(org: str) -> None:
        nonlocal running, most
        async with turns.slot(org):
            done.append(org)
            running += 1
            most = max(most, running)
            try:
                await asyncio.sleep(0)
            finally:
                running -= 1

    async def run() -> None:
        tasks = [asyncio.create_task(work(org)) for org in orgs]
        await asyncio.sleep(0)
        for number in leaving:
            tasks[number].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())
    return done, most


def test_the_first_of_another_organisation_waits_for_one_turn_of_a_busy_one() -> None:
    assert _order(FairLimiter(1, each=1), "aaaaaab")[0] == list("abaaaaa")
    assert _order(FairLimiter(1, each=1), "aaaabbcc")[0] == list("abcabcaa")


def test_one_organisation_never_has_all_threads() -> None:
    assert _order(FairLimiter(4, each=2), "aaaaaab")[0][:3] == ["a", "a", "b"]


@given(st.text("abc", min_size=1, max_size=12), st.integers(1, 3), st.integers(1, 3), st.data())
def test_nobody_is_forgotten_and_no_limit_exceeded(orgs: str, at_once: int, each: int, data: st.DataObject) -> None:
    leaving = frozenset(data.draw(st.sets(st.integers(0, len(orgs) - 1))))
    turns = FairLimiter(at_once, each=each)
    done, most = _order(turns, orgs, leaving)

    assert most <= at_once
    stayed = sorted(org for number, org in enumerate(orgs) if number not in leaving)
    assert all(done.count(org) >= stayed.count(org) for org in "abc")
    assert sorted(_order(turns, "abcabc")[0]) == sorted("abcabc"), "whoever left has given back their turn"


def _writers(turn: FairLock, orgs: str) -> tuple[list[str], Callable[[], None]]:
    """Threads that wait for the turn, one after the other; and what lets them go and waits for them."""
    done: list[str] = []
    threads = []

    def write(org: str, waiting: threading.Event) -> None:
        waiting.set()
        assert turn.acquire(org, 60)
        done.append(org)
        turn.release(org)

    assert turn.acquire("first", 60)
    for number, org in enumerate(orgs, 1):
        waiting = threading.Event()
        threads.append(threading.Thread(target=write, args=(org, waiting)))
        threads[-1].start()
        waiting.wait()
        while sum(map(len, turn._waiting.values())) < number:  # until it stands in the queue
            threading.Event().wait(0.001)

    def finish() -> None:
        turn.release("first")
        for thread in threads:
            thread.join()

    return done, finish


def test_writers_of_organisations_take_turns() -> None:
    done, finish = _writers(FairLock(), "aaaabbc")
    finish()

    assert done == list("abcabaa")


def test_a_writer_who_gave_up_is_passed_over() -> None:
    turn = FairLock()
    done, finish = _writers(turn, "ab")
    assert not turn.acquire("c", 0.0)
    finish()

    assert done == ["a", "b"]
    assert turn.acquire("c", 0.0), "nobody holds it any more"
