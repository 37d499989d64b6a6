"""How far a language model is believed: as far as it proves itself on conversations whose answers are known.

A large model understands people better than the built-in reader does; a very small one claims what nobody said. Names
do not tell which is which, so each is asked once, before it is first used, with the prompts that it will be asked with.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from heedful.learn.conversations.marks import Marks
from heedful.learn.conversations.prompt import chosen
from heedful.records.transcript import Message, Source, Speaker, Transcript
from heedful.text.fence import data

if TYPE_CHECKING:
    from heedful.learn.conversations.model_extraction import ModelExtractor

_FILE = "exam.json"


class Question(NamedTuple):
    transcript: Transcript
    lasting: frozenset[str]
    """The ids of the messages that say something lasting."""


def examined(model: ModelExtractor) -> Marks:
    """Raises ProviderError if the model does not answer."""
    marks = Marks(0, 0, 0, 0)
    for transcript, lasting in questions():
        named = {quote.message for claim in model.rules(transcript).found for quote in claim.quotes}
        others = {one.id for one in transcript.messages if one.role is Speaker.USER} - lasting
        right, wrong = len(named & lasting), len(named & others)
        counted = (len(lasting), right, len(others), wrong)
        marks = Marks(*(one + more for one, more in zip(marks, counted, strict=True)))
    return marks


def exam_id(model: ModelExtractor) -> str:
    """The same for the same model, prompts and exam."""
    prompts = (chosen("rules", one.transcript.source.conversation, model.folder).digest for one in questions())
    said = "\x1f".join((model.language.name, _text(), *prompts))
    return f"examined/{blake2b(said.encode('utf-8', 'replace'), digest_size=12).hexdigest()}"


def solution(shown: str) -> dict[str, Any] | None:
    """The right answer to a question of the exam, as a model is shown it; None for another text."""
    for transcript, lasting in questions():
        messages = transcript.messages
        if shown.startswith(f"[0] user: {data(messages[0].text)}"):
            named = [(number, one.text) for number, one in enumerate(messages) if one.id in lasting]
            rules = [{"message": number, "quote": text, "title": text[:100], "why": ""} for number, text in named]
            return {"rules": rules}
    return None


@cache
def questions() -> tuple[Question, ...]:
    found = []
    for number, one in enumerate(json.loads(_text())):
        messages = tuple(Message(str(at), Speaker(role), text) for at, (role, text) in enumerate(one["messages"]))
        transcript = Transcript(Source(f"exam-{number}", "exam"), messages)
        found.append(Question(transcript, frozenset(map(str, one["lasting"]))))
    return tuple(found)


@cache
def _text() -> str:
    return files("heedful.learn.conversations").joinpath(_FILE).read_text(encoding="utf-8")
