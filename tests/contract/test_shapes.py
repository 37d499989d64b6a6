"""Odd events: whatever is recorded under heedful's own kinds, it fails nobody else, and nothing that is derived."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest
from anyio import CapacityLimiter
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import heedful
from heedful.capture import shapes as shape
from heedful.edges.api.fair_limiter import FairLimiter
from heedful.edges.api.write_batcher import WriteBatcher
from heedful.edges.server import Server
from heedful.errors import HeedfulError, InvalidPayload
from heedful.operations.caller import Caller
from heedful.records.event import Draft
from heedful.records.learnings import MATCHED
from heedful.records.role import Role
from heedful.settings import Settings
from heedful.wire import Wire, wires
from tests.serving import Served, serving
from tests.typed import corrections

ODD = {
    "kind": "CORRECTION_REPORTED",
    "before": {"text": "a"},
    "after": {"text": "b"},
    "meta": {"category": ["a"], "detected": {"local": 1}},
}
KINDS = sorted(shape.SHAPES)
NAMES = sorted({name for one in shape.SHAPES.values() for part in one for name in part})

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "x", "\x00", "learned", "user", "merge", "2026-01-05T09:00:00", "x" * 300]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
objects = st.dictionaries(st.sampled_from(NAMES), values, max_size=4)
odd_events = st.fixed_dictionaries(
    {"kind": st.sampled_from(KINDS), "before": objects, "after": objects, "meta": objects},
    optional={"entity": st.sampled_from([["learning", "l"], ["conversation", "c"], ["rule", "r"], ["proposal", "p"]])},
)


@pytest.fixture(scope="module")
def odd_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    chosen = Settings(database=str(tmp_path_factory.mktemp("odd") / "heedful.db"), org="acme", rate_limit=0)
    with serving(Server(chosen, worker=False)) as running:
        yield running


def _require_sound(loop: heedful.Loop) -> None:
    """Everything that reads can read, and can be made again."""
    loop.learn.rebuild()
    for wire in wires():
        if wire.operation.verb == "GET" and not wire.in_path:
            wire.call(loop, _example(wire))
    by_id = [wire for wire in wires() if wire.operation.verb == "GET" and [p.name for p in wire.in_path] == ["id"]]
    for event in loop.events():
        for wire in by_id if event.kind in KINDS else ():
            with suppress(HeedfulError):  # not one of these
                wire.call(loop, {"id": event.id})


def _example(wire: Wire) -> dict[str, Any]:
    told = wire.model(wire.operation.parameters).model_validate(wire.operation.example)
    return {name: getattr(told, name) for name in told.model_fields_set}


@settings(max_examples=6, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(odd=st.lists(odd_events, min_size=5, max_size=15))
def test_odd_events_on_any_way_in_are_refused_or_harmless(odd_server: Served, odd: list[dict[str, Any]]) -> None:
    org = f"org-{uuid.uuid4()}"
    loop = odd_server.loop.org(org)
    good = {"kind": "FIELD_SET", "after": {"text": "good"}}
    mixed = [good, *(event for one in odd for event in (one, good))]
    wanted = ["good" if event is good else "odd" for event in mixed]
    key = odd_server.key(org=org)

    with httpx2.Client(base_url=odd_server.url, headers={"authorization": f"Bearer {key}"}) as client:
        single = [client.post("/v1/events", json=event).status_code for event in odd]
        lines = client.post("/v1/events:batch", content=b"\n".join(map(orjson.dumps, mixed))).content.splitlines()
        metrics = client.get("/metrics", headers={"authorization": ""})
        tool = {"name": "record_event", "arguments": odd[0]}
        called = client.post(
            "/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool},
            headers={"accept": "application/json, text/event-stream"},
        )
    with heedful.Client(odd_server.url, key) as client:
        answers = list(client.capture.batch(mixed))
    own = list(loop.capture.batch(mixed))  # as an import does, and with all that is for the owner alone
    together = loop.capture.record(mixed)

    assert all(status == 201 or 400 <= status < 500 for status in single), single
    told = [orjson.loads(line) for line in lines[:-1]]
    assert all("seq" in one for one, what in zip(told, wanted, strict=True) if what == "good")
    assert all("seq" in one or one["problem"]["status"] < 500 for one in told)
    assert metrics.status_code == 200
    assert called.status_code == 200
    assert "Internal error" not in called.text
    for found in (answers, own, together):
        assert all(not isinstance(one, Exception) for one, what in zip(found, wanted, strict=True) if what == "good")
    _require_sound(loop)


def test_the_event_that_once_failed_others_is_refused_alone(loop: heedful.Loop) -> None:
    good = {"kind": "CORRECTION_REPORTED", "before": {"text": "a"}, "after": {"text": "b"}}
    first, odd, last = loop.capture.record([good, ODD, good])

    assert isinstance(odd, InvalidPayload)
    assert "category in meta of CORRECTION_REPORTED must be a short text" in odd.message
    assert [event.id for event in loop.events()] == [getattr(one, "id", None) for one in (first, last)]


def test_whoever_watches_cannot_fail_what_is_stored(open_loop: Any) -> None:
    def fail(_: object) -> None:
        raise KeyError("mine")

    watching = heedful.Extension("watching", notice=fail, listeners={MATCHED: fail})
    loop = open_loop(extensions=[watching])
    event = loop.capture.event("FIELD_SET")
    loop.capture.correction("make ship", "make release", about="deployment")

    assert loop.event(event.id) == event
    assert loop.apply.search("make ship")


def test_of_writes_that_are_committed_together_each_is_answered_for_itself(open_loop: Any) -> None:
    def fold(events: Sequence[heedful.Event], _: object) -> None:
        if any(event.kind == "ODD_THING" for event in events):
            raise KeyError("a mistake of an extension's")

    loop = open_loop(extensions=[heedful.Extension("odd", projections=(heedful.CountingProjection("odd", 1, fold),))])
    (record,) = (wire for wire in wires() if wire.id == "capture.event")
    callers = [Caller("acme", Role.OPERATOR, key, key) for key in ("one", "other")]

    async def answered() -> list[bytes | BaseException]:
        lane = WriteBatcher(loop, FairLimiter(1, each=1), CapacityLimiter(1), done=lambda: None)
        kinds = ["FIELD_SET", "ODD_THING", "FIELD_SET", "FIELD_SET"]
        asked = [lane.do(callers[n // 3], record, {"kind": kind, "id": f"e-{n}"}) for n, kind in enumerate(kinds)]
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = asyncio.run(answered())

    assert [type(answer) for answer in answers] == [bytes, KeyError, bytes, bytes]
    assert [event.id for event in loop.events()] == ["e-0", "e-2", "e-3"]


def test_what_heedful_itself_records_has_its_shape(loop: heedful.Loop) -> None:
    said = loop.capture.correction("make ship", "make release", about="deployment", actor="dana").id
    loop.capture.correction("make ship", "make release", about="deployment", actor="lee")
    loop.capture.correction("make release", "make publish", about="deployment", actor="kim")
    corrections(loop).edit(said, why="it was renamed")
    loop.apply.improve("Run make release to deploy", query="deployment")
    for wire in wires():
        if wire.operation.verb != "GET" and not wire.operation.streams:
            with suppress(HeedfulError):  # the learning it is about is not there
                wire.call(loop, _example(wire))
    loop.learn.mine("chat-17")
    kinds = set()
    for event in loop.events():
        kinds.add(event.kind)
        shape.require_shape(Draft(event.id, *event[3:], own_id=True, own_time=True))

    assert len(kinds & set(KINDS)) >= 10, kinds


def test_every_kind_of_heedfuls_own_has_a_shape() -> None:
    folder = Path(heedful.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    named = {kind for text in sources for kind in re.findall(r'^[A-Z_]+ = "([A-Z]+_[A-Z_]+)"$', text, re.MULTILINE)}
    kinds = {name for name in named if not name.startswith(("HEEDFUL_", "AUDIT_"))}  # nothing reads what audits hold

    assert kinds <= set(KINDS), kinds - set(KINDS)
