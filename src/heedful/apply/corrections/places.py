"""Where an output repeats a corrected mistake."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.apply.corrections.substitution import Pair, Replacement, changes, same_sentence
from heedful.records.correction import Correction
from heedful.records.reading import CorrectedMistake, Reader
from heedful.text.sentences import sentence_at
from heedful.text.terms import is_name, terms

REPEATS, REPEATS_ANYWHERE = 0.3, 0.8
"""The probability from which the same words are the same mistake: where the words around them agree, and elsewhere."""
_SAME_SITUATION = 0.5  # of the words of a passage: with more in common, nothing else is meant
_REACH = 300  # characters of a passage to either side


@dataclass(frozen=True, slots=True)
class MistakePlaces:
    reader: Reader

    def find(self, output: str, correction: Correction) -> list[Replacement]:
        """In order. The corrected sentence itself is always put right; elsewhere the same words may be right, so the
        reader decides, unless nothing is known of the situation."""
        wrong, right, context = pair_of(correction)
        certain = same_sentence(output, correction.sentence, wrong, right)
        agreeing = changes(output, wrong, right, context=context)
        if not context and not correction.said:
            return sorted([*certain, *(place for place in agreeing if not place.overlaps(certain))])
        mistake = correction.mistake()
        for place in changes(output, wrong, right, context=context, anywhere=True):
            passage = _passage(output, place)
            agrees = place in agreeing
            if place.overlaps(certain):
                continue
            if (agrees and _is_same_situation(passage, mistake)) or self.reader.repeats(passage, mistake) >= (
                REPEATS if agrees else REPEATS_ANYWHERE
            ):
                certain.append(place)
        return sorted(certain)


def pair_of(correction: Correction) -> Pair:
    return Pair(correction.wrong, correction.right, f"{correction.query}\n{correction.sentence}".strip())


def _passage(output: str, place: Replacement) -> str:
    start, end = sentence_at(output, place.start, place.end, _REACH)
    return output[start:end].strip()


def _is_same_situation(passage: str, mistake: CorrectedMistake) -> bool:
    """Most of the passage is in the question or the corrected sentence, and it names nothing else."""
    known = set(terms(f"{mistake.question}\n{mistake.sentence}"))
    besides = set(terms(passage)) - set(terms(mistake.wrong))
    new = besides - known
    return len(new) <= (1 - _SAME_SITUATION) * len(besides) and not any(map(is_name, new))
