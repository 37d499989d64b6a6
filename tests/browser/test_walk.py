"""The whole way through the pages: reviews, a proposed rule, two people who approve it, and an agent that gets it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from heedful.loop import Loop
from heedful.records.role import Role
from tests.browser.conftest import Person, SignIn
from tests.browser.proposing import SAID

pytestmark = pytest.mark.xdist_group("browser")


def _capture(person: Person, number: int, comment: str) -> None:
    output = f"def save{number}(form):\n    db.insert(form)\n"
    page = person.open("/reviews/new")
    page.get_by_label("Agent", exact=True).fill("coder")
    page.get_by_label("Task").fill(f"T-{number}")
    page.get_by_label("What the agent made").fill(output)
    page.get_by_label("What you let through").fill(output.replace("insert(form)", "insert(validated(form))"))
    expect(page.get_by_label("Approve with changes")).to_be_checked()
    expect(page.locator("#difference ins")).to_have_text("    db.insert(validated(form))")
    page.get_by_label("What should be different").fill(comment)
    page.get_by_label("Tags").fill("security, input")
    page.get_by_role("button", name="Record the review").click()
    expect(page.get_by_role("status")).to_contain_text("Recorded")
    expect(page.locator(".diff ins mark")).to_have_text("validated(form)")


@pytest.mark.slow
def test_what_three_people_say_becomes_a_rule_when_two_agree(
    sign_in: SignIn, loop: Loop, work: Callable[[], int]
) -> None:
    shared = loop.govern.keys.create("team", role=Role.OPERATOR, for_many=True).secret
    for number, (who, comment) in enumerate(SAID):
        person = sign_in(who, key=shared)
        person.page.get_by_label("Your name").fill(who)
        person.page.get_by_role("button", name="Continue").click()
        _capture(person, number, comment)
    work()

    review = sign_in("vera", Role.VIEWER).open("/reviews")
    expect(review.locator(".row")).to_have_count(3)
    review.locator(".row").first.click()
    expect(review.get_by_text("Holds in general", exact=True)).to_be_visible()

    first, second = sign_in("Lee Park"), sign_in("Kim Okafor")
    inbox = first.open("/inbox")
    expect(inbox.get_by_role("link", name="Inbox 1 waiting")).to_be_visible()
    expect(inbox.locator(".proposal")).to_contain_text("0 of 2 agreed")
    inbox.locator(".evidence > summary").click()
    inbox.locator(".evidence li summary").first.click()
    expect(inbox.locator(".evidence li").first.locator("ins")).to_be_visible()
    inbox.get_by_role("button", name="Approve", exact=True).click()
    expect(inbox.get_by_role("status")).to_contain_text("One more person must agree.")
    expect(inbox.get_by_role("button", name="Approve", exact=True)).to_have_count(0)

    other = second.open("/inbox")
    expect(other.locator(".proposal")).to_contain_text("1 of 2 agreed")
    expect(other.locator(".proposal")).to_contain_text("Lee Park")
    other.get_by_role("button", name="Approve", exact=True).click()
    expect(other.get_by_role("status")).to_contain_text("Approved")
    expect(other.get_by_role("heading", name="Nothing waits for you")).to_be_visible()

    (rule,) = loop.govern.rules.in_force(agent="coder")
    assert rule.text in loop.apply.rules(agent="coder")
    rules = sign_in("Admin", Role.ADMIN).open("/rules?agent=coder")
    expect(rules.get_by_role("heading", name=rule.text)).to_be_visible()
    rules.get_by_text("The exact section of its prompt").click()
    expect(rules.locator("pre")).to_contain_text(f"[{rule.id}]")
    expect(rules.get_by_text("Too early to tell")).to_be_visible()
    rules.get_by_text("History").click()
    expect(rules.locator(".steps")).to_contain_text("Approved by Lee Park")


def test_an_output_comes_along_with_a_link(sign_in: SignIn, loop: Loop) -> None:
    lee = sign_in("lee")
    page = lee.open("/reviews/new?agent=writer&task=T-1&output=one%0Atwo%0A&tags=style&id=run-7")
    expect(page.get_by_label("What you let through")).to_have_value("one\ntwo\n")
    page.get_by_label("Approve", exact=True).check()
    page.get_by_role("button", name="Record the review").click()
    expect(page.get_by_role("status")).to_contain_text("Recorded")

    review = loop.learn.reviews.get("run-7")
    assert (review.agent, review.task, review.tags, review.decision) == ("writer", "T-1", ("style",), "APPROVED")


def test_what_is_pasted_is_edited_beside_it_and_the_decision_follows(sign_in: SignIn, loop: Loop) -> None:
    page = sign_in("lee").open("/reviews/new?agent=writer")
    made, through = page.get_by_label("What the agent made"), page.get_by_label("What you let through")
    made.fill("utilise it\nand stop\n")
    expect(through).to_have_value("utilise it\nand stop\n")
    through.fill("use it\nand stop\n")
    expect(page.locator("#difference del mark")).to_have_text("utilise")
    expect(page.get_by_label("Approve with changes")).to_be_checked()
    through.fill("utilise it\nand stop\n")
    expect(page.locator("#difference .diff")).to_have_count(0)
    expect(page.get_by_label("Approve with changes")).not_to_be_checked()
    through.fill("use it\nand stop\n")
    page.get_by_label("Reject").check()
    page.get_by_role("button", name="Record the review").click()

    expect(page.get_by_role("alert")).to_contain_text("What was rejected has no approved text.")
    expect(page.get_by_label("What you let through")).to_have_value("use it\nand stop\n")
    page.get_by_label("Approve with changes").check()
    page.get_by_role("button", name="Record the review").click()
    expect(page.get_by_role("status")).to_contain_text("Recorded")
    (review,) = loop.learn.reviews.recent("writer")
    assert (review.decision, review.approved) == ("APPROVED_WITH_CHANGES", "use it\nand stop\n")
