"""Corrections over HTTP: a whole conversation, and what operators see of it."""

from __future__ import annotations

import asyncio

import httpx2
import pytest

import heedful
from heedful.errors import InvalidInput
from heedful.records.learning import Audience
from heedful.records.role import Role
from tests.serving import Served
from tests.typed import corrections

WRONG = "The function returns an error"
QUESTION = "what does parse() return?"
CORRECTING = "Actually it should return nil, not an error"


def test_a_conversation_with_a_server_behind_it(served: Served) -> None:
    with heedful.Client(served.url, served.key(Role.OPERATOR)) as client:
        chat = client.conversation(session="s1")
        chat.output(WRONG, query=QUESTION)
        made = chat.message(CORRECTING)
        improved = chat.improve("parse() returns an error on bad input", query=QUESTION)

        assert made is not None
        assert improved.text == "parse() returns nil on bad input"
        assert improved.changes[0].correction == made.id
        assert corrections(client).get(made.id).applied == 1


def test_when_the_server_is_gone_an_output_comes_back_as_it_is(served: Served) -> None:
    client = heedful.Client(served.url, served.key())
    chat = client.conversation(session="s1")
    client.close()

    assert chat.improve("parse() returns an error").text == "parse() returns an error"


def test_a_conversation_in_async_code(served: Served) -> None:
    async def main() -> None:
        async with heedful.aio.Client(served.url, served.key()) as client:
            chat = await client.conversation(session="s1")
            await chat.output(WRONG, query=QUESTION)
            made = await chat.message(CORRECTING)
            improved = await chat.improve("It returns an error.", query=QUESTION)
            assert (made.right, improved.text) == ("nil", "It returns nil.")

    asyncio.run(main())


def test_operators_see_what_is_heard_found_and_applied(served: Served, admin: httpx2.Client) -> None:
    said = {"message": CORRECTING, "last_output": WRONG, "query": QUESTION}
    heard = admin.post("/v1/messages", json=said).json()
    assert heard["detection"]["is_correction"]
    admin.post("/v1/messages", json={"message": "thanks!", "last_output": WRONG})
    odd = {
        "kind": "CORRECTION_REPORTED",
        "after": {"right": "x"},
        "meta": {"detected": {"local": 1}, "category": "odd"},
    }
    admin.post("/v1/events", json=odd)
    admin.post("/v1/improvements", json={"output": "It returns an error.", "query": QUESTION})

    told = httpx2.get(f"{served.url}/metrics").text
    category = heard["correction"]["category"]
    assert f'heedful_corrections_detected_total{{category="{category}"}} 1.0' in told
    assert 'heedful_corrections_detected_total{category="other"} 1.0' in told
    assert "heedful_corrections_applied_total 1.0" in told
    assert "heedful_correction_relevance_count 1.0" in told


def test_roles_and_corrections(served: Served) -> None:
    with served.client(Role.OPERATOR) as operator, served.client(Role.VIEWER) as viewer:
        id = operator.post("/v1/corrections", json={"wrong": "red", "right": "blue"}).json()["id"]

        assert viewer.get(f"/v1/learnings/{id}").json()["right"] == "blue"
        assert viewer.get("/v1/learnings:search", params={"query": "which red?"}).json()["items"]
        assert viewer.patch(f"/v1/learnings/{id}", json={"right": "green"}).status_code == 403
        assert viewer.post("/v1/messages", json={"message": "no", "last_output": "x"}).status_code == 403
        assert operator.patch(f"/v1/learnings/{id}", json={"right": "green"}).json()["version"] == 2
        assert operator.delete(f"/v1/learnings/{id}").status_code == 403


def test_a_correction_is_moved_and_edited_through_a_server(served: Served) -> None:
    with heedful.Client(served.url, served.key(Role.OPERATOR)) as client, served.client(Role.OPERATOR) as http:
        made = client.capture.correction("red", "blue", query="Which colour?", actor="ann")
        moved = client.govern.learnings.edit(made.id, audience="me", about="shop")
        assert (moved.audience, moved.about) == (Audience.ME, "shop")
        assert client.apply.search("Which colour?", about="shop") == []
        assert http.patch(f"/v1/learnings/{made.id}", json={"audience": "team"}).json()["audience"] == "team"
        assert http.patch(f"/v1/learnings/{made.id}", json={"audience": "us"}).status_code == 422
        with pytest.raises(InvalidInput, match="the same words"):
            client.govern.learnings.edit(made.id, right="red")
        refused = http.patch(f"/v1/learnings/{made.id}", json={"right": " red"})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")


def test_nobody_forges_what_became_of_a_learning(admin: httpx2.Client) -> None:
    id = admin.post("/v1/corrections", json={"wrong": "red", "right": "blue"}).json()["id"]
    forged = {"kind": "LEARNING_ADJUSTED", "entity": {"kind": "learning", "id": id}, "meta": {"by": 1}}

    assert admin.post("/v1/events", json=forged).status_code == 403
    assert admin.get(f"/v1/learnings/{id}").json()["confidence"] == 0.9
