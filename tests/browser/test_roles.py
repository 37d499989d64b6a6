"""Who sees what: roles decide which buttons there are, and the server does not rely on buttons."""

from __future__ import annotations

import pytest
from playwright.sync_api import APIResponse, expect

from heedful.loop import Loop
from heedful.records.role import Role
from tests.browser.conftest import Person, SignIn
from tests.browser.proposing import adopted, proposed

pytestmark = pytest.mark.xdist_group("browser")


def _csrf(person: Person) -> str:
    return person.open("/").locator("input[name=csrf]").first.get_attribute("value") or ""


def _post(person: Person, path: str, **fields: str) -> APIResponse:
    return person.context.request.post(f"{person.url}{path}", form={**fields}, max_redirects=0)


def test_a_viewer_reads_everything_and_has_no_buttons(sign_in: SignIn, loop: Loop) -> None:
    made, rule = proposed(loop, "Validate input."), adopted(loop, "Name files plainly.")
    vera = sign_in("vera", Role.VIEWER)
    for path in ("/inbox", f"/inbox/{made.id}", "/reviews", "/rules", f"/rules/{rule}"):
        page = vera.open(path)
        expect(page.locator("main form[method=post]")).to_have_count(0)
        expect(page.get_by_role("checkbox")).to_have_count(0)
    expect(vera.open("/inbox").locator(".proposal")).to_contain_text("Validate input.")
    expect(vera.open("/rules").get_by_text("Whether rules help is shown to")).to_be_visible()
    expect(vera.open("/reviews/new").get_by_role("heading", name="Forbidden")).to_be_visible()


def test_a_forged_form_of_a_viewer_is_refused(sign_in: SignIn, loop: Loop) -> None:
    made, rule = proposed(loop, "Validate input."), adopted(loop, "Name files plainly.")
    vera = sign_in("vera", Role.VIEWER)
    csrf = _csrf(vera)
    seen = {"id": made.id, "digest": made.digest, "csrf": csrf}
    for path, fields in (
        ("/inbox/approve", seen),
        ("/inbox/reject", {**seen, "why": "because"}),
        ("/inbox/edit", {**seen, "rule": "Mine.", "type": "GUIDELINE", "insertion_point": "end"}),
        ("/inbox/decide", {"csrf": csrf, "chosen": f"{made.id} {made.digest}", "decision": "approve"}),
        ("/reviews/new", {"csrf": csrf, "agent": "coder", "output": "x", "decision": "APPROVED"}),
        ("/rules/retire", {"csrf": csrf, "id": rule, "why": "because"}),
    ):
        assert _post(vera, path, **fields).status == 403, path
    assert loop.govern.proposals.get(made.id) == made
    assert [one.id for one in loop.govern.rules.in_force()] == [rule]


def test_a_form_from_elsewhere_is_refused(sign_in: SignIn, loop: Loop) -> None:
    made = proposed(loop, "Validate input.")
    lee, kim = sign_in("lee"), sign_in("kim")
    for csrf in ("", "x" * 32, _csrf(kim)):
        answer = _post(lee, "/inbox/approve", id=made.id, digest=made.digest, csrf=csrf)
        assert answer.status == 403
    assert loop.govern.proposals.get(made.id).approvals == ()


def test_a_rule_is_retired_with_a_reason_by_those_who_may(sign_in: SignIn, loop: Loop) -> None:
    rule = adopted(loop, "Name files plainly.")
    page = sign_in("olga", Role.OPERATOR).open(f"/rules/{rule}")
    page.locator("summary", has_text="Retire").click()
    page.get_by_label("Why?").fill("We left that framework.")
    page.get_by_role("button", name="Retire the rule").click()
    expect(page.locator(".steps")).to_contain_text("Retired by you")
    expect(page.locator(".steps")).to_contain_text("We left that framework.")
    assert loop.govern.rules.in_force() == []
    expect(page.get_by_role("link", name="Rules", exact=True).first).to_be_visible()


def test_with_a_key_for_many_a_name_is_asked_once_and_counts(sign_in: SignIn, loop: Loop) -> None:
    made = proposed(loop, "Validate input.")
    shared = loop.govern.keys.create("team", role=Role.REVIEWER, for_many=True).secret
    nobody = sign_in("nobody", key=shared)
    csrf = nobody.page.locator("input[name=csrf]").get_attribute("value") or ""
    assert _post(nobody, "/inbox/approve", id=made.id, digest=made.digest, csrf=csrf).status == 422
    for name in ("Lee Park", "Kim Okafor"):
        person = sign_in(name, key=shared)
        page = person.open("/inbox")
        page.get_by_label("Your name").fill(name)
        page.get_by_role("button", name="Continue").click()
        page.get_by_role("button", name="Approve", exact=True).click()
        expect(page.get_by_role("status")).to_contain_text("Validate input.")
        expect(person.open("/inbox").get_by_label("Your name")).to_have_count(0)
    found = loop.govern.proposals.get(made.id)
    assert [approval.by for approval in found.approvals] == ["Lee Park", "Kim Okafor"]
    assert found.status == "approved"


def test_after_signing_in_one_is_where_one_wanted_to_be(sign_in: SignIn, loop: Loop) -> None:
    lee = sign_in("lee")
    page = lee.page
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{lee.url}/reviews/new?agent=coder&output=hello")
    page.get_by_label("Key").fill(loop.govern.keys.create("again", role=Role.REVIEWER).secret or "")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("What the agent made")).to_have_value("hello")
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{lee.url}/sign-in?next=//elsewhere.example/x")
    expect(page.locator("input[name=next]")).to_have_count(0)
