"""Where an output repeats a corrected mistake."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.apply.corrections.substitution import Pair, Replacement, changes, same_sentence
from heedful.records.correction import Correction
from heedful.records.reading import Reader
from heedful.text.sentences import sentence_at

REPEATS, REPEATS_ANYWHERE = 0.7, 0.9
"""The probability from which the same words are the same mistake: where the words around them agree, and elsewhere."""
_REACH = 300  # characters of a passage to either side


@dataclass(frozen=True, slots=True)
class MistakePlaces:
    reader: Reader

    def find(self, output: str, correction: Correction) -> list[Replacement]:
        """In order. The corrected sentence itself is always put right; elsewhere the same words may be right, so the
        reader decides, unless nothing is known of the situation."""
        wrong, right, context = pair_of(correction)
        certain = same_sentence(output, correction.context, wrong, right)
        agreeing = changes(output, wrong, right, context=context)
        if not context and not correction.said:
            return sorted([*certain, *(place for place in agreeing if not place.overlaps(certain))])
        mistake = correction.mistake()
        for place in changes(output, wrong, right, context=context, anywhere=True):
            least = REPEATS if place in agreeing else REPEATS_ANYWHERE
            if not place.overlaps(certain) and self.reader.repeats(_passage(output, place), mistake) >= least:
                certain.append(place)
        return sorted(certain)


def pair_of(correction: Correction) -> Pair:
    return Pair(correction.wrong, correction.right, f"{correction.query}\n{correction.context}".strip())


def _passage(output: str, place: Replacement) -> str:
    start, end = sentence_at(output, place.start, place.end, _REACH)
    return output[start:end].strip()
