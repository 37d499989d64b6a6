"""Layouts of documents: an exact fingerprint, and features by which a document of the same sender is found again.

The fingerprint changes with every page more or less. So documents are also gathered in families: each has features,
the database counts in how many documents of each family a feature occurs, and a new document joins the family that
it shares most with, or begins one.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from hashlib import blake2b, sha256
from math import fsum, sqrt
from typing import Any, NamedTuple

from heedful.learnings.documents.identity import marks
from heedful.learnings.documents.segments import Segment, fold_all, has_digit, segments
from heedful.records.document import DocumentText, PageText

JOIN = 0.25
"""A document joins a family that is at least as similar."""


class Features(NamedTuple):
    """What a document has in common with others of its layout. No text can be read from it."""

    tokens: tuple[str, ...]
    """A letter for the class, and a hash."""


class FamilyMatch(NamedTuple):
    family: str
    similarity: float
    """From 0 to 1."""
    joins: bool
    """It is similar enough to be of the same layout."""


class _Class(NamedTuple):
    weight: float
    enough: int
    """A document with as many tokens has the whole weight."""
    most: int


_CLASSES = {
    "i": _Class(0.25, 3, 24),  # numbers and domains of the sender
    "n": _Class(0.50, 12, 40),  # names and addresses, in pieces
    "e": _Class(0.10, 24, 40),  # the edges of the first page, in pieces
    "r": _Class(0.05, 12, 16),  # the recipient: the same on most documents
    "l": _Class(0.10, 24, 60),  # labels, and where they stand
}
_LITTLE = 0.05
"""Evidence that is taken for granted to speak against every family, so that next to none is not certainty."""

_CONFIRMING = 6
"""A sixth of the numbers, domains and edges confirms the names."""

_PIECE, _PIECE_CJK = 5, 3  # characters
_CJK = "\u2e80"  # the first character of the scripts in which a character is a word
_COLUMNS, _ROWS = 6, 4  # of the grid in which labels stand
_VALUES = 1  # of a row with a label; rows of tables have more
_LABEL_WORDS = 3
_SHORTEST_LABEL = 3  # characters


def fingerprint(text: DocumentText) -> str:
    """The same for documents with the same pages, tables and share of the area with text."""
    return fingerprint_of(
        {
            "page_count": len(text.pages),
            "page_dimensions": text.dimensions,
            "table_count": text.tables,
            "text_coverage_ratio": text.coverage,
        }
    )


def fingerprint_of(metadata: Mapping[str, Any]) -> str:
    features = {
        "page_count": metadata.get("page_count"),
        "page_dimensions": metadata.get("page_dimensions"),
        "table_count": metadata.get("table_count"),
        "text_coverage_ratio": round(metadata.get("text_coverage_ratio", 0), 2),
    }
    return sha256(json.dumps(features, sort_keys=True).encode()).hexdigest()


def features(text: DocumentText) -> Features:
    """Of the first two pages and the last one; values that differ from document to document are left out."""
    pages = [segments(page) for page in _telling(text.pages)]
    if not pages:
        return Features(())
    found = marks(pages)
    edges = _pieces(found.edges)
    recipient = _pieces(found.recipient) - edges
    return Features(
        (
            *_tokens("i", found.numbers - found.recipient),
            *_tokens("n", _pieces(found.names) - recipient),
            *_tokens("e", edges),
            *_tokens("r", recipient),
            *_tokens("l", _labels(pages[0], found.parties)),
        )
    )


def best_family(
    features: Features, rows: Mapping[str, Mapping[str, int]], sizes: Mapping[str, int]
) -> FamilyMatch | None:
    """The family most similar to a document.

    rows: in how many documents of each family each of its tokens occurs. sizes: the documents of each family.
    """
    families = _evidence(features, rows, sizes)
    if not families:
        return None
    similarity, family = max((_similarity(evidence), family) for family, evidence in families.items())
    return FamilyMatch(family, similarity, similarity >= JOIN)


class _Evidence(NamedTuple):
    """By class of tokens: how much of it a family shares with a document, and how much it could share."""

    alike: dict[str, float]
    possible: dict[str, float]


def _evidence(
    features: Features, rows: Mapping[str, Mapping[str, int]], sizes: Mapping[str, int]
) -> dict[str, _Evidence]:
    """A token loses weight with each other family that has it, so what all documents name hardly counts."""
    counts = Counter(token[0] for token in features.tokens)
    weights = {name: _CLASSES[name].weight / max(count, _CLASSES[name].enough) for name, count in counts.items()}
    found: dict[str, _Evidence] = defaultdict(lambda: _Evidence(dict.fromkeys(_CLASSES, 0.0), {}))
    possible = dict.fromkeys(_CLASSES, 0.0)
    for token in features.tokens:
        name, shares = token[0], _shares(rows.get(token, {}), sizes)
        total = fsum(shares.values())
        possible[name] += weights[name] / (1 + total)
        for family, share in shares.items():
            rare = weights[name] / (1 + total - share)
            evidence = found[family]
            evidence.alike[name] += rare * sqrt(share)
            evidence.possible[name] = evidence.possible.get(name, 0.0) + rare - weights[name] / (1 + total)
    return {
        family: _Evidence(alike, {name: possible[name] + more.get(name, 0.0) for name in possible})
        for family, (alike, more) in found.items()
    }


def _shares(counts: Mapping[str, int], sizes: Mapping[str, int]) -> dict[str, float]:
    """The share of the documents of each family that have a token."""
    return {family: min(1.0, count / max(1, sizes.get(family, 0))) for family, count in counts.items() if count > 0}


def _similarity(evidence: _Evidence) -> float:
    """Names can be of either party. They count as far as something that only the sender has is alike, too."""
    alike, possible = evidence
    sender = possible["i"] + possible["e"]
    confirmed = min(1.0, _CONFIRMING * (alike["i"] + alike["e"]) / sender) if sender else 1.0
    similar = sum(alike.values()) - (alike["n"] + alike["r"]) * (1 - confirmed)
    return max(0.0, similar / (_LITTLE + sum(possible.values())))


def _telling(pages: Sequence[PageText]) -> Sequence[PageText]:
    return pages if len(pages) <= 3 else (*pages[:2], pages[-1])


def _tokens(name: str, texts: Iterable[str]) -> list[str]:
    """The smallest hashes, so that two documents that share texts keep the same of them."""
    hashes = {blake2b(f"{name}:{text}".encode(errors="replace"), digest_size=6).hexdigest() for text in texts}
    return [f"{name}:{digest}" for digest in sorted(hashes)[: _CLASSES[name].most]]


def _pieces(texts: Iterable[str]) -> set[str]:
    """Overlapping pieces: a wrong character spoils only those around it."""
    pieces: set[str] = set()
    for text in filter(None, texts):
        size = _PIECE_CJK if max(text) >= _CJK else _PIECE
        pieces.update(text[n : n + size] for n in range(max(1, len(text) - size + 1)))
    return pieces


def _labels(page: Sequence[Segment], parties: Container[int]) -> set[str]:
    """Labels with the cell of the page where they stand, in two grids, of which a small shift changes only one."""
    values = Counter(segment.row for segment in page if any(map(has_digit, segment.words)))
    found: set[str] = set()
    for place, segment in enumerate(page):
        if place not in parties and values[segment.row] <= _VALUES and (label := _label(segment.words)):
            for half in (0.0, 0.5):
                column, row = int(_inside(segment.x0) * _COLUMNS + half), int(_inside(segment.y0) * _ROWS + half)
                found.add(f"{label}@{half}:{column}:{row}")
    return found


def _inside(place: float) -> float:
    return min(1.0, max(0.0, place))


def _label(words: Sequence[str]) -> str:
    """The text before a colon, or a segment of a few words without digits."""
    most = _LABEL_WORDS
    for place, word in enumerate(words):
        if ":" in word:
            words, most = (*words[:place], word.partition(":")[0]), most + 2
            break
    if len(words) > most or any(map(has_digit, words)):
        return ""
    label = fold_all(words)
    return label if len(label) >= _SHORTEST_LABEL else ""
