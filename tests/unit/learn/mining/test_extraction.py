"""What a conversation teaches is told in its own words, under a title that stands alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.learn.conversations.local.prose import sentences
from heedful.learn.conversations.local_extraction import distinct, everything, extracted
from heedful.learnings.content import content_text
from heedful.records.insight import (
    CONTENT_LEAST,
    QUOTE_LIMIT,
    QUOTES_LEAST,
    QUOTES_MOST,
    SUMMARY_LIMIT,
    TAGS_LEAST,
    TAGS_MOST,
    TITLE_LIMIT,
    InsightCandidate,
    InsightCategory,
)
from heedful.records.transcript import Message, Speaker, Transcript
from tests.examples import examples
from tests.unit.learn.mining import talks
from tests.unit.learn.mining.talks import talk

TALKS = {
    InsightCategory.BUG_FIX: talks.HANGING,
    InsightCategory.DECISION: talks.SESSIONS,
    InsightCategory.OPTIMIZATION: talks.IMPORT,
    InsightCategory.TOOL_USAGE: talks.LIKE,
    InsightCategory.WORKFLOW: talks.PUBLISH,
    InsightCategory.ANTI_PATTERN: talks.UTCNOW,
    InsightCategory.BEST_PRACTICE: talks.MONEY,
    InsightCategory.PATTERN: talks.RETRY,
}


def the_one(topic: InsightCategory) -> InsightCandidate:
    found = extracted(TALKS[topic], topic)
    assert found, topic
    return found[0]


@pytest.mark.parametrize("topic", list(InsightCategory))
def test_every_topic_keeps_to_the_limits_and_to_the_conversation(topic: InsightCategory) -> None:
    check(the_one(topic), TALKS[topic])


def check(candidate: InsightCandidate, transcript: Transcript) -> None:
    assert 0 < len(candidate.title) <= TITLE_LIMIT
    assert len(content_text(candidate.content)) >= CONTENT_LEAST
    assert TAGS_LEAST <= len(candidate.tags) <= TAGS_MOST
    assert all(tag == tag.lower() and " " not in tag for tag in candidate.tags)
    assert QUOTES_LEAST <= len(candidate.quotes) <= QUOTES_MOST
    assert 0 < len(candidate.summary) <= SUMMARY_LIMIT
    said = {message.id: message for message in transcript.messages}
    for quote in candidate.quotes:
        assert len(quote.text) <= QUOTE_LIMIT
        assert quote.text in " ".join(said[quote.message].text.split())
        assert quote.role == said[quote.message].role
    spoken = " ".join(message.text + " ".join(tool.input for tool in message.tools) for message in transcript.messages)
    known = set(re.findall(r"\w+", spoken.lower()))
    content = re.sub(r"\b\d\. ", "", f"{candidate.title}\n{content_text(candidate.content)}")
    assert set(re.findall(r"\w+", content.lower())) <= known


def test_a_bug_is_told_with_its_cause_and_its_fix() -> None:
    content = the_one(InsightCategory.BUG_FIX).content
    assert "never shuts it down" in content["cause"]
    assert "shutdown" in content["fix"]


def test_a_decision_names_what_was_chosen_and_what_was_not() -> None:
    decision = the_one(InsightCategory.DECISION)
    assert decision.title == "Keep the sessions in Postgres with a nightly expiry job"
    assert decision.content["options"].startswith("Move the sessions to Redis")
    assert any(quote.role == Speaker.USER for quote in decision.quotes)


def test_an_optimisation_is_told_with_its_reason_and_its_price() -> None:
    content = the_one(InsightCategory.OPTIMIZATION).content
    assert "26×" in content["result"]
    assert content["why"].startswith("Each row was committed")
    assert content["trade_off"]


def test_an_answer_to_a_question_tells_how_a_tool_behaves() -> None:
    found = the_one(InsightCategory.TOOL_USAGE)
    assert found.title.startswith("A B-tree index in Postgres can only be used")
    assert "trigram index" in content_text(found.content)
    assert "postgres" in found.tags


def test_a_command_that_worked_after_one_that_failed_is_kept_with_the_reason() -> None:
    (found,) = extracted(talks.ARM, InsightCategory.TOOL_USAGE)
    assert "docker buildx build" in found.content["how"]
    assert "cannot emulate" in found.content["what"]


def test_a_command_that_nobody_explained_is_not_kept() -> None:
    silent = Message("m3", Speaker.ASSISTANT, "Trying again.", tools=talks.ARM.messages[3].tools)
    messages = (*talks.ARM.messages[:3], silent, *talks.ARM.messages[4:])
    assert everything(Transcript(talks.ARM.source, messages)) == ()


def test_a_workflow_keeps_the_steps_in_order() -> None:
    found = the_one(InsightCategory.WORKFLOW)
    assert found.title == "Publish a Docker image to our registry from CI"
    assert re.search(r"1\. Log in.*2\. Build.*3\. Run.*4\. Push", found.content["how"], re.DOTALL)


def test_an_anti_pattern_comes_with_the_better_way() -> None:
    better = the_one(InsightCategory.ANTI_PATTERN).content["better"]
    assert better.startswith("Use `datetime.now(timezone.utc)`")


@pytest.mark.parametrize("conversation", [talks.COOKING, talks.NARRATED])
def test_soup_and_narration_teach_nothing(conversation: Transcript) -> None:
    assert everything(conversation) == ()


def test_what_system_messages_say_is_nobodys_learning() -> None:
    boot = tuple(Message(one.id, Speaker.SYSTEM, one.text) for one in talks.HANGING.messages)
    assert everything(Transcript(talks.HANGING.source, boot)) == ()


def test_a_conversation_says_the_same_only_once() -> None:
    twice = talk(*(message.text for message in (*talks.LIKE.messages, *talks.LIKE.messages)))
    assert len(everything(twice)) == 1


def test_of_candidates_that_say_the_same_the_first_is_kept() -> None:
    one, other = the_one(InsightCategory.BUG_FIX), the_one(InsightCategory.DECISION)
    assert distinct([one, other, one]) == [one, other]
    assert distinct([one, other], most=1) == [one]


def test_nothing_is_quoted_across_a_piece_that_was_cut_out() -> None:
    cut = "The upload fails because the proxy …[1200 chars cut]… so the fix is to raise the limit in `nginx.conf`."
    assert sentences(cut) == []


def test_code_listings_and_other_agents_words_are_not_prose() -> None:
    assert sentences("```\nThe bug is here because of this.\n```") == []
    assert sentences("| The bug | is here |\n|---|---|") == []
    assert sentences("_**Agent - sidechain (x)**_\n\nYour task is to find the bug because it hurts.") == []


WORDS = st.sampled_from(
    ["because", "the fix is", "`x`", "**Root cause:**", "\n\n", "- ", "1. ", "## ", "so", "```", "I'd recommend",
     "Option B", "fails", ".", ": ", "(", "—", "git", "*", "_", "Postgres", "when", "?", "avoid",
     "\x00", "\ud800", "é", "“", "…"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=60).map(" ".join))


@examples(60)
@given(st.lists(st.tuples(st.sampled_from(list(Speaker)), TEXTS), max_size=8))
def test_whatever_was_said_what_is_found_is_proven(said: list[tuple[Speaker, str]]) -> None:
    messages = tuple(Message(str(number), role, text) for number, (role, text) in enumerate(said))
    transcript = Transcript(talks.LIKE.source, messages)
    for candidate in everything(transcript):
        check(candidate, transcript)


@given(TEXTS)
def test_every_sentence_stands_in_its_message_to_the_letter(text: str) -> None:
    spaced = " ".join(text.split())
    for sentence in sentences(text):
        assert " ".join(sentence.raw.split()) in spaced


@pytest.mark.parametrize(
    "text",
    ["so " * 100_000, "*" * 200_000, "`" * 200_001, "because it fails. " * 20_000, "a" * 500_000, "(" * 200_000,
     "## " + "x - " * 50_000, "- " * 100_000, "The fix is `x`: \n" * 20_000, "[a](" * 50_000, "\n" * 300_000,
     "1. " * 90_000,
     "<system-reminder>" * 20_000, "a/" * 100_000, "option a. " * 30_000],
)  # fmt: skip
def test_hostile_texts_are_read_in_bounded_time(text: str) -> None:
    conversation = talk("Why does the build fail?", text, "ok", text)
    assert len(everything(conversation)) <= 3


def test_a_fix_after_what_goes_wrong_is_told_even_where_nothing_is_called_a_cause() -> None:
    found = everything(
        talk(
            "the importer eats all memory, why?",
            "`asyncio.create_task` is called for every row of the file. Each task holds its row until it is done, so "
            "memory grows with the size of the file.\n\n"
            "The fix: start tasks from a `Semaphore` of 20 and await them in batches.",
            "works",
        )
    )
    assert [one.category for one in found] == [InsightCategory.BUG_FIX]
    assert "memory grows" in found[0].content["problem"]
    assert found[0].content["fix"].startswith("Start tasks from a `Semaphore`")


def test_a_test_may_be_what_goes_wrong() -> None:
    found = everything(
        talk(
            "test_upload fails now and then",
            "The test is flaky because `test_login` leaves a file in the `uploads` folder that all tests share. "
            "Giving each test a `tmp_path` of its own fixes it: nothing is left over for the next one.",
            "great",
        )
    )
    assert found[0].title.startswith("The test is flaky because `test_login` leaves a file")


def test_a_root_cause_names_a_bug_before_what_it_led_to() -> None:
    found = everything(
        talk(
            "the queue stops at night",
            "The root cause is that `lease()` never renews its lock, so a job longer than a minute is taken twice. "
            "After an hour all workers wait for each other and the queue is stuck.\n\n"
            "The fix is to renew the lock every 20 seconds from the worker's own thread.",
            "thanks",
        )
    )
    assert found[0].title == "`lease()` never renews its lock, so a job longer than a minute is taken twice"


def test_a_decision_is_named_by_what_was_chosen_not_by_its_price() -> None:
    found = extracted(
        talk(
            "where do we keep the thumbnails?",
            "For a few thousand thumbnails I'd go with SQLite blobs. They are backed up with everything else. "
            "The trade-off is that the file grows, and past a few gigabytes S3 makes more sense.",
            "ok, do that",
        ),
        InsightCategory.DECISION,
    )
    assert [one.title for one in found] == ["SQLite blobs for a few thousand thumbnails"]
    assert "backed up with everything else" in content_text(found[0].content)


def test_what_is_said_against_the_others_is_not_what_was_chosen() -> None:
    answer = (
        "Recommendation: Parquet. CSV files have no types, so every reader has to guess them and a zip code loses its "
        "zero. JSON repeats each name in each row, so the files are ten times as large as they need to be."
    )
    found = extracted(talk("csv, json or parquet for the exports?", answer, "yes, go"), InsightCategory.DECISION)
    assert not any(one.content["choice"].startswith(("CSV", "JSON")) for one in found)


def test_a_workflow_is_named_by_its_task_and_not_by_its_first_step() -> None:
    answer = """To rotate the signing key:

1. Create a new key with `openssl genrsa 4096` and store it in the vault.
2. Deploy the service with both keys by `kubectl apply`, so that old tokens stay valid.
3. Remove the old key after a day."""
    found = extracted(talk("how do we rotate this?", answer, "ok"), InsightCategory.WORKFLOW)
    assert [one.title for one in found] == ["Rotate the signing key"]


def test_a_question_about_the_kitchen_is_not_about_a_tool() -> None:
    answer = (
        "Rice gets creamy because stirring rubs the starch off it. Use hot stock, one ladle at a time. "
        "The fix for a sticky pan is more stock at the end and two minutes of rest."
    )
    assert not everything(talk("How do I make a good risotto?", answer, "and which wine?"))
