"""Events over HTTP: recorded, listed page by page, found again."""

from __future__ import annotations

import gzip
from typing import Any

import httpx2
import orjson
import pytest

from tests.serving import Served

ACT: dict[str, Any] = {
    "kind": "MAPPING_CONFIRMED",
    "actor": "dana",
    "entity": {"kind": "sku_mapping", "id": "ABC-123"},
    "before": {"sku": "INT-998"},
    "after": {"sku": "INT-999"},
    "at": "2026-01-05T09:00:00Z",
}


def test_a_recorded_event_is_answered_as_it_was_recorded(admin: httpx2.Client) -> None:
    answer = admin.post("/v1/events", json={**ACT, "id": "order-1"})

    assert answer.status_code == 201
    event = answer.json()
    assert {name: event[name] for name in ACT} == ACT
    assert (event["id"], event["org"]) == ("order-1", "acme")
    assert admin.get("/v1/events/order-1").json() == event


def test_sending_the_same_again_records_it_once(admin: httpx2.Client) -> None:
    first = admin.post("/v1/events", json={**ACT, "id": "order-1"})
    again = admin.post("/v1/events", json={**ACT, "id": "order-1"})
    other = admin.post("/v1/events", json={**ACT, "id": "order-1", "actor": "lee"})

    assert first.json() == again.json()
    assert other.status_code == 409
    assert other.json()["code"] == "conflict"


def test_the_idempotency_key_is_the_id_for_those_who_prefer_a_header(admin: httpx2.Client) -> None:
    headers = {"Idempotency-Key": "order-7"}
    first = admin.post("/v1/events", json=ACT, headers=headers)
    again = admin.post("/v1/events", json=ACT, headers=headers)

    assert first.json() == again.json()
    assert first.json()["id"] == "order-7"


def test_pages_together_are_the_whole_list(admin: httpx2.Client) -> None:
    ids = [admin.post("/v1/events", json={"kind": "FIELD_SET", "id": f"e-{n}"}).json()["id"] for n in range(7)]

    found: list[str] = []
    parameters = {"kind": "FIELD_SET", "limit": "3"}
    while True:
        page = admin.get("/v1/events", params=parameters).json()
        found += [event["id"] for event in page["items"]]
        if page["next"] is None:
            break
        parameters["cursor"] = page["next"]

    assert found == ids


def test_filters_are_those_of_the_library(admin: httpx2.Client) -> None:
    admin.post("/v1/events", json={**ACT, "id": "a"})
    admin.post("/v1/events", json={"kind": "FIELD_SET", "id": "b", "at": "2026-02-01T00:00:00Z"})

    def ids(**parameters: str) -> list[str]:
        items = admin.get("/v1/events", params=parameters).json()["items"]
        return [event["id"] for event in items if not event["kind"].startswith("AUDIT_")]

    assert ids() == ["a", "b"]
    assert ids(newest_first="true") == ["b", "a"]
    assert ids(entity="sku_mapping:ABC-123") == ["a"]
    assert ids(actor="dana") == ["a"]
    assert ids(since="2026-01-06T00:00:00+02:00", until="2026-03-01T00:00:00Z") == ["b"]


@pytest.mark.parametrize("id", ["a/b", "a b", "ünïcode", "a?b#c", "100%", "a%2Fb", "..", "a/deliveries"])
def test_an_id_may_hold_anything_that_can_be_printed(admin: httpx2.Client, id: str) -> None:
    from urllib.parse import quote

    admin.post("/v1/events", json={"kind": "FIELD_SET", "id": id})

    assert admin.get(f"/v1/events/{quote(id, safe='')}".replace("..", "%2E%2E")).json()["id"] == id


def test_what_did_not_change_is_not_sent_again(admin: httpx2.Client) -> None:
    admin.post("/v1/events", json={**ACT, "id": "order-1"})
    first = admin.get("/v1/events/order-1")
    again = admin.get("/v1/events/order-1", headers={"If-None-Match": first.headers["etag"]})

    assert (again.status_code, again.content) == (304, b"")


def test_large_answers_are_packed_for_those_who_accept_it(admin: httpx2.Client) -> None:
    for number in range(10):
        admin.post("/v1/events", json={**ACT, "id": f"e-{number}"})

    packed = admin.get("/v1/events", headers={"Accept-Encoding": "gzip"})
    plain = admin.get("/v1/events", headers={"Accept-Encoding": "identity"})

    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()


def test_a_packed_body_is_unpacked(admin: httpx2.Client) -> None:
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    answer = admin.post("/v1/events", content=gzip.compress(orjson.dumps(ACT)), headers=headers)

    assert answer.status_code == 201


def test_events_that_arrive_together_are_answered_each_by_itself(served: Served) -> None:
    from concurrent.futures import ThreadPoolExecutor

    acts = [{"kind": "FIELD_SET", "id": f"id-{n % 20}", "after": {"n": n // 30}} for n in range(60)]
    key = served.key()
    client = httpx2.Client(base_url=served.url, headers={"authorization": f"Bearer {key}"})
    with client, ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda act: client.post("/v1/events", json=act), acts))

    recorded = {event.id: event for event in served.loop.org("acme").events(kind="FIELD_SET")}
    assert len(recorded) == 20
    for act, answer in zip(acts, answers, strict=True):
        if answer.status_code == 201:
            assert answer.json()["after"] == act["after"] == recorded[str(act["id"])].after
        else:
            assert answer.json()["code"] == "conflict"
            assert recorded[str(act["id"])].after != act["after"]


def test_a_correction_and_an_outcome_are_events(admin: httpx2.Client) -> None:
    told = {"wrong": "make ship", "right": "make release", "why": "renamed", "about": "deployment"}
    correction = admin.post("/v1/corrections", json=told).json()
    context = admin.post("/v1/contexts", json={"query": "make ship", "about": "deployment"}).json()
    outcome = admin.post("/v1/outcomes", json={"context": context["id"], "success": False, "note": "broke"}).json()

    event = admin.get(f"/v1/events/{correction['id']}").json()
    assert (event["kind"], event["before"], event["after"], event["meta"]["why"]) == (
        "CORRECTION_REPORTED", {"wrong": "make ship"}, {"right": "make release"}, "renamed",
    )  # fmt: skip
    assert (outcome["context"], outcome["value"], outcome["derived_from"]) == (context["id"], 0.0, None)
    told = admin.get(f"/v1/events/{outcome['id']}").json()
    assert (told["kind"], told["entity"]["kind"], told["meta"]["note"]) == ("OUTCOME_REPORTED", "unit", "broke")
    assert admin.post("/v1/outcomes", json={"context": None, "success": True}).json() is None
    assert admin.post("/v1/outcomes", json={"context": "ctx-1", "success": True}).status_code == 404
