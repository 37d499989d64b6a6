"""A conversation as annotated sentences: each sentence of prose, with what it states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, takewhile
from typing import NamedTuple

from heedful.learn.conversations.local import phrasing
from heedful.learn.conversations.local.cues import Cue, cues, words
from heedful.learn.conversations.local.prose import ProseSentence, listing, sentences
from heedful.records.transcript import Message, Speaker, Transcript
from heedful.text.words import FUNCTION_WORDS, NEGATIONS, words_of

_MOST_PROSE = 600_000  # characters of a conversation
_SHORTEST, _LONGEST = 24, 420  # characters of a sentence that states something
_FEWEST_WORDS = 5
_FAR = 200  # sentences that are looked through for one that belongs to another
_LONGEST_REQUEST = 1_500  # characters; what is longer is a document or a command's text
_NAME = re.compile(r"[a-z_][a-z0-9_]{4,}")
_COMMON = (
    FUNCTION_WORDS
    | NEGATIONS
    | words_of("""
    after again before below every further other already always actually really still using instead rather things
    thing something doesn makes means needs gives whole right wrong first second problem change changes changed current
    existing single exactly directly return returns called calls
    session sessions function functions value values files claude codex agent agents error errors tests fixed
""")
)
_LABELLED = {
    "root cause": Cue.CAUSE,
    "cause": Cue.CAUSE,
    "diagnosis": Cue.CAUSE,
    "fix": Cue.FIX,
    "solution": Cue.FIX,
    "workaround": Cue.FIX,
    "problem": Cue.SYMPTOM,
    "symptom": Cue.SYMPTOM,
    "bug": Cue.SYMPTOM,
    "recommendation": Cue.CHOICE,
    "my recommendation": Cue.CHOICE,
    "decision": Cue.CHOICE,
    "trade-off": Cue.TRADE_OFF,
    "gotcha": Cue.WARNING,
    "reason": Cue.REASON,
    "rationale": Cue.REASON,
    "why": Cue.REASON,
}


class AnnotatedSentence(NamedTuple):
    order: int
    message: int
    role: Speaker
    source: ProseSentence
    cues: int
    padded: str
    """Its words, as phrases are looked for in them."""

    @property
    def text(self) -> str:
        return self.source.text

    @property
    def label(self) -> str:
        return self.source.label


class AnnotatedTranscript(NamedTuple):
    transcript: Transcript
    sentences: tuple[AnnotatedSentence, ...]

    def nearby(self, sentence: AnnotatedSentence, before: int, after: int) -> list[AnnotatedSentence]:
        """What stands around it in its chapter, in order, without it."""
        least, most = max(0, sentence.order - before), sentence.order + after + 1
        return [
            other
            for other in self.sentences[least:most]
            if other.message == sentence.message
            and other.source.chapter == sentence.source.chapter
            and other.order != sentence.order
        ]

    def later(self, sentence: AnnotatedSentence, messages: int) -> Iterator[AnnotatedSentence]:
        """What the assistant says in its next messages."""
        passed, last = 0, sentence.message
        for other in islice(self.sentences, sentence.order + 1, sentence.order + _FAR):
            if other.message != last:
                passed, last = passed + 1, other.message
            if passed > messages:
                return
            if passed and other.role == Speaker.ASSISTANT:
                yield other

    def reply(self, sentence: AnnotatedSentence) -> AnnotatedSentence | None:
        """What the person says next."""
        return next(
            (
                one
                for one in islice(self.sentences, sentence.order + 1, sentence.order + _FAR)
                if one.role == Speaker.USER
            ),
            None,
        )

    def whole(self, sentence: AnnotatedSentence) -> tuple[AnnotatedSentence, ...]:
        """With the sentence before, if it points there; nothing, if it cannot stand even so."""
        if not phrasing.dangling(sentence.text) or sentence.source.lead:
            return (sentence,)
        before = self.sentences[sentence.order - 1] if sentence.order else None
        if before is None or before.message != sentence.message or before.source.section != sentence.source.section:
            return ()
        if sentence.order - before.order > 1 or before.source.block < sentence.source.block - 1:
            return ()
        return (before, sentence) if fit(before) and not phrasing.dangling(before.text) else ()

    def continued(self, sentence: AnnotatedSentence) -> bool:
        """It is not the first sentence under its label."""
        before = self.sentences[sentence.order - 1]
        return bool(sentence.label) and (before.message, before.source.block) == (
            sentence.message,
            sentence.source.block,
        )

    def turn(self, sentence: AnnotatedSentence) -> list[AnnotatedSentence]:
        """The last message of the assistant before the person speaks again."""
        messages = self.transcript.messages
        end = next((n for n in range(sentence.message + 1, len(messages)) if _spoken(messages[n])), len(messages))
        rest = takewhile(lambda other: other.message < end, islice(self.sentences, sentence.order + 1, None))
        answer = [other for other in rest if other.message > sentence.message]
        last = max((other.message for other in answer if other.role == Speaker.ASSISTANT), default=None)
        return [other for other in answer if other.message == last]


def related(one: AnnotatedSentence, other: AnnotatedSentence) -> bool:
    """They are about the same: side by side in a paragraph, or with names in common."""
    if one.message == other.message and one.source.block == other.source.block:
        return True
    shared = _names(one.text) & _names(other.text)
    apart = bool(one.source.item and other.source.item) or one.message != other.message
    return len(shared) >= (2 if apart else 1)


@lru_cache(maxsize=4_096)
def _names(text: str) -> frozenset[str]:
    """Words that tell what it is about."""
    return frozenset(word for word in _NAME.findall(text.lower()) if word not in _COMMON)


def _spoken(message: Message) -> bool:
    return message.role == Speaker.USER and not message.failed


@lru_cache(maxsize=2)  # the topics of a conversation are looked for one after the other
def annotated(transcript: Transcript) -> AnnotatedTranscript:
    return AnnotatedTranscript(transcript, tuple(_said(transcript)))


def fit(sentence: AnnotatedSentence) -> bool:
    """It can be repeated to somebody who was not there."""
    text = sentence.text
    return (
        _SHORTEST <= len(text) <= _LONGEST
        and text.count(" ") + 1 >= _FEWEST_WORDS
        and not sentence.source.praised
        and not phrasing.asked(text)
        and not phrasing.narrated(text)
        and (bool(sentence.cues & Cue.CAUSE) or not phrasing.aside(text))
        and (phrasing.ended(text) or sentence.source.lead or bool(sentence.source.item or sentence.label))
        and (bool(sentence.label) or not text.endswith(":"))
        and phrasing.specifics(text) == 0
        and not text.startswith("(")
        and (bool(sentence.cues & Cue.CHOICE) or not phrasing.first_person(text))
        and text.count("`") % 2 == 0
    )


def _said(transcript: Transcript) -> Iterator[AnnotatedSentence]:
    order, left = 0, _MOST_PROSE
    for number, message in enumerate(transcript.messages):
        if (
            message.role not in {Speaker.ASSISTANT, Speaker.USER}
            or left <= 0
            or message.failed
            or listing(message.text)
        ):
            continue
        if message.role == Speaker.USER and len(message.text) > _LONGEST_REQUEST:
            continue
        left -= len(message.text)
        for sentence in sentences(message.text):
            spoken = words(sentence.text)
            stated = cues(sentence.text, spoken) | _LABELLED.get(sentence.label, 0)
            yield AnnotatedSentence(order, number, message.role, sentence, stated, spoken.padded)
            order += 1
