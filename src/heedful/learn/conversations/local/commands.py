"""Commands that worked after others had failed, with the reason that was given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from heedful.learn.conversations.local import phrasing
from heedful.learn.conversations.local.annotation import AnnotatedSentence, AnnotatedTranscript, fit
from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local.finding_parts import InsightFinding, parts
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker, Transcript

_SHELL = re.compile(r"bash|shell|exec|terminal|command|powershell", re.IGNORECASE)
_OWN_PLACE = re.compile(r"/Users/|/home/|/tmp/|[A-Z]:\\")
_LOOKING = frozenset({"cd", "ls", "cat", "grep", "rg", "sed", "find", "head", "tail", "echo", "awk", "wc", "pwd"})
_WITHIN = 12  # messages from the failure to the success
_LONGEST = 200  # characters of a command
_TELLING = Cue.CAUSE | Cue.FIX | Cue.FACT | Cue.REASON


class _Ran(NamedTuple):
    message: int
    """Which message holds what it printed."""
    command: str
    failed: bool


def found(transcript: AnnotatedTranscript) -> Iterator[InsightFinding]:
    ran = list(_ran(transcript.transcript))
    explained = {sentence.message: sentence for sentence in reversed(transcript.sentences) if _explains(sentence)}
    for number, first in enumerate(ran):
        if not first.failed:
            continue
        for then in ran[number + 1 : number + 5]:
            between = range(first.message + 1, min(then.message, first.message + _WITHIN))
            sentence = next((explained[place] for place in between if place in explained), None)
            if sentence and not then.failed and _again(first.command, then.command, sentence):
                yield InsightFinding(
                    InsightCategory.TOOL_USAGE, parts(("what", transcript.whole(sentence))), 1.5, then.command
                )
                break


def _explains(sentence: AnnotatedSentence) -> bool:
    return (
        sentence.role == Speaker.ASSISTANT
        and bool(sentence.cues & _TELLING)
        and "`" in sentence.text
        and fit(sentence)
        and not phrasing.dangling(sentence.text)
        and not phrasing.first_person(sentence.text)
    )


def _ran(transcript: Transcript) -> Iterator[_Ran]:
    """The commands in order, each with the answer that came for it."""
    waiting: list[str] = []
    for number, message in enumerate(transcript.messages):
        if message.role == Speaker.ASSISTANT and message.tools:
            waiting = [tool.input if _SHELL.search(tool.name) else "" for tool in message.tools]
        elif message.role == Speaker.TOOL and waiting:
            command = waiting.pop(0).strip()
            if command and len(command) <= _LONGEST and "\n" not in command:
                yield _Ran(number, command, message.failed)


def _again(failed: str, worked: str, sentence: AnnotatedSentence) -> bool:
    """The same program, called in another way that others can use as well, and spoken of by its name."""
    program = worked.split(maxsplit=1)[0]
    same = failed != worked and failed.split(maxsplit=1)[0] == program
    return same and program not in _LOOKING and program in sentence.text and not _OWN_PLACE.search(worked)
