"""Vectors from a server are as sound as our own, or they are refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful.errors import BadAnswer, Misconfigured, MissingExtra, ProviderError, ProviderRefused, ProviderUnreachable
from heedful.providers.embedder import LocalEmbedder
from heedful.providers.endpoint import Endpoint
from heedful.providers.remote_embedder import RemoteEmbedder, chosen
from heedful.providers.retries import RetryPolicy
from heedful.records.embedding import Embedder
from heedful.settings import Settings
from tests.llm_server import BrokenOff, LlmServer, Received, Reply, Silence, Step, embeddings, llm_server, problem

KEY = "sk-very-secret-key-0123456789"


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with llm_server() as served:
        yield served


@pytest.fixture(scope="module")
def echo() -> Iterator[RemoteEmbedder]:
    """An embedder whose server makes a vector of each text's length."""
    with llm_server() as served:
        served.respond(_of_lengths)
        yield _embedder(served)


def _embedder(server: LlmServer, seconds: float = 20.0, pauses: list[float] | None = None) -> RemoteEmbedder:
    found = Endpoint("compatible", "tiny", f"{server.url}/v1", KEY, "HEEDFUL_EMBEDDER", seconds)
    slept = [] if pauses is None else pauses
    return RemoteEmbedder(found, RetryPolicy(sleep=slept.append, chance=lambda: 0.0))


def _of_lengths(got: Received) -> Reply:
    return embeddings([[float(len(text)), 1.0, 0.0] for text in got.body["input"]])


def test_rows_come_in_the_order_of_the_texts_and_have_length_one(server: LlmServer) -> None:
    server.will(embeddings([[3.0, 4.0], [0.0, -2.0]]))
    embedder: Embedder = _embedder(server)

    vectors = embedder.embed(["one", "two"])

    assert vectors.dtype == np.float32
    assert vectors.tolist() == [pytest.approx([0.6, 0.8]), [0.0, -1.0]]
    assert embedder.name == "compatible:tiny"
    assert embedder.dimensions == 2
    (got,) = server.received
    assert (got.path, got.headers["authorization"]) == ("/v1/embeddings", f"Bearer {KEY}")
    assert got.body == {"model": "tiny", "input": ["one", "two"], "encoding_format": "float"}


@given(texts=st.lists(st.text(max_size=20), max_size=200))
def test_any_texts_have_their_rows(echo: RemoteEmbedder, texts: list[str]) -> None:
    vectors = echo.embed(texts)

    assert vectors.shape == (len(texts), 3)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    lengths = [max(1, len(text)) for text in texts]
    assert np.allclose(vectors[:, 0], [length / np.hypot(length, 1) for length in lengths])


def test_many_texts_go_in_batches(server: LlmServer) -> None:
    server.respond(_of_lengths)

    _embedder(server).embed(["x"] * 130)

    assert [len(got.body["input"]) for got in server.received] == [64, 64, 2]


def test_the_dimensions_are_asked_for_when_they_are_needed_first(server: LlmServer) -> None:
    server.respond(_of_lengths)
    embedder = _embedder(server)

    assert embedder.embed([]).shape == (0, 3)
    assert embedder.dimensions == 3
    assert len(server.received) == 1


def test_what_servers_refuse_is_not_sent(server: LlmServer) -> None:
    server.respond(_of_lengths)

    _embedder(server).embed(["", "x" * 100_000, "a\ud800"])

    assert server.received[0].body["input"] == [".", "x" * 8_000, "a?"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"data": None},
        {"data": []},
        {"data": [7, 7]},
        {"data": [{"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": [], "embedding": [1.0]}, {"index": {}, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]},
        {"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]},
        {"data": [{"index": 0, "embedding": "AAAA"}, {"index": 1, "embedding": "AAAA"}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [None]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [True]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [[1.0]]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [0.0]}]},
        b'{"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [NaN]}]}',
        b'{"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1e999]}]}',
        b"not JSON",
    ],
    ids=range(18),
)
def test_an_answer_that_is_not_a_vector_for_each_text_is_refused(server: LlmServer, body: Any) -> None:
    server.will(Reply(body))
    embedder = _embedder(server)

    with pytest.raises(BadAnswer):
        embedder.embed(["one", "two"])

    server.will(embeddings([[1.0, 1.0]]))
    assert embedder.dimensions == 2  # nothing was learned from it


def test_another_dimension_than_before_is_refused(server: LlmServer) -> None:
    server.will(embeddings([[1.0, 2.0]]), embeddings([[1.0, 2.0, 3.0]]))
    embedder = _embedder(server)
    embedder.embed(["one"])

    with pytest.raises(BadAnswer, match="3 dimensions, and had 2 before"):
        embedder.embed(["one"])


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_vectors_of_any_length_become_length_one(server: LlmServer, size: float) -> None:
    server.will(embeddings([[3 * size, 4 * size]]))

    assert _embedder(server).embed(["one"])[0].tolist() == pytest.approx([0.6, 0.8])


def test_a_server_that_stumbles_is_asked_again(server: LlmServer) -> None:
    server.will(problem(429, "rate_limit", retry_after="3"), problem(500, "oops"), BrokenOff(), embeddings([[1.0]]))
    pauses: list[float] = []

    assert _embedder(server, pauses=pauses).embed(["one"]).tolist() == [[1.0]]
    assert pauses == [3.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("step", "error", "requests"),
    [
        (problem(401, "invalid_api_key", KEY), ProviderRefused, 1),
        (problem(404, "model_not_found"), ProviderRefused, 1),
        (problem(500, "oops"), ProviderUnreachable, 4),
        (Silence(), ProviderUnreachable, 4),
    ],
    ids=["key", "model", "away", "silent"],
)
def test_what_goes_wrong_has_a_name(server: LlmServer, step: Step, error: type[ProviderError], requests: int) -> None:
    server.respond(lambda _: step)

    with pytest.raises(error) as raised:
        _embedder(server, seconds=20.0 if requests == 1 or isinstance(step, Reply) else 0.1).embed(["one"])

    assert len(server.received) == requests
    assert KEY not in f"{raised.value!r} {raised.value}"


def _settings(**environ: str) -> Settings:
    return Settings.read({"HEEDFUL_DATABASE": "x.db", **environ})


def test_the_local_embedder_is_the_default(tmp_path: Path) -> None:
    settings = replace(_settings(OPENAI_API_KEY=KEY), database=str(tmp_path / "a.db"))
    with heedful.open(settings=settings) as loop:
        (found,) = loop.inspect_models()

    assert (found.status, found.says) == ("ok", LocalEmbedder.name)


def test_a_key_goes_to_whom_it_belongs(server: LlmServer) -> None:
    url = f"{server.url}/v1"
    for environ in (
        {"HEEDFUL_EMBEDDER": "compatible:tiny"},
        {"HEEDFUL_EMBEDDER": "compatible:tiny", "HEEDFUL_EMBEDDER_KEY": "mine"},
        {"HEEDFUL_EMBEDDER": "openai:tiny"},
    ):
        server.will(embeddings([[1.0]]))
        embedder = chosen(_settings(**environ, HEEDFUL_EMBEDDER_URL=url, OPENAI_API_KEY=KEY, HEEDFUL_LLM_KEY="other"))
        assert embedder is not None
        assert KEY not in repr(embedder)
        embedder.embed(["one"])

    sent = [got.headers["authorization"] for got in server.received]
    assert sent == ["Bearer none", "Bearer mine", f"Bearer {KEY}"]


@pytest.mark.parametrize(
    ("environ", "what"),
    [
        ({"HEEDFUL_EMBEDDER": "openai"}, "not of the form provider:MODEL"),
        ({"HEEDFUL_EMBEDDER": "minilm"}, "not of the form provider:MODEL"),
        ({"HEEDFUL_EMBEDDER": "openai:x"}, "HEEDFUL_EMBEDDER_KEY or OPENAI_API_KEY"),
        ({"HEEDFUL_EMBEDDER": "compatible:x"}, "Set HEEDFUL_EMBEDDER_URL"),
        ({"HEEDFUL_EMBEDDER": "anthropic:x"}, "Anthropic offers no embedder"),
    ],
)
def test_a_setting_that_cannot_work_is_named(environ: dict[str, str], what: str) -> None:
    with pytest.raises(Misconfigured, match=what):
        chosen(_settings(**environ))


def test_without_the_sdk_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)

    with pytest.raises(MissingExtra, match=r"pip install 'heedful\[llm\]'"):
        chosen(_settings(HEEDFUL_EMBEDDER="openai:x", OPENAI_API_KEY=KEY))
