"""A cause that was mended is found whatever it names, if tests proved it and the person took it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from heedful.learn.conversations.pipeline import Case, run
from heedful.learn.conversations.wording import fix, titled
from heedful.providers.correction_reader import LocalReader
from heedful.records.reading import LikelyStatement
from heedful.records.transcript import Message, Source, Speaker, ToolCall, Transcript
from heedful.text.sentences import Span


def found(asked: str, told: str, answer: str) -> list[tuple[str, str]]:
    messages = (
        Message("ask", Speaker.USER, asked),
        Message("edit", Speaker.ASSISTANT, "I'll look at it.", tools=(ToolCall("Edit", "src/app.py"),)),
        Message("edited", Speaker.TOOL, "ok"),
        Message("test", Speaker.ASSISTANT, "", tools=(ToolCall("Bash", "pytest"),)),
        Message("passed", Speaker.TOOL, "12 passed"),
        Message("told", Speaker.ASSISTANT, told),
        Message("answer", Speaker.USER, answer),
    )
    insights = run(Case(Transcript(Source("c", "codex"), messages), LocalReader())).insights
    return [(one.candidate.title, one.candidate.content["fix"]) for one in insights if one.kept]


@pytest.mark.parametrize(
    ("asked", "told", "title", "done"),
    [
        (
            "deploy.sh fails on the new server",
            "The deploy failed because the image tag did not exist yet on that host. The fix is to pull it first.",
            "Fixed: The deploy failed because the image tag did not exist yet on that host",
            "Pull it first.",
        ),
        (
            "Users get logged out all the time",
            "The root cause was that `refreshToken()` compared seconds with milliseconds, so every token looked old. "
            "I fixed it by converting both to seconds.",
            "Fixed: `refreshToken()` compared seconds with milliseconds, so every token looked old",
            "Converting both to seconds.",
        ),
        (
            "pg says too many connections, please fix",
            "`create_pool` was called in each handler, so every request opened ten new ones. I moved it to the start.",
            "Fixed: `create_pool` was called in each handler, so every request opened ten new ones",
            "I moved it to the start.",
        ),
    ],
)
def test_it_is_found_in_whatever_words(asked: str, told: str, title: str, done: str) -> None:
    assert found(asked, told, "works now, thanks") == [(title, done)]


def test_what_the_person_did_not_take_is_not_found() -> None:
    told = "The deploy failed because the image tag did not exist yet. The fix is to pull it first."
    assert found("deploy.sh fails on the new server", told, "No, it still fails, revert that.") == []


def test_a_title_that_would_be_cut_before_the_cause_is_the_cause() -> None:
    long = (
        "`PriceCache.get()` in the storefront service sometimes returned a stale entry for a whole day because the key "
        "does not contain the currency of the customer"
    )
    assert titled(long, with_reason=True) == "The key does not contain the currency of the customer"


@pytest.mark.parametrize(
    ("told", "done"),
    [
        ("I fixed it by sorting the keys.", "Sorting the keys."),
        ("We've solved the problem by pinning the image.", "Pinning the image."),
        ("The fix was to copy the lock file first.", "Copy the lock file first."),
        ("I sort the keys now.", "I sort the keys now."),
    ],
)
def test_a_fix_does_not_say_that_it_is_one(told: str, done: str) -> None:
    assert fix(told) == done


def told_then_done(told: str, done: str) -> list[str]:
    """A cause that the agent finds, and what it changes in the turn after it."""
    messages = (
        Message("ask", Speaker.USER, "Uploads fail with 413 since yesterday, find out why"),
        Message("told", Speaker.ASSISTANT, told),
        Message("next", Speaker.USER, "great, that was it! go on"),
        Message("edit", Speaker.ASSISTANT, "", tools=(ToolCall("Edit", "deploy/nginx.conf"),)),
        Message("edited", Speaker.TOOL, "ok"),
        Message("done", Speaker.ASSISTANT, done),
        Message("thanks", Speaker.USER, "perfect, thanks"),
    )
    insights = run(Case(Transcript(Source("c", "codex"), messages), SureReader())).insights
    return [one.candidate.title for one in insights if one.kept]


class SureReader(LocalReader):
    """Is sure of what reports tell about nginx."""

    def findings(self, text: str, sentences: Sequence[Span], task: str) -> tuple[LikelyStatement, ...]:
        read = super().findings(text, sentences, task)
        return tuple(replace(one, chance=0.99 if "in front" in text[slice(*one.sentence)] else 0.0) for one in read)


CAUSE = "The nginx in front of the API limits bodies to 1 MB with `client_max_body_size`."


def test_a_cause_that_the_next_turn_mends_is_told_as_mended() -> None:
    (title,) = told_then_done(CAUSE, "I raised `client_max_body_size` to 20 MB.")
    assert title.startswith("Fixed: ")


def test_what_the_next_turn_does_about_something_else_mends_nothing() -> None:
    (title,) = told_then_done(CAUSE, "I added the sidebar and its icons.")
    assert title == CAUSE.rstrip(".")


def test_a_cause_is_told_as_mended_where_no_tools_are_recorded() -> None:
    told = (
        "The game slowed down because every tile made a light of its own and none was ever freed. "
        "I free them now when the level ends."
    )
    messages = (
        Message("ask", Speaker.USER, "the game gets slow after a few minutes, why?"),
        Message("told", Speaker.ASSISTANT, told),
        Message("thanks", Speaker.USER, "steady now, it was the lights. thanks!"),
    )
    insights = run(Case(Transcript(Source("c", "cursor", "game"), messages), LocalReader())).insights
    assert [one.candidate.title[:7] for one in insights if one.kept] == ["Fixed: "]


def test_of_a_long_report_without_trouble_nothing_is_learned() -> None:
    told = "\n\n".join(
        f"`part_{number}` is called twice because `main()` needs it in both modes." for number in range(30)
    )
    messages = (
        Message("ask", Speaker.USER, "Describe the parts of `main()`, please."),
        Message("told", Speaker.ASSISTANT, told),
        Message("thanks", Speaker.USER, "perfect, thanks"),
    )
    assert run(Case(Transcript(Source("c", "codex"), messages), SureReader())).insights == ()
