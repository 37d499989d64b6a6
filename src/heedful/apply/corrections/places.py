"""Where an output repeats a corrected mistake."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.apply.corrections.substitution import Pair, Replacement, changes, same_sentence
from heedful.learnings.kinds.correction import is_about_words
from heedful.records.correction import Correction
from heedful.records.reading import CorrectedMistake, Reader
from heedful.text.reports import is_cited, is_report
from heedful.text.sentences import sentence_at
from heedful.text.subjects import is_other_code, is_other_subject
from heedful.text.terms import is_name, terms

REPEATS, REPEATS_IN_SITUATION, REPEATS_ANYWHERE, REPEATS_WORDING, REPEATS_OF_ANOTHER = 0.3, 0.2, 0.6, 0.12, 0.7
"""The probability from which the same words are the same mistake: where the words around them agree, in the situation
that was corrected, elsewhere, if the correction is about the words themselves and holds always, and where the passage
seems to be about another thing."""
_SAME_SITUATION = 0.5  # of the words of a passage: with more in common, nothing else is meant
_REACH = 300  # characters of a passage to either side


@dataclass(frozen=True, slots=True)
class MistakePlaces:
    reader: Reader

    def find(self, output: str, correction: Correction, question: str = "") -> list[Replacement]:
        """In order. The corrected sentence itself is always put right; elsewhere the same words may be right, so the
        reader decides, unless nothing is known of the situation. `question` is what the output answers."""
        wrong, right, context = pair_of(correction)
        certain = same_sentence(output, correction.sentence, wrong, right, correction.fixed)
        if not (wrong and right):
            return certain
        agreeing = changes(output, wrong, right, context=context)
        if not context and not correction.said:
            told = [place for place in agreeing if not is_report(_passage(output, place))]
            return sorted([*certain, *(place for place in told if not place.overlaps(certain))])
        if is_other_subject(question, correction.query) and not is_about_words(correction):
            return certain  # the yearly pass is not the monthly one
        for place in changes(output, wrong, right, context=context, anywhere=True):
            if not place.overlaps(certain) and self._repeats(output, place, correction, agrees=place in agreeing):
                certain.append(place)
        return sorted(certain)

    def _repeats(self, output: str, place: Replacement, correction: Correction, *, agrees: bool) -> bool:
        mistake, passage = correction.mistake(), _passage(output, place)
        if _is_report(passage, mistake):
            return False
        if is_cited(output[: place.start]) and not is_cited(_before(mistake)) and not is_about_words(correction):
            return False
        if agrees and _is_clear(passage, mistake, is_reported=not correction.said):
            return not _is_about_another(passage, mistake, about_words=is_about_words(correction))
        return self.reader.repeats(passage, mistake) >= _least(passage, mistake, correction, agrees=agrees)


def _least(passage: str, mistake: CorrectedMistake, correction: Correction, *, agrees: bool) -> float:
    about_words = is_about_words(correction)
    if _is_about_another(passage, mistake, about_words=about_words):
        return REPEATS_OF_ANOTHER
    if about_words and correction.always:
        return REPEATS_WORDING
    if _is_same_situation(passage, mistake):
        return REPEATS_IN_SITUATION
    return REPEATS if agrees else REPEATS_ANYWHERE


def pair_of(correction: Correction) -> Pair:
    return Pair(correction.wrong, correction.right, f"{correction.query}\n{correction.sentence}".strip())


def _passage(output: str, place: Replacement) -> str:
    start, end = sentence_at(output, place.start, place.end, _REACH)
    return output[start:end].strip()


def _is_clear(passage: str, mistake: CorrectedMistake, *, is_reported: bool) -> bool:
    """The passage says nothing that the situation does not; or somebody reported the words, so that there is no message
    for the reader to read."""
    return _is_same_situation(passage, mistake) if is_reported else not _new_terms(passage, mistake)


def _is_same_situation(passage: str, mistake: CorrectedMistake) -> bool:
    """Most of the passage is in the question or the corrected sentence, and it names nothing else."""
    new, all_ = _new_terms(passage, mistake), set(terms(passage)) - set(terms(mistake.wrong))
    return len(new) <= (1 - _SAME_SITUATION) * len(all_) and not any(map(is_name, new))


def _new_terms(passage: str, mistake: CorrectedMistake) -> set[str]:
    return set(terms(passage)).difference(terms(mistake.wrong), terms(f"{mistake.question}\n{mistake.sentence}"))


def _before(mistake: CorrectedMistake) -> str:
    return mistake.sentence[: mistake.sentence.find(mistake.wrong)] if mistake.wrong in mistake.sentence else ""


def _is_report(passage: str, mistake: CorrectedMistake) -> bool:
    """What was said or done stays as it was, unless that was what was wrong."""
    return is_report(passage) and not is_report(mistake.sentence)


def _is_about_another(passage: str, mistake: CorrectedMistake, *, about_words: bool) -> bool:
    """Another function, or another thing with the same value: a name or a number belongs to what it was said of."""
    if is_other_code(passage, mistake.sentence):
        return True
    if about_words or not mistake.sentence:
        return False
    replaced = terms(mistake.wrong)
    besides = set(terms(passage)).difference(replaced)
    known = set(terms(f"{mistake.question}\n{mistake.sentence}\n{mistake.message}"))
    if any(map(str.isdigit, mistake.wrong)) and besides and besides.isdisjoint(known):
        return True
    return is_other_subject(passage, mistake.sentence, apart_from=replaced)
