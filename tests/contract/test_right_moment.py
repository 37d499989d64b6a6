"""A correction is given where it matters, and not where a question only sounds alike; on every database."""

from __future__ import annotations

import pytest

import heedful
from tests.conftest import OpenLoop
from tests.contract.correcting import report


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop()  # with the embedder that heedful brings along: it is trained for this


def test_a_correction_is_given_where_it_matters_only(loop: heedful.Loop) -> None:
    price = report(loop, "24 euros", "29 euros", query="What does the Pro plan cost?", sentence="Pro costs 24 euros.")
    report(loop, "Fridays", "Mondays", query="When do we deploy?", sentence="We deploy on Fridays.")

    given = loop.apply.context("Write the price list for the new customers, Pro plan included.")
    assert [piece.id for piece in given.pieces] == [price]
    assert loop.apply.context("How do I bake sourdough bread?").pieces == ()


def test_all_corrections_of_the_same_question_are_given(loop: heedful.Loop) -> None:
    question = "How do I sign the letter to the tenants?"
    first = report(loop, "Best regards", "Kind regards", query=question)
    second = report(loop, "Ann Miller", "Anna Miller", query=question)

    assert {piece.id for piece in loop.apply.context(question).pieces} == {first, second}


@pytest.mark.parametrize("scope", ["is null", "= 'shop'"])
def test_the_newest_of_a_topic_and_of_none_are_looked_up_by_an_index(loop: heedful.Loop, scope: str) -> None:
    """So that a context takes as long among a million of other topics."""
    explain = "explain query plan" if loop.store.database.dialect == "sqlite" else "explain"
    sql = (
        f"{explain} select no from learning where org_id = :org and kind = :kind and status = :status and scope {scope}"
        " order by no desc limit 50"
    )
    asked = {"org": "acme", "kind": "correction", "status": "active"}
    plan = "\n".join(str(row) for row in loop.store.database.query("acme", sql, **asked)).lower()

    assert ("learning_unscoped" if scope == "is null" else "learning_scope") in plan
    assert "sort" not in plan
    assert "temp b-tree" not in plan


def test_wishes_about_style_are_given_for_every_question_about_their_topic(loop: heedful.Loop) -> None:
    wish = report(loop, "", "keep answers under three sentences", category="style", always=True, about="shop")
    report(loop, "", "only here: shorter", category="style", about="shop")

    assert [piece.id for piece in loop.apply.context("What is a monad?", about="shop").pieces] == [wish]
    assert loop.apply.context("What is a monad?").pieces == ()
    assert loop.apply.context("What is a monad?", about="blog").pieces == ()


def test_wishes_for_me_are_given_for_all_my_questions(loop: heedful.Loop) -> None:
    mine = {"category": "style", "always": True, "actor": "ann", "audience": "me"}
    wish = report(loop, "", "no exclamation marks", **mine)

    assert [piece.id for piece in loop.apply.context("What is a monad?", user="ann").pieces] == [wish]
    assert loop.apply.context("What is a monad?", user="ben").pieces == ()


def test_words_to_use_are_given_for_every_question(loop: heedful.Loop) -> None:
    words = report(loop, "clients", "guests", category="domain", always=True, about="hotel")
    report(loop, "Porto", "Lisbon", category="domain", always=True, about="hotel")  # a fact

    assert [piece.id for piece in loop.apply.context("Write a note about the pool", about="hotel").pieces] == [words]


def test_a_word_that_was_said_comes_with_what_it_was_about(loop: heedful.Loop) -> None:
    loop.capture.message("tabs", last_output="I indented with spaces.", query="Format main.go", about="shop")

    (given,) = loop.apply.context("Format main.go", about="shop").pieces
    assert "spaces" in given.text


def test_at_most_ten_wishes_are_given(loop: heedful.Loop) -> None:
    animals = "ant bear cat dog eel fox goat hen ibis jay kiwi lynx"
    for animal in animals.split():
        report(
            loop,
            "",
            f"put a drawing of a {animal} at the top of the {animal} page",
            category="style",
            always=True,
            about="shop",
        )

    assert len(loop.apply.context("What is a monad?", about="shop", budget=2_000).pieces) == 10


def test_a_few_wishes_of_nobody_in_particular_hold_for_all_and_many_only_if_said_again(loop: heedful.Loop) -> None:
    wishes = ["no emoji", "British spelling", "bullet points", "short sentences", "no headings", "metric units"]
    for wish in wishes[:5]:
        report(loop, "", wish, category="style", always=True)
    assert len(loop.apply.context("How do eggs boil?").pieces) == 5

    report(loop, "", wishes[5], category="style", always=True)
    assert not loop.apply.context("How do eggs boil?").pieces

    report(loop, "", wishes[0], category="style", always=True)
    (again,) = loop.apply.context("How do eggs boil?").pieces
    assert "said 2 times" in again.text
    assert "no emoji" in again.text


def test_another_question_of_the_same_kind_keeps_its_own_answer(loop: heedful.Loop) -> None:
    report(loop, "35", "40", query="How much is the yearly pass?", sentence="The yearly pass costs 35 euros.")

    assert loop.apply.improve("Monthly pass: 35 euros", query="How much is the monthly pass?").text == (
        "Monthly pass: 35 euros"
    )


@pytest.mark.parametrize("label", ["Audit of 2020", "Ticket 81, closed", "Changelog 5.1"])
def test_what_an_old_document_says_stays(loop: heedful.Loop, label: str) -> None:
    report(loop, "30 days", "60 days", query="When are refunds paid?", sentence="Refunds are paid within 30 days.")

    cited = f'{label}: "refunds are paid within 30 days"'
    assert loop.apply.improve(cited, query="When are refunds paid?").text == cited


def test_a_pair_without_a_situation_leaves_reports_alone(loop: heedful.Loop) -> None:
    report(loop, "jest", "vitest")

    assert loop.apply.improve("Write the cart test with jest.").text == "Write the cart test with vitest."
    assert loop.apply.improve("I wrote the cart test with jest.").text == "I wrote the cart test with jest."


def test_the_corrected_sentence_is_put_right_wherever_it_stands_again(loop: heedful.Loop) -> None:
    sentence = "Anything above 8 °C must be reported."
    report(loop, "8", "5", query="What do we check in the fridges?", sentence=sentence)

    assert loop.apply.improve(f"Sign every entry. {sentence}").text == (
        "Sign every entry. Anything above 5 °C must be reported."
    )


def test_what_the_output_was_about_finds_the_correction_again(loop: heedful.Loop) -> None:
    """The message and its sentence name neither the play nor the theatre."""
    said = loop.capture.message(
        "twenty, or there's a mutiny at the bar",
        last_output="Front of house for Hamlet at the Marlow theatre: doors open at seven. The break takes 15 minutes.",
        query="sheet for saturday",
    )
    loop.capture.message("it's Mondays", last_output="Bins go out on Fridays.", query="when do the bins go out?")

    assert said.correction is not None
    given = loop.apply.context("How long have the bar staff got between the halves at the theatre?").pieces
    assert [piece.id for piece in given] == [said.correction.id]


def test_the_beginning_of_an_output_is_stored_only_if_texts_are(loop: heedful.Loop) -> None:
    output, query = "Dear Ms Xanthou, here is our offer. The fee is 24 euros.", "the letter"
    first = loop.capture.message("it's 29 euros, not 24", last_output=output, query=query).correction
    loop.govern.set_privacy(store_original_text=False)
    second = loop.capture.message("the fee is 31 euros, not 24", last_output=output, query=query).correction

    assert first is not None
    assert second is not None
    assert loop.event(first.id).meta["opening"] == output
    assert "Xanthou" not in str(loop.event(second.id).meta)


def test_a_wish_reported_by_hand_is_given_for_every_question(loop: heedful.Loop) -> None:
    wish = report(loop, "", "no exclamation marks", always=True)

    assert [piece.id for piece in loop.apply.context("How do eggs boil?").pieces] == [wish]


def test_what_points_at_something_is_not_given_without_it(loop: heedful.Loop) -> None:
    asked = "Write a mail to Bob"
    said = loop.capture.message("please never begin a mail like this", last_output="Hey Bob!!! Great news", query=asked)

    assert said.correction is not None
    assert loop.apply.context("How do eggs boil?").pieces == ()
    (given,) = loop.apply.context(asked).pieces
    assert asked in given.text


def test_a_second_correction_in_a_message_is_not_lost_from_the_prompt(loop: heedful.Loop) -> None:
    asked, both = "Where does Ana live and work?", "Milan, not Rome. And she works at Bar, not Foo."
    loop.capture.message(both, last_output="Ana lives in Rome and works at Foo.", query=asked)

    (given,) = loop.apply.context(asked).pieces
    assert "Milan" in given.text
    assert "Bar" in given.text


def test_a_plain_pair_is_said_once(loop: heedful.Loop) -> None:
    asked = "What is the limit?"
    loop.capture.message("No, it's 60, not 30.", last_output="The limit is 30.", query=asked)

    (given,) = loop.apply.context(asked).pieces
    assert given.text.count("60") == 1
