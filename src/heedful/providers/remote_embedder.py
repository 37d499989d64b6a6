"""Embeddings from the API of OpenAI or a compatible server."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from heedful.errors import BadAnswer, Misconfigured
from heedful.providers.endpoint import Endpoint, endpoint
from heedful.providers.exchange import exchange, failed
from heedful.providers.openai import client
from heedful.providers.retries import RetryPolicy
from heedful.records.embedding import Vectors
from heedful.records.language import sendable
from heedful.settings import Settings

if TYPE_CHECKING:
    from openai import OpenAI

_SETTING = "HEEDFUL_EMBEDDER"
_AT_ONCE = 64
_LONGEST = 8_000  # characters; longer texts are cut, because servers refuse them
_NOTHING = "."  # in the place of an empty text, which servers refuse too
_MOST_DIMENSIONS = 100_000


def chosen(settings: Settings) -> RemoteEmbedder:
    """The embedder of HEEDFUL_EMBEDDER, if it is not the local one."""
    if settings.embedder.startswith("anthropic"):
        raise Misconfigured(
            "Anthropic offers no embedder.", hint=f"Set {_SETTING} to local, openai:MODEL or compatible:MODEL."
        )
    own = {"openai": settings.openai_key}
    found = endpoint(
        settings.embedder, setting=_SETTING, url=settings.embedder_url, key=settings.embedder_key, key_of=own.get
    )
    return RemoteEmbedder(found)


class RemoteEmbedder:
    """Thread-safe."""

    def __init__(self, endpoint: Endpoint, retries: RetryPolicy | None = None) -> None:
        self._endpoint = endpoint
        self._retries = retries or RetryPolicy()
        self._dimensions: int | None = None

    @property
    def name(self) -> str:
        return self._endpoint.name

    @property
    def dimensions(self) -> int:
        """From the first response; sends a request if there was none yet."""
        if self._dimensions is None:
            self.embed([_NOTHING])
        assert self._dimensions is not None
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        batches = [texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE)]
        found = [self._retries.call(partial(self._ask, batch)) for batch in batches]
        return np.concatenate(found) if found else np.empty((0, self.dimensions), np.float32)

    def _ask(self, texts: Sequence[str]) -> Vectors:
        import openai

        asked = [sendable(text[:_LONGEST]) or _NOTHING for text in texts]
        create = self._client.embeddings.with_streaming_response.create
        request = partial(create, model=self._endpoint.model, input=asked, encoding_format="float")
        body = exchange(openai, self._endpoint, request)
        rows = _rows(body, len(asked))
        if rows is None:
            raise self._bad("there is not one vector of numbers for each text")
        return self._unit(rows)

    def _unit(self, rows: list[Any]) -> Vectors:
        import numpy as np

        vectors = np.array(rows, np.float64)
        if self._dimensions not in (None, vectors.shape[1]):
            raise self._bad(f"vectors have {vectors.shape[1]} dimensions, and had {self._dimensions} before")
        # Divided by the largest first: the square of a large number is infinite.
        largest = np.abs(vectors).max(axis=1, keepdims=True)
        if not (np.isfinite(largest) & (largest > 0)).all():
            raise self._bad("a vector has no direction")
        self._dimensions = vectors.shape[1]
        vectors /= largest
        unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def _bad(self, wrong: str) -> BadAnswer:
        hint = f"Check the model in {_SETTING}."
        return failed(BadAnswer, f"The answer of {self.name} cannot be used: {wrong}.", hint=hint)

    @cached_property
    def _client(self) -> OpenAI:
        return client(self._endpoint)

    def __repr__(self) -> str:
        return f"<{self.name} at {self._endpoint.host}>"


def _rows(body: object, count: int) -> list[Any] | None:
    """In the order of the texts, whatever the order of the response."""
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, list) or len(data) != count or not all(isinstance(item, dict) for item in data):
        return None
    by_place = {str(item.get("index", place)): item.get("embedding") for place, item in enumerate(data)}
    rows = [by_place.get(str(place)) for place in range(count)]
    return rows if _is_table(rows) else None


def _is_table(rows: list[Any]) -> bool:
    width = len(rows[0]) if isinstance(rows[0], list) else 0
    return 0 < width <= _MOST_DIMENSIONS and all(
        isinstance(row, list) and len(row) == width and all(type(number) in (int, float) for number in row)
        for row in rows
    )
