"""The cross-organisation attack: every route there is, with another organisation's key and ids. Never data.

Routes are found in the API's own description, and ids in what its own lists show: a new route is attacked by itself.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import httpx2
import orjson
import pytest

from heedful.edges.worker import Worker
from heedful.measure import Measure
from heedful.operations.operation import Operation, operation_of
from heedful.records.role import Role
from heedful.wire import wires
from tests.contexts import give
from tests.serving import Served

CANARY = "canary-5f1c"
_PARAMETER = re.compile(r"{(?:id|document|draft)}")
"""Others are names, which any organisation may have."""


def _fill(served: Served) -> set[str]:
    """Let the victim make one of everything that can be made, and tell the ids of all of it."""
    give(served.loop.org("victim"), "a", id=f"{CANARY} {operation_of(Measure.outcome).example['context']}")
    with served.client(org="victim") as client:
        for wire in wires():
            operation = wire.operation
            if operation.creates:
                told = {**operation.example, "id": f"{CANARY}-{wire.id}"}
                for name, value in told.items():
                    if isinstance(value, str) and name in ("actor", "name", "wrong", "right", "note", "context"):
                        told[name] = f"{CANARY} {value}"
                answer = _sent(client, operation, told)
                assert answer.status_code == 201, answer.text
        Worker(served.loop).run_all()
        return {
            str(item["id"])
            for wire in wires()
            if wire.operation.verb == "GET" and not wire.in_path
            for item in client.get(f"/v1{wire.operation.path}").json().get("items", [])
            if "id" in item
        }


JSON = {"content-type": "application/json"}
PDF = {"content-type": "application/pdf"}


def _sent(client: httpx2.Client, operation: Operation, told: dict[str, Any]) -> httpx2.Response:
    if operation.upload is None:
        return client.post(f"/v1{operation.path}", content=orjson.dumps(told), headers=JSON)
    file = told.pop(operation.upload)
    return client.post(f"/v1{operation.path}", content=file, params=told, headers=PDF)


def _attacks(description: dict[str, Any], ids: set[str]) -> list[tuple[str, str, bytes | None]]:
    found = []
    for path, methods in description["paths"].items():
        for verb, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            body = None if content is None else orjson.dumps(content["example"])
            for id in _fitting(ids, path):
                found.append((verb.upper(), _PARAMETER.sub(quote(id, safe=""), path), body))
    return found


def _fitting(ids: set[str], path: str) -> set[str]:
    """What is named after a document or a draft is tried with those only: there are many routes, and many ids."""
    if "{document}" in path or "{draft}" in path:
        return {id for id in ids if "document" in id} or ids
    return ids if "{id}" in path else {""}


@pytest.mark.parametrize("role", Role)
def test_no_route_shows_or_changes_anything_of_another_organisation(served: Served, role: Role) -> None:
    ids = _fill(served)
    before = [(event.id, event.kind) for event in served.loop.org("victim").events()]
    states = served.loop.org("victim").jobs.count_by_state()
    assert len(ids) > len([wire for wire in wires() if wire.operation.creates])

    with served.client(role, org="attacker") as attacker:
        description = attacker.get("/v1/openapi.json").json()
        attacks = _attacks(description, ids)
        assert len(attacks) > len(description["paths"])
        for verb, path, body in attacks:
            answer = attacker.request(verb, path, content=body, headers=JSON)
            _check_harmless(answer, names_an_id=any(quote(id, safe="") in path for id in ids))

    victim = served.loop.org("victim")
    assert [(event.id, event.kind) for event in victim.events()] == before
    assert victim.jobs.count_by_state() == states


def _check_harmless(answer: httpx2.Response, *, names_an_id: bool) -> None:
    where = f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text}"
    if names_an_id:
        assert answer.status_code in (403, 404), where
    if answer.status_code in (403, 404):
        assert answer.json()["code"] in ("forbidden", "not_found"), where
        return
    assert answer.status_code < 500, where
    told = answer.text
    assert CANARY not in told, where
    assert "victim" not in told, where


def test_the_organisation_cannot_be_named_by_the_caller(served: Served) -> None:
    _fill(served)
    with served.client(org="attacker") as attacker:
        for tricks in (
            {"params": {"org": "victim"}},
            {"params": {"org_id": "victim"}},
            {"headers": {"X-Org": "victim", "X-Heedful-Org": "victim", "X-Forwarded-User": "victim"}},
            {"headers": {"Cookie": "org=victim"}},
        ):
            answer = attacker.get("/v1/events", **tricks)  # type: ignore[arg-type]
            assert CANARY not in answer.text
        refused = attacker.post("/v1/events", json={"kind": "FIELD_SET", "org": "victim"})
        assert refused.status_code == 422
        batch = attacker.post("/v1/events:batch", content=b'{"kind": "FIELD_SET", "org": "victim", "seq": 1}\n')
        assert batch.status_code == 200
    assert not list(served.loop.org("victim").events(kind="FIELD_SET"))


def test_a_cursor_of_another_organisation_leads_nowhere(served: Served) -> None:
    _fill(served)
    with served.client(org="victim") as client:
        cursor = client.get("/v1/events", params={"limit": "1"}).json()["next"]
    with served.client(org="attacker") as attacker:
        assert CANARY not in attacker.get("/v1/events", params={"cursor": cursor}).text


def test_without_a_key_there_is_nothing(served: Served) -> None:
    ids = _fill(served)
    with httpx2.Client(base_url=served.url) as nobody:
        for verb, path, body in _attacks(nobody.get("/v1/openapi.json").json(), ids):
            answer = nobody.request(verb, path, content=body, headers=JSON)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Bearer")
            assert CANARY not in answer.text


@pytest.mark.parametrize("role", Role)
def test_a_role_may_do_what_the_policy_says_and_no_more(role: Role, one_server: Served) -> None:
    with one_server.client(role, org=f"org-of-{role.value}") as client:
        for wire in wires():
            operation = wire.operation
            path = f"/v1{operation.path}".replace("{id}", "nothing")
            body = None if wire.in_query else orjson.dumps({k: v for k, v in operation.example.items() if k != "id"})
            answer = client.request(operation.verb, path, content=body, headers=JSON)
            refused = answer.status_code == 403
            assert refused == (role not in operation.permission.roles), f"{wire.id}: {answer.text}"
