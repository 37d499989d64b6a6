"""Where an output repeats a corrected mistake."""

from __future__ import annotations

from heedful.apply.corrections.substitution import Pair, Replacement, changes, same_sentence
from heedful.records.correction import Correction


def places(output: str, correction: Correction) -> list[Replacement]:
    """In order. The corrected sentence itself is always put right; elsewhere only where the surroundings agree."""
    pair = pair_of(correction)
    certain = same_sentence(output, correction.context, correction.wrong, correction.right)
    found = changes(output, pair.wrong, pair.right, context=pair.context)
    others = [place for place in found if not any(place.start < one.end and one.start < place.end for one in certain)]
    return sorted([*certain, *others])


def pair_of(correction: Correction) -> Pair:
    return Pair(correction.wrong, correction.right, f"{correction.query}\n{correction.context}".strip())
