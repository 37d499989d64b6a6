"""An embedder that reports its failures, even where callers continue without vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from heedful.errors import Misconfigured, ProviderError
from heedful.records.embedding import Embedder
from heedful.records.health import CheckResult, failure, ok

if TYPE_CHECKING:
    from heedful.records.embedding import Vectors


class ReportingEmbedder:
    def __init__(self, embedder: Embedder, on_failure: Callable[[ProviderError], object]) -> None:
        self._embedder = embedder
        self._on_failure = on_failure

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        try:
            return self._embedder.embed(texts)
        except ProviderError as error:
            self._on_failure(error)
            raise


def inspect(embedder: Embedder) -> CheckResult:
    """Checks that the embedder works: without it, search uses words only."""
    try:
        embedder.embed(["a text"])
    except (ProviderError, Misconfigured) as error:
        says = f"{embedder.name}: {error.message} Search uses words only."
        return failure("embedder", says, error.hint)
    return ok("embedder", embedder.name)
