"""A person with a browser: reads about the API, loses the way, finds back, and decides what waits.

What needs a real browser is in tests/browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import quote

import httpx2
import pytest

from heedful.loop import Loop
from heedful.records import proposal
from heedful.records.proposal import Act
from heedful.records.role import Role
from heedful.records.rule import INSERTION_POINT, RuleType, RuleWords
from heedful.wire import wires
from tests.serving import Served

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PAGES = (
    *("/", "/inbox", "/inbox/some-id", "/reviews", "/reviews/new", "/reviews/some-id", "/rules", "/rules/some-id"),
    *("/learnings", "/learnings/some-id", "/contexts/some-id", "/corrections", "/agents-md"),
    *("/conversations", "/conversations/some-id"),
)
WEIGHT = 150 * 1024
"""Bytes of a page with its styles and scripts."""


@pytest.fixture
def lee(served: Served) -> Iterator[httpx2.Client]:
    """A reviewer who signed in."""
    with httpx2.Client(base_url=served.url, headers=BROWSER) as browser:
        browser.post("/sign-in", data={"key": served.key(Role.REVIEWER)})
        yield browser


def _fields(page: str, action: str) -> dict[str, str]:
    """The hidden fields of the first form of that address."""
    form = page.partition(f'action="{action}"')[2].partition("</form>")[0]
    assert form, f"there is no form for {action}"
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form)
    return {name: unescape(value) for name, value in found}


def _page(served: Served, path: str, **options: str) -> httpx2.Response:
    with httpx2.Client(base_url=served.url, headers=BROWSER) as browser:
        return browser.request(options.get("method", "GET"), path)


def test_the_docs_show_every_operation_to_whoever_asks(served: Served) -> None:
    answer = _page(served, "/docs")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    for wire in wires():
        assert f'id="{wire.id}"' in answer.text
        assert f"<code>/v1{wire.operation.path}</code>" in answer.text
    assert f"curl &#34;{served.url}/v1/events&#34;" in answer.text
    assert "`" not in re.sub(r"<pre>.*?</pre>", "", answer.text, flags=re.S)


def test_the_docs_need_nothing_from_elsewhere_and_their_links_lead_somewhere(served: Served) -> None:
    answer = _page(served, "/docs")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<(iframe|style|object)|\sstyle=|\son\w+=", answer.text)
    assert all(source.startswith("/static/") for source in re.findall(r'src="([^"]+)"', answer.text))
    ids = set(re.findall(r'id="([^"]+)"', answer.text))
    assert len(ids) == len(re.findall(r'id="([^"]+)"', answer.text))
    for target in set(re.findall(r'href="([^"]+)"', answer.text)):
        assert target.removeprefix("#") in ids if target.startswith("#") else target.startswith("/"), target


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [("/nowhere", "GET", 404), ("/v1/nowhere", "GET", 401), ("/docs", "POST", 405), ("/v1/events", "GET", 401)],
)
def test_a_browser_that_lost_its_way_gets_a_page_and_programs_a_problem(
    served: Served, path: str, method: str, status: int
) -> None:
    page = _page(served, path, method=method)
    assert (page.status_code, page.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert 'href="/"' in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-request-id"] in page.text
    assert ('href="/sign-in"' in page.text) is (status == 401)
    for accept in ("*/*", "application/json", ""):
        told = httpx2.request(method, f"{served.url}{path}", headers={"Accept": accept})
        assert (told.status_code, told.headers["content-type"]) == (status, "application/problem+json")
        assert told.headers.get("allow") == page.headers.get("allow")


def test_a_mistake_of_heedfuls_own_is_a_page_too(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret words")

    monkeypatch.setattr("heedful.edges.web.docs._base", broken)
    page = _page(served, "/docs")
    assert (page.status_code, "Internal error" in page.text, "secret words" in page.text) == (500, True, False)
    assert httpx2.get(f"{served.url}/docs").json()["code"] == "internal"


def test_what_somebody_put_into_an_address_stays_text(served: Served) -> None:
    assert "<script>" not in _page(served, "/<script>alert(1)</script>").text


# Signed in


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_for_those_who_signed_in(served: Served, path: str) -> None:
    answer, back = _page(served, path), "" if path == "/" else f"?next={quote(path, safe='')}"
    assert (answer.status_code, answer.headers["location"]) == (303, f"/sign-in{back}")
    with served.client() as program:  # a key in a header is for programs
        assert program.get(path).status_code == 303


@pytest.mark.parametrize("after", ["//elsewhere.example", "/\\elsewhere.example", "https://elsewhere.example", "x", ""])
def test_nobody_is_led_elsewhere_after_signing_in(served: Served, after: str) -> None:
    answer = httpx2.post(f"{served.url}/sign-in", data={"key": served.key(), "next": after})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_a_proposal_is_approved_edited_and_rejected_through_forms(served: Served, lee: httpx2.Client) -> None:
    loop = served.loop.org("acme")
    made = loop.govern.proposals.propose("Validate input.", agents=["coder"], by="ana")
    page = lee.get("/inbox").text
    first = lee.post("/inbox/approve", data=_fields(page, "/inbox/approve"))
    again = lee.post("/inbox/approve", data=_fields(page, "/inbox/approve"))
    assert [first.status_code, again.status_code] == [303, 303]
    assert len(loop.govern.proposals.get(made.id).approvals) == 1

    fields = _fields(page, "/inbox/edit")
    words = {"rule": "Validate all input.\r\nAlways.", "type": "CONSTRAINT", "agents": "", "insertion_point": "end"}
    assert lee.post("/inbox/edit", data={**fields, **words}).status_code == 303
    edited = loop.govern.proposals.get(made.id)
    assert edited.rule == RuleWords("Validate all input.\nAlways.", RuleType.CONSTRAINT, (), INSERTION_POINT)
    assert edited.approvals == ()

    stale = lee.post("/inbox/reject", data={**_fields(page, "/inbox/reject"), "why": "It is <vague>."})
    assert stale.status_code == 409
    assert "It is &lt;vague&gt;.</textarea>" in stale.text
    last = lee.post("/inbox/reject", data={**_fields(stale.text, "/inbox/reject"), "why": "It is vague."})
    assert last.status_code == 303
    assert loop.govern.proposals.get(made.id).why == "It is vague."


def test_what_a_form_gets_wrong_is_said_and_nothing_is_lost(served: Served, lee: httpx2.Client) -> None:
    loop = served.loop.org("acme")
    loop.govern.proposals.propose("Validate input.", by="ana")
    fields = _fields(lee.get("/inbox").text, "/inbox/edit")
    answer = lee.post("/inbox/edit", data={**fields, "rule": "x" * 600, "type": "GUIDELINE", "insertion_point": "end"})
    assert answer.status_code == 422
    assert "x" * 600 in answer.text
    csrf = {"csrf": fields["csrf"]}
    answer = lee.post("/reviews/new", data={**csrf, "agent": "", "output": "a\r\nb", "decision": "APPROVED"})
    assert (answer.status_code, "a\nb</textarea>" in answer.text) == (422, True)
    answer = lee.post("/reviews/new", data={**csrf, "agent": "coder", "output": "a"})
    assert (answer.status_code, "No decision was chosen." in answer.text) == (422, True)
    assert lee.post("/inbox/decide", data=csrf).status_code == 422
    assert lee.post("/inbox/approve", data={**csrf, "id": "nothing"}).status_code == 404
    assert lee.post("/inbox/approve", content="a=1&" * 2_000).status_code == 400


def test_ids_that_others_chose_make_addresses(served: Served, lee: httpx2.Client) -> None:
    loop = served.loop.org("acme")
    for id in ("team/rule 1", "50%?&#é", "new+x"):
        loop.govern.proposals.propose(f"Say {id}.", by="ana", id=id)
        loop.capture.review("co/der", "REJECTED", output="x", comment=f"No {id}.", id=f"r/{id}")
    inbox, reviews = lee.get("/inbox").text, lee.get("/reviews").text
    links = re.findall(r'href="(/inbox/[^"]+)"', inbox) + re.findall(r'href="(/reviews/[^"]+)"', reviews)
    for link in links:
        assert lee.get(unescape(link)).status_code == 200, link
    assert len(set(links)) == 7  # and the page for a new one


def test_an_inbox_with_two_hundred_proposals_is_light(served: Served, lee: httpx2.Client) -> None:
    _fill(served.loop.org("acme"), 200)
    page = lee.get("/inbox")
    assets = [lee.get(address) for address in set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text))]
    assert page.text.count('class="card proposal"') == 15
    assert "Page 1 of 14" in page.text
    assert len(page.content) + sum(len(asset.content) for asset in assets) < WEIGHT
    assert {asset.headers["cache-control"] for asset in assets} == {"public, max-age=31536000, immutable"}
    assert "Page 14 of 14" in lee.get("/inbox?page=99").text
    assert "Page 1 of 14" in lee.get("/inbox?page=x").text


def _fill(loop: Loop, count: int) -> None:
    """Proposals of rules, each made of the same six reviews."""
    reviews = [
        loop.capture.review(
            "coder", "APPROVED_WITH_CHANGES", output=f"a{number}\nb\n", approved="c\nb\n", comment="No."
        )
        for number in range(6)
    ]
    meta = {"evidence": [review.id for review in reviews], "summary": "6 reviews say so.", "confidence": 0.7}
    words = [RuleWords(f"Rule {number} of many.", RuleType.GUIDELINE, ("coder",), "end") for number in range(count)]
    now = loop.store.clock()
    loop.store.record([proposal.made(now, Act.ADOPT, (), "", rule=one, meta=meta, key=one.text) for one in words])


def test_an_unknown_file_is_not_found(served: Served) -> None:
    for name in ("heedful.css", "nothing.000000000000.js", "%2e%2e%2fsite.py"):
        assert _page(served, f"/static/{name}").status_code == 404


def test_a_conversation_shows_what_it_takes_back_and_what_it_asks(loop: Loop, lee: httpx2.Client) -> None:
    for id, said in (
        ("one", "From now on always deploy with make ship."),
        ("three", "forget the rule about make ship"),
    ):
        work = "I added the endpoint to the API and a test for the function behind it, and committed both of them."
        told = [
            ("user", "Add an endpoint to the API."),
            ("assistant", work),
            ("user", said),
            ("assistant", "Understood."),
        ]
        loop.capture.conversation([{"role": role, "text": text} for role, text in told], id=id, project="shop")
        for one in loop.learn.mine(id).learned:
            loop.govern.learnings.approve(one)
    mined = loop.govern.conversations.get("three")
    assert mined.proposals
    page = unescape(lee.get("/conversations/three").text)
    assert "a proposal asks what holds" in page
    assert f"/inbox/{mined.proposals[0]}" in page
    inbox = unescape(lee.get(f"/inbox/{mined.proposals[0]}").text)
    assert "It may have been taken back in conversation three." in inbox
    assert "“" in inbox
