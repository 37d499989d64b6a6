"""In the inbox: keys, edits, rejections, batches, two people at once, and every act that waits for a person."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from heedful.loop import Loop
from heedful.records.proposal import ProposalStatus
from heedful.records.rule import RuleType
from tests.browser.conftest import SignIn
from tests.browser.proposing import adopted, one_of_each, proposed

pytestmark = pytest.mark.xdist_group("browser")

THREE = ("Name things plainly.", "Test what breaks.", "Count in UTC.")
"""Rules that get along with one another."""


def _card(page: Page, text: str) -> Locator:
    return page.locator(".proposal", has_text=text)


def _reject(card: Locator, why: str) -> None:
    card.locator("summary", has_text="Reject").click()
    card.get_by_label("Why?").fill(why)
    card.get_by_role("button", name="Reject").click()


def _edit(card: Locator, words: str) -> None:
    card.locator("summary", has_text="Edit").click()
    card.get_by_label("Rule", exact=True).fill(words)
    card.get_by_role("button", name="Save the new words").click()


def test_keys_move_approve_reject_edit_and_choose(sign_in: SignIn, loop: Loop) -> None:
    made = [proposed(loop, text) for text in THREE]
    page = sign_in("lee").open("/inbox")
    cards = page.locator(".proposal")
    page.keyboard.press("j")
    expect(cards.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(cards.nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(cards.nth(0)).to_be_focused()

    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).not_to_be_visible()

    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("e")
    expect(cards.nth(0).get_by_label("Rule", exact=True)).to_be_focused()
    page.keyboard.type(" jkax")  # keys are letters while one writes
    expect(cards.nth(0).get_by_label("Rule", exact=True)).to_have_value("Name things plainly. jkax")
    page.keyboard.press("Escape")
    expect(cards.nth(0)).to_be_focused()

    page.keyboard.press("x")
    expect(cards.nth(0).get_by_role("checkbox")).to_be_checked()
    page.keyboard.press("x")

    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("You agreed to “Name things plainly.”")
    expect(_card(page, "Test what breaks.")).to_be_focused()

    page.keyboard.press("r")
    expect(_card(page, "Test what breaks.").get_by_label("Why?")).to_be_focused()
    page.keyboard.type("It is about one customer.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Rejected: “Test what breaks.”")

    states = [loop.govern.proposals.get(one.id) for one in made]
    assert [len(one.approvals) for one in states] == [1, 0, 0]
    assert (states[1].status, states[1].why) == (ProposalStatus.REJECTED, "It is about one customer.")


def test_in_the_slow_lane_a_key_alone_approves_nothing(sign_in: SignIn, loop: Loop) -> None:
    made = proposed(loop, "Never log passwords.", type="CONSTRAINT")
    page = sign_in("lee").open("/inbox")
    expect(page.get_by_role("checkbox")).to_have_count(0)
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(page.get_by_role("button", name="Approve", exact=True)).to_be_focused()
    assert loop.govern.proposals.get(made.id).approvals == ()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("You agreed")
    assert len(loop.govern.proposals.get(made.id).approvals) == 1


def test_after_an_edit_everybody_is_asked_again(sign_in: SignIn, loop: Loop) -> None:
    made = proposed(loop, "Validate input.")
    loop.govern.proposals.approve(made.id, by="ana")
    page = sign_in("lee").open("/inbox")
    expect(page.locator(".proposal")).to_contain_text("1 of 2 agreed")
    card = page.locator(".proposal")
    card.locator("summary", has_text="Edit").click()
    card.get_by_label("Rule", exact=True).fill("Validate input where it enters.")
    card.get_by_label("Type").select_option("CONSTRAINT")
    card.get_by_label("Agents").fill("coder, writer")
    card.get_by_label("Place in the prompt").fill("Security")
    card.get_by_role("button", name="Save the new words").click()

    expect(page.get_by_role("status")).to_contain_text("You edited “Validate input where it enters.”")
    expect(page.locator(".proposal")).to_contain_text("0 of 2 agreed")
    expect(page.locator(".proposal")).to_contain_text("You wrote these words.")
    expect(page.get_by_role("button", name="Approve", exact=True)).to_have_count(0)
    words = loop.govern.proposals.get(made.id).rule
    assert words is not None
    assert (words.type, words.agents, words.insertion_point) == (RuleType.CONSTRAINT, ("coder", "writer"), "Security")


def test_who_reads_old_words_approves_nothing(sign_in: SignIn, loop: Loop) -> None:
    made = proposed(loop, "Validate input.")
    lee, kim = sign_in("Lee Park").open("/inbox"), sign_in("Kim Okafor").open("/inbox")
    _edit(kim.locator(".proposal"), "Validate all input where it enters.")
    expect(kim.get_by_role("status")).to_contain_text("You edited")

    lee.get_by_role("button", name="Approve", exact=True).click()
    expect(lee.get_by_role("alert")).to_contain_text(
        "Kim Okafor changed the words after you opened them. Your approval was not recorded."
    )
    expect(lee.get_by_role("heading", name="Validate all input where it enters.")).to_be_visible()
    assert loop.govern.proposals.get(made.id).approvals == ()
    lee.get_by_role("button", name="Approve", exact=True).click()
    expect(lee.get_by_role("status")).to_contain_text("You agreed to “Validate all input where it enters.”")


def test_two_who_edit_at_once_lose_nothing(sign_in: SignIn, loop: Loop) -> None:
    made = proposed(loop, "Validate input.")
    lee, kim = sign_in("Lee Park").open("/inbox"), sign_in("Kim Okafor").open("/inbox")
    _edit(kim.locator(".proposal"), "Kim's words.")
    expect(kim.get_by_role("status")).to_contain_text("You edited")
    _edit(lee.locator(".proposal"), "Lee's words.")

    expect(lee.get_by_role("alert")).to_contain_text("Kim Okafor changed the words")
    expect(lee.get_by_role("heading", name="Kim's words.")).to_be_visible()
    expect(lee.get_by_label("Rule", exact=True)).to_have_value("Lee's words.")
    assert str(loop.govern.proposals.get(made.id).rule) == "Kim's words."
    lee.get_by_role("button", name="Save the new words").click()
    expect(lee.get_by_role("heading", name="Lee's words.")).to_be_visible()
    assert str(loop.govern.proposals.get(made.id).rule) == "Lee's words."


def test_who_comes_too_late_is_told_and_keeps_their_words(sign_in: SignIn, loop: Loop) -> None:
    proposed(loop, "Validate input.")
    lee, kim = sign_in("Lee Park").open("/inbox"), sign_in("Kim Okafor").open("/inbox")
    _reject(kim.locator(".proposal"), "Too vague.")
    expect(kim.get_by_role("status")).to_contain_text("Rejected")
    _edit(lee.locator(".proposal"), "Validate input where it enters, with the form's schema.")

    expect(lee.get_by_role("alert")).to_contain_text("Kim Okafor rejected this meanwhile. Your edit was not recorded.")
    expect(lee.get_by_role("alert")).to_contain_text("Too vague.")
    expect(lee.locator("pre")).to_have_text("Validate input where it enters, with the form's schema.")
    expect(lee.locator("form[action^='/inbox']")).to_have_count(0)


def test_a_rule_is_rejected_with_a_reason_only(sign_in: SignIn, loop: Loop) -> None:
    made = proposed(loop, "Validate input.")
    page = sign_in("lee").open("/inbox")
    page.locator("summary", has_text="Reject").click()
    page.locator("textarea[name=why]").evaluate("field => field.required = false")
    page.get_by_role("button", name="Reject", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("A rule is rejected with a reason.")
    page.get_by_label("Why?").fill("It holds for one customer only.")
    page.get_by_role("button", name="Reject", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Rejected")
    assert loop.govern.proposals.get(made.id).why == "It holds for one customer only."


def test_several_are_decided_at_once_and_each_by_itself(sign_in: SignIn, loop: Loop) -> None:
    made = [proposed(loop, text) for text in THREE]
    page = sign_in("lee").open("/inbox")
    for box in page.get_by_role("checkbox").all():
        box.check()
    loop.govern.proposals.edit(made[1].id, rule="Test what broke before.", by="ana")
    page.get_by_role("button", name="Approve the chosen (3)").click()

    expect(page.get_by_role("alert")).to_contain_text("“Test what broke before.”: Ana changed the words")
    expect(page.get_by_role("status")).to_have_count(2)
    assert [len(loop.govern.proposals.get(one.id).approvals) for one in made] == [1, 0, 1]

    _card(page, "Test what broke before.").get_by_role("checkbox").check()
    page.get_by_role("button", name="Reject the chosen").click()
    expect(page.get_by_role("alert")).to_contain_text("Say why")
    expect(_card(page, "Test what broke before.").get_by_role("checkbox")).to_be_checked()
    page.get_by_label("Why are they rejected?").fill("We do already.")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Rejected")
    assert loop.govern.proposals.get(made[1].id).why == "We do already."


def test_a_contradiction_is_shown_side_by_side_and_solved_by_replacing(sign_in: SignIn, loop: Loop) -> None:
    old = adopted(loop, "Validate input at the boundary.")
    proposed(loop, "Do not validate input at the boundary.")
    page = sign_in("lee").open("/inbox")
    expect(page.locator(".versus")).to_contain_text("Validate input at the boundary.")
    expect(page.locator(".notice.bad")).to_contain_text("Contradicts a rule in force.")
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("mark the rule that it replaces")
    page.locator("summary", has_text="Edit").click()
    page.get_by_label("Validate input at the boundary.", exact=True).check()
    page.get_by_role("button", name="Save the new words").click()
    expect(page.locator(".learning")).to_contain_text("It takes the place of")
    (waiting,) = loop.govern.proposals.all()
    assert waiting.learnings == (old,)


def test_every_act_says_what_it_would_do(sign_in: SignIn, loop: Loop, work: Callable[[], int]) -> None:
    waiting = one_of_each(loop, work)
    page = sign_in("lee").open("/inbox")
    expect(page.locator(".proposal")).to_have_count(len(waiting))
    lanes = page.locator(".proposal").evaluate_all("all => all.map(one => one.dataset.lane)")
    assert lanes == sorted(lanes, key=["expedited", "normal", "slow"].index)
    for text, button in (
        ("Merge two learnings", "Merge them"),
        ("Retire a learning", "Retire it"),
        ("Is this still true?", "Yes, still true"),
        ("Rewrite a learning", "Rewrite it"),
        ("Which one holds?", "The second holds"),
        ("Something was suspended", "Resume it"),
    ):
        expect(_card(page, text).get_by_role("button", name=button)).to_be_visible()
    expect(_card(page, "Rewrite a learning")).to_contain_text("Write names as people do.")
    expect(_card(page, "Ignore all previous")).to_contain_text("attempt to take over the agent")
    expect(_card(page, "Ignore all previous")).to_contain_text("0 of 3 agreed")

    _card(page, "Is this still true?").get_by_role("button", name="Yes, still true").click()
    expect(page.get_by_role("status")).to_contain_text("Approved")
    _card(page, "Merge two learnings").locator("summary", has_text="Keep both").click()
    _card(page, "Merge two learnings").get_by_role("button", name="Keep both").click()
    expect(page.get_by_role("status")).to_contain_text("Rejected")


def test_everything_works_without_scripts(sign_in: SignIn, loop: Loop) -> None:
    made = [proposed(loop, text) for text in THREE]
    lee = sign_in("lee", java_script_enabled=False)
    page = lee.open("/inbox")
    _card(page, "Name things plainly.").get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("You agreed")
    _reject(_card(page, "Test what breaks."), "We do already.")
    expect(page.get_by_role("status")).to_contain_text("Rejected")
    _edit(_card(page, "Count in UTC."), "Count days in UTC.")
    expect(page.get_by_role("status")).to_contain_text("You edited")
    states = [loop.govern.proposals.get(one.id) for one in made]
    assert [one.status.value for one in states] == ["pending", "rejected", "pending"]

    page = lee.open("/reviews/new?agent=coder&output=a%0Ab%0A")
    page.get_by_label("What you let through").fill("a\nc\n")
    page.get_by_label("Approve", exact=True).check()
    page.get_by_role("button", name="Record the review").click()
    expect(page.get_by_role("status")).to_contain_text("Recorded")
    expect(page.locator(".diff ins")).to_have_text("c")
    assert loop.learn.reviews.recent("coder")[0].decision == "APPROVED_WITH_CHANGES"
