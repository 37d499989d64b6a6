"""Extraction by a language model: what it is shown, what it is asked, and what of its answers can be believed.

A model can be wrong, and a conversation can try to talk it into something. So nothing counts without words that were
really said; a rule needs the user's own, and what only a tool printed proves nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from heedful.errors import ProviderError
from heedful.learn.conversations import forms
from heedful.learn.conversations.categories import LEAST, MOST, Detected
from heedful.learn.conversations.claims import claimed, flaw, occurring, one_line, unproven
from heedful.learn.conversations.numbered import Numbered, numbered
from heedful.learn.conversations.prompt import chosen
from heedful.learnings.content import labelled_text
from heedful.records.form import AnswerForm
from heedful.records.insight import QUOTES_LEAST, QUOTES_MOST, SUMMARY_LIMIT, InsightCandidate, InsightCategory
from heedful.records.language import LanguageModel, ModelMessage, estimate
from heedful.records.transcript import Message as Said
from heedful.records.transcript import Speaker, Transcript
from heedful.records.variant import Asking
from heedful.text.fence import data

_LOG = logging.getLogger("heedful.mining")
_LEARNINGS = 3
_RULES = 8
_SIGNALS, _SIGNAL = 3, 100

_T = TypeVar("_T")
_F = TypeVar("_F", bound=AnswerForm)


@dataclass(frozen=True, slots=True)
class Reply(Generic[_T]):
    found: tuple[_T, ...]
    asked: tuple[Asking, ...]
    """What was asked for it; nothing if there was nothing to show."""
    dropped: tuple[str, ...] = ()
    """Why something else that the model said does not count. Quotes nothing of it."""


class _Heard(NamedTuple, Generic[_F]):
    shown: Numbered
    said: _F | None
    """None if there was nothing to show."""
    asked: tuple[Asking, ...]


class _Way(NamedTuple, Generic[_F]):
    """How something is asked."""

    tokens_in: int
    """About; instructions and conversation."""
    tokens_out: int
    cut: Mapping[Speaker, int]
    """Characters shown of a message."""
    told: str
    form: type[_F]


_FULLY = {Speaker.USER: 900, Speaker.ASSISTANT: 900, Speaker.TOOL: 300}
_CATEGORIES = _Way(
    2_000, 1_000, {Speaker.USER: 400, Speaker.ASSISTANT: 400, Speaker.TOOL: 150}, forms.DATA, forms.Categories
)
_LEARNING = _Way(3_000, 2_500, _FULLY, f"{forms.LEARNING}\n\n{forms.DATA}", forms.Learnings)
_RULE = _Way(3_000, 3_000, {Speaker.USER: 1_500, Speaker.ASSISTANT: 300}, f"{forms.RULE}\n\n{forms.DATA}", forms.Rules)
_QUOTE = _Way(3_000, 1_000, _FULLY, forms.DATA, forms.Quotes)


@dataclass(frozen=True, slots=True)
class Asked:
    """Each question raises a ProviderError when it cannot be asked, or the answer is of no use."""

    language: LanguageModel
    folder: Path | None = None
    """Where the user's own prompts are."""

    def categories(self, transcript: Transcript) -> Reply[Detected]:
        """At most two, the surest first."""
        _, said, asked = self._ask("categories", _CATEGORIES, transcript)
        sure: dict[InsightCategory, Detected] = {}
        for one in sorted(said.categories if said else (), key=lambda one: -one.confidence):
            if one.confidence >= LEAST:
                signals = [one_line(signal, _SIGNAL) for signal in one.signals[:_SIGNALS]]
                sure.setdefault(one.category, Detected(one.category, one.confidence, tuple(filter(None, signals))))
        return Reply(tuple(sure.values())[:MOST], asked)

    def extracted(self, transcript: Transcript, topic: InsightCategory) -> Reply[InsightCandidate]:
        """Learnings of a kind. For one with too few quotes that hold, they are asked for once more."""
        shown, said, asked = self._ask(topic.value, _LEARNING, transcript)
        candidates: list[InsightCandidate] = []
        for item in said.learnings[:_LEARNINGS] if said else ():
            candidate = claimed(item, topic, shown)
            if len(candidate.quotes) < QUOTES_LEAST and flaw(candidate) is None:
                evidence = self._more_evidence(transcript, candidate)
                asked += evidence.asked
                candidate = evidence.found[0] if evidence.found else candidate
            candidates.append(candidate)
        return _judged(candidates, asked)

    def rules(self, transcript: Transcript) -> Reply[InsightCandidate]:
        """What the user wants to be heeded from now on, in words of theirs."""
        talk = replace(transcript, messages=_spoken(transcript))
        shown, said, asked = self._ask("rules", _RULE, talk)
        items = said.rules[:_RULES] if said else ()
        return _judged([claimed(item, item.category, shown, rule=True) for item in items], asked)

    def evidenced(self, transcript: Transcript, candidate: InsightCandidate) -> Reply[InsightCandidate]:
        """The candidate with more proof; none if the model finds none."""
        learning = (
            f"The learning: {data(candidate.title)}\n{data(labelled_text(candidate.content))}\n\nThe conversation:\n"
        )
        shown, said, asked = self._ask("quotes", _QUOTE, transcript, learning)
        new = occurring(said.evidence if said else (), shown, of=Speaker.USER if candidate.rule else None)
        quotes = tuple(dict.fromkeys([*candidate.quotes, *new]))[:QUOTES_MOST]
        if said is None or len(quotes) <= len(candidate.quotes):
            return Reply((), asked, ("no further quote of it occurs in the conversation",))
        summary = candidate.summary or one_line(said.summary, SUMMARY_LIMIT)
        return Reply((replace(candidate, quotes=quotes, summary=summary),), asked)

    def _more_evidence(self, transcript: Transcript, candidate: InsightCandidate) -> Reply[InsightCandidate]:
        """What was found is not given up because this fails."""
        try:
            return self.evidenced(transcript, candidate)
        except ProviderError as error:
            _LOG.warning("a learning is left with the quotes it has: %s", error.code)
            return Reply((), ())

    def _ask(self, name: str, way: _Way[_F], transcript: Transcript, before: str = "") -> _Heard[_F]:
        prompt = chosen(name, transcript.source.conversation, self.folder)
        instructions = f"{prompt.text}\n\n{way.told}"
        # A long prompt of the user's own must not leave nothing to be asked about.
        room = max(way.tokens_in - estimate(instructions, before), way.tokens_in // 2)
        shown = numbered(transcript, room, way.cut)
        if not shown.passages:
            return _Heard(shown, None, ())
        question = [ModelMessage("user", before + shown.text)]
        answer = self.language.answer(instructions, question, way.form, most_tokens=way.tokens_out)
        asked = Asking(prompt.name, prompt.variant, prompt.digest, answer.model, answer.tokens)
        return _Heard(shown, answer.value, (asked,))


def _spoken(transcript: Transcript) -> tuple[Said, ...]:
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
            objection = "it was said twice"
        if objection is None:
            found[candidate.title.casefold()] = candidate
        else:
            dropped.append(objection)
    return Reply(tuple(found.values()), asked, tuple(dropped))
