"""Documents in a browser: uploaded, corrected, mapped, by keyboard, without script, and by those who may not."""

from __future__ import annotations

import uuid
from typing import Any, Literal

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from heedful.loop import Loop
from heedful.records.document import LINE_CORRECTED, DocumentDraft
from heedful.records.event import EventFilter
from heedful.records.role import Role
from heedful.testing.documents import sample_document
from tests.browser.conftest import Person, SignIn
from tests.browser.test_every_page import _barriers, _overflow, _unfold
from tests.serving import Served

pytestmark = pytest.mark.xdist_group("browser")

_SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_HARM = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
_WORDS = [
    {
        "width": 595,
        "height": 842,
        "words": [[0.1, 0.1, 0.2, 0.12, "Order"], [0.21, 0.1, 0.3, 0.12, "4711"], [0.1, 0.2, 0.9, 0.22, _HARM]],
    }
]


_DROP = """bytes => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], "dropped.pdf", {type: "application/pdf"}));
  return data;
}"""


def _file(supplier: str, number: int, name: str | None = None) -> FilePayload:
    sample = sample_document(supplier, number)
    return {"name": name or sample.name, "mimeType": "application/pdf", "buffer": sample.content}


def _drafted(loop: Loop, supplier: str = "hartmann", number: int = 2, **options: Any) -> DocumentDraft:
    sample = sample_document(supplier, number)
    return loop.apply.extract(loop.capture.document(sample.content, name=sample.name, **options))


def _upload(page: Page, file: FilePayload, customer: str) -> None:
    page.get_by_label("Customer").fill(customer)
    page.get_by_label("PDF files").set_input_files(file)
    expect(page.get_by_role("heading", level=1, name=file["name"])).to_be_visible()


def _line(page: Page, article: str) -> Locator:
    return page.locator(".lines tr", has=page.locator(f'input[value="{article}"]'))


def test_what_is_corrected_and_mapped_is_right_in_the_next_document(sign_in: SignIn, loop: Loop) -> None:
    olga = sign_in("olga", Role.OPERATOR)
    _upload(olga.open("/documents"), _file("hartmann", 2), "C-9")
    page = olga.page
    expect(page.get_by_label("Invoice number")).not_to_have_value("")
    image = page.locator(".leaf img")
    expect(image).to_have_js_property("complete", value=True)
    assert image.evaluate("one => one.naturalWidth") > 600

    line = _line(page, "ZR-750")
    qty = line.get_by_label("Qty of line")
    qty.focus()
    expect(page.locator("#boxes .box.on")).to_have_count(1)
    expect(page.locator("#inspect")).to_contain_text("% sure")
    qty.fill("14")
    qty.press("Enter")
    expect(page.locator("#notices")).to_contain_text("is “14”; it was “12”.")
    expect(line.locator("del")).to_have_text("was 12")
    (event,) = loop.store.log.page(EventFilter(kind=LINE_CORRECTED), None, 5)
    assert (event.before, event.after) == ({"qty": 12}, {"qty": 14})

    order = page.get_by_label("Order number")
    order.focus()
    page.locator("rect.w[data-t='4500118426']").click()
    expect(order).to_have_value("4500118426")
    order.press("Enter")
    expect(page.locator("#notices")).to_contain_text("Order number is “4500118426”")

    ours = page.get_by_label("Your number for ZR-750")
    ours.fill("INT-999")
    ours.press("Enter")
    expect(page.locator("#notices")).to_contain_text("ZR-750 is INT-999 for C-9, confirmed once.")
    (mapping,) = loop.learn.mappings.all()
    assert (mapping.customer, mapping.key, mapping.value) == ("C-9", "ZR-750", "INT-999")

    _upload(olga.open("/documents"), _file("hartmann", 3), "C-9")
    expect(_line(page, "ZR-750").get_by_label("Your number")).to_have_value("INT-999")
    expect(_line(page, "ZR-750").locator(".ok")).to_be_visible()
    expect(olga.open("/mappings").locator("tbody tr")).to_contain_text("1×")


def test_several_files_at_once_each_tell_what_became_of_them(sign_in: SignIn) -> None:
    page = sign_in("olga", Role.OPERATOR).open("/documents")
    expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
    text: FilePayload = {"name": "notes.pdf", "mimeType": "application/pdf", "buffer": b"no PDF at all"}
    page.get_by_label("PDF files").set_input_files([_file("calloway", 1), text, _file("veldkamp", 1)])
    told = page.locator("#uploads li")
    expect(told.nth(1)).to_contain_text("This is not a PDF file")
    expect(told.nth(2).get_by_role("link")).to_be_visible()
    expect(page.locator(".documents tbody tr")).to_have_count(2)
    expect(page.locator(".documents tbody tr").first).to_contain_text(sample_document("veldkamp", 1).name)
    dropped = page.evaluate_handle(_DROP, list(sample_document("delorme", 1).content))
    page.dispatch_event("body", "drop", {"dataTransfer": dropped})
    expect(page.get_by_role("heading", level=1, name="dropped.pdf")).to_be_visible()


def test_a_draft_is_worked_through_with_the_keyboard_alone(sign_in: SignIn, loop: Loop) -> None:
    later, draft = _drafted(loop, number=3), _drafted(loop)
    page = sign_in("rae").open(f"/documents/{draft.document}")
    first, second = (page.get_by_label(f"Price of line {number}") for number in (1, 2))
    first.focus()
    page.keyboard.press("ArrowDown")
    expect(second).to_be_focused()
    was = second.input_value()
    page.keyboard.type("1.234,50")
    page.keyboard.press("Escape")
    expect(second).to_have_value(was)
    second.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("1.234,50")
    page.keyboard.press("Tab")  # leaving a value saves it
    expect(page.locator("#notices")).to_contain_text("Price of line 2 is “1234.50”")
    expect(page.get_by_label("Amount of line 2")).to_be_focused()
    second.fill("much")
    second.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Price is a number; “much” is not.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("A value is not saved yet.")
    page.keyboard.press("Escape")
    page.get_by_label("Remove line 1", exact=True).press("Enter")
    expect(page.locator("#notices")).to_contain_text("Line 1 was removed.")
    page.get_by_label("Article of a new line").fill("ZR-751")
    page.get_by_label("Qty of a new line").fill("3")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Qty of line 9")).to_have_value("3")
    page.get_by_label("Qty of line 9").press("Control+Enter")
    expect(page.locator("#next")).to_be_focused()
    expect(page.locator(".doc-head")).to_contain_text("Confirmed")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{page.url.partition('/documents')[0]}/documents/{later.document}")
    found = loop.learn.documents.draft(draft.id)
    assert (found.status, found.line(1), found.lines[0].values["price"]) == ("confirmed", None, 1234.5)


def test_without_script_the_forms_do_the_same(sign_in: SignIn, loop: Loop) -> None:
    draft = _drafted(loop)
    olga = sign_in("olga", Role.OPERATOR, java_script_enabled=False)
    expect(olga.open("/documents").get_by_text("this page needs JavaScript")).to_be_visible()
    page = olga.open(f"/documents/{draft.document}")
    page.get_by_label("Order number").fill("4500118426")
    page.get_by_label("Seller").fill("Hartmann")
    page.get_by_role("button", name="Save the fields").click()
    expect(page.locator("#notices")).to_contain_text("Order number is “4500118426”. Seller is “Hartmann”")
    page.get_by_role("link", name="What the next document").click()
    expect(page.locator("#trial")).not_to_be_empty()
    page.go_back()
    page.get_by_label("Qty of line 1").fill("13")
    page.get_by_label("Qty of line 1").press("Enter")
    expect(page.locator("#notices")).to_contain_text("Qty of line 1 is “13”")
    page.locator("input#customer").fill("C-7")
    page.locator("input#customer").press("Enter")
    expect(page.locator("#notices")).to_contain_text("It is a document of C-7.")
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".doc-head")).to_contain_text("Confirmed")
    found = loop.learn.documents.draft(draft.id)
    assert (found.values["seller"], found.customer, len(found.corrections)) == ("Hartmann", "C-7", 3)


def test_where_people_disagree_the_inbox_decides(sign_in: SignIn, loop: Loop) -> None:
    for who, value in (("dana", "INT-1"), ("lee", "INT-2")):
        loop.capture.mapping_confirmed("ZR-750", value, customer="C-9", by=who)
    loop.capture.mapping_confirmed("KU-24", "INT-3", customer="C-8", by="dana")
    draft = _drafted(loop, customer="C-9")
    page = sign_in("rae").open(f"/documents/{draft.document}")
    expect(_line(page, "ZR-750").locator(".disputed")).to_contain_text("People disagree.")
    page.get_by_label("Reject INT-3 for KU-24").click()
    expect(page.locator("#notices")).to_contain_text("KU-24 is not INT-3 for C-9.")
    expect(page.get_by_label("Reject INT-3 for KU-24")).to_have_count(0)
    _line(page, "ZR-750").get_by_role("link", name="Inbox").click()
    expect(page.get_by_text("Two learnings contradict each other")).to_be_visible()


def test_texts_of_documents_stay_texts(sign_in: SignIn, loop: Loop) -> None:
    olga = sign_in("olga", Role.OPERATOR)
    _upload(olga.open("/documents"), _file("hartmann", 2, f"{_HARM.replace('/', '-')}.pdf"), "C-9")
    page = olga.page
    page.get_by_label("Seller").fill(_HARM)
    page.get_by_label("Seller").press("Enter")
    expect(page.locator("#notices")).to_contain_text("<script>")
    draft = loop.apply.extract(loop.capture.document_words(_WORDS, name="scan.pdf"))
    loop.capture.field_corrected(draft, _HARM, _HARM, by="dana")
    loop.capture.line_added(draft, sku=_HARM, values={_HARM: _HARM}, by="dana")
    loop.capture.mapping_confirmed(_HARM, _HARM, customer=_HARM, by="dana")
    for path in ("/documents", page.url.removeprefix(olga.url), f"/documents/{draft.document}", "/mappings"):
        olga.open(path)
        expect(page.locator("main script, main img:not(.leaf > img)")).to_have_count(0)
        assert "heedful" in page.title()


def _csrf(person: Person) -> str:
    return person.open("/").locator("input[name=csrf]").first.get_attribute("value") or ""


def test_roles_and_organisations_are_kept_apart(sign_in: SignIn, loop: Loop, served: Served) -> None:
    draft = _drafted(loop, customer="C-9")
    loop.capture.mapping_confirmed("ZR-750", "INT-1", customer="C-9", by="dana")
    vera, rae = sign_in("vera", Role.VIEWER), sign_in("rae", Role.REVIEWER)
    page = f"/documents/{draft.document}"
    for path in ("/documents", page, "/mappings"):
        expect(vera.open(path).locator("main form[method=post], main input:not(.filter input)")).to_have_count(0)
    fields = {"document": draft.document, "draft": draft.id, "f:seller": "x"}
    answer = vera.context.request.post(f"{vera.url}/documents/fields", form={**fields, "csrf": _csrf(vera)})
    assert answer.status == 403
    content = sample_document("hartmann", 1).content
    for person, csrf in ((vera, _csrf(vera)), (rae, _csrf(rae)), (sign_in("olga", Role.OPERATOR), "wrong")):
        headers = {"X-CSRF-Token": csrf, "Content-Type": "application/pdf"}
        sent = person.context.request.post(f"{person.url}/documents", data=content, headers=headers)
        assert sent.status == 403
    assert loop.learn.documents.draft(draft.id).corrections == ()

    image = vera.context.request.get(f"{vera.url}{page}/pages/1.png")
    assert (image.status, image.headers["content-type"]) == (200, "image/png")
    assert image.headers["cache-control"].startswith("private")
    other = served.loop.org(f"org-{uuid.uuid4()}")
    eve = sign_in("eve", key=other.govern.keys.create("eve", role=Role.ADMIN).secret)
    for path in (page, f"{page}/pages/1.png", f"{page}/next"):
        assert eve.context.request.get(f"{eve.url}{path}").status == 404
    expect(eve.open("/documents").locator("tbody tr")).to_have_count(0)


@pytest.mark.slow
def test_no_page_about_documents_has_a_barrier(sign_in: SignIn, loop: Loop) -> None:
    draft = _drafted(loop, number=3, customer="C-9")
    loop.capture.line_corrected(draft, 2, qty=99, by="dana")
    loop.capture.field_corrected(draft, "seller", "Donaudampfschifffahrtsgesellschaftskapitän" * 4, by="dana")
    for who, key, value in (("ana", "ZR-920", "INT-1"), ("bo", "ZR-920", "INT-2"), ("cy", "RK-12B-1", "INT-3")):
        loop.capture.mapping_confirmed(key, value, customer="C-9", by=who)
    scan = loop.apply.extract(loop.capture.document_words(_WORDS, name="scan.pdf"))
    admin = sign_in("admin", Role.ADMIN)
    found: dict[str, Any] = {}
    for path in ("/documents", f"/documents/{draft.document}", f"/documents/{scan.document}", "/mappings"):
        page = admin.open(path)
        _unfold(page)
        for width in (360, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert (path, width, _overflow(page)) == (path, width, 0)
        for scheme in _SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found |= _barriers(page, f"{path} {scheme}")
    assert found == {}
