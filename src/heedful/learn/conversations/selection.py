"""The most informative passages of a conversation, within a budget of tokens: statements, errors, code, tools.

The selection is deterministic, in the order of the conversation, and not empty if any message has text.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from heedful.learn.conversations.local.annotation import AnnotatedSentence, AnnotatedTranscript, annotated, fit
from heedful.learn.conversations.local.cues import Cue
from heedful.records.transcript import Message, Speaker, Transcript
from heedful.text.checks import clipped

TOKENS: Final = 2_000
_CHARACTERS_PER_TOKEN = 4
_LONGEST = 600  # characters of a passage
_ERROR_LINES = 3
_ERROR = re.compile(
    r"^.{0,200}?\b(?:error|exception|traceback|panic|fatal|failed|denied|not found)\b.{0,200}$",
    re.IGNORECASE | re.MULTILINE,
)
_STATED = Cue.CAUSE | Cue.FIX | Cue.CHOICE | Cue.WARNING | Cue.FACT | Cue.ADVICE | Cue.TECHNIQUE


class Passage(NamedTuple):
    message: int
    """Which message of the conversation it is from."""
    role: Speaker
    text: str
    cues: int


def selected(transcript: Transcript, tokens: int = TOKENS) -> tuple[Passage, ...]:
    left = max(1, tokens) * _CHARACTERS_PER_TOKEN
    chosen: list[tuple[int, Passage]] = []
    ranked = sorted(enumerate(_passages(transcript)), key=lambda pair: (-_weight(pair[1]), pair[0]))
    for order, passage in ranked:
        if len(passage.text) <= left:
            chosen.append((order, passage))
            left -= len(passage.text)
    if not chosen:
        spoken = next((message for message in transcript.messages if message.text.strip()), None)
        return (Passage(0, spoken.role, clipped(spoken.text, left), Cue.NONE),) if spoken else ()
    return tuple(passage for _, passage in sorted(chosen, key=lambda pair: (pair[1].message, pair[0])))


def _passages(transcript: Transcript) -> list[Passage]:
    passages = _prose(annotated(transcript))
    for number, message in enumerate(transcript.messages):
        if message.role == Speaker.TOOL and message.failed:
            passages.append(Passage(number, message.role, _error(message), Cue.SYMPTOM))
        elif message.tools:
            named = ", ".join(f"{tool.name}: {tool.input}" for tool in message.tools[:3])
            passages.append(Passage(number, message.role, clipped(named, 120), Cue.NONE))
    return [passage for passage in passages if passage.text]


def _prose(transcript: AnnotatedTranscript) -> list[Passage]:
    """Paragraph by paragraph, with the code that follows."""
    passages: list[Passage] = []
    block: list[AnnotatedSentence] = []
    for sentence in (*transcript.sentences, None):
        if block and (
            sentence is None or (sentence.message, sentence.source.block) != (block[0].message, block[0].source.block)
        ):
            passages.append(_passage(block))
            block = []
        if sentence is not None:
            block.append(sentence)
    return passages


def _passage(block: list[AnnotatedSentence]) -> Passage:
    code = block[0].source.code
    text = " ".join(sentence.source.raw for sentence in block)[:_LONGEST]
    stated = Cue.NONE
    for sentence in block:
        if sentence.role == Speaker.USER or fit(sentence):
            stated |= sentence.cues
    return Passage(block[0].message, block[0].role, f"{text}\n{code}".strip()[:_LONGEST], stated)


def _error(message: Message) -> str:
    lines = [
        match[0].strip() for _, match in zip(range(_ERROR_LINES), _ERROR.finditer(message.text[:20_000]), strict=False)
    ]
    return clipped(" | ".join(lines), _LONGEST // 2)


def _weight(passage: Passage) -> int:
    """Code, tools and errors make a passage telling, and so does what it states; what it states most of all."""
    stated = (passage.cues & _STATED).bit_count()
    return (
        3 * stated
        + 2 * ("```" in passage.text or "\n" in passage.text)
        + 2 * bool(passage.cues & Cue.SYMPTOM)
        + (passage.role == Speaker.USER)
    )
