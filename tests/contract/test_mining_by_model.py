"""Mining with a language model: its answers count as far as the conversation bears them out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import heedful
from heedful.errors import ProviderUnreachable
from heedful.records.mining import MiningOutcome
from heedful.settings import Settings
from heedful.testing import ScriptedModel
from tests.conftest import OpenLoop
from tests.contract.mining import LINT, PlainReader, active, teach, whole

TALK: list[dict[str, Any]] = [
    {"role": "user", "text": "The nightly import hangs for hours on the staging database.", "id": "a"},
    {
        "role": "assistant",
        "text": "The cause is a lock that the report query holds, because it runs in a transaction nobody commits.",
        "id": "b",
        "tools": [{"name": "Bash", "input": "psql -c 'select * from pg_locks'"}],
    },
    {
        "role": "user",
        "text": "Committing right after the report query ends fixed the hanging import, thanks.",
        "id": "c",
    },
    {"role": "assistant", "text": "I added a test for it.", "id": "d"},
]
CATEGORIES = {"categories": [{"category": "bug_fix", "confidence": 0.9, "signals": ["a cause is named"]}]}
LEARNING = {
    "title": "Commit right after the report query, or the import hangs",
    "content": [
        {"part": "problem", "text": "The nightly import hangs for hours."},
        {"part": "cause", "text": "The report query holds a lock in a transaction that nobody commits."},
        {"part": "fix", "text": "Commit right after the report query ends."},
    ],
    "tags": ["postgresql", "locks", "import"],
    "evidence": [
        {"message": 1, "quote": "The cause is a lock that the report query holds"},
        {"message": 2, "quote": "Committing right after the report query ends fixed the hanging import"},
    ],
    "summary": "The nightly import hung on the staging database.",
    "actionability": 0.9,
    "generalizability": 0.8,
    "clarity": 0.9,
    "evidence_strength": 0.9,
}


def mine(loop: heedful.Loop, id: str = "chat-1") -> Any:
    loop.capture.conversation(TALK, id=id)
    return loop.learn.mine(id)


def script(**learning: Any) -> ScriptedModel:
    """It is asked for categories, for rules, and for learnings of the category it named."""
    return ScriptedModel(CATEGORIES, {"rules": []}, {"learnings": [{**LEARNING, **learning}]})


def test_what_a_model_finds_is_stored_with_its_proof_and_its_name(open_loop: OpenLoop) -> None:
    with open_loop(language=script()) as loop:
        mined = mine(loop)
        assert (mined.outcome, mined.by) == (MiningOutcome.LEARNED, "scripted")
        (one,) = active(loop)
        assert (one.title, one.extracted_by) == (LEARNING["title"], "scripted")
        said = {quote.message: quote.text for quote in one.quotes}
        assert all(text in str(loop.event(message).after["text"]) for message, text in said.items())
        assert len(said) == 2
        whole(loop)


def test_what_the_conversation_does_not_say_is_not_believed(open_loop: OpenLoop) -> None:
    invented = [{"message": 1, "quote": "The moon is made of cheese"}, {"message": 9, "quote": "Nobody said this"}]
    model = script(evidence=invented)
    model = ScriptedModel(*model._answers, {"evidence": [], "summary": ""})
    with open_loop(language=model) as loop:
        mine(loop)
        assert LEARNING["title"] not in [one.title for one in active(loop)]


def test_where_a_model_does_not_answer_the_local_way_counts(open_loop: OpenLoop) -> None:
    away = ProviderUnreachable("Nobody answers.", hint="Try later.")
    with open_loop(language=ScriptedModel(away, away, away, away), reader=PlainReader()) as loop:
        mined = teach(loop, "chat-1", LINT)
        assert (mined.outcome, mined.by) == (MiningOutcome.LEARNED, "local")
        assert any("did not answer" in finding.says for finding in mined.findings)


def test_wordings_of_a_prompt_are_compared(open_loop: OpenLoop, tmp_path: Path) -> None:
    (tmp_path / "bug_fix@short.md").write_text("Find the bug and its fix.")
    answers = [answer for _ in range(12) for answer in script()._answers]
    settings = Settings("", prompts=str(tmp_path))
    with open_loop(language=ScriptedModel(*answers), settings=settings) as loop:
        for number in range(12):
            mine(loop, f"chat-{number}")
        (one,) = [found for found in loop.measure.variants() if found.prompt == "bug_fix"]
        assert sorted(result.variant for result in one.variants) == ["short", "standard"]
        assert sum(result.conversations for result in one.variants) == 12
        assert (one.winner, "Not enough data" in one.reason) == (None, True)


def test_what_rests_on_the_same_words_is_learned_once(open_loop: OpenLoop) -> None:
    both = [
        *CATEGORIES["categories"],
        {"category": "best_practice", "confidence": 0.8, "signals": ["a way of working"]},
    ]
    again = {**LEARNING, "title": "A report query that nobody commits must not run before an import", "clarity": 0.6}
    model = ScriptedModel({"categories": both}, {"rules": []}, {"learnings": [LEARNING]}, {"learnings": [again]})
    with open_loop(language=model) as loop:
        mine(loop)
        assert [one.title for one in active(loop)] == [LEARNING["title"]]
