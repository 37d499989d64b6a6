"""Where an output repeats a corrected mistake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from heedful.apply.corrections.passages import Passage, is_of_words, pair_of
from heedful.apply.corrections.substitution import Where, changes, is_by_half, occurs, same_sentence
from heedful.apply.corrections.substitution.compounds import Standing, is_of_an_acronym
from heedful.learnings.kinds.correction import is_about_words
from heedful.records.correction import Correction
from heedful.records.reading import Reader
from heedful.text.replacements import Replacement
from heedful.text.subjects import is_other_subject, is_respelled, is_spelling, is_wording

REPEATS_CLOSE, REPEATS, REPEATS_ANYWHERE, REPEATS_OF_ANOTHER = 0.15, 0.35, 0.85, 0.95
"""The probability from which the same words are the same mistake, by what the passage has in common with the situation
that was corrected: much, or a name in code; something; next to nothing; and where it seems to be about another thing.
"""
_MUCH, _SOMETHING = 3, 2  # words that both have
REPEATS_WORD, REPEATS_WORD_UNSURE = 0.02, 0.12
"""The same for words to use that always hold: where the word stands by itself, so that only another meaning or owner of
it speaks against it, and where it may be part of a compound."""


@dataclass(frozen=True, slots=True)
class MistakePlaces:
    reader: Reader

    def find(self, output: str, correction: Correction, question: str = "") -> list[Replacement]:
        """In order. The corrected sentence itself is always put right; elsewhere the same words may be right, so the
        reader decides, unless nothing is known of the situation. Where some could not be changed, none of these is.
        `question` is what the output answers."""
        wrong, right, context = pair_of(correction)
        certain = same_sentence(output, correction.sentence, correction.wrong, correction.right, correction.fixed)
        if not (wrong and right and occurs(output, wrong, right, context)) or is_by_half(output, wrong, right, context):
            return certain
        found: Iterable[Replacement]
        if not context and not correction.said:
            found = [place for place in _meant_everywhere(output, correction) if not place.overlaps(certain)]
        elif correction.always and is_of_words(correction):
            found = self._words_to_use(output, correction, certain)
        elif is_other_subject(question, correction.query) and not is_about_words(correction):
            return certain  # the yearly pass is not the monthly one
        else:
            found = self._repeated(output, correction, certain)
        passages = [Passage(output, place, correction) for place in found]
        return sorted([*certain, *(one.place for one in passages if not (one.names_a_file or one.is_other_command))])

    def _words_to_use(
        self, output: str, correction: Correction, certain: Sequence[Replacement]
    ) -> Iterator[Replacement]:
        """In every plain sentence. An output that has the word in one of them means the same in the others."""
        wrong, right, context = pair_of(correction)
        found = changes(output, wrong, right, context=context, where=Where.PROSE)
        passages = [Passage(output, place, correction) for place in found if not place.overlaps(certain)]
        passages = [one for one in passages if one.may_be_the_word]
        is_certain = bool(certain) or is_spelling(wrong, right)
        is_meant = is_certain or any(one.is_alone and self._probability(one) >= REPEATS_WORD for one in passages)
        for one in passages:
            if (is_meant and one.is_alone) or self._probability(one) >= REPEATS_WORD_UNSURE:
                yield one.place

    def _repeated(self, output: str, correction: Correction, certain: Sequence[Replacement]) -> Iterator[Replacement]:
        wrong, right, context = pair_of(correction)
        agreeing = changes(output, wrong, right, context=context)
        for place in changes(output, wrong, right, context=context, where=Where.ANYWHERE):
            passage = Passage(output, place, correction)
            if not place.overlaps(certain) and self._repeats(passage, agrees=place in agreeing):
                yield place

    def _repeats(self, passage: Passage, *, agrees: bool) -> bool:
        if passage.is_report:
            return False
        is_another = passage.is_about_another or passage.standing is Standing.COMPOUND
        if agrees and passage.is_clear:
            return not is_another
        least = REPEATS_OF_ANOTHER if is_another else _least(passage)
        return self._probability(passage) >= least

    def _probability(self, passage: Passage) -> float:
        return self.reader.repeats(passage.text, passage.mistake)


def _meant_everywhere(output: str, correction: Correction) -> Iterator[Replacement]:
    """Somebody who gives two words and no situation means them everywhere."""
    wrong, right = correction.wrong, correction.right
    is_plain = is_wording(wrong, right)
    for place in changes(output, wrong, right):
        passage = Passage(output, place, correction)
        is_told = passage.is_speech if is_plain and correction.always else passage.is_report
        if not is_told and not (is_plain and is_of_an_acronym(output, place, wrong)):
            yield place


def _least(passage: Passage) -> float:
    correction = passage.correction
    if correction.always and is_about_words(correction):
        return REPEATS_WORD_UNSURE
    if passage.shared >= _MUCH or passage.names_the_same_code:
        return REPEATS_CLOSE
    is_related = passage.shared >= _SOMETHING or passage.is_of_same_situation
    return REPEATS if is_related or is_respelled(correction.wrong, correction.right) else REPEATS_ANYWHERE
