"""Learning analytics in a browser: what it shows, to whom, and that it is the same as the numbers."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import heedful
from heedful.loop import Loop
from heedful.records.role import Role
from tests.browser.conftest import Person, SignIn

pytestmark = pytest.mark.xdist_group("browser")

_AXE = Path(__file__).parent / "axe" / "axe.min.js"
_HARM = "<script>document.title='harm'</script>"
_WORDS = [[0.1, 0.1, 0.2, 0.12, "Order"], [0.21, 0.1, 0.3, 0.12, "4711"]]
_FORBIDDEN = ("/analytics", "/analytics/layouts/x", "/analytics/learning.csv?table=events_by_day")


def _corrected(loop: Any) -> str:
    """A document in which somebody corrected the quantity of a line and then again. Returns its layout."""
    made = loop.capture.document_words([{"width": 595, "height": 842, "words": _WORDS}], name="order")
    draft = loop.capture.line_added(loop.apply.extract(made), sku="ABC-123", qty=10, by="dana")
    line = draft.lines[-1].number
    for right in (12, 120):
        draft = loop.capture.line_corrected(draft, line=line, qty=right, by="dana")
    layout: str = made.layout
    return layout


def _two_months(loop: Loop) -> str:
    """Corrections on many days, with long and evil names, besides a document of today. Returns its layout."""
    now = datetime.now(UTC)
    fields = ("qty", "sku", "delivery_date", "Donaudampfschifffahrtsgesellschaftskapitän" * 3, _HARM)
    acts = [
        {
            "kind": "EXTRACTION_LINE_CORRECTED",
            "actor": "dana",
            "at": now - timedelta(days=number),
            "entity": ("draft_line", f"line-{number}"),
            "layout": "lay/out ?",
            "before": {fields[number % 5]: 1},
            "after": {fields[number % 5]: _HARM},
        }
        for number in range(60)
    ]
    loop.capture.record(acts)
    return _corrected(loop)


def _table(person: Person, table: str) -> list[dict[str, str]]:
    answer = person.context.request.get(f"{person.url}/analytics/learning.csv?table={table}")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith(f'attachment; filename="{table}_20')
    return list(csv.DictReader(io.StringIO(answer.body().decode("utf-8-sig"))))


def _section(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def test_a_corrected_quantity_leads_the_corrected_fields(sign_in: SignIn, loop: Loop) -> None:
    secret = loop.govern.keys.create("integration", role=Role.INTEGRATOR).secret or ""
    ada = sign_in("ada", Role.ADMIN)
    with heedful.Client(ada.url, secret) as client:
        _corrected(client)
        told = client.measure.learning()
    page = ada.open("/analytics")
    first = page.locator(".ranked .mark").first
    expect(first.locator(".name")).to_have_text("qty")
    expect(first.locator(".number")).to_have_text("3")
    shares = [f"{100 * (share or 0):.0f}\N{NO-BREAK SPACE}%" for share in (told.correction_rate, told.mean_confidence)]
    expect(page.locator(".headlines strong")).to_have_text(["1", "1", *shares])
    assert _table(ada, "corrected_fields")[0] == {"field": "qty", "count": "3"}
    assert _table(ada, "events_by_day") == [{"date": str(told.end_date), "count": "3"}]
    assert _table(ada, "layout_stats")[0]["layout"] == told.layout_stats[0].layout
    assert _table(ada, "quality_by_day")[0]["corrected"] == "1"


def test_values_are_shown_to_the_pointer_to_the_keyboard_and_in_a_table(sign_in: SignIn, loop: Loop) -> None:
    _two_months(loop)
    page = sign_in("ada", Role.ADMIN).open("/analytics?days=7")
    events = _section(page, "Events per day")
    events.locator(".mark").last.hover()
    tip = events.get_by_role("status")
    expect(tip).to_contain_text(": 4 events")
    plot = events.get_by_role("group", name="arrow keys")
    plot.press("ArrowLeft")
    expect(tip).to_contain_text(": 1 event")
    plot.press("Escape")
    expect(tip).to_be_hidden()
    events.get_by_text("The numbers").click()
    expect(events.locator("tbody tr")).to_have_count(7)
    expect(events.locator("tbody tr").last).to_contain_text("4")


def test_everything_is_there_without_scripts(sign_in: SignIn, loop: Loop) -> None:
    _two_months(loop)
    page = sign_in("ada", Role.ADMIN, java_script_enabled=False).open("/analytics?days=90")
    events = _section(page, "Events per day")
    assert ": 4 events" in (events.locator(".mark title").last.text_content() or "")
    events.get_by_text("The numbers").click()
    expect(events.locator("tbody")).to_be_visible()
    page.get_by_role("link", name="7 days", exact=True).click()
    expect(page.get_by_role("link", name="7 days", exact=True)).to_have_attribute("aria-current", "true")


def test_a_period_that_makes_no_sense_is_explained(sign_in: SignIn, loop: Loop) -> None:
    _corrected(loop)
    ada = sign_in("ada", Role.ADMIN)
    swapped, far = "start_date=2026-02-01&end_date=2026-01-01", "start_date=9999-12-01&end_date=9999-12-31"
    for query in (swapped, far, "start_date=soon", "start_date=0001-01-01"):
        page = ada.open(f"/analytics?{query}")
        expect(page.get_by_role("alert")).to_be_visible()
        expect(page.get_by_role("link", name="30 days", exact=True)).to_have_attribute("aria-current", "true")


def test_only_admins_and_integrators_see_it(sign_in: SignIn, loop: Loop) -> None:
    for role in (Role.VIEWER, Role.OPERATOR):
        person = sign_in(role.value, role)
        expect(person.open("/inbox").get_by_role("link", name="Analytics")).to_have_count(0)
        for path in _FORBIDDEN:
            assert person.context.request.get(f"{person.url}{path}").status == 403, path
        page = person.open("/analytics")
        expect(page.get_by_role("heading", name="Forbidden")).to_be_visible()
        expect(page.locator("main")).to_contain_text("admin, integrator")
    expect(sign_in("i", Role.INTEGRATOR).open("/").get_by_role("link", name="Analytics").first).to_be_visible()


def test_a_layout_shows_what_was_before_and_after(sign_in: SignIn, loop: Loop) -> None:
    layout = _corrected(loop)
    page = sign_in("ada", Role.ADMIN).open("/analytics")
    page.get_by_role("link", name=layout[:8]).click()
    newest = page.locator(".rows > li").first
    expect(newest).to_contain_text("corrected")
    expect(newest.locator("dt")).to_have_text("qty")
    expect(newest.locator("del")).to_have_text("12")
    expect(newest.locator("ins")).to_have_text("120")
    expect(page.locator(".rows > li").last.locator("ins").first).to_have_text("10")


def test_a_long_history_of_a_layout_is_paged_and_texts_stay_texts(sign_in: SignIn, loop: Loop) -> None:
    _two_months(loop)
    ada = sign_in("ada", Role.ADMIN)
    for path in ("/analytics?days=90", "/analytics/layouts/lay%2Fout%20%3F"):
        page = ada.open(path)
        for mark in page.locator(".ranked .mark").all():
            mark.hover()
        expect(page.get_by_text(_HARM).first).to_be_visible()
        expect(page.locator("main script")).to_have_count(0)
        assert "harm" not in page.title()
    seen = page.locator(".rows > li").count()
    while page.get_by_role("link", name="Older").count():
        page.get_by_role("link", name="Older").click()
        seen += page.locator(".rows > li").count()
    assert seen == 60


def test_a_field_that_looks_like_a_formula_is_only_a_text(sign_in: SignIn, loop: Loop) -> None:
    act = {"kind": "EXTRACTION_FIELD_CORRECTED", "actor": "dana", "after": {"field": '=HYPERLINK("http://x","ü")'}}
    loop.capture.record([act])
    assert _table(sign_in("ada", Role.ADMIN), "corrected_fields")[0]["field"] == '\'=HYPERLINK("http://x","ü")'


def test_an_empty_page_says_what_will_appear_and_how_to_begin(sign_in: SignIn) -> None:
    empty = sign_in("ada", Role.ADMIN).open("/analytics").locator(".empty")
    expect(empty.get_by_role("heading", name="Nothing to measure yet")).to_be_visible()
    expect(empty.get_by_role("link", name="Open documents")).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("light", 360), ("dark", 1280)])
def test_there_is_no_serious_barrier(sign_in: SignIn, loop: Loop, scheme: Any, width: int) -> None:
    layout = _two_months(loop)
    ada = sign_in("ada", Role.ADMIN, color_scheme=scheme, viewport={"width": width, "height": 800})
    for path in ("/analytics?days=90", f"/analytics/layouts/{layout}"):
        page = ada.open(path)
        page.locator("main details").evaluate_all("all => all.forEach(one => one.open = true)")
        page.locator(".headlines").first.hover()
        assert _barriers(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path


def _barriers(page: Page) -> list[str]:
    page.evaluate(_AXE.read_text(encoding="utf-8"))
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary'][:200]}"
        for one in result["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]
