"""Mining: the events of a conversation, and the result of looking for insights in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import ClassVar

from heedful.records.event import Event
from heedful.records.insight import InsightCategory
from heedful.records.job import JobRequest
from heedful.records.json import Json
from heedful.records.record import Record
from heedful.records.transcript import Message, Source, Speaker, ToolCall

ENTITY = "conversation"

STARTED = "CONVERSATION_STARTED"
SAID = "MESSAGE_SAID"
COMPLETED = "CONVERSATION_COMPLETED"
TAKEN_BACK = "STATEMENT_TAKEN_BACK"
"""A person took back what was said before, perhaps in another conversation."""
MINED = "CONVERSATION_MINED"

OWN_KINDS = (STARTED, SAID, COMPLETED, TAKEN_BACK, MINED)
"""Only heedful's own operations record these."""

EXAMINED = "MODEL_EXAMINED"
"""What a language model made of conversations whose answers are known. Nobody else records it."""
MODEL = "model"
EXAM = "exam"
"""The step of mining that says how the model did."""
LOCAL = "local"
"""Mined without a language model."""

TEMPLATES = "template"
"""The counter of long texts in the mining projection."""

PROJECTION = "mining"

OFTEN = 3
"""A long text that occurs this often is a template."""

_LONG = 250  # characters: text that people type repeatedly is shorter

KNOWN_ALREADY = "known already"
"""What became of most that is said again."""

MINE_JOB = "conversation.mine"


class MiningOutcome(StrEnum):
    LEARNED = "learned"
    KNOWN = "known"
    """Everything it taught was known already, and is confirmed."""
    DISPUTED = "disputed"
    """It contradicts, or takes back, what people stand behind: they are asked."""
    TAKEN_BACK = "taken_back"
    """A person took back what was said before, in this conversation or in another."""
    LOW_VALUE = "low_value"
    NOTHING_FOUND = "nothing_found"
    LOW_QUALITY = "low_quality"

    @property
    def says(self) -> str:
        """In a sentence, for people."""
        return _SAYS[self]

    @classmethod
    def of(cls, outcome: object) -> MiningOutcome:
        try:
            return cls(str(outcome))
        except ValueError:
            return cls.NOTHING_FOUND


_SAYS = {
    MiningOutcome.LEARNED: "It taught something new.",
    MiningOutcome.KNOWN: "Everything it taught was known already; it counts as evidence.",
    MiningOutcome.DISPUTED: "It contradicts, or takes back, what people stand behind: a proposal asks what holds.",
    MiningOutcome.TAKEN_BACK: "It taught nothing new: a person took back what was said before.",
    MiningOutcome.LOW_VALUE: "It taught nothing: too little was said in it.",
    MiningOutcome.NOTHING_FOUND: "It taught nothing: nothing was heard in it that should be remembered.",
    MiningOutcome.LOW_QUALITY: "It taught nothing: what was heard in it is not sure enough to be used.",
}


_NOTHING_NEW = frozenset(
    {MiningOutcome.KNOWN, MiningOutcome.LOW_VALUE, MiningOutcome.NOTHING_FOUND, MiningOutcome.LOW_QUALITY}
)


@dataclass(frozen=True, slots=True)
class Received(Record):
    """The result of adding messages to a conversation."""

    conversation: str
    new: int
    known: int
    """How many had been added before."""
    queued: bool
    """It is complete and queued for mining."""


@dataclass(frozen=True, slots=True)
class Forgotten(Record):
    """What was deleted with a conversation."""

    conversation: str
    events: int
    learnings: int
    """Learned from it alone."""


@dataclass(frozen=True, slots=True)
class MiningStep(Record):
    """The result of one step of mining, and why."""

    step: str
    says: str


@dataclass(frozen=True, slots=True)
class DetectedCategory:
    """A category of insight that a conversation may contain."""

    MOST: ClassVar = 2
    LEAST: ClassVar = 0.5

    category: InsightCategory
    confidence: float
    signals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mined(Record):
    """The result of mining a conversation."""

    conversation: str
    at: datetime
    until: datetime | None
    """When the last message was sent."""
    tool: str
    project: str | None
    title: str | None
    messages: int
    outcome: MiningOutcome
    version: str
    by: str
    """"local", or the name of a language model."""
    value: float
    findings: tuple[MiningStep, ...]
    became: tuple[str, ...]
    """What became of everything that was heard, such as "1 too unsure" and "2 known already"."""
    learned: tuple[str, ...]
    confirmed: tuple[str, ...]
    """The ids of known learnings that it confirms."""
    possible: tuple[str, ...]
    """The ids of those that are not sure enough to be used: people decide, or it is said again."""
    taken_back: tuple[str, ...]
    """The ids of learnings that a person took back or replaced: in this conversation, or, if they are its own, in a
    later one."""
    proposals: tuple[str, ...]
    """The ids of proposals that ask about what it contradicts, or may take back."""
    seconds: float
    unanswered: str | None = None
    """Why the language model failed and the local extractor ran instead: an error code."""

    @property
    def says(self) -> str:
        """What it taught; if nothing new, what became of what was heard."""
        confirms = self.outcome is MiningOutcome.KNOWN and all(one.endswith(KNOWN_ALREADY) for one in self.became)
        if self.outcome in _NOTHING_NEW and self.became and not confirms:
            return f"It taught nothing new. Of what was heard in it: {', '.join(self.became)}."
        return self.outcome.says


def request(event: Event) -> JobRequest | None:
    return None if event.entity is None or event.entity.kind != ENTITY else request_of(event.entity.id)


def request_of(conversation: str) -> JobRequest:
    return JobRequest(MINE_JOB, {"conversation": conversation}, key=conversation)


def source_of(event: Event) -> Source:
    meta = event.meta
    conversation = event.entity.id if event.entity is not None else ""
    return Source(conversation, meta.get("tool", ""), meta.get("project"), meta.get("title"))


def message_of(event: Event) -> Message:
    meta = event.meta
    return Message(
        event.id,
        Speaker(meta.get("role", Speaker.SYSTEM)),
        event.after.get("text", ""),
        event.at,
        tuple(ToolCall(*call) for call in meta.get("tools", ())),
        failed=meta.get("failed") is True,
    )


def sentence_of(message: Event, meta: Json) -> str:
    """The sentence of a message that an event names as its reason; all of it if it names none."""
    text, place = str(message.after.get("text", "")), meta.get("sentence")
    return text[slice(*place)] if isinstance(place, list) else text


def template(event: Event) -> str | None:
    """The hash of a long text: one that occurs repeatedly, word for word, is a template, a boot file or a program's
    prompt, and not a person's own words."""
    if len(event.after_json) < _LONG:
        return None  # as most are
    text = event.after.get("text")
    if not isinstance(text, str) or len(text) < _LONG or event.meta.get("role") != Speaker.USER:
        return None
    return blake2b(" ".join(text.split()).encode("utf-8", "replace"), digest_size=12).hexdigest()


def mined_of(event: Event) -> Mined:
    meta = event.meta
    return Mined(
        conversation=event.entity.id if event.entity is not None else "",
        at=event.at,
        until=None if meta.get("until") is None else datetime.fromisoformat(meta["until"]),
        tool=meta.get("tool", ""),
        project=meta.get("project"),
        title=meta.get("title"),
        messages=meta.get("messages", 0),
        outcome=MiningOutcome.of(meta.get("outcome")),
        version=meta.get("version", ""),
        by=meta.get("by", "local"),
        value=float(meta.get("value", 0.0)),
        findings=tuple(MiningStep(one.get("step", ""), one.get("says", "")) for one in meta.get("findings", ())),
        became=tuple(meta.get("became", ())),
        learned=tuple(meta.get("learned", ())),
        confirmed=tuple(meta.get("confirmed", ())),
        possible=tuple(meta.get("possible", ())),
        taken_back=tuple(meta.get("taken_back", ())),
        proposals=tuple(meta.get("proposals", ())),
        seconds=float(meta.get("seconds", 0.0)),
        unanswered=meta.get("unanswered"),
    )


@dataclass(frozen=True, slots=True)
class MiningReport(Record):
    conversations: int
    """How many were mined."""
    outcomes: Mapping[str, int]
    extraction_rate: float
    """The share that taught something new."""
    learnings: int
    """Found, without duplicates."""
    categories: Mapping[str, int]
    duplicates: Mapping[str, int]
    """By the layer that found them."""
    mean_confidence: float | None
    mean_seconds: float | None
    """Per conversation."""
