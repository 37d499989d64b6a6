"""The external services that the loop passes to the stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a hook without a daemon waits for this module, and needs none of these
    from pathlib import Path

    from heedful.records.document import PdfReader
    from heedful.records.embedding import Embedder
    from heedful.records.language import LanguageModel
    from heedful.records.reading import Reader
    from heedful.records.webhook import Poster

UNANSWERED = "provider.unanswered"
"""The topic of listeners that are called when a "language model" or an "embedder" fails: which one, and the error
code."""


@dataclass(frozen=True, slots=True)
class Outside:
    poster: Poster
    embedder: Embedder
    reader: Reader
    language: LanguageModel | None
    """None: everything runs locally, and nothing is sent anywhere."""
    pdf: PdfReader
    prompts: Path | None = None
    diffs: Path | None = None
    """The folder of diffs that reviews may name."""
