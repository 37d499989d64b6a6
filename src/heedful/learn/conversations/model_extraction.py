"""Extraction by a language model: what it is shown, what it is asked, and what of its answers can be judged_candidate.

A model can be wrong, and a conversation can try to talk it into something. So nothing counts without words that were
really answer; a rule needs the user's own, and what only a tool printed proves nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from heedful.errors import ProviderError
from heedful.learn.conversations import answer_forms
from heedful.learn.conversations.claims import claimed, claimed_rule, flaw, occurring, one_line, unproven
from heedful.learn.conversations.marks import UNEXAMINED, Marks
from heedful.learn.conversations.numbered_transcript import NumberedTranscript, numbered
from heedful.learn.conversations.prompt import chosen
from heedful.learnings.content import labelled_text
from heedful.records.form import AnswerForm
from heedful.records.insight import QUOTES_ASKED, QUOTES_MOST, SUMMARY_LIMIT, InsightCandidate, InsightCategory
from heedful.records.language import LanguageModel, ModelMessage, estimate
from heedful.records.mining import DetectedCategory
from heedful.records.transcript import Message, Speaker, Transcript
from heedful.records.variant import Asking
from heedful.text.fence import data

_LOG = logging.getLogger("heedful.mining")
_LEARNINGS = 3
_RULES = 8
_SIGNALS, _SIGNAL = 3, 100
_MORE = 3  # times as much is shown to a capable model; small ones have little room, and lose themselves in it

_T = TypeVar("_T")
_F = TypeVar("_F", bound=AnswerForm)


@dataclass(frozen=True, slots=True)
class Reply(Generic[_T]):
    found: tuple[_T, ...]
    asked: tuple[Asking, ...]
    """The prompts; empty if there was nothing to show."""
    dropped: tuple[str, ...] = ()
    """Why other parts of the answer were dropped, without quoting them."""
    shown: NumberedTranscript | None = None


class _Answer(NamedTuple, Generic[_F]):
    shown: NumberedTranscript
    answer: _F | None
    """None if there was nothing to show."""
    asked: tuple[Asking, ...]


class _Question(NamedTuple, Generic[_F]):
    """A question to the model and the form of its answer."""

    tokens_in: int
    """Approximate; of instructions and conversation."""
    tokens_out: int
    cut: Mapping[Speaker, int]
    """Characters shown of a message."""
    instructions: str
    form: type[_F]


_FULLY = {Speaker.USER: 900, Speaker.ASSISTANT: 900, Speaker.TOOL: 300}
_CATEGORIES = _Question(
    2_000,
    1_000,
    {Speaker.USER: 400, Speaker.ASSISTANT: 400, Speaker.TOOL: 150},
    answer_forms.DATA,
    answer_forms.Categories,
)
_LEARNING = _Question(3_000, 2_500, _FULLY, f"{answer_forms.LEARNING}\n\n{answer_forms.DATA}", answer_forms.Learnings)
_RULE = _Question(
    3_000,
    1_500,
    {Speaker.USER: 1_500, Speaker.ASSISTANT: 300},
    f"{answer_forms.RULE}\n\n{answer_forms.DATA}",
    answer_forms.Rules,
)
_QUOTE = _Question(3_000, 1_000, _FULLY, answer_forms.DATA, answer_forms.Quotes)


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """Asks a language model. Raises ProviderError if it cannot be asked, or if its answer is unusable."""

    language: LanguageModel
    folder: Path | None = None
    """The user's own prompts."""
    marks: Marks = UNEXAMINED

    def categories(self, transcript: Transcript) -> Reply[DetectedCategory]:
        """At most two, the surest first."""
        _, answer, asked = self._ask("categories", _CATEGORIES, transcript)
        sure: dict[InsightCategory, DetectedCategory] = {}
        for one in sorted(answer.categories if answer else (), key=lambda one: -one.confidence):
            if one.confidence >= DetectedCategory.LEAST:
                signals = [one_line(signal, _SIGNAL) for signal in one.signals[:_SIGNALS]]
                sure.setdefault(
                    one.category, DetectedCategory(one.category, one.confidence, tuple(filter(None, signals)))
                )
        return Reply(tuple(sure.values())[: DetectedCategory.MOST], asked)

    def extracted(self, transcript: Transcript, topic: InsightCategory) -> Reply[InsightCandidate]:
        """Learnings of a kind. For one with too few quotes that hold, they are asked for once more."""
        shown, answer, asked = self._ask(topic.value, _LEARNING, transcript)
        candidates: list[InsightCandidate] = []
        for item in answer.learnings[:_LEARNINGS] if answer else ():
            candidate = claimed(item, topic, shown)
            if len(candidate.quotes) < QUOTES_ASKED and flaw(candidate) is None:
                evidence = self._more_evidence(transcript, candidate)
                asked += evidence.asked
                candidate = evidence.found[0] if evidence.found else candidate
            candidates.append(candidate)
        return _judged(candidates, asked)

    def rules(self, transcript: Transcript) -> Reply[InsightCandidate]:
        """What the user wants to be heeded from now on, in words of theirs."""
        talk = replace(transcript, messages=_dialogue(transcript))
        shown, answer, asked = self._ask("rules", _RULE, talk)
        items = answer.rules[:_RULES] if answer else ()
        return replace(_judged([claimed_rule(item, shown) for item in items], asked), shown=shown)

    def evidenced(self, transcript: Transcript, candidate: InsightCandidate) -> Reply[InsightCandidate]:
        """The candidate with more proof; none if the model finds none."""
        learning = (
            f"The learning: {data(candidate.title)}\n{data(labelled_text(candidate.content))}\n\nThe conversation:\n"
        )
        shown, answer, asked = self._ask("quotes", _QUOTE, transcript, learning)
        new = occurring(answer.evidence if answer else (), shown, of=Speaker.USER if candidate.rule else None)
        quotes = tuple(dict.fromkeys([*candidate.quotes, *new]))[:QUOTES_MOST]
        if answer is None or len(quotes) <= len(candidate.quotes):
            return Reply((), asked, ("no further quote of it occurs in the conversation",))
        summary = candidate.summary or one_line(answer.summary, SUMMARY_LIMIT)
        return Reply((replace(candidate, quotes=quotes, summary=summary),), asked)

    def _more_evidence(self, transcript: Transcript, candidate: InsightCandidate) -> Reply[InsightCandidate]:
        """What was found is not given up because this fails."""
        try:
            return self.evidenced(transcript, candidate)
        except ProviderError as error:
            _LOG.warning("a learning is left with the quotes it has: %s", error.code)
            return Reply((), ())

    def _ask(self, name: str, question: _Question[_F], transcript: Transcript, before: str = "") -> _Answer[_F]:
        prompt = chosen(name, transcript.source.conversation, self.folder)
        instructions = f"{prompt.text}\n\n{question.instructions}"
        tokens_in = question.tokens_in * (_MORE if self.marks.is_capable else 1)
        # A long prompt of the user's own must not leave nothing to be asked about.
        room = max(tokens_in - estimate(instructions, before), tokens_in // 2)
        shown = numbered(transcript, room, question.cut)
        if not shown.passages:
            return _Answer(shown, None, ())
        messages = [ModelMessage("user", before + shown.text)]
        answer = self.language.answer(instructions, messages, question.form, most_tokens=question.tokens_out)
        asked = Asking(prompt.name, prompt.variant, prompt.digest, answer.model, answer.tokens)
        return _Answer(shown, answer.value, (asked,))


def _dialogue(transcript: Transcript) -> tuple[Message, ...]:
    """The user's messages, and each one that they answer: what an agent says to itself does not explain a rule."""
    talk = [
        message for message in transcript.messages if message.role in (Speaker.USER, Speaker.ASSISTANT) and message.text
    ]
    return tuple(
        message
        for message, following in zip_longest(talk, talk[1:])
        if message.role is Speaker.USER or (following is not None and following.role is Speaker.USER)
    )


def _judged(candidates: Sequence[InsightCandidate], asked: tuple[Asking, ...]) -> Reply[InsightCandidate]:
    found: dict[str, InsightCandidate] = {}
    dropped: list[str] = []
    for candidate in candidates:
        objection = flaw(candidate) or unproven(candidate)
        if objection is None and candidate.title.casefold() in found:
            objection = "it was answer twice"
        if objection is None:
            found[candidate.title.casefold()] = candidate
        else:
            dropped.append(objection)
    return Reply(tuple(found.values()), asked, tuple(dropped))
