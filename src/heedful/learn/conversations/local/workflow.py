"""Workflows: steps that somebody asked for, in their order, with what to run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.learn.conversations.local import manner
from heedful.learn.conversations.local.finding import Finding, parts
from heedful.learn.conversations.local.reading import Reading, Said, fit
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


def found(reading: Reading) -> Iterator[Finding]:
    for asked in reading.said:
        if asked.role != Speaker.USER or len(asked.text) > 300 or not _ASKED.search(asked.text):
            continue
        answer = reading.turn(asked)
        steps = _steps(answer)
        if len(steps) >= _LEAST_STEPS and any(technologies(said.sentence.raw + said.sentence.code) for said in steps):
            score = 1.3 + 0.1 * len(steps) + 0.2 * any(said.sentence.code for said in steps)
            when = _announced(answer, steps[0]) or [asked]
            told = parts(("when", when), ("how", steps[:_MOST_STEPS]))
            yield Finding(InsightCategory.WORKFLOW, told, score, proof=(asked,))
            continue
        for said in answer:
            if _commands(said):
                how = (said,) if fit(said) else ()
                told = parts(("when", (asked,)), ("how", how))
                yield Finding(InsightCategory.WORKFLOW, told, 1.3, said.sentence.code)
                break


def _steps(answer: list[Said]) -> list[Said]:
    """The numbered items that tell somebody to do something, one sentence each."""
    steps: dict[int, Said] = {}
    for said in answer:
        if said.sentence.item.isdigit() and _DOING.match(said.text.lstrip("`")) and not manner.recounted(said.text):
            steps.setdefault(said.sentence.block, said)
    return list(steps.values())


def _announced(answer: list[Said], first: Said) -> list[Said]:
    """`To release a version:`, just before the steps: often a better name than the question."""
    return [said for said in answer if said.order == first.order - 1 and _TO.match(said.text) and said.text[-1] == ":"]


def _commands(said: Said) -> bool:
    code = said.sentence.code
    return said.sentence.language in _SHELLS and 1 <= code.count("\n") <= _MOST_LINES and not _HOME.search(code)
