"""What a document says: header fields and lines, by rules and by what people corrected in documents of its layout."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.apply.documents.learned_lines import LineLearning
from heedful.apply.documents.learning import HeaderLearning
from heedful.records.document import DocumentText, Example, Extraction


def extracted(text: DocumentText, examples: Sequence[Example]) -> Extraction:
    """The fields and lines of a document. `examples` are earlier documents of its layout, newest first."""
    return Extraction(HeaderLearning(text, examples).fields(), LineLearning(text, examples).lines())
