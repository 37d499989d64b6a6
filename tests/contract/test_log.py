"""The event log, on every database."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful.errors import Conflict, InvalidId, InvalidInput, InvalidKind, InvalidPayload, InvalidTime, NotFound
from heedful.testing import FrozenClock, sample_acts
from tests.conftest import OpenLoop

ACT: dict[str, Any] = {
    "kind": "MAPPING_CONFIRMED",
    "actor": "dana",
    "entity": ("sku_mapping", "ABC-123"),
    "layout": "3f2a",
    "before": {"sku": None, "candidates": ["INT-998", "INT-999"]},
    "after": {"sku": "INT-999"},
    "meta": {"channel": "web"},
}


def test_an_event_is_read_back_as_it_was_recorded(loop: heedful.Loop, clock: FrozenClock) -> None:
    event = loop.capture.event(**ACT)

    assert loop.event(event.id) == event
    assert list(loop.events()) == [event]
    assert event.org == "acme"
    assert event.seq == 1
    assert event.at == clock.now
    assert event.entity == heedful.Entity("sku_mapping", "ABC-123")
    assert event.before == ACT["before"]


def test_only_the_kind_is_needed(loop: heedful.Loop) -> None:
    event = loop.capture.event("CUSTOMER_SELECTED")

    assert (event.actor, event.entity, event.layout) == (None, None, None)
    assert (event.before, event.after, event.meta) == ({}, {}, {})


def test_places_in_the_log_have_no_gaps(loop: heedful.Loop) -> None:
    loop.capture.event(**ACT, id="one")
    with pytest.raises(Conflict):
        loop.capture.event(**{**ACT, "actor": "lee"}, id="one")
    loop.capture.events(sample_acts(10))
    loop.capture.event(**ACT)

    assert [event.seq for event in loop.events()] == list(range(1, 13))


def test_ids_sort_in_the_order_of_recording(loop: heedful.Loop) -> None:
    ids = [loop.capture.event("CUSTOMER_SELECTED").id for _ in range(50)]

    assert ids == sorted(ids)


def test_the_same_id_with_the_same_content_is_one_event(loop: heedful.Loop, clock: FrozenClock) -> None:
    first = loop.capture.event(**ACT, id="order-1")
    clock.advance(hours=1)

    assert loop.capture.event(**ACT, id="order-1") == first
    assert loop.capture.events([{**ACT, "id": "order-1"}, {**ACT, "id": "order-1"}]) == 2
    assert list(loop.events()) == [first]
    assert sum(count.value for count in loop.measure.activity()) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "MAPPING_REJECTED"},
        {"actor": "lee"},
        {"entity": ("sku_mapping", "ABC-124")},
        {"entity": None},
        {"layout": "other"},
        {"before": {}},
        {"after": {"sku": "INT-998"}},
        {"meta": {"channel": "phone"}},
        {"at": datetime(2020, 1, 1, tzinfo=UTC)},
    ],
)
def test_the_same_id_with_different_content_is_refused(loop: heedful.Loop, change: dict[str, Any]) -> None:
    first = loop.capture.event(**ACT, id="order-1")

    with pytest.raises(Conflict, match="order-1"):
        loop.capture.event(**{**ACT, **change}, id="order-1")

    assert list(loop.events()) == [first]


def test_numbers_and_truth_values_are_different_content(loop: heedful.Loop) -> None:
    loop.capture.event("FIELD_SET", id="x", after={"flag": 1})

    with pytest.raises(Conflict):
        loop.capture.event("FIELD_SET", id="x", after={"flag": True})


def test_two_organisations_may_use_the_same_id(loop: heedful.Loop) -> None:
    loop.capture.event(**ACT, id="order-1")
    other = loop.org("globex").capture.event("CUSTOMER_SELECTED", id="order-1")

    assert other.seq == 1
    assert loop.event("order-1").kind == "MAPPING_CONFIRMED"


def test_a_batch_is_recorded_in_order(loop: heedful.Loop) -> None:
    acts = list(sample_acts(300))

    assert loop.capture.events(acts) == 300

    assert [(e.kind, e.at, e.after) for e in loop.events()] == [(a["kind"], a["at"], a.get("after")) for a in acts]


def test_a_bad_item_leaves_nothing_of_its_chunk(loop: heedful.Loop) -> None:
    with pytest.raises(InvalidKind):
        loop.capture.events([ACT, ACT, {**ACT, "kind": "not a kind"}])

    assert list(loop.events()) == []


def test_a_conflict_in_a_batch_leaves_nothing_of_its_chunk(loop: heedful.Loop) -> None:
    with pytest.raises(Conflict):
        loop.capture.events([ACT, {**ACT, "id": "x"}, {**ACT, "id": "x", "actor": "lee"}])

    assert list(loop.events()) == []
    assert loop.measure.activity() == []


def test_events_are_found_by_what_they_are(loop: heedful.Loop) -> None:
    acts = list(sample_acts(400, seed=7))
    loop.capture.events(acts)
    sample = acts[123]

    def expected(field: str) -> list[datetime]:
        return [act["at"] for act in acts if act.get(field) == sample[field]]

    assert [e.at for e in loop.events(kind=sample["kind"])] == expected("kind")
    assert [e.at for e in loop.events(actor=sample["actor"])] == expected("actor")
    assert [e.at for e in loop.events(entity=sample["entity"])] == expected("entity")
    assert [e.at for e in loop.events(layout=acts[0].get("layout") or "layout-01")]
    assert list(loop.events(kind="NEVER_HAPPENED")) == []


def test_time_is_a_filter_even_when_history_is_recorded_late(loop: heedful.Loop) -> None:
    day = datetime(2026, 3, 1, 12, tzinfo=UTC)
    times = [day + timedelta(hours=hours) for hours in (0, 30, -500, 2, -30, 700, 1)]
    loop.capture.events({"kind": "FIELD_SET", "at": time} for time in times)

    for since in (None, *times):
        for until in (None, *times):
            found = [event.at for event in loop.events(since=since, until=until)]
            assert found == [t for t in times if (since is None or t >= since) and (until is None or t < until)]
    assert list(loop.events(since=day + timedelta(days=99))) == []
    assert list(loop.events(until=day - timedelta(days=99))) == []


def test_newest_first_and_limit(loop: heedful.Loop) -> None:
    loop.capture.events(sample_acts(1200))

    assert [e.seq for e in loop.events(newest_first=True, limit=3)] == [1200, 1199, 1198]
    assert [e.seq for e in loop.events(limit=1001)] == list(range(1, 1002))
    assert [e.seq for e in loop.events(limit=0)] == []


def test_listing_goes_on_while_events_are_recorded(loop: heedful.Loop) -> None:
    loop.capture.events(sample_acts(1500))
    seen = 0
    for event in loop.events():
        seen += 1
        assert event.seq == seen
        if seen == 600:
            loop.capture.event("CUSTOMER_SELECTED")
    assert seen == 1501


def test_an_unknown_id_is_not_found(loop: heedful.Loop) -> None:
    with pytest.raises(NotFound, match="nope"):
        loop.event("nope")


def test_other_time_zones_are_the_same_moment(loop: heedful.Loop) -> None:
    tokyo = datetime(2026, 1, 1, 9, tzinfo=timezone(timedelta(hours=9)))
    event = loop.capture.event("FIELD_SET", at=tokyo)

    assert loop.event(event.id).at == datetime(2026, 1, 1, tzinfo=UTC)
    assert list(loop.events(since=tokyo, until=tokyo + timedelta(seconds=1))) == [event]


@pytest.mark.parametrize(
    ("bad", "error", "says"),
    [
        ({"kind": ""}, InvalidKind, "is not a kind"),
        ({"kind": "mapping confirmed"}, InvalidKind, "MAPPING_CONFIRMED"),
        ({"kind": "A" * 65}, InvalidKind, "64 characters"),
        ({"kind": None}, InvalidKind, "is not a kind"),
        ({"kind": ["X"]}, InvalidKind, "is not a kind"),
        ({"entity": 5}, InvalidInput, "pair"),
        ({"actor": ""}, InvalidId, "actor is empty"),
        ({"actor": 7}, InvalidId, "must be text"),
        ({"actor": "d\x00na"}, InvalidId, "invisible character"),
        ({"actor": "\ud800"}, InvalidId, "invalid Unicode"),
        ({"id": "  "}, InvalidId, "id is empty"),
        ({"id": "x" * 201}, InvalidId, "200"),
        ({"entity": ("sku_mapping", "")}, InvalidId, "entity id is empty"),
        ({"entity": "sku_mapping"}, InvalidInput, "pair"),
        ({"entity": ("a", "b", "c")}, InvalidInput, "pair"),
        ({"layout": ""}, InvalidId, "layout is empty"),
        ({"at": datetime(2026, 1, 1)}, InvalidTime, "no time zone"),  # noqa: DTZ001
        ({"at": 7}, InvalidTime, "must be a time, not int"),
        ({"at": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))}, InvalidTime, "out of range"),
        ({"before": [1]}, InvalidPayload, "must be a dict"),
        ({"before": "text"}, InvalidPayload, "must be a dict"),
        ({"after": {"x": float("nan")}}, InvalidPayload, "after is not JSON"),
        ({"after": {"x": {1, 2}}}, InvalidPayload, "not JSON"),
        ({"after": {1: 2}}, InvalidPayload, "text keys"),
        ({"after": {"x": 2**70}}, InvalidPayload, "64"),
        ({"meta": {"x": "\ud800"}}, InvalidPayload, "meta is not JSON"),
    ],
)
def test_bad_input_is_refused_and_leaves_nothing(
    loop: heedful.Loop, bad: dict[str, Any], error: type[heedful.HeedfulError], says: str
) -> None:
    with pytest.raises(error, match=says) as caught:
        loop.capture.event(**{**ACT, **bad})

    assert caught.value.hint
    assert list(loop.events()) == []


@pytest.mark.parametrize("item", [{}, {"kind": "FIELD_SET", "colour": 1}, {1: 2}, "FIELD_SET", None])
def test_items_of_a_batch_must_be_acts(loop: heedful.Loop, item: Any) -> None:
    with pytest.raises(InvalidInput, match="cannot be recorded"):
        loop.capture.events([item])


@pytest.mark.parametrize(
    "bad", [{"limit": -1}, {"limit": "3"}, {"entity": "ab"}, {"entity": ("a",)}, {"actor": "\ud800"}, {"layout": ""}]
)
def test_events_cannot_be_listed_by_nonsense(loop: heedful.Loop, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        loop.events(**bad)


def test_what_json_can_say_does_not_depend_on_its_neighbours(loop: heedful.Loop) -> None:
    sku = uuid.uuid4()

    assert loop.capture.event("FIELD_SET", after={"id": sku}).after == {"id": str(sku)}
    assert loop.capture.event("FIELD_SET", after={"id": sku, "x": None}).after == {"id": str(sku), "x": None}


def test_naive_times_are_refused_when_listing(loop: heedful.Loop) -> None:
    with pytest.raises(InvalidTime, match="since has no time zone"):
        loop.events(since=datetime(2026, 1, 1))  # noqa: DTZ001


def test_an_event_cannot_be_changed(loop: heedful.Loop) -> None:
    event = loop.capture.event(**ACT)

    with (
        pytest.raises(heedful.HeedfulError, match="append-only"),
        loop.store.transaction() as transaction,
    ):
        transaction.execute("update feedback_event set kind = 'FORGED' where org_id = :org", {"org": "acme"})

    assert loop.event(event.id) == event


def test_a_closed_loop_says_so(open_loop: OpenLoop) -> None:
    loop = open_loop()
    loop.close()

    with pytest.raises(heedful.errors.Closed):
        loop.capture.event(**ACT)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
PAYLOADS = st.dictionaries(TEXT, JSON, max_size=5)


@given(before=PAYLOADS, after=PAYLOADS, meta=PAYLOADS)
def test_any_json_survives_the_round_trip(
    loop: heedful.Loop, before: dict[str, Any], after: dict[str, Any], meta: dict[str, Any]
) -> None:
    event = loop.capture.event("FIELD_SET", before=before, after=after, meta=meta)

    read = loop.event(event.id)
    assert (read.before, read.after, read.meta) == (before, after, meta)
    assert loop.capture.event("FIELD_SET", before=before, after=after, meta=meta, id=event.id) == event
