"""Where an output repeats a corrected mistake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heedful.apply.corrections.substitution import Pair, Replacement, changes, same_sentence
from heedful.records.correction import Correction
from heedful.records.reading import CorrectedMistake, Reader
from heedful.text.sentences import sentence_at

REPEATS = 0.7
"""The probability from which the same words are the same mistake."""
_REACH = 300  # characters of a passage to either side


@dataclass(frozen=True, slots=True)
class MistakePlaces:
    reader: Reader

    def find(self, output: str, correction: Correction) -> list[Replacement]:
        """In order. The corrected sentence itself is always put right; elsewhere the same words may be right, so the
        reader decides, unless nothing is known of the situation."""
        pair = pair_of(correction)
        certain = same_sentence(output, correction.context, correction.wrong, correction.right)
        found = changes(output, pair.wrong, pair.right, context=pair.context)
        others = [place for place in found if not _overlaps(place, certain)]
        if pair.context or correction.said:
            mistake = _mistake(correction)
            others = [place for place in others if self.reader.repeats(_passage(output, place), mistake) >= REPEATS]
        return sorted([*certain, *others])


def pair_of(correction: Correction) -> Pair:
    return Pair(correction.wrong, correction.right, f"{correction.query}\n{correction.context}".strip())


def _mistake(correction: Correction) -> CorrectedMistake:
    said = correction.said or f"{correction.right}, not {correction.wrong}"
    return CorrectedMistake(correction.query, correction.context or correction.wrong, said, correction.wrong)


def _passage(output: str, place: Replacement) -> str:
    start, end = sentence_at(output, place.start, place.end, _REACH)
    return output[start:end].strip()


def _overlaps(place: Replacement, others: Sequence[Replacement]) -> bool:
    return any(place.start < other.end and other.start < place.end for other in others)
