"""For your tests: a frozen clock, a scripted language model, and sample events, decisions, orders and invoices."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any

from heedful.errors import BadAnswer, HeedfulError
from heedful.learn.conversations.exam import solution
from heedful.providers.answer_parsing import read
from heedful.records.language import F, ModelAnswer, ModelMessage, estimate

if TYPE_CHECKING:
    from heedful.testing.documents import SUPPLIERS, SampleDocument, sample_document, sample_documents

__all__ = [
    "SUPPLIERS",
    "FrozenClock",
    "SampleDocument",
    "ScriptedModel",
    "sample_acts",
    "sample_document",
    "sample_documents",
    "sample_fixes",
]

_FROM_DOCUMENTS = {"SUPPLIERS", "SampleDocument", "sample_document", "sample_documents"}


def __getattr__(name: str) -> Any:
    """The sample documents are imported when they are first used: most tests need none."""
    if name not in _FROM_DOCUMENTS:
        raise AttributeError(f"module 'heedful.testing' has no attribute {name!r}")
    return getattr(import_module("heedful.testing.documents"), name)


class FrozenClock:
    """A clock that moves only when you advance it: `heedful.open(clock=FrozenClock())`."""

    def __init__(self, now: datetime = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **time: float) -> None:
        """`advance(minutes=5)`"""
        self.now += timedelta(**time)


class ScriptedModel:
    """A language model that returns scripted answers in order: `heedful.open(language=ScriptedModel(…))`.

    An answer that is an error is raised, and an invalid one is a BadAnswer. `asked` has the requests it received,
    without those of the exam that every model takes before it mines: it passes, and needs no script for it.
    """

    name = "scripted"

    def __init__(self, *answers: Mapping[str, Any] | HeedfulError) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    def answer(
        self,
        instructions: str,
        messages: Sequence[ModelMessage],
        form: type[F],
        *,
        most_tokens: int = 1_000,  # noqa: ARG002
    ) -> ModelAnswer[F]:
        if (solved := solution(messages[-1].text)) is not None:
            return ModelAnswer(read(json.dumps(solved), form, name=self.name, tokens=0), self.name, 0)
        self.asked.append("\n".join(message.text for message in messages))
        if not self._answers:
            raise BadAnswer("The script has no more answers.", hint="Pass more answers.")
        said = self._answers.pop(0)
        if isinstance(said, HeedfulError):
            raise said
        tokens = estimate(instructions, self.asked[-1])
        return ModelAnswer(read(json.dumps(said), form, name=self.name, tokens=tokens), self.name, tokens)


_PEOPLE = ("dana", "lee", "kim", "sam", "noor", "ines")
_RULES = ("no-passive", "in-order-to", "oxford-comma", "units", "plain-words")


def sample_acts(count: int, *, seed: int = 1, start: datetime | None = None) -> Iterator[dict[str, Any]]:
    """Sample events of an order desk, a style checker and agent reviews. The same seed gives the same events."""
    random_ = random.Random(seed)  # noqa: S311 - sample data
    now = start or datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    for number in range(count):
        now += timedelta(seconds=random_.randrange(60))
        make = random_.choice((_line_corrected, _line_corrected, _mapping_confirmed, _edit_judged, _output_reviewed))
        yield {"actor": random_.choice(_PEOPLE), "at": now, **make(random_, number)}


def _line_corrected(random_: random.Random, number: int) -> dict[str, Any]:
    quantity = random_.randrange(1, 50)
    return {
        "kind": "EXTRACTION_LINE_CORRECTED",
        "entity": ("draft_line", f"draft-{number // 4:06}-line-{number % 4}"),
        "layout": f"layout-{random_.randrange(40):02}",
        "before": {"qty": quantity, "uom": "pcs"},
        "after": {"qty": quantity * 10, "uom": "pcs"},
    }


def _mapping_confirmed(random_: random.Random, _: int) -> dict[str, Any]:
    sku = random_.randrange(5_000)
    return {
        "kind": "MAPPING_CONFIRMED",
        "entity": ("sku_mapping", f"ABC-{sku}"),
        "before": {"candidates": [f"INT-{sku}", f"INT-{sku + 1}"]},
        "after": {"sku": f"INT-{sku}"},
    }


def _edit_judged(random_: random.Random, _: int) -> dict[str, Any]:
    return {
        "kind": random_.choice(("EDIT_ACCEPTED", "EDIT_REJECTED")),
        "entity": ("rule", random_.choice(_RULES)),
        "before": {"text": "in order to begin"},
        "after": {"text": "to begin"},
    }


def _output_reviewed(random_: random.Random, number: int) -> dict[str, Any]:
    return {
        "kind": random_.choice(("OUTPUT_APPROVED", "OUTPUT_CHANGED")),
        "entity": ("task", f"task-{number:07}"),
        "after": {"comment": "Name the error, do not swallow it."},
    }


_CHANGES = (  # a rule, its change, how often people accept it, and why not
    ("plain-words", "in order to", "to", 0.95, ""),
    ("plain-words", "utilise", "use", 0.85, ""),
    ("plain-words", "commence", "start", 0.15, "our contracts say commence"),
    ("no-passive", "was written by us", "we wrote", 0.6, "changes the meaning"),
    ("units", "5kg", "5 kg", 0.98, ""),
)
_BEFORE = ("For now,", "As agreed,", "Each week", "Once more", "Here")
_AFTER = ("in the new office", "with the team", "before the end of May", "as the plan says", "if you like")


def sample_fixes(count: int, *, seed: int = 1, start: datetime | None = None) -> Iterator[dict[str, Any]]:
    """Decisions on a style checker's suggestions. The same seed gives the same decisions."""
    random_ = random.Random(seed)  # noqa: S311 - sample data
    now = start or datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    for _ in range(count):
        now += timedelta(seconds=random_.randrange(600))
        rule, words, better, wanted, reason = random_.choice(_CHANGES)
        opening, closing = random_.choice(_BEFORE), random_.choice(_AFTER)
        yes = random_.random() < wanted
        decision = random_.choice(("accepted",) * 5 + ("modified",) if yes else ("rejected",) * 5 + ("skipped",))
        yield {
            "rule": rule,
            "category": "style",
            "decision": decision,
            "original": f"{opening} {words} {closing}",
            "suggested": f"{opening} {better} {closing}",
            "final": f"{opening} {better} {closing}, please" if decision == "modified" else None,
            "confidence": round(random_.betavariate(4, 2), 3),
            "actor": random_.choice(_PEOPLE),
            "comment": reason if decision == "rejected" and reason and random_.random() < 0.5 else None,
            "at": now,
        }
