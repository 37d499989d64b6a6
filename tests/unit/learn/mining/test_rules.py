"""Durable instructions of people, found in their conversations with agents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.learn.conversations.rules import rules
from heedful.learnings.content import content_text
from heedful.records.insight import (
    QUOTE_LIMIT,
    QUOTES_LEAST,
    QUOTES_MOST,
    RULE_LEAST,
    SUMMARY_LIMIT,
    TAGS_LEAST,
    TAGS_MOST,
    TITLE_LIMIT,
    InsightCandidate,
    InsightCategory,
)
from heedful.records.transcript import Message, Source, Speaker, ToolCall, Transcript
from tests.effort import at_most
from tests.examples import examples
from tests.scoring import scored

TASK = "Please add a settings page so that people can change their password."
DONE = "I have added the settings page with a form, ran npm install and checked it in the browser."
ANSWER = "Understood. I'll change the settings page accordingly and keep to that."


def conversation(*texts: str, done: str = DONE, tools: tuple[ToolCall, ...] = ()) -> Transcript:
    """A task, what the agent did, and then what the person says, with an answer each time."""
    messages = [Message("0", Speaker.USER, TASK), Message("1", Speaker.ASSISTANT, done, tools=tools)]
    for text in texts:
        messages.append(Message(str(len(messages)), Speaker.USER, text))
        messages.append(Message(str(len(messages)), Speaker.ASSISTANT, ANSWER))
    return Transcript(Source("c1", "claude-code"), tuple(messages))


def found(*texts: str, done: str = DONE) -> list[InsightCandidate]:
    return rules(conversation(*texts, done=done))


def titles(*texts: str, done: str = DONE) -> list[str]:
    return [candidate.title for candidate in found(*texts, done=done)]


@scored("rules/lasting", at_least=0.9)
def test_what_is_to_last_is_found_and_put_in_the_imperative(said: str, title: str) -> None:
    assert titles(said) == [title]


@scored("rules/others", at_least=0.9)
def test_a_request_a_question_or_a_description_is_no_rule(said: str) -> None:
    assert titles(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Bitte immer erst die Tests laufen lassen, bevor du committest.",
        "Wir verwenden hier pnpm, nicht npm.",
        "Ne modifie jamais les fichiers générés.",
        "De ahora en adelante usa siempre pnpm en lugar de npm.",
        "Sempre rode os testes antes de fazer commit.",
    ],
)
def test_the_plain_words_of_neighbouring_languages_are_understood(said: str) -> None:
    assert len(titles(said)) == 1


def test_the_candidate_tells_what_why_when_and_proves_it() -> None:
    (rule,) = found("No, don't use npm here, we use pnpm because the lockfile is shared with the other team.")
    assert rule.rule
    assert rule.category is InsightCategory.ANTI_PATTERN
    assert next(iter(rule.content)) == "what"
    assert rule.content["why"] == "The lockfile is shared with the other team."
    said = "The agent had said: “I have added the settings page with a form, ran npm install"
    assert rule.content["context"].startswith(said)
    assert [quote.message for quote in rule.quotes][:2] == ["2", "1"]
    assert {"npm", "pnpm"} <= set(rule.tags)


def test_what_the_agent_had_run_and_then_changed_is_told() -> None:
    before = (ToolCall("Bash", "ruff check src/app.py"), ToolCall("Read", "src/app.py"))
    transcript = conversation("No, always run ruff on the whole project", tools=before)
    answer = Message("3", Speaker.ASSISTANT, "Done.", tools=(ToolCall("Edit", "/home/me/app/src/app.py"),))
    (rule,) = rules(Transcript(transcript.source, (*transcript.messages[:3], answer)))
    assert "run `ruff check src/app.py`" in rule.content["context"]
    assert rule.content["context"].endswith("The agent then changed src/app.py.")


def test_the_reason_may_stand_in_the_next_sentence() -> None:
    (rule,) = found("We don't want a separate helpers file. That makes the folder hard to read.")
    assert rule.title == "Avoid a separate helpers file"
    assert rule.content["why"] == "That makes the folder hard to read."


def test_what_is_unwanted_without_a_reason_is_a_request() -> None:
    assert titles("We don't want a separate helpers file.") == []


def test_a_requirement_of_the_product_is_a_decision_if_it_has_a_reason() -> None:
    (rule,) = found("The exporter should write one file per day because the archive job reads whole days.")
    assert rule.category is InsightCategory.DECISION


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("never edit files under vendor/", InsightCategory.ANTI_PATTERN),
        ("from now on use uv instead of pip", InsightCategory.TOOL_USAGE),
        ("always ask me before you delete a branch", InsightCategory.WORKFLOW),
        ("we decided to keep the API synchronous", InsightCategory.DECISION),
        ("I prefer composition over inheritance", InsightCategory.BEST_PRACTICE),
    ],
)
def test_the_topic_follows_from_what_is_asked(said: str, topic: InsightCategory) -> None:
    assert found(said)[0].category is topic


def test_a_choice_is_a_rule_once_the_agent_chose_otherwise() -> None:
    assert titles("use rg, not grep", done="I ran grep over the folder and found three places to change.")
    assert not titles("use rg, not grep", done="I looked through the folder and found three places to change.")


def test_saying_it_again_makes_a_request_a_rule() -> None:
    once = "put the date helpers into clock.py, not into the views"
    again = "Dude, put date helpers into clock.py, not into the views"
    assert titles(once) == []
    assert len(titles(once, again)) == 1


def test_a_message_sent_twice_is_said_once() -> None:
    messages = conversation("put the date helpers into clock.py, not into the views").messages
    twice = Message("again", Speaker.USER, messages[2].text)
    assert rules(Transcript(Source("c1", "codex"), (*messages[:3], twice, messages[3]))) == []


def test_the_same_rule_in_other_words_is_given_once() -> None:
    assert (
        len(titles("Never mock the database in tests.", "I said never mock the database. Never mock the database!"))
        == 1
    )


def test_rules_that_name_other_numbers_are_kept_apart() -> None:
    assert len(titles("Always use a retry limit of 3 for uploads", "Always use a retry limit of 5 for uploads")) == 2


def test_each_item_of_a_list_of_rules_is_one() -> None:
    said = (
        "Some rules for this project:\n- Use named exports\n- No console.log in committed code\n- Write tests in pytest"
    )
    assert titles(said) == ["Use named exports", "No console.log in committed code", "Write tests in pytest"]


@scored("rules/pasted", at_least=0.9)
def test_what_is_pasted_is_not_searched(said: str) -> None:
    assert titles(said) == []


def test_what_a_person_types_around_a_paste_is_searched() -> None:
    said = "```\nnpm ERR! code 1\n```\nNo, never use npm in this project, we use pnpm."
    assert len(titles(said)) == 1


def test_the_agents_own_words_pasted_back_are_not_the_persons() -> None:
    advice = "Always validate the input of every handler before storing it."
    assert titles(f"{advice} Sounds good.", done=f"Some advice. {advice}") == []


def test_only_people_lay_down_rules() -> None:
    text = "Always use pnpm instead of npm in this project."
    others = tuple(Message(role.value, role, text) for role in (Speaker.ASSISTANT, Speaker.SYSTEM, Speaker.TOOL))
    assert rules(Transcript(Source("c1", "codex"), others)) == []


def test_it_is_replaced_by_the_name_in_the_same_sentence() -> None:
    said = "all dates are made in clock_tools, never parse dates outside of it"
    assert titles(said) == ["Never parse dates outside of clock_tools"]


def test_what_cannot_be_resolved_gives_nothing() -> None:
    assert titles("always use it instead of them", "never do that again please", "from now on use this one") == []


def test_a_preferred_way_is_named_by_the_sentence_before() -> None:
    said = "Why is the importer not using file events? It is the recommended way."
    assert titles(said) == ["Prefer file events"]


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\x00\x01", "always \ud800 use \udfff surrogates in names", "İ always ﬁne"]
)
def test_odd_text_does_no_harm(text: str) -> None:
    rules(conversation(text))


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "always use it " * 100_000,
        "```\n" * 100_000,
        "'\"`“" * 50_000,
        ("never, " * 80 + "\n") * 2_000,
        ("foo should " * 50 + "\n") * 2_000,
        ("ne a jamais " * 45 + "\n") * 2_000,
        "never use x. " * 50_000,
    ],
    ids=["letters", "words", "fences", "quotes", "commas", "duties", "foreign", "sentences"],
)
def test_hostile_text_takes_bounded_time(text: str) -> None:
    with at_most(2):
        rules(conversation(text))


_SAID = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            [
                *(
                    "always",
                    "never",
                    "don't",
                    "use",
                    "we",
                    "the",
                    "pnpm",
                    "not",
                    "it",
                    "that",
                    "because",
                    "before committing",
                ),
                *(
                    "files",
                    "tests",
                    ",",
                    ".",
                    "?",
                    ":",
                    "`",
                    "\n",
                    "- ",
                    "you",
                    "I",
                    "must",
                    "prefer",
                    "over",
                    "in this repo",
                ),
                *("from now on", "make sure", "every time", "src/app.py", "Rules for this project:\n"),
            ]
        ),
        max_size=40,
    ).map(" ".join),
)


@examples(150)
@given(st.lists(_SAID, max_size=4))
def test_whatever_is_said_every_candidate_is_well_formed_and_proven(texts: list[str]) -> None:
    transcript = conversation(*texts)
    said = {message.id: message.text for message in transcript.messages}
    for candidate in rules(transcript):
        assert 0 < len(candidate.title) <= TITLE_LIMIT
        assert RULE_LEAST <= len(content_text(candidate.content)) <= 600
        assert TAGS_LEAST <= len(candidate.tags) <= TAGS_MOST
        assert all(tag == tag.lower() and " " not in tag for tag in candidate.tags)
        assert QUOTES_LEAST <= len(candidate.quotes) <= QUOTES_MOST
        assert all(quote.text in said[quote.message] and len(quote.text) <= QUOTE_LIMIT for quote in candidate.quotes)
        assert len(candidate.summary) <= SUMMARY_LIMIT
