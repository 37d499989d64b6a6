"""Documents over HTTP: files that are sent, drafts that are corrected, mappings, and who may see the analytics."""

from __future__ import annotations

import asyncio
import json
import socket
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

import heedful
from heedful.errors import Conflict, EncryptedDocument, Forbidden, NotFound, NotPdf
from heedful.records.document import FILE_LIMIT
from heedful.records.role import Role
from heedful.testing import sample_document
from tests.contract.extracting import FEEDBACK, order
from tests.pdf_files import line, pdf
from tests.serving import Served

PDF = {"content-type": "application/pdf"}
ORDER = pdf(line(72, 770, "Nordwind Trading Ltd") + line(72, 700, "Order number: 4711"))
OTHER = pdf(line(72, 770, "Nordwind Trading Ltd") + line(72, 700, "Order number: 4712"))
ENCRYPTED = pdf(line(72, 700, "Order number: 4711"), user_password="secret")
NO_TEXT = pdf(b"0 0 m 100 100 l S\n")
FILL = b"\n" * (1 << 20)


def _sent(client: httpx2.Client, content: bytes = ORDER, **query: str) -> dict[str, Any]:
    answer = client.post("/v1/documents", params=query, content=content, headers=PDF)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def _problem(answer: httpx2.Response, status: int, code: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == code
    assert answer.json()["hint"]


def _documents(client: httpx2.Client) -> list[dict[str, Any]]:
    return list(client.get("/v1/documents").json()["items"])


# Files


def test_a_file_is_the_body_and_everything_else_is_in_the_query(someone: httpx2.Client) -> None:
    """SC-002 over HTTP: the document has a fingerprint."""
    made = _sent(someone, customer="C-9", name="order.pdf", by="dana", id="order-1")

    assert (made["id"], made["name"], made["customer"], made["is_pdf"]) == ("order-1", "order.pdf", "C-9", True)
    assert (made["page_count"], len(made["layout"])) == (1, 64)
    assert someone.get("/v1/documents/order-1").json() == made
    assert "Order number: 4711" in made["text"]


def test_a_file_is_taken_piece_by_piece(someone: httpx2.Client) -> None:
    """Without a Content-Length, as a program sends it that does not know the length."""

    def pieces() -> Iterator[bytes]:
        for start in range(0, len(ORDER), 100):
            yield ORDER[start : start + 100]

    answer = someone.post("/v1/documents", content=pieces(), headers=PDF)

    assert answer.status_code == 201, answer.text
    assert answer.json()["sha256"] == _sent(someone)["sha256"]


def test_a_file_that_is_too_large_ends_at_the_limit(
    someone: httpx2.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sent in pieces, so that only counting them helps. Nothing of it is stored, and no temporary file is left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def pieces() -> Iterator[bytes]:
        yield ORDER
        for _ in range(FILE_LIMIT // len(FILL)):
            yield FILL

    _problem(someone.post("/v1/documents", content=pieces(), headers=PDF), 413, "request_too_large")
    assert _documents(someone) == []
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_announced_as_too_large_is_not_waited_for(one_server: Served) -> None:
    """The answer comes before a byte of it was sent."""
    head = (
        f"POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {one_server.key()}\r\n"
        f"Content-Type: application/pdf\r\nContent-Length: {FILE_LIMIT + 1}\r\n\r\n"
    )
    host, _, port = one_server.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(head.encode())
        assert connection.recv(65_536).startswith(b"HTTP/1.1 413 ")


def test_a_large_file_within_the_limit_is_read(someone: httpx2.Client) -> None:
    content = pdf(line(72, 700, "Order number: 4711") + b" " * (FILE_LIMIT - 2_000))

    assert FILE_LIMIT - 2_000 < len(content) <= FILE_LIMIT
    assert "4711" in _sent(someone, content)["text"]


@pytest.mark.parametrize("kind", [None, "application/json", "text/plain", "multipart/form-data; boundary=x", "pdf"])
def test_a_body_that_is_not_marked_as_a_pdf_file(someone: httpx2.Client, kind: str | None) -> None:
    headers = {} if kind is None else {"content-type": kind}
    _problem(someone.post("/v1/documents", content=ORDER, headers=headers), 415, "unsupported_media")
    assert _documents(someone) == []


@pytest.mark.parametrize("kind", ["application/pdf", "application/octet-stream", "Application/PDF; x=y"])
def test_content_types_of_files(someone: httpx2.Client, kind: str) -> None:
    assert someone.post("/v1/documents", content=ORDER, headers={"content-type": kind}).status_code == 201


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "not_pdf"),
        (b"hello", "not_pdf"),
        (b'{"file": "/etc/hostname"}', "not_pdf"),
        (ORDER[:200], "damaged_document"),
        (ENCRYPTED, "encrypted_document"),
        (NO_TEXT, "scanned_document"),
    ],
    ids=["empty", "text", "json", "half", "encrypted", "no text"],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(
    someone: httpx2.Client, content: bytes, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    _problem(someone.post("/v1/documents", content=content, headers=PDF), 422, code)
    assert _documents(someone) == []
    assert list(tmp_path.iterdir()) == []


def test_no_file_of_the_server_can_be_named(someone: httpx2.Client) -> None:
    for name in ("file", "path"):
        answer = someone.post("/v1/documents", params={name: "/etc/hostname"}, content=ORDER, headers=PDF)
        _problem(answer, 422, "invalid_input")
    made = _sent(someone, name="../../etc/passwd")
    assert made["name"] == "passwd"
    assert _sent(someone)["name"] == "document.pdf"  # not that of the temporary file


def test_the_same_file_under_the_same_id_is_received_once(someone: httpx2.Client) -> None:
    first = _sent(someone, id="order-1")
    assert _sent(someone, id="order-1") == first
    keyed = {**PDF, "idempotency-key": "order-1"}
    assert someone.post("/v1/documents", content=ORDER, headers=keyed).json() == first
    _problem(someone.post("/v1/documents?id=order-1", content=OTHER, headers=PDF), 409, "conflict")
    assert len(_documents(someone)) == 1


def test_words_of_ones_own_text_recognition(someone: httpx2.Client) -> None:
    answer = someone.post("/v1/documents:words", json={"pages": order(), "customer": "C-9", "id": "scan-1"})

    assert answer.status_code == 201, answer.text
    assert (answer.json()["is_pdf"], answer.json()["table_count"]) == (False, 1)
    bad = {"pages": [{"width": 595, "height": 842, "words": [[0, 0, 9, 9, "far away"]]}]}
    _problem(someone.post("/v1/documents:words", json=bad), 422, "invalid_input")


# A whole turn


def test_an_order_is_sent_extracted_corrected_and_confirmed(served: Served) -> None:
    """Stories 1 to 5 over HTTP: an operator works, and an integrator looks at the analytics."""
    with served.client(Role.OPERATOR) as operator, served.client(Role.INTEGRATOR) as integrator:
        made = _sent(operator, id="order-1")
        draft = operator.post("/v1/documents/order-1/drafts", json={}).json()
        assert draft["document"] == "order-1"
        path = f"/v1/drafts/{draft['id']}"

        added = operator.post(f"{path}/lines", json={"sku": "ABC-123", "qty": 10, "by": "dana"}).json()
        number = added["lines"][-1]["number"]
        changed = operator.patch(f"{path}/lines", json={"line": number, "qty": 12, "by": "dana"}).json()
        assert changed["lines"][-1]["fields"]["qty"]["value"] == 12
        operator.post(f"{path}/fields/order_number", json={"value": "PO-4711", "by": "dana"})
        operator.post(f"{path}/customer", json={"customer": "C-9", "by": "dana"})
        mapping = {"key": "ABC-123", "value": "INT-999", "customer": "C-9", "draft": draft["id"], "by": "dana"}
        confirmed = operator.post("/v1/mappings/confirmation", json=mapping).json()
        assert (confirmed["state"], confirmed["confidence"], confirmed["support_count"]) == ("CONFIRMED", 1.0, 1)
        rejected = operator.post("/v1/mappings/rejection", json={**mapping, "value": "INT-998"}).json()
        assert rejected["state"] == "REJECTED"
        final = operator.post(f"{path}/confirmation", json={"by": "dana"}).json()

        assert final["status"] == "confirmed"
        assert final["fields"]["order_number"]["value"] == "PO-4711"
        assert final["lines"][-1]["mappings"]["sku"]["value"] == "INT-999"
        assert operator.get(path).json() == final
        examples = operator.get(f"/v1/layouts/{made['layout']}/examples").json()["items"]
        assert [one["output"] for one in examples] == [
            {"field": "order_number", "order_number": "PO-4711"}, {"qty": 12}, {"sku": "ABC-123", "qty": 10}
        ]  # fmt: skip
        assert all("Order number: 4711" in one["input_snippet"] for one in examples)
        events = integrator.get(f"/v1/layouts/{made['layout']}/events").json()["items"]
        assert [event["kind"] for event in events if event["kind"] in FEEDBACK] == [
            "CUSTOMER_SELECTED", "EXTRACTION_FIELD_CORRECTED", "EXTRACTION_LINE_CORRECTED", "EXTRACTION_LINE_CORRECTED"
        ]  # fmt: skip
        assert (events[-2]["before"], events[-2]["after"]) == ({"qty": 10}, {"qty": 12})
        assert operator.get("/v1/mappings", params={"customer": "C-9"}).json()["items"] == [confirmed]


def test_a_draft_that_is_not_there_is_not_found(someone: httpx2.Client) -> None:
    _problem(someone.get("/v1/drafts/nowhere"), 404, "not_found")
    _problem(someone.post("/v1/drafts/nowhere/fields/currency", json={"value": "EUR"}), 404, "not_found")
    _problem(someone.post("/v1/documents/nowhere/drafts", json={}), 404, "not_found")


@pytest.mark.parametrize(
    "body",
    [{}, {"value": {"a": 1}}, {"value": [1]}, {"value": True}, {"value": "x" * 5_000}, {"value": 1, "nonsense": 2}],
    ids=["none", "object", "list", "truth", "long", "more"],
)
def test_a_value_that_cannot_be_one_is_refused(someone: httpx2.Client, body: dict[str, Any]) -> None:
    document = someone.post("/v1/documents:words", json={"pages": order()}).json()["id"]
    draft = someone.post(f"/v1/documents/{document}/drafts", json={}).json()["id"]

    assert someone.post(f"/v1/drafts/{draft}/fields/currency", json=body).status_code == 422
    assert someone.get(f"/v1/drafts/{draft}").json()["corrections"] == []


# Analytics


def _filled(served: Served, org: str = "acme") -> str:
    """An organisation in which somebody corrected something on the second of January; its layout."""
    loop = served.loop.org(org)
    at = datetime(2026, 1, 2, 12, tzinfo=UTC)
    draft = loop.apply.extract(loop.capture.document_words(order(), at=at))
    loop.capture.field_corrected(draft, "order_number", "PO-4711", at=at)
    loop.capture.field_corrected(draft, "order_number", "PO-4712", at=at)
    loop.capture.field_corrected(draft, "currency", "EUR", at=at)
    return draft.layout


def test_the_analytics_are_answered_as_specified(served: Served, admin: httpx2.Client) -> None:
    """FR-016, FR-017: GET /analytics/learning?start_date=X&end_date=Y with the fields of the specification."""
    layout = _filled(served)
    answer = admin.get("/v1/analytics/learning?start_date=2026-01-01&end_date=2026-01-31")

    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["start_date"], told["end_date"]) == ("2026-01-01", "2026-01-31")
    assert told["events_by_day"] == [{"date": "2026-01-02", "count": 3}]
    assert told["events_by_type"] == {"EXTRACTION_FIELD_CORRECTED": 3}
    assert told["corrected_fields"] == [{"field": "order_number", "count": 2}, {"field": "currency", "count": 1}]
    (stats,) = told["layout_stats"]
    shown = {name: stats[name] for name in ("fingerprint", "seen_count", "example_count", "feedback_count")}
    assert shown == {"fingerprint": layout[:8], "seen_count": 1, "example_count": 3, "feedback_count": 3}
    assert datetime.fromisoformat(stats["last_seen_at"]) == datetime(2026, 1, 2, 12, tzinfo=UTC)
    assert stats["correction_rate"] == 1.0
    later = admin.get("/v1/analytics/learning?start_date=2026-01-03&end_date=2026-01-04").json()
    assert (later["events_by_day"], later["corrected_fields"]) == ([], [])


@pytest.mark.parametrize(
    "query", ["start_date=2026-02-01&end_date=2026-01-01", "start_date=soon", "start_date=2026-01-01&days=3"]
)
def test_a_period_that_cannot_be_is_refused(someone: httpx2.Client, query: str) -> None:
    assert someone.get(f"/v1/analytics/learning?{query}").status_code == 422


@pytest.mark.parametrize("role", Role)
def test_only_admins_and_integrators_see_the_analytics(one_server: Served, role: Role) -> None:
    """FR-020."""
    allowed = role in (Role.ADMIN, Role.INTEGRATOR)
    with one_server.client(role) as client:
        for path in ("/v1/analytics/learning?start_date=2026-01-01&end_date=2026-01-31", "/v1/layouts/abc123/events"):
            answer = client.get(path)
            assert answer.status_code == (200 if allowed else 403), (role, path)
            assert allowed or answer.json()["code"] == "forbidden"


def test_without_a_key_there_are_no_analytics(one_server: Served) -> None:
    with httpx2.Client(base_url=one_server.url) as nobody:
        assert nobody.get("/v1/analytics/learning").status_code == 401
        assert nobody.post("/v1/documents", content=ORDER, headers=PDF).status_code == 401


def test_who_may_do_what_with_documents(one_server: Served) -> None:
    loop = one_server.loop.org("roles")
    draft = loop.apply.extract(loop.capture.document_words(order(), id="order-1"))
    asked = {
        "send": ("POST", "/v1/documents:words", {"pages": order()}),
        "extract": ("POST", "/v1/documents/order-1/drafts", {}),
        "correct": ("POST", f"/v1/drafts/{draft.id}/fields/currency", {"value": "EUR"}),
        "map": ("POST", "/v1/mappings/confirmation", {"key": "A", "value": "B"}),
        "read": ("GET", "/v1/documents/order-1", None),
        "erase": ("POST", "/v1/documents/nowhere/erasure", None),
    }
    may = {
        Role.ADMIN: {"send", "extract", "correct", "map", "read", "erase"},
        Role.INTEGRATOR: {"send", "extract", "correct", "map", "read"},
        Role.OPERATOR: {"send", "extract", "correct", "map", "read"},
        Role.REVIEWER: {"correct", "map", "read"},
        Role.VIEWER: {"read"},
    }
    for role in Role:
        with one_server.client(role, org="roles") as client:
            answers = {name: client.request(verb, path, json=body) for name, (verb, path, body) in asked.items()}
        assert {name for name, answer in answers.items() if answer.status_code != 403} == may[role], role


def test_keys_record_no_events_that_only_heedful_may(someone: httpx2.Client) -> None:
    for kind in ("DOCUMENT_RECEIVED", "DOCUMENT_EXTRACTED", "DRAFT_CONFIRMED", "DOCUMENT_DELETED", "MAPPING_LEARNED"):
        _problem(someone.post("/v1/events", json={"kind": kind}), 403, "forbidden")
    for kind in sorted(FEEDBACK):
        told = {"kind": kind, "layout": "abc123", "before": {"qty": 10}, "after": {"qty": 12}}
        assert someone.post("/v1/events", json=told).status_code == 201
    counted = someone.get("/v1/analytics/learning").json()["events_by_type"]
    assert counted == dict.fromkeys(sorted(FEEDBACK), 1)


def test_organisations_see_nothing_of_each_other(served: Served) -> None:
    """FR-010 over HTTP: documents, drafts, examples, mappings and numbers."""
    layout = _filled(served, "victim")
    loop = served.loop.org("victim")
    mapping = loop.capture.mapping_confirmed("ABC-123", "INT-999", customer="C-9")
    (document,) = loop.learn.documents.all()
    with served.client(org="attacker") as attacker:
        for path in (
            f"/v1/documents/{document.id}",
            f"/v1/documents/{document.id}/preview",
            f"/v1/drafts/{document.drafts[0]}",
            f"/v1/mappings/{mapping.id}",
            f"/v1/layouts/{layout}",
        ):
            assert attacker.get(path).status_code == 404, path
        for path in ("/v1/documents", "/v1/mappings", "/v1/layouts", f"/v1/layouts/{layout}/examples"):
            assert attacker.get(path).json()["items"] == [], path
        assert attacker.get(f"/v1/layouts/{layout}/events").json()["items"] == []
        told = attacker.get("/v1/analytics/learning?start_date=2026-01-01&end_date=2026-12-31").json()
        assert (told["events_by_day"], told["layout_stats"], told["documents"]) == ([], [], 0)
        act = attacker.post(f"/v1/drafts/{document.drafts[0]}/fields/currency", json={"value": "X"})
        assert act.status_code == 404
        assert attacker.delete(f"/v1/documents/{document.id}").status_code == 404
        assert attacker.post(f"/v1/documents/{document.id}/erasure").status_code == 404
    assert loop.learn.documents.get(document.id) == document


# The same through the Python client


def test_the_client_does_the_same_as_the_loop(served: Served, tmp_path: Path) -> None:
    sample = sample_document("hartmann", 1)
    path = tmp_path / sample.name
    path.write_bytes(sample.content)
    with heedful.Client(served.url, served.key()) as client:
        document = client.capture.document(path, customer="C-9", by="dana")
        assert (document.name, document.is_pdf) == (sample.name, True)
        draft = client.apply.extract(document)
        added = client.capture.line_added(draft, sku="ABC-123", qty=10, by="dana")
        number = added.lines[-1].number
        client.capture.line_corrected(draft, line=number, qty=12, values={"colour": "red"}, by="dana")
        client.capture.field_corrected(draft, "order_number", "PO-4711", by="dana")
        client.capture.field_corrected(draft, "due_date", None, by="dana")
        client.capture.customer_selected(draft, "C-9", by="dana")
        mapping = client.capture.mapping_confirmed("ABC-123", "INT-999", customer="C-9", draft=draft, by="dana")
        client.capture.mapping_rejected("ABC-123", "INT-998", customer="C-9", by="dana")
        confirmed = client.capture.draft_confirmed(draft, by="dana")

        loop = served.loop
        assert confirmed == loop.learn.documents.draft(draft.id)
        assert confirmed.values["due_date"] is None
        line = confirmed.line(number)
        assert line is not None
        assert line.values == {"sku": "ABC-123", "qty": 12, "colour": "red"}
        assert line.mapping is not None
        assert client.learn.documents.get(document) == loop.learn.documents.get(document.id)
        assert list(client.learn.documents.all()) == list(loop.learn.documents.all())
        assert client.learn.layouts.list() == loop.learn.layouts.list()
        assert client.learn.layouts.get(document.layout) == loop.learn.layouts.get(document.layout)
        assert list(client.learn.layouts.all(document.layout)) == list(loop.learn.layouts.all(document.layout))
        assert client.learn.mappings.get(mapping.id) == loop.learn.mappings.get(mapping.id)
        assert list(client.learn.mappings.all(state=None)) == list(loop.learn.mappings.all(state=None))
        assert client.apply.hint_examples(document.layout) == loop.apply.hint_examples(document.layout)
        assert client.apply.preview(document).values == loop.apply.preview(document).values
        assert client.measure.learning() == loop.measure.learning()
        assert client.govern.documents.delete(document).deleted
        client.govern.documents.erase(document)
        with pytest.raises(NotFound):
            client.learn.documents.get(document)


def test_the_client_raises_the_same_errors(served: Served) -> None:
    with heedful.Client(served.url, served.key(Role.OPERATOR)) as client:
        with pytest.raises(EncryptedDocument):
            client.capture.document(ENCRYPTED)
        with pytest.raises(NotPdf):
            client.capture.document(b"hello")
        client.capture.document(ORDER, id="order-1")
        with pytest.raises(Conflict):
            client.capture.document(OTHER, id="order-1")
        with pytest.raises(Forbidden):
            client.measure.learning()
        with pytest.raises(Forbidden):
            client.govern.documents.erase("order-1")


def test_documents_in_async_code(served: Served) -> None:
    async def turn() -> Any:
        async with heedful.aio.Client(served.url, served.key()) as client:
            document = await client.capture.document(ORDER, id="order-1")
            draft = await client.apply.extract(document)
            return await client.capture.field_corrected(draft, "order_number", "PO-4711")

    draft = asyncio.run(turn())
    assert draft.values["order_number"] == "PO-4711"
    assert json.loads(draft.to_json())["document"] == "order-1"
