"""The loop and the client in async code: awaited, iterated, many at once."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import heedful
from heedful import aio, errors
from heedful.records.role import Role
from tests.serving import Served

MANY = 450
"""More than is fetched at once, twice."""


async def opened(database: str) -> aio.Loop:
    return await aio.open(database, org="acme")


async def turn(loop: aio.Loop) -> None:
    """One turn, with a loop and with a client alike."""
    event = await loop.capture.event("MAPPING_CONFIRMED", actor="dana", id="m-1")
    assert isinstance(event, heedful.Event)
    assert await loop.event("m-1") == await loop.log.get("m-1") == event

    assert await loop.capture.events({"kind": "FIELD_SET", "id": f"e-{n}"} for n in range(MANY)) == MANY
    assert [found.id async for found in loop.events(kind="FIELD_SET")] == [f"e-{n}" for n in range(MANY)]
    answers = [answer async for answer in loop.capture.batch([{"kind": "FIELD_SET"}, {"kind": "no kind"}] * MANY)]
    assert [isinstance(answer, errors.InvalidKind) for answer in answers] == [False, True] * MANY
    assert [found async for found in loop.events(kind="NEVER_SEEN")] == []
    assert (await loop.log.page(limit=3)).next is not None

    key = await loop.govern.keys.create("order desk", role=Role.OPERATOR, id="desk")
    assert key.secret is not None
    assert "desk" in [found.id async for found in loop.govern.keys.all()]
    assert (await loop.govern.me()).org == "acme"
    assert {count.key for count in await loop.measure.activity()} >= {"FIELD_SET", "MAPPING_CONFIRMED"}

    with pytest.raises(errors.NotFound, match="nowhere"):
        await loop.event("nowhere")
    with pytest.raises(errors.InvalidInput):
        [found async for found in loop.events(limit=-1)]
    with pytest.raises(AttributeError):
        _ = loop.capture.nothing


def test_a_loop_is_awaited(database: str) -> None:
    async def main() -> None:
        async with await opened(database) as loop:
            await turn(loop)
            assert await loop.name == "acme"

    asyncio.run(main())


def test_a_client_is_awaited(served: Served) -> None:
    async def main(key: str) -> None:
        async with aio.Client(served.url, key) as client:
            await turn(client)
            assert await client.run(lambda sync: sync.name) == "acme"
            with pytest.raises(errors.NotOffered):
                await client.jobs.put(heedful.JobRequest("work"))

    asyncio.run(main(served.key()))


def test_the_loop_goes_on_while_a_call_waits(database: str) -> None:
    async def main() -> None:
        async with await opened(database) as loop:
            begun, go_on = threading.Event(), threading.Event()

            def work(_: heedful.Loop) -> str:
                begun.set()
                assert go_on.wait(10)
                return threading.current_thread().name

            waiting = asyncio.create_task(loop.run(work))
            assert await asyncio.to_thread(begun.wait, 10)
            await loop.capture.event("FIELD_SET")
            assert not waiting.done()
            go_on.set()
            assert await waiting != threading.current_thread().name

    asyncio.run(main())


def test_a_transaction_is_done_in_one_thread(database: str) -> None:
    def both(loop: heedful.Loop) -> tuple[str, str]:
        with loop.transaction():
            return loop.capture.event("FIELD_SET").id, loop.jobs.put(heedful.JobRequest("work")).id

    def neither(loop: heedful.Loop) -> None:
        with loop.transaction():
            loop.capture.event("FIELD_SET", id="undone")
            raise ZeroDivisionError

    async def main() -> None:
        async with await opened(database) as loop:
            event, job = await loop.run(both)
            assert (await loop.event(event)).kind == "FIELD_SET"
            assert (await loop.jobs.get(job)).name == "work"
            with pytest.raises(ZeroDivisionError):
                await loop.run(neither)
            with pytest.raises(errors.NotFound):
                await loop.event("undone")

    asyncio.run(main())


def test_another_organisation_is_awaited_too(database: str) -> None:
    async def main() -> None:
        async with await opened(database) as loop:
            other = await loop.org("globex")
            await other.capture.event("FIELD_SET", id="theirs")
            assert [event.id async for event in other.events()] == ["theirs"]
            assert [event.id async for event in loop.events()] == []

    asyncio.run(main())


async def many(loop: aio.Loop) -> None:
    events = await asyncio.gather(*(loop.capture.event("FIELD_SET", id=f"e-{n % 40}") for n in range(120)))
    assert [event.id for event in events] == [f"e-{n % 40}" for n in range(120)]
    found = await asyncio.gather(*(loop.event(f"e-{n}") for n in range(40)))
    assert {event.seq for event in found} == {event.seq for event in events}

    async def listed() -> list[str]:
        return [event.id async for event in loop.events(kind="FIELD_SET")]

    lists = await asyncio.gather(*(listed() for _ in range(10)))
    assert all(len(one) == 40 and one == lists[0] for one in lists)

    mixed = await asyncio.gather(loop.event("e-1"), loop.event("nowhere"), loop.govern.me(), return_exceptions=True)
    assert [type(answer).__name__ for answer in mixed] == ["Event", "NotFound", "Identity"]


def test_many_calls_at_once_of_a_loop(database: str) -> None:
    async def main() -> None:
        async with await opened(database) as loop:
            await many(loop)

    asyncio.run(main())


def test_many_calls_at_once_of_a_client(served: Served) -> None:
    async def main(key: str) -> None:
        async with aio.Client(served.url, key) as client:
            await many(client)

    asyncio.run(main(served.key()))


def test_whoever_stops_waiting_leaves_the_loop_as_it_was(database: str) -> None:
    async def main() -> None:
        async with await opened(database) as loop:
            begun, go_on = threading.Event(), threading.Event()

            def items() -> Any:
                yield {"kind": "FIELD_SET", "id": "late"}
                begun.set()
                assert go_on.wait(10)

            waiting = asyncio.ensure_future(loop.capture.events(items()))
            assert await asyncio.to_thread(begun.wait, 10)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await loop.capture.event("FIELD_SET", id="meanwhile")
            go_on.set()
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0):
                    await loop.govern.me()
            async with asyncio.timeout(20):
                while "late" not in [event.id async for event in loop.events()]:
                    pass  # a thread that had begun comes to its end
            assert (await loop.event("meanwhile")).kind == "FIELD_SET"

    asyncio.run(main())
    with heedful.open(database, org="acme") as loop:
        assert sorted(event.id for event in loop.events()) == ["late", "meanwhile"]


def test_what_cannot_be_opened_is_told_when_awaited(tmp_path: Any) -> None:
    async def main() -> None:
        with pytest.raises(errors.Misconfigured):
            await aio.open("mysql://somewhere")
        with pytest.raises(errors.InvalidInput):
            aio.Client("somewhere", "heedful_key_x")
        loop = await aio.open(tmp_path / "heedful.db")
        await loop.close()
        with pytest.raises(errors.Closed):
            await loop.capture.event("FIELD_SET")

    asyncio.run(main())


def test_a_call_that_nobody_awaits_is_told(database: str) -> None:
    async def main() -> None:
        async with await heedful.aio.open(database, org="acme") as loop:
            with pytest.warns(RuntimeWarning, match="never awaited"):
                loop.capture.event("FIELD_SET")
            with pytest.raises(errors.NotOffered, match="one thread"):
                loop.transaction()

    asyncio.run(main())
