"""Workflows: steps that somebody asked for, in their order, with what to run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.learn.conversations.local import phrasing
from heedful.learn.conversations.local.annotation import AnnotatedSentence, AnnotatedTranscript, fit
from heedful.learn.conversations.local.finding_parts import InsightFinding, parts
from heedful.learn.conversations.tags import technologies
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker

_ASKED = re.compile(
    r"\b(?:(?:git |shell )?(?:steps|commands?) (?:to|for)|how (?:do|can|should|would) (?:i|we|you|one)|how to|"
    r"process (?:to|for)|workflow|procedure|walk me through|recipe|runbook|instructions (?:to|for))\b",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"(?:run|install|create|add|open|set|build|commit|push|pull|merge|fetch|check(?:out)?|clone|start|stop|copy|"
    r"export|import|use|delete|remove|rebase|tag|deploy|update|verify|test|switch|stage|generate|configure|enable|"
    r"disable|restart|clean|download|register|define|write|call|wait|make|go|select|click|choose|log|bump|publish|"
    r"review|enter|move|rename|apply|refresh)\b",
    re.IGNORECASE,
)
_TO = re.compile(r"to \w+ ", re.IGNORECASE)
_SHELLS = frozenset({"sh", "bash", "zsh", "shell", "console", "powershell", "fish"})
_HOME = re.compile(r"/Users/|/home/|~/|C:\\")
_LEAST_STEPS, _MOST_STEPS = 3, 8
_MOST_LINES = 14


def found(transcript: AnnotatedTranscript) -> Iterator[InsightFinding]:
    for asked in transcript.sentences:
        if asked.role != Speaker.USER or len(asked.text) > 300 or not _ASKED.search(asked.text):
            continue
        answer = transcript.turn(asked)
        steps = _steps(answer)
        if len(steps) >= _LEAST_STEPS and any(
            technologies(sentence.source.raw + sentence.source.code) for sentence in steps
        ):
            score = 1.3 + 0.1 * len(steps) + 0.2 * any(sentence.source.code for sentence in steps)
            when = _announced(answer, steps[0]) or [asked]
            stated = parts(("when", when), ("how", steps[:_MOST_STEPS]))
            yield InsightFinding(InsightCategory.WORKFLOW, stated, score, proof=(asked,))
            continue
        for sentence in answer:
            if _commands(sentence):
                how = (sentence,) if fit(sentence) else ()
                stated = parts(("when", (asked,)), ("how", how))
                yield InsightFinding(InsightCategory.WORKFLOW, stated, 1.3, sentence.source.code)
                break


def _steps(answer: list[AnnotatedSentence]) -> list[AnnotatedSentence]:
    """The numbered items that tell somebody to do something, one sentence each."""
    steps: dict[int, AnnotatedSentence] = {}
    for sentence in answer:
        if (
            sentence.source.item.isdigit()
            and _DOING.match(sentence.text.lstrip("`"))
            and not phrasing.recounted(sentence.text)
        ):
            steps.setdefault(sentence.source.block, sentence)
    return list(steps.values())


def _announced(answer: list[AnnotatedSentence], first: AnnotatedSentence) -> list[AnnotatedSentence]:
    """`To release a version:`, just before the steps: often a better name than the question."""
    return [
        sentence
        for sentence in answer
        if sentence.order == first.order - 1 and _TO.match(sentence.text) and sentence.text[-1] == ":"
    ]


def _commands(sentence: AnnotatedSentence) -> bool:
    code = sentence.source.code
    return sentence.source.language in _SHELLS and 1 <= code.count("\n") <= _MOST_LINES and not _HOME.search(code)
