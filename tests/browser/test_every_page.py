"""Every page: on a phone, in the dark, for everybody, and with texts that mean harm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from heedful.loop import Loop
from heedful.records.role import Role
from tests.browser.conftest import Person, SignIn
from tests.browser.proposing import one_of_each, proposed

pytestmark = pytest.mark.xdist_group("browser")

_AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text(encoding="utf-8")
_LONG = "Donaudampfschifffahrtsgesellschaftskapitän" * 8
_EMPTY = (
    *("/", "/inbox", "/reviews", "/reviews/new", "/rules", "/rules?agent=coder", "/docs", "/nowhere", "/name"),
    *("/learnings", "/learnings?q=nothing+like+it", "/corrections", "/conversations", "/agents-md"),
)


def _filled(loop: Loop, work: Callable[[], int]) -> list[str]:
    """The addresses of pages with everything on them that there can be."""
    waiting = one_of_each(loop, work)
    proposed(loop, f"{_LONG} <script>alert(1)</script>", evidence=["review-0"], summary="One said so.")
    review = loop.capture.review(
        _LONG[:150],
        "APPROVED_WITH_CHANGES",
        output=f"{_LONG}\nx\n",
        approved="<b>y</b>\n",
        comment=_LONG,
        task=_LONG[:99],
    )
    rule = loop.govern.rules.in_force()[0].id
    taught = loop.capture.correction(f"<i>{_LONG}", _LONG, query=_LONG[:99], about=_LONG[:150], actor=_LONG[:99])
    loop.govern.learnings.edit(taught.id, right=f"{_LONG} or so", about="")
    loop.govern.learnings.approve(taught.id)
    said = ("Add a table.", "I generated the migration.", f"Always write migrations by hand. {_LONG}", "Done.")
    messages = [{"role": ("user", "assistant")[at % 2], "text": text} for at, text in enumerate(said)]
    loop.capture.conversation(messages, id="talk", project="shop", title=_LONG)
    loop.learn.mine("talk")
    return [
        *_EMPTY,
        *(f"/inbox/{one.id}" for one in waiting),
        "/reviews?agent=coder",
        f"/reviews/{review.id}",
        "/reviews/review-0",
        f"/rules/{rule}",
        *(f"/learnings/{id}" for id in {one.kind: one.id for one in loop.govern.learnings.all()}.values()),
        f"/learnings/{taught.id}",
        "/learnings?sort=often&status=any",
        "/conversations/talk",
        "/sign-in",
    ]


def _unfold(page: Page) -> None:
    page.locator("main details").evaluate_all("all => all.forEach(one => one.open = true)")


def _overflow(page: Page) -> int:
    width: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return width


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_has_to_be_scrolled_sideways(sign_in: SignIn, loop: Loop, work: Callable[[], int], width: int) -> None:
    pages = _filled(loop, work)
    admin = sign_in("admin", Role.ADMIN, viewport={"width": width, "height": 800})
    too_wide = {}
    for path in pages:
        page = admin.open(path)
        if path != "/docs":
            _unfold(page)
        if (by := _overflow(page)) > 0:
            too_wide[path] = by
    assert too_wide == {}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_barrier(sign_in: SignIn, loop: Loop, work: Callable[[], int], scheme: Any) -> None:
    pages = _filled(loop, work)
    admin = sign_in("admin", Role.ADMIN, color_scheme=scheme)
    found: dict[str, list[str]] = {}
    for path in pages:
        page = admin.open(path)
        if path != "/docs":
            _unfold(page)
        found |= _barriers(page, path)
    assert found == {}


def _barriers(page: Page, path: str) -> dict[str, list[str]]:
    page.evaluate(_AXE)
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary'][:200]}"
        for one in result["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]
    return {path: serious} if serious else {}


def test_an_empty_page_says_what_to_do_next(sign_in: SignIn) -> None:
    lee = sign_in("lee")
    for path, title, link in (
        ("/inbox", "Nothing waits for you", "Review an output"),
        ("/reviews", "No reviews yet", "Review an output"),
        ("/rules", "No rule is in force", "Open the inbox"),
        ("/rules?agent=coder", "No rule is in force for coder", "Open the inbox"),
        ("/learnings", "Nothing learned yet", "Review an output"),
        ("/corrections", "No corrections yet", "POST /v1/messages"),
        ("/conversations", "No conversations yet", "POST /v1/conversations"),
        ("/agents-md", "Nothing is approved yet", "Open the learnings"),
    ):
        empty = lee.open(path).locator(".empty")
        expect(empty.get_by_role("heading", name=title)).to_be_visible()
        expect(empty.get_by_role("link", name=link)).to_be_visible()


def test_texts_stay_texts(sign_in: SignIn, loop: Loop) -> None:
    harm = '<img src=x onerror="document.title=1"></textarea><script>document.title=2</script>'
    made = proposed(loop, harm)
    review = loop.capture.review("coder", "APPROVED_WITH_CHANGES", output=f"{harm}\n", approved="y\n", comment=harm)
    lee = sign_in("lee")
    for path in ("/inbox", f"/inbox/{made.id}", "/reviews", f"/reviews/{review.id}"):
        page = lee.open(path)
        expect(page.locator("main img, main script")).to_have_count(0)
        assert "heedful" in page.title()
    page = lee.open("/reviews/new?agent=coder")
    page.get_by_label("What the agent made").fill("x\n")
    page.get_by_label("What you let through").fill(f"{harm}\n")
    expect(page.locator("#difference ins")).to_have_text(harm)
    expect(page.locator("#difference img")).to_have_count(0)


def test_times_are_told_for_people_and_exactly(sign_in: SignIn, loop: Loop) -> None:
    proposed(loop, "Validate input.")
    time = sign_in("lee").open("/inbox").locator(".proposal time").first
    expect(time).to_have_text("just now")
    assert (time.get_attribute("title") or "").endswith(" UTC")


def test_a_browser_keeps_styles_and_scripts_and_asks_nobody_else(sign_in: SignIn) -> None:
    lee: Person = sign_in("lee")
    page = lee.open("/inbox")
    for address in page.locator("link[rel=stylesheet], script[src]").evaluate_all(
        "all => all.map(o => o.href || o.src)"
    ):
        answer = lee.context.request.get(address)
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    policy = lee.context.request.get(f"{lee.url}/inbox").headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
