"""The first page: whether people repeat themselves less, what was learned, what waits, what helps and what harms."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from heedful.edges.web.overview import answer
from heedful.loop import Loop
from heedful.records.repeats import RepeatWeek
from heedful.records.role import Role
from tests.browser.conftest import SignIn
from tests.browser.proposing import proposed

pytestmark = pytest.mark.xdist_group("browser")

_NOW = datetime.now(UTC)


def _say(loop: Loop, thing: str, weeks_ago: float, actor: str = "dana") -> str:
    at = _NOW - timedelta(weeks=weeks_ago)
    return loop.capture.correction(f"wrong {thing}", f"right {thing}", actor=actor, about="shop", at=at).id


def _weeks(*counts: tuple[int, int]) -> list[RepeatWeek]:
    first = _NOW.date()
    return [
        RepeatWeek(first + timedelta(weeks=number), said, again, again / said if said else None)
        for number, (said, again) in enumerate(counts)
    ]


@pytest.mark.parametrize(
    ("before", "recent", "told"),
    [
        ((20, 10), (20, 2), "Yes, people repeat themselves less"),
        ((20, 2), (20, 10), "No, people repeat themselves more"),
        ((20, 4), (20, 4), "About as before"),
        ((20, 10), (4, 0), "Too early to tell"),
        ((20, 10), (0, 0), "Nobody said anything"),
    ],
)
def test_the_answer_compares_the_last_weeks_with_those_before(
    before: tuple[int, int], recent: tuple[int, int], told: str
) -> None:
    silence = [(0, 0)] * 3
    assert answer(_weeks(*[(0, 0)] * 7, before, *silence, recent))[0] == told


def test_it_tells_whether_people_repeat_themselves_and_what_waits(sign_in: SignIn, loop: Loop) -> None:
    for weeks_ago in (8, 7, 6):
        _say(loop, "lamp", weeks_ago)
    newest = _say(loop, "sofa", 0)
    proposed(loop, "Validate input.")
    page = sign_in("ada", Role.ADMIN).open("/")
    expect(page.get_by_role("heading", name="Is it learning?")).to_be_visible()
    expect(page.locator(".answer")).to_contain_text("In the last 4 weeks people had to say again 0 of 1 things")

    page.get_by_text("The numbers").click()
    told = loop.measure.repeats(weeks=12)
    expect(page.locator("#repeats ~ .behind tbody tr")).to_have_count(sum(one.said > 0 for one in told.weeks))
    expect(page.locator("#repeats ~ .behind")).to_contain_text("100\N{NO-BREAK SPACE}%")
    expect(page.locator(".chart [data-value]")).to_have_count(12)
    expect(page.get_by_role("link", name="“right sofa”, not “wrong sofa”")).to_have_attribute(
        "href", f"/learnings/{newest}"
    )
    expect(page.get_by_role("link", name="1 rule to approve")).to_be_visible()
    expect(page.locator(".topics")).to_contain_text("shop")
    expect(page.get_by_text("Nothing is measured yet.")).to_be_visible()


def test_before_anything_was_said_it_says_what_to_do_and_who_sees_figures(sign_in: SignIn) -> None:
    page = sign_in("ada", Role.ADMIN).open("/")
    expect(page.get_by_role("heading", name="Nothing was said yet")).to_be_visible()
    expect(page.get_by_role("link", name="Review an output")).to_be_visible()
    page = sign_in("vera", Role.VIEWER).open("/")
    expect(page.get_by_text("is shown to admins and integrators")).to_be_visible()
    expect(page.locator(".figure")).to_have_count(0)
