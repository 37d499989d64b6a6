"""The API keeps what its description promises: requests made up from it, good and bad, find no way around it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from pydantic import TypeAdapter
from schemathesis.specs.openapi.checks import positive_data_acceptance

from heedful.edges.request_body import Timeouts
from heedful.edges.server import Server
from heedful.errors import InvalidInput
from heedful.settings import Settings
from heedful.testing.documents import sample_document
from heedful.wire import wires
from tests.examples import examples
from tests.serving import Served, serving

EXAMPLES = examples(14).max_examples  # of each operation


@schemathesis.serializer("application/x-ndjson", "application/pdf")
def raw(_: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = Settings(database=str(tmp_path_factory.mktemp("api") / "heedful.db"), org="acme", rate_limit=0)
    with serving(Server(place, worker=False, timeouts=Timeouts(wrong_key=0.0))) as served:
        yield served


@pytest.fixture(scope="module")
def description(running: Served) -> Any:
    loaded = schemathesis.openapi.from_url(f"{running.url}/v1/openapi.json")
    key = running.key()

    @loaded.auth()
    class Key:
        def get(self, *_: Any) -> str:
            return f"Bearer {key}"

        def set(self, case: Any, data: str, _: Any) -> None:
            case.headers = {**(case.headers or {}), "Authorization": data}

    return loaded


JUDGED = {
    f"{wire.operation.verb} {wire.operation.path}"
    for wire in wires()
    if any(issubclass(kind, InvalidInput) for kind in wire.operation.errors)
}
"""Operations that say of themselves that what has the right shape may still be refused."""

schema = schemathesis.pytest.from_fixture("description")


@pytest.mark.slow
@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_whatever_is_sent_the_answer_is_as_described(case: Any) -> None:
    label = f"{case.operation.method.upper()} {case.operation.path.removeprefix('/v1')}"
    more_than_shapes = label in JUDGED
    case.call_and_validate(excluded_checks=[positive_data_acceptance] if more_than_shapes else None)


def test_every_operation_has_a_summary_an_example_and_its_errors(running: Served) -> None:
    document = httpx2.get(f"{running.url}/v1/openapi.json", timeout=60).json()
    for path, methods in document["paths"].items():
        for verb, operation in methods.items():
            where = f"{verb} {path}"
            assert operation["summary"], where
            assert operation["x-codeSamples"][0]["source"].startswith("curl "), where
            assert {"401", "403", "429", "503"} <= set(operation["responses"]), where
            body = operation.get("requestBody", {}).get("content", {})
            assert all("example" in content for content in body.values()), where
            for parameter in operation["parameters"]:
                assert not parameter["required"] or "example" in parameter, where


def test_no_two_records_that_are_answered_have_one_name() -> None:
    """The description has one place for each name: a second record would take that of the first."""
    described: dict[str, Any] = {}
    for wire in (wire for wire in wires() if not wire.operation.streams):
        schema = TypeAdapter(wire.answer_model()).json_schema(mode="serialization")
        for name, one in schema.get("$defs", {}).items():
            assert described.setdefault(name, one) == one, (wire.id, name)
    assert len(described) > 50


def test_every_example_works_as_it_is_typed(one_server: Served, tmp_path: Path) -> None:
    (tmp_path / "acts.ndjson").write_text('{"kind": "FIELD_SET"}\n')
    (tmp_path / "order.pdf").write_bytes(sample_document("hartmann", 1).content)
    document = httpx2.get(f"{one_server.url}/v1/openapi.json", timeout=60).json()
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    environ = {**os.environ, "HEEDFUL_KEY": one_server.key(org="examples")}
    for operation in operations:
        typed = operation["x-codeSamples"][0]["source"].replace("http://127.0.0.1:8321", one_server.url)
        command = f"{typed} -s -o answer -w '%{{http_code}}'"
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environ, capture_output=True, check=True)
        # An example about one thing may name one that is not there.
        assert done.stdout in (b"200", b"201", b"404"), (typed, done.stdout, (tmp_path / "answer").read_text())
