"""No secret reaches the database through the server: by any route, one by one or many at once."""

from __future__ import annotations

import orjson

from heedful.wire import dump, wires
from tests.contract.test_redaction import JSON, KEY_ID, filled, poisoned, refuse_secrets, stored
from tests.serving import Served

_JSON = {"content-type": "application/json"}


def test_no_route_stores_a_secret_wherever_it_stands(served: Served) -> None:
    loop = served.loop
    ids = filled(loop)
    with served.client() as client:
        for wire in wires():
            operation = wire.operation
            if operation.streams or wire.in_query:
                continue
            told = poisoned(wire, ids)
            path = operation.path.format(**{parameter.name: told[parameter.name] for parameter in wire.in_path})
            body = {parameter.name: told[parameter.name] for parameter in wire.beside_path if parameter.name in told}
            answer = client.post if operation.verb == "POST" else client.patch
            status = answer(f"/v1{path}", content=dump(body), headers=_JSON).status_code
            assert status in ((200, 201) if operation.creates else (200, 201, 404, 409, 422)), wire.id
        act = orjson.dumps({"kind": "FIELD_SET", "before": JSON, "after": JSON, "meta": JSON})
        lines = client.post("/v1/events:batch", content=act + b"\n" + act + b"\n")
        assert b"error" not in lines.content
        refused = client.post("/v1/events", json={"kind": "FIELD_SET", "actor": KEY_ID})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_id")
    refuse_secrets(stored(loop))
