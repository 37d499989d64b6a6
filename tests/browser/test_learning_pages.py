"""Learnings, corrections, conversations and AGENTS.md in a browser: read, search, change, and who may."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from heedful.loop import Loop
from heedful.records.correction import Correction
from heedful.records.learning import Audience, Status
from heedful.records.role import Role
from tests.browser.conftest import Person, SignIn

pytestmark = pytest.mark.xdist_group("browser")

_SAID = (
    "Add a table for customers' addresses.",
    "I added the table, generated the migration and ran the tests.",
    "Always write migrations by hand, the generator drops our indexes.",
    "Understood, I wrote it by hand.",
)


def _corrected(loop: Loop) -> str:
    """Said twice, about the shop."""
    for who in ("dana", "lee"):
        made = loop.capture.correction("make ship", "make release", about="shop", actor=who)
    return made.id


def _talked(loop: Loop) -> str:
    messages = [{"role": ("user", "assistant")[at % 2], "text": text} for at, text in enumerate(_SAID)]
    loop.capture.conversation(messages, id="talk 1", project="shop", title="Addresses", actor="dana")
    return loop.learn.mine("talk 1").learned[0]


def _get(loop: Loop, id: str) -> Correction:
    found = loop.govern.learnings.get(id)
    assert isinstance(found, Correction)
    return found


def test_learnings_are_searched_while_one_types(sign_in: SignIn, loop: Loop) -> None:
    id = _corrected(loop)
    loop.capture.correction("Mr. Smyth", "Mr. Smith", actor="kim")
    page = sign_in("lee").open("/learnings")
    expect(page.locator(".row")).to_have_count(2)
    expect(page.locator(".row", has_text="make release")).to_contain_text("said 2 times")
    page.get_by_label("Search").press_sequentially("relea")
    expect(page.locator(".row")).to_have_count(1)
    expect(page.get_by_role("status")).to_have_text("1 learning found for “relea”")
    assert "q=relea" in page.url
    page.get_by_label("Search").fill("")
    page.get_by_label("Order").select_option("said most often first")
    expect(page.locator(".row")).to_have_count(1)
    page.locator(".row").click()
    page.wait_for_url(f"**/learnings/{id}")


def test_a_learning_tells_all_about_itself(sign_in: SignIn, loop: Loop) -> None:
    id = _corrected(loop)
    loop.govern.learnings.edit(id, right="make release VERSION=next")
    page = sign_in("lee").open(f"/learnings/{id}")
    expect(page.get_by_role("heading", name="“make release VERSION=next”, not “make ship”")).to_be_visible()
    expect(page.locator("pre.prompt").first).to_contain_text(f"[{id}]")
    expect(page.locator(".diff ins mark").first).to_have_text("release VERSION=next")
    expect(page.locator(".why .box.learning")).to_contain_text("version 2")
    expect(page.locator(".why .arrow")).to_have_count(len(loop.govern.why(id).edges))
    page.get_by_text("In words").click()
    expect(page.locator(".steps").first).to_contain_text("corrected “make ship” to “make release”")
    expect(page.locator(".steps").first).to_contain_text("said it again")
    page.get_by_text("As Mermaid").click()
    expect(page.locator("#mermaid")).to_contain_text("flowchart LR")
    insight = _talked(loop)
    page.goto(f"{page.url.partition('/learnings')[0]}/learnings/{insight}")
    page.get_by_text("Evidence", exact=True).click()
    expect(page.locator("blockquote").first).to_contain_text("Always write migrations by hand")


def test_while_one_side_waits_both_pages_say_so(sign_in: SignIn, loop: Loop) -> None:
    stands = _corrected(loop)
    waits = loop.capture.correction("make ship", "make publish", about="shop", actor="kim").id
    lee = sign_in("lee")
    for id, other, which in ((stands, waits, "this one does"), (waits, stands, "the other one does")):
        notice = lee.open(f"/learnings/{id}").locator(".notice.in")
        expect(notice).to_contain_text(f"Until then {which}.")
        expect(notice.get_by_role("link", name="Somebody else says the contrary")).to_have_attribute(
            "href", f"/learnings/{other}"
        )
    expect(lee.page.locator("article header")).to_contain_text("Waits for a decision")
    expect(lee.open("/corrections").locator("article")).to_contain_text("People disagree")


def test_everything_can_be_done_without_scripts(sign_in: SignIn, loop: Loop) -> None:
    id = _corrected(loop)
    lee = sign_in("lee", java_script_enabled=False)
    page = lee.open("/learnings?q=release")
    expect(page.locator(".row")).to_have_count(1)
    page.get_by_label("Kind", exact=True).select_option("Insight")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()

    page = lee.open(f"/learnings/{id}")
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Approved.")
    page.get_by_role("button", name="Useful", exact=True).click()
    expect(page.get_by_role("button", name="Useful 1", exact=True)).to_be_visible()
    page.locator("summary", has_text="Edit").click()
    page.get_by_label("What is right").fill("make publish")
    page.get_by_label("About").fill("deploys")
    page.get_by_label("It always holds").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="“make publish”, not “make ship”")).to_be_visible()
    one = _get(loop, id)
    assert (one.right, one.wrong, one.about, one.always, one.approved) == (
        *("make publish", "make ship", "deploys"), True, True,
    )  # fmt: skip

    page.locator("summary", has_text="Retire").click()
    page.get_by_label("Why?").fill("We left make.")
    page.get_by_role("button", name="Retire it").click()
    expect(page.get_by_role("status")).to_contain_text("Retired.")
    assert _get(loop, id).status is Status.RETIRED
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("status")).to_contain_text("It is in use again.")
    page.locator("summary", has_text="Delete").click()
    page.get_by_role("button", name="Delete it for good").click()
    expect(page.locator(".notice")).to_contain_text("It was deleted")
    assert list(loop.govern.learnings.all(status=None)) == []


def test_whoever_reads_old_words_approves_nothing_and_keeps_what_they_typed(sign_in: SignIn, loop: Loop) -> None:
    id = _corrected(loop)
    page = sign_in("lee").open(f"/learnings/{id}")
    loop.govern.learnings.edit(id, right="make publish")
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Its words were changed after you opened them.")
    assert not _get(loop, id).approved
    page.locator("summary", has_text="Edit").click()
    page.get_by_label("What was wrong").fill("")
    page.get_by_label("What is right").fill("")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("A correction cannot be empty.")
    expect(page.get_by_label("What is right")).to_have_value("")


def test_a_misunderstood_correction_is_put_right_or_deleted(sign_in: SignIn, loop: Loop) -> None:
    said = "Actually it should return nil, not an error"
    made = loop.capture.message(said, last_output="The function returns an error.", query="What does parse() return?")
    assert made.correction is not None
    page = sign_in("lee").open("/corrections")
    page.get_by_text("How it was understood").click()
    expect(page.locator(".understood")).to_contain_text(said)
    expect(page.locator(".understood")).to_contain_text("the reader on this server")
    page.locator("summary", has_text="Edit").click()
    page.get_by_label("What is right").fill("None")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Saved.")
    assert _get(loop, made.correction.id).right == "None"
    page.get_by_text("How it was understood").click()
    expect(page.locator(".understood")).to_contain_text("Edited byyou, just now")
    expect(page.locator(".understood")).not_to_contain_text("% sure")
    page.locator("summary", has_text="Delete").click()
    page.get_by_role("button", name="Delete it for good").click()
    expect(page.get_by_role("heading", name="No corrections yet")).to_be_visible()


def test_all_that_was_understood_can_be_put_right_and_only_what_is_changed_is_sent(sign_in: SignIn, loop: Loop) -> None:
    said = "Actually it should return nil, not an error"
    made = loop.capture.message(said, last_output="The function returns an error.", actor="dana").correction
    assert made is not None
    loop.govern.learnings.edit(made.id, understood="parse() returns nil.", about="parser")
    page = sign_in("lee").open(f"/learnings/{made.id}")
    page.locator("summary", has_text="Edit").click()
    expect(page.get_by_label("So we understood")).to_have_value("parse() returns nil.")
    expect(page.get_by_label("Put right")).to_have_value("The function returns nil.")
    expect(page.get_by_label("For", exact=True)).to_have_value("team")
    page.get_by_role("button", name="Save").click()
    assert _get(loop, made.id).version == 2  # nothing was changed

    page.locator("summary", has_text="Edit").click()
    page.get_by_label("For", exact=True).select_option("whoever taught it only")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("article header")).to_contain_text("parser · for one person only")
    newest = page.locator(".diff").first
    expect(newest.locator("ins")).to_have_text("For one person only")
    expect(newest.locator("del")).to_have_count(0)
    page.locator("summary", has_text="Edit").click()
    page.get_by_label("So we understood").fill("parse() returns nil on empty input.")
    page.get_by_label("Put right").fill("The function returns nil, on empty input only.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("In words").click()
    told = page.locator(".steps").first
    expect(told).to_contain_text("You edited it, version 3: for one person only")
    expect(told).to_contain_text(
        "version 4: put right as “The function returns nil, on empty input only.”, understood as"
    )
    one = _get(loop, made.id)
    assert (one.wrong, one.right, one.about, one.audience) == (made.wrong, made.right, "parser", Audience.ME)

    page.locator("summary", has_text="Edit").click()
    page.get_by_label("What is right").fill(one.wrong)
    page.get_by_label("So we understood").fill("Nothing.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("are the same words")
    expect(page.get_by_label("So we understood")).to_have_value("Nothing.")
    expect(page.get_by_label("For", exact=True)).to_have_value("me")
    assert _get(loop, made.id) == one


def test_a_conversation_tells_what_it_taught_and_can_be_deleted(sign_in: SignIn, loop: Loop) -> None:
    id = _talked(loop)
    page = sign_in("lee").open("/conversations")
    page.locator(".row", has_text="Addresses").click()
    expect(page.get_by_role("heading", name="It taught something new.")).to_be_visible()
    expect(page.get_by_role("link", name="Always write migrations by hand")).to_have_attribute(
        "href", f"/learnings/{id}"
    )
    steps = loop.govern.conversations.get("talk 1").findings
    expect(page.locator(".steps li")).to_have_count(len(steps))
    page.get_by_text("What was said").click()
    expect(page.locator(".talk li")).to_have_count(len(_SAID))
    page.locator("summary", has_text="Delete").click()
    page.get_by_role("button", name="Delete the conversation").click()
    expect(page.get_by_role("status")).to_contain_text("1 learning that only it had taught")
    assert list(loop.govern.learnings.all(status=None)) == []


def test_agents_md_is_compared_with_the_file_of_today(sign_in: SignIn, loop: Loop, tmp_path: Path) -> None:
    loop.govern.learnings.approve(_corrected(loop))
    (tmp_path / "AGENTS.md").write_text("# Shop\n\nBe kind.\n", encoding="utf-8")
    lee = sign_in("lee", permissions=["clipboard-read", "clipboard-write"])
    page = lee.open("/agents-md")
    page.get_by_role("link", name="shop", exact=True).click()
    expect(page.get_by_role("heading", name="AGENTS.md of shop")).to_be_visible()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == loop.apply.agents_md(about="shop").text
    page.get_by_label("Or choose it").set_input_files(tmp_path / "AGENTS.md")
    expect(page.get_by_label("Your file as it is now")).to_have_value("# Shop\n\nBe kind.\n")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".diff ins", has_text="make release")).to_be_visible()
    expect(page.locator(".diff del")).to_have_count(0)
    page.get_by_label("Your file as it is now").fill("<!-- heedful:begin -->")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("alert")).to_contain_text("The heedful markers in the file do not match")


def _forged(person: Person, path: str, **fields: str) -> int:
    csrf = person.page.locator("input[name=csrf]").first.get_attribute("value") or ""
    answer = person.context.request.post(f"{person.url}{path}", form={"csrf": csrf, **fields}, max_redirects=0)
    return answer.status


def test_who_may_not_change_has_no_buttons_and_forged_forms_are_refused(sign_in: SignIn, loop: Loop) -> None:
    id = _corrected(loop)
    _talked(loop)
    before = loop.govern.learnings.get(id)
    vera, olga = sign_in("vera", Role.VIEWER), sign_in("olga", Role.OPERATOR)
    for path in ("/learnings", f"/learnings/{id}", "/corrections", "/conversations", "/conversations/talk%201"):
        expect(vera.open(path).locator("main form[method=post]")).to_have_count(0)
    for act in ("edit", "rate", "approve", "unapprove", "retire", "restore", "delete"):
        assert _forged(vera, f"/learnings/{act}", id=id, right="x", wrong="y", up="yes") == 403, act
    assert _forged(vera, "/conversations/delete", id="talk 1") == 403

    page = olga.open(f"/learnings/{id}")
    expect(page.locator("summary", has_text="Edit")).to_be_visible()
    expect(page.get_by_role("button", name="Approve", exact=True)).to_have_count(0)
    expect(page.locator("summary", has_text="Delete")).to_have_count(0)
    for path in ("/learnings/approve", "/learnings/delete"):
        assert _forged(olga, path, id=id) == 403
    assert loop.govern.learnings.get(id) == before
