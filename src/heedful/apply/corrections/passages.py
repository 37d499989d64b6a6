"""A sentence of an output beside the situation of a correction: what both have in common, and what speaks against it
that they are about the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from heedful.apply.corrections.substitution import Pair
from heedful.apply.corrections.substitution.compounds import Standing, standing
from heedful.learnings.kinds.correction import is_about_words
from heedful.records.correction import Correction
from heedful.records.reading import CorrectedMistake
from heedful.text.articles import with_articles
from heedful.text.commands import commands
from heedful.text.naming import as_said, is_naming
from heedful.text.replacements import Replacement
from heedful.text.reports import is_cited, is_report, is_speech, was_then
from heedful.text.sentences import sentence_at, sentences
from heedful.text.subjects import code_names, is_other_code, is_other_subject, is_spelling, is_wording, told_of
from heedful.text.terms import is_name, terms

_SAME_SITUATION = 0.5  # of the words of a passage: with more in common, nothing else is meant
_KEPT = 1_024  # pairs of words: those of a store are looked for in every output
_REACH = 300  # characters of a passage to either side


@dataclass(frozen=True)
class Passage:
    """The sentence around a place in an output at which a correction may apply."""

    output: str
    place: Replacement
    correction: Correction

    @cached_property
    def text(self) -> str:
        start, end = sentence_at(self.output, self.place.start, self.place.end, _REACH)
        return self.output[start:end].strip()

    @cached_property
    def mistake(self) -> CorrectedMistake:
        return self.correction.mistake()

    @property
    def is_speech(self) -> bool:
        """What others said stays as it was, unless that was what was wrong."""
        return (is_speech(self.text) and not is_speech(self.mistake.sentence)) or self._is_cited

    @property
    def is_report(self) -> bool:
        """So does what was said or done, or how things were."""
        was_reported = is_report(self.text) and not is_report(self.mistake.sentence)
        was = was_then(self.text.replace(self.mistake.wrong, ""), self.mistake.sentence)
        return was_reported or was or self._is_cited

    @property
    def _is_cited(self) -> bool:
        sentence, wrong = self.mistake.sentence, self.mistake.wrong
        before = sentence[: sentence.find(wrong)] if wrong in sentence else ""
        return is_cited(self.output[: self.place.start]) and not is_cited(before)

    @property
    def names_a_file(self) -> bool:
        """It names a file by the wrong words, which keeps its name: `jest is set up in jest.config.js`."""
        wrong = self.place.before
        if not wrong.isalpha() or is_spelling(wrong.lower(), self.place.after.lower()):
            return False
        return any(one[0].lower() != wrong.lower() for one in _file_of(wrong).finditer(self.text))

    @property
    def is_other_command(self) -> bool:
        """It is the first word of a command, and the correction spoke of none: not all that follows `pip` may follow
        `poetry`."""
        if " " in self.correction.wrong.strip() or not self._situation.strip():
            return False
        program = self.place.before.casefold()
        return _is_told(program, self.text) and not _is_told(program, self._situation)

    @property
    def may_be_the_word(self) -> bool:
        """It is not part of another name, nor of what others said."""
        return not (self.standing is Standing.COMPOUND or self.is_speech or self.is_told_apart)

    @cached_property
    def standing(self) -> Standing:
        if not is_wording(*pair_of(self.correction)[:2]):
            return Standing.UNSURE
        if is_spelling(self.correction.wrong, self.correction.right):
            return Standing.ALONE
        return standing(self.output, self.place, self.correction.wrong, self._situation)

    @property
    def is_alone(self) -> bool:
        return self.standing is Standing.ALONE

    @property
    def is_clear(self) -> bool:
        """It says nothing that the situation does not; or somebody reported the words, so that there is no message for
        the reader to read."""
        return not self._new_terms if self.correction.said else self.is_of_same_situation

    @property
    def is_of_same_situation(self) -> bool:
        """Most of it is in the question or the corrected sentence, and it names nothing else."""
        besides = self._terms.difference(terms(self.mistake.wrong))
        return len(self._new_terms) <= (1 - _SAME_SITUATION) * len(besides) and not any(map(is_name, self._new_terms))

    @property
    def shared(self) -> int:
        """How many words it has in common with the situation; what the message speaks of, too, counts twice."""
        words = self._terms.difference(terms(self.mistake.wrong))
        said = set(terms(self.mistake.message)).difference(terms(self.correction.right))
        return len(words & self._known) + len(words & said)

    @property
    def names_the_same_code(self) -> bool:
        """Both speak of `parse()`."""
        return not code_names(self.text).isdisjoint(code_names(f"{self.mistake.question}\n{self.mistake.sentence}"))

    @property
    def is_about_another(self) -> bool:
        """Another function, or another thing with the same value: a name or a number belongs to what it was said of."""
        mistake = self.mistake
        if is_other_code(self.text, mistake.sentence) or self.is_told_apart:
            return True
        if is_about_words(self.correction) or not mistake.sentence:
            return False
        besides = self._terms.difference(terms(mistake.wrong))
        if any(map(str.isdigit, mistake.wrong)) and besides and besides.isdisjoint(terms(self._situation)):
            return True
        return is_other_subject(self.text, mistake.sentence, apart_from=terms(mistake.wrong))

    @property
    def is_told_apart(self) -> bool:
        """It is about what the message says has the wrong words rightly: `certificates are only for tax`."""
        told = told_of(self.correction.wrong, self.correction.right, self.correction.said)
        return not told.difference(self._known).isdisjoint(self._terms)

    @cached_property
    def _situation(self) -> str:
        return f"{self.mistake.question}\n{self.mistake.sentence}\n{self.mistake.message}"

    @cached_property
    def _terms(self) -> set[str]:
        return set(terms(self.text))

    @cached_property
    def _known(self) -> set[str]:
        return set(terms(f"{self.mistake.question}\n{self.mistake.sentence}"))

    @cached_property
    def _new_terms(self) -> set[str]:
        return self._terms.difference(terms(self.mistake.wrong), self._known)


def _is_told(program: str, text: str) -> bool:
    """Whether it is told what to do there: `pip install`, and not `with pip`."""
    return any(one.text.startswith(f"{program} ") for sentence in sentences(text) for one in commands(sentence))


@lru_cache(_KEPT)
def _file_of(word: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w]){re.escape(word)}(?:[_-]\w{{1,40}})?(?:\.\w{{1,20}}){{0,3}}\.[a-z]\w{{0,4}}\b", re.IGNORECASE
    )


def pair_of(correction: Correction) -> Pair:
    """The words that are replaced, as the person wrote them."""
    wrong, right = _as_meant(correction.wrong, correction.right, correction.sentence, correction.said)
    return Pair(wrong, right, f"{correction.query}\n{correction.sentence}".strip())


@lru_cache(_KEPT)
def _as_meant(wrong: str, right: str, sentence: str, said: str) -> tuple[str, str]:
    return as_said(*with_articles(wrong, right, sentence, said), said) if said else (wrong, right)


def is_of_words(correction: Correction) -> bool:
    """Whether it is about words to use, whatever is spoken of: `guests`, never `clients`."""
    pair = pair_of(correction)
    if not is_wording(pair.wrong, pair.right):
        return False
    return is_naming(correction.said, pair.wrong, pair.right) if correction.said else is_about_words(correction)
